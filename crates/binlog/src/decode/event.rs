//! One event of any type.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::format_description::format_description;
use super::gtid_event::gtid_event;
use super::query::query;
use super::rows::{RowsBody, rows};
use super::table_map::{TableMapBody, table_map};
use super::xa::xa_prepare;
use super::{Cursor, DecodeError};
use crate::event::{
    EventHeader, EventType, FormatDescription, GtidEvent, Heartbeat, Query, Rotate, RowsKind, RowsQuery,
    XaPrepare, Xid, flag,
};
use crate::gtid::GtidSet;
use crate::payload::PayloadHead;

/// A decoded event; borrows from its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// The first event of a file.
    FormatDescription(FormatDescription<'a>),
    /// The second event of a file.
    PreviousGtids(GtidSet),
    /// GTID or ANONYMOUS_GTID: the first event of a transaction.
    Gtid(GtidEvent),
    /// A statement, BEGIN, COMMIT.
    Query(Query<'a>),
    /// Text of the statement whose rows follow.
    RowsQuery(RowsQuery<'a>),
    /// Columns of the rows that follow.
    TableMap(TableMapBody<'a>),
    /// Changed rows.
    Rows(RowsBody<'a>),
    /// End of a transaction.
    Xid(Xid),
    /// End of an XA transaction.
    XaPrepare(XaPrepare<'a>),
    /// All events of a transaction behind its GTID, compressed.
    TransactionPayload(PayloadHead),
    /// The log goes on in another file.
    Rotate(Rotate<'a>),
    /// The server shut down cleanly.
    Stop,
    /// The source is alive.
    Heartbeat(Heartbeat<'a>),
    /// A type that onelog does not write.
    Other(EventType),
}

impl<'a> Event<'a> {
    /// Decodes a body without its checksum, by the type in its header.
    pub fn decode(header: &EventHeader, body: &'a [u8]) -> Result<Self, DecodeError> {
        let mut cursor = Cursor::new(body);
        let event = match header.event_type {
            EventType::FORMAT_DESCRIPTION => {
                Self::FormatDescription(format_description(body, header.flags & flag::IN_USE != 0)?)
            }
            EventType::PREVIOUS_GTIDS => Self::PreviousGtids(GtidSet::decode(body)?),
            EventType::GTID => Self::Gtid(gtid_event(body, false)?),
            EventType::ANONYMOUS_GTID => Self::Gtid(gtid_event(body, true)?),
            EventType::QUERY => Self::Query(query(body, header.flags)?),
            EventType::ROWS_QUERY => {
                cursor.u8()?;
                Self::RowsQuery(RowsQuery { sql: cursor.rest() })
            }
            EventType::TABLE_MAP => Self::TableMap(table_map(body)?),
            EventType::XID => {
                let xid = Xid(cursor.u64()?);
                cursor.finish()?;
                Self::Xid(xid)
            }
            EventType::XA_PREPARE => Self::XaPrepare(xa_prepare(body)?),
            EventType::TRANSACTION_PAYLOAD => Self::TransactionPayload(PayloadHead::decode(body)?),
            EventType::ROTATE => Self::Rotate(Rotate { position: cursor.u64()?, file: cursor.rest() }),
            EventType::STOP => Self::Stop,
            EventType::HEARTBEAT => Self::Heartbeat(Heartbeat { file: body }),
            other => match RowsKind::from_event_type(other) {
                Some(kind) => Self::Rows(rows(body, kind)?),
                None => Self::Other(other),
            },
        };
        Ok(event)
    }
}
