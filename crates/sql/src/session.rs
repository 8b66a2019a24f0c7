//! What expressions and statements know of their session.

use std::any::Any;
use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use engine::ids::CommitSeq;
use parking_lot::Mutex;
use types::charset::Charset;
use types::collation::Collation;
use types::error::SqlError;
use types::sql_mode::SqlMode;
use types::temporal::{Date, TimeZone};
use types::value::Value;
use types::warning::Warnings;
use types::{context::Context, temporal::DateTime};

use crate::exec::BoxFuture;
use crate::func::next_random;
use crate::temporary::TemporaryTables;
use crate::virtual_table::VirtualTable;

/// Which value of a system variable is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// `@@x`, `@@session.x`, `@@local.x`
    Session,
    /// `@@global.x`
    Global,
}

/// What a statement does with a table that it names, as far as that is known before it is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// Its rows are read; in a change of several tables they may be changed as well.
    Read,
    /// INSERT.
    Insert,
    /// REPLACE.
    Replace,
    /// INSERT .. ON DUPLICATE KEY UPDATE.
    InsertOrUpdate,
    /// UPDATE.
    Update,
    /// DELETE.
    Delete,
}

/// What the server offers to statements beside tables. It is `Any` so that virtual tables find theirs.
pub trait Server: Any + Debug + Send + Sync {
    /// The value of a system variable; `scope` is what stands before its name, if anything does. Error 1193 if there
    /// is none of that name.
    fn variable(&self, session: &Session, scope: Option<Scope>, name: &str) -> Result<Value, SqlError>;

    /// A table of `information_schema`, `performance_schema`, `mysql` or `sys`.
    fn virtual_table(&self, db: &str, name: &str) -> Option<Arc<dyn VirtualTable>>;

    /// Whether a database has virtual tables.
    fn is_virtual_database(&self, db: &str) -> bool;

    /// `version()`
    fn version(&self) -> &str;

    /// What the machine's clock shows, seconds since 1970, whatever the session's `timestamp` is.
    fn clock_s(&self) -> u64 {
        0
    }

    /// Error 1142 unless the session may use a table so which its statement names, whether there is one of that name or not. It
    /// is asked before anything of the table is looked at: no other error tells who may not what there is.
    fn permit(&self, usage: Usage, db: &str, table: &str) -> Result<(), SqlError> {
        let _ = (usage, db, table);
        Ok(())
    }

    /// Answers a function about the server; it may wait, and ends with error 1317 if the session is killed. NULL
    /// from whoever has none.
    fn answer(&self, asked: &Asked<'_>) -> Result<Value, SqlError> {
        let _ = asked;
        Ok(Value::Null)
    }

    /// Resolves when a commit is visible.
    fn wait_visible(&self, seq: CommitSeq) -> BoxFuture<'_, ()> {
        let _ = seq;
        Box::pin(std::future::ready(()))
    }
}

/// What functions ask of the server. Sets are as they were written (1772); no time is no end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Asked<'a> {
    /// `gtid_subset()`: 1 or 0.
    Subset {
        /// The set.
        set: &'a str,
        /// What it may be a part of.
        of: &'a str,
    },
    /// `gtid_subtract()`: text.
    Subtract {
        /// What something is taken of.
        from: &'a str,
        /// What is taken.
        set: &'a str,
    },
    /// `wait_for_executed_gtid_set()`: 0, or 1 after the time.
    WaitForSet {
        /// What is waited for.
        set: &'a str,
        /// Seconds.
        timeout_s: Option<f64>,
    },
    /// `source_pos_wait()`: 0, or -1 after the time.
    WaitForPosition {
        /// The source's file.
        file: &'a str,
        /// Where in it.
        position: u64,
        /// Seconds.
        timeout_s: Option<f64>,
    },
    /// `sleep()`: 0, or 1, and no error, if the session is killed before the time.
    Sleep {
        /// How long.
        seconds: f64,
    },
    /// Something about a user lock.
    UserLock {
        /// Who asks: its connection.
        session: u32,
        /// What.
        of_lock: OfLock<'a>,
    },
}

/// What functions ask of user locks. Names are in small letters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OfLock<'a> {
    /// `get_lock()`: 1, or 0 after the time.
    Take {
        /// Which.
        name: &'a str,
        /// Seconds.
        timeout_s: Option<f64>,
    },
    /// `release_lock()`: 1, 0 if it is somebody else's, NULL if it is free.
    Release {
        /// Which.
        name: &'a str,
    },
    /// `release_all_locks()`: how many.
    ReleaseAll,
    /// `is_used_lock()`: the owner's connection, NULL if it is free.
    Owner {
        /// Of which.
        name: &'a str,
    },
}

/// See the module. Fields without a lock change between statements only.
///
/// Fields are in this order, also in memory: what nearly every statement touches comes first.
#[derive(Debug)]
#[repr(C)]
pub struct Session {
    /// `time_zone`
    time_zone: TimeZone,
    /// When the statement began, microseconds since 1970.
    now_us: u64,
    /// `sql_mode`
    pub sql_mode: SqlMode,
    /// `max_allowed_packet`, bytes: what functions give has no more.
    pub max_allowed_packet: usize,
    /// `row_count()`
    pub row_count: i64,
    /// `last_insert_id()`
    pub last_insert_id: AtomicU64,
    /// The date then, in the session's time zone.
    today: Date,
    /// `collation_connection`: literals are in its character set.
    pub collation_connection: Collation,
    /// `default_collation_for_utf8mb4`: the collation of what names `utf8mb4` and no collation.
    pub default_collation_for_utf8mb4: Collation,
    /// `foreign_key_checks`
    pub foreign_key_checks: bool,
    /// `sql_safe_updates`
    pub safe_updates: bool,
    /// Whether the statement has set that by `last_insert_id(expr)`.
    pub last_insert_id_given: AtomicBool,
    /// `database()`
    pub db: Option<String>,
    /// `found_rows()`
    pub found_rows: AtomicU64,
    /// `sql_select_limit`
    pub select_limit: u64,
    /// `insert_id`: what the next generated AUTO_INCREMENT value is to be.
    pub insert_id: Option<u64>,
    /// The connection: what the session has goes by it.
    pub connection_id: u32,
    /// `pseudo_thread_id`: what `connection_id()` and the binlog say.
    pub pseudo_thread_id: u32,
    /// The server.
    pub server: Arc<dyn Server>,
    /// `user()`: name and host of the client.
    pub user: String,
    /// `current_user()`: the account.
    pub account: String,
    /// `character_set_results`; `None` = as they are.
    pub results: Option<Charset>,
    /// `auto_increment_increment`
    pub auto_increment_increment: u64,
    /// `auto_increment_offset`
    pub auto_increment_offset: u64,
    /// `default_week_format`
    pub default_week_format: u8,
    /// `block_encryption_mode`: a place in its values.
    pub block_encryption_mode: u8,
    /// `div_precision_increment`
    pub div_precision_increment: u8,
    /// `group_concat_max_len`, bytes.
    pub group_concat_max_len: usize,
    /// `cte_max_recursion_depth`
    pub cte_max_recursion_depth: u32,
    /// `@x`, by lower-case name.
    pub user_variables: Mutex<HashMap<String, Value>>,
    /// State of `rand()`.
    pub random: AtomicU64,
    /// CREATE TEMPORARY TABLE.
    pub temporary: TemporaryTables,
}

impl Session {
    /// A session with MySQL's defaults. `random` is what `rand()` and `uuid()` begin with: two sessions with the same one, on
    /// whatever servers, draw the same numbers.
    pub fn new(server: Arc<dyn Server>, connection_id: u32, random: u64) -> Self {
        Self {
            temporary: TemporaryTables::default(),
            server,
            connection_id,
            pseudo_thread_id: connection_id,
            user: String::new(),
            account: String::new(),
            db: None,
            sql_mode: SqlMode::default(),
            time_zone: TimeZone::UTC,
            collation_connection: Collation::Utf8mb4GeneralCi,
            default_collation_for_utf8mb4: Collation::Utf8mb4GeneralCi,
            results: Some(Charset::Utf8mb4),
            auto_increment_increment: 1,
            auto_increment_offset: 1,
            default_week_format: 0,
            block_encryption_mode: 0,
            div_precision_increment: 4,
            group_concat_max_len: 1024,
            max_allowed_packet: types::context::RESULT_SIZE_MAX,
            select_limit: u64::MAX,
            cte_max_recursion_depth: 1000,
            safe_updates: false,
            foreign_key_checks: true,
            insert_id: None,
            now_us: 0,
            today: Date::ZERO,
            last_insert_id: AtomicU64::new(0),
            last_insert_id_given: AtomicBool::new(false),
            row_count: -1,
            found_rows: AtomicU64::new(0),
            user_variables: Mutex::default(),
            random: AtomicU64::new(random),
        }
    }

    /// A session for work elsewhere on behalf of this one: with everything that values depend on.
    #[must_use]
    pub fn detached(&self) -> Self {
        Self {
            pseudo_thread_id: self.pseudo_thread_id,
            user: self.user.clone(),
            account: self.account.clone(),
            db: self.db.clone(),
            sql_mode: self.sql_mode,
            time_zone: self.time_zone.clone(),
            collation_connection: self.collation_connection,
            default_collation_for_utf8mb4: self.default_collation_for_utf8mb4,
            default_week_format: self.default_week_format,
            block_encryption_mode: self.block_encryption_mode,
            div_precision_increment: self.div_precision_increment,
            max_allowed_packet: self.max_allowed_packet,
            auto_increment_increment: self.auto_increment_increment,
            auto_increment_offset: self.auto_increment_offset,
            now_us: self.now_us,
            today: self.today,
            ..Self::new(Arc::clone(&self.server), self.connection_id, next_random(self))
        }
    }

    /// How the session reads SQL.
    pub fn quoting(&self) -> crate::lex::Quoting {
        crate::lex::Quoting::of(self.sql_mode)
    }

    /// A statement begins at this moment, microseconds since 1970.
    pub fn set_now(&mut self, now_us: u64) {
        let same_second = now_us / 1_000_000 == self.now_us / 1_000_000;
        self.now_us = now_us;
        if !same_second {
            self.today = self.now(0).date();
        }
    }

    /// `time_zone`
    pub fn time_zone(&self) -> &TimeZone {
        &self.time_zone
    }

    /// SET `time_zone`.
    pub fn set_time_zone(&mut self, time_zone: TimeZone) {
        self.time_zone = time_zone;
        self.today = self.now(0).date();
    }

    /// When the statement began, microseconds since 1970.
    pub fn now_us(&self) -> u64 {
        self.now_us
    }

    /// `now()` with so many digits of fraction.
    pub fn now(&self, fsp: u8) -> DateTime {
        let seconds = i64::try_from(self.now_us / 1_000_000).unwrap_or(i64::MAX);
        let micros = u32::try_from(self.now_us % 1_000_000).expect("below a million");
        let moment = types::temporal::Timestamp::new(seconds, micros);
        moment.map_or(DateTime::ZERO, |moment| self.time_zone.to_local(moment, 6).truncate_to(fsp))
    }

    /// `curdate()`
    pub fn today(&self) -> Date {
        self.today
    }

    /// A context for a statement that reads.
    pub fn reading<'a>(&'a self, warnings: &'a mut Warnings) -> Context<'a> {
        Context {
            result_size_max: self.max_allowed_packet,
            ..Context::reading(self.sql_mode, &self.time_zone, self.today(), warnings)
        }
    }

    /// A context for a statement that writes.
    pub fn writing<'a>(&'a self, warnings: &'a mut Warnings) -> Context<'a> {
        Context {
            default_collation_for_utf8mb4: self.default_collation_for_utf8mb4,
            result_size_max: self.max_allowed_packet,
            ..Context::writing(self.sql_mode, &self.time_zone, self.today(), warnings)
        }
    }
}
