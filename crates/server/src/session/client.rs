//! What a session is made of.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use binlog::event::{AutoIncrement, Charset as LogCharset, MetadataLevel, flags2};
use binlog::{CacheLimits, Origin, TrxCache, Uuid};
use commit::recovery::Report;
use commit::{CommitAck, Pipeline};
use engine::EngineError;
use engine::ids::CommitSeq;
use engine::store::Store;
use engine::trx::Isolation as TrxIsolation;
use protocol::reply::{OkPacket, SessionChanges};
use protocol::wire::{Capabilities, StatusFlags};
use replication::source::Replicas;
use sql::exec::Changed;
use sql::parse::Xid;
use sql::session::Session;
use tokio::sync::Notify;
use types::charset::Charset;
use types::collation::Collation;
use types::sql_mode::SqlMode;
use types::value::Value;
use types::warning::Warnings;
use vfs::Vfs;

use super::control::LockedTables;
use super::gtid_next::OwnGtid;
use super::instance::GlobalLock;
use super::load::Loading;
use super::new_table::NewTable;
use super::note::Slow;
use super::plan_cache::{Environment, PlanCache, PlanSpace};
use super::prepared::Statements;
use super::read_only::Writer;
use super::replay::Replay;
use super::result::ResultSettings;
use super::row_image::RowImage;
use super::row_log::LogContext;
use super::transaction::{Committed, Transaction};
use super::user_locks::UserLocks;
use super::view::SessionView;
use super::waits::Waits;
use super::xa::{Branch, XaTransactions};
use super::{KillSwitch, Wire};
use crate::accounts::{Access, Accounts, Name, Privileges};
use crate::ddl::Schema;
use crate::ddl::keepers::{Keep, Keepers};
use crate::digests::Digests;
use crate::general_log::{GeneralLog, SlowLog};
use crate::net::{Connections, Held};
use crate::random::random;
use crate::status::{Counters, Status};
use crate::variables::{ALL_GTIDS, Isolation, OWN_GTID, SessionVariables, Variables};

/// If so many sessions commit, answers are sent without them.
const CROWD: u64 = 512;

/// What all sessions share.
#[derive(Debug)]
pub struct Shared {
    /// Tables.
    pub store: Arc<Store>,
    /// Commits.
    pub pipeline: Arc<Pipeline>,
    /// Files.
    pub vfs: Arc<dyn Vfs>,
    /// DDL.
    pub schema: Schema,
    /// System variables.
    pub variables: Arc<Variables>,
    /// Accounts.
    pub accounts: Arc<Accounts>,
    /// Counters.
    pub status: Arc<Status>,
    /// All connections.
    pub connections: Arc<Connections>,
    /// What recovery did.
    pub recovery: Report,
    /// Where transaction caches spill.
    pub spill_dir: PathBuf,
    /// `server_uuid`
    pub uuid: Uuid,
    /// `server_id`
    pub server_id: u32,
    /// What begins empty.
    pub common: Common,
}

/// What sessions share that begins empty.
#[derive(Debug, Default)]
pub struct Common {
    /// Plans.
    pub(super) plans: PlanCache,
    /// Who keeps definitions as they are.
    pub keepers: Arc<Keepers>,
    /// Who follows the binlog.
    pub replicas: Arc<Replicas>,
    /// The source that is followed.
    pub(crate) replica: crate::replica::Replica,
    /// Who waits for the logs.
    pub(super) waits: Waits,
    /// `get_lock()`
    pub(crate) user_locks: UserLocks,
    /// XA transactions.
    pub(crate) xa: Arc<XaTransactions>,
    /// The general log.
    pub general_log: GeneralLog,
    /// The slow query log.
    pub slow_log: SlowLog,
    /// Statement digests.
    pub(crate) digests: Digests,
    /// SHUTDOWN was executed.
    pub shutdown: Notify,
}

impl Shared {
    /// Finds the XA transactions that were prepared before: before anybody has a lock.
    pub fn restore_xa(&self) -> Result<(), EngineError> {
        self.common.xa.restore(&self.store)
    }

    /// A connection's transaction whose events spill into a file of this name.
    pub(super) fn transaction(&self, spill: &str, counters: &Arc<Counters>, connection: u32) -> Transaction {
        let (cache, counters) = (self.cache(spill), Arc::clone(counters));
        Transaction::new(&self.store, &self.pipeline, cache, self.uuid, counters, connection)
    }

    /// A transaction cache that spills into a file of this name.
    pub(super) fn cache(&self, spill: &str) -> TrxCache {
        TrxCache::new(Arc::clone(&self.vfs), self.spill_dir.join(spill), self.cache_limits())
    }

    fn cache_limits(&self) -> CacheLimits {
        let live = &self.variables.live;
        CacheLimits {
            memory_bytes: usize::try_from(live.binlog_cache_size.load(Ordering::Relaxed))
                .unwrap_or(usize::MAX),
            total_bytes_max: live.max_binlog_cache_size.load(Ordering::Relaxed),
            rows_event_size: self.variables.values().get("binlog_row_event_max_size").size(),
        }
    }
}

/// A session. See the module.
///
/// With thousands of connections each cache line that a command touches of its session is loaded anew. So fields are in this order,
/// also in memory: what nearly every command touches comes first.
#[derive(Debug)]
#[repr(C)]
pub struct Client {
    pub(super) shared: Arc<Shared>,
    pub(super) counters: Arc<Counters>,
    /// What it may do.
    pub(super) access: Arc<Access>,
    /// What it may do everywhere, at a generation of the accounts.
    rights: (u64, Privileges),
    pub(super) space: Arc<PlanSpace>,
    /// LOCK TABLES.
    pub(super) locked: Option<Box<LockedTables>>,
    pub(super) statements: Statements,
    pub(super) kill: Arc<KillSwitch>,
    /// Rows that the next OK packet counts, of a statement that is not a change of rows.
    pub(super) affected: u64,
    /// The last transaction that was acknowledged.
    last_commit: CommitSeq,
    pub(super) capabilities: Capabilities,
    /// SHOW WARNINGS has some to show.
    shows_warnings: bool,
    /// It applies what a source did: nobody's rights hinder it.
    pub(super) applies: bool,
    /// Its first command has come.
    pub(super) has_begun: bool,
    /// COMMIT RELEASE: the connection ends after its reply.
    pub(super) released: bool,
    /// The statement at hand is in the general log.
    pub(super) is_noted: bool,
    /// It has counted: `Com_select` and the like.
    pub(super) is_counted: bool,
    pub(super) warnings: Warnings,
    /// What the slow query log would say of the statement at hand.
    pub(super) slow: Slow,
    pub(super) results: ResultSettings,
    /// What the next OK packet says beside numbers.
    pub(super) info: Option<String>,
    /// What `gtid_next` means for the next transaction.
    pub(super) own_gtid: OwnGtid,
    pub(super) log: LogContext,
    pub(super) transaction: Transaction,
    /// FLUSH TABLES WITH READ LOCK.
    pub(super) global_lock: Option<GlobalLock>,
    /// Its XA transaction.
    pub(super) xa: Option<Box<Branch>>,
    /// The table that its transaction makes.
    pub(super) new_table: Option<Box<NewTable>>,
    pub(super) track: SessionChanges,
    /// Derived from the settings: see [`Client::settings_changed`].
    pub(super) environment: Environment,
    pub(super) vars: SessionVariables,
    pub(super) sql: Session,
    pub(super) view: Arc<SessionView>,
    /// LOCK INSTANCE FOR BACKUP.
    pub(super) backup_lock: Option<Keep>,
    /// What BINLOG has said so far.
    pub(super) replay: Option<Box<Replay>>,
    /// Who said at the source what it applies, where that matters.
    pub(super) invoker: Option<Box<Name>>,
    /// Of a worker: the XA transaction that ends with its group, and whether it is committed at once.
    pub(super) xa_applied: Option<(Xid, bool)>,
    /// Of a worker: the GTID of the transaction at hand.
    pub(super) claimed: Option<super::apply::Claim>,
    /// Values of the parameters of a statement without a plan: SET and DO have them.
    pub(super) given: Vec<Value>,
    /// LOAD DATA LOCAL: a client's file was asked for.
    pub(super) loading: Option<Loading>,
}

/// A client that has logged in.
#[derive(Debug)]
pub struct Arrival {
    /// `connection_id()`
    pub id: u32,
    /// What it counts.
    pub counters: Arc<Counters>,
    /// What it may do.
    pub access: Arc<Access>,
    /// What both sides of its connection can do.
    pub capabilities: Capabilities,
    /// How others stop it.
    pub kill: Arc<KillSwitch>,
}

impl Client {
    /// The session of a client.
    pub fn new(shared: Arc<Shared>, arrival: Arrival) -> Self {
        let Arrival { id, counters, access, capabilities, kill } = arrival;
        let own = shared.variables.begin_own();
        let view = SessionView::new(
            Arc::clone(&shared),
            (Arc::clone(&counters), Arc::clone(&kill)),
            Arc::clone(&access),
            own,
        );
        let view = Arc::new(view);
        let mut sql = Session::new(Arc::<SessionView>::clone(&view), id, u64::from_le_bytes(random()));
        let vars = begin_variables(&shared, &mut sql, capabilities);
        sql.foreign_key_checks = vars.foreign_key_checks;
        let mut transaction = shared.transaction(&format!("trx-{id}"), &counters, id);
        let variables = Arc::clone(&shared.variables);
        transaction.writer = Some(Writer { variables, access: Arc::clone(&access) });
        let environment = environment(&sql);
        let space = shared.common.plans.space(&environment);
        let results = result_settings(&sql, capabilities);
        let log = log_context(&shared, &sql, &vars);
        let mut client = Self {
            shared,
            view,
            counters,
            sql,
            vars,
            transaction,
            statements: Statements::default(),
            warnings: Warnings::default(),
            shows_warnings: false,
            track: SessionChanges::default(),
            replay: None,
            capabilities,
            kill,
            access,
            rights: Default::default(),
            locked: None,
            global_lock: None,
            backup_lock: None,
            info: None,
            affected: 0,
            applies: false,
            has_begun: false,
            invoker: None,
            xa: None,
            xa_applied: None,
            own_gtid: OwnGtid::default(),
            claimed: None,
            new_table: None,
            released: false,
            is_noted: false,
            is_counted: false,
            slow: Slow::default(),
            given: Vec::new(),
            loading: None,
            last_commit: CommitSeq(0),
            environment,
            space,
            results,
            log,
        };
        client.set_names();
        client
    }

    /// The last transaction that the client was told is committed, or that it has read from.
    pub fn last_commit(&self) -> CommitSeq {
        self.last_commit
    }

    /// Brings what is derived from settings up to date: after SET and USE.
    pub(super) fn settings_changed(&mut self) {
        let environment = environment(&self.sql);
        if environment != self.environment {
            self.space = self.shared.common.plans.space(&environment);
            self.environment = environment;
        }
        self.sql.foreign_key_checks = self.vars.foreign_key_checks;
        self.transaction.compression = self.vars.compression.then_some(self.vars.compression_level);
        self.results = result_settings(&self.sql, self.capabilities);
        // The statement at hand keeps its time, the transaction its name.
        let LogContext { origin, microseconds, .. } = self.log;
        let xa = self.log.xa.take();
        self.log =
            LogContext { origin, microseconds, xa, ..log_context(&self.shared, &self.sql, &self.vars) };
        self.view.set_variables(self.vars.clone());
        let (limit, keeps_notes) = (self.vars.max_error_count.into(), self.vars.sql_notes);
        self.warnings.set_limits(limit, keeps_notes);
        self.view.set_warning_limits(limit, keeps_notes);
        self.set_lock_waits();
    }

    /// How long its transactions wait for locks. A worker's wait for rows is its applier's matter.
    fn set_lock_waits(&mut self) {
        let seconds = |seconds: u32| Duration::from_secs(seconds.into());
        self.transaction.trx.table_wait = seconds(self.vars.lock_wait_timeout_s);
        if !self.applies {
            self.transaction.trx.row_wait = seconds(self.vars.innodb_lock_wait_timeout_s);
        }
    }

    /// Who `user()` and `current_user()` are.
    pub(super) fn set_names(&mut self) {
        let account = self.access.account_name();
        self.sql.account = format!("{}@{}", account.user, account.host);
        self.sql.user = format!("{}@{}", self.access.user(), self.access.peer().host);
    }

    /// A statement begins.
    pub(super) fn begin_statement(&mut self, now_us: u64) {
        self.transaction.write_set_extraction = self.vars.write_set_extraction;
        self.sql.set_now(self.vars.statement_time_us(now_us));
        let (seconds, microseconds) = (self.sql.now_us() / 1_000_000, self.sql.now_us() % 1_000_000);
        self.log.origin.timestamp = u32::try_from(seconds).unwrap_or(u32::MAX);
        self.log.microseconds = u32::try_from(microseconds).unwrap_or(0);
        self.keep_warnings();
        (self.info, self.affected) = (None, 0);
        (self.is_noted, self.is_counted) = (false, false);
        self.transaction.last_gtid = None;
        self.slow = Slow::begin(now_us, self.collects());
        self.transaction.trx.waited_us = 0;
        let generation = self.shared.accounts.generation();
        if generation != self.rights.0 {
            self.rights = (generation, self.access.account().global);
        }
    }

    /// What it may do everywhere.
    pub(super) fn rights(&self) -> Privileges {
        let (generation, rights) = self.rights;
        if generation == self.shared.accounts.generation() { rights } else { self.access.account().global }
    }

    /// Leaves the last statement's warnings to SHOW WARNINGS, and begins with none. Mostly there are none, nor were there before:
    /// then what others see of the session is not touched.
    pub(super) fn keep_warnings(&mut self) {
        let has_any = !self.warnings.is_empty();
        if std::mem::replace(&mut self.shows_warnings, has_any) || has_any {
            self.view.keep_warnings(&mut self.warnings);
        }
    }

    /// Notes the text of a statement with a plan, for its rows' events.
    pub(super) fn note_query(&mut self, sql: &[u8]) {
        self.log.rows_query = self.vars.rows_query.then(|| sql.to_vec());
    }

    /// Begins a transaction, in name: its snapshot comes with its first read.
    pub(super) fn open_transaction(&mut self) {
        self.transaction.open = true;
        self.transaction.read_only = self.vars.next.read_only.take().unwrap_or(self.vars.read_only);
        self.set_isolation();
        self.transaction.trx.set_began(crate::clock::unix_us());
    }

    /// Gives the transaction that begins its isolation level.
    pub(super) fn set_isolation(&mut self) {
        let isolation = self.vars.next.isolation.take().unwrap_or(self.vars.isolation);
        self.transaction.set_isolation(match isolation {
            Isolation::ReadUncommitted | Isolation::ReadCommitted => TrxIsolation::ReadCommitted,
            Isolation::RepeatableRead | Isolation::Serializable => TrxIsolation::RepeatableRead,
        });
        self.transaction.serializable = isolation == Isolation::Serializable;
    }

    /// What goes to the binlog of what the session does.
    pub(super) fn logs(&self) -> bool {
        self.vars.sql_log_bin && self.shared.pipeline.binlog().is_some()
    }

    /// A transaction beside the session's own.
    pub(super) fn another_transaction(&self, what: &str) -> Transaction {
        let id = self.sql.connection_id;
        self.shared.transaction(&format!("{what}-{id}"), &self.counters, id)
    }

    /// The status flags of a reply.
    pub(super) fn status(&self, more: bool) -> StatusFlags {
        let mut status = StatusFlags::NONE;
        let mut set = |condition: bool, flag: StatusFlags| {
            if condition {
                status = status | flag;
            }
        };
        set(self.vars.autocommit, StatusFlags::AUTOCOMMIT);
        set(self.transaction.open, StatusFlags::IN_TRANS);
        set(self.transaction.open && self.transaction.read_only, StatusFlags::IN_TRANS_READONLY);
        set(more, StatusFlags::MORE_RESULTS_EXISTS);
        set(self.sql.sql_mode.contains(SqlMode::NO_BACKSLASH_ESCAPES), StatusFlags::NO_BACKSLASH_ESCAPES);
        status
    }

    /// Tells clients that want to know which GTID their last transaction has got, or all that are executed.
    fn note_gtids(&mut self) {
        let last = self.transaction.last_gtid.take();
        match (self.vars.track.gtids, last) {
            (OWN_GTID, Some(gtid)) => self.track.gtids(gtid.to_string().as_bytes()),
            (ALL_GTIDS, _) if !self.transaction.open => {
                let all = self.shared.pipeline.publisher().tuple().gtid_executed;
                self.track.gtids(all.to_string().as_bytes());
            }
            _ => {}
        }
    }

    /// Whether the answer to a commit may be written before that is done, and be held back: everything that is kept of the
    /// statement is known before.
    pub(super) fn may_answer_ahead(&self, more: bool, wire: &mut dyn Wire) -> bool {
        let is_last = !more && self.vars.track.gtids == 0 && self.own_gtid == OwnGtid::Automatic;
        is_last && !self.collects() && !self.logs_slow() && wire.held().is_some()
    }

    /// Has the answer wait for a commit that is under way.
    pub(super) fn hold(&mut self, committed: Committed, wire: &mut dyn Wire) -> Option<CommitAck> {
        match committed {
            Committed::Done(ack) => Some(ack),
            Committed::UnderWay(commit) => {
                self.last_commit = commit.seq();
                let crowded = commit.recent().distance() >= CROWD;
                *wire.held().expect("somebody can wait") =
                    Some(Held::by(async move { drop(commit.await) }, crowded));
                None
            }
        }
    }

    /// Writes an OK packet. `ack` is the proof for a statement that has ended a transaction; one within a transaction
    /// has none.
    pub(super) fn ok(&mut self, ack: Option<CommitAck>, changed: &Changed, more: bool, wire: &mut dyn Wire) {
        if let Some(ack) = ack {
            self.last_commit = ack.seq();
        }
        self.note_gtids();
        let packet = OkPacket {
            affected_rows: changed.affected,
            last_insert_id: changed.insert_id,
            status: self.status(more),
            warnings: self.warnings.packet_count(),
            info: changed.info.as_deref().unwrap_or_default(),
            changes: Some(&self.track),
        };
        packet.write(wire.packets(), self.capabilities);
        self.track.clear();
    }
}

/// The variables of a session that begins.
pub(super) fn begin_variables(
    shared: &Shared,
    sql: &mut Session,
    capabilities: Capabilities,
) -> SessionVariables {
    let mut vars = shared.variables.begin(sql);
    if capabilities.contains(Capabilities::INTERACTIVE) {
        vars.become_interactive();
    }
    vars
}

fn environment(sql: &Session) -> Environment {
    Environment {
        db: sql.db.clone(),
        sql_mode: sql.sql_mode,
        collation: sql.collation_connection,
        temporary: sql.temporary.version().map(|version| (sql.connection_id, version)),
    }
}

fn result_settings(sql: &Session, capabilities: Capabilities) -> ResultSettings {
    let connection = sql.collation_connection;
    let collation = match sql.results {
        None => Collation::Binary,
        Some(charset) if charset == connection.charset() => connection,
        Some(charset) => charset.default_collation(),
    };
    ResultSettings {
        capabilities,
        charset: sql.results.unwrap_or(Charset::Binary),
        collation,
        time_zone: sql.time_zone().clone(),
    }
}

/// The collation of literals, in the words of replicas that have none of Unicode 9.0.0 (MariaDB): nothing in the binlog
/// depends on how literals compare.
fn known_everywhere(collation: Collation) -> Collation {
    match collation {
        Collation::Utf8mb40900AiCi | Collation::Utf8mb40900AsCi | Collation::Utf8mb40900AsCs => {
            Collation::Utf8mb4GeneralCi
        }
        Collation::Utf8mb40900Bin => Collation::Utf8mb4Bin,
        other => other,
    }
}

fn log_context(shared: &Shared, sql: &Session, vars: &SessionVariables) -> LogContext {
    let small = |value: u64| u16::try_from(value).unwrap_or(u16::MAX);
    let (increment, offset) = (small(sql.auto_increment_increment), small(sql.auto_increment_offset));
    let flag = |set: bool, flag: u32| if set { flag } else { 0 };
    let full = shared.variables.live.binlog_row_metadata_full.load(Ordering::Relaxed);
    LogContext {
        origin: Origin { timestamp: 0, server_id: shared.server_id },
        microseconds: 0,
        thread_id: sql.pseudo_thread_id,
        level: if full { MetadataLevel::Full } else { MetadataLevel::Minimal },
        db: sql.db.as_deref().unwrap_or_default().as_bytes().into(),
        flags2: flag(!vars.autocommit, flags2::NOT_AUTOCOMMIT)
            | flag(!vars.foreign_key_checks, flags2::NO_FOREIGN_KEY_CHECKS)
            | flag(!vars.unique_checks, flags2::RELAXED_UNIQUE_CHECKS),
        sql_mode: sql.sql_mode.bits(),
        auto_increment: ((increment, offset) != (1, 1)).then_some(AutoIncrement { increment, offset }),
        charset: LogCharset {
            client: vars.client.default_collation().id(),
            connection: known_everywhere(sql.collation_connection).id(),
            server: vars.collation_server.id(),
        },
        default_collation_for_utf8mb4: sql.default_collation_for_utf8mb4,
        needs_primary_key: vars.needs_primary_key,
        time_zone: sql.time_zone().to_string().into_bytes(),
        rows_query: None,
        row_image: RowImage::of(vars.row_image),
        xa: None,
    }
}
