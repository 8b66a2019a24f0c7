//! CASE, and what it has in common with the functions of choice: the value that is chosen comes in the common type of
//! all that could have been.

use types::context::Context;
use types::error::SqlError;
use types::value::{JSON_COLLATION, Value, ValueRef};

use super::compare::{self, Side};
use super::eval::Digits;
use super::typing::{Kind, ResultType};
use super::{CompareOp, Ev, Expr, Inputs};

/// CASE.
pub(super) fn case<'a>(
    case: &'a Expr,
    inputs: &Inputs<'a>,
    context: &mut Context<'_>,
) -> Result<Ev<'a>, SqlError> {
    let Expr::Case { operand, branches, otherwise } = case else { return Ok(Ev::NULL) };
    let operand_value = operand.as_deref().map(|operand| operand.eval(inputs, context)).transpose()?;
    for (when, then) in branches {
        let taken = match (&operand_value, operand.as_deref()) {
            (Some(value), Some(operand)) => {
                let operand = Side::new(operand, value.as_ref());
                is_case(operand, when, inputs, context)?
            }
            _ => when.truth(inputs, context)?,
        };
        if taken == Some(true) {
            return chosen(then, inputs, context, |inputs| case.result_type(&inputs.types()));
        }
    }
    match otherwise {
        Some(otherwise) => chosen(otherwise, inputs, context, |inputs| case.result_type(&inputs.types())),
        None => Ok(Ev::NULL),
    }
}

/// Whether the operand of CASE equals that of a WHEN. A text is compared as text, also with a date; a document is
/// a double beside a number, and its text beside anything else.
fn is_case(
    operand: Side<'_, '_>,
    when: &Expr,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Option<bool>, SqlError> {
    let value = when.eval(inputs, context)?;
    let left = document(operand.value, value.as_ref(), context)?;
    let right = document(value.as_ref(), operand.value, context)?;
    if left.is_some() || right.is_some() {
        let plain = |value| Side::of_value(Value::as_ref(value));
        let left = left.as_ref().map_or(operand, plain);
        let right = right.as_ref().map_or_else(|| Side::new(when, value.as_ref()), plain);
        return compare::holds(CompareOp::Eq, left, right, inputs, context);
    }
    let shown;
    let side = if compare::is_text(operand.value) && compare::is_temporal(value.as_ref()) {
        let mut text = Vec::new();
        value.as_ref().write_text(&mut text);
        shown = Value::Str(text, inputs.collation);
        Side::new(when, shown.as_ref())
    } else {
        Side::new(when, value.as_ref()).lenient(&operand)
    };
    compare::holds(CompareOp::Eq, operand, side, inputs, context)
}

/// What a document is that CASE compares: beside a number a double, else its text.
fn document(
    value: ValueRef<'_>,
    other: ValueRef<'_>,
    context: &mut Context<'_>,
) -> Result<Option<Value>, SqlError> {
    let ValueRef::Json(_) = value else { return Ok(None) };
    if other.is_number() {
        return Ok(Some(value.to_f64(context)?.map_or(Value::Null, Value::Double)));
    }
    let mut text = Vec::new();
    value.write_text(&mut text);
    Ok(Some(Value::Str(text, JSON_COLLATION)))
}

/// An operand's value: what IF or CASE chooses has their scale there, though they do not show it themselves.
#[inline]
pub(crate) fn operand<'a>(
    expr: &'a Expr,
    inputs: &Inputs<'a>,
    context: &mut Context<'_>,
) -> Result<Ev<'a>, SqlError> {
    let value = expr.eval(inputs, context)?;
    let chooses = match expr {
        Expr::Case { .. } => true,
        Expr::Call(function, _) => function.name == "if",
        _ => false,
    };
    if !chooses {
        return Ok(value);
    }
    let ty = expr.result_type(&inputs.types())?;
    Ok(in_type_and_scale(value, &ty, context))
}

/// The value of the chosen expression in the common type. DECIMAL keeps its own scale, as in MySQL.
pub(crate) fn chosen<'a>(
    expr: &'a Expr,
    inputs: &Inputs<'a>,
    context: &mut Context<'_>,
    common: impl FnOnce(&Inputs<'a>) -> Result<ResultType, SqlError>,
) -> Result<Ev<'a>, SqlError> {
    let value = expr.eval(inputs, context)?;
    if value.as_ref().is_null() {
        return Ok(value);
    }
    let common = common(inputs)?;
    let value = value_for(expr, value, &common, inputs, context)?;
    Ok(in_type(value, &common, context))
}

/// The value of an expression that is wanted in a type: of an average all digits, if that is a double.
pub(crate) fn value_for<'a>(
    expr: &'a Expr,
    value: Ev<'a>,
    common: &ResultType,
    inputs: &Inputs<'a>,
    context: &mut Context<'_>,
) -> Result<Ev<'a>, SqlError> {
    match expr {
        Expr::Aggregate(_) if matches!(common.kind, Kind::Double | Kind::Float) => {
            expr.eval_digits(Digits::All, inputs, context)
        }
        _ => Ok(value),
    }
}

/// The value in the type; not copied if it is of the type already.
pub(crate) fn in_type<'a>(value: Ev<'a>, common: &ResultType, context: &Context<'_>) -> Ev<'a> {
    use types::value::ValueRef::{Bytes, Date, DateTime, Decimal, Double, Float, Int, Json, Str, Time, UInt};
    let is_same = match (common.kind, value.as_ref()) {
        (kind, Int(_) | UInt(_)) => kind.is_int(),
        (kind, Str(_, collation)) => kind.is_string() && collation == common.text.collation,
        (kind, Bytes(_)) => kind.is_string(),
        (Kind::Decimal, Decimal(_))
        | (Kind::Double, Double(_))
        | (Kind::Float, Float(_))
        | (Kind::Date, Date(_))
        | (Kind::Json, Json(_)) => true,
        (Kind::Time, Time(time)) => time.fsp() == common.decimals,
        (Kind::DateTime | Kind::Timestamp, DateTime(moment)) => moment.fsp() == common.decimals,
        _ => false,
    };
    if is_same {
        return value;
    }
    Ev::Own(common.coerce(value.into_value(), context))
}

/// The value in the common type of a function that fills DECIMAL up to the common scale.
pub(crate) fn in_type_and_scale<'a>(value: Ev<'a>, common: &ResultType, context: &Context<'_>) -> Ev<'a> {
    match in_type(value, common, context) {
        value if common.kind != Kind::Decimal => value,
        value => match value.as_ref() {
            types::value::ValueRef::Decimal(number) if number.scale() < common.decimals => {
                Ev::Own(Value::Decimal(number.with_scale(common.decimals)))
            }
            _ => value,
        },
    }
}
