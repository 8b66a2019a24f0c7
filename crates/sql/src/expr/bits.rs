//! Bit operators: on 64-bit numbers, or byte by byte on two binary strings of which not both are hexadecimal literals.

use crate::func::error::ER_INVALID_BITWISE_OPERANDS_SIZE;
use types::context::Context;
use types::error::SqlError;
use types::value::{Numeric, Value, ValueRef};

use super::compare::hex_number;
use super::{ArithOp, Expr};

type Result<T> = std::result::Result<T, SqlError>;

/// Applies `&`, `|`, `^`, `<<` or `>>`.
pub(super) fn binary(
    op: ArithOp,
    (left_expr, left): (&Expr, ValueRef<'_>),
    (right_expr, right): (&Expr, ValueRef<'_>),
    context: &mut Context<'_>,
) -> Result<Value> {
    if left.is_null() {
        return Ok(Value::Null);
    }
    if right.is_null() {
        // A text on the left is read, and warned of, all the same.
        if let ValueRef::Str(..) = left {
            bits(left_expr, left, context)?;
        }
        return Ok(Value::Null);
    }
    let literals = (is_literal(left_expr), is_literal(right_expr));
    match (left, right) {
        (ValueRef::Bytes(left), _) if is_shift(op) && !literals.0 => {
            let places = bits(right_expr, right, context)?;
            Ok(Value::Bytes(shifted(&left.to_cow(), op == ArithOp::ShiftLeft, places)))
        }
        (ValueRef::Bytes(left), ValueRef::Bytes(right)) if !is_shift(op) && literals != (true, true) => {
            bytewise(op, &left.to_cow(), &right.to_cow())
        }
        _ => {
            let left = bits(left_expr, left, context)?;
            Ok(Value::UInt(numbers(op, left, bits(right_expr, right, context)?)))
        }
    }
}

/// `~`
pub(super) fn invert(expr: &Expr, value: ValueRef<'_>, context: &mut Context<'_>) -> Result<Value> {
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Bytes(bytes) if !is_literal(expr) => {
            Value::Bytes(bytes.to_cow().iter().map(|byte| !byte).collect())
        }
        _ => Value::UInt(!bits(expr, value, context)?),
    })
}

fn is_shift(op: ArithOp) -> bool {
    matches!(op, ArithOp::ShiftLeft | ArithOp::ShiftRight)
}

fn is_literal(expr: &Expr) -> bool {
    matches!(expr, Expr::Const(Value::Bytes(_)))
}

/// A value as 64 bits: rounded, negative ones in two's complement, text as its integer.
pub(crate) fn bits(expr: &Expr, value: ValueRef<'_>, context: &mut Context<'_>) -> Result<u64> {
    Ok(match value {
        ValueRef::Bytes(bytes) if is_literal(expr) => hex_number(&bytes.to_cow()),
        ValueRef::Str(..) | ValueRef::Bytes(_) => {
            let target = types::cast::CastTarget::Unsigned;
            // Negative numbers are bits here, without the cast's warning.
            let quiet = &mut types::warning::Warnings::with_limit(0);
            let mut silent = Context { warnings: quiet, strict: false, ..*context };
            let cast = types::cast::cast(value, target, &"", &mut silent)?;
            warn_if_no_integer(value, context)?;
            if let Value::UInt(bits) = cast { bits } else { 0 }
        }
        _ => value.to_number(context)?.map_or(0, number_bits),
    })
}

fn warn_if_no_integer(value: ValueRef<'_>, context: &mut Context<'_>) -> Result<()> {
    let text = value.string_bytes().unwrap_or_default();
    let parsed = types::number::parse_integer(&text);
    if parsed.size == 0 || parsed.overflow || !types::number::is_whole(&text, parsed.size) {
        context.report(&types::error::table::ER_TRUNCATED_WRONG_VALUE, &[&"INTEGER", &value.to_message()])?;
    }
    Ok(())
}

fn number_bits(number: Numeric) -> u64 {
    match number {
        Numeric::Int(value) => value.cast_unsigned(),
        Numeric::UInt(value) => value,
        Numeric::Decimal(value) => match (value.to_u64(), value.to_i64()) {
            (Some(bits), _) => bits,
            (None, Some(value)) => value.cast_unsigned(),
            (None, None) if value.is_negative() => i64::MIN.cast_unsigned(),
            (None, None) => u64::MAX,
        },
        Numeric::Double(value) => types::number::double_to_i64(value).cast_unsigned(),
    }
}

fn numbers(op: ArithOp, left: u64, right: u64) -> u64 {
    let places = u32::try_from(right).unwrap_or(u32::MAX);
    match op {
        ArithOp::BitAnd => left & right,
        ArithOp::BitOr => left | right,
        ArithOp::BitXor => left ^ right,
        ArithOp::ShiftLeft => left.checked_shl(places).unwrap_or(0),
        _ => left.checked_shr(places).unwrap_or(0),
    }
}

/// Error 3513 if the sizes differ.
fn bytewise(op: ArithOp, left: &[u8], right: &[u8]) -> Result<Value> {
    if left.len() != right.len() {
        return Err(ER_INVALID_BITWISE_OPERANDS_SIZE.error(&[]));
    }
    let pairs = left.iter().zip(right);
    Ok(Value::Bytes(match op {
        ArithOp::BitAnd => pairs.map(|(a, b)| a & b).collect(),
        ArithOp::BitOr => pairs.map(|(a, b)| a | b).collect(),
        _ => pairs.map(|(a, b)| a ^ b).collect(),
    }))
}

/// The bytes moved by so many bits; zeros move in.
fn shifted(bytes: &[u8], left: bool, places: u64) -> Vec<u8> {
    let size = bytes.len();
    let whole = usize::try_from(places / 8).unwrap_or(usize::MAX).min(size);
    let rest = u32::try_from(places % 8).unwrap_or(0);
    let at = |index: Option<usize>| index.and_then(|index| bytes.get(index)).copied().map_or(0, u16::from);
    (0..size)
        .map(|index| {
            let pair = if left {
                (at(index.checked_add(whole)) << 8 | at(index.checked_add(whole + 1))) << rest >> 8
            } else {
                let near = index.checked_sub(whole);
                (at(near.and_then(|near| near.checked_sub(1))) << 8 | at(near)) >> rest
            };
            pair.to_le_bytes()[0]
        })
        .collect()
}
