//! Arithmetic, by MySQL's rules: integers stay integers and overflow is an error, one unsigned operand makes the
//! result unsigned, DECIMAL is exact, everything else is DOUBLE; `/` of integers is DECIMAL.

use std::fmt::Display;

use types::context::Context;
use types::decimal::{Decimal, Overflow};
use types::error::SqlError;
use types::error::table::{ER_DATA_OUT_OF_RANGE, ER_DIVISION_BY_ZERO};
use types::sql_mode::SqlMode;
use types::value::{Numeric, Value, ValueRef};

use super::compare::hex_number;
use super::eval::Digits;
use super::inputs::Written;
use super::typing::binary_type;
use super::{ArithOp, Ev, Expr, Inputs};
use crate::plan::AggregateKind;

type Result<T> = std::result::Result<T, SqlError>;

/// Applies an operator other than those on bits.
#[inline]
pub(super) fn eval(
    op: ArithOp,
    (left, right): (&Expr, &Expr),
    text: Written<'_>,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Value> {
    let left_value = operand(left, inputs, context)?;
    if op == ArithOp::IntDiv {
        return whole_quotient((left, left_value), right, text, inputs, context);
    }
    let right_value = operand(right, inputs, context)?;
    let (left_value, right_value) = (left_value.as_ref(), right_value.as_ref());
    if let (ValueRef::Int(a), ValueRef::Int(b)) = (left_value, right_value) {
        let result = match op {
            ArithOp::Add => a.checked_add(b),
            ArithOp::Sub => a.checked_sub(b),
            ArithOp::Mul => a.checked_mul(b),
            _ => return numbers(op, Numeric::Int(a), Numeric::Int(b), text, inputs, context),
        };
        return result.map(Value::Int).ok_or_else(|| out_of_range("BIGINT", text));
    }
    let left_number = number(left, left_value, context)?;
    let (Some(left_number), Some(right_number)) = (left_number, number(right, right_value, context)?) else {
        return Ok(Value::Null);
    };
    let is_double = |number: &Numeric| matches!(number, Numeric::Double(_));
    let (left_number, right_number) = if is_double(&left_number) || is_double(&right_number) {
        (for_doubles(left, left_number, inputs, context)?, for_doubles(right, right_number, inputs, context)?)
    } else {
        (left_number, right_number)
    };
    let result = numbers(op, left_number, right_number, text, inputs, context)?;
    match result {
        Value::Decimal(number) if has_average(left, inputs) || has_average(right, inputs) => {
            let types = inputs.types();
            let ty = binary_type(op, left.result_type(&types)?, right.result_type(&types)?, &types);
            Ok(Value::Decimal(number.round(i32::from(ty.decimals)).unwrap_or(number)))
        }
        Value::Decimal(number) if op == ArithOp::Sub && number.is_negative() => {
            not_below_zero(result, "DECIMAL UNSIGNED", (left, right), true, text, inputs)
        }
        result => Ok(result),
    }
}

/// DIV: texts are DECIMALs here, and what is behind a NULL is not looked at.
fn whole_quotient(
    (left, left_value): (&Expr, Ev<'_>),
    right: &Expr,
    text: Written<'_>,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Value> {
    let Some(dividend) = exact_number(left, left_value.as_ref(), context)? else { return Ok(Value::Null) };
    let right_value = operand(right, inputs, context)?;
    let Some(divisor) = exact_number(right, right_value.as_ref(), context)? else { return Ok(Value::Null) };
    match divide_integer(dividend, divisor, text, context)? {
        result @ Value::Int(..0) => {
            not_below_zero(result, "BIGINT UNSIGNED", (left, right), false, text, inputs)
        }
        result => Ok(result),
    }
}

fn exact_number(expr: &Expr, value: ValueRef<'_>, context: &mut Context<'_>) -> Result<Option<Numeric>> {
    match (expr, value) {
        (Expr::Const(Value::Bytes(_)), _) => number(expr, value, context),
        (_, ValueRef::Str(..) | ValueRef::Bytes(_)) => {
            super::compare::exact_text(value, context).map(|number| Some(Numeric::Decimal(number)))
        }
        _ => value.to_number(context),
    }
}

/// An operand's value: of an average more digits than it shows.
#[inline]
fn operand<'a>(expr: &'a Expr, inputs: &Inputs<'a>, context: &mut Context<'_>) -> Result<Ev<'a>> {
    match expr {
        Expr::Aggregate(_) => expr.eval_digits(Digits::Exact, inputs, context),
        expr => super::control::operand(expr, inputs, context),
    }
}

/// The number that arithmetic with doubles sees: of an average all digits.
fn for_doubles(
    expr: &Expr,
    number: Numeric,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Numeric> {
    if !has_average(expr, inputs) {
        return Ok(number);
    }
    let all = expr.eval_digits(Digits::All, inputs, context)?;
    Ok(all.as_ref().to_number(context)?.unwrap_or(number))
}

/// Whether an aggregate is AVG.
pub(super) fn is_average(number: usize, inputs: &Inputs<'_>) -> bool {
    inputs.schema.aggregate(number).is_some_and(|aggregate| aggregate.kind == AggregateKind::Avg)
}

fn has_average(expr: &Expr, inputs: &Inputs<'_>) -> bool {
    matches!(expr, Expr::Aggregate(number) if is_average(*number, inputs))
}

/// The number that arithmetic sees: a hexadecimal literal is one.
pub(crate) fn number(expr: &Expr, value: ValueRef<'_>, context: &mut Context<'_>) -> Result<Option<Numeric>> {
    match (expr, value) {
        (Expr::Const(Value::Bytes(_)), ValueRef::Bytes(bytes)) => {
            Ok(Some(Numeric::UInt(hex_number(&bytes.to_cow()))))
        }
        _ => value.to_number(context),
    }
}

/// A negative result of unsigned operands is out of range. Whether they are is seen only in their types: of a difference
/// of DECIMALs `both` must be, of DIV one is enough.
fn not_below_zero(
    result: Value,
    kind: &str,
    (left, right): (&Expr, &Expr),
    both: bool,
    text: Written<'_>,
    inputs: &Inputs<'_>,
) -> Result<Value> {
    let types = inputs.types();
    let (left, right) = (left.result_type(&types)?.is_unsigned, right.result_type(&types)?.is_unsigned);
    let unsigned = if both { left && right } else { left || right };
    if unsigned { Err(out_of_range(kind, text)) } else { Ok(result) }
}

fn numbers(
    op: ArithOp,
    left: Numeric,
    right: Numeric,
    text: Written<'_>,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Value> {
    match op {
        ArithOp::Div => divide(left, right, inputs.session.div_precision_increment, text, context),
        ArithOp::Rem => remainder(left, right, context),
        _ => match (left, right) {
            (Numeric::Double(_), _) | (_, Numeric::Double(_)) => {
                double(op, left.to_f64(), right.to_f64(), text)
            }
            (Numeric::Decimal(_), _) | (_, Numeric::Decimal(_)) => {
                decimal(op, &left.to_decimal(), &right.to_decimal(), text)
            }
            _ => integer(op, left, right, text, context.sql_mode),
        },
    }
}

/// Unary minus. A constant without a negative of its type becomes a DECIMAL; from elsewhere it is error 1690.
pub(super) fn negate(expr: &Expr, value: ValueRef<'_>, context: &mut Context<'_>) -> Result<Value> {
    // A parameter is announced before its value is known.
    let is_constant = || expr.is_constant() && !matches!(expr, Expr::Param(_));
    let is_fraction = matches!(value, ValueRef::Time(_) | ValueRef::DateTime(_));
    Ok(match number(expr, value, context)? {
        // A time with a fraction is a double here.
        Some(number @ Numeric::Decimal(_)) if is_fraction => Value::Double(-number.to_f64()),
        None => Value::Null,
        Some(Numeric::Int(number)) => match number.checked_neg() {
            Some(negative) => Value::Int(negative),
            None if is_constant() => Value::Decimal(Decimal::from(number).negated()),
            None => return Err(out_of_range("BIGINT", format!("-({number})"))),
        },
        Some(Numeric::UInt(number)) if number <= 1 << 63 => Value::Int(number.cast_signed().wrapping_neg()),
        Some(Numeric::UInt(number)) if is_constant() => Value::Decimal(Decimal::from(number).negated()),
        Some(Numeric::UInt(number)) => return Err(out_of_range("BIGINT", format!("-({number})"))),
        Some(Numeric::Decimal(number)) => Value::Decimal(number.negated()),
        Some(Numeric::Double(number)) => Value::Double(-number),
    })
}

pub(crate) fn out_of_range(kind: &str, text: impl Display) -> SqlError {
    ER_DATA_OUT_OF_RANGE.error(&[&kind, &text])
}

fn integer(op: ArithOp, left: Numeric, right: Numeric, text: Written<'_>, mode: SqlMode) -> Result<Value> {
    let wide = |number: Numeric| match number {
        Numeric::Int(value) => i128::from(value),
        Numeric::UInt(value) => i128::from(value),
        Numeric::Decimal(_) | Numeric::Double(_) => unreachable!("both are integers"),
    };
    let unsigned = matches!(left, Numeric::UInt(_)) || matches!(right, Numeric::UInt(_));
    let unsigned = unsigned && !(op == ArithOp::Sub && mode.contains(SqlMode::NO_UNSIGNED_SUBTRACTION));
    let (left, right) = (wide(left), wide(right));
    // Products of 64-bit numbers have room in 128 bits.
    let result = match op {
        ArithOp::Add => left + right,
        ArithOp::Sub => left - right,
        _ => left.checked_mul(right).unwrap_or(i128::MAX),
    };
    if unsigned {
        return u64::try_from(result).map(Value::UInt).map_err(|_| out_of_range("BIGINT UNSIGNED", text));
    }
    i64::try_from(result).map(Value::Int).map_err(|_| out_of_range("BIGINT", text))
}

fn decimal(op: ArithOp, left: &Decimal, right: &Decimal, text: Written<'_>) -> Result<Value> {
    let result = match op {
        ArithOp::Add => left.add(right),
        ArithOp::Sub => left.subtract(right),
        _ => left.multiply(right),
    };
    result.map(Value::Decimal).map_err(|_: Overflow| out_of_range("DECIMAL", text))
}

fn double(op: ArithOp, left: f64, right: f64, text: Written<'_>) -> Result<Value> {
    let result = match op {
        ArithOp::Add => left + right,
        ArithOp::Sub => left - right,
        ArithOp::Mul => left * right,
        _ => left / right,
    };
    if result.is_finite() { Ok(Value::Double(result)) } else { Err(out_of_range("DOUBLE", text)) }
}

/// NULL, with a warning or an error if the mode asks for one.
pub(crate) fn by_zero(context: &mut Context<'_>) -> Result<Value> {
    if context.sql_mode.contains(SqlMode::ERROR_FOR_DIVISION_BY_ZERO) {
        context.report(&ER_DIVISION_BY_ZERO, &[])?;
    }
    Ok(Value::Null)
}

fn divide(
    left: Numeric,
    right: Numeric,
    increment: u8,
    text: Written<'_>,
    context: &mut Context<'_>,
) -> Result<Value> {
    if right.is_zero() {
        return by_zero(context);
    }
    if matches!(left, Numeric::Double(_)) || matches!(right, Numeric::Double(_)) {
        return double(ArithOp::Div, left.to_f64(), right.to_f64(), text);
    }
    match left.to_decimal().divide(&right.to_decimal(), increment) {
        Some(result) => result.map(Value::Decimal).map_err(|_: Overflow| out_of_range("DECIMAL", text)),
        None => by_zero(context),
    }
}

fn divide_integer(
    left: Numeric,
    right: Numeric,
    text: Written<'_>,
    context: &mut Context<'_>,
) -> Result<Value> {
    if right.is_zero() {
        return by_zero(context);
    }
    let quotient = match (left, right) {
        (Numeric::Int(left), Numeric::Int(right)) => {
            return left.checked_div(right).map(Value::Int).ok_or_else(|| out_of_range("BIGINT", text));
        }
        (Numeric::UInt(left), Numeric::UInt(right)) => return Ok(Value::UInt(left / right)),
        _ => left.to_decimal().divide_integer(&right.to_decimal()),
    };
    let Some((Ok(quotient), _)) = quotient else { return Err(out_of_range("BIGINT", text)) };
    let unsigned = matches!(left, Numeric::UInt(_)) || matches!(right, Numeric::UInt(_));
    if unsigned {
        return quotient.to_u64().map(Value::UInt).ok_or_else(|| out_of_range("BIGINT UNSIGNED", text));
    }
    quotient.to_i64().map(Value::Int).ok_or_else(|| out_of_range("BIGINT", text))
}

/// `%`: the result has the sign of the dividend.
pub(crate) fn remainder(left: Numeric, right: Numeric, context: &mut Context<'_>) -> Result<Value> {
    if right.is_zero() {
        return by_zero(context);
    }
    Ok(match (left, right) {
        (Numeric::Double(_), _) | (_, Numeric::Double(_)) => Value::Double(left.to_f64() % right.to_f64()),
        (Numeric::Int(left), Numeric::Int(right)) => Value::Int(left.wrapping_rem(right)),
        (Numeric::UInt(left), Numeric::UInt(right)) => Value::UInt(left % right),
        (Numeric::Int(left), Numeric::UInt(right)) => {
            let rest = (left.unsigned_abs() % right).cast_signed();
            Value::Int(if left < 0 { rest.wrapping_neg() } else { rest })
        }
        (Numeric::UInt(left), Numeric::Int(right)) => Value::UInt(left % right.unsigned_abs()),
        _ => match left.to_decimal().divide_integer(&right.to_decimal()) {
            Some((_, rest)) => Value::Decimal(rest),
            None => return by_zero(context),
        },
    })
}
