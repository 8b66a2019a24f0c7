//! FROM: sources and joins.

use std::sync::Arc;

use sqlparser::ast::{self, JoinConstraint, JoinOperator, TableFactor, TableWithJoins};
use types::error::table::{ER_BAD_DB_ERROR, ER_NO_SUCH_TABLE, ER_NONUNIQ_TABLE, ER_UNKNOWN_TABLE};

use super::scope::{Clause, Named, Scope};
use super::{BindEnv, Result, expr, query, select, unsupported, with};
use crate::expr::{CompareOp, Expr};
use crate::plan::{SourceKind, Subquery};

/// What FROM amounts to beside the sources, which are in the scope.
#[derive(Debug, Default)]
pub(super) struct Joins {
    /// Conditions of inner joins: they may stand in WHERE as well.
    pub(super) inner: Vec<Expr>,
    /// Conditions of outer joins, by source.
    pub(super) outer: Vec<(usize, Vec<Expr>)>,
}

/// Binds FROM into the scope.
pub(super) fn bind(from: &[TableWithJoins], scope: &mut Scope, env: &BindEnv<'_>) -> Result<Joins> {
    let mut joins = Joins::default();
    for item in from {
        bind_item(item, scope, env, &mut joins)?;
    }
    Ok(joins)
}

fn bind_item(item: &TableWithJoins, scope: &mut Scope, env: &BindEnv<'_>, joins: &mut Joins) -> Result<()> {
    bind_factor(&item.relation, scope, env, joins)?;
    for join in &item.joins {
        let first = scope.sources.len();
        bind_factor(&join.relation, scope, env, joins)?;
        let (constraint, outer) = match &join.join_operator {
            JoinOperator::Join(on)
            | JoinOperator::Inner(on)
            | JoinOperator::CrossJoin(on)
            | JoinOperator::StraightJoin(on) => (on, false),
            JoinOperator::Left(on) | JoinOperator::LeftOuter(on) => (on, true),
            other => {
                return Err(unsupported(format!("{other:?}").split('(').next().unwrap_or("JOIN")));
            }
        };
        if outer && scope.sources.len() > first + 1 {
            return Err(unsupported("LEFT JOIN to more than one table"));
        }
        let conditions = constraint_conditions(constraint, first, scope, env)?;
        if outer {
            scope.sources[first].optional = true;
            joins.outer.push((first, conditions));
        } else {
            joins.inner.extend(conditions);
        }
    }
    Ok(())
}

fn constraint_conditions(
    constraint: &JoinConstraint,
    right: usize,
    scope: &mut Scope,
    env: &BindEnv<'_>,
) -> Result<Vec<Expr>> {
    match constraint {
        JoinConstraint::None => Ok(Vec::new()),
        JoinConstraint::On(on) => {
            scope.clause = Clause::On;
            Ok(select::conjuncts(expr::bind(on, scope, env)?))
        }
        JoinConstraint::Using(names) => names
            .iter()
            .map(|name| {
                let name = name.to_string().replace('`', "");
                let column = |source: usize| {
                    let place = scope.sources[source].kind.find_column(&name)?;
                    Some(Box::new(Expr::Column { source, column: place }))
                };
                let left = (0..right).rev().find_map(column);
                let pair = left.zip(column(right));
                let (left, right) = pair.ok_or_else(|| unsupported(&format!("USING ({name})")))?;
                Ok(Expr::Compare(CompareOp::Eq, left, right))
            })
            .collect(),
        JoinConstraint::Natural => Err(unsupported("NATURAL JOIN")),
    }
}

fn bind_factor(factor: &TableFactor, scope: &mut Scope, env: &BindEnv<'_>, joins: &mut Joins) -> Result<()> {
    match factor {
        TableFactor::Table { name, alias, partitions, .. } if partitions.is_empty() => {
            let (db, table) = split_name(name, env)?;
            if db.is_empty() && table.eq_ignore_ascii_case("dual") {
                return Ok(());
            }
            let named = if name.0.len() == 1 { with::find(&table, scope, env)? } else { None };
            let kind = named.map_or_else(|| find_table(&db, &table, env), Ok)?;
            let alias = alias.as_ref().map_or(table, |alias| alias.name.value.clone());
            push(Named { kind, db, alias, optional: false }, scope)
        }
        TableFactor::Derived { lateral: false, subquery, alias, .. } => {
            let uses = env.outer_uses();
            let plan = query::bind_query(subquery, env)?;
            let names = alias.as_ref().map_or(&[][..], |alias| &alias.columns);
            let columns = with::renamed(plan.columns(env.session)?, names)?;
            scope.subqueries.push(Subquery::in_from(plan, env.outer_uses() > uses));
            let kind = SourceKind::Derived(scope.subqueries.len() - 1, columns);
            let alias = alias.as_ref().map(|alias| alias.name.value.clone()).unwrap_or_default();
            push(Named { kind, db: String::new(), alias, optional: false }, scope)
        }
        TableFactor::NestedJoin { table_with_joins, alias: None } => {
            bind_item(table_with_joins, scope, env, joins)
        }
        TableFactor::JsonTable { .. } => Err(unsupported("JSON_TABLE")),
        other => Err(unsupported(&other.to_string())),
    }
}

fn push(named: Named, scope: &mut Scope) -> Result<()> {
    let same = |other: &Named| other.alias == named.alias && other.db == named.db;
    if scope.sources.iter().any(same) {
        return Err(ER_NONUNIQ_TABLE.error(&[&named.alias]));
    }
    scope.sources.push(named);
    Ok(())
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

/// The table of that name, stored or not.
pub(super) fn find_table(db: &str, table: &str, env: &BindEnv<'_>) -> Result<SourceKind> {
    if let Some(found) = env.catalog.table(db, table) {
        return Ok(SourceKind::Table(Arc::clone(found)));
    }
    if let Some(found) = env.session.server.virtual_table(db, table) {
        return Ok(SourceKind::Virtual(found));
    }
    if db.eq_ignore_ascii_case("information_schema") {
        return Err(ER_UNKNOWN_TABLE.error(&[&table.to_ascii_uppercase(), &"information_schema"]));
    }
    if env.catalog.database(db).is_none() && !env.session.server.is_virtual_database(db) {
        return Err(ER_BAD_DB_ERROR.error(&[&db]));
    }
    Err(ER_NO_SUCH_TABLE.error(&[&db, &table]))
}
