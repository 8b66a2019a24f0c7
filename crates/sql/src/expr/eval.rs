//! Evaluation.

use std::cmp::Ordering;

use types::context::Context;
use types::error::SqlError;
use types::value::{Value, ValueRef, compare};

use super::{CompareOp, Ev, Expr, Inputs};

type Result<T> = std::result::Result<T, SqlError>;

impl Expr {
    /// The value for the given inputs.
    pub fn eval<'a>(&'a self, inputs: &Inputs<'a>, context: &mut Context<'_>) -> Result<Ev<'a>> {
        Ok(match self {
            Self::Const(value) => Ev::Ref(value.as_ref()),
            Self::Param(number) => Ev::Ref(inputs.params[*number]),
            Self::Literal(number) => Ev::Ref(inputs.literals[*number].as_ref()),
            Self::RowLiteral(number) => Ev::Ref(inputs.row_literals[*number].as_ref()),
            Self::Column { source, column } => {
                Ev::Ref(inputs.rows[*source].value(*column, &inputs.session.time_zone))
            }
            Self::Candidate(column) => Ev::Ref(inputs.candidate.value(*column, &inputs.session.time_zone)),
            Self::Aggregate(number) => Ev::Ref(inputs.aggregates[*number].as_ref()),
            Self::Subquery(number) => Ev::Ref(single(&inputs.subqueries[*number])?),
            Self::SystemVariable(scope, name) => {
                Ev::Own(inputs.session.server.variable(inputs.session, *scope, name)?)
            }
            Self::UserVariable(name) => {
                Ev::Own(inputs.session.user_variables.lock().get(name).cloned().unwrap_or_default())
            }
            Self::AssignVariable(name, value) => {
                let value = value.eval(inputs, context)?.into_value();
                inputs.session.user_variables.lock().insert(name.clone(), value.clone());
                Ev::Own(value)
            }
            Self::Arith(op, left, right, text) => {
                let (left, right) = (left.eval(inputs, context)?, right.eval(inputs, context)?);
                Ev::Own(super::arith::binary(*op, left.as_ref(), right.as_ref(), text, inputs, context)?)
            }
            Self::Neg(value) => {
                Ev::Own(super::arith::negate(value.eval(inputs, context)?.as_ref(), context)?)
            }
            Self::BitNot(value) => {
                Ev::Own(super::arith::invert(value.eval(inputs, context)?.as_ref(), context)?)
            }
            Self::Collate(text, collation) => match text.eval(inputs, context)?.into_value() {
                Value::Str(bytes, _) => Ev::Own(Value::Str(bytes, *collation)),
                other => Ev::Own(other),
            },
            Self::Case { operand, branches, otherwise } => {
                return case(operand.as_deref(), branches, otherwise.as_deref(), inputs, context);
            }
            Self::Cast(value, target, text) => {
                let value = value.eval(inputs, context)?;
                Ev::Own(types::cast::cast(value.as_ref(), *target, text, context)?)
            }
            Self::Call(function, args) => return (function.eval)(args, inputs, context),
            Self::Interval(value, _) => return value.eval(inputs, context),
            condition => return Ok(condition.truth(inputs, context)?.into()),
        })
    }

    /// The expression as a condition: true, false or NULL.
    pub fn truth(&self, inputs: &Inputs<'_>, context: &mut Context<'_>) -> Result<Option<bool>> {
        Ok(match self {
            Self::Compare(op, left, right) => {
                let left = left.eval(inputs, context)?;
                let right = right.eval(inputs, context)?;
                compare_by(*op, left.as_ref(), right.as_ref(), context)?
            }
            Self::And(all) => {
                let mut result = Some(true);
                for part in all {
                    match part.truth(inputs, context)? {
                        Some(true) => {}
                        Some(false) => return Ok(Some(false)),
                        None => result = None,
                    }
                }
                result
            }
            Self::Or(all) => {
                let mut result = Some(false);
                for part in all {
                    match part.truth(inputs, context)? {
                        Some(false) => {}
                        Some(true) => return Ok(Some(true)),
                        None => result = None,
                    }
                }
                result
            }
            Self::Xor(left, right) => {
                let (left, right) = (left.truth(inputs, context)?, right.truth(inputs, context)?);
                left.zip(right).map(|(left, right)| left != right)
            }
            Self::Not(value) => value.truth(inputs, context)?.map(|truth| !truth),
            Self::IsNull(value) => Some(value.eval(inputs, context)?.as_ref().is_null()),
            Self::IsTruth(value, expected) => Some(value.truth(inputs, context)? == Some(*expected)),
            Self::In(value, list) => {
                let value = value.eval(inputs, context)?;
                let list = list.iter().map(|item| item.eval(inputs, context));
                let list = list.collect::<Result<Vec<_>>>()?;
                contains(value.as_ref(), list.iter().map(Ev::as_ref), context)?
            }
            Self::InSubquery(value, number) => {
                let value = value.eval(inputs, context)?;
                contains(value.as_ref(), inputs.subqueries[*number].iter().map(Value::as_ref), context)?
            }
            Self::Like { text, pattern, escape } => {
                let (text, pattern) = (text.eval(inputs, context)?, pattern.eval(inputs, context)?);
                like(text.as_ref(), pattern.as_ref(), *escape)
            }
            other => other.eval(inputs, context)?.as_ref().is_true(context)?,
        })
    }
}

/// Whether two values stand in a relation; `None` if that is unknown.
pub(crate) fn compare_by(
    op: CompareOp,
    left: ValueRef<'_>,
    right: ValueRef<'_>,
    context: &mut Context<'_>,
) -> Result<Option<bool>> {
    if op == CompareOp::NullSafeEq && (left.is_null() || right.is_null()) {
        return Ok(Some(left.is_null() && right.is_null()));
    }
    let holds = |ordering: Ordering| match op {
        CompareOp::Eq | CompareOp::NullSafeEq => ordering.is_eq(),
        CompareOp::Ne => ordering.is_ne(),
        CompareOp::Lt => ordering.is_lt(),
        CompareOp::Le => ordering.is_le(),
        CompareOp::Gt => ordering.is_gt(),
        CompareOp::Ge => ordering.is_ge(),
    };
    Ok(compare(left, right, context)?.map(holds))
}

fn contains<'v>(
    value: ValueRef<'_>,
    list: impl Iterator<Item = ValueRef<'v>>,
    context: &mut Context<'_>,
) -> Result<Option<bool>> {
    let mut result = Some(false);
    for item in list {
        match compare(value, item, context)? {
            Some(Ordering::Equal) => return Ok(Some(true)),
            Some(_) => {}
            None => result = None,
        }
    }
    Ok(result)
}

fn single(rows: &[Value]) -> Result<ValueRef<'_>> {
    match rows {
        [] => Ok(ValueRef::Null),
        [value] => Ok(value.as_ref()),
        _ => Err(types::error::table::ER_SUBQUERY_NO_1_ROW.error(&[])),
    }
}

fn case<'a>(
    operand: Option<&'a Expr>,
    branches: &'a [(Expr, Expr)],
    otherwise: Option<&'a Expr>,
    inputs: &Inputs<'a>,
    context: &mut Context<'_>,
) -> Result<Ev<'a>> {
    let operand = operand.map(|operand| operand.eval(inputs, context)).transpose()?;
    for (when, then) in branches {
        let taken = match &operand {
            None => when.truth(inputs, context)?,
            Some(operand) => {
                let when = when.eval(inputs, context)?;
                compare_by(CompareOp::Eq, operand.as_ref(), when.as_ref(), context)?
            }
        };
        if taken == Some(true) {
            return then.eval(inputs, context);
        }
    }
    otherwise.map_or(Ok(Ev::NULL), |otherwise| otherwise.eval(inputs, context))
}

fn like(text: ValueRef<'_>, pattern: ValueRef<'_>, escape: Option<char>) -> Option<bool> {
    if text.is_null() || pattern.is_null() {
        return None;
    }
    let (text, text_collation) = text_of(text);
    let (pattern, pattern_collation) = text_of(pattern);
    let collation =
        text_collation.or(pattern_collation).unwrap_or(types::collation::Collation::Utf8mb4GeneralCi);
    Some(collation.like(&text, &pattern, escape.map(u32::from)))
}

/// A value as text, with its collation if it has one of its own.
fn text_of(value: ValueRef<'_>) -> (Vec<u8>, Option<types::collation::Collation>) {
    match value {
        ValueRef::Str(bytes, collation) => (bytes.to_vec(), Some(collation)),
        ValueRef::Bytes(bytes) => (bytes.to_cow().into_owned(), Some(types::collation::Collation::Binary)),
        other => {
            let mut text = Vec::new();
            other.write_text(&mut text);
            (text, None)
        }
    }
}
