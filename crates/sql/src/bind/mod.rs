//! Binding: from the parser's tree to plans. Names are resolved, access paths chosen; nothing is executed.

mod access;
mod block;
mod dependent;
mod dml;
mod expr;
mod flat;
mod from;
mod full_group_by;
mod function;
mod join;
mod json;
mod literal;
mod load;
mod merge;
mod multi;
mod order;
mod outer;
mod over;
mod params;
mod place;
mod query;
mod recursive;
mod rollup;
mod rows;
mod rules;
mod scope;
mod select;
mod sets;
mod show;
mod tail;
mod targets;
mod values;
mod view;
mod with;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use engine::catalog::Catalog;
use types::column::Column;
use types::error::SqlError;
use types::error::table::{ER_NO_DB_ERROR, ER_NOT_SUPPORTED_YET};

pub(crate) use access::possible_indexes;
pub use dml::{bind_delete, bind_insert, bind_update};
pub use load::bind_load;
pub use query::{bind_into, bind_query};
pub use rules::{bind_relations, bind_rules};
pub use scope::Scope;
pub use select::bind_exprs;
pub use show::bind_show;
pub(crate) use targets::set_name;
pub use view::{BoundView, bind_view, bind_whole_view};

use crate::expr::{Expr, Extent};
use crate::params::ParamTypes;
use crate::plan::QueryPlan;
use crate::session::Session;

type Result<T> = std::result::Result<T, SqlError>;

/// The most of [`BindEnv::copies`].
const COPIES_MAX: usize = 200_000;

/// What a view counts as. Views that read others twice double at each level.
const VIEW_COST: usize = 100;

/// What names are resolved against.
#[derive(Clone, Debug)]
pub struct BindEnv<'a> {
    /// The catalog.
    pub catalog: &'a Arc<Catalog>,
    /// The session.
    pub session: &'a Session,
    /// The statement's text as it was parsed: select lists name their columns by it. Empty if there is none.
    pub text: &'a str,
    /// Of a subquery: what surrounds it.
    outer: Option<&'a outer::Outer<'a>>,
    /// The queries of WITH that are known here, the nearest last.
    named: Vec<Rc<with::Named>>,
    /// Of a view's query: the view, and those around it.
    in_view: Option<&'a view::Within<'a>>,
    /// Of CREATE VIEW: collects what the catalog keeps another text of.
    record: Option<&'a view::Record>,
    /// Derived tables stay what they are.
    keeps_derived: bool,
    /// The view that is defined, by database and name: nothing can be read by this name.
    defined: Option<(&'a str, &'a str)>,
    /// How deep in other queries this is.
    level: usize,
    /// What parameters are taken for.
    params: Rc<RefCell<ParamTypes>>,
    /// What the plan has to do with user variables.
    variables: Rc<Cell<Variables>>,
    /// Expressions of which the statement has further copies, and [`VIEW_COST`] for each view that it reads.
    copies: Rc<Cell<usize>>,
}

/// What a plan has to do with user variables. Their types are their values', which are the session's at the moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Variables {
    /// Nothing.
    #[default]
    Unknown,
    /// It reads some, in the types of each execution.
    AreRead,
    /// It may keep types that they had.
    Type,
}

impl<'a> BindEnv<'a> {
    /// For a whole statement.
    pub fn new(catalog: &'a Arc<Catalog>, session: &'a Session, text: &'a str) -> Self {
        Self {
            catalog,
            session,
            text,
            outer: None,
            named: Vec::new(),
            in_view: None,
            record: None,
            keeps_derived: false,
            defined: None,
            level: 0,
            params: Rc::default(),
            variables: Rc::default(),
            copies: Rc::default(),
        }
    }

    /// A statement needs a copy of these. Error 1235 if it needs too many: what names stand for, and rows that are compared,
    /// can double at each level.
    fn note_copies<'e>(&self, copied: impl IntoIterator<Item = &'e Expr>) -> Result<()> {
        let parts = copied.into_iter().map(|expr| expr.extent(&|_, _| Extent::ONE).count - 1);
        self.note_cost(parts.sum())
    }

    fn note_cost(&self, cost: usize) -> Result<()> {
        let copies = self.copies.get() + cost;
        self.copies.set(copies);
        if copies > COPIES_MAX {
            return Err(unsupported("a statement whose names and rows stand for too much"));
        }
        Ok(())
    }

    /// What the parameters of what was bound are taken for.
    pub fn param_types(&self) -> ParamTypes {
        self.params.take()
    }

    /// Whether the plan is of the types that user variables had when it was made.
    pub fn is_typed_by_variables(&self) -> bool {
        self.variables.get() == Variables::Type
    }

    /// A user variable is read.
    fn note_variable(&self) {
        self.variables.set(self.variables.get().max(Variables::AreRead));
    }

    /// The plan keeps the type of what depends on values.
    fn note_kept_type(&self) {
        if self.variables.get() == Variables::AreRead {
            self.variables.set(Variables::Type);
        }
    }

    /// The columns of a query, as a source of another one.
    fn columns_of(&self, plan: &QueryPlan) -> Result<Arc<[Column]>> {
        if !plan.columns_are_fixed() {
            self.note_kept_type();
        }
        plan.columns(self.session)
    }

    /// The same for a statement that changes rows. What it reads by a derived table is read before it changes anything, also of
    /// the table that it changes; so derived tables stay what they are.
    fn keeping_derived(&self) -> Self {
        Self { keeps_derived: true, ..self.clone() }
    }

    /// What a query within another one is bound in.
    fn within(&self) -> Self {
        Self { level: self.level + 1, ..self.clone() }
    }

    /// Whether the statement may assign to user variables. Without its text nobody knows.
    fn may_assign(&self) -> bool {
        self.text.is_empty() || self.text.contains(":=")
    }

    /// The value that a name means which a subquery does not know, if it is known around it.
    fn outer_column(&self, db: Option<&str>, table: Option<&str>, name: &str) -> Result<Option<Expr>> {
        self.outer.map_or(Ok(None), |outer| outer.column(db, table, name))
    }

    /// What is bound gives something else each time, or each time counts.
    fn note_varying(&self) {
        self.outer.into_iter().for_each(outer::Outer::note_varying);
    }

    /// How often a subquery has named what is around it.
    fn outer_uses(&self) -> usize {
        self.outer.map_or(0, outer::Outer::uses)
    }

    /// The database of a name that says none.
    fn current_db(&self) -> Result<&str> {
        self.session.db.as_deref().ok_or_else(|| ER_NO_DB_ERROR.error(&[]))
    }
}

/// Error 1235.
pub(crate) fn unsupported(what: &str) -> SqlError {
    ER_NOT_SUPPORTED_YET.error(&[&what])
}
