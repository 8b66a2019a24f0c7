//! System variables: one table of names, limits, defaults and homes, from which options, SET, `@@x`, SHOW VARIABLES
//! and `--help` are made.
//!
//! Names, defaults, ranges and errors are those of MySQL 8.0.46, recorded in `tests/data`; the test that compares
//! them holds the list of differences. A variable that is [`inert`](Variable::is_inert) is kept and shown because
//! clients set or read it, and changes nothing.
//!
//! | file | holds |
//! | --- | --- |
//! | `table/` | the rows |
//! | `variable`, `kind`, `value`, `home` | what a row says |
//! | `values`, `live`, `session` | where values are |
//! | `read` | `@@x`, SHOW VARIABLES |
//! | `set`, `convert`, `checks`, `rules` | SET |
//! | `parse` | options |
//!
//! Ranks: the lock of SET GLOBAL is taken with nothing else held.

pub mod charsets;
mod checks;
mod convert;
mod home;
mod kind;
mod live;
pub mod parse;
mod read;
mod rules;
mod session;
mod set;
mod table;
mod value;
mod values;
mod variable;
pub mod zone;

use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock, OnceLock};

use arc_swap::ArcSwap;
use commit::{Pipeline, Settings};
use parking_lot::Mutex;
use sql::session::Session;

pub(crate) use checks::parse_gtid_purged;
pub use home::{Field, Home, Shared};
pub use kind::Kind;
pub use live::{Live, Read};
pub use read::{Sight, find};
pub use session::{
    ALL_GTIDS, Characteristics, ConnectionLimits, GtidNext, Isolation, OWN_GTID, SessionVariables, Track,
};
pub use set::{Assigned, Prepared, Target, Who};
pub(crate) use table::{STRATEGY_NAMES, strategy_of};
pub use value::Val;
pub use values::Values;
pub use variable::{Access, Extent, Initial, Restricted, Variable};

/// Every variable, by name.
pub fn table() -> &'static [Variable] {
    static TABLE: LazyLock<Vec<Variable>> = LazyLock::new(table::collect);
    &TABLE
}

/// The row of a name, which is in lower case, and the place in [`table`] of the variable that it means: an alias has a row of its
/// own and no value.
fn row_of(name: &str) -> Option<(usize, &'static Variable)> {
    let place = table().binary_search_by_key(&name, |variable| variable.name).ok()?;
    let row = &table()[place];
    match row.home {
        Home::Alias(of) => Some((place_of(of)?, row)),
        _ => Some((place, row)),
    }
}

/// The place in [`table`] of the variable that a name, which is in lower case, means.
fn place_of(name: &str) -> Option<usize> {
    row_of(name).map(|(place, _)| place)
}

/// The server's variables.
#[derive(Debug)]
pub struct Variables {
    values: ArcSwap<Values>,
    /// Held by who changes a global value. Rank: first.
    setting: Mutex<()>,
    /// What the server reads all the time.
    pub live: Live,
    pipeline: OnceLock<Arc<Pipeline>>,
}

impl Variables {
    /// Those of a server that is told these values.
    pub fn new(values: Values) -> Self {
        let live = Live::default();
        for (variable, val) in table().iter().zip(&values.vals) {
            if let Home::Live(field) = variable.home {
                (field.set)(&live, val);
            }
        }
        let values = ArcSwap::from_pointee(values);
        Self { values, setting: Mutex::default(), live, pipeline: OnceLock::new() }
    }

    /// Says which pipeline the settings are in. Once, at start-up.
    pub fn attach(&self, pipeline: Arc<Pipeline>) {
        // Read here, and kept: `gtid_purged` is not to say that nothing was, because there is no descriptor left.
        if let Err(error) = pipeline.purged_gtids() {
            tracing::warn!(%error, "the first binary log cannot be read: gtid_purged is not known");
        }
        self.pipeline.set(pipeline).expect("a server has one pipeline");
    }

    /// The settings with which a pipeline begins.
    pub fn settings(&self) -> Settings {
        let settings = Settings::default();
        for (variable, val) in table().iter().zip(&self.values.load().vals) {
            set_in_pipeline(variable, &settings, val);
        }
        settings
    }

    /// All global values that live among them; new sessions begin with these.
    pub fn values(&self) -> Arc<Values> {
        self.values.load_full()
    }

    /// A new session's variables: the global values, brought to where the session has them.
    pub fn begin(&self, sql: &mut Session) -> SessionVariables {
        let own = self.begin_own();
        for (variable, val) in table().iter().zip(&own.begun_with.vals) {
            if let Home::Sql(field) = variable.home
                && variable.extent == Extent::Both
            {
                (field.set)(sql, val);
            }
        }
        let packet = own.limits.max_allowed_packet.load(Ordering::Relaxed);
        sql.max_allowed_packet = usize::try_from(packet).unwrap_or(usize::MAX);
        own
    }

    /// Those of them that do not live in the SQL session.
    pub fn begin_own(&self) -> SessionVariables {
        let values = self.values();
        let mut own = SessionVariables::new(Arc::clone(&values));
        for (variable, val) in table().iter().zip(&values.vals) {
            if let Home::Own(field) = variable.home
                && variable.extent == Extent::Both
            {
                (field.set)(&mut own, val);
            }
        }
        own.collation_database = own.collation_server;
        own
    }

    fn pipeline(&self) -> Option<&Pipeline> {
        self.pipeline.get().map(|pipeline| &**pipeline)
    }

    /// The global value that is kept here.
    fn global(&self, place: usize) -> Val {
        self.values.load().vals[place].clone()
    }

    /// Changes a global value that was examined.
    fn set_global(&self, place: usize, val: &Val) {
        let variable = &table()[place];
        let _setting = self.setting.lock();
        if let Home::Live(field) = variable.home {
            (field.set)(&self.live, val);
        }
        if let Some(pipeline) = self.pipeline() {
            set_in_pipeline(variable, &pipeline.settings, val);
            pipeline.resize_dependency_history();
        }
        let mut values = Values::clone(&self.values.load());
        values.put_with_partner(variable.name, val.clone());
        self.values.store(Arc::new(values));
    }
}

fn set_in_pipeline(variable: &Variable, settings: &Settings, val: &Val) {
    if let Home::Pipeline(field) = variable.home {
        (field.set)(settings, val);
        return;
    }
    match variable.name {
        // The two middle modes number as the outer ones: 2 and 3 draw GTIDs.
        "gtid_mode" => settings.gtid_mode.store(val.choice() >= 2, Ordering::Relaxed),
        "transaction_write_set_extraction" => {
            settings.write_set_extraction.store(val.choice(), Ordering::Relaxed);
        }
        _ => {}
    }
}
