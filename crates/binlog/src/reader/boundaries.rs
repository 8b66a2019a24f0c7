//! Where transactions begin and end.
//!
//! | state | event | next state |
//! | --- | --- | --- |
//! | between groups | GTID, ANONYMOUS_GTID | behind a GTID |
//! | between groups | FORMAT_DESCRIPTION, PREVIOUS_GTIDS, ROTATE, STOP | between groups |
//! | behind a GTID | QUERY "BEGIN" or "XA START .." | in a transaction |
//! | behind a GTID | any other QUERY (DDL) | between groups: the group is whole |
//! | behind a GTID | TRANSACTION_PAYLOAD | between groups: the group is whole |
//! | in a transaction | XID, XA_PREPARE; QUERY "COMMIT" or "ROLLBACK" | between groups: the group is whole |
//! | in a transaction | TABLE_MAP, rows, ROWS_QUERY, any other QUERY (SAVEPOINT, XA END, CREATE ... SELECT) | the same |
//! | any | an event of another type that may be ignored | the same |
//! | | everything else | corrupt |
//!
//! A GTID event also says how long its group is; a group of another length is corrupt.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::RawEvent;
use crate::decode::{DecodeError, Event};
use crate::error::Result;
use crate::event::{EventType, GtidEvent, Query, flag};

/// What an event means for the transaction that it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// The event stands alone: file header, ROTATE, STOP.
    Alone,
    /// The first event of a group.
    Begin(GtidEvent),
    /// Inside a group.
    Inside,
    /// The last event of a group, which began at `start`.
    End {
        /// Where the group's GTID event begins.
        start: u64,
        /// That event.
        gtid: GtidEvent,
    },
}

#[derive(Clone, Copy, Debug)]
enum State {
    Between,
    Group { start: u64, gtid: GtidEvent, in_transaction: bool },
}

/// Follows the groups of a file, event by event.
#[derive(Clone, Copy, Debug)]
pub struct Boundaries {
    state: State,
    valid_end: u64,
}

impl Boundaries {
    /// Begins between groups, at a position of a file.
    pub fn new(position: u64) -> Self {
        Self { state: State::Between, valid_end: position }
    }

    /// The end of the last whole group or event that stands alone: everything behind it is incomplete.
    pub fn valid_end(&self) -> u64 {
        self.valid_end
    }

    /// Whether a group is incomplete.
    pub fn in_group(&self) -> bool {
        !matches!(self.state, State::Between)
    }

    /// Takes the next event.
    ///
    /// # Errors
    /// [`crate::Error::Corrupt`] if it cannot stand there. The state stays.
    pub fn step(&mut self, event: &RawEvent<'_>) -> Result<Boundary> {
        let (boundary, next) = match self.state {
            State::Between => between(event)?,
            State::Group { start, gtid, in_transaction } => in_group(event, start, gtid, in_transaction)?,
        };
        self.state = next;
        if matches!(next, State::Between) {
            self.valid_end = event.end();
        }
        Ok(boundary)
    }
}

fn ignorable(event: &RawEvent<'_>) -> bool {
    event.header.flags & flag::IGNORABLE != 0
}

/// Judges an event between groups.
fn between(event: &RawEvent<'_>) -> Result<(Boundary, State)> {
    use EventType as t;
    match event.header.event_type {
        t::GTID | t::ANONYMOUS_GTID => match event.decode()? {
            Event::Gtid(gtid) => {
                let start = event.position;
                Ok((Boundary::Begin(gtid), State::Group { start, gtid, in_transaction: false }))
            }
            _ => Err(event.corrupt(DecodeError("no GTID event"))),
        },
        t::FORMAT_DESCRIPTION | t::PREVIOUS_GTIDS | t::ROTATE | t::STOP => {
            Ok((Boundary::Alone, State::Between))
        }
        _ if ignorable(event) => Ok((Boundary::Alone, State::Between)),
        _ => Err(event.corrupt(DecodeError("an event outside of a transaction"))),
    }
}

/// What an event does to the group that it is in.
enum Effect {
    /// The group goes on; what may follow stays as it is.
    Inside,
    /// BEGIN.
    Opens,
    /// The last event.
    Ends,
    /// The event cannot stand there.
    Misplaced,
}

/// Judges an event behind a GTID event.
fn in_group(
    event: &RawEvent<'_>,
    start: u64,
    gtid: GtidEvent,
    in_transaction: bool,
) -> Result<(Boundary, State)> {
    use EventType as t;
    let effect = match event.header.event_type {
        t::QUERY => match event.decode()? {
            Event::Query(query) => query_effect(&query, in_transaction),
            _ => Effect::Misplaced,
        },
        t::XID | t::XA_PREPARE if in_transaction => Effect::Ends,
        t::TRANSACTION_PAYLOAD if !in_transaction => Effect::Ends,
        t::ROWS_QUERY | t::TABLE_MAP | t::WRITE_ROWS | t::UPDATE_ROWS | t::DELETE_ROWS if in_transaction => {
            Effect::Inside
        }
        t::GTID | t::ANONYMOUS_GTID | t::FORMAT_DESCRIPTION | t::PREVIOUS_GTIDS => Effect::Misplaced,
        _ if ignorable(event) => Effect::Inside,
        _ => Effect::Misplaced,
    };
    let group = |in_transaction| State::Group { start, gtid, in_transaction };
    match effect {
        Effect::Inside => Ok((Boundary::Inside, group(in_transaction))),
        Effect::Opens => Ok((Boundary::Inside, group(true))),
        Effect::Misplaced => {
            Err(event.corrupt(DecodeError("an event that cannot stand there in a transaction")))
        }
        Effect::Ends if event.end().saturating_sub(start) != gtid.transaction_length => {
            Err(event.corrupt(DecodeError("a transaction of another length than its GTID event says")))
        }
        Effect::Ends => Ok((Boundary::End { start, gtid }, State::Between)),
    }
}

fn query_effect(query: &Query<'_>, in_transaction: bool) -> Effect {
    let is = |word: &[u8]| query.sql.eq_ignore_ascii_case(word);
    match in_transaction {
        false if query.opens() => Effect::Opens,
        false => Effect::Ends,
        true if query.opens() => Effect::Misplaced,
        true if is(Query::COMMIT) || is(b"ROLLBACK") => Effect::Ends,
        true => Effect::Inside,
    }
}
