//! COM_QUERY: one statement, or several.

use std::pin::pin;

use protocol::out::PacketWriter;
use sql::exec::{Params, give_way};
use sql::lex::{Kind, Lexer, Quoting, Verb, next_statement, split_first};
use sql::parse::{Completion, TransactionStart};
use types::charset::{Charset, convert};
use types::error::SqlError;
use types::error::table::{
    ER_EMPTY_QUERY, ER_NEW_ABORTING_CONNECTION, ER_NO_SUCH_TABLE, ER_PARSE_ERROR, ER_QUERY_INTERRUPTED,
};
use types::warning::Level;

use super::execute::{Prepared, Ran};
use super::new_table::Nobody;
use super::result::{BUFFER_SIZE, Format, write_error};
use super::{Client, Wire};
use crate::status::Counter;

type Result<T> = std::result::Result<T, SqlError>;

/// Characters of a statement that a syntax error shows.
const NEAR_MAX: usize = 80;
/// Statements of one text between two moments at which others may run.
const STATEMENTS_A_TURN: u64 = 16;
/// How often a statement is planned anew because its tables change meanwhile.
pub(super) const PLANS_MAX: u32 = 100;

impl Client {
    /// Whether the session's first command has come.
    pub fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Runs `init_connect`, before the session's first command. Administrators are spared it. Error 1184 if that fails.
    pub async fn begin_session(&mut self, now_us: u64) -> Result<()> {
        self.has_begun = true;
        let text = self.shared.variables.server_sight().shown("init_connect")?;
        if text.is_empty() || self.access.is_admin() {
            return Ok(());
        }
        let mut rest = Some(text.as_bytes());
        while let Some(sql) = rest {
            let (first, behind, verb) = split_first(sql, self.sql.quoting());
            self.begin_statement(now_us);
            let mut nobody = Nobody(PacketWriter::default());
            if let Err(error) = self.run_text(first, verb, Format::Text, false, &mut nobody).await {
                let (user, host) = (self.access.user().to_owned(), self.access.peer().host.clone());
                tracing::warn!(user, host, error = error.message, "init_connect failed");
                let db = self.sql.db.as_deref().unwrap_or("unconnected");
                let what = "init_connect command failed";
                let id = self.sql.connection_id;
                return Err(ER_NEW_ABORTING_CONNECTION.error(&[&id, &db, &user, &host, &what]));
            }
            rest = next_statement(behind, self.sql.quoting());
        }
        Ok(())
    }

    /// Executes a text and writes the replies.
    pub async fn query(&mut self, sql: &[u8], now_us: u64, wire: &mut dyn Wire) {
        self.statements(sql, 1, now_us, wire).await;
    }

    /// Executes statements of a text, of which the first one has this number, and writes the replies.
    pub(super) async fn statements(&mut self, sql: &[u8], from: u64, now_us: u64, wire: &mut dyn Wire) {
        let several = self.capabilities.contains(protocol::wire::Capabilities::MULTI_STATEMENTS);
        let mut rest = sql;
        for count in from.. {
            let quoting = self.sql.quoting();
            let (first, behind, verb) = split_first(rest, quoting);
            let next = next_statement(behind, quoting);
            // Each statement has its own time.
            self.begin_statement(if count == 1 { now_us } else { self.shared.pipeline.unix_us() });
            let wrong = match next {
                // Only behind the last statement may semicolons stand alone.
                Some(_) if verb == Verb::Empty => Some(&rest[first.len()..]),
                Some(next) if !several => Some(next),
                _ => None,
            };
            if let Some(wrong) = wrong {
                return self.refuse(&syntax_error(rest, wrong), wire);
            }
            if self.answer(first, verb, next.is_some(), wire).await.is_err() {
                return;
            }
            if let Some(loading) = &mut self.loading {
                return loading.keep_rest(next.map(|_| behind), count);
            }
            if next.is_none() {
                return;
            }
            if let Err(error) = self.between_statements(count, wire).await {
                return self.refuse(&error, wire);
            }
            rest = behind;
        }
    }

    /// Another statement of the same text follows so many. Error 1317.
    pub(super) async fn between_statements(&mut self, count: u64, wire: &mut dyn Wire) -> Result<()> {
        if count.is_multiple_of(STATEMENTS_A_TURN) {
            give_way().await;
        }
        if wire.buffered() >= BUFFER_SIZE {
            // The client may not read what it asks for.
            self.kill.unless_killed(pin!(wire.send())).await?;
        }
        if self.kill.is_asked() {
            return Err(ER_QUERY_INTERRUPTED.error(&[]));
        }
        for counter in [Counter::Questions, Counter::Queries] {
            self.counters.bump(counter);
        }
        Ok(())
    }

    /// Executes one statement and writes its reply, which may be the error that is returned.
    async fn answer(&mut self, sql: &[u8], verb: Verb, more: bool, wire: &mut dyn Wire) -> Result<()> {
        let (begun, sends) = (wire.packets().mark(), wire.sends());
        let mut done = self.run_text(sql, verb, Format::Text, more, wire).await;
        // Who follows the binlog may know of a table a moment before the catalog does. These statements have done nothing yet.
        let is_planned = matches!(verb, Verb::Select | Verb::Insert | Verb::Update | Verb::Delete);
        if is_planned
            && done.as_ref().is_err_and(|error| error.is(&ER_NO_SUCH_TABLE))
            && wire.sends() == sends
            && Box::pin(self.shared.schema.catch_up()).await
        {
            wire.packets().rewind(begun);
            done = Box::pin(self.run_text(sql, verb, Format::Text, more, wire)).await;
        }
        if let Err(error) = &done {
            // What was not sent of a result need not be begun.
            if wire.sends() == sends {
                wire.packets().rewind(begun);
            }
            self.lose_gtid_by(error);
            self.refuse(error, wire);
        }
        if !done.as_ref().is_err_and(|error| error.is(&ER_PARSE_ERROR)) {
            self.note_done(sql, None, done.is_err());
        }
        done
    }

    /// Answers with an error, and notes it for SHOW WARNINGS and `row_count()`.
    pub(super) fn refuse(&mut self, error: &SqlError, wire: &mut dyn Wire) {
        self.sql.row_count = -1;
        self.warnings.push_error(Level::Error, error);
        write_error(wire.packets(), self.capabilities, error);
    }

    /// Executes one statement.
    pub(super) async fn run_text(
        &mut self,
        sql: &[u8],
        verb: Verb,
        format: Format,
        more: bool,
        wire: &mut dyn Wire,
    ) -> Result<()> {
        match verb {
            Verb::Empty => {
                self.counters.bump(Counter::ComEmptyQuery);
                if sql.trim_ascii().is_empty() {
                    return Err(ER_EMPTY_QUERY.error(&[]));
                }
                self.note_statement(sql);
                // A comment alone is a statement that does nothing: MySQL 9's client sends those of a dump.
                self.done(None, more, wire);
                return Ok(());
            }
            Verb::Begin => {
                self.counters.bump(Counter::ComBegin);
                self.note_statement(sql);
                return self.begin(TransactionStart::default(), more, wire).await;
            }
            Verb::Commit => {
                self.counters.bump(Counter::ComCommit);
                self.note_statement(sql);
                return self.commit(Completion::default(), more, wire).await;
            }
            Verb::Rollback => {
                self.counters.bump(Counter::ComRollback);
                self.note_statement(sql);
                return self.rollback(Completion::default(), more, wire).await;
            }
            Verb::Other => {
                if let Some(text) = definition_in_utf8(self.vars.client, sql, self.sql.quoting()) {
                    return Box::pin(self.run_in_utf8(&text, format, more, wire)).await;
                }
            }
            _ => {}
        }
        for _ in 0..PLANS_MAX {
            match self.planned(sql, verb)? {
                Prepared::Plan(_, normalised) if normalised.params > 0 => return Err(self.stray_marker(sql)),
                Prepared::Plan(planned, normalised) => {
                    self.note_query(sql);
                    if let Some(file) = planned.plan.file() {
                        let loading = self.load_file(&planned, file, sql, more, wire);
                        if Box::pin(loading).await? == Ran::Answered {
                            return Ok(());
                        }
                        continue;
                    }
                    let params = Params {
                        values: &[],
                        literals: &normalised.literals,
                        row_literals: &normalised.row_literals,
                        row_size: normalised.row_size,
                    };
                    if self.run_plan(&planned, params, format, more, wire).await? == Ran::Answered {
                        return Ok(());
                    }
                }
                Prepared::Other(_) if markers(sql, self).count() != self.given.len() => {
                    return Err(self.stray_marker(sql));
                }
                Prepared::Other(statement) => {
                    let done = Box::pin(self.other(*statement, sql, format, more, wire)).await;
                    if done.is_err() {
                        Box::pin(self.leave_nothing()).await;
                    }
                    return done;
                }
            }
        }
        Err(types::error::table::ER_NEED_REPREPARE.error(&[]))
    }

    /// Runs a definition as if the client's character set were `utf8mb4`, which its event says as well.
    async fn run_in_utf8(
        &mut self,
        sql: &[u8],
        format: Format,
        more: bool,
        wire: &mut dyn Wire,
    ) -> Result<()> {
        let client = self.speak(Charset::Utf8mb4);
        let done = self.run_text(sql, Verb::Other, format, more, wire).await;
        self.speak(client);
        done
    }

    /// The client's texts are in this character set from here on. Returns that of before.
    pub(super) fn speak(&mut self, charset: Charset) -> Charset {
        self.log.charset.client = charset.default_collation().id();
        std::mem::replace(&mut self.vars.client, charset)
    }

    /// A parameter marker in a statement that is not prepared.
    fn stray_marker(&self, sql: &[u8]) -> SqlError {
        syntax_error(sql, &sql[markers(sql, self).next().unwrap_or(0)..])
    }
}

/// A definition's text as UTF-8, if it is in another character set: names, comments and defaults are kept so.
pub(super) fn definition_in_utf8(client: Charset, sql: &[u8], quoting: Quoting) -> Option<Vec<u8>> {
    const DEFINING: [&str; 7] = ["CREATE", "ALTER", "DROP", "RENAME", "TRUNCATE", "GRANT", "REVOKE"];
    if client != Charset::Latin1 || sql.is_ascii() {
        return None;
    }
    let mut lexer = Lexer::new(sql, quoting);
    let first = lexer.next_token().map(|token| lexer.text_of(token))?;
    if !DEFINING.iter().any(|word| first.eq_ignore_ascii_case(word.as_bytes())) {
        return None;
    }
    let mut text = Vec::with_capacity(sql.len() + sql.len() / 8);
    convert(sql, Charset::Latin1, Charset::Utf8mb4, &mut text);
    Some(text)
}

/// Where the parameter markers of a statement are.
pub(super) fn markers(sql: &[u8], client: &Client) -> impl Iterator<Item = usize> {
    let mut lexer = Lexer::new(sql, client.sql.quoting());
    let tokens = std::iter::from_fn(move || lexer.next_token());
    tokens.filter(|token| token.kind == Kind::Param).map(|token| token.start)
}

/// A syntax error at what follows a statement.
pub(super) fn syntax_error(sql: &[u8], at: &[u8]) -> SqlError {
    let line = sql[..sql.len() - at.len()].split(|byte| *byte == b'\n').count();
    let near: String = String::from_utf8_lossy(at).chars().take(NEAR_MAX).collect();
    ER_PARSE_ERROR.error(&[&types::error::table::ER_SYNTAX_ERROR.message(&[]), &near, &line])
}
