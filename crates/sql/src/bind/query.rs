//! Queries: a SELECT, or set operations on several.

use std::sync::Arc;

use sqlparser::ast::{self, SetExpr};
use types::charset::Charset;
use types::column::Column;
use types::error::table::{ER_NON_UNIQ_ERROR, ER_WRONG_NUMBER_OF_COLUMNS_IN_SELECT};

use super::merge::Mergeable;
use super::scope::{Clause, Named, Scope};
use super::sets::{self, Chain};
use super::tail::Tail;
use super::{BindEnv, Result, expr, select, targets, unsupported, values, with};
use crate::expr::Expr;
use crate::parse::{IntoClause, SelectInto};
use crate::plan::{Destination, IntoPlan, OrderBy, OrderKey, OutFilePlan, QueryPlan, SourceKind, UnionPlan};

/// Binds a query that is a statement, or whose rows a statement takes.
pub fn bind_query(query: &ast::Query, env: &BindEnv<'_>) -> Result<QueryPlan> {
    bind_within(query, Tail::OUTERMOST, env)
}

/// Binds a query within another one.
pub(super) fn bind_inner(query: &ast::Query, env: &BindEnv<'_>) -> Result<QueryPlan> {
    bind_within(query, Tail::default(), &env.within())
}

/// Binds a derived table or view: to a plan, and to what the query around it may take instead if that is possible.
pub(super) fn bind_derived(
    query: &ast::Query,
    env: &BindEnv<'_>,
) -> Result<(QueryPlan, Option<Arc<Mergeable>>)> {
    match &*query.body {
        SetExpr::Select(select) if !env.keeps_derived => {
            let env = env.within();
            let env = &*with::known(query.with.as_ref(), &env)?;
            let (plan, mergeable) = select::bind_mergeable(select, Tail::of(query)?, env)?;
            Ok((QueryPlan::Select(Box::new(plan)), mergeable))
        }
        SetExpr::Query(inner) if query.with.is_none() && Tail::of(query)?.says_nothing() => {
            bind_derived(inner, env)
        }
        _ => Ok((bind_inner(query, env)?, None)),
    }
}

/// Binds SELECT .. INTO.
///
/// # Errors
/// 1222 unless there are as many variables as columns, 1115 for an unknown character set, those of [`Separators::format`].
pub fn bind_into(into: &SelectInto, env: &BindEnv<'_>) -> Result<IntoPlan> {
    let query = bind_query(&into.query, env)?;
    let into = match &into.into {
        IntoClause::Variables(variables) if query.column_count() != variables.len() => {
            return Err(ER_WRONG_NUMBER_OF_COLUMNS_IN_SELECT.error(&[]));
        }
        IntoClause::Variables(variables) => Destination::Variables(variables.clone()),
        IntoClause::DumpFile(name) => {
            Destination::File(OutFilePlan { name: name.clone(), format: None, charset: Charset::Binary })
        }
        IntoClause::OutFile { name, charset, separators } => {
            let mut format = separators.clone().format(env.session.quoting().no_backslash_escapes)?;
            // Rows need an end: without one it is that of a field.
            let end = separators.terminator.as_deref().unwrap_or(b"\n");
            format.terminator = if end.is_empty() { format.separator.clone() } else { end.to_vec() };
            let charset = charset.as_deref().map_or(Ok(Charset::Binary), targets::charset)?;
            Destination::File(OutFilePlan { name: name.clone(), format: Some(format), charset })
        }
    };
    Ok(IntoPlan { query, into })
}

/// Binds the query of EXISTS: what its rows consist of does not matter.
pub(super) fn bind_existence(query: &ast::Query, env: &BindEnv<'_>) -> Result<QueryPlan> {
    bind_within(query, Tail::EXISTENCE, &env.within())
}

/// Binds a query in parentheses, which something follows.
pub(super) fn bind_within(query: &ast::Query, outer: Tail<'_>, env: &BindEnv<'_>) -> Result<QueryPlan> {
    let env = &*with::known(query.with.as_ref(), env)?;
    let inner = Tail::of(query)?;
    match outer.within(inner) {
        Some(tail) => bind_body(&query.body, tail, env),
        None => union(vec![bind_body(&query.body, inner.inside(outer), env)?], 0, outer, env),
    }
}

pub(super) fn bind_body(body: &SetExpr, tail: Tail<'_>, env: &BindEnv<'_>) -> Result<QueryPlan> {
    match body {
        SetExpr::Select(found) => {
            select::bind_select(found, tail, env).map(|plan| QueryPlan::Select(Box::new(plan)))
        }
        SetExpr::Query(inner) => bind_within(inner, tail, env),
        SetExpr::SetOperation { .. } => bind_chain(&sets::chain(body)?, tail, env),
        SetExpr::Values(list) => values::bind(list, tail, env),
        other => Err(unsupported(other.to_string().split(' ').next().unwrap_or("query"))),
    }
}

/// Binds set operations and what follows them.
pub(super) fn bind_chain(chain: &Chain<'_>, tail: Tail<'_>, env: &BindEnv<'_>) -> Result<QueryPlan> {
    let Chain { operands, steps } = chain;
    let parts = operands.iter().enumerate();
    let parts = parts.map(|(place, operand)| bind_body(operand, tail.of_operand(place, operands.len()), env));
    sets::bind(parts.collect::<Result<_>>()?, steps.clone(), tail, env)
}

/// The rows of several queries, or of one in parentheses, and what follows them. The first so many parts give no row twice.
pub(super) fn union(
    mut parts: Vec<QueryPlan>,
    distinct: usize,
    tail: Tail<'_>,
    env: &BindEnv<'_>,
) -> Result<QueryPlan> {
    let count = parts[0].column_count();
    let counts_all = parts[0].take_counts_all();
    let mut plan = UnionPlan::new(parts, distinct, env.session)?;
    let mut scope = result_scope(&plan.columns);
    plan.order = tail.needed(order(tail.order, count, &mut scope, env)?);
    (plan.limit, plan.offset) = tail.limit(env)?;
    plan.subqueries = scope.subqueries;
    plan.counts_all = counts_all;
    Ok(QueryPlan::Union(Box::new(plan)))
}

/// Error 1052 for a name that several columns have.
fn check_name(ast: &ast::Expr, scope: &Scope) -> Result<()> {
    let (ast::Expr::Identifier(name), SourceKind::Derived(_, columns)) = (ast, &scope.sources[0].kind) else {
        return Ok(());
    };
    let named = columns.iter().filter(|column| column.name.eq_ignore_ascii_case(&name.value));
    if named.count() > 1 {
        return Err(ER_NON_UNIQ_ERROR.error(&[&name.value, &scope.clause.name()]));
    }
    Ok(())
}

/// A scope in which the columns of the result are all that can be named.
fn result_scope(columns: &Arc<[Column]>) -> Scope {
    let kind = SourceKind::Derived(0, Arc::clone(columns));
    let result = Named::new(kind, String::new(), String::new());
    Scope { sources: vec![result], clause: Clause::GlobalOrder, ..Scope::default() }
}

/// ORDER BY of all rows: positions, names of the result, and expressions of these.
fn order(
    list: &[ast::OrderByExpr],
    columns: usize,
    scope: &mut Scope,
    env: &BindEnv<'_>,
) -> Result<Vec<OrderBy>> {
    let bind = |item: &ast::OrderByExpr| {
        check_name(&item.expr, scope)?;
        let by = match select::position(&item.expr, columns, scope.clause.name())? {
            Some(place) => OrderKey::Output(place),
            None => match expr::bind(&item.expr, scope, env)? {
                Expr::Column { column, .. } => OrderKey::Output(column),
                expr => OrderKey::Expr(expr),
            },
        };
        Ok(OrderBy { by, descending: select::is_descending(item)? })
    };
    list.iter().map(bind).collect()
}
