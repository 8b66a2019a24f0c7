//! The events that onelog writes, and how each becomes bytes.
//!
//! Each event is a plain struct that borrows its contents; the same structs come out of [`crate::decode`].
//! [`Encode`] knows an event's length before a byte is written and appends to a `Vec<u8>` that the caller reuses.
//!
//! Encoders here write an event as it stands in a transaction cache: `event_size` without a checksum and
//! `end_log_pos` zero. [`crate::finalise`] fills in the rest.

mod checksum;
mod column;
mod event_type;
mod format_description;
mod gtid_event;
mod header;
mod misc;
mod previous_gtids;
mod put;
mod query;
mod rows;
mod status_vars;
mod table_map;
mod table_metadata;
mod xa;

pub use checksum::{CHECKSUM_LEN, ChecksumAlg};
pub(crate) use column::meta_len;
pub use column::{ColumnMeta, PkPart, column_type};
pub use event_type::{EventType, flag};
pub(crate) use format_description::VERSION_LEN;
pub use format_description::{FormatDescription, POST_HEADER_LENS};
pub use gtid_event::{GtidEvent, GtidLayout};
pub(crate) use gtid_event::{
    HAS_ORIGINAL_TIMESTAMP, HAS_ORIGINAL_VERSION, LOGICAL_CLOCK, MAY_HAVE_STATEMENTS,
};
pub(crate) use header::{END_POS_OFFSET, FLAGS_OFFSET, SIZE_OFFSET};
pub use header::{EventHeader, HEADER_LEN, Origin};
pub use misc::{Heartbeat, HeartbeatV2, Rotate, RowsQuery, Stop, Xid};
pub use previous_gtids::PreviousGtids;
pub use put::{Count, Put};
pub(crate) use put::{bitmap_len, lenenc_len, put_lenenc};
pub use query::Query;
pub(crate) use rows::{OpenRows, single_row_event_len};
pub use rows::{Present, Row, RowsKind, RowsSpec, rows_flag};
pub use status_vars::{AutoIncrement, Charset, Invoker, StatusVars, flags2};
pub(crate) use status_vars::{DBS_MANY, DBS_MAX, code};
pub use table_map::TableMap;
pub use table_metadata::MetadataLevel;
pub(crate) use table_metadata::field;
pub use xa::{XaName, XaPrepare};

/// An event that can be appended to a buffer.
pub trait Encode {
    /// The type code of the header.
    fn event_type(&self) -> EventType;

    /// The header's flags: a union of [`flag`] values.
    fn flags(&self) -> u16 {
        0
    }

    /// Puts what stands between header and checksum.
    fn put_body(&self, out: &mut impl Put);

    /// Bytes between header and checksum.
    fn body_len(&self) -> usize {
        let mut count = Count::default();
        self.put_body(&mut count);
        count.0
    }

    /// Bytes of header and body, without a checksum.
    fn encoded_len(&self) -> usize {
        HEADER_LEN + self.body_len()
    }

    /// The header of an event of so many bytes; `end_log_pos` is zero, as in a transaction cache.
    ///
    /// # Panics
    /// If the event is 4 GiB or larger: nobody has such a statement, and no cache keeps one above [`crate::EVENT_SIZE_MAX`].
    fn header(&self, origin: Origin, size: usize) -> EventHeader {
        EventHeader {
            timestamp: origin.timestamp,
            event_type: self.event_type(),
            server_id: origin.server_id,
            event_size: u32::try_from(size).expect("an event is smaller than EVENT_SIZE_MAX"),
            end_log_pos: 0,
            flags: self.flags(),
        }
    }

    /// Appends header and body as they stand in a transaction cache.
    fn append_to(&self, origin: Origin, out: &mut Vec<u8>) {
        let start = out.len();
        out.put(&self.header(origin, 0).to_bytes());
        self.put_body(out);
        let size = u32::try_from(out.len() - start).expect("an event is smaller than EVENT_SIZE_MAX");
        out[start + SIZE_OFFSET..start + END_POS_OFFSET].copy_from_slice(&size.to_le_bytes());
    }
}
