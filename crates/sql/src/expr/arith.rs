//! Arithmetic, by MySQL's rules: integers stay integers and overflow is an error, one unsigned operand makes the
//! result unsigned, DECIMAL is exact, everything else is DOUBLE; `/` of integers is DECIMAL.

use types::context::Context;
use types::decimal::{Decimal, Overflow};
use types::error::SqlError;
use types::error::table::{ER_DATA_OUT_OF_RANGE, ER_DIVISION_BY_ZERO};
use types::sql_mode::SqlMode;
use types::value::{Numeric, Value, ValueRef};

use super::{ArithOp, Inputs};

type Result<T> = std::result::Result<T, SqlError>;

/// Applies an operator. `text` is how the expression reads, for messages.
pub(super) fn binary(
    op: ArithOp,
    left: ValueRef<'_>,
    right: ValueRef<'_>,
    text: &str,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Value> {
    let (Some(left), Some(right)) = (left.to_number(context)?, right.to_number(context)?) else {
        return Ok(Value::Null);
    };
    match op {
        ArithOp::BitAnd | ArithOp::BitOr | ArithOp::BitXor | ArithOp::ShiftLeft | ArithOp::ShiftRight => {
            Ok(Value::UInt(bits(op, to_bits(left), to_bits(right))))
        }
        ArithOp::Div => divide(left, right, inputs.session.div_precision_increment, text, context),
        ArithOp::IntDiv => divide_integer(left, right, text, context),
        ArithOp::Rem => remainder(left, right, context),
        ArithOp::Add | ArithOp::Sub | ArithOp::Mul => match (left, right) {
            (Numeric::Double(_), _) | (_, Numeric::Double(_)) => {
                double(op, left.to_f64(), right.to_f64(), text)
            }
            (Numeric::Decimal(_), _) | (_, Numeric::Decimal(_)) => {
                decimal(op, left.to_decimal(), right.to_decimal(), text)
            }
            _ => integer(op, left, right, text, context.sql_mode),
        },
    }
}

/// Unary minus.
pub(super) fn negate(value: ValueRef<'_>, context: &mut Context<'_>) -> Result<Value> {
    Ok(match value.to_number(context)? {
        None => Value::Null,
        Some(Numeric::Int(value)) => match value.checked_neg() {
            Some(value) => Value::Int(value),
            None => Value::Decimal(Decimal::from(value).negated()),
        },
        Some(Numeric::UInt(value)) if value <= 1 << 63 => Value::Int((value as i64).wrapping_neg()),
        Some(Numeric::UInt(value)) => {
            return Err(out_of_range("BIGINT", &format!("-({value})")));
        }
        Some(Numeric::Decimal(value)) => Value::Decimal(value.negated()),
        Some(Numeric::Double(value)) => Value::Double(-value),
    })
}

/// `~`
pub(super) fn invert(value: ValueRef<'_>, context: &mut Context<'_>) -> Result<Value> {
    Ok(value.to_number(context)?.map_or(Value::Null, |number| Value::UInt(!to_bits(number))))
}

fn out_of_range(kind: &str, text: &str) -> SqlError {
    ER_DATA_OUT_OF_RANGE.error(&[&kind, &text])
}

/// A number as 64 bits: rounded, negative ones in two's complement.
fn to_bits(number: Numeric) -> u64 {
    match number {
        Numeric::Int(value) => value as u64,
        Numeric::UInt(value) => value,
        Numeric::Decimal(value) => {
            let whole = value.round(0).unwrap_or(value);
            whole.to_u64().or_else(|| whole.to_i64().map(|value| value as u64)).unwrap_or(u64::MAX)
        }
        Numeric::Double(value) if value < 0.0 => types::number::double_to_i64(value) as u64,
        #[expect(clippy::cast_possible_truncation, reason = "saturates, as MySQL's does")]
        Numeric::Double(value) => value.round_ties_even() as u64,
    }
}

fn bits(op: ArithOp, left: u64, right: u64) -> u64 {
    let shift = u32::try_from(right).unwrap_or(u32::MAX);
    match op {
        ArithOp::BitAnd => left & right,
        ArithOp::BitOr => left | right,
        ArithOp::BitXor => left ^ right,
        ArithOp::ShiftLeft => left.checked_shl(shift).unwrap_or(0),
        _ => left.checked_shr(shift).unwrap_or(0),
    }
}

fn integer(op: ArithOp, left: Numeric, right: Numeric, text: &str, mode: SqlMode) -> Result<Value> {
    let wide = |number: Numeric| match number {
        Numeric::Int(value) => i128::from(value),
        Numeric::UInt(value) => i128::from(value),
        Numeric::Decimal(_) | Numeric::Double(_) => unreachable!("both are integers"),
    };
    let unsigned = matches!(left, Numeric::UInt(_)) || matches!(right, Numeric::UInt(_));
    let unsigned = unsigned && !(op == ArithOp::Sub && mode.contains(SqlMode::NO_UNSIGNED_SUBTRACTION));
    let (left, right) = (wide(left), wide(right));
    let result = match op {
        ArithOp::Add => left + right,
        ArithOp::Sub => left - right,
        _ => left * right,
    };
    if unsigned {
        return u64::try_from(result).map(Value::UInt).map_err(|_| out_of_range("BIGINT UNSIGNED", text));
    }
    i64::try_from(result).map(Value::Int).map_err(|_| out_of_range("BIGINT", text))
}

fn decimal(op: ArithOp, left: Decimal, right: Decimal, text: &str) -> Result<Value> {
    let result = match op {
        ArithOp::Add => left.add(&right),
        ArithOp::Sub => left.subtract(&right),
        _ => left.multiply(&right),
    };
    result.map(Value::Decimal).map_err(|_: Overflow| out_of_range("DECIMAL", text))
}

fn double(op: ArithOp, left: f64, right: f64, text: &str) -> Result<Value> {
    let result = match op {
        ArithOp::Add => left + right,
        ArithOp::Sub => left - right,
        ArithOp::Mul => left * right,
        _ => left / right,
    };
    if result.is_finite() { Ok(Value::Double(result)) } else { Err(out_of_range("DOUBLE", text)) }
}

/// NULL, with a warning or an error if the mode asks for one.
fn by_zero(context: &mut Context<'_>) -> Result<Value> {
    if context.sql_mode.contains(SqlMode::ERROR_FOR_DIVISION_BY_ZERO) {
        context.report(&ER_DIVISION_BY_ZERO, &[])?;
    }
    Ok(Value::Null)
}

fn divide(
    left: Numeric,
    right: Numeric,
    increment: u8,
    text: &str,
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

fn divide_integer(left: Numeric, right: Numeric, text: &str, context: &mut Context<'_>) -> Result<Value> {
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

fn remainder(left: Numeric, right: Numeric, context: &mut Context<'_>) -> Result<Value> {
    if right.is_zero() {
        return by_zero(context);
    }
    Ok(match (left, right) {
        (Numeric::Double(_), _) | (_, Numeric::Double(_)) => Value::Double(left.to_f64() % right.to_f64()),
        (Numeric::Int(left), Numeric::Int(right)) => Value::Int(left.wrapping_rem(right)),
        (Numeric::UInt(left), Numeric::UInt(right)) => Value::UInt(left % right),
        (Numeric::Int(left), Numeric::UInt(right)) => {
            let rest = left.unsigned_abs() % right;
            Value::Int(if left < 0 { (rest as i64).wrapping_neg() } else { rest as i64 })
        }
        (Numeric::UInt(left), Numeric::Int(right)) => Value::UInt(left % right.unsigned_abs()),
        _ => match left.to_decimal().divide_integer(&right.to_decimal()) {
            Some((_, rest)) => Value::Decimal(rest),
            None => return by_zero(context),
        },
    })
}
