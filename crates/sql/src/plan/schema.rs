//! What plans know of the types of their parts.

use engine::catalog::table::Table;
use types::column::ColumnType;

use super::{
    Aggregate, InsertPlan, RowRules, SelectPlan, Source, Subquery, Target, UnionPlan, WindowFunction,
};
use crate::expr::{ResultType, Schema, Types};

fn column_of(source: &Source, column: usize) -> (ColumnType, bool) {
    let column = source.from.column_type(column);
    (column.0, column.1 || source.optional)
}

fn column_of_table(table: &Table, column: usize) -> (ColumnType, bool) {
    let column = &table.columns[column];
    (column.ty, column.nullable)
}

/// The type of a subquery's column.
pub(crate) fn subquery_type(
    subqueries: &[Subquery],
    place: usize,
    column: usize,
    types: &Types<'_>,
) -> ResultType {
    let found = subqueries.get(place).and_then(|subquery| subquery.plan.column_type(column, types).ok());
    found.unwrap_or(ResultType::NULL)
}

/// For a statement without grouping, whose only aggregates are in subqueries.
macro_rules! no_aggregates {
    () => {
        fn aggregate(&self, _number: usize) -> Option<&Aggregate> {
            None
        }

        fn has_group_by(&self) -> bool {
            false
        }
    };
}

impl Schema for SelectPlan {
    fn column(&self, source: usize, column: usize) -> (ColumnType, bool) {
        column_of(&self.sources[source], column)
    }

    fn candidate(&self, _column: usize) -> (ColumnType, bool) {
        unreachable!("VALUES(c) stands in INSERT alone")
    }

    fn aggregate(&self, number: usize) -> Option<&Aggregate> {
        self.group.as_ref()?.aggregates.get(number)
    }

    fn window(&self, number: usize) -> Option<&WindowFunction> {
        self.over.as_ref()?.functions.get(number)
    }

    fn has_group_by(&self) -> bool {
        self.group.as_ref().is_some_and(|group| !group.by.is_empty())
    }

    fn subquery(&self, place: usize, column: usize, types: &Types<'_>) -> ResultType {
        subquery_type(&self.subqueries, place, column, types)
    }
}

impl Schema for UnionPlan {
    fn column(&self, _source: usize, column: usize) -> (ColumnType, bool) {
        (self.columns[column].ty, self.columns[column].nullable)
    }

    fn candidate(&self, _column: usize) -> (ColumnType, bool) {
        unreachable!("VALUES(c) stands in INSERT alone")
    }

    no_aggregates!();

    fn subquery(&self, place: usize, column: usize, types: &Types<'_>) -> ResultType {
        subquery_type(&self.subqueries, place, column, types)
    }
}

impl Schema for Target {
    fn column(&self, _source: usize, column: usize) -> (ColumnType, bool) {
        column_of(&self.source, column)
    }

    fn candidate(&self, column: usize) -> (ColumnType, bool) {
        column_of(&self.source, column)
    }

    no_aggregates!();

    fn subquery(&self, place: usize, column: usize, types: &Types<'_>) -> ResultType {
        subquery_type(&self.subqueries, place, column, types)
    }
}

impl Schema for RowRules {
    fn column(&self, _source: usize, column: usize) -> (ColumnType, bool) {
        column_of_table(&self.table, column)
    }

    fn candidate(&self, _column: usize) -> (ColumnType, bool) {
        unreachable!("VALUES(c) stands in INSERT alone")
    }

    no_aggregates!();

    fn subquery(&self, _place: usize, _column: usize, _types: &Types<'_>) -> ResultType {
        unreachable!("expressions of definitions have no subqueries")
    }
}

impl Schema for InsertPlan {
    fn column(&self, _source: usize, column: usize) -> (ColumnType, bool) {
        column_of_table(&self.table, column)
    }

    fn candidate(&self, column: usize) -> (ColumnType, bool) {
        column_of_table(&self.table, column)
    }

    no_aggregates!();

    fn subquery(&self, place: usize, column: usize, types: &Types<'_>) -> ResultType {
        subquery_type(&self.subqueries, place, column, types)
    }
}
