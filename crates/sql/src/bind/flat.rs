//! A UNION as the list of its parts, without the parentheses that make no difference: what recursive queries consist of.

use sqlparser::ast::{self, SetExpr};

use super::sets::{self, Chain};
use super::tail::Tail;
use super::{BindEnv, Result, query};
use crate::plan::{QueryPlan, SetOperation, SetStep};

/// See the module.
pub(super) struct Flat<'a> {
    pub(super) operands: Vec<Operand<'a>>,
    /// How each but the first meets all before it: by UNION.
    pub(super) steps: Vec<SetStep>,
}

/// A part of a UNION.
pub(super) enum Operand<'a> {
    /// One in the text.
    Body(&'a SetExpr),
    /// A chain that begins the UNION and ends with INTERSECT or EXCEPT.
    Chain(Chain<'a>),
}

/// What a part is.
pub(super) enum Form<'a> {
    /// A SELECT.
    Select(&'a ast::Select),
    /// One in parentheses with an ORDER BY or LIMIT of its own.
    Ended,
    /// A UNION that is more than its parts.
    Union,
    /// INTERSECT, EXCEPT, and whatever else there is.
    Other,
}

/// The list that set operations are; `None` if the last one is no UNION.
pub(super) fn of(body: &SetExpr) -> Result<Option<Flat<'_>>> {
    let Chain { mut operands, mut steps } = sets::chain(body)?;
    let is_other = |step: &SetStep| step.operation != SetOperation::Union;
    if steps.last().is_none_or(is_other) {
        return Ok(None);
    }
    let mut flat = Flat { operands: Vec::new(), steps: Vec::new() };
    if let Some(last) = steps.iter().rposition(is_other) {
        let (behind, unions) = (operands.split_off(last + 2), steps.split_off(last + 1));
        flat.operands.push(Operand::Chain(Chain { operands, steps }));
        (operands, steps) = (behind, unions);
    } else {
        flat.append(operands.remove(0), None)?;
    }
    for (operand, step) in operands.into_iter().zip(steps) {
        flat.append(operand, Some(step))?;
    }
    Ok(Some(flat))
}

impl<'a> Flat<'a> {
    /// Appends a part, or those that it consists of.
    fn append(&mut self, body: &'a SetExpr, step: Option<SetStep>) -> Result<()> {
        if let Some(nested) = nested_union(body, step)? {
            let others = nested
                .steps
                .into_iter()
                .map(|own| SetStep { all: own.all && step.is_none_or(|step| step.all), ..own });
            let steps = std::iter::once(step).chain(others.map(Some));
            for (operand, step) in nested.operands.into_iter().zip(steps) {
                self.append(operand, step)?;
            }
        } else {
            self.operands.push(Operand::Body(body));
            self.steps.extend(step);
        }
        Ok(())
    }
}

/// A UNION in parentheses whose parts could stand without them, behind this step.
fn nested_union(body: &SetExpr, step: Option<SetStep>) -> Result<Option<Chain<'_>>> {
    let SetExpr::Query(inner) = body else { return Ok(None) };
    if inner.with.is_some() || !Tail::of(inner)?.is_empty() {
        return Ok(None);
    }
    match &*inner.body {
        nested @ SetExpr::Query(_) => nested_union(nested, step),
        nested @ SetExpr::SetOperation { .. } => {
            let chain = sets::chain(nested)?;
            let are_unions = chain.steps.iter().all(|step| step.operation == SetOperation::Union);
            // Behind UNION ALL what is distinct is so among itself only.
            let is_alike = step.is_none_or(|step| !step.all || chain.steps.iter().all(|own| own.all));
            Ok((are_unions && is_alike).then_some(chain))
        }
        _ => Ok(None),
    }
}

impl<'a> Operand<'a> {
    pub(super) fn form(&self) -> Form<'a> {
        match self {
            Self::Body(body) => form(body),
            Self::Chain(_) => Form::Other,
        }
    }

    pub(super) fn bind(&self, tail: Tail<'_>, env: &BindEnv<'_>) -> Result<QueryPlan> {
        match self {
            Self::Body(body) => query::bind_body(body, tail, env),
            Self::Chain(chain) => query::bind_chain(chain, Tail::PART, env),
        }
    }
}

fn form(body: &SetExpr) -> Form<'_> {
    match body {
        SetExpr::Select(select) => Form::Select(select),
        SetExpr::Query(inner) => match form(&inner.body) {
            Form::Select(_) if Tail::of(inner).is_ok_and(|tail| !tail.is_empty()) => Form::Ended,
            form => form,
        },
        SetExpr::SetOperation { op: ast::SetOperator::Union, .. } => Form::Union,
        _ => Form::Other,
    }
}
