//! Subqueries of a plan: in FROM, and in expressions.

use std::sync::Arc;

use engine::catalog::table::Table;

use super::{PlannedTable, QueryPlan, Touched};
use crate::expr::Expr;

/// A query within another one.
#[derive(Debug)]
pub struct Subquery {
    /// The query.
    pub plan: QueryPlan,
    /// What it is given of the rows around it.
    pub given: Given,
    /// As in [`SubqueryRef::varies`](crate::expr::SubqueryRef::varies). Of one in FROM never: its rows are read once.
    pub varies: bool,
    /// So many rows decide, whatever follows them.
    pub rows_max: usize,
    /// The view whose rows these are.
    pub view: Option<UsedView>,
}

/// A view that a query reads.
#[derive(Clone, Debug)]
pub struct UsedView {
    /// The view.
    pub view: Arc<Table>,
    /// The views around it, if there are any.
    pub by: Option<ByView>,
    /// Its rows are to be locked as for a change, by the query that reads it.
    pub locks: bool,
}

impl UsedView {
    pub(super) fn collect_tables(&self, touched: &mut Touched) {
        let table = PlannedTable::named(Arc::clone(&self.view), false);
        touched.tables.push(PlannedTable { by: self.by.clone(), locks: self.locks, ..table });
    }
}

/// How a statement comes to read what it does not name.
#[derive(Clone, Debug)]
pub struct ByView {
    /// The view that the statement names.
    pub view: Arc<Table>,
    /// The view whose definer needs the privileges; `None` = whoever runs the statement does.
    pub definer: Option<Arc<Table>>,
}

/// What a subquery is given of the rows around it: [`Expr::Outer`] in its plan.
#[derive(Clone, Debug)]
pub enum Given {
    /// Nothing: its rows are the same throughout the statement.
    Nothing,
    /// What the query is given in which it stands: it stands in FROM.
    Same,
    /// These values. In FROM it is LATERAL.
    Values(Arc<[Expr]>),
}

impl Subquery {
    /// One whose rows are those of a source. `is_correlated` if it looks at the rows around the query of that source.
    pub(crate) fn in_from(plan: QueryPlan, is_correlated: bool) -> Self {
        let given = if is_correlated { Given::Same } else { Given::Nothing };
        Self { plan, given, varies: false, rows_max: usize::MAX, view: None }
    }

    /// The values that it is given.
    pub(crate) fn given(&self) -> &[Expr] {
        match &self.given {
            Given::Nothing | Given::Same => &[],
            Given::Values(values) => values,
        }
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
        self.varies || self.depends_on_row()
    }

    /// Whether what it is given differs from row to row.
    pub(crate) fn depends_on_row(&self) -> bool {
        !self.given().iter().all(Expr::is_known_beforehand)
    }

    pub(crate) fn collect_tables(&self, touched: &mut Touched) {
        self.view.iter().for_each(|view| view.collect_tables(touched));
        self.plan.collect_tables(touched);
    }
}
