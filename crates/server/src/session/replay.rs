//! BINLOG: events in base64, as `mysqlbinlog` writes the rows of a log.
//!
//! A FORMAT_DESCRIPTION event comes first, alone; it says how the others end. Rows are applied as a replica applies them, within the
//! session's transaction.

use std::collections::HashMap;

use binlog::event::{HEADER_LEN, rows_flag};
use binlog::{ChecksumAlg, EventHeader, EventType};
use commit::CommitAck;
use replication::replica::{SourceError, SourceEvent, rows_body};
use types::error::table::{
    ER_BASE64_DECODE_ERROR, ER_BINLOG_FATAL_ERROR, ER_ONLY_FD_AND_RBR_EVENTS_ALLOWED_IN_BINLOG_STATEMENT,
    ER_SPECIFIC_ACCESS_DENIED_ERROR,
};
use types::error::{Condition, SqlError};

use super::Client;
use super::apply::Mapped;
use crate::replica::Tolerance;

type Result<T> = std::result::Result<T, SqlError>;

const ER_NO_FORMAT_DESCRIPTION_EVENT_BEFORE_BINLOG_STATEMENT: Condition = Condition {
    code: 1609,
    sqlstate: "HY000",
    name: "ER_NO_FORMAT_DESCRIPTION_EVENT_BEFORE_BINLOG_STATEMENT",
    text: "The BINLOG statement of type `%s` was not preceded by a format description BINLOG statement.",
};

/// What a session's BINLOG statements have said so far.
#[derive(Debug)]
pub(super) struct Replay {
    checksum: ChecksumAlg,
    /// By their numbers in the log.
    maps: HashMap<u64, Mapped>,
}

impl Client {
    /// BINLOG 'events'. Errors 1227, 1575, 1609, 1730, and those of changes of rows.
    pub(super) async fn replay(&mut self, text: &str) -> Result<Option<CommitAck>> {
        if !["BINLOG_ADMIN", "REPLICATION_APPLIER"].iter().any(|name| self.access.has_dynamic(name)) {
            let wanted = &"SUPER, BINLOG_ADMIN or REPLICATION_APPLIER";
            return Err(ER_SPECIFIC_ACCESS_DENIED_ERROR.error(&[wanted]));
        }
        self.refuse_in_ended_xa()?;
        let events = decoded(text).ok_or_else(|| ER_BASE64_DECODE_ERROR.error(&[]))?;
        if self.passes_over_change()? {
            return Ok(None);
        }
        let (trx, cache) = self.transaction.parts();
        let marks = (trx.mark(), cache.mark());
        match Box::pin(self.replay_all(&events)).await {
            // It has said how further ones end, and no more.
            Ok(()) if self.transaction.trx.is_idle() => Ok(None),
            Ok(()) => self.commit_statement().await,
            Err(error) => {
                let (trx, cache) = self.transaction.parts();
                trx.end_statement();
                trx.rollback_to(marks.0);
                cache.truncate_to(marks.1);
                Err(self.fail(error).await)
            }
        }
    }

    async fn replay_all(&mut self, mut events: &[u8]) -> Result<()> {
        while !events.is_empty() {
            let header: Option<&[u8; HEADER_LEN]> = events.first_chunk();
            let header =
                header.map(EventHeader::from_bytes).ok_or_else(|| bad(&"it ends within an event"))?;
            let event = events.split_at_checked(header.event_size as usize);
            let (event, rest) = event.filter(|(event, _)| event.len() >= HEADER_LEN).ok_or_else(|| {
                bad(&format_args!("an event of {} bytes, of {}", header.event_size, events.len()))
            })?;
            self.replay_event(header.event_type, event).await?;
            events = rest;
        }
        Ok(())
    }

    async fn replay_event(&mut self, kind: EventType, bytes: &[u8]) -> Result<()> {
        if kind == EventType::FORMAT_DESCRIPTION {
            let mut checksum = ChecksumAlg::None;
            SourceEvent::decode(bytes, &mut checksum).map_err(|error| damaged(&error))?;
            self.replay = Some(Box::new(Replay { checksum, maps: HashMap::new() }));
            return Ok(());
        }
        let Some(replay) = &mut self.replay else {
            return Err(ER_NO_FORMAT_DESCRIPTION_EVENT_BEFORE_BINLOG_STATEMENT.error(&[&kind.name()]));
        };
        let event = SourceEvent::decode(bytes, &mut replay.checksum).map_err(|error| damaged(&error))?;
        if kind == EventType::TABLE_MAP {
            let (id, mapped) = self.map_table(&event)?;
            self.replay.as_mut().map(|replay| replay.maps.insert(id, mapped));
            return Ok(());
        }
        let body = rows_body(&event).map_err(|error| damaged(&error))?;
        let body =
            body.ok_or_else(|| ER_ONLY_FD_AND_RBR_EVENTS_ALLOWED_IN_BINLOG_STATEMENT.error(&[&kind.name()]))?;
        let mapped = replay.maps.remove(&body.table_id);
        let mapped = mapped.ok_or_else(|| bad(&"rows of a table that has no map"))?;
        self.refuse_read_only()?;
        self.refuse_in_read_only_transaction()?;
        self.refuse_under_read_lock()?;
        self.begin_if_needed();
        let tolerance = Tolerance::of_replay(self.vars.idempotent_replay);
        self.apply_rows(&mapped, &body, &tolerance).await?;
        // The last rows of a statement need no map any more.
        let Some(replay) = &mut self.replay else { return Ok(()) };
        if body.flags & rows_flag::STMT_END == 0 {
            replay.maps.insert(body.table_id, mapped);
        } else {
            replay.maps.clear();
        }
        Ok(())
    }
}

fn bad(what: &dyn std::fmt::Display) -> SqlError {
    ER_BINLOG_FATAL_ERROR.error(&[&format_args!("BINLOG: {what}")])
}

fn damaged(error: &SourceError) -> SqlError {
    bad(error)
}

/// The bytes of base64 texts, one after another: each ends with its own padding.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let (mut rest, mut out) = (text.as_bytes(), Vec::with_capacity(text.len() / 4 * 3));
    while !rest.is_empty() {
        let digits = rest.iter().take_while(|byte| **byte != b'=').count();
        let padding = rest[digits..].iter().take_while(|byte| **byte == b'=').count();
        let (one, others) = rest.split_at(digits + padding);
        out.extend(types::base64::decode(one)?);
        rest = others;
    }
    Some(out)
}
