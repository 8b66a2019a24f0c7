//! Plans by the text of their statement, shared by all sessions.
//!
//! What a text means depends on the session's database and a few settings; plans of one such environment make a
//! [`PlanSpace`], which sessions hold on to, so that finding a plan is one look-up by its text. A space has two
//! halves: when the young one is full, it becomes the old one, and the old one is forgotten; plans that are found in
//! the old half move to the young one. So plans in use stay, and texts that never come back cost little.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use engine::catalog::table::Table;
use parking_lot::{Mutex, RwLock};
use sql::params::ParamTypes;
use sql::plan::{ByView, OnDuplicate, Plan, PlannedTable};
use types::collation::Collation;
use types::sql_mode::SqlMode;

use super::result::Definitions;
use crate::accounts::Privileges;

/// Plans in one half of a space.
const HALF_SIZE: usize = 1024;
/// Texts above this many bytes are planned each time.
pub(super) const TEXT_SIZE_MAX: usize = 16 << 10;

/// A plan, and what is known of it beside.
#[derive(Debug)]
pub(super) struct Planned {
    /// The plan.
    pub(super) plan: Plan,
    /// The tables that it touches, in the order of their names: the order in which they are locked.
    pub(super) tables: Vec<PlannedTable>,
    /// What a session must be allowed to do to each of them.
    pub(super) wanted: Vec<Privileges>,
    /// What the statement reads by views, and by which.
    pub(super) by_views: Vec<(ByView, Arc<Table>)>,
    /// The result's columns, once they were asked for, if they are always the same.
    pub(super) definitions: Mutex<Option<Arc<Definitions>>>,
    /// Whether they are.
    pub(super) columns_are_fixed: bool,
    /// What its parameters are taken for.
    pub(super) params: ParamTypes,
    /// Whether it is of the types that the session's variables had when it was made: it is for one execution.
    pub(super) is_typed_by_variables: bool,
}

impl Planned {
    /// A plan that was just made, without parameters.
    pub(super) fn new(plan: Plan) -> Self {
        Self::with_params(plan, ParamTypes::default())
    }

    /// A plan that was just made.
    pub(super) fn with_params(plan: Plan, params: ParamTypes) -> Self {
        let mut tables: Vec<PlannedTable> = Vec::new();
        let mut wanted: Vec<Privileges> = Vec::new();
        let mut by_views = Vec::new();
        let mut all = plan.tables();
        all.sort_by_key(|planned| (planned.table.lock.0, !planned.written));
        for mut planned in all {
            if let Some(by) = &planned.by {
                by_views.push((by.clone(), Arc::clone(&planned.table)));
            }
            let needs = match planned {
                PlannedTable { implied: true, .. } | PlannedTable { by: Some(_), .. } => Privileges::NONE,
                // Whoever has it has made it.
                _ if planned.table.is_temporary() => Privileges::NONE,
                PlannedTable { written: true, .. } => writes(&plan),
                _ => Privileges::SELECT,
            };
            // Of what a view locks by itself nobody is asked: the view is what the statement names.
            planned.locks &= needs == Privileges::SELECT;
            match (tables.last_mut(), wanted.last_mut()) {
                (Some(last), Some(last_needs)) if last.table.lock == planned.table.lock => {
                    *last_needs = last_needs.union(needs);
                    last.implied &= planned.implied;
                    last.locks |= planned.locks;
                    last.by = last.by.take().filter(|_| planned.by.is_some());
                }
                _ => {
                    tables.push(planned);
                    wanted.push(needs);
                }
            }
        }
        let columns_are_fixed = matches!(&plan, Plan::Select(query) if query.columns_are_fixed());
        Self {
            plan,
            tables,
            wanted,
            by_views,
            definitions: Mutex::default(),
            columns_are_fixed,
            params,
            is_typed_by_variables: false,
        }
    }

    /// Whether it changes nothing but temporary tables.
    pub(super) fn changes_temporary_alone(&self) -> bool {
        let mut written = self.tables.iter().filter(|planned| planned.written).peekable();
        written.peek().is_some() && written.all(|planned| planned.table.is_temporary())
    }

    /// Whether a table has changed since.
    pub(super) fn is_stale(&self) -> bool {
        self.tables.iter().any(|planned| planned.table.is_gone())
    }
}

/// The privileges that a statement needs on the table that it changes.
fn writes(plan: &Plan) -> Privileges {
    match plan {
        Plan::Select(_) | Plan::SelectInto(_) => Privileges::SELECT,
        Plan::Insert(insert) => match insert.on_duplicate {
            OnDuplicate::Error => Privileges::INSERT,
            OnDuplicate::Replace => Privileges::INSERT.union(Privileges::DELETE),
            OnDuplicate::Update(_) => Privileges::INSERT.union(Privileges::UPDATE),
        }
        .union(reads(insert.reads_target())),
        Plan::Update(update) => Privileges::UPDATE.union(reads(update.reads_target())),
        Plan::MultiUpdate(_) => Privileges::UPDATE.union(Privileges::SELECT),
        Plan::Delete(delete) => Privileges::DELETE.union(reads(delete.target.reads_target())),
        Plan::MultiDelete(_) => Privileges::DELETE.union(Privileges::SELECT),
    }
}

fn reads(reads: bool) -> Privileges {
    if reads { Privileges::SELECT } else { Privileges::NONE }
}

/// What a plan depends on beside its text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Environment {
    /// The default database.
    pub(super) db: Option<String>,
    /// `sql_mode`
    pub(super) sql_mode: SqlMode,
    /// `collation_connection`
    pub(super) collation: Collation,
    /// The session, and the version of its temporary tables, if it has any: its plans are nobody else's.
    pub(super) temporary: Option<(u32, u64)>,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct PlanSpace {
    halves: RwLock<Halves>,
}

#[derive(Debug, Default)]
struct Halves {
    young: HashMap<Box<str>, Arc<Planned>>,
    old: HashMap<Box<str>, Arc<Planned>>,
}

impl PlanSpace {
    /// The plan of a text, unless a table has changed since it was made.
    pub(super) fn find(&self, text: &str) -> Option<Arc<Planned>> {
        let halves = self.halves.read();
        let found = halves.young.get(text).cloned();
        let old = if found.is_none() { halves.old.get(text).cloned() } else { None };
        drop(halves);
        if let Some(planned) = &old {
            self.put(text, Arc::clone(planned));
        }
        found.or(old).filter(|planned| !planned.is_stale())
    }

    /// Keeps a plan.
    pub(super) fn put(&self, text: &str, planned: Arc<Planned>) {
        if text.len() > TEXT_SIZE_MAX {
            return;
        }
        let mut halves = self.halves.write();
        if halves.young.len() >= HALF_SIZE {
            halves.old = std::mem::take(&mut halves.young);
        }
        halves.young.insert(text.into(), planned);
    }
}

/// All spaces. A space lives as long as a session is in its environment.
#[derive(Debug, Default)]
pub(super) struct PlanCache {
    spaces: Mutex<HashMap<Environment, Weak<PlanSpace>>>,
}

impl PlanCache {
    /// The space of an environment.
    pub(super) fn space(&self, environment: &Environment) -> Arc<PlanSpace> {
        let mut spaces = self.spaces.lock();
        if let Some(space) = spaces.get(environment).and_then(Weak::upgrade) {
            return space;
        }
        spaces.retain(|_, space| space.strong_count() > 0);
        let space = Arc::new(PlanSpace::default());
        spaces.insert(environment.clone(), Arc::downgrade(&space));
        space
    }
}
