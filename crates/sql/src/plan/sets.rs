//! INTERSECT and EXCEPT, with the UNIONs in front of them: what decides about rows once all before it are known.

use std::sync::Arc;

use types::column::Column;
use types::error::SqlError;

use super::QueryPlan;
use super::query::column;
use crate::expr::{ResultType, Types, union_type};
use crate::session::Session;

type Result<T> = std::result::Result<T, SqlError>;

/// A planned chain of set operations, from left to right, in no order and without end.
#[derive(Debug)]
pub struct SetPlan {
    /// The queries.
    pub parts: Vec<QueryPlan>,
    /// How each of them but the first meets all before it.
    pub steps: Vec<SetStep>,
    /// The columns of the result.
    pub columns: Arc<[Column]>,
}

/// One set operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetStep {
    /// Which one.
    pub operation: SetOperation,
    /// Equal rows count one by one; else they are one row.
    pub all: bool,
}

/// What becomes of rows that are equal to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetOperation {
    /// The rows of both.
    Union,
    /// The rows that both have.
    Intersect,
    /// The rows that the second one has not.
    Except,
}

impl SetPlan {
    /// Error 1267 and its like if a column's collations do not go together.
    pub(crate) fn new(parts: Vec<QueryPlan>, steps: Vec<SetStep>, session: &Session) -> Result<Self> {
        let named = parts[0].columns(session)?;
        let mut plan = Self { parts, steps, columns: Arc::clone(&named) };
        let types = plan.column_types(&Types::of_session(session))?;
        plan.columns = named.iter().zip(types).map(|(named, ty)| column(&named.name, ty)).collect();
        Ok(plan)
    }

    /// The type that a column has in common in all parts. It is NULL only where rows of the result can be.
    pub(crate) fn column_type(&self, place: usize, types: &Types<'_>) -> Result<ResultType> {
        let found = self.parts.iter().map(|part| part.column_type(place, types));
        let found = found.collect::<Result<Vec<_>>>()?;
        let (first, others) = found.split_first().expect("a chain has parts");
        let steps = self.steps.iter().zip(others);
        let nullable = steps.fold(first.nullable, |nullable, (step, other)| match step.operation {
            SetOperation::Union => nullable || other.nullable,
            SetOperation::Intersect => nullable && other.nullable,
            SetOperation::Except => nullable,
        });
        let operation = match self.steps.last().map(|step| step.operation) {
            Some(SetOperation::Intersect) => "INTERSECT",
            _ => "EXCEPT",
        };
        Ok(ResultType { nullable, ..union_type(&found, operation, types)? })
    }

    /// The types of all columns.
    pub(crate) fn column_types(&self, types: &Types<'_>) -> Result<Vec<ResultType>> {
        (0..self.columns.len()).map(|place| self.column_type(place, types)).collect()
    }
}
