//! Stored rows.
//!
//! A stored row **is** the full row image of a binlog row event (WRITE_ROWS v2 and its like), so that logging a row
//! is a copy:
//!
//! | what | bytes |
//! | --- | --- |
//! | null bitmap | (columns + 7) / 8; bit i (from the lowest of the first byte) is set if column i is NULL; unused bits are 0 |
//! | each column that is not NULL, in order | see below |
//!
//! | type | bytes |
//! | --- | --- |
//! | integers | 1, 2, 3, 4 or 8, little-endian |
//! | FLOAT, DOUBLE | 4, 8, IEEE 754, little-endian |
//! | DECIMAL | see `decimal/binary.rs` |
//! | DATE, TIME, DATETIME, TIMESTAMP | see `temporal/stored.rs` |
//! | CHAR | length (1 byte, 2 if the column can exceed 255 bytes), text without the blanks at its end |
//! | BINARY | length (1 byte), bytes without the zeros at their end |
//! | VARCHAR, VARBINARY | length (1 byte, 2 if the column can exceed 255 bytes), bytes |
//! | TEXT, BLOB | length (1 to 4 bytes by the type), bytes |
//! | ENUM | number of the label, 1 byte, 2 if there are more than 255 labels, little-endian |
//! | SET | bits of the labels, 1, 2, 3, 4 or 8 bytes, little-endian |
//! | BIT | 1 to 8 bytes, big-endian |
//! | JSON | length (4 bytes), MySQL's binary form, see `json/binary` |
//! | YEAR | years since 1900, 1 byte; 0 for year 0 |
//!
//! Lengths are little-endian.
//!
//! [`RowLayout::offsets`] walks a row once and checks its structure; it is the only way to get at columns, so rows
//! from a disk or a network may be anything: they are refused or read as some value, never a panic. Contents
//! (digits of a decimal, a date's parts, validity of text) are not checked here.
//!
//! Source: the binlog event documentation; the bytes of MySQL 9.7.4 in `tests/data/rows.tsv`.

mod build;
mod pack;
mod unpack;
mod wire;

pub use build::{Change, RowBuilder};
pub use pack::write_column;
pub(crate) use pack::{is_year, stored_year, trimmed, write_int, write_length_and_bytes, write_low_bytes};
pub use unpack::read_column;
pub use wire::{write_lenenc, write_lenenc_int};

use smallvec::SmallVec;

use crate::column::ColumnType;
use crate::decimal;
use crate::temporal::{TimeZone, stored_fraction_size};
use crate::value::ValueRef;

/// What is wrong with a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowError {
    /// The row ends within this column (or, at column 0, within the null bitmap).
    Truncated {
        /// The column's index.
        column: usize,
    },
    /// Bytes follow the last column.
    TooLong,
    /// A value given for this column is not of its type or does not fit: it was not brought into the column.
    WrongValue {
        /// The column's index.
        column: usize,
    },
    /// More or fewer values than columns.
    WrongCount,
}

impl std::fmt::Display for RowError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Truncated { column } => write!(f, "the row ends within column {column}"),
            Self::TooLong => f.write_str("bytes follow the row's last column"),
            Self::WrongValue { column } => write!(f, "the value of column {column} is not of its type"),
            Self::WrongCount => f.write_str("the number of values is not the number of columns"),
        }
    }
}

impl std::error::Error for RowError {}

/// How the rows of one table version lie in memory.
#[derive(Clone, Debug)]
pub struct RowLayout {
    slots: Box<[Slot]>,
    bitmap_size: usize,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    ty: ColumnType,
    extent: Extent,
}

/// How many bytes a column takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    Fixed(u8),
    /// A length of so many bytes, then the bytes.
    Variable(u8),
}

/// Where the columns of one row are. Reuse one for many rows.
#[derive(Clone, Debug, Default)]
pub struct Offsets {
    spans: SmallVec<[Span; 16]>,
}

/// The bytes of a column within its row, its length included. A NULL has none and lies where it would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    start: u32,
    /// [`NULL_END`] for NULL.
    end: u32,
}

const NULL_END: u32 = u32::MAX;

impl RowLayout {
    /// The layout of rows with these columns.
    pub fn new(types: impl IntoIterator<Item = ColumnType>) -> Self {
        let slots: Box<[Slot]> = types.into_iter().map(|ty| Slot { ty, extent: extent(ty) }).collect();
        let bitmap_size = slots.len().div_ceil(8);
        Self { slots, bitmap_size }
    }

    /// How many columns a row has.
    pub fn column_count(&self) -> usize {
        self.slots.len()
    }

    /// The type of a column.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn column_type(&self, column: usize) -> ColumnType {
        self.slots[column].ty
    }

    /// Finds the columns of `row`, checking its structure on the way.
    #[inline]
    pub fn offsets(&self, row: &[u8], offsets: &mut Offsets) -> Result<(), RowError> {
        let size = u32::try_from(row.len()).ok().filter(|&size| size < NULL_END).ok_or(RowError::TooLong)?;
        offsets.spans.clear();
        let bitmap = row.get(..self.bitmap_size).ok_or(RowError::Truncated { column: 0 })?;
        let mut at = self.bitmap_size;
        for (column, slot) in self.slots.iter().enumerate() {
            let start = u32::try_from(at).unwrap_or(size);
            if bitmap.get(column / 8).is_some_and(|byte| byte >> (column % 8) & 1 != 0) {
                offsets.spans.push(Span { start, end: NULL_END });
                continue;
            }
            let taken = match slot.extent {
                Extent::Fixed(size) => usize::from(size),
                Extent::Variable(size) => {
                    let length = row.get(at..at.saturating_add(usize::from(size)));
                    let length = length.ok_or(RowError::Truncated { column })?;
                    little_endian(length).saturating_add(usize::from(size))
                }
            };
            at = at.saturating_add(taken);
            if at > row.len() {
                return Err(RowError::Truncated { column });
            }
            offsets.spans.push(Span { start, end: u32::try_from(at).unwrap_or(size) });
        }
        if at == row.len() { Ok(()) } else { Err(RowError::TooLong) }
    }

    /// Whether the structure of `row` is sound.
    pub fn validate(&self, row: &[u8]) -> Result<(), RowError> {
        self.offsets(row, &mut Offsets::default())
    }

    /// The bytes of a column without their length; None for NULL. `offsets` must be those of `row`.
    #[inline]
    pub fn column<'r>(&self, row: &'r [u8], offsets: &Offsets, column: usize) -> Option<&'r [u8]> {
        let bytes = offsets.stored(row, column)?;
        match self.slots.get(column)?.extent {
            Extent::Fixed(_) => Some(bytes),
            Extent::Variable(size) => bytes.get(usize::from(size)..),
        }
    }

    /// The value of a column; a TIMESTAMP in `time_zone`. `offsets` must be those of `row`.
    #[inline]
    pub fn value<'r>(
        &self,
        row: &'r [u8],
        offsets: &Offsets,
        column: usize,
        time_zone: &TimeZone,
    ) -> ValueRef<'r> {
        match (self.column(row, offsets, column), self.slots.get(column)) {
            (Some(bytes), Some(slot)) => read_column(slot.ty, bytes, time_zone),
            _ => ValueRef::Null,
        }
    }

    /// The value of a column's stored bytes, as [`store::assign`](crate::store::assign) appends them for a type of fixed size.
    pub fn read<'r>(&self, column: usize, stored: &'r [u8], time_zone: &TimeZone) -> ValueRef<'r> {
        self.slots.get(column).map_or(ValueRef::Null, |slot| read_column(slot.ty, stored, time_zone))
    }

    /// Appends the row of these values, which have been brought into their columns before.
    pub fn encode<'v>(
        &self,
        values: impl IntoIterator<Item = ValueRef<'v>>,
        time_zone: &TimeZone,
        out: &mut Vec<u8>,
    ) -> Result<(), RowError> {
        let mut builder = self.builder(out);
        for value in values {
            builder.value(value, time_zone)?;
        }
        builder.finish()
    }
}

impl Offsets {
    /// The bytes of a column with their length, as they would be copied into another row; None for NULL.
    #[inline]
    pub fn stored<'r>(&self, row: &'r [u8], column: usize) -> Option<&'r [u8]> {
        let span = self.spans.get(column).filter(|span| span.end != NULL_END)?;
        row.get(usize::try_from(span.start).ok()?..usize::try_from(span.end).ok()?)
    }
}

/// The size in a row of types that always take the same.
pub(crate) fn fixed_size(ty: ColumnType) -> Option<usize> {
    Some(match ty {
        ColumnType::Int(int) => usize::from(int.bytes()),
        ColumnType::Decimal { precision, scale, .. } => decimal::stored_size(precision, scale),
        ColumnType::Float(_) => 4,
        ColumnType::Double(_) => 8,
        ColumnType::Enum(labels) => usize::from(labels.enum_bytes()),
        ColumnType::Set(labels) => usize::from(labels.set_bytes()),
        ColumnType::Bit { bits } => usize::from(bits.div_ceil(8)),
        ColumnType::Year => 1,
        ColumnType::Date => 3,
        ColumnType::Time { fsp } => 3 + stored_fraction_size(fsp),
        ColumnType::DateTime { fsp } => 5 + stored_fraction_size(fsp),
        ColumnType::Timestamp { fsp } => 4 + stored_fraction_size(fsp),
        _ => return None,
    })
}

/// How many bytes hold the length of a string type.
pub(crate) fn length_size(ty: ColumnType) -> u8 {
    match ty {
        ColumnType::Text { size, .. } | ColumnType::Blob { size } => size.length_size(),
        ColumnType::Json => 4,
        _ => 1 + u8::from(ty.bytes_max().is_some_and(|bytes| bytes > 255)),
    }
}

fn extent(ty: ColumnType) -> Extent {
    match fixed_size(ty).and_then(|size| u8::try_from(size).ok()) {
        Some(size) => Extent::Fixed(size),
        None => Extent::Variable(length_size(ty)),
    }
}

/// Up to four bytes as a number.
fn little_endian(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | usize::from(byte))
}
