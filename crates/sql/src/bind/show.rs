//! SHOW .. LIKE, SHOW .. WHERE: a query of all columns of a table that was made for it.

use std::sync::Arc;

use types::collation::Collation;
use types::value::Value;

use super::join::Joins;
use super::scope::{Clause, Named, Scope};
use super::{BindEnv, Result, expr, place, select};
use crate::expr::{Expr, PatternStart};
use crate::parse::Filter;
use crate::plan::{Output, QueryPlan, SelectPlan, SourceKind};
use crate::virtual_table::VirtualTable;

/// Binds the query. LIKE is about the first column.
pub fn bind_show(
    table: Arc<dyn VirtualTable>,
    filter: Option<&Filter>,
    env: &BindEnv<'_>,
) -> Result<QueryPlan> {
    let output =
        table.columns().iter().enumerate().map(|(column, definition)| {
            Output::new(definition.name.clone(), Expr::Column { source: 0, column })
        });
    let output: Vec<Output> = output.collect();
    let alias = table.name().to_owned();
    let db = table.db().to_owned();
    let named = Named::new(SourceKind::Virtual(table), db, alias);
    let mut scope = Scope { sources: vec![named], clause: Clause::Where, ..Scope::default() };
    let conditions = match filter {
        None => Vec::new(),
        Some(Filter::Where(condition)) => select::conjuncts(expr::bind(condition, &mut scope, env)?),
        Some(Filter::Like(pattern)) => vec![Expr::Like {
            text: Box::new(Expr::Column { source: 0, column: 0 }),
            pattern: Box::new(Expr::Const(Value::Str(
                pattern.clone().into_bytes(),
                Collation::Utf8mb4GeneralCi,
            ))),
            escape: Some('\\'),
            start: PatternStart::Unknown,
        }],
    };
    let used: Vec<&Expr> = output.iter().map(|output| &output.expr).collect();
    let (precondition, sources) = place::place(&mut scope, conditions, Joins::default(), &used);
    Ok(QueryPlan::Select(Box::new(SelectPlan {
        sources,
        precondition,
        group: None,
        having: None,
        over: None,
        output,
        distinct: false,
        order: Vec::new(),
        is_in_order: false,
        limit: None,
        offset: None,
        counts_all: false,
        subqueries: scope.subqueries,
        views: Vec::new(),
    })))
}
