//! FROM: its sources.

use std::sync::Arc;

use sqlparser::ast::{self, JoinOperator, TableFactor, TableWithJoins};
use types::error::table::{
    ER_BAD_DB_ERROR, ER_DERIVED_MUST_HAVE_ALIAS, ER_NO_SUCH_TABLE, ER_NONUNIQ_TABLE, ER_TOO_MANY_TABLES,
    ER_UNKNOWN_TABLE, ER_VIEW_SELECT_TMPTABLE,
};

use super::join::{self, Factor, Item, Join, Joins, Side};
use super::merge::Mergeable;
use super::outer::Outer;
use super::scope::{Named, Scope};
use super::view::Within;
use super::{BindEnv, Result, query, unsupported, view, with};
use crate::plan::{Given, SourceKind, Subquery};
use crate::session::Usage;

/// So many joins at most stand before a RIGHT JOIN with LATERAL, as in MySQL: they are bound behind its right side.
const LATERAL_JOINS_MAX: usize = 60;

/// Binds FROM into the scope.
pub(super) fn bind(from: &[TableWithJoins], scope: &mut Scope, env: &BindEnv<'_>) -> Result<Joins> {
    let items = from.iter().map(|item| bind_item(item, scope, env)).collect::<Result<Vec<_>>>()?;
    join::bind(&items, scope, env)
}

/// Binds the sources of one item, in the order of the text, but where LATERAL is a part of a RIGHT JOIN: that sees what is read
/// before it, which is the right side first.
fn bind_item<'a>(item: &'a TableWithJoins, scope: &mut Scope, env: &BindEnv<'_>) -> Result<Item<'a>> {
    bind_joins(&item.relation, &item.joins, scope, env)
}

fn bind_joins<'a>(
    first: &'a TableFactor,
    joins: &'a [ast::Join],
    scope: &mut Scope,
    env: &BindEnv<'_>,
) -> Result<Item<'a>> {
    let start = scope.sources.len();
    let has_lateral = |joins: &[ast::Join]| joins.iter().any(|join| is_lateral(&join.relation));
    let right = joins.iter().rposition(is_right);
    let right = right.filter(|right| is_lateral(first) || has_lateral(&joins[..=*right]));
    let (mut item, rest) = match right {
        None => (Item { first: bind_factor(first, scope, env)?, joins: Vec::new() }, joins),
        Some(right) if right >= LATERAL_JOINS_MAX => {
            return Err(ER_TOO_MANY_TABLES.error(&[&(LATERAL_JOINS_MAX + 1)]));
        }
        Some(right) => {
            let join = bind_join(&joins[right], scope, env)?;
            let left = scope.sources.len();
            let mut item = bind_joins(first, &joins[..right], scope, env)?;
            scope.make_optional(left..scope.sources.len());
            item.joins.push(join);
            (item, &joins[right + 1..])
        }
    };
    for join in rest {
        let left = start..scope.sources.len();
        let join = bind_join(join, scope, env)?;
        match join.missing {
            Side::Neither => {}
            Side::Left => scope.make_optional(left),
            Side::Right => scope.make_optional(left.end..scope.sources.len()),
        }
        item.joins.push(join);
    }
    Ok(item)
}

fn bind_join<'a>(join: &'a ast::Join, scope: &mut Scope, env: &BindEnv<'_>) -> Result<Join<'a>> {
    let (missing, constraint) = match &join.join_operator {
        JoinOperator::Join(on) | JoinOperator::Inner(on) | JoinOperator::CrossJoin(on) => (Side::Neither, on),
        JoinOperator::StraightJoin(on) => {
            scope.is_straight = true;
            (Side::Neither, on)
        }
        JoinOperator::Left(on) | JoinOperator::LeftOuter(on) => (Side::Right, on),
        JoinOperator::Right(on) | JoinOperator::RightOuter(on) => (Side::Left, on),
        other => return Err(unsupported(format!("{other:?}").split('(').next().unwrap_or("JOIN"))),
    };
    Ok(Join { missing, constraint, with: bind_factor(&join.relation, scope, env)? })
}

fn is_right(join: &ast::Join) -> bool {
    matches!(join.join_operator, JoinOperator::Right(_) | JoinOperator::RightOuter(_))
}

/// Whether LATERAL is in it.
fn is_lateral(factor: &TableFactor) -> bool {
    match factor {
        TableFactor::Derived { lateral, .. } => *lateral,
        TableFactor::NestedJoin { table_with_joins: nested, .. } => {
            is_lateral(&nested.relation) || nested.joins.iter().any(|join| is_lateral(&join.relation))
        }
        _ => false,
    }
}

fn bind_factor<'a>(factor: &'a TableFactor, scope: &mut Scope, env: &BindEnv<'_>) -> Result<Factor<'a>> {
    match factor {
        TableFactor::Table { name, alias, partitions, .. } if partitions.is_empty() => {
            refuse_column_names(alias.as_ref())?;
            let named = named_query(name, scope, env)?;
            let (kind, merge, db, table) = if let Some((kind, name)) = named {
                (kind, None, env.session.db.clone().unwrap_or_default(), name)
            } else {
                let (db, table) = split_name(name, env)?;
                if db.is_empty() && table.eq_ignore_ascii_case("dual") {
                    return Ok(Factor::Nothing);
                }
                let (kind, merge) = find_source(name, &db, &table, scope, env)?;
                (kind, merge, db, table)
            };
            let by = env.in_view.map(Within::by);
            let aliased = alias.is_some();
            let alias = alias.as_ref().map_or(table, |alias| alias.name.value.clone());
            push(Named { aliased, by, merge, ..Named::new(kind, db, alias) }, scope)
        }
        TableFactor::Derived { lateral, subquery, alias, .. } => {
            let alias = alias.as_ref().ok_or_else(|| ER_DERIVED_MUST_HAVE_ALIAS.error(&[]))?;
            let (subquery, merge) = if *lateral {
                (bind_lateral(subquery, scope, env)?, None)
            } else {
                let uses = env.outer_uses();
                let (plan, merge) = query::bind_derived(subquery, env)?;
                (Subquery::in_from(plan, env.outer_uses() > uses), merge)
            };
            let columns = with::renamed(env.columns_of(&subquery.plan)?, &alias.columns)?;
            scope.subqueries.push(subquery);
            let kind = SourceKind::Derived(scope.subqueries.len() - 1, columns);
            let alias = alias.name.value.clone();
            push(Named { aliased: true, merge, ..Named::new(kind, String::new(), alias) }, scope)
        }
        TableFactor::NestedJoin { table_with_joins, alias: None } => {
            Ok(Factor::Nested(Box::new(bind_item(table_with_joins, scope, env)?)))
        }
        TableFactor::JsonTable { .. } => Err(unsupported("JSON_TABLE")),
        other => Err(unsupported(&other.to_string())),
    }
}

/// A derived table that sees the sources which are read before it.
fn bind_lateral(query: &ast::Query, scope: &Scope, env: &BindEnv<'_>) -> Result<Subquery> {
    let outer = Outer::new(scope, env);
    let plan = query::bind_inner(query, &BindEnv { outer: Some(&outer), ..env.clone() })?;
    // No aggregate is the surrounding query's: FROM has none.
    let (values, _) = outer.into_parts();
    let given = if values.is_empty() { Given::Nothing } else { Given::Values(values.into()) };
    Ok(Subquery { given, ..Subquery::in_from(plan, false) })
}

/// Error 1235 for an alias of a table that also names its columns: only a derived table's may.
pub(super) fn refuse_column_names(alias: Option<&ast::TableAlias>) -> Result<()> {
    match alias {
        Some(alias) if !alias.columns.is_empty() => Err(unsupported("names for the columns of a table")),
        _ => Ok(()),
    }
}

fn push(named: Named, scope: &mut Scope) -> Result<Factor<'static>> {
    let same = |other: &Named| other.alias == named.alias && other.db == named.db;
    if scope.sources.iter().any(same) {
        return Err(ER_NONUNIQ_TABLE.error(&[&named.alias]));
    }
    scope.sources.push(named);
    Ok(Factor::Source(scope.sources.len() - 1))
}

/// A table's database and name; the database is empty for DUAL.
pub(super) fn split_name(name: &ast::ObjectName, env: &BindEnv<'_>) -> Result<(String, String)> {
    let parts: Vec<&str> =
        name.0.iter().filter_map(|part| part.as_ident()).map(|part| &*part.value).collect();
    match parts[..] {
        [table] if table.eq_ignore_ascii_case("dual") => Ok((String::new(), table.to_owned())),
        [table] => Ok((env.current_db()?.to_owned(), table.to_owned())),
        [db, table] => Ok((db.to_owned(), table.to_owned())),
        _ => Err(unsupported(&name.to_string())),
    }
}

/// The query of WITH that a name without database means, if it means one.
fn named_query(
    name: &ast::ObjectName,
    scope: &mut Scope,
    env: &BindEnv<'_>,
) -> Result<Option<(SourceKind, String)>> {
    let [part] = &name.0[..] else { return Ok(None) };
    let Some(name) = part.as_ident() else { return Ok(None) };
    let found = with::find(&name.value, scope, env)?;
    Ok(found.map(|kind| (kind, name.value.clone())))
}

/// The table or view of that name.
fn find_source(
    name: &ast::ObjectName,
    db: &str,
    table: &str,
    scope: &mut Scope,
    env: &BindEnv<'_>,
) -> Result<(SourceKind, Option<Arc<Mergeable>>)> {
    if env.defined == Some((db, table)) {
        return Err(ER_NO_SUCH_TABLE.error(&[&db, &table]));
    }
    let kind = find_table(db, table, Usage::Read, env)?;
    if let Some(record) = env.record {
        if matches!(&kind, SourceKind::Table(table) if table.is_temporary()) {
            return Err(ER_VIEW_SELECT_TMPTABLE.error(&[&table]));
        }
        record.table(name, db);
    }
    match kind {
        SourceKind::Table(view) if view.def.view.is_some() => view::bind(&view, scope, env),
        kind => Ok((kind, None)),
    }
}

/// The table of that name, temporary, stored or neither, or view. A view's query is bound in a session without temporary tables.
pub(super) fn find_table(db: &str, table: &str, usage: Usage, env: &BindEnv<'_>) -> Result<SourceKind> {
    if let Some(found) = env.session.temporary.get(db, table) {
        return Ok(SourceKind::Table(Arc::clone(found)));
    }
    let server = &env.session.server;
    let stored = env.catalog.table(db, table);
    // These see themselves to who may read what of them.
    if stored.is_none()
        && let Some(found) = server.virtual_table(db, table)
    {
        return Ok(SourceKind::Virtual(found));
    }
    // What a view reads is its definer's matter.
    if env.in_view.is_none() {
        server.permit(usage, db, table)?;
    }
    if let Some(found) = stored {
        return Ok(SourceKind::Table(Arc::clone(found)));
    }
    if db.eq_ignore_ascii_case("information_schema") {
        return Err(ER_UNKNOWN_TABLE.error(&[&table.to_ascii_uppercase(), &"information_schema"]));
    }
    if env.catalog.database(db).is_none() && !server.is_virtual_database(db) {
        return Err(ER_BAD_DB_ERROR.error(&[&db]));
    }
    Err(ER_NO_SUCH_TABLE.error(&[&db, &table]))
}
