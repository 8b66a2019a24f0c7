//! What of a session goes to the general log.

use std::sync::atomic::Ordering;

use sql::lex::Verb;
use sql::parse::TableName;
use types::error::SqlError;
use types::error::table::ER_PARSE_ERROR;
use types::value::ValueRef;

use super::execute::Prepared;
use super::statement::markers;
use super::{Client, Shared};
use crate::accounts::Privileges;
use crate::general_log::{Entry, without_secrets};

/// MySQL's number.
const ER_CANT_ACTIVATE_LOG: u16 = 1532;

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

    /// Brings the general log to where its variables say. If its file cannot be opened it is off.
    pub(super) fn settle_general_log(&self) -> Result<()> {
        self.shared.settle_general_log().map_err(|error| {
            let (code, sqlstate) = (ER_CANT_ACTIVATE_LOG, *b"HY000");
            SqlError { code, sqlstate, message: format!("Cannot activate 'general' log: {error}") }
        })
    }

    /// Whether a name means this table.
    pub(super) fn is_table_of(&self, db: &str, name: &str, table: &TableName) -> bool {
        table.name == name && table.db.as_deref().or(self.sql.db.as_deref()) == Some(db)
    }

    /// TRUNCATE TABLE mysql.general_log. Error 1142.
    pub(super) fn forget_general_log(&self) -> Result<()> {
        self.access.on_table(Privileges::DROP, "mysql", "general_log")?;
        self.shared.common.general_log.forget();
        Ok(())
    }

    #[cold]
    fn add_note(&self, command: &'static str, argument: &[u8]) {
        let (account, peer) = (self.access.account_name(), self.access.peer());
        let address = peer.address.map(|address| address.to_string()).unwrap_or_default();
        let user_host = format!("{}[{}] @ {} [{address}]", self.access.user(), account.user, peer.host);
        let id = self.sql.connection_id;
        let entry = Entry { at_us: 0, user_host: &user_host, id, command, argument };
        self.shared.common.general_log.add(&self.shared.variables.live, entry);
    }

    /// Adds a statement to the general log, once, without its passwords.
    pub(super) fn note_statement(&mut self, sql: &[u8]) {
        if self.is_logged() && !std::mem::replace(&mut self.is_noted, true) {
            self.add_note("Query", &without_secrets(sql, self.sql.quoting()));
        }
    }

    /// Plans a statement, and adds it to the general log unless it is none.
    pub(super) fn planned(&mut self, sql: &[u8], verb: Verb) -> Result<Prepared> {
        let planned = self.plan(sql, verb);
        if self.is_logged() && !planned.as_ref().is_err_and(|error| error.is(&ER_PARSE_ERROR)) {
            self.note_statement(sql);
        }
        planned
    }

    /// Adds a statement that was prepared to the general log.
    pub(super) fn note_prepared(&self, sql: &[u8]) {
        if self.is_logged() {
            self.add_note("Prepare", &without_secrets(sql, self.sql.quoting()));
        }
    }

    /// Adds the execution of a prepared statement to the general log, with what its parameters are.
    pub(super) fn note_execution(&mut self, sql: &[u8], values: &[ValueRef<'_>]) {
        if !self.is_logged() {
            return;
        }
        self.is_noted = true;
        let mut text = Vec::with_capacity(sql.len());
        let mut at = 0;
        for (place, value) in markers(sql, self).zip(values) {
            text.extend_from_slice(&sql[at..place]);
            write_literal(*value, &mut text);
            at = place + 1;
        }
        text.extend_from_slice(&sql[at..]);
        self.add_note("Execute", &without_secrets(&text, self.sql.quoting()));
    }
}

impl Shared {
    /// Brings the general log to where its variables say. The error is the operating system's: the log is off then.
    pub fn settle_general_log(&self) -> std::io::Result<()> {
        let settled = self.common.general_log.settle(&self.variables);
        if settled.is_err() {
            self.variables.live.general_log.store(false, Ordering::Relaxed);
        }
        settled
    }

    /// FLUSH GENERAL LOGS.
    pub(super) fn reopen_general_log(&self) {
        if let Err(error) = self.common.general_log.reopen(&self.variables) {
            tracing::error!(%error, "the general log cannot be opened again: it is off");
            self.variables.live.general_log.store(false, Ordering::Relaxed);
        }
    }
}

/// A value as a statement would have it.
fn write_literal(value: ValueRef<'_>, out: &mut Vec<u8>) {
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
            write_literal(value.as_ref(), &mut text);
            String::from_utf8(text).unwrap()
        };
        assert_eq!(shown(Value::Null), "NULL");
        assert_eq!(shown(Value::Int(-1)), "-1");
        assert_eq!(shown(Value::text("it's \\ \"x\"\n")), "'it\\'s \\\\ \\\"x\\\"\\n'");
        assert_eq!(shown(Value::Bytes(vec![0, 0x41])), "'\\0A'");
    }
}
