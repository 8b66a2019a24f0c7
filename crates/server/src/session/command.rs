//! Commands of the protocol that are no SQL.

use std::sync::Arc;

use protocol::reply::{OkPacket, write_rows_end};
use protocol::wire::{Capabilities, StatusFlags};
use sql::exec::OutputColumn;
use sql::lex::Verb;
use types::collation::Collation;
use types::error::SqlError;
use types::error::table::ER_NO_SUCH_TABLE;

use super::client::begin_variables;
use super::execute::Prepared;
use super::result::definition;
use super::{Client, KillSwitch, Shared, Wire};
use crate::accounts::{Access, Privileges};
use crate::random::random;
use crate::variables::ConnectionLimits;
use crate::variables::charsets::begin_with;

type Result<T> = std::result::Result<T, SqlError>;

/// What others would wait for, or see: also if a statement has panicked.
impl Drop for Client {
    fn drop(&mut self) {
        self.shared.common.replicas.leave(self.sql.connection_id);
        self.give_gtid_back();
        self.shared.common.user_locks.release_all(self.sql.connection_id);
    }
}

impl Client {
    /// The character set and the database that a client asks for at its login. Errors 1044 and 1049.
    pub fn log_in(&mut self, charset: u16, db: Option<&str>) -> Result<()> {
        begin_with(&mut self.sql, &mut self.vars, charset);
        if let Some(db) = db.filter(|db| !db.is_empty()) {
            self.enter_database(db)?;
        }
        self.track.clear();
        self.settings_changed();
        Ok(())
    }

    /// The status flags of an OK packet.
    pub fn status_flags(&self) -> StatusFlags {
        self.status(false)
    }

    /// Whether the connection has to end after the reply.
    pub fn ends(&self) -> bool {
        self.released || self.kill.is_connection_killed()
    }

    /// The default database.
    pub fn db(&self) -> Option<&str> {
        self.sql.db.as_deref()
    }

    /// What all sessions share.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// How others stop it.
    pub fn kill_switch(&self) -> &KillSwitch {
        &self.kill
    }

    /// The time-outs and limits of the session's connection.
    pub fn limits(&self) -> Arc<ConnectionLimits> {
        Arc::clone(&self.vars.limits)
    }

    /// COM_DEBUG: there is nothing that would be written to the log. Error 1227.
    pub fn debug(&mut self, now_us: u64, wire: &mut dyn Wire) {
        self.begin_statement(now_us);
        self.note("Debug", b"");
        match self.access.require(Privileges::SUPER, "", "SUPER") {
            Ok(()) => {
                let (capabilities, status) = (self.capabilities, self.status(false));
                write_rows_end(wire.packets(), capabilities, status, 0);
            }
            Err(error) => self.refuse(&error, wire),
        }
    }

    /// COM_INIT_DB.
    pub fn init_db(&mut self, db: &[u8], now_us: u64, wire: &mut dyn Wire) {
        self.begin_statement(now_us);
        let done = self.enter_database(&String::from_utf8_lossy(db));
        if done.is_ok() {
            self.note("Init DB", db);
        }
        self.answer_ok(done, wire);
    }

    /// COM_FIELD_LIST: the columns of a table whose names match a LIKE pattern.
    pub fn field_list(&mut self, table: &[u8], wildcard: &[u8], now_us: u64, wire: &mut dyn Wire) {
        self.begin_statement(now_us);
        self.note_with("Field List", || [table, b" ", wildcard].concat());
        match self.columns_of_table(table) {
            Ok(columns) => {
                let shown = columns.iter().filter(|column| {
                    let name = column.name.as_bytes();
                    wildcard.is_empty() || Collation::Utf8mb4GeneralCi.like(name, wildcard, Some('\\'.into()))
                });
                let (capabilities, status) = (self.capabilities, self.status(false));
                let collation = self.results.collation;
                let packets = wire.packets();
                shown.for_each(|column| definition(column, collation).write_with_default(packets, None));
                write_rows_end(packets, capabilities, status, 0);
            }
            Err(error) => self.refuse(&error, wire),
        }
    }

    fn columns_of_table(&mut self, table: &[u8]) -> Result<Vec<OutputColumn>> {
        let quoted = String::from_utf8_lossy(table).replace('`', "``");
        let sql = format!("SELECT * FROM `{quoted}`");
        let Prepared::Plan(planned, normalised) = self.plan(sql.as_bytes(), Verb::Select)? else {
            return Err(ER_NO_SUCH_TABLE.error(&[&self.sql.db.as_deref().unwrap_or_default(), &quoted]));
        };
        self.permit(&planned)?;
        self.columns_of(&planned, &normalised)
    }

    /// COM_SET_OPTION.
    pub fn set_multi_statements(&mut self, allowed: bool, wire: &mut dyn Wire) {
        self.capabilities = if allowed {
            self.capabilities | Capabilities::MULTI_STATEMENTS
        } else {
            self.capabilities.without(Capabilities::MULTI_STATEMENTS)
        };
        write_rows_end(wire.packets(), self.capabilities, self.status(false), 0);
    }

    /// COM_RESET_CONNECTION: the session starts over as the same user.
    pub async fn reset(&mut self, wire: &mut dyn Wire) {
        let db = self.sql.db.clone();
        self.start_over().await;
        // Of one that is gone the next statement is told.
        if let Some(db) = db
            && self.use_database(&db).is_err()
        {
            self.sql.db = Some(db);
            self.settings_changed();
        }
        self.track.clear();
        self.answer_ok(Ok(()), wire);
    }

    /// COM_CHANGE_USER: the session starts over as somebody else. Errors 1044 and 1049.
    pub async fn change_user(&mut self, access: Arc<Access>, charset: u16, db: Option<&str>) -> Result<()> {
        self.start_over().await;
        self.access = Arc::clone(&access);
        if let Some(writer) = &mut self.transaction.writer {
            writer.access = Arc::clone(&access);
        }
        self.view.set_access(access);
        self.set_names();
        self.log_in(charset, db)
    }

    /// The client is gone: gives up what the session holds.
    pub async fn end(mut self) {
        let _ack = self.xa_forget().await;
    }

    /// Forgets everything but who the client is.
    async fn start_over(&mut self) {
        self.shared.status.flush_session(&self.counters);
        self.shared.common.replicas.leave(self.sql.connection_id);
        self.view.set_snapshot(None);
        let _ack = self.xa_forget().await;
        self.give_gtid_back();
        self.shared.common.user_locks.release_all(self.sql.connection_id);
        (self.locked, self.global_lock, self.backup_lock) = (None, None, None);
        self.close_statements();
        self.transaction.trx.forget_temporary();
        let (server, id) = (Arc::clone(&self.sql.server), self.sql.connection_id);
        self.sql = sql::session::Session::new(server, id, u64::from_le_bytes(random()));
        self.vars = begin_variables(&self.shared, &mut self.sql, self.capabilities);
        self.replay = None;
        self.set_names();
        self.warnings.clear();
        self.keep_warnings();
        self.released = false;
        self.settings_changed();
    }

    pub(super) fn answer_ok(&mut self, done: Result<()>, wire: &mut dyn Wire) {
        match done {
            Ok(()) => {
                let packet = OkPacket {
                    status: self.status(false),
                    changes: Some(&self.track),
                    ..OkPacket::default()
                };
                packet.write(wire.packets(), self.capabilities);
                self.track.clear();
            }
            Err(error) => self.refuse(&error, wire),
        }
    }
}
