//! Expressions as conditions: true, false or unknown.

use types::context::Context;
use types::error::SqlError;
use types::value::{Value, ValueRef};

use super::compare::{self, Side};
use super::eval::Digits;
use super::long_list::{Found, LONG};
use super::subquery::quantified;
use super::{CompareOp, Expr, Inputs, like};

type Truth = Result<Option<bool>, SqlError>;

impl Expr {
    /// The expression as a condition: true, false or NULL.
    pub fn truth(&self, inputs: &Inputs<'_>, context: &mut Context<'_>) -> Truth {
        match self {
            Self::Compare(op, left, right) => {
                let left_value = left.eval_digits(Digits::Exact, inputs, context)?;
                let right_value = right.eval_digits(Digits::Exact, inputs, context)?;
                let left = Side::new(left, left_value.as_ref());
                compare::holds(*op, left, Side::new(right, right_value.as_ref()), inputs, context)
            }
            Self::Between(parts) => between(parts, inputs, context),
            Self::And(all) => chain(all, false, inputs, context),
            Self::Or(all) => chain(all, true, inputs, context),
            Self::Xor(left, right) => {
                let (left, right) = (left.truth(inputs, context)?, right.truth(inputs, context)?);
                Ok(left.zip(right).map(|(left, right)| left != right))
            }
            Self::Not(value) => Ok(value.truth(inputs, context)?.map(|truth| !truth)),
            Self::IsNull(value) => Ok(Some(value.eval(inputs, context)?.as_ref().is_null())),
            Self::IsTruth(value, expected) => Ok(Some(value.truth(inputs, context)? == Some(*expected))),
            Self::In(value, list) => is_in(value, list, inputs, context),
            Self::Exists(subquery) => Ok(Some(!subquery.rows(inputs)?.is_empty())),
            Self::Quantified(quantifier, left, subquery) => {
                quantified(*quantifier, left, subquery, inputs, context)
            }
            Self::Like { text, pattern, escape, .. } => like::like(text, pattern, *escape, inputs, context),
            other => is_true(other, inputs, context),
        }
    }
}

impl Expr {
    /// Whether the value is a condition's: 1 or 0 in SQL, `true` or `false` in JSON.
    pub fn is_condition(&self) -> bool {
        match self {
            Self::Compare(..)
            | Self::Between(_)
            | Self::And(_)
            | Self::Or(_)
            | Self::Xor(..)
            | Self::Not(_)
            | Self::IsNull(_)
            | Self::IsTruth(..)
            | Self::In(..)
            | Self::Exists(_)
            | Self::Quantified(..)
            | Self::Like { .. } => true,
            Self::Call(function, _) => function.is_condition,
            _ => false,
        }
    }
}

/// AND or OR: the first part that decides ends it, NULL does not.
fn chain(all: &[Expr], deciding: bool, inputs: &Inputs<'_>, context: &mut Context<'_>) -> Truth {
    let mut result = Some(!deciding);
    for part in all {
        match part.truth(inputs, context)? {
            Some(truth) if truth == deciding => return Ok(Some(deciding)),
            Some(_) => {}
            None => result = None,
        }
    }
    Ok(result)
}

/// The bounds are looked at as AND does it: the upper one only if the lower one does not decide.
fn between([value, low, high]: &[Expr; 3], inputs: &Inputs<'_>, context: &mut Context<'_>) -> Truth {
    let its = value.eval_digits(Digits::Exact, inputs, context)?;
    let its = Side::new(value, its.as_ref());
    let mut result = Some(true);
    for (op, bound) in [(CompareOp::Ge, low), (CompareOp::Le, high)] {
        let other = bound.eval_digits(Digits::Exact, inputs, context)?;
        match compare::holds(op, its, Side::new(bound, other.as_ref()), inputs, context)? {
            Some(false) => return Ok(Some(false)),
            Some(true) => {}
            None => result = None,
        }
    }
    Ok(result)
}

fn is_true(expr: &Expr, inputs: &Inputs<'_>, context: &mut Context<'_>) -> Truth {
    let value = expr.eval(inputs, context)?;
    match (expr, value.as_ref()) {
        (Expr::Const(Value::Bytes(_)), ValueRef::Bytes(bytes)) => {
            Ok(Some(compare::hex_number(&bytes.to_cow()) != 0))
        }
        (_, value) => value.is_true(context),
    }
}

fn is_in(value: &Expr, list: &[Expr], inputs: &Inputs<'_>, context: &mut Context<'_>) -> Truth {
    let left = value.eval_digits(Digits::Exact, inputs, context)?;
    let left = Side::new(value, left.as_ref());
    if left.value.is_null() {
        return Ok(None);
    }
    if list.len() >= LONG
        && let Some(memo) = inputs.memo
        && let Found::Truth(truth) = memo.find((value, left.value), list, inputs)
    {
        return Ok(truth);
    }
    let mut result = Some(false);
    for item in list {
        let right = item.eval_digits(Digits::Exact, inputs, context)?;
        match compare::holds(CompareOp::Eq, left, Side::new(item, right.as_ref()), inputs, context)? {
            Some(true) => return Ok(Some(true)),
            Some(false) => {}
            None => result = None,
        }
    }
    Ok(result)
}
