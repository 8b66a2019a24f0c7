//! Groups: what of a source's events belongs together, where it ends, and what it depends on.
//!
//! ```text
//! MySQL    GTID | ANONYMOUS_GTID, then one statement, or BEGIN .. XID | COMMIT | ROLLBACK, or XA START .. XA_PREPARE
//! MariaDB  GTID (162), then one statement if it is standalone, else .. XID | COMMIT | ROLLBACK | XA_PREPARE
//! ```
//! A group that is not whole when the connection breaks is asked for again. One that its file leaves without an end was never committed: a source
//! crashed while it wrote it, and MariaDB does not cut it off. So it is forgotten.

use binlog::decode::Event;
use binlog::event::{EventHeader, flag};
use binlog::{EventType, Gtid};

use super::mariadb::{self, MariaGtid};
use super::position::behind;
use super::{Position, SourceError, SourceEvent};

/// Bytes of a file's name, as MySQL's `FN_REFLEN`.
const NAME_MAX: usize = 512;

/// MariaDB's domains that a position has room for.
const DOMAINS_MAX: usize = 65_535;

/// What is known of a group when it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its GTID, if the source has MySQL's.
    pub gtid: Option<Gtid>,
    /// `last_committed`
    pub last_committed: u64,
    /// `sequence_number`; 0 if there is none.
    pub sequence_number: u64,
    /// The name of the XA transaction that it is, if its first event says it: MariaDB's.
    pub xa: Option<String>,
    /// The source's file that it is in.
    pub file: String,
    /// The server where it ran first.
    pub server_id: u32,
    /// When its first event was made, seconds since 1970.
    pub timestamp: u32,
    /// When it was committed where it ran first, microseconds since 1970; 0 if that is not known.
    pub original_commit_timestamp_us: u64,
    /// When the source committed it, microseconds since 1970; 0 if that is not known.
    pub immediate_commit_timestamp_us: u64,
    /// The version of the server where it ran first; 0 if that is not known.
    pub original_server_version: u32,
}

/// What an event means for who applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing.
    Nothing,
    /// The source goes on in this file: numbers of groups begin anew. The position is behind everything before. A group that is open is
    /// forgotten.
    File(Position),
    /// Nothing, but the source's binlog goes on behind this position.
    Passed(Position),
    /// A group begins.
    Begin(Head),
    /// An event of the group that is open.
    Event,
    /// The event is a group by itself, which begins and ends with it.
    Statement(Position),
    /// The open group ends, and is to be committed (or, if false, rolled back); behind it is this position.
    End(Position, bool),
}

/// See the module.
#[derive(Debug)]
pub struct Groups {
    position: Position,
    /// Where the last event of the file ended. A group may be larger than what an event says of its place.
    at: u64,
    state: State,
    /// MariaDB has no logical clock: one is made of its commit ids.
    sequence: u64,
    batch: Option<(u64, u64)>,
    /// MariaDB's GTID of the group that is open: domain, server, number.
    gtid: Option<(u32, (u32, u64))>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Between,
    /// Behind a GTID event; whether nothing but one statement may follow.
    Headed {
        statement_only: bool,
    },
    /// The same, and the statement means nothing.
    Void,
    Open,
}

type Result<T> = std::result::Result<T, SourceError>;

impl Groups {
    /// From this position on.
    pub fn new(position: Position) -> Self {
        Self { at: position.position, position, state: State::Between, sequence: 0, batch: None, gtid: None }
    }

    /// Where the source was read up to: behind the last whole group.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Takes the next event.
    pub fn take(&mut self, event: &SourceEvent) -> Result<Step> {
        if event.header.event_type != EventType::ROTATE && !is_between(&event.header) {
            self.at = behind(self.at, &event.header);
        }
        match event.header.event_type {
            EventType::ROTATE => self.rotate(event),
            EventType::GTID | EventType::ANONYMOUS_GTID => self.begin(event),
            mariadb::GTID => self.begin_mariadb(event),
            EventType::QUERY => self.query(event),
            EventType::XID | EventType::XA_PREPARE => self.end(true),
            EventType::TABLE_MAP
            | EventType::WRITE_ROWS
            | EventType::UPDATE_ROWS
            | EventType::DELETE_ROWS
            | EventType(23..=25) => self.within(Step::Event),
            // What is left of its transaction is the GTID.
            EventType::VIEW_CHANGE => self.within(Step::Nothing),
            // The text of a statement; who may skip it, does.
            EventType::ROWS_QUERY | mariadb::ANNOTATE_ROWS => Ok(Step::Nothing),
            _ if is_between(&event.header) => Ok(self.between(event)),
            other => Err(SourceError::Unfit(unknown(other))),
        }
    }

    /// An event that no group has.
    fn between(&mut self, event: &SourceEvent) -> Step {
        if self.state != State::Between || !self.position.pass_between(&event.header) {
            return Step::Nothing;
        }
        self.at = self.position.position;
        Step::Passed(self.position.clone())
    }

    fn rotate(&mut self, event: &SourceEvent) -> Result<Step> {
        let Event::Rotate(rotate) = event.event()? else { return Ok(Step::Nothing) };
        if !(1..=NAME_MAX).contains(&rotate.file.len()) {
            return Err(SourceError::malformed("the name of a file"));
        }
        let file = String::from_utf8_lossy(rotate.file).into_owned();
        let is_artificial = event.header.end_log_pos == 0;
        // That at the start, and that behind a real one, say what is known.
        if self.position.file == file && is_artificial {
            return Ok(Step::Nothing);
        }
        if !is_artificial {
            self.within_or_between(State::Between)?;
        }
        (self.state, self.gtid) = (State::Between, None);
        (self.position.file, self.position.position, self.at) = (file, rotate.position, rotate.position);
        (self.sequence, self.batch) = (0, None);
        Ok(Step::File(self.position.clone()))
    }

    fn begin(&mut self, event: &SourceEvent) -> Result<Step> {
        self.within_or_between(State::Between)?;
        let Event::Gtid(gtid) = event.event()? else { return Ok(Step::Nothing) };
        self.state = State::Headed { statement_only: false };
        Ok(Step::Begin(Head {
            gtid: gtid.gtid,
            last_committed: gtid.last_committed,
            sequence_number: gtid.sequence_number,
            xa: None,
            file: self.position.file.clone(),
            server_id: event.header.server_id,
            timestamp: event.header.timestamp,
            original_commit_timestamp_us: gtid
                .original_commit_timestamp_us
                .unwrap_or(gtid.immediate_commit_timestamp_us),
            immediate_commit_timestamp_us: gtid.immediate_commit_timestamp_us,
            original_server_version: gtid.original_server_version.unwrap_or(gtid.immediate_server_version),
        }))
    }

    fn begin_mariadb(&mut self, event: &SourceEvent) -> Result<Step> {
        self.within_or_between(State::Between)?;
        let gtid =
            MariaGtid::decode(&event.body).ok_or_else(|| SourceError::malformed("MariaDB's GTID event"))?;
        let domains = &self.position.domains;
        if domains.len() == DOMAINS_MAX && !domains.contains_key(&gtid.domain) {
            return Err(SourceError::malformed("MariaDB's GTIDs of more than 65,535 domains"));
        }
        self.gtid = Some((gtid.domain, (event.header.server_id, gtid.sequence)));
        self.sequence = self.sequence.saturating_add(1);
        // Transactions of one group commit held their locks together: they do not conflict.
        let before = match (self.batch, gtid.commit_id) {
            (Some((id, before)), Some(commit_id)) if id == commit_id && !gtid.is_ddl => before,
            _ => self.sequence.saturating_sub(1),
        };
        self.batch = gtid.commit_id.map(|id| (id, before));
        self.state = match gtid {
            MariaGtid { is_void: true, .. } => State::Void,
            MariaGtid { is_standalone: true, .. } => State::Headed { statement_only: true },
            _ => State::Open,
        };
        Ok(Step::Begin(Head {
            gtid: None,
            last_committed: before,
            sequence_number: self.sequence,
            xa: gtid.xa,
            file: self.position.file.clone(),
            server_id: event.header.server_id,
            timestamp: event.header.timestamp,
            original_commit_timestamp_us: 0,
            immediate_commit_timestamp_us: 0,
            original_server_version: 0,
        }))
    }

    fn query(&mut self, event: &SourceEvent) -> Result<Step> {
        let Event::Query(query) = event.event()? else { return Ok(Step::Nothing) };
        let is = |word: &str| query.sql.trim_ascii().eq_ignore_ascii_case(word.as_bytes());
        match self.state {
            State::Headed { statement_only: false } if query.opens() => {
                self.state = State::Open;
                Ok(Step::Event)
            }
            State::Open if is("COMMIT") => self.end(true),
            State::Open if is("ROLLBACK") => self.end(false),
            State::Open => Ok(Step::Event),
            State::Void => self.end(true),
            State::Headed { .. } => {
                self.pass();
                Ok(Step::Statement(self.position.clone()))
            }
            State::Between => Err(SourceError::Unfit(
                "the source's binlog has statements without a GTID or ANONYMOUS_GTID event in front of them: sources \
                 before MySQL 5.7 and MariaDB 10.0 are not supported"
                    .to_owned(),
            )),
        }
    }

    fn end(&mut self, commits: bool) -> Result<Step> {
        if self.state == State::Between {
            return Err(SourceError::malformed("a transaction ends that has not begun"));
        }
        self.pass();
        Ok(Step::End(self.position.clone(), commits))
    }

    /// The group ends with the event at hand.
    fn pass(&mut self) {
        self.state = State::Between;
        self.position.position = self.at;
        self.position.domains.extend(self.gtid.take());
    }

    fn within(&self, step: Step) -> Result<Step> {
        match self.state {
            State::Open => Ok(step),
            _ => Err(SourceError::malformed("rows outside of a transaction")),
        }
    }

    fn within_or_between(&self, wanted: State) -> Result<()> {
        if self.state == wanted { Ok(()) } else { Err(SourceError::malformed("a transaction has no end")) }
    }
}

/// Whether an event is one that no group has. Some of them come again, or say where nothing is.
pub fn is_between(header: &EventHeader) -> bool {
    let named = matches!(
        header.event_type,
        EventType::FORMAT_DESCRIPTION
            | EventType::PREVIOUS_GTIDS
            | EventType::STOP
            | EventType::HEARTBEAT
            | EventType::IGNORABLE
            | mariadb::BINLOG_CHECKPOINT
            | mariadb::GTID_LIST
    );
    named || header.flags & flag::IGNORABLE != 0
}

fn unknown(event_type: EventType) -> String {
    let what = match event_type.0 {
        5 | 13 | 14 => "statements with values beside them; set binlog_format=ROW on the source",
        9 | 17 | 18 => "LOAD DATA as a statement; set binlog_format=ROW on the source",
        26 => "an incident: events are missing in the source's binlog",
        39 => "partial updates of JSON; set binlog_row_value_options='' on the source",
        40 => "a compressed transaction within another",
        42 => "tagged GTIDs",
        164 => "an encrypted binlog",
        165..=171 => "compressed events; set log_bin_compress=OFF on the source",
        _ => "an event of a type that this server does not know",
    };
    format!("the source's binlog has {what} (event type {})", event_type.0)
}

#[cfg(test)]
mod tests {
    use binlog::event::{Encode, GtidEvent, Query, Rotate, StatusVars, Xid};
    use binlog::{Origin, Uuid};

    use super::*;

    /// An event that ends at this position.
    fn event(event: &impl Encode, end_log_pos: u32) -> SourceEvent {
        let mut body = Vec::new();
        event.put_body(&mut body);
        let mut header = event.header(Origin { timestamp: 7, server_id: 3 }, event.encoded_len());
        header.end_log_pos = end_log_pos;
        SourceEvent { header, body }
    }

    fn raw(event_type: u8, body: &[u8], end_log_pos: u32) -> SourceEvent {
        let mut raw = event(&Xid(0), end_log_pos);
        raw.header.event_type = EventType(event_type);
        raw.body = body.to_vec();
        raw
    }

    fn query(sql: &[u8], end_log_pos: u32) -> SourceEvent {
        let begin = Query::begin(1, StatusVars::default(), b"d");
        event(&Query { sql, ..begin }, end_log_pos)
    }

    /// It does not say where it ends, as [`mariadb`]'s.
    fn gtid(gno: u64) -> SourceEvent {
        let gtid = GtidEvent {
            gtid: Some(Gtid { sid: Uuid([1; 16]), gno }),
            may_have_statements: false,
            last_committed: gno - 1,
            sequence_number: gno,
            immediate_commit_timestamp_us: 9,
            original_commit_timestamp_us: None,
            transaction_length: 100,
            immediate_server_version: 80_046,
            original_server_version: None,
        };
        event(&gtid, 0)
    }

    fn mariadb(sequence: u64, flags: u8, commit_id: u64) -> SourceEvent {
        let body =
            [&sequence.to_le_bytes()[..], &5_u32.to_le_bytes(), &[flags], &commit_id.to_le_bytes()].concat();
        raw(162, &body, 0)
    }

    fn taken(groups: &mut Groups, event: &SourceEvent) -> Step {
        groups.take(event).unwrap()
    }

    #[test]
    fn transactions_and_statements_end_at_their_positions() {
        let mut groups = Groups::new(Position::at("b.1", 4));
        let Step::Begin(head) = taken(&mut groups, &gtid(1)) else { panic!() };
        assert_eq!((head.last_committed, head.sequence_number, head.server_id), (0, 1, 3));
        assert_eq!(head.file, "b.1");
        assert_eq!(taken(&mut groups, &query(b"BEGIN", 250)), Step::Event);
        assert_eq!(taken(&mut groups, &query(b"SAVEPOINT `a`", 260)), Step::Event);
        assert_eq!(taken(&mut groups, &raw(30, &[], 280)), Step::Event);
        assert_eq!(taken(&mut groups, &event(&Xid(1), 300)), Step::End(Position::at("b.1", 300), true));
        taken(&mut groups, &gtid(2));
        let create = taken(&mut groups, &query(b"CREATE TABLE t (a INT)", 400));
        assert_eq!(create, Step::Statement(Position::at("b.1", 400)));
        taken(&mut groups, &gtid(3));
        taken(&mut groups, &query(b"BEGIN", 450));
        assert_eq!(taken(&mut groups, &query(b"COMMIT", 500)), Step::End(Position::at("b.1", 500), true));
        let rotate = event(&Rotate { position: 4, file: b"b.2" }, 540);
        assert_eq!(taken(&mut groups, &rotate), Step::File(Position::at("b.2", 4)));
        assert_eq!(taken(&mut groups, &event(&Rotate { position: 4, file: b"b.2" }, 0)), Step::Nothing);
        assert_eq!(taken(&mut groups, &raw(35, &[0; 8], 150)), Step::Passed(Position::at("b.2", 150)));
    }

    #[test]
    fn a_group_that_its_file_leaves_without_an_end_is_forgotten() {
        let mut groups = Groups::new(Position::at("b.1", 4));
        taken(&mut groups, &mariadb(10, 2, 1));
        taken(&mut groups, &event(&Xid(1), 350));
        taken(&mut groups, &mariadb(11, 2, 2));
        assert_eq!(taken(&mut groups, &raw(30, &[], 380)), Step::Event);
        // It goes on in another file without having said so in this one.
        let artificial = event(&Rotate { position: 4, file: b"b.2" }, 0);
        let Step::File(position) = taken(&mut groups, &artificial) else { panic!() };
        assert_eq!((&*position.file, position.position, position.domains[&5]), ("b.2", 4, (3, 10)));
        taken(&mut groups, &mariadb(12, 2, 3));
        let Step::End(position, true) = taken(&mut groups, &event(&Xid(1), 350)) else { panic!() };
        assert_eq!(position.domains[&5], (3, 12));
        taken(&mut groups, &mariadb(13, 2, 4));
        assert!(
            groups.take(&event(&Rotate { position: 4, file: b"b.3" }, 400)).is_err(),
            "no source writes that"
        );
    }

    #[test]
    fn a_change_of_a_group_s_view_is_an_empty_transaction() {
        let mut groups = Groups::new(Position::at("b.1", 4));
        assert!(matches!(taken(&mut groups, &gtid(1)), Step::Begin(_)));
        assert_eq!(taken(&mut groups, &query(b"BEGIN", 250)), Step::Event);
        assert_eq!(taken(&mut groups, &raw(37, &[0; 64], 350)), Step::Nothing);
        assert_eq!(taken(&mut groups, &query(b"COMMIT", 400)), Step::End(Position::at("b.1", 400), true));
        assert!(groups.take(&raw(37, &[0; 64], 450)).is_err());
    }

    #[test]
    fn mariadb_s_group_commits_run_side_by_side() {
        let mut groups = Groups::new(Position::at("b.1", 4));
        let mut clocks = Vec::new();
        for (sequence, commit_id) in [(10, 1), (11, 7), (12, 7), (13, 8)] {
            let Step::Begin(head) = taken(&mut groups, &mariadb(sequence, 2, commit_id)) else { panic!() };
            clocks.push((head.last_committed, head.sequence_number));
            let Step::End(position, true) = taken(&mut groups, &event(&Xid(1), 350)) else { panic!() };
            assert_eq!(position.domains[&5], (3, sequence));
        }
        assert_eq!(clocks, [(0, 1), (1, 2), (1, 3), (3, 4)]);
        taken(&mut groups, &mariadb(14, 33, 0));
        assert!(matches!(taken(&mut groups, &query(b"DROP TABLE t", 360)), Step::Statement(_)));
    }

    #[test]
    fn an_alter_of_mariadb_in_two_phases_is_run_when_it_is_committed() {
        let mut groups = Groups::new(Position::at("b.1", 4));
        let mut alter = |sequence: u64, flags_extra: u8| {
            let mut gtid = mariadb(sequence, 33, 0);
            gtid.body.truncate(13);
            gtid.body.extend([flags_extra, 9, 0, 0, 0, 0, 0, 0, 0]);
            assert!(matches!(taken(&mut groups, &gtid), Step::Begin(_)));
            taken(&mut groups, &query(b"ALTER TABLE t ADD c INT", 300 + u32::try_from(sequence).unwrap()))
        };
        for (sequence, begins_or_fails) in [(10, 2), (11, 8)] {
            let Step::End(position, true) = alter(sequence, begins_or_fails) else { panic!() };
            assert_eq!((position.position, position.domains[&5]), (300 + sequence, (3, sequence)));
        }
        assert!(matches!(alter(12, 4), Step::Statement(_)));
        assert!(matches!(alter(13, 0), Step::Statement(_)));
    }

    #[test]
    fn a_group_of_more_than_4_gib_ends_where_it_ends() {
        const GIB: u32 = 1 << 30;
        let mut groups = Groups::new(Position::at("b.1", 100));
        taken(&mut groups, &gtid(1));
        assert_eq!(taken(&mut groups, &query(b"BEGIN", 250)), Step::Event);
        for end in [GIB, 2 * GIB, 3 * GIB, 500, GIB, 2 * GIB] {
            assert_eq!(taken(&mut groups, &raw(30, &[], end)), Step::Event);
        }
        let end = (1 << 32) + 2 * u64::from(GIB) + 31;
        assert_eq!(
            taken(&mut groups, &event(&Xid(1), 2 * GIB + 31)),
            Step::End(Position::at("b.1", end), true)
        );
        assert_eq!(
            taken(&mut groups, &raw(3, &[], 2 * GIB + 50)),
            Step::Passed(Position::at("b.1", end + 19))
        );
    }

    #[test]
    fn what_a_position_has_no_room_for_is_refused() {
        let mut groups = Groups::new(Position::at("b.1", 4));
        for (size, fits) in [(0, false), (512, true), (513, false), (70_000, false)] {
            let rotate = Rotate { position: 4, file: &vec![b'x'; size] };
            for end_log_pos in [0, 400] {
                assert_eq!(groups.take(&event(&rotate, end_log_pos)).is_ok(), fits, "{size} bytes");
            }
        }
        // Bytes that are no UTF-8 take three times as much.
        let Step::File(position) =
            taken(&mut groups, &event(&Rotate { position: 4, file: &[0xFF; 512] }, 500))
        else {
            panic!()
        };
        assert_eq!(Position::decode(&position.encode()), Some(position));
        let mut position = Position::at("b.1", 4);
        position.domains = (10..65_545).map(|domain| (domain, (1, 1))).collect();
        assert!(Groups::new(position.clone()).take(&mariadb(10, 2, 1)).is_err());
        position.domains.remove(&10);
        position.domains.insert(5, (1, 1));
        let mut groups = Groups::new(position);
        taken(&mut groups, &mariadb(10, 2, 1));
        let Step::End(position, true) = taken(&mut groups, &event(&Xid(1), 350)) else { panic!() };
        assert_eq!(Position::decode(&position.encode()), Some(position));
    }

    #[test]
    fn what_makes_no_sense_is_an_error() {
        let new = || Groups::new(Position::default());
        assert!(new().take(&event(&Xid(1), 9)).is_err());
        assert!(new().take(&raw(30, &[], 9)).is_err());
        assert!(new().take(&query(b"INSERT INTO t VALUES (1)", 9)).is_err());
        assert!(new().take(&raw(162, &[1, 2, 3], 9)).is_err());
        let mut groups = new();
        taken(&mut groups, &gtid(1));
        assert!(groups.take(&gtid(2)).is_err());
        let error = new().take(&raw(40, &[], 9)).unwrap_err();
        assert!(error.to_string().contains("within another"), "{error}");
        // Who may skip an event, does.
        let mut ignorable = raw(99, &[], 9);
        ignorable.header.flags = binlog::event::flag::IGNORABLE;
        assert!(new().take(&ignorable).is_ok());
    }
}
