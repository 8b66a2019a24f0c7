//! What of a session goes to the logs of statements, and to their digests.

use std::sync::atomic::Ordering;

use sql::exec::Work;
use sql::lex::{Lexer, Quoting, Verb, digest_text};
use sql::parse::{self, TableName};
use types::error::SqlError;
use types::error::table::ER_PARSE_ERROR;
use types::sql_mode::SqlMode;
use types::value::ValueRef;

use super::execute::{Prepared, in_place};
use super::load::reason;
use super::statement::markers;
use super::{Client, Shared, count};
use crate::digests::Execution;
use crate::general_log::{Entry, SlowEntry, without_secrets};
use crate::net::beginning;
use crate::status::Counter;

/// Of MySQL's file library: whatever is wrong with a file that cannot be opened.
const EE_FILENOTFOUND: u16 = 29;

type Result<T> = std::result::Result<T, SqlError>;

impl Client {
    /// Whether the session is in the general log: one relaxed load where that is off. What a source did is not.
    fn is_logged(&self) -> bool {
        self.shared.variables.live.general_log.load(Ordering::Relaxed)
            && !self.vars.sql_log_off
            && !self.applies
    }

    /// Adds a command to the general log, in MySQL's word for it.
    pub fn note(&self, command: &'static str, argument: &[u8]) {
        if self.is_logged() {
            self.add_note(command, argument);
        }
    }

    /// As [`Self::note`], where the argument is made for the log alone.
    pub(crate) fn note_with(&self, command: &'static str, argument: impl FnOnce() -> Vec<u8>) {
        if self.is_logged() {
            self.add_note(command, &argument());
        }
    }

    /// Brings the logs to where their variables say. One whose file cannot be opened is off.
    pub(super) fn settle_logs(&self) -> Result<()> {
        self.shared.settle_logs().map_err(|(variable, error)| {
            let path = self.shared.variables.server_sight().shown(variable).unwrap_or_default();
            let (number, what) = reason(&error);
            let message = format!("File '{path}' not found (OS errno {number} - {what})");
            SqlError { code: EE_FILENOTFOUND, sqlstate: *b"HY000", message }
        })
    }

    /// Whether a name means this table.
    pub(super) fn is_table_of(&self, db: &str, name: &str, table: &TableName) -> bool {
        table.name == name && table.db.as_deref().or(self.sql.db.as_deref()) == Some(db)
    }

    #[cold]
    fn add_note(&self, command: &'static str, argument: &[u8]) {
        let (user_host, id) = (self.user_host(), self.sql.connection_id);
        let entry = Entry { at_us: 0, user_host: &user_host, id, command, argument };
        self.shared.common.general_log.add(&self.shared.variables.live, entry);
    }

    /// Who it is, as the logs say it.
    fn user_host(&self) -> String {
        let (account, peer) = (self.access.account_name(), self.access.peer());
        let address = peer.address.map(|address| address.to_string()).unwrap_or_default();
        format!("{}[{}] @ {} [{address}]", self.access.user(), account.user, peer.host)
    }

    /// Whether what is slow is logged: one relaxed load where that is off. What a source did is not.
    pub(super) fn logs_slow(&self) -> bool {
        self.shared.variables.live.slow_query_log.load(Ordering::Relaxed) && !self.applies
    }

    /// Whether statements are counted by their digests. What a source did is not.
    pub(super) fn collects(&self) -> bool {
        self.shared.variables.live.performance_schema.load(Ordering::Relaxed) && !self.applies
    }

    /// A statement's digest text, if statements are counted.
    pub(super) fn digest_text(&self, sql: &[u8]) -> Option<Box<str>> {
        let max = || self.shared.variables.live.max_digest_length.load(Ordering::Relaxed);
        let text = || digest_text(sql, self.sql.quoting(), usize::try_from(max()).unwrap_or(usize::MAX));
        self.collects().then(|| in_place(sql, text).into())
    }

    /// A statement is done: adds it to its digest, whose text may be known, and to the slow query log if it was slow.
    pub(super) fn note_done(&mut self, sql: &[u8], digest_text: Option<&str>, failed: bool) {
        if self.collects() {
            self.add_to_digest(sql, digest_text, failed);
        }
        if self.logs_slow() {
            self.add_if_slow(sql);
        }
    }

    #[cold]
    fn add_to_digest(&self, sql: &[u8], digest_text: Option<&str>, failed: bool) {
        // First: what follows is not the statement's time.
        let ended_us = self.shared.pipeline.unix_us();
        let made = if digest_text.is_none() { self.digest_text(sql) } else { None };
        let Some(text) = digest_text.or(made.as_deref()) else { return };
        let Slow { began_us, sent, without_index, .. } = self.slow;
        let execution = Execution {
            ended_us,
            took_us: ended_us.saturating_sub(began_us),
            locked_us: self.transaction.trx.waited_us,
            failed,
            warnings: self.warnings.count().saturating_sub(self.warnings.error_count()),
            affected: u64::try_from(self.sql.row_count).unwrap_or(0),
            sent,
            work: self.slow.work.as_deref().copied().unwrap_or_default(),
            without_index,
        };
        let kinds_max = self.shared.variables.live.digests_size.load(Ordering::Relaxed);
        // Cut first: of megabytes not more is read while others wait for the row.
        let sample = || without_secrets(beginning(sql.trim_ascii()), self.sql.quoting()).into_owned();
        self.shared.common.digests.add((self.sql.db.as_deref(), text), kinds_max, &execution, sample);
    }

    #[cold]
    fn add_if_slow(&mut self, sql: &[u8]) {
        let live = &self.shared.variables.live;
        let ended_us = self.shared.pipeline.unix_us();
        let Slow { began_us, sent, examined, without_index, .. } = self.slow;
        let took_long =
            ended_us.saturating_sub(began_us) >= self.vars.limits.long_query_time_us.load(Ordering::Relaxed);
        let lacks_index = without_index && live.log_without_index.load(Ordering::Relaxed);
        let is_small = examined < self.vars.kept("min_examined_row_limit").uint();
        if !(took_long || lacks_index) || is_small || is_administrative(sql, self.sql.quoting()) {
            self.slow.text = None;
            return;
        }
        let text = self
            .slow
            .text
            .take()
            .unwrap_or_else(|| without_secrets(sql.trim_ascii(), self.sql.quoting()).into_owned());
        let entry = SlowEntry {
            began_us,
            ended_us,
            locked_us: self.transaction.trx.waited_us,
            user_host: self.user_host(),
            id: self.sql.connection_id,
            sent,
            examined,
            db: self.sql.db.clone().unwrap_or_default(),
            last_insert_id: self.sql.last_insert_id.load(Ordering::Relaxed),
            timestamp: self.sql.now_us() / 1_000_000,
            text,
        };
        self.shared.common.slow_log.add(live, entry);
    }

    /// Adds a statement to the general log, once, without its passwords.
    pub(super) fn note_statement(&mut self, sql: &[u8]) {
        if self.is_logged() && !std::mem::replace(&mut self.is_noted, true) {
            self.add_note("Query", &without_secrets(sql.trim_ascii(), self.sql.quoting()));
        }
    }

    /// Plans a statement, counts it if it has a plan or cannot have it, and adds it to the general log: all this unless it is
    /// no statement.
    pub(super) fn planned(&mut self, sql: &[u8], verb: Verb) -> Result<Prepared> {
        let planned = self.plan(sql, verb);
        match &planned {
            Err(error) if error.is(&ER_PARSE_ERROR) => return planned,
            Err(_) => self.count_unplanned(sql),
            Ok(Prepared::Plan(planned, _)) => self.count_once(count::of_plan(&planned.plan)),
            Ok(Prepared::Other(_)) => {}
        }
        self.note_statement(sql);
        planned
    }

    /// Counts the statement at hand, which may be planned several times.
    pub(super) fn count_once(&mut self, counter: Counter) {
        if !std::mem::replace(&mut self.is_counted, true) {
            self.counters.bump(counter);
        }
    }

    /// The same, for one whose tables or columns are not there.
    #[cold]
    fn count_unplanned(&mut self, sql: &[u8]) {
        let statement = in_place(sql, || parse::parse(sql, self.sql.sql_mode).ok());
        if let Some(counter) = statement.as_ref().and_then(count::of_statement) {
            self.count_once(counter);
        }
    }

    /// Adds a statement that was prepared to the general log.
    pub(super) fn note_prepared(&self, sql: &[u8]) {
        if self.is_logged() {
            self.add_note("Prepare", &without_secrets(sql, self.sql.quoting()));
        }
    }

    /// Adds the execution of a prepared statement to the general log, with what its parameters are.
    pub(super) fn note_execution(&mut self, sql: &[u8], values: &[ValueRef<'_>]) {
        let (is_logged, logs_slow) = (self.is_logged(), self.logs_slow());
        if !is_logged && !logs_slow {
            return;
        }
        self.is_noted = true;
        let mut text = Vec::with_capacity(sql.len());
        let mut at = 0;
        let escapes = !self.sql.sql_mode.contains(SqlMode::NO_BACKSLASH_ESCAPES);
        for (place, value) in markers(sql, self).zip(values) {
            text.extend_from_slice(&sql[at..place]);
            let size = value.string_bytes().map_or(0, |bytes| bytes.len());
            if is_logged || text.len() + size <= SLOW_TEXT_MAX {
                write_literal(*value, escapes, &mut text);
            } else {
                text.push(b'?');
            }
            at = place + 1;
        }
        text.extend_from_slice(&sql[at..]);
        let text = without_secrets(&text, self.sql.quoting()).into_owned();
        if is_logged {
            self.add_note("Execute", &text);
        }
        self.slow.text = logs_slow.then_some(text);
    }
}

impl Shared {
    /// Brings the logs to where their variables say. The error is the operating system's, with the variable that names the file: that log is off then.
    pub fn settle_logs(&self) -> std::result::Result<(), (&'static str, std::io::Error)> {
        let (common, live) = (&self.common, &self.variables.live);
        let general = common.general_log.settle(&self.variables).map_err(|error| {
            live.general_log.store(false, Ordering::Relaxed);
            ("general_log_file", error)
        });
        let slow = common.slow_log.settle(&self.variables).map_err(|error| {
            live.slow_query_log.store(false, Ordering::Relaxed);
            ("slow_query_log_file", error)
        });
        general.and(slow)
    }

    /// FLUSH GENERAL LOGS.
    pub(super) fn reopen_general_log(&self) {
        if let Err(error) = self.common.general_log.reopen(&self.variables) {
            tracing::error!(%error, "the general log cannot be opened again: it goes on in the old file");
        }
    }

    /// FLUSH SLOW LOGS.
    pub(super) fn reopen_slow_log(&self) {
        if let Err(error) = self.common.slow_log.reopen(&self.variables) {
            tracing::error!(%error, "the slow query log cannot be opened again: it goes on in the old file");
        }
    }
}

/// What the slow query log and its digest would say of a statement.
#[derive(Debug, Default)]
pub(super) struct Slow {
    /// When it began, microseconds since 1970.
    began_us: u64,
    /// Rows that the client was sent.
    pub(super) sent: u64,
    /// Rows of tables that were looked at.
    examined: u64,
    /// Some of them were all of a table.
    without_index: bool,
    /// What was read and sorted, if that is counted.
    work: Option<Box<Work>>,
    /// Its text, if that is another one than was sent.
    text: Option<Vec<u8>>,
}

impl Slow {
    /// Of a statement that begins, microseconds since 1970; `collects` if what it reads and sorts is counted.
    pub(super) fn begin(began_us: u64, collects: bool) -> Self {
        Self { began_us, work: collects.then(Box::default), ..Self::default() }
    }

    /// Adds what a plan's execution has done.
    pub(super) fn add(&mut self, work: &Work) {
        self.examined += work.rows;
        if let Some(sum) = &mut self.work {
            sum.add(work);
        }
        self.without_index |= work.scans + work.full_joins > 0;
    }
}

/// Whether it is one of the statements that are in no slow query log, because they are known to take long.
fn is_administrative(sql: &[u8], quoting: Quoting) -> bool {
    let mut lexer = Lexer::new(sql, quoting);
    let mut word = || lexer.next_token().map(|token| lexer.text_of(token).to_ascii_uppercase());
    let (first, second) = (word().unwrap_or_default(), word().unwrap_or_default());
    match &*first {
        b"ANALYZE" | b"CHECK" | b"OPTIMIZE" | b"REPAIR" => true,
        b"ALTER" => second == b"TABLE",
        b"CREATE" | b"DROP" => [&b"INDEX"[..], b"UNIQUE"].contains(&&*second),
        _ => false,
    }
}

/// Bytes of an execution's text beyond which the slow query log has `?` for values: the text is made before anybody knows whether
/// it is slow.
const SLOW_TEXT_MAX: usize = 64 << 10;

/// A value as a statement would have it, where a backslash escapes or does not.
fn write_literal(value: ValueRef<'_>, escapes: bool, out: &mut Vec<u8>) {
    match value {
        ValueRef::Null => out.extend_from_slice(b"NULL"),
        ValueRef::Int(_)
        | ValueRef::UInt(_)
        | ValueRef::Decimal(_)
        | ValueRef::Float(_)
        | ValueRef::Double(_) => {
            value.write_text(out);
        }
        _ => {
            let mut text = Vec::new();
            value.write_text(&mut text);
            out.push(b'\'');
            for byte in text {
                match byte {
                    b'\'' if !escapes => out.extend_from_slice(b"''"),
                    _ if !escapes => out.push(byte),
                    b'\'' | b'\\' | b'"' => out.extend_from_slice(&[b'\\', byte]),
                    0 => out.extend_from_slice(b"\\0"),
                    b'\n' => out.extend_from_slice(b"\\n"),
                    b'\r' => out.extend_from_slice(b"\\r"),
                    0x1A => out.extend_from_slice(b"\\Z"),
                    _ => out.push(byte),
                }
            }
            out.push(b'\'');
        }
    }
}

#[cfg(test)]
mod tests {
    use types::value::Value;

    use super::*;

    #[test]
    fn values_are_shown_as_literals() {
        let shown = |value: Value| {
            let mut text = Vec::new();
            write_literal(value.as_ref(), true, &mut text);
            String::from_utf8(text).unwrap()
        };
        assert_eq!(shown(Value::Null), "NULL");
        assert_eq!(shown(Value::Int(-1)), "-1");
        assert_eq!(shown(Value::text("it's \\ \"x\"\n")), "'it\\'s \\\\ \\\"x\\\"\\n'");
        assert_eq!(shown(Value::Bytes(vec![0, 0x41])), "'\\0A'");
    }
}
