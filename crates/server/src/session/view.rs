//! What a session's expressions and virtual tables see of the server and of the session.
//!
//! Plans and virtual tables are shared by all sessions; through `Session::server` they find the one that they work for.

use std::any::Any;
use std::sync::Arc;

use commit::Tuple;
use engine::ids::CommitSeq;
use parking_lot::Mutex;
use sql::exec::BoxFuture;
use sql::session::{Asked, Scope, Server, Session, Usage};
use sql::virtual_table::VirtualTable;
use types::error::SqlError;
use types::value::Value;
use types::warning::Warnings;

use super::answer::answer;
use super::{KillSwitch, Shared};
use crate::accounts::{Access, Privileges};
use crate::info;
use crate::status::Counters;
use crate::variables::SessionVariables;

/// See the module.
#[derive(Debug)]
pub struct SessionView {
    shared: Arc<Shared>,
    counters: Arc<Counters>,
    kill: Arc<KillSwitch>,
    /// Rank: last, as both others.
    access: Mutex<Arc<Access>>,
    /// As of the last SET.
    variables: Mutex<SessionVariables>,
    /// Where its consistent snapshot stands, as long as the transaction runs that began with it.
    snapshot: Mutex<Option<Tuple>>,
    /// What the statement before the current one has left.
    warnings: Mutex<Warnings>,
    version: String,
}

impl SessionView {
    pub(super) fn new(
        shared: Arc<Shared>,
        (counters, kill): (Arc<Counters>, Arc<KillSwitch>),
        access: Arc<Access>,
        variables: SessionVariables,
    ) -> Self {
        let values = shared.variables.values();
        let version = values.get("version").as_text().to_owned();
        let warnings = Mutex::default();
        Self {
            shared,
            counters,
            kill,
            access: Mutex::new(access),
            variables: Mutex::new(variables),
            snapshot: Mutex::default(),
            warnings,
            version,
        }
    }

    /// That of a session. `None` for one that is no client's.
    pub fn of(session: &Session) -> Option<&Self> {
        let server: &dyn Any = &*session.server;
        server.downcast_ref()
    }

    /// The server.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// What the session may do.
    pub fn access(&self) -> Arc<Access> {
        Arc::clone(&self.access.lock())
    }

    /// What the session has counted.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The session's variables.
    pub fn variables(&self) -> SessionVariables {
        self.variables.lock().clone()
    }

    /// Where its consistent snapshot stands.
    pub fn snapshot(&self) -> Option<Tuple> {
        self.snapshot.lock().clone()
    }

    pub(super) fn set_snapshot(&self, snapshot: Option<Tuple>) {
        *self.snapshot.lock() = snapshot;
    }

    /// Conditions of the last statement that was not about conditions: SHOW WARNINGS.
    pub fn warnings(&self) -> Warnings {
        self.warnings.lock().clone()
    }

    pub(super) fn set_access(&self, access: Arc<Access>) {
        *self.access.lock() = access;
    }

    pub(super) fn set_variables(&self, variables: SessionVariables) {
        *self.variables.lock() = variables;
    }

    /// [`Warnings::set_limits`]
    pub(super) fn set_warning_limits(&self, limit: usize, keeps_notes: bool) {
        self.warnings.lock().set_limits(limit, keeps_notes);
    }

    /// A statement begins: these are the conditions of the one before.
    pub(super) fn keep_warnings(&self, warnings: &mut Warnings) {
        std::mem::swap(&mut *self.warnings.lock(), warnings);
        warnings.clear();
    }
}

impl Server for SessionView {
    fn clock_s(&self) -> u64 {
        crate::clock::unix_s()
    }

    fn variable(&self, session: &Session, scope: Option<Scope>, name: &str) -> Result<Value, SqlError> {
        match &*name.to_ascii_lowercase() {
            "warning_count" => return Ok(Value::UInt(self.warnings.lock().count())),
            "error_count" => return Ok(Value::UInt(self.warnings.lock().error_count())),
            _ => {}
        }
        self.shared.variables.sight(session, &self.variables.lock()).read(scope, name)
    }

    fn virtual_table(&self, db: &str, name: &str) -> Option<Arc<dyn VirtualTable>> {
        info::virtual_table(db, name)
    }

    fn is_virtual_database(&self, db: &str) -> bool {
        info::is_virtual_database(db)
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn permit(&self, usage: Usage, db: &str, table: &str) -> Result<(), SqlError> {
        let wanted = match usage {
            Usage::Read => Privileges::SELECT,
            Usage::Insert => Privileges::INSERT,
            Usage::Replace => Privileges::INSERT.union(Privileges::DELETE),
            Usage::InsertOrUpdate => Privileges::INSERT.union(Privileges::UPDATE),
            Usage::Update => Privileges::UPDATE,
            Usage::Delete => Privileges::DELETE,
        };
        self.access().on_table(wanted, db, table)
    }

    fn answer(&self, asked: &Asked<'_>) -> Result<Value, SqlError> {
        answer(&self.shared, &self.kill, asked)
    }

    fn wait_visible(&self, seq: CommitSeq) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let _ack = self.shared.pipeline.wait_visible(seq).await;
        })
    }
}
