//! INSERT, REPLACE, UPDATE, DELETE.

use std::sync::Arc;

use engine::catalog::def::ColumnDef;
use engine::catalog::table::Table;
use sqlparser::ast::{
    self, AssignmentTarget, FromTable, OnInsert, SetExpr, TableFactor, TableObject, TableWithJoins,
};
use types::column::ColumnType;
use types::error::table::{
    ER_DUP_FIELDNAME, ER_FIELD_SPECIFIED_TWICE, ER_NON_DEFAULT_VALUE_FOR_GENERATED_COLUMN,
    ER_NON_INSERTABLE_TABLE, ER_NON_UPDATABLE_TABLE, ER_NONUNIQ_TABLE, ER_OPEN_AS_READONLY,
    ER_UPDATE_TABLE_USED, ER_VIEW_WRONG_LIST, ER_WRONG_VALUE_COUNT_ON_ROW,
};
use types::value::Value;

use super::join::Joins;
use super::outer::Outer;
use super::rules::{bind_defaults, bind_relations, bind_rules};
use super::scope::{Clause, Named, RowAlias, Scope};
use super::{BindEnv, Result, expr, from, literal, multi, place, query, select, unsupported, with};
use crate::expr::{Expr, hex_number};
use crate::parse::{DeleteStatement, UpdateStatement};
use crate::plan::{
    Assignment, DeletePlan, Doing, InsertPlan, InsertSource, OnDuplicate, OrderBy, Plan, QueryPlan,
    SourceKind, Subquery, Target, UpdatePlan,
};
use crate::session::Usage;

/// Binds INSERT and REPLACE. `row_size` is set if the rows' literals were taken out of the text.
pub fn bind_insert(insert: &ast::Insert, row_size: Option<usize>, env: &BindEnv<'_>) -> Result<InsertPlan> {
    let TableObject::TableName(name) = &insert.table else { return Err(unsupported("INSERT INTO FUNCTION")) };
    if insert.partitioned.is_some() || insert.returning.is_some() || insert.or.is_some() {
        return Err(unsupported("PARTITION, RETURNING or OR"));
    }
    let keeping = env.keeping_derived();
    let is_select =
        insert.source.as_ref().is_some_and(|source| !matches!(*source.body, ast::SetExpr::Values(_)));
    // Its columns can be named behind ON DUPLICATE KEY UPDATE.
    let env = if is_select && insert.on.is_none() { env } else { &keeping };
    let usage = match &insert.on {
        Some(_) => Usage::InsertOrUpdate,
        None if insert.replace_into => Usage::Replace,
        None => Usage::Insert,
    };
    let table = changed_table(name, usage, env)?;
    let alias = insert.table_alias.as_ref().map_or(&table.def.name, |alias| &alias.alias.value).clone();
    let mut scope = Scope::default();
    let kind = SourceKind::Table(Arc::clone(&table));
    scope.sources.push(Named::new(kind, table.def.db.clone(), alias));
    let (columns, mut source) = match &insert.source {
        None if insert.assignments.is_empty() => return Err(unsupported("INSERT without values")),
        None => bind_set(&insert.assignments, &table, &mut scope, env)?,
        Some(query) => {
            let columns = bind_columns(&insert.columns, &table, &scope)?;
            let source = bind_source(query, &columns, &table, row_size, &mut scope, env)?;
            refuse_generated(&columns, &source, &table)?;
            (columns, source)
        }
    };
    let inserted =
        insert.insert_alias.as_ref().map(|aliases| row_alias(aliases, &columns, &table)).transpose()?;
    let on_duplicate = match &insert.on {
        None if insert.replace_into && inserted.is_some() => return Err(unsupported("REPLACE .. AS")),
        None if insert.replace_into => OnDuplicate::Replace,
        None => OnDuplicate::Error,
        Some(OnInsert::DuplicateKeyUpdate(assignments)) => {
            scope.inserted = inserted;
            OnDuplicate::Update(bind_on_duplicate(assignments, &mut source, &table, &mut scope, env)?)
        }
        Some(other) => return Err(unsupported(&other.to_string())),
    };
    let doing = match &on_duplicate {
        OnDuplicate::Error => Doing { inserts: true, ..Doing::default() },
        OnDuplicate::Replace => Doing { inserts: true, deletes: true, ..Doing::default() },
        OnDuplicate::Update(assignments) => {
            Doing { inserts: true, ..Doing::updates(assigned(&table, assignments)) }
        }
    };
    // A subquery of the only row may read the table by another name: it does so before the row is there.
    let is_one = matches!(&source, InsertSource::Rows(rows) if rows.len() == 1);
    let alias = is_one.then_some(&*table.def.name);
    if scope.subqueries.iter().any(|subquery| subquery.plan.reads(table.def.id, alias)) {
        return Err(ER_UPDATE_TABLE_USED.error(&[&table.def.name]));
    }
    let relations = bind_relations(env.catalog, &table, &doing, env.session)?;
    let rules = bind_rules(env.catalog, &table, env.session)?;
    let (ignore, subqueries) = (insert.ignore, scope.subqueries);
    Ok(InsertPlan { table, columns, source, on_duplicate, ignore, relations, rules, subqueries })
}

/// ON DUPLICATE KEY UPDATE. What it needs of the sources of a query whose rows are inserted comes with these rows, behind
/// the columns that are inserted.
fn bind_on_duplicate(
    assignments: &[ast::Assignment],
    source: &mut InsertSource,
    table: &Arc<Table>,
    scope: &mut Scope,
    env: &BindEnv<'_>,
) -> Result<Vec<Assignment>> {
    scope.in_duplicate = true;
    let around = match source {
        InsertSource::Select(QueryPlan::Select(select)) => Scope::around(select),
        _ => Scope::default(),
    };
    let outer = Outer::new(&around, env);
    let within = BindEnv { outer: Some(&outer), ..env.clone() };
    let mut bound = bind_assignments(assignments, table, scope, &within)?;
    bind_defaults(&mut bound, env.catalog, table, env.session)?;
    let (given, _) = outer.into_parts();
    if let InsertSource::Select(QueryPlan::Select(select)) = source
        && !given.is_empty()
    {
        if scope.subqueries.iter().any(Subquery::is_given) {
            return Err(unsupported("a subquery that is given columns of the query whose rows are inserted"));
        }
        select.give_also(given);
    }
    Ok(bound)
}

/// The inserted row's alias. Its columns are those that the statement gives.
fn row_alias(aliases: &ast::InsertAliases, columns: &[usize], table: &Table) -> Result<RowAlias> {
    let [name] = &aliases.row_alias.0[..] else { return Err(unsupported("AS with a name of several parts")) };
    let name = name.as_ident().map(|name| name.value.clone()).unwrap_or_default();
    if name == table.def.name {
        return Err(ER_NONUNIQ_TABLE.error(&[&name]));
    }
    let given = aliases.col_aliases.iter().flatten().map(|column| column.value.clone());
    let mut names: Vec<String> = given.collect();
    if names.is_empty() {
        names = columns.iter().map(|column| table.def.columns[*column].name.clone()).collect();
    }
    if names.len() != columns.len() {
        return Err(ER_VIEW_WRONG_LIST.error(&[]));
    }
    for (place, name) in names.iter().enumerate() {
        if names[..place].iter().any(|other| other.eq_ignore_ascii_case(name)) {
            return Err(ER_DUP_FIELDNAME.error(&[name]));
        }
    }
    Ok(RowAlias { name, columns: names.into_iter().zip(columns.iter().copied()).collect() })
}

/// Binds UPDATE.
pub fn bind_update(update: &UpdateStatement, env: &BindEnv<'_>) -> Result<Plan> {
    let env = env.keeping_derived();
    let env = &*with::known(update.with.as_ref(), &env)?;
    let [TableWithJoins { relation: TableFactor::Table { name, alias, partitions, .. }, joins }] =
        &update.tables[..]
    else {
        return multi::bind_update(update, env).map(Plan::MultiUpdate);
    };
    if !joins.is_empty() {
        return multi::bind_update(update, env).map(Plan::MultiUpdate);
    }
    let (table, mut scope) = target_scope(name, alias.as_ref(), partitions, Usage::Update, env)?;
    let mut assignments = bind_assignments(&update.assignments, &table, &mut scope, env)?;
    bind_defaults(&mut assignments, env.catalog, &table, env.session)?;
    let target =
        bind_target(scope, update.selection.as_ref(), &update.order_by, update.limit.as_ref(), &table, env)?;
    let doing = Doing::updates(assigned(&table, &assignments));
    let relations = bind_relations(env.catalog, &table, &doing, env.session)?;
    let rules = bind_rules(env.catalog, &table, env.session)?;
    Ok(Plan::Update(UpdatePlan { target, assignments, ignore: update.ignore, relations, rules }))
}

/// Binds DELETE.
pub fn bind_delete(statement: &DeleteStatement, env: &BindEnv<'_>) -> Result<Plan> {
    let DeleteStatement { with, delete, ignore } = statement;
    let env = env.keeping_derived();
    let env = &*with::known(with.as_ref(), &env)?;
    let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
    if statement.is_multi() {
        return multi::bind_delete(delete, from, *ignore, env).map(Plan::MultiDelete);
    }
    let [TableWithJoins { relation: TableFactor::Table { name, alias, partitions, .. }, joins }] = &from[..]
    else {
        return Err(unsupported("this target"));
    };
    if !joins.is_empty() || delete.returning.is_some() {
        return Err(unsupported("DELETE FROM a join, or RETURNING"));
    }
    let (table, scope) = target_scope(name, alias.as_ref(), partitions, Usage::Delete, env)?;
    let target =
        bind_target(scope, delete.selection.as_ref(), &delete.order_by, delete.limit.as_ref(), &table, env)?;
    let doing = Doing { deletes: true, ..Doing::default() };
    let relations = bind_relations(env.catalog, &table, &doing, env.session)?;
    Ok(Plan::Delete(DeletePlan { target, ignore: *ignore, relations }))
}

/// The columns that change with assignments: theirs, and those that change by themselves with their row.
pub(super) fn assigned(table: &Table, assignments: &[Assignment]) -> impl Iterator<Item = usize> {
    let changes = |column: &ColumnDef| column.on_update_now || column.generated.is_some();
    let by_themselves = (0..table.def.columns.len()).filter(move |place| changes(&table.def.columns[*place]));
    assignments.iter().map(|assignment| assignment.column).chain(by_themselves)
}

/// The table that a statement changes. Errors 1036, 1288 and 1471 for what cannot be changed.
fn changed_table(name: &ast::ObjectName, usage: Usage, env: &BindEnv<'_>) -> Result<Arc<Table>> {
    let (db, table) = from::split_name(name, env)?;
    changed_table_of(&db, &table, usage, env)
}

/// The same, by its database and its name.
pub(super) fn changed_table_of(db: &str, table: &str, usage: Usage, env: &BindEnv<'_>) -> Result<Arc<Table>> {
    match from::find_table(db, table, usage, env)? {
        SourceKind::Table(view) if view.def.view.is_some() => Err(match usage {
            Usage::Update => ER_NON_UPDATABLE_TABLE.error(&[&table, &"UPDATE"]),
            Usage::Delete => ER_NON_UPDATABLE_TABLE.error(&[&table, &"DELETE"]),
            _ => ER_NON_INSERTABLE_TABLE.error(&[&table, &"INSERT"]),
        }),
        SourceKind::Table(table) => Ok(table),
        _ => Err(ER_OPEN_AS_READONLY.error(&[&table])),
    }
}

fn target_scope(
    name: &ast::ObjectName,
    alias: Option<&ast::TableAlias>,
    partitions: &[ast::Ident],
    usage: Usage,
    env: &BindEnv<'_>,
) -> Result<(Arc<Table>, Scope)> {
    if !partitions.is_empty() {
        return Err(unsupported("PARTITION"));
    }
    from::refuse_column_names(alias)?;
    let table = changed_table(name, usage, env)?;
    let alias = alias.map_or(&table.def.name, |alias| &alias.name.value).clone();
    let mut scope = Scope::default();
    let kind = SourceKind::Table(Arc::clone(&table));
    scope.sources.push(Named::new(kind, table.def.db.clone(), alias));
    Ok((table, scope))
}

fn bind_target(
    mut scope: Scope,
    filter: Option<&ast::Expr>,
    order: &[ast::OrderByExpr],
    limit: Option<&ast::Expr>,
    table: &Arc<Table>,
    env: &BindEnv<'_>,
) -> Result<Target> {
    scope.clause = Clause::Where;
    let conditions = match filter {
        Some(filter) => select::conjuncts(expr::bind(filter, &mut scope, env)?),
        None => Vec::new(),
    };
    let order: Vec<OrderBy> = select::bind_plain_order(order, &mut scope, env)?;
    let limit = limit.map(|limit| literal::limit(limit, env.session)).transpose()?;
    let (precondition, mut sources) = place::place(&mut scope, conditions, Joins::default(), &[]);
    let mut source = sources.pop().expect("a target has one source");
    source.needs_row = true;
    let subqueries = scope.subqueries;
    refuse_reading(table, &source.alias, &subqueries)?;
    Ok(Target { source, precondition, order, limit, subqueries })
}

/// A statement may not read in a subquery what it changes. Error 1093 names the table as the statement calls it.
pub(super) fn refuse_reading<'s>(
    table: &Table,
    alias: &str,
    subqueries: impl IntoIterator<Item = &'s Subquery>,
) -> Result<()> {
    if subqueries.into_iter().any(|subquery| subquery.plan.reads(table.def.id, None)) {
        return Err(ER_UPDATE_TABLE_USED.error(&[&alias]));
    }
    Ok(())
}

fn bind_columns(names: &[ast::ObjectName], table: &Table, scope: &Scope) -> Result<Vec<usize>> {
    if names.is_empty() {
        return Ok((0..table.def.columns.len()).collect());
    }
    let mut columns = Vec::with_capacity(names.len());
    for name in names {
        let column = find_column(name, scope)?;
        if columns.contains(&column) {
            return Err(ER_FIELD_SPECIFIED_TWICE.error(&[&table.def.columns[column].name]));
        }
        columns.push(column);
    }
    Ok(columns)
}

/// The column of the table that is changed.
pub(super) fn find_column(name: &ast::ObjectName, scope: &Scope) -> Result<usize> {
    let parts = name.0.iter().filter_map(|part| part.as_ident()).map(|part| &*part.value);
    match parts.collect::<Vec<_>>()[..] {
        [column] => scope.target(None, None, column),
        [table, column] => scope.target(None, Some(table), column),
        [db, table, column] => scope.target(Some(db), Some(table), column),
        _ => Err(unsupported(&name.to_string())),
    }
}

fn bind_source(
    query: &ast::Query,
    columns: &[usize],
    table: &Table,
    row_size: Option<usize>,
    scope: &mut Scope,
    env: &BindEnv<'_>,
) -> Result<InsertSource> {
    let SetExpr::Values(values) = &*query.body else {
        let plan = query::bind_query(query, env)?;
        if plan.column_count() != columns.len() {
            return Err(ER_WRONG_VALUE_COUNT_ON_ROW.error(&[&1]));
        }
        return Ok(InsertSource::Select(plan));
    };
    let mut rows = Vec::with_capacity(values.rows.len());
    for (place, row) in values.rows.iter().enumerate() {
        let row: &[ast::Expr] = row;
        // VALUES () is a row of defaults, if no row has values.
        let is_empty = row.is_empty() && values.rows.iter().all(|row| row.is_empty());
        if row.len() != columns.len() && !is_empty {
            return Err(ER_WRONG_VALUE_COUNT_ON_ROW.error(&[&(place + 1)]));
        }
        let mut bind = |(ast, column): (_, &usize)| {
            bind_or_default(ast, Some(table.def.columns[*column].ty), scope, env)
        };
        rows.push(row.iter().zip(columns).map(&mut bind).collect::<Result<Vec<_>>>()?);
    }
    Ok(if row_size.is_some() { InsertSource::Literals } else { InsertSource::Rows(rows) })
}

/// Generated columns are given nothing but DEFAULT. Error 3105.
fn refuse_generated(columns: &[usize], source: &InsertSource, table: &Table) -> Result<()> {
    for (at, column) in columns.iter().enumerate() {
        let is_given = match source {
            InsertSource::Rows(rows) => rows.iter().any(|row| row.get(at).is_some_and(Option::is_some)),
            InsertSource::Literals | InsertSource::Select(_) | InsertSource::File(_) => true,
        };
        refuse_if_generated(*column, is_given, table)?;
    }
    Ok(())
}

/// Error 3105 if a generated column is given a value.
pub(super) fn refuse_if_generated(column: usize, is_given: bool, table: &Table) -> Result<()> {
    let def = &table.def.columns[column];
    if is_given && def.generated.is_some() {
        return Err(ER_NON_DEFAULT_VALUE_FOR_GENERATED_COLUMN.error(&[&def.name, &table.def.name]));
    }
    Ok(())
}

/// What a column is given; `None` is its default. A hexadecimal literal is a number where the column is one.
pub(super) fn bind_or_default(
    ast: &ast::Expr,
    ty: Option<ColumnType>,
    scope: &mut Scope,
    env: &BindEnv<'_>,
) -> Result<Option<Expr>> {
    match ast {
        ast::Expr::Identifier(name)
            if name.quote_style.is_none() && name.value.eq_ignore_ascii_case("default") =>
        {
            Ok(None)
        }
        other => expr::bind(other, scope, env).map(|value| {
            Some(match value {
                Expr::Const(Value::Bytes(bytes))
                    if ty.is_some_and(|ty| ty.is_numeric() || ty == ColumnType::Year) =>
                {
                    Expr::Const(Value::UInt(hex_number(&bytes)))
                }
                value => value,
            })
        }),
    }
}

fn bind_set(
    assignments: &[ast::Assignment],
    table: &Table,
    scope: &mut Scope,
    env: &BindEnv<'_>,
) -> Result<(Vec<usize>, InsertSource)> {
    let bound = bind_assignments(assignments, table, scope, env)?;
    let columns: Vec<usize> = bound.iter().map(|assignment| assignment.column).collect();
    let row = bound.into_iter().map(|assignment| assignment.value).collect();
    Ok((columns, InsertSource::Rows(vec![row])))
}

pub(super) fn bind_assignments(
    assignments: &[ast::Assignment],
    table: &Table,
    scope: &mut Scope,
    env: &BindEnv<'_>,
) -> Result<Vec<Assignment>> {
    scope.clause = Clause::FieldList;
    let mut bound = Vec::with_capacity(assignments.len());
    for assignment in assignments {
        let AssignmentTarget::ColumnName(name) = &assignment.target else {
            return Err(unsupported("an assignment to a tuple"));
        };
        let column = find_column(name, scope)?;
        let value = bind_or_default(&assignment.value, Some(table.def.columns[column].ty), scope, env)?;
        refuse_if_generated(column, value.is_some(), table)?;
        // DEFAULT is what a generated column has anyway.
        if table.def.columns[column].generated.is_none() {
            bound.push(Assignment { column, value });
        }
    }
    Ok(bound)
}
