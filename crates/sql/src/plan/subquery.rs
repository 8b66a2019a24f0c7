//! Subqueries of a plan: in FROM, and in expressions.

use std::sync::Arc;

use super::{QueryPlan, Touched};
use crate::expr::Expr;

/// A query within another one.
#[derive(Debug)]
pub struct Subquery {
    /// The query.
    pub plan: QueryPlan,
    /// What it is given of the rows around it.
    pub given: Given,
    /// So many rows decide, whatever follows them.
    pub rows_max: usize,
}

/// What a subquery is given of the rows around it: [`Expr::Outer`] in its plan.
#[derive(Clone, Debug)]
pub enum Given {
    /// Nothing: its rows are the same throughout the statement.
    Nothing,
    /// What the query is given in which it stands: it stands in FROM.
    Same,
    /// These values.
    Values(Arc<[Expr]>),
}

impl Subquery {
    /// One whose rows are those of a source. `is_correlated` if it looks at the rows around the query of that source.
    pub(crate) fn in_from(plan: QueryPlan, is_correlated: bool) -> Self {
        let given = if is_correlated { Given::Same } else { Given::Nothing };
        Self { plan, given, rows_max: usize::MAX }
    }

    /// Whether it is given what the query around it is given.
    pub(crate) fn is_given(&self) -> bool {
        let Given::Values(values) = &self.given else { return matches!(self.given, Given::Same) };
        let mut given = false;
        values.iter().for_each(|value| value.walk(&mut |part| given |= matches!(part, Expr::Outer(..))));
        given
    }

    /// Whether it must be asked again for each row.
    pub(crate) fn is_asked_by_row(&self) -> bool {
        match &self.given {
            Given::Nothing | Given::Same => false,
            Given::Values(values) => !values.iter().all(Expr::is_known_beforehand),
        }
    }

    pub(crate) fn collect_tables(&self, touched: &mut Touched) {
        self.plan.collect_tables(touched);
    }
}
