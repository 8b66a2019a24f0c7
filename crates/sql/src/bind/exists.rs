//! EXISTS: a subquery that answers 1 if the one that it was made from has a row, else nothing.

use sqlparser::ast::{Expr, Query, Select, SelectItem, SetExpr, TableFactor};
use types::sql_mode::SqlMode;

use super::{Result, unsupported};
use crate::parse::{Statement, parse};

/// See the module.
pub(super) fn first_row(query: &Query) -> Result<Query> {
    let Statement::Query(mut first) =
        parse("SELECT 1 FROM (SELECT 1) AS existing LIMIT 1", SqlMode::default())?
    else {
        unreachable!("a query is one")
    };
    if query.limit_clause.is_none()
        && let SetExpr::Select(select) = &*query.body
        && yields_its_rows(select)
    {
        let (one, limit) = (projection(&mut first)?.clone(), first.limit_clause.take());
        let mut query = query.clone();
        (query.order_by, query.limit_clause) = (None, limit);
        *projection(&mut query)? = one;
        return Ok(query);
    }
    let derived = match &mut *first.body {
        SetExpr::Select(select) => select.from.first_mut().map(|from| &mut from.relation),
        _ => None,
    };
    match derived {
        Some(TableFactor::Derived { subquery, .. }) => **subquery = query.clone(),
        _ => unreachable!("it was written as one"),
    }
    Ok(*first)
}

fn projection(query: &mut Query) -> Result<&mut Vec<SelectItem>> {
    match &mut *query.body {
        SetExpr::Select(select) => Ok(&mut select.projection),
        _ => Err(unsupported("EXISTS of anything but a SELECT")),
    }
}

/// Whether there is a row for each that was found, whatever is selected: nothing can be an aggregate.
fn yields_its_rows(select: &Select) -> bool {
    select.having.is_none()
        && select.projection.iter().all(|item| match item {
            SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..) => true,
            SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
                matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Value(_))
            }
            SelectItem::ExprWithAliases { .. } => false,
        })
}
