//! Views: what a query reads that names one, and what CREATE VIEW keeps of its query.
//!
//! A view is bound where it is named, as a subquery in FROM whose text the catalog has. Whose privileges count for what it
//! reads stands in the plan beside its tables ([`PlannedTable::by`]).
//!
//! What CREATE VIEW keeps is the statement's own text, with little changed: `*` is replaced by the columns that it means
//! now, and names of tables get the database that they were found in unless it is the view's, which they lose. So a view is
//! read with its own database as the default one, and its dump loads into another database.
//!
//! [`PlannedTable::by`]: crate::plan::PlannedTable::by

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use engine::catalog::Catalog;
use engine::catalog::def::{ViewAlgorithm, ViewDef};
use engine::catalog::table::Table;
use sqlparser::ast;
use types::column::Column;
use types::error::SqlError;
use types::error::table::{
    ER_BAD_DB_ERROR, ER_BAD_FIELD_ERROR, ER_BAD_TABLE_ERROR, ER_NO_SUCH_TABLE, ER_VIEW_INVALID,
    ER_VIEW_RECURSIVE, ER_VIEW_WRONG_LIST,
};
use types::sql_mode::SqlMode;

use super::merge::Mergeable;
use super::scope::Scope;
use super::with::too_deep;
use super::{BindEnv, Result, VIEW_COST, query};
use crate::parse::{NESTING_MAX, Quoted, stored_query};
use crate::plan::{ByView, QueryPlan, SourceKind, Subquery, UsedView};
use crate::session::Session;

/// Modes that change how a text is read: those of the statement do not count for a view's.
const READING: [SqlMode; 5] = [
    SqlMode::ANSI_QUOTES,
    SqlMode::NO_BACKSLASH_ESCAPES,
    SqlMode::PIPES_AS_CONCAT,
    SqlMode::HIGH_NOT_PRECEDENCE,
    SqlMode::IGNORE_SPACE,
];

/// The views that a query stands in while it is bound, the innermost one first.
#[derive(Debug)]
pub(super) struct Within<'a> {
    view: &'a Arc<Table>,
    outer: Option<&'a Self>,
    /// The view whose definer's privileges count.
    definer: Option<&'a Arc<Table>>,
}

impl Within<'_> {
    /// How a statement comes to what stands in the innermost view.
    pub(super) fn by(&self) -> ByView {
        let outermost = std::iter::successors(Some(self), |within| within.outer).last().unwrap_or(self);
        ByView { view: Arc::clone(outermost.view), definer: self.definer.cloned() }
    }
}

/// Binds a view as a source. Error 1356 if it cannot be bound any more, 1462 if it reads itself.
pub(super) fn bind(
    view: &Arc<Table>,
    scope: &mut Scope,
    env: &BindEnv<'_>,
) -> Result<(SourceKind, Option<Arc<Mergeable>>)> {
    let Rows { plan, columns, mergeable } = bind_rows(view, env)?;
    let used = UsedView { view: Arc::clone(view), by: env.in_view.map(Within::by), locks: false };
    scope.subqueries.push(Subquery { view: Some(used), ..Subquery::in_from(plan, false) });
    // What MySQL is told to keep apart it keeps apart.
    let mergeable = mergeable.filter(|_| definition(view).algorithm != ViewAlgorithm::TempTable);
    Ok((SourceKind::Derived(scope.subqueries.len() - 1, columns), mergeable))
}

/// What a view's rows are.
struct Rows {
    plan: QueryPlan,
    /// Under the view's names.
    columns: Arc<[Column]>,
    mergeable: Option<Arc<Mergeable>>,
}

fn bind_rows(view: &Arc<Table>, env: &BindEnv<'_>) -> Result<Rows> {
    let def = definition(view);
    let outer = env.in_view;
    let mut around = std::iter::successors(outer, |within| within.outer);
    if around.any(|within| within.view.lock == view.lock) {
        return Err(ER_VIEW_RECURSIVE.error(&[&view.def.db, &view.def.name]));
    }
    if env.level + usize::from(def.depth) > NESTING_MAX {
        return Err(too_deep());
    }
    let definer = if def.invoker { outer.and_then(|outer| outer.definer) } else { Some(view) };
    let within = Within { view, outer, definer };
    let session = reader(env.session, &view.def.db, def);
    let inner =
        BindEnv { text: &def.query, in_view: Some(&within), ..BindEnv::new(env.catalog, &session, "") };
    env.note_cost(VIEW_COST)?;
    let BindEnv { defined, keeps_derived, level, .. } = *env;
    let inner = BindEnv { keeps_derived, defined, level, copies: Rc::clone(&env.copies), ..inner };
    let bound = stored_query(&def.query).and_then(|query| query::bind_derived(&query, &inner));
    let (plan, mergeable) =
        bound.map_err(|error| if is_of_defined(&error, env) { error } else { invalid(view, error) })?;
    let columns = plan.columns(&session)?;
    if columns.len() != view.columns.len() {
        return Err(invalid(view, ER_VIEW_WRONG_LIST.error(&[])));
    }
    let named = columns.iter().zip(&view.columns);
    let columns =
        named.map(|(column, named)| Column { name: named.name.clone(), ..column.clone() }).collect();
    Ok(Rows { plan, columns, mergeable })
}

/// What a view is.
fn definition(view: &Table) -> &ViewDef {
    view.def.view.as_ref().expect("a view was found")
}

/// The session in which a view's text is read.
fn reader(session: &Session, db: &str, view: &ViewDef) -> Session {
    let mut reader = session.detached();
    reader.db = Some(db.to_owned());
    reader.collation_connection = view.connection;
    for mode in READING {
        reader.sql_mode = reader.sql_mode.without(mode);
    }
    reader
}

/// What a reader of a view is told whose query cannot be bound: nothing of what it consists of.
fn invalid(view: &Table, error: SqlError) -> SqlError {
    let hidden = [
        &ER_BAD_DB_ERROR,
        &ER_BAD_FIELD_ERROR,
        &ER_BAD_TABLE_ERROR,
        &ER_NO_SUCH_TABLE,
        &ER_VIEW_INVALID,
        &ER_VIEW_WRONG_LIST,
    ];
    if hidden.into_iter().any(|hidden| error.is(hidden)) {
        return ER_VIEW_INVALID.error(&[&view.def.db, &view.def.name]);
    }
    error
}

fn is_of_defined(error: &SqlError, env: &BindEnv<'_>) -> bool {
    env.defined.is_some_and(|(db, name)| *error == ER_NO_SUCH_TABLE.error(&[&db, &name]))
}

/// What is replaced in a view's text: tokens of the statement, from 0, and what takes their place.
#[derive(Debug, Default)]
pub(super) struct Record {
    db: String,
    changes: RefCell<BTreeMap<usize, (Range<usize>, String)>>,
}

impl Record {
    fn change(&self, tokens: Range<usize>, text: String) {
        self.changes.borrow_mut().insert(tokens.start, (tokens, text));
    }

    /// A table was found in a database.
    pub(super) fn table(&self, name: &ast::ObjectName, db: &str) {
        let idents: Vec<&ast::Ident> = name.0.iter().filter_map(|part| part.as_ident()).collect();
        match idents[..] {
            [table] if db != self.db => {
                let at = token_of(table);
                self.change(at..at, format!("{}.", Quoted(db)));
            }
            [qualifier, table] if db == self.db => {
                self.change(token_of(qualifier)..token_of(table), String::new());
            }
            _ => {}
        }
    }

    /// A column was named with its database.
    pub(super) fn column(&self, path: &[ast::Ident]) {
        if let [db, table, _] = path
            && db.value == self.db
        {
            self.change(token_of(db)..token_of(table), String::new());
        }
    }

    /// `*` behind these names means these columns.
    pub(super) fn wildcard(
        &self,
        first: Option<&ast::Ident>,
        star: &ast::helpers::attached_token::AttachedToken,
        columns: &[String],
    ) {
        let star = place_of(star.0.span.start.column);
        let start = first.map_or(star, token_of);
        self.change(start..star + 1, columns.join(", "));
    }
}

/// A name's place among the statement's tokens: the parser counts them from 1, as columns.
fn token_of(ident: &ast::Ident) -> usize {
    place_of(ident.span.start.column)
}

fn place_of(column: u64) -> usize {
    usize::try_from(column)
        .ok()
        .and_then(|column| column.checked_sub(1))
        .expect("what was parsed has a place")
}

/// What CREATE VIEW has found out of its query.
#[derive(Debug)]
pub struct BoundView {
    /// The query.
    pub plan: QueryPlan,
    /// What takes the place of tokens of the statement, in their order.
    pub changes: Vec<(Range<usize>, String)>,
}

/// Binds the query of a view of this name, as the statement has it.
pub fn bind_view(
    query: &ast::Query,
    (db, name): (&str, &str),
    catalog: &Arc<Catalog>,
    session: &Session,
    text: &str,
) -> Result<BoundView> {
    let record = Record { db: db.to_owned(), ..Record::default() };
    let env =
        BindEnv { record: Some(&record), defined: Some((db, name)), ..BindEnv::new(catalog, session, text) };
    let plan = query::bind_inner(query, &env)?;
    Ok(BoundView { plan, changes: record.changes.into_inner().into_values().collect() })
}

/// The query of a view that is there; its columns have the query's names. Error 1356 if it cannot be bound any more.
pub fn bind_whole_view(view: &Arc<Table>, catalog: &Arc<Catalog>, session: &Session) -> Result<QueryPlan> {
    bind_rows(view, &BindEnv::new(catalog, session, "")).map(|rows| rows.plan)
}
