//! What a session's variables are beyond those that expressions know of ([`sql::session::Session`]).
//!
//! Fields are what statements act on. Variables that are only kept and shown take no memory: a session shares the
//! global values that it began with and remembers what it changed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use binlog::Gtid;
use types::charset::Charset;
use types::collation::Collation;

use super::value::Val;
use super::values::Values;

/// `transaction_isolation`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// READ-UNCOMMITTED
    ReadUncommitted,
    /// READ-COMMITTED
    ReadCommitted,
    /// REPEATABLE-READ
    #[default]
    RepeatableRead,
    /// SERIALIZABLE
    Serializable,
}

impl Isolation {
    /// In the order of `transaction_isolation`'s names.
    pub const ALL: [Self; 4] =
        [Self::ReadUncommitted, Self::ReadCommitted, Self::RepeatableRead, Self::Serializable];
}

/// `gtid_next`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GtidNext {
    /// The server numbers.
    #[default]
    Automatic,
    /// The next transaction has no number.
    Anonymous,
    /// The next transaction has this one.
    Gtid(Gtid),
}

/// What the connection itself has to know, shared with it. Relaxed order: they guard no other memory.
#[derive(Debug)]
pub struct ConnectionLimits {
    /// `wait_timeout`, seconds.
    pub wait_timeout_s: AtomicU32,
    /// `net_read_timeout`, seconds.
    pub net_read_timeout_s: AtomicU32,
    /// `net_write_timeout`, seconds.
    pub net_write_timeout_s: AtomicU32,
    /// `max_allowed_packet`, bytes.
    pub max_allowed_packet: AtomicU64,
    /// `long_query_time`, microseconds.
    pub long_query_time_us: AtomicU64,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            wait_timeout_s: AtomicU32::new(28_800),
            net_read_timeout_s: AtomicU32::new(30),
            net_write_timeout_s: AtomicU32::new(60),
            max_allowed_packet: AtomicU64::new(64 << 20),
            long_query_time_us: AtomicU64::new(10_000_000),
        }
    }
}

/// In `session_track_gtids`.
pub const OWN_GTID: u8 = 1;
/// The same.
pub const ALL_GTIDS: u8 = 2;

/// Which changes of a session its client is told: `session_track_*`.
#[derive(Clone, Debug, Default)]
pub struct Track {
    /// `session_track_schema`
    pub schema: bool,
    /// `session_track_gtids`: 0 OFF, [`OWN_GTID`], [`ALL_GTIDS`].
    pub gtids: u8,
    /// `session_track_state_change`
    pub state_change: bool,
    /// `session_track_system_variables`: names between commas, or `*`.
    pub system_variables: Option<Arc<str>>,
}

/// What SET TRANSACTION says of one transaction: the next statement that begins one uses it up, and so does the end of one,
/// or a statement that would have ended it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Characteristics {
    /// Its isolation level.
    pub isolation: Option<Isolation>,
    /// Whether it only reads.
    pub read_only: Option<bool>,
}

/// See the module.
///
/// Fields are in this order, also in memory: what nearly every statement touches comes first.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct SessionVariables {
    /// `timestamp`, microseconds since 1970, if it was set.
    pub timestamp_us: Option<u64>,
    /// Shared with the connection.
    pub limits: Arc<ConnectionLimits>,
    /// `max_execution_time`, milliseconds: for SELECT; 0 = none.
    pub max_execution_time_ms: u64,
    /// What SET TRANSACTION said of the next transaction.
    pub next: Characteristics,
    /// `autocommit`
    pub autocommit: bool,
    /// `transaction_read_only`
    pub read_only: bool,
    /// `sql_log_bin`: what the session does is logged.
    pub sql_log_bin: bool,
    /// `sql_log_off`: what the session does is not in the general log.
    pub sql_log_off: bool,
    /// `binlog_rows_query_log_events`
    pub rows_query: bool,
    /// `transaction_isolation`
    pub isolation: Isolation,
    /// `transaction_write_set_extraction`: 0 OFF, 1 MURMUR32, 2 XXHASH64.
    pub write_set_extraction: u8,
    /// `character_set_client`: what statements are in.
    pub client: Charset,
    /// `rbr_exec_mode` is IDEMPOTENT.
    pub idempotent_replay: bool,
    /// `gtid_next`
    pub gtid_next: GtidNext,
    /// What the global values were when the session began.
    pub(super) begun_with: Arc<Values>,
    /// What the session changed of the values that are only kept, by place in the table.
    pub(super) changed: Vec<(u16, Val)>,
    /// `completion_type`: 0 ends, 1 chains, 2 releases.
    pub completion_type: u8,
    /// `collation_server` of the session: what a new database gets.
    pub collation_server: Collation,
    /// `collation_database`: that of the default database. The session keeps it with USE.
    pub collation_database: Collation,
    /// `lock_wait_timeout`, seconds: for metadata locks.
    pub lock_wait_timeout_s: u32,
    /// `innodb_lock_wait_timeout`, seconds: for row locks.
    pub innodb_lock_wait_timeout_s: u32,
    /// `max_error_count`: what SHOW WARNINGS keeps.
    pub max_error_count: u16,
    /// `sql_notes`: notes are counted and kept as warnings are.
    pub sql_notes: bool,
    /// `foreign_key_checks`
    pub foreign_key_checks: bool,
    /// `sql_require_primary_key`
    pub needs_primary_key: bool,
    /// `restrict_fk_on_non_standard_key`
    pub restrict_fk_on_non_standard_key: bool,
    /// `unique_checks`
    pub unique_checks: bool,
    /// `xa_detach_on_prepare`
    pub xa_detach_on_prepare: bool,
    /// `binlog_row_image`: 0 MINIMAL, 1 NOBLOB, 2 FULL.
    pub row_image: u8,
    /// `binlog_transaction_compression`
    pub compression: bool,
    /// `binlog_transaction_compression_level_zstd`
    pub compression_level: u8,
    /// `session_track_*`
    pub track: Track,
    /// `warning_count`: of the last statement; the session keeps it.
    pub warning_count: u64,
    /// `error_count`: of the last statement; the session keeps it.
    pub error_count: u64,
}

impl SessionVariables {
    /// A session's, with fields that [`super::Variables::begin`] is going to set.
    pub(super) fn new(begun_with: Arc<Values>) -> Self {
        Self {
            begun_with,
            changed: Vec::new(),
            limits: Arc::default(),
            autocommit: true,
            isolation: Isolation::default(),
            next: Characteristics::default(),
            read_only: false,
            completion_type: 0,
            client: Charset::Utf8mb4,
            collation_server: Collation::Utf8mb4GeneralCi,
            collation_database: Collation::Utf8mb4GeneralCi,
            lock_wait_timeout_s: 0,
            innodb_lock_wait_timeout_s: 0,
            max_execution_time_ms: 0,
            max_error_count: 0,
            sql_notes: true,
            foreign_key_checks: true,
            needs_primary_key: false,
            restrict_fk_on_non_standard_key: true,
            unique_checks: true,
            xa_detach_on_prepare: true,
            sql_log_bin: true,
            sql_log_off: false,
            row_image: 2,
            write_set_extraction: 2,
            compression: false,
            compression_level: 3,
            idempotent_replay: false,
            rows_query: false,
            gtid_next: GtidNext::Automatic,
            timestamp_us: None,
            track: Track::default(),
            warning_count: 0,
            error_count: 0,
        }
    }

    /// When a statement begins that is executed at `now_us`: that, or what `timestamp` was set to. Microseconds since
    /// 1970.
    pub fn statement_time_us(&self, now_us: u64) -> u64 {
        self.timestamp_us.unwrap_or(now_us)
    }

    /// `interactive_timeout` becomes `wait_timeout` for a client that says it is interactive.
    pub fn become_interactive(&mut self) {
        let seconds = self.kept("interactive_timeout").u32();
        self.limits.wait_timeout_s.store(seconds, Ordering::Relaxed);
    }

    /// The session's value of a variable that is only kept, by its name.
    ///
    /// # Panics
    /// If there is none of this name.
    pub fn kept(&self, name: &str) -> &Val {
        self.value(super::place_of(name).expect("a variable of this name"))
    }

    /// The session's value of a variable that is only kept, by its place.
    pub(super) fn value(&self, place: usize) -> &Val {
        let changed = self.changed.iter().find(|(changed, _)| usize::from(*changed) == place);
        changed.map_or(&self.begun_with.vals[place], |(_, val)| val)
    }

    /// Changes a value that is only kept.
    pub(super) fn change(&mut self, place: usize, val: Val) {
        let place = u16::try_from(place).expect("the table is short");
        match self.changed.iter_mut().find(|(changed, _)| *changed == place) {
            Some(entry) => entry.1 = val,
            None => self.changed.push((place, val)),
        }
    }
}
