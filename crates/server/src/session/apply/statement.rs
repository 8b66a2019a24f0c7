//! QUERY events: DDL as the source's session ran it, and what may stand within a transaction.

use binlog::decode::Event;
use binlog::event::{Query, StatusVars, flags2};
use protocol::out::PacketWriter;
use replication::replica::SourceEvent;
use sql::ddl::START_TRANSACTION;
use sql::lex::{Quoting, split_first};
use sql::parse::table::{CreateTable, ReplacedTable};
use sql::parse::{self, SetItem, Statement, Xa, unsupported};
use types::charset::Charset;
use types::collation::{Collation, Known, known_by_id};
use types::error::SqlError;
use types::error::table::{ER_NOT_SUPPORTED_YET, ER_TABLE_EXISTS_ERROR};
use types::sql_mode::SqlMode;
use types::temporal::TimeZone;

use super::super::Client;
use super::super::new_table::Nobody;
use super::super::result::Format;
use super::super::statement::definition_in_utf8;
use super::super::transaction::Stamp;
use super::Result;
use super::table::bad_event;
use crate::accounts::Name;
use crate::variables::charsets::begin_with;
use crate::variables::zone;

impl Client {
    /// Executes a statement that is a transaction by itself. Returns the stamp if it had no effect: the statement found
    /// what it wants to be so, and nothing was committed.
    pub(crate) async fn apply_statement(
        &mut self,
        event: &SourceEvent,
        stamp: Stamp,
    ) -> Result<Option<Stamp>> {
        let decoded = event.event().map_err(|error| bad_event(&error))?;
        let Event::Query(query) = decoded else { return Err(bad_event(&"a statement is none")) };
        self.begin_as(event, &query)?;
        self.transaction.open = false;
        let (sql, _, _) = split_first(query.sql, self.sql.quoting());
        let text = self.definition_from_source(sql);
        let sql = text.as_deref().unwrap_or(sql);
        let replaced = ReplacedTable::read(sql, self.sql.sql_mode)?;
        let sql = replaced.as_ref().map_or(sql, |replaced| &replaced.create);
        let statement = parse::parse(sql, self.sql.sql_mode)?;
        if let Statement::Unsupported { what } = statement {
            // Before what it replaces is gone.
            return Err(unsupported(what));
        }
        match kind(&statement) {
            Kind::Definition => refuse_settings(&query.status, sql)?,
            Kind::Nothing => return Ok(Some(stamp)),
            Kind::Refused => return Err(as_statement()),
        }
        if let Some(replaced) = &replaced {
            self.drop_replaced(replaced).await?;
        }
        self.transaction.stamp = Some(Box::new(stamp));
        let done = self.run_for_nobody(sql).await;
        let stamp = self.transaction.stamp.take();
        match done {
            Err(error) if query.error_code == 0 || error.code != query.error_code => Err(error),
            _ => Ok(stamp.map(|stamp| *stamp)),
        }
    }

    /// A definition's text as UTF-8, if the source's session used another character set; this one uses UTF-8 from here on.
    fn definition_from_source(&mut self, sql: &[u8]) -> Option<Vec<u8>> {
        let text = definition_in_utf8(self.vars.client, sql, self.sql.quoting());
        if text.is_some() {
            self.speak(Charset::Utf8mb4);
        }
        text
    }

    /// Drops the table that CREATE OR REPLACE TABLE replaces, in a transaction of its own, which moves no position: after a
    /// crash behind it the source's statement comes again.
    async fn drop_replaced(&mut self, replaced: &ReplacedTable) -> Result<()> {
        let drop = format!("DROP TABLE IF EXISTS {}", replaced.table);
        self.run_for_nobody(drop.as_bytes()).await
    }

    async fn run_for_nobody(&mut self, sql: &[u8]) -> Result<()> {
        let (sql, _, verb) = split_first(sql, self.sql.quoting());
        let mut nobody = Nobody(PacketWriter::default());
        self.run_text(sql, verb, Format::Text, false, &mut nobody).await
    }

    /// Brings the session to where the source's was when it began this statement.
    fn begin_as(&mut self, event: &SourceEvent, query: &Query<'_>) -> Result<()> {
        self.settings_of(&query.status, query.db)?;
        let timestamp = u64::from(event.header.timestamp) * 1_000_000;
        let timestamp = timestamp + u64::from(query.status.microseconds.unwrap_or(0));
        self.vars.timestamp_us = Some(timestamp);
        self.begin_statement(timestamp);
        self.log.origin = event.header.origin();
        self.log.thread_id = query.thread_id;
        Ok(())
    }

    /// A QUERY event within a transaction: BEGIN, and savepoints. Returns the table that its rows belong to, if it is one's
    /// definition: [`Client::apply_new_table`].
    pub(crate) fn apply_within(&mut self, event: &SourceEvent) -> Result<Option<Box<CreateTable>>> {
        let decoded = event.event().map_err(|error| bad_event(&error))?;
        let Event::Query(query) = decoded else { return Err(bad_event(&"a statement is none")) };
        self.log.origin = event.header.origin();
        self.log.thread_id = query.thread_id;
        if query.sql == b"BEGIN" {
            self.log_begin(&query.status, query.db);
            return Ok(None);
        }
        let mode = query.status.sql_mode.map_or(SqlMode::EMPTY, known_modes);
        let client =
            query.status.charset.and_then(|charset| known_by_id(charset.client)).map(Known::or_default);
        let client = client.map_or(self.vars.client, Collation::charset);
        let text = definition_in_utf8(client, query.sql, Quoting::of(mode));
        let sql = text.as_deref().unwrap_or(query.sql);
        let replaced = ReplacedTable::read(sql, mode)?;
        match parse::parse(replaced.as_ref().map_or(sql, |replaced| &replaced.create), mode)? {
            Statement::Savepoint(name) => self.transaction.savepoint(&name),
            Statement::RollbackTo(name) => self.transaction.rollback_to(&name)?,
            Statement::ReleaseSavepoint(name) => self.transaction.release(&name)?,
            Statement::DropTables(drop) if drop.temporary => {}
            Statement::Xa(Xa::Start { xid, .. }) => {
                self.log_begin(&query.status, query.db);
                self.begin_applied_xa(&xid);
            }
            // XA_PREPARE says it, too.
            Statement::Xa(Xa::End(_)) => {}
            Statement::CreateTable(create) if create.query.is_none() && !create.temporary => {
                if self.new_table.is_some() || !self.transaction.trx.is_idle() {
                    return Err(bad_event(&"CREATE TABLE behind other changes of a transaction"));
                }
                return Ok(Some(create));
            }
            Statement::Unsupported { what } => return Err(unsupported(what)),
            _ => return Err(as_statement()),
        }
        Ok(None)
    }

    /// Makes the table of a source's CREATE TABLE .. SELECT. Its rows follow.
    pub(crate) async fn apply_new_table(&mut self, event: &SourceEvent, create: &CreateTable) -> Result<()> {
        let decoded = event.event().map_err(|error| bad_event(&error))?;
        let Event::Query(query) = decoded else { return Err(bad_event(&"a statement is none")) };
        refuse_settings(&query.status, query.sql)?;
        self.begin_as(event, &query)?;
        create.refuse_foreign_keys()?;
        let mut text = self.definition_from_source(query.sql).unwrap_or_else(|| query.sql.to_vec());
        if let Some(replaced) = ReplacedTable::read(&text, self.sql.sql_mode)? {
            self.drop_replaced(&replaced).await?;
            text = replaced.create;
        }
        let defined = self.define_table(create, Vec::new(), &[]).await?;
        let defined = defined.ok_or_else(|| ER_TABLE_EXISTS_ERROR.error(&[&create.table.name]))?;
        if !create.start_transaction {
            // MariaDB does not say it.
            text.extend_from_slice(START_TRANSACTION.as_bytes());
        }
        self.begin_new_table(defined, &text).await?;
        self.transaction.open = true;
        Ok(())
    }

    /// What BEGIN says here is what it said there.
    fn log_begin(&mut self, status: &StatusVars<'_>, db: &[u8]) {
        self.log.db = db.into();
        self.log.flags2 = status.flags2.unwrap_or(0);
        self.log.sql_mode = status.sql_mode.map_or(SqlMode::EMPTY, known_modes).bits();
        self.log.auto_increment = status.auto_increment;
        if let Some(charset) = status.charset {
            self.log.charset = charset;
        }
    }

    /// Brings the session to where the source's session was.
    fn settings_of(&mut self, status: &StatusVars<'_>, db: &[u8]) -> Result<()> {
        self.sql.sql_mode = status.sql_mode.map_or(SqlMode::EMPTY, known_modes);
        if let Some(charset) = status.charset {
            let known = |id: u16| known_by_id(id).map(Known::or_default);
            begin_with(&mut self.sql, &mut self.vars, charset.client);
            self.sql.collation_connection =
                known(charset.connection).unwrap_or(self.sql.collation_connection);
            self.vars.collation_server = known(charset.server).unwrap_or(self.vars.collation_server);
        }
        // Sources that do not say it are older than utf8mb4_0900_ai_ci, or MariaDB.
        let of_utf8mb4 = status.default_collation_for_utf8mb4.and_then(Collation::from_id);
        self.sql.default_collation_for_utf8mb4 = of_utf8mb4.unwrap_or(Collation::Utf8mb4GeneralCi);
        // Not the machine's zone by its name: what is logged here goes to servers that do not know the name.
        let zone = status.time_zone.map_or("SYSTEM".into(), String::from_utf8_lossy);
        self.sql.set_time_zone(TimeZone::parse(&zone, zone::system())?);
        if let Some(flags) = status.flags2 {
            self.vars.foreign_key_checks = flags & flags2::NO_FOREIGN_KEY_CHECKS == 0;
            self.vars.unique_checks = flags & flags2::RELAXED_UNIQUE_CHECKS == 0;
        }
        // What the source has allowed is allowed here.
        self.vars.restrict_fk_on_non_standard_key = false;
        self.vars.needs_primary_key = status.sql_require_primary_key == Some(true);
        let step = status.auto_increment.map_or((1, 1), |step| (step.increment, step.offset));
        (self.sql.auto_increment_increment, self.sql.auto_increment_offset) = (step.0.into(), step.1.into());
        self.invoker = status.invoker.map(|invoker| {
            let [user, host] = [invoker.user, invoker.host].map(String::from_utf8_lossy);
            Box::new(Name::new(user, &host))
        });
        let db = String::from_utf8_lossy(db);
        // CREATE DATABASE names the one that it makes, DROP DATABASE one that is gone.
        if db.is_empty() || self.use_database(&db).is_err() {
            self.sql.db = None;
        }
        self.settings_changed();
        Ok(())
    }
}

/// Refuses a definition (1235) that may mean something else here than there, because of settings that are not followed.
fn refuse_settings(status: &StatusVars<'_>, sql: &[u8]) -> Result<()> {
    let names_one_of = |words: &[&str]| {
        let text = String::from_utf8_lossy(sql).to_ascii_lowercase();
        words.iter().any(|word| text.contains(word))
    };
    if status.explicit_defaults_for_timestamp == Some(false) && names_one_of(&["timestamp"]) {
        return Err(unsupported("explicit_defaults_for_timestamp=OFF of a source's session"));
    }
    let names_of_days = ["dayname", "monthname", "date_format"];
    if status.lc_time_names.is_some_and(|number| number > 0) && names_one_of(&names_of_days) {
        return Err(unsupported("lc_time_names of a source's session"));
    }
    Ok(())
}

/// What a source's statement is to a replica.
enum Kind {
    /// It changes definitions or accounts.
    Definition,
    /// It changes nothing that a replica has.
    Nothing,
    /// What changes rows would come as rows; what concerns the server itself is never logged.
    Refused,
}

fn kind(statement: &Statement) -> Kind {
    match statement {
        Statement::CreateTable(create) if create.query.is_some() || create.temporary => Kind::Refused,
        Statement::CreateTableLike(create) if create.temporary => Kind::Refused,
        Statement::DropTables(drop) if drop.temporary => Kind::Nothing,
        Statement::CreateTable(_)
        | Statement::CreateTableLike(_)
        | Statement::AlterTable(_)
        | Statement::DropTables(_)
        | Statement::CreateView(_)
        | Statement::DropViews(_)
        | Statement::Truncate(_)
        | Statement::RenameTables(_)
        | Statement::CreateDatabase(_)
        | Statement::AlterDatabase(_)
        | Statement::DropDatabase(_)
        | Statement::ManageUsers(_)
        | Statement::DropUsers(_)
        | Statement::RenameUsers(_)
        | Statement::Grant(_)
        | Statement::Revoke(_)
        | Statement::Xa(Xa::Commit { .. } | Xa::Rollback(_)) => Kind::Definition,
        Statement::Set(items) if items.iter().all(|item| matches!(item, SetItem::Password(..))) => {
            Kind::Definition
        }
        Statement::Maintain(_) | Statement::Flush(_) | Statement::DropStored(_) => Kind::Nothing,
        _ => Kind::Refused,
    }
}

/// The modes that have a name here; MariaDB has others.
fn known_modes(bits: u64) -> SqlMode {
    let known =
        (0..64).map(|bit| 1_u64 << bit).filter(|bit| bits & bit != 0 && SqlMode::from_bits(*bit).is_ok());
    SqlMode::from_bits(known.sum()).unwrap_or(SqlMode::EMPTY)
}

fn as_statement() -> SqlError {
    ER_NOT_SUPPORTED_YET
        .error(&[&"changes of rows as statements in the source's binlog: it needs binlog_format=ROW"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_under_settings_that_are_not_followed_are_refused() {
        let implicit = StatusVars { explicit_defaults_for_timestamp: Some(false), ..StatusVars::default() };
        let german = StatusVars { lc_time_names: Some(4), ..StatusVars::default() };
        let plain = StatusVars {
            explicit_defaults_for_timestamp: Some(true),
            lc_time_names: Some(0),
            ..StatusVars::default()
        };
        let cases: [(&[u8], &StatusVars<'_>); 2] = [
            (b"ALTER TABLE t ADD c TimeStamp", &implicit),
            (b"ALTER TABLE t ADD g VARCHAR(20) AS (MONTHNAME(d)) STORED", &german),
        ];
        for (sql, status) in cases {
            assert_eq!(refuse_settings(status, sql).unwrap_err().code, 1235);
            refuse_settings(&plain, sql).unwrap();
            refuse_settings(status, b"ALTER TABLE t ADD c INT").unwrap();
        }
    }
}
