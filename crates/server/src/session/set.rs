//! SET: all assignments of a statement are examined before the first is made.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use binlog::ChecksumAlg;
use commit::{CommitAck, StrategyKind, Switched};
use sql::parse::{AccessMode, Account, Auth, IsolationLevel, SetItem, SetScope, SetValue, TransactionScope};
use types::charset::Charset;
use types::error::SqlError;
use types::error::table::{
    ER_COLLATION_CHARSET_MISMATCH, ER_UNKNOWN_CHARACTER_SET, ER_UNKNOWN_ERROR, ER_WRONG_USAGE,
    ER_WRONG_VALUE_FOR_VAR,
};
use types::value::Value;

use super::{Client, Wire};
use crate::variables::{Assigned, Prepared, Restricted, STRATEGY_NAMES, Target, Val, Who, strategy_of};
use types::collation;

type Result<T> = std::result::Result<T, SqlError>;

/// An assignment that was examined.
enum Examined {
    System(Prepared, String),
    User(String, Value),
}

/// How often a session that changes `sync_binlog` looks whether a switch of the strategy is over.
const SWITCH_LOOK: Duration = Duration::from_millis(1);

impl Client {
    /// SET.
    pub(super) async fn set(&mut self, items: Vec<SetItem>, more: bool, wire: &mut dyn Wire) -> Result<()> {
        let mut examined = Vec::new();
        let mut passwords = Vec::new();
        for item in items {
            match item {
                SetItem::System { scope, name, value } => {
                    let assigned = self.assigned(value).await?;
                    examined.push(self.examine(target(scope), &name, &assigned)?);
                }
                SetItem::User(name, expr) => {
                    let value = self.values(&[&*expr]).await?.pop().unwrap_or_default();
                    examined.push(Examined::User(name, value));
                }
                SetItem::Names(charset, collation) => {
                    self.examine_names(charset.as_deref(), collation.as_deref(), &mut examined)?;
                }
                SetItem::CharacterSet(charset) => self.examine_charset(charset.as_deref(), &mut examined)?,
                SetItem::Transaction { scope, isolation, access } => {
                    self.examine_transaction(scope, isolation, access, &mut examined)?;
                }
                SetItem::Password(account, auth) => passwords.push((account, auth)),
            }
        }
        let autocommitted = self.vars.autocommit;
        let assigned = self.assign_all(examined, passwords, autocommitted).await;
        if assigned.is_err() {
            // What it would have committed may still be there.
            self.vars.autocommit &= autocommitted;
        }
        // What was assigned before an error stays: what is derived from settings must go with them.
        self.settings_changed();
        self.done(assigned?, more, wire);
        Ok(())
    }

    /// Makes the assignments, and commits if `autocommit` comes with them.
    async fn assign_all(
        &mut self,
        examined: Vec<Examined>,
        passwords: Vec<(Option<Account>, Auth)>,
        autocommitted: bool,
    ) -> Result<Option<CommitAck>> {
        for assignment in examined {
            self.assign(assignment).await?;
        }
        for (account, auth) in passwords {
            self.set_password(account, auth).await?;
        }
        if !self.vars.autocommit || autocommitted {
            return Ok(None);
        }
        self.end_transaction().await.map(Some)
    }

    async fn assigned(&mut self, value: SetValue) -> Result<Assigned> {
        Ok(match value {
            SetValue::Default => Assigned::Default,
            SetValue::Word(word) => Assigned::Value(Value::text(&word)),
            SetValue::Expr(expr) => Assigned::Value(self.values(&[&*expr]).await?.pop().unwrap_or_default()),
        })
    }

    fn examine(&mut self, target: Target, name: &str, assigned: &Assigned) -> Result<Examined> {
        let may_set_global = self.access.has_dynamic("SYSTEM_VARIABLES_ADMIN");
        let may_set = if may_set_global || self.access.has_dynamic("SESSION_VARIABLES_ADMIN") {
            Restricted::ToAdmins
        } else if self.access.has_dynamic("REPLICATION_APPLIER") {
            Restricted::ToAppliers
        } else {
            Restricted::No
        };
        let who = Who { may_set_global, may_set, in_transaction: self.transaction.open };
        let sight = self.shared.variables.sight(&self.sql, &self.vars);
        let prepared = sight.prepare(target, name, assigned, who, &mut self.warnings)?;
        let name = name.to_ascii_lowercase();
        self.may_set_read_only(&name, prepared.val())?;
        Ok(Examined::System(prepared, name))
    }

    fn examine_text(&mut self, name: &str, text: Option<&str>, examined: &mut Vec<Examined>) -> Result<()> {
        let assigned = text.map_or(Assigned::Default, |text| Assigned::Value(Value::text(text)));
        examined.push(self.examine(Target::Session, name, &assigned)?);
        Ok(())
    }

    /// SET NAMES.
    fn examine_names(
        &mut self,
        charset: Option<&str>,
        collation: Option<&str>,
        examined: &mut Vec<Examined>,
    ) -> Result<()> {
        self.examine_text("character_set_client", charset, examined)?;
        match (charset, collation) {
            (None, _) => self.examine_connection(None, examined)?,
            (Some(charset), collation) => {
                let found = known_charset(charset)?;
                let collation = match collation {
                    None if found == Charset::Utf8mb4 => self.sql.default_collation_for_utf8mb4,
                    None => found.default_collation(),
                    Some(name) => collation::nearest(name, &mut self.warnings)?,
                };
                if collation.charset() != found {
                    return Err(ER_COLLATION_CHARSET_MISMATCH.error(&[&collation.name(), &found.name()]));
                }
                self.examine_connection(Some(collation.name()), examined)?;
            }
        }
        self.examine_text("character_set_results", charset, examined)
    }

    /// The collation of the connection, of which clients are told the character set.
    fn examine_connection(&mut self, collation: Option<&str>, examined: &mut Vec<Examined>) -> Result<()> {
        self.examine_text("collation_connection", collation, examined)?;
        if let Some(Examined::System(_, told)) = examined.last_mut() {
            "character_set_connection".clone_into(told);
        }
        Ok(())
    }

    /// SET CHARACTER SET: literals are in the database's character set then.
    fn examine_charset(&mut self, charset: Option<&str>, examined: &mut Vec<Examined>) -> Result<()> {
        self.examine_text("character_set_client", charset, examined)?;
        let database = self.vars.collation_database.name();
        self.examine_connection(Some(database), examined)?;
        self.examine_text("character_set_results", charset, examined)
    }

    /// SET TRANSACTION.
    fn examine_transaction(
        &mut self,
        scope: TransactionScope,
        isolation: Option<IsolationLevel>,
        access: Option<AccessMode>,
        examined: &mut Vec<Examined>,
    ) -> Result<()> {
        let target = match scope {
            TransactionScope::Next => Target::Bare,
            TransactionScope::Session => Target::Session,
            TransactionScope::Global => Target::Global,
        };
        if let Some(isolation) = isolation {
            let name = match isolation {
                IsolationLevel::ReadUncommitted => "READ-UNCOMMITTED",
                IsolationLevel::ReadCommitted => "READ-COMMITTED",
                IsolationLevel::RepeatableRead => "REPEATABLE-READ",
                IsolationLevel::Serializable => "SERIALIZABLE",
            };
            let assigned = Assigned::Value(Value::text(name));
            examined.push(self.examine(target, "transaction_isolation", &assigned)?);
        }
        if let Some(access) = access {
            let assigned = Assigned::Value(Value::Int((access == AccessMode::ReadOnly).into()));
            examined.push(self.examine(target, "transaction_read_only", &assigned)?);
        }
        Ok(())
    }

    async fn assign(&mut self, assignment: Examined) -> Result<()> {
        match assignment {
            Examined::User(name, value) => {
                self.sql.user_variables.lock().insert(name, value);
                self.note_change();
            }
            Examined::System(prepared, name) => {
                let (global, of_session) = (prepared.is_global(), prepared.is_of_session());
                if name == "gtid_next" {
                    self.may_set_gtid_next()?;
                }
                if name == "gtid_purged" {
                    return self.set_gtid_purged(prepared.val()).await;
                }
                if global {
                    self.change_strategy(&name, prepared.val()).await?;
                }
                let before = self.gtid_mode();
                let kept_out = self.keep_out_commits(&name, prepared.val()).await?;
                let done = match self.begin_file(&name, before, prepared.val()).await {
                    Ok(()) => self.apply(prepared, &name, global).await,
                    Err(error) => Err(error),
                };
                if kept_out {
                    self.global_lock = None;
                }
                done?;
                if name == "gtid_next" {
                    self.take_gtid().await?;
                }
                if name == "offline_mode" && self.shared.variables.live.offline_mode.load(Ordering::Relaxed) {
                    self.shared.connections.kill_ordinary(self.sql.connection_id);
                }
                if global
                    && (name.starts_with("general_log")
                        || name.starts_with("slow_query_log")
                        || name == "log_output")
                {
                    self.settle_logs()?;
                }
                if global && name.starts_with("rpl_semi_sync_") {
                    self.shared.pipeline.settle_semi_sync();
                }
                if of_session {
                    self.note_variable(&name);
                }
            }
        }
        Ok(())
    }

    /// Tells clients that want to know that the session has changed.
    pub(super) fn note_change(&mut self) {
        if self.vars.track.state_change {
            self.track.state_changed();
        }
    }

    /// Tells clients that want to know of a session variable's new value. That they want to know of changes is none.
    fn note_variable(&mut self, name: &str) {
        if name != "session_track_state_change" {
            self.note_change();
        }
        let Some(tracked) = &self.vars.track.system_variables else { return };
        let wanted = tracked
            .split(',')
            .map(str::trim)
            .any(|wanted| wanted == "*" || wanted.eq_ignore_ascii_case(name));
        if !wanted {
            return;
        }
        let sight = self.shared.variables.sight(&self.sql, &self.vars);
        if let Ok(value) = sight.shown(name) {
            self.track.system_variable(name.as_bytes(), value.as_bytes());
        }
    }

    /// Makes a variable what was examined.
    async fn apply(&mut self, prepared: Prepared, name: &str, global: bool) -> Result<()> {
        if !(global && name == "sync_binlog") {
            self.shared.variables.apply(prepared, &mut self.sql, &mut self.vars);
            return Ok(());
        }
        let pipeline = Arc::clone(&self.shared.pipeline);
        // Another session may be about to switch to a strategy that cannot keep it.
        let _kept = loop {
            if let Some(kept) = pipeline.try_keep_strategy() {
                break kept;
            }
            tokio::time::sleep(SWITCH_LOOK).await;
        };
        if !pipeline.strategy_kind().can_sync_binlog(prepared.val().u32()) {
            return Err(incompatible_sync());
        }
        self.shared.variables.apply(prepared, &mut self.sql, &mut self.vars);
        Ok(())
    }

    /// What an assignment means for the strategy of commits.
    async fn change_strategy(&mut self, name: &str, val: &Val) -> Result<()> {
        let active = self.shared.pipeline.strategy_kind();
        let kind = match STRATEGY_NAMES.iter().find(|(other, _)| *other == name) {
            Some((_, kind)) if val.is_on() => *kind,
            Some((_, kind)) if *kind == active => StrategyKind::Group,
            None if name == "onelog_commit_strategy" => strategy_of(val),
            _ => return Ok(()),
        };
        if kind == active {
            return Ok(());
        }
        match self.while_quiet("switching the strategy", move |quiet, base| quiet.switch(kind, base)).await? {
            Switched::Done => Ok(()),
            Switched::NeedsRelaxedSync => Err(incompatible_sync()),
            Switched::NoSuchStrategy => {
                Err(ER_WRONG_VALUE_FOR_VAR.error(&[&"onelog_commit_strategy", &kind.name()]))
            }
            Switched::NoStore(why) => {
                let what = format!(
                    "The binlog store (enhanced_binlog_dir, or in redo's files) cannot be opened: {why}"
                );
                Err(SqlError { message: what, ..ER_UNKNOWN_ERROR.error(&[]) })
            }
        }
    }

    /// What is the same for a whole binlog file changes with the next one, which is begun before: a device may have no room for it.
    async fn begin_file(&mut self, name: &str, mode_before: u8, val: &Val) -> Result<()> {
        match name {
            // Transactions with GTIDs and those without are in different files: who asks by GTIDs reads the former alone.
            "gtid_mode" => self.begin_gtid_mode(mode_before, val.choice()).await,
            "binlog_checksum" => {
                let checksum = if val.choice() == 0 { ChecksumAlg::None } else { ChecksumAlg::Crc32 };
                self.rotate_binlog(Some(checksum)).await
            }
            _ => Ok(()),
        }
    }
}

/// `parallel` does not sync the binlog with each group.
fn incompatible_sync() -> SqlError {
    ER_WRONG_USAGE.error(&[&"onelog_commit_strategy=parallel (binlog_parallel_flush)", &"sync_binlog=1"])
}

fn target(scope: SetScope) -> Target {
    match scope {
        SetScope::Session => Target::Session,
        SetScope::Bare => Target::Bare,
        SetScope::Global => Target::Global,
        SetScope::Persist | SetScope::PersistOnly => Target::Persist,
    }
}

fn known_charset(name: &str) -> Result<Charset> {
    Charset::from_name(name).ok_or_else(|| ER_UNKNOWN_CHARACTER_SET.error(&[&name]))
}
