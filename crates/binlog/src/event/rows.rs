//! WRITE_ROWS, UPDATE_ROWS, DELETE_ROWS, version 2.
//!
//! | size | field |
//! | --- | --- |
//! | 6 | table id |
//! | 2 | flags: [`rows_flag`] |
//! | 2 | length of the extra data, these two bytes included: 2 |
//! | 1, 3, 4, 9 | number of columns |
//! | (columns + 7) / 8 | columns present in the (before) images, lowest bit first; unused bits are 1 if all are |
//! | (columns + 7) / 8 | UPDATE only: columns present in the after images |
//! | rest | for each row: (before) image, UPDATE only: after image |
//!
//! An image is a bit for each present column (1 = NULL), lowest bit first, and the packed values of those that are
//! not NULL. Images come from the caller ready made.
//!
//! Rows arrive one at a time while a statement runs, so an event is built in place at the end of a buffer:
//! [`OpenRows`] appends to it, and patches size and flags when it is closed.

use super::header::{FLAGS_OFFSET, SIZE_OFFSET};
use super::put::{Put, bitmap_len, put_lenenc, put_u48};
use super::{EventHeader, EventType, HEADER_LEN, Origin};

/// Bits of the flags in the body of a rows event.
pub mod rows_flag {
    /// The last rows event of its statement: the reader forgets its table maps.
    pub const STMT_END: u16 = 0x01;
    /// `foreign_key_checks=0`.
    pub const NO_FOREIGN_KEY_CHECKS: u16 = 0x02;
    /// `unique_checks=0`.
    pub const RELAXED_UNIQUE_CHECKS: u16 = 0x04;
    /// What follows from the rows by foreign keys is logged, too: MySQL 9.6 and later, unless
    /// `innodb_native_foreign_keys=ON`.
    pub const FOREIGN_KEYS_LOGGED: u16 = 0x10;
}

/// Where the flags stand in the body: behind the table id.
const BODY_FLAGS_OFFSET: usize = 6;
/// Bytes of the body in front of the number of columns.
const POST_HEADER_LEN: usize = 10;

/// Which of the three events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsKind {
    /// Inserted rows: after images.
    Write,
    /// Updated rows: before and after images.
    Update,
    /// Deleted rows: before images.
    Delete,
}

impl RowsKind {
    /// The event's type code.
    pub const fn event_type(self) -> EventType {
        match self {
            Self::Write => EventType::WRITE_ROWS,
            Self::Update => EventType::UPDATE_ROWS,
            Self::Delete => EventType::DELETE_ROWS,
        }
    }

    /// The kind of an event's type code.
    pub const fn from_event_type(event_type: EventType) -> Option<Self> {
        match event_type {
            EventType::WRITE_ROWS => Some(Self::Write),
            EventType::UPDATE_ROWS => Some(Self::Update),
            EventType::DELETE_ROWS => Some(Self::Delete),
            _ => None,
        }
    }
}

/// Which columns an image holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Present<'a> {
    /// `binlog_row_image=FULL`.
    All,
    /// A bit for each column, lowest bit first; unused bits are 0.
    Only(&'a [u8]),
}

impl Present<'_> {
    fn put(self, columns: usize, out: &mut impl Put) {
        match self {
            Self::All => (0..bitmap_len(columns)).for_each(|_| out.put(&[0xff])),
            Self::Only(bits) => {
                assert_eq!(bits.len(), bitmap_len(columns), "a bitmap has a bit for each column");
                out.put(bits);
            }
        }
    }

    fn is(self, bitmap: &[u8]) -> bool {
        match self {
            Self::All => bitmap.iter().all(|byte| *byte == 0xff),
            Self::Only(bits) => bits == bitmap,
        }
    }
}

/// What all rows of an event share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowsSpec<'a> {
    /// Which event.
    pub kind: RowsKind,
    /// The id of the table map.
    pub table_id: u64,
    /// A union of [`rows_flag`] values without `STMT_END`.
    pub flags: u16,
    /// How many columns the table has.
    pub columns: usize,
    /// Columns in before images; ignored for [`RowsKind::Write`].
    pub before: Present<'a>,
    /// Columns in after images; ignored for [`RowsKind::Delete`].
    pub after: Present<'a>,
}

impl<'a> RowsSpec<'a> {
    fn bitmaps(&self) -> (Present<'a>, Option<Present<'a>>) {
        match self.kind {
            RowsKind::Write => (self.after, None),
            RowsKind::Update => (self.before, Some(self.after)),
            RowsKind::Delete => (self.before, None),
        }
    }
}

/// The images of one row, ready made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row<'a> {
    /// For [`RowsKind::Write`].
    Write(&'a [u8]),
    /// For [`RowsKind::Update`]: before and after.
    Update(&'a [u8], &'a [u8]),
    /// For [`RowsKind::Delete`].
    Delete(&'a [u8]),
}

impl Row<'_> {
    /// Bytes of the images.
    pub const fn len(&self) -> usize {
        match self {
            Self::Write(image) | Self::Delete(image) => image.len(),
            Self::Update(before, after) => before.len() + after.len(),
        }
    }

    /// Whether there are no images: never in a valid event.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The event that holds such rows.
    pub const fn kind(&self) -> RowsKind {
        match self {
            Self::Write(_) => RowsKind::Write,
            Self::Update(..) => RowsKind::Update,
            Self::Delete(_) => RowsKind::Delete,
        }
    }
}

/// A rows event under construction: the last bytes of a buffer, from `start` on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenRows {
    start: usize,
    kind: RowsKind,
    table_id: u64,
    flags: u16,
    columns: usize,
    bitmaps_at: usize,
}

impl OpenRows {
    /// Begins an event at the end of `out`.
    pub fn begin(spec: &RowsSpec<'_>, origin: Origin, out: &mut Vec<u8>) -> Self {
        let start = out.len();
        let header = EventHeader {
            timestamp: origin.timestamp,
            event_type: spec.kind.event_type(),
            server_id: origin.server_id,
            event_size: 0,
            end_log_pos: 0,
            flags: 0,
        };
        out.put(&header.to_bytes());
        put_u48(out, spec.table_id);
        out.put(&spec.flags.to_le_bytes());
        out.put(&2_u16.to_le_bytes());
        debug_assert_eq!(out.len() - start, HEADER_LEN + POST_HEADER_LEN);
        put_lenenc(out, spec.columns as u64);
        let bitmaps_at = out.len() - start;
        let (first, second) = spec.bitmaps();
        first.put(spec.columns, out);
        if let Some(second) = second {
            second.put(spec.columns, out);
        }
        let RowsSpec { kind, table_id, flags, columns, .. } = *spec;
        Self { start, kind, table_id, flags, columns, bitmaps_at }
    }

    /// Where the event begins in its buffer.
    pub fn start(&self) -> usize {
        self.start
    }

    /// Moves the event's begin after its bytes were moved.
    pub fn moved_to(&mut self, start: usize) {
        self.start = start;
    }

    /// Whether a row of `spec` may join: the same event, table, flags and columns.
    pub fn takes(&self, spec: &RowsSpec<'_>, buf: &[u8]) -> bool {
        if (self.kind, self.table_id, self.flags, self.columns)
            != (spec.kind, spec.table_id, spec.flags, spec.columns)
        {
            return false;
        }
        let len = bitmap_len(self.columns);
        let first_at = self.start + self.bitmaps_at;
        let (first, second) = spec.bitmaps();
        first.is(&buf[first_at..first_at + len])
            && second.is_none_or(|second| second.is(&buf[first_at + len..first_at + 2 * len]))
    }

    /// Bytes of the body so far: what MySQL compares with `binlog_row_event_max_size`.
    pub fn body_len(&self, buf: &[u8]) -> usize {
        buf.len() - self.start - HEADER_LEN
    }

    /// Appends a row.
    pub fn push(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        assert_eq!(row.kind(), self.kind, "a row joins an event of its kind");
        match row {
            Row::Write(image) | Row::Delete(image) => out.put(image),
            Row::Update(before, after) => {
                out.put(before);
                out.put(after);
            }
        }
    }

    /// Writes the event's size and, if it is its statement's last, the flag that says so.
    pub fn close(self, statement_ends: bool, buf: &mut [u8]) {
        let size = u32::try_from(buf.len() - self.start).expect("an event is smaller than EVENT_SIZE_MAX");
        let event = &mut buf[self.start..];
        event[SIZE_OFFSET..SIZE_OFFSET + 4].copy_from_slice(&size.to_le_bytes());
        debug_assert_eq!(event[FLAGS_OFFSET..HEADER_LEN], [0, 0], "rows events have no flags in the header");
        if statement_ends {
            event[HEADER_LEN + BODY_FLAGS_OFFSET] |= rows_flag::STMT_END.to_le_bytes()[0];
        }
    }
}

/// Bytes of an event with one row, without a checksum.
pub(crate) fn single_row_event_len(spec: &RowsSpec<'_>, row: &Row<'_>) -> usize {
    let bitmaps = if spec.kind == RowsKind::Update { 2 } else { 1 };
    let count_len = super::put::lenenc_len(spec.columns as u64);
    HEADER_LEN + POST_HEADER_LEN + count_len + bitmaps * bitmap_len(spec.columns) + row.len()
}
