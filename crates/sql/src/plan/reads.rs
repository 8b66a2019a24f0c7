//! Whether a change looks at the columns of the table that it changes: whoever runs it needs the privilege to read it then.

use super::{Access, Assignment, InsertPlan, InsertSource, OnDuplicate, Subquery, Target, UpdatePlan};
use crate::expr::Expr;

impl InsertPlan {
    /// Whether the values that it inserts or assigns depend on the row that is there.
    pub fn reads_target(&self) -> bool {
        let assigned = match &self.on_duplicate {
            OnDuplicate::Update(assignments) => read_columns(assignments),
            OnDuplicate::Error | OnDuplicate::Replace => false,
        };
        let given = match &self.source {
            InsertSource::Rows(rows) => rows.iter().flatten().flatten().any(reads_column),
            _ => false,
        };
        assigned || given || depend_on_rows(&self.subqueries)
    }
}

impl UpdatePlan {
    /// Whether the rows that it changes, or what they get, depend on what is there.
    pub fn reads_target(&self) -> bool {
        read_columns(&self.assignments) || self.target.reads_target()
    }
}

impl Target {
    /// Whether it depends on their columns which rows are meant.
    pub fn reads_target(&self) -> bool {
        !matches!(self.source.access, Access::Full(_))
            || !self.source.conditions.is_empty()
            || !self.order.is_empty()
            || depend_on_rows(&self.subqueries)
    }
}

fn read_columns(assignments: &[Assignment]) -> bool {
    assignments.iter().filter_map(|assignment| assignment.value.as_ref()).any(reads_column)
}

fn reads_column(expr: &Expr) -> bool {
    expr.last_source().is_some()
}

fn depend_on_rows(subqueries: &[Subquery]) -> bool {
    subqueries.iter().any(Subquery::depends_on_row)
}
