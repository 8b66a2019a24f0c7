//! `VALUES ROW(..), ..` as a query: a UNION ALL of queries without tables, whose columns have names of their own.

use sqlparser::ast;
use types::error::table::ER_WRONG_VALUE_COUNT_ON_ROW;

use super::tail::Tail;
use super::{BindEnv, Result, query, select, unsupported};
use crate::plan::QueryPlan;

/// Binds VALUES and what follows it. Error 1136 if its rows do not have as many columns as the first one.
pub(super) fn bind(values: &ast::Values, tail: Tail<'_>, env: &BindEnv<'_>) -> Result<QueryPlan> {
    if !values.explicit_row {
        return Err(unsupported("VALUES without ROW"));
    }
    let count = values.rows.first().map_or(0, |row| row.len());
    if count == 0 {
        return Err(unsupported("ROW() without columns"));
    }
    let rows = values.rows.iter().enumerate().map(|(place, row)| {
        if row.len() != count {
            return Err(ER_WRONG_VALUE_COUNT_ON_ROW.error(&[&(place + 1)]));
        }
        let mut plan = select::bind_exprs(row.iter(), env)?;
        for (place, output) in plan.output.iter_mut().enumerate() {
            output.name = format!("column_{place}");
        }
        Ok(QueryPlan::Select(Box::new(plan)))
    });
    query::union(rows.collect::<Result<_>>()?, 0, tail, env)
}
