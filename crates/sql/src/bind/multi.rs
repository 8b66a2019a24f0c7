//! UPDATE and DELETE of several tables.

use std::sync::Arc;

use engine::catalog::def::{DefaultValue, ForeignKeyDef};
use engine::catalog::table::Table;
use sqlparser::ast::{self, AssignmentTarget, TableFactor, TableWithJoins};
use types::error::table::{
    ER_MULTI_UPDATE_KEY_CONFLICT, ER_NON_UPDATABLE_TABLE, ER_NONUNIQ_TABLE, ER_UNKNOWN_TABLE, ER_WRONG_USAGE,
};

use super::dml::{assigned, bind_or_default, refuse_if_generated, refuse_reading};
use super::join::Joins;
use super::place;
use super::rules::{bind_defaults, bind_relations, bind_rules};
use super::scope::{Clause, Named, Scope};
use super::{BindEnv, Result, expr, from, select, unsupported};
use crate::expr::Expr;
use crate::parse::UpdateStatement;
use crate::plan::{
    Assignment, Doing, LockWait, MultiDeletePlan, MultiUpdatePlan, RowLock, RowUpdate, SelectPlan, Source,
    SourceKind, Subquery,
};

/// Binds UPDATE of several tables, or of one that is joined to others.
pub(super) fn bind_update(update: &UpdateStatement, env: &BindEnv<'_>) -> Result<MultiUpdatePlan> {
    for (is_there, what) in [(!update.order_by.is_empty(), "ORDER BY"), (update.limit.is_some(), "LIMIT")] {
        if is_there {
            return Err(ER_WRONG_USAGE.error(&[&"UPDATE", &what]));
        }
    }
    let mut scope = Scope::default();
    let joins = from::bind(&update.tables, &mut scope, env)?;
    let mut changes: Vec<(usize, Arc<Table>, Vec<Assignment>)> = Vec::new();
    for assignment in &update.assignments {
        let (source, column, value) = bind_assignment(assignment, &mut scope, env)?;
        let table = updatable(&scope.sources[source], "UPDATE")?;
        refuse_if_generated(column, value.is_some(), &table)?;
        let place = changes.iter().position(|(other, ..)| *other == source).unwrap_or_else(|| {
            changes.push((source, Arc::clone(&table), Vec::new()));
            changes.len() - 1
        });
        // DEFAULT is what a generated column has anyway.
        if table.def.columns[column].generated.is_none() {
            changes[place].2.push(Assignment { column, value });
        }
    }
    changes.sort_by_key(|(source, ..)| *source);
    refuse_moving_twice(&changes, &scope.sources)?;
    let names: Vec<String> = scope.sources.iter().map(|named| named.alias.clone()).collect();
    let changing: Vec<usize> = changes.iter().map(|(source, ..)| *source).collect();
    let rows = bind_rows(scope, joins, &changing, update.selection.as_ref(), env)?;
    let mut targets = Vec::with_capacity(changes.len());
    for (source, table, mut assignments) in changes {
        refuse_reading(&table, &names[source], in_expressions(&rows))?;
        let expressions = assignments.iter().filter(|assignment| assignment.value.is_none());
        let mut expressions = expressions.filter(|assignment| {
            let def = &table.def.columns[assignment.column];
            matches!(def.default, DefaultValue::Expression(_))
        });
        if source > 0 && expressions.next().is_some() {
            return Err(unsupported("DEFAULT of an expression in UPDATE of several tables"));
        }
        bind_defaults(&mut assignments, env.catalog, &table, env.session)?;
        let doing = Doing::updates(assigned(&table, &assignments));
        let relations = bind_relations(env.catalog, &table, &doing, env.session)?;
        let rules = bind_rules(env.catalog, &table, env.session)?;
        targets.push(RowUpdate { source, assignments, relations, rules });
    }
    Ok(MultiUpdatePlan { rows, targets, ignore: update.ignore })
}

/// Binds DELETE that names its targets beside its tables.
pub(super) fn bind_delete(
    delete: &ast::Delete,
    from: &[TableWithJoins],
    ignore: bool,
    env: &BindEnv<'_>,
) -> Result<MultiDeletePlan> {
    let named: Vec<&ast::ObjectName>;
    let tables = match &delete.using {
        None => {
            named = delete.tables.iter().collect();
            from
        }
        Some(using) => {
            let names = from.iter().map(|item| match &item.relation {
                TableFactor::Table { name, alias: None, .. } if item.joins.is_empty() => Ok(name),
                other => Err(unsupported(&other.to_string())),
            });
            named = names.collect::<Result<_>>()?;
            using
        }
    };
    let mut scope = Scope::default();
    let joins = from::bind(tables, &mut scope, env)?;
    let mut sources: Vec<(usize, Arc<Table>, String)> = Vec::with_capacity(named.len());
    for name in named {
        let source = target(name, &scope.sources, env)?;
        let table = updatable(&scope.sources[source], "DELETE")?;
        let alias = scope.sources[source].alias.clone();
        if sources.iter().any(|(other, ..)| *other == source) {
            return Err(ER_NONUNIQ_TABLE.error(&[&alias]));
        }
        sources.push((source, table, alias));
    }
    let sources = children_first(sources);
    let changing: Vec<usize> = sources.iter().map(|(source, ..)| *source).collect();
    let rows = bind_rows(scope, joins, &changing, delete.selection.as_ref(), env)?;
    let mut targets = Vec::with_capacity(sources.len());
    for (source, table, alias) in sources {
        refuse_reading(&table, &alias, in_expressions(&rows))?;
        let doing = Doing { deletes: true, ..Doing::default() };
        targets.push((source, bind_relations(env.catalog, &table, &doing, env.session)?));
    }
    Ok(MultiDeletePlan { rows, targets, ignore })
}

/// The source and column that get a value, and the value; `None` is DEFAULT.
fn bind_assignment(
    assignment: &ast::Assignment,
    scope: &mut Scope,
    env: &BindEnv<'_>,
) -> Result<(usize, usize, Option<Expr>)> {
    let AssignmentTarget::ColumnName(name) = &assignment.target else {
        return Err(unsupported("an assignment to a tuple"));
    };
    scope.clause = Clause::FieldList;
    let path: Vec<&str> = name.0.iter().filter_map(|part| part.as_ident()).map(|part| &*part.value).collect();
    let column = match path[..] {
        [column] => scope.column(None, None, column)?,
        [table, column] => scope.column(None, Some(table), column)?,
        [db, table, column] => scope.column(Some(db), Some(table), column)?,
        _ => return Err(unsupported(&name.to_string())),
    };
    let Expr::Column { source, column } = column else { unreachable!("names of a scope are columns") };
    let ty = match &scope.sources[source].kind {
        SourceKind::Table(table) => Some(table.def.columns[column].ty),
        _ => None,
    };
    let value = bind_or_default(&assignment.value, ty, scope, env)?;
    Ok((source, column, value))
}

/// The table of a source whose rows are to change. Error 1288 if it has none that could.
fn updatable(named: &Named, statement: &str) -> Result<Arc<Table>> {
    match &named.kind {
        SourceKind::Table(table) => Ok(Arc::clone(table)),
        _ => Err(ER_NON_UPDATABLE_TABLE.error(&[&named.alias, &statement])),
    }
}

/// The source that a target names: by its alias, or a table without one by its name and database. Error 1109 if there is none.
fn target(name: &ast::ObjectName, sources: &[Named], env: &BindEnv<'_>) -> Result<usize> {
    let parts: Vec<&str> =
        name.0.iter().filter_map(|part| part.as_ident()).map(|part| &*part.value).collect();
    let (db, table, qualified) = match parts[..] {
        [table] => (env.current_db()?, table, false),
        [db, table] => (db, table, true),
        _ => return Err(unsupported(&name.to_string())),
    };
    let is_meant =
        |named: &Named| named.alias == table && if named.aliased { !qualified } else { db == named.db };
    let found = sources.iter().position(is_meant);
    found.ok_or_else(|| ER_UNKNOWN_TABLE.error(&[&table, &"MULTI DELETE"]))
}

/// A table may be changed under two names, but its rows must stay where they are. Error 1706.
fn refuse_moving_twice(changes: &[(usize, Arc<Table>, Vec<Assignment>)], sources: &[Named]) -> Result<()> {
    let moves = |table: &Table, assignments: &[Assignment]| {
        let parts = table.primary.as_ref().map_or(&[][..], |keys| keys.parts());
        parts.iter().any(|part| assignments.iter().any(|assignment| assignment.column == part.column))
    };
    for (place, (source, table, assignments)) in changes.iter().enumerate() {
        for (other, again, others) in &changes[place + 1..] {
            if table.def.id == again.def.id && (moves(table, assignments) || moves(table, others)) {
                let names = [&sources[*source].alias, &sources[*other].alias];
                return Err(ER_MULTI_UPDATE_KEY_CONFLICT.error(&[names[0], names[1]]));
            }
        }
    }
    Ok(())
}

/// A table before those that its foreign keys refer to, as far as they are not in a circle.
fn children_first(mut rest: Vec<(usize, Arc<Table>, String)>) -> Vec<(usize, Arc<Table>, String)> {
    let refers = |child: &Table, parent: &Table| {
        let is_parent =
            |key: &ForeignKeyDef| (&key.parent_db, &key.parent_table) == (&parent.def.db, &parent.def.name);
        child.def.id != parent.def.id && child.def.foreign_keys.iter().any(is_parent)
    };
    rest.sort_by_key(|(source, ..)| *source);
    let mut sorted = Vec::with_capacity(rest.len());
    while !rest.is_empty() {
        let has_children = |parent: &Table| rest.iter().any(|(_, child, _)| refers(child, parent));
        let next = rest.iter().position(|(_, table, _)| !has_children(table)).unwrap_or(0);
        sorted.push(rest.remove(next));
    }
    sorted
}

/// The rows that are found together: those of sources that change are locked exclusively, the others shared.
fn bind_rows(
    mut scope: Scope,
    joins: Joins,
    changing: &[usize],
    filter: Option<&ast::Expr>,
    env: &BindEnv<'_>,
) -> Result<SelectPlan> {
    scope.clause = Clause::Where;
    let conditions = match filter {
        Some(filter) => select::conjuncts(expr::bind(filter, &mut scope, env)?),
        None => Vec::new(),
    };
    let (precondition, mut sources) = place::place(&mut scope, conditions, joins, &[]);
    for (place, source) in sources.iter_mut().enumerate() {
        source.needs_row = true;
        let lock = RowLock { exclusive: changing.contains(&place), wait: LockWait::Wait };
        source.lock = matches!(source.from, SourceKind::Table(_)).then_some(lock);
    }
    Ok(SelectPlan {
        sources,
        precondition,
        group: None,
        having: None,
        over: None,
        output: Vec::new(),
        distinct: false,
        order: Vec::new(),
        is_in_order: false,
        limit: None,
        offset: None,
        counts_all: false,
        subqueries: scope.subqueries,
        views: Vec::new(),
    })
}

/// The subqueries but those in FROM, whose rows are made before anything changes.
fn in_expressions(rows: &SelectPlan) -> impl Iterator<Item = &Subquery> {
    let is_source = |place: usize| {
        let is_it = |source: &Source| matches!(source.from, SourceKind::Derived(found, _) if found == place);
        rows.sources.iter().any(is_it)
    };
    rows.subqueries
        .iter()
        .enumerate()
        .filter(move |(place, _)| !is_source(*place))
        .map(|(_, subquery)| subquery)
}
