//! EXPLAIN of set operations: a line for each part, and one for what the operation makes of them.

use super::{Explainer, Line, Result, Role};
use crate::plan::{QueryPlan, SetOperation, SetPlan, UnionPlan};

/// What a set operation finds its rows by.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    Query(u64),
    /// Of another set operation: these are numbered in the order of their lines, behind all queries.
    Result(u64),
}

impl<'p> Explainer<'_, '_, 'p> {
    pub(super) fn union(&mut self, union: &'p UnionPlan, role: Role, first: u64) -> Result<Vec<Number>> {
        let numbers = self.parts(&union.parts, role, first)?;
        self.subqueries(&union.subqueries)?;
        let sorts = !union.order.is_empty();
        match (&union.parts[..], self.lines.last_mut()) {
            ([QueryPlan::Sets(_)], Some(line)) => {
                line.extra.extend(sorts.then_some("Using filesort".into()));
                Ok(numbers)
            }
            _ if union.distinct > 0 || sorts => Ok(self.combine(SetOperation::Union, numbers, sorts)),
            _ => Ok(numbers),
        }
    }

    /// The parts of a UNION.
    pub(super) fn parts(&mut self, parts: &'p [QueryPlan], role: Role, first: u64) -> Result<Vec<Number>> {
        let mut numbers = self.part(&parts[0], role, role.first(), first)?;
        for part in &parts[1..] {
            let id = self.next_id();
            numbers.append(&mut self.part(part, role, role.other(SetOperation::Union), id)?);
        }
        Ok(numbers)
    }

    fn part(
        &mut self,
        part: &'p QueryPlan,
        role: Role,
        select_type: &'static str,
        id: u64,
    ) -> Result<Vec<Number>> {
        match part {
            QueryPlan::Select(select) => self.select(select, select_type, id),
            part => self.query(part, role, id),
        }
    }

    pub(super) fn sets(&mut self, sets: &'p SetPlan, role: Role, first: u64) -> Result<Vec<Number>> {
        let mut numbers = self.part(&sets.parts[0], role, role.first(), first)?;
        let mut before = sets.steps[0].operation;
        for (step, part) in sets.steps.iter().zip(&sets.parts[1..]) {
            if step.operation != before {
                numbers = self.combine(before, numbers, false);
                before = step.operation;
            }
            let id = self.next_id();
            numbers.append(&mut self.part(part, role, role.other(before), id)?);
        }
        Ok(self.combine(before, numbers, false))
    }

    /// Another line: what a set operation makes of these.
    pub(super) fn combine(
        &mut self,
        operation: SetOperation,
        numbers: Vec<Number>,
        sorts: bool,
    ) -> Vec<Number> {
        let mut extra = vec!["Using temporary".into()];
        extra.extend(sorts.then_some("Using filesort".into()));
        self.lines.push(Line {
            select_type: match operation {
                SetOperation::Union => "UNION RESULT",
                SetOperation::Intersect => "INTERSECT RESULT",
                SetOperation::Except => "EXCEPT RESULT",
            },
            combines: Some((operation, numbers)),
            access: Some("ALL"),
            extra,
            ..Line::default()
        });
        self.results += 1;
        vec![Number::Result(self.results)]
    }
}

impl Role {
    /// Of the second and later parts of a set operation.
    fn other(self, operation: SetOperation) -> &'static str {
        match (operation, self == Self::Dependent) {
            (SetOperation::Union, false) => "UNION",
            (SetOperation::Union, true) => "DEPENDENT UNION",
            (SetOperation::Intersect, false) => "INTERSECT",
            (SetOperation::Intersect, true) => "DEPENDENT INTERSECT",
            (SetOperation::Except, false) => "EXCEPT",
            (SetOperation::Except, true) => "DEPENDENT EXCEPT",
        }
    }
}

impl Line {
    /// A set operation gets its number; those of queries end at `ids`.
    pub(super) fn number(&mut self, ids: u64, own: u64) {
        let Some((operation, numbers)) = self.combines.take() else { return };
        let name = match operation {
            SetOperation::Union => "union",
            SetOperation::Intersect => "intersect",
            SetOperation::Except => "except",
        };
        let numbers = numbers.into_iter().map(|number| match number {
            Number::Query(id) => id.to_string(),
            Number::Result(place) => (ids + place).to_string(),
        });
        self.id = Some(own);
        self.table = Some(format!("<{name}{}>", numbers.collect::<Vec<_>>().join(",")));
    }
}
