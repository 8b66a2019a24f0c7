//! Set operations. The parser gives them as a tree that leans to the left, in which INTERSECT binds tighter.

use sqlparser::ast::{SetExpr, SetOperator, SetQuantifier};
use types::error::table::ER_WRONG_NUMBER_OF_COLUMNS_IN_SELECT;

use super::tail::Tail;
use super::{BindEnv, Result, query, unsupported};
use crate::plan::{QueryPlan, SetOperation, SetPlan, SetStep};

/// Operations that bind equally tightly, from left to right.
pub(super) struct Chain<'a> {
    pub(super) operands: Vec<&'a SetExpr>,
    /// How each operand but the first meets all before it.
    pub(super) steps: Vec<SetStep>,
}

/// The chain that a tree is. It may be long: nothing descends here.
pub(super) fn chain(mut body: &SetExpr) -> Result<Chain<'_>> {
    let (mut operands, mut steps) = (Vec::new(), Vec::<SetStep>::new());
    let is_intersect = |step: &SetStep| step.operation == SetOperation::Intersect;
    while let SetExpr::SetOperation { op, set_quantifier, left, right } = body {
        let step = step(*op, *set_quantifier)?;
        if steps.first().is_some_and(|first| is_intersect(first) != is_intersect(&step)) {
            break;
        }
        operands.push(&**right);
        steps.push(step);
        body = left;
    }
    operands.push(body);
    operands.reverse();
    steps.reverse();
    Ok(Chain { operands, steps })
}

fn step(op: SetOperator, quantifier: SetQuantifier) -> Result<SetStep> {
    let operation = match op {
        SetOperator::Union => SetOperation::Union,
        SetOperator::Intersect => SetOperation::Intersect,
        SetOperator::Except => SetOperation::Except,
        SetOperator::Minus => return Err(unsupported("MINUS")),
    };
    let all = match quantifier {
        SetQuantifier::All => true,
        SetQuantifier::None | SetQuantifier::Distinct => false,
        other => return Err(unsupported(&format!("{op} {other}"))),
    };
    Ok(SetStep { operation, all })
}

/// The plan of a chain whose operands are bound, and what follows it. UNIONs at its end give their rows as they come.
pub(super) fn bind(
    mut parts: Vec<QueryPlan>,
    mut steps: Vec<SetStep>,
    tail: Tail<'_>,
    env: &BindEnv<'_>,
) -> Result<QueryPlan> {
    let count = parts[0].column_count();
    if parts.iter().any(|part| part.column_count() != count) {
        return Err(ER_WRONG_NUMBER_OF_COLUMNS_IN_SELECT.error(&[]));
    }
    if let Some(last) = steps.iter().rposition(|step| step.operation != SetOperation::Union) {
        let (behind, unions) = (parts.split_off(last + 2), steps.split_off(last + 1));
        let sets = SetPlan::new(parts, steps, env.session)?;
        parts = std::iter::once(QueryPlan::Sets(Box::new(sets))).chain(behind).collect();
        steps = unions;
    }
    query::union(parts, distinct(&steps), tail, env)
}

/// So many of the first operands the last UNION that does not say ALL makes distinct.
pub(super) fn distinct(steps: &[SetStep]) -> usize {
    steps.iter().rposition(|step| !step.all).map_or(0, |last| last + 2)
}
