//! Queries of WITH RECURSIVE that name themselves.

use std::sync::Arc;

use types::column::Column;

use super::QueryPlan;
use crate::expr::{Expr, ResultType};

/// A planned query that begins with some rows and makes others of them, until there are no new ones.
#[derive(Debug)]
pub struct RecursivePlan {
    /// The query of the first rows, and behind it those that make rows of others.
    pub parts: Vec<QueryPlan>,
    /// No row comes twice.
    pub distinct: bool,
    /// LIMIT.
    pub limit: Option<Expr>,
    /// OFFSET.
    pub offset: Option<Expr>,
    /// What the rows are that others are made of.
    pub recent: Arc<Recent>,
}

/// The rows of a recursive query that the part has not read yet which reads them: a source of that part.
#[derive(Debug)]
pub struct Recent {
    /// The columns of the recursive query. The first rows decide what they are, but any may be NULL.
    pub columns: Arc<[Column]>,
}

impl Recent {
    /// The type of a column.
    pub(crate) fn column_type(&self, place: usize) -> ResultType {
        let Column { ty, nullable, .. } = self.columns[place];
        ResultType::of_column(ty, nullable)
    }

    /// Under what its rows are found while a statement runs.
    pub(crate) fn key(self: &Arc<Self>) -> usize {
        Arc::as_ptr(self).addr()
    }
}
