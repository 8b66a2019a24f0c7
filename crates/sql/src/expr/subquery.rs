//! Subqueries in expressions: what they have answered, and what follows from it.

use std::sync::Arc;

use types::context::Context;
use types::error::SqlError;
use types::error::table::ER_SUBQUERY_NO_1_ROW;
use types::value::{Value, ValueRef};

use super::compare::{self, Side};
use super::{CompareOp, Expr, Inputs};
use crate::bind::unsupported;

type Truth = Result<Option<bool>, SqlError>;

/// A subquery in an expression.
#[derive(Clone, Debug)]
pub struct SubqueryRef {
    /// Its place in the plan's list.
    pub place: usize,
    /// The values of the row at hand that it is given: [`Expr::Outer`] in its plan.
    pub given: Arc<[Expr]>,
    /// It may answer differently each time, or each time counts: it calls RAND(), or assigns to a variable.
    pub varies: bool,
}

/// What a subquery has answered.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Nothing yet: it depends on the row at hand.
    Open,
    /// Its rows.
    Rows(Arc<Vec<Vec<Value>>>),
    /// Whether its rows fulfil the comparison in which it stands; they were not kept.
    Truth(Option<bool>),
}

/// A comparison with some row, or with all rows, of a subquery. `=` with some row is IN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantifier {
    /// How the row is compared.
    pub op: CompareOp,
    /// ALL, not ANY.
    pub all: bool,
}

/// What a comparison with the rows so far has given.
#[derive(Debug)]
pub(crate) struct Verdict {
    quantifier: Quantifier,
    /// The subquery's.
    place: usize,
    pub(crate) truth: Option<bool>,
}

impl Verdict {
    /// Without any row of a subquery.
    pub(crate) fn new(quantifier: Quantifier, subquery: &SubqueryRef) -> Self {
        Self { quantifier, place: subquery.place, truth: Some(quantifier.all) }
    }

    /// Whether further rows cannot change it.
    pub(crate) fn is_final(&self) -> bool {
        self.truth == Some(!self.quantifier.all)
    }

    /// Another row comes. Rows of several columns are compared for equality alone.
    pub(crate) fn add<'v>(
        &mut self,
        left: impl Iterator<Item = Side<'v, 'v>>,
        row: impl Iterator<Item = ValueRef<'v>>,
        inputs: &Inputs<'_>,
        context: &mut Context<'_>,
    ) -> Result<(), SqlError> {
        let mut holds = Some(true);
        for (column, (left, value)) in left.zip(row).enumerate() {
            let right = Side::of_subquery(self.place, column, value);
            match compare::holds(self.quantifier.op, left, right, inputs, context)? {
                Some(true) => {}
                Some(false) => {
                    holds = Some(false);
                    break;
                }
                None => holds = None,
            }
        }
        if !self.is_final() && holds != Some(self.quantifier.all) {
            self.truth = holds;
        }
        Ok(())
    }
}

/// ANY and ALL: whether a row, or every row, is in the relation.
pub(super) fn quantified(
    quantifier: Quantifier,
    left: &[Expr],
    subquery: &SubqueryRef,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Truth {
    if let Answer::Truth(truth) = &inputs.subqueries[subquery.place] {
        return Ok(*truth);
    }
    let values = left.iter().map(|left| left.eval(inputs, context)).collect::<Result<Vec<_>, _>>()?;
    if let ([value], CompareOp::Eq | CompareOp::Ne) = (&values[..], quantifier.op)
        && quantifier.all == (quantifier.op == CompareOp::Ne)
        && let (Some(memo), Answer::Rows(rows)) = (inputs.memo, &inputs.subqueries[subquery.place])
        && !value.as_ref().is_null()
        && let Some(lookup) = memo.made(rows, 0)
        && let Some(found) = lookup.find(rows, value.as_ref())
    {
        // IN, or NOT IN.
        let is_in = if found.is_empty() { (!lookup.has_null()).then_some(false) } else { Some(true) };
        return Ok(is_in.map(|is_in| is_in != quantifier.all));
    }
    let mut verdict = Verdict::new(quantifier, subquery);
    for row in subquery.rows(inputs)? {
        let sides = left.iter().zip(&values).map(|(left, value)| Side::new(left, value.as_ref()));
        verdict.add(sides, row.iter().map(Value::as_ref), inputs, context)?;
        if verdict.is_final() {
            break;
        }
    }
    Ok(verdict.truth)
}

impl SubqueryRef {
    /// Its rows. Error 1235 where an expression is evaluated for whose subqueries nobody has asked.
    pub(crate) fn rows<'a>(&self, inputs: &Inputs<'a>) -> Result<&'a [Vec<Value>], SqlError> {
        match &inputs.subqueries[self.place] {
            Answer::Rows(rows) => Ok(rows),
            Answer::Open | Answer::Truth(_) => Err(unsupported("a correlated subquery here")),
        }
    }

    /// A column of its only row; NULL if there is none. Error 1242 for several.
    pub(super) fn value<'a>(&self, column: usize, inputs: &Inputs<'a>) -> Result<ValueRef<'a>, SqlError> {
        match self.rows(inputs)? {
            [] => Ok(ValueRef::Null),
            [row] => Ok(row[column].as_ref()),
            _ => Err(ER_SUBQUERY_NO_1_ROW.error(&[])),
        }
    }

    pub(super) fn given(&self) -> &[Expr] {
        &self.given
    }

    /// As long as the binder is at work: the plan's list of subqueries has the same values.
    pub(super) fn given_mut(&mut self) -> &mut [Expr] {
        Arc::make_mut(&mut self.given)
    }

    /// Whether it must be asked again for each row.
    pub fn is_asked_by_row(&self) -> bool {
        self.varies || !self.given.iter().all(Expr::is_known_beforehand)
    }
}

impl Expr {
    /// The subquery that this expression is about.
    pub fn subquery(&self) -> Option<&SubqueryRef> {
        match self {
            Self::Subquery(subquery, _) | Self::Exists(subquery) | Self::Quantified(_, _, subquery) => {
                Some(subquery)
            }
            _ => None,
        }
    }
}
