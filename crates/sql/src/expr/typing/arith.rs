//! Types of arithmetic.
//!
//! Sums and products have room for every result of their operands' types, within the limits of DECIMAL; a quotient
//! has `div_precision_increment` more digits than its dividend. A DOUBLE or a text on either side makes a DOUBLE.

use types::column::IntSize;
use types::decimal::DecimalKind;
use types::sql_mode::SqlMode;
use types::value::Value;

use super::Types;
use super::result_type::{Kind, NOT_FIXED, ResultType};
use crate::expr::{ArithOp, Expr};

/// The width of the result of a bit operator.
const BITS_LENGTH: u32 = 21;
/// The most digits of an integer as DIV and MOD count them.
const INT_LENGTH_MAX: u32 = 21;
/// Digits that a double promises, sign and point.
const DOUBLE_DIGITS: u32 = 17;

pub(crate) fn binary(op: ArithOp, a: ResultType, b: ResultType, types: &Types<'_>) -> ResultType {
    let nullable = a.nullable || b.nullable;
    let result = match op {
        ArithOp::BitAnd | ArithOp::BitOr | ArithOp::BitXor | ArithOp::ShiftLeft | ArithOp::ShiftRight => {
            return bits(op, a, b).nullable_if(nullable);
        }
        ArithOp::IntDiv => return int_division(a, b),
        ArithOp::Rem => return remainder(a, b),
        ArithOp::Div => return division(a, b, types),
        ArithOp::Add | ArithOp::Sub | ArithOp::Mul => sum_or_product(op, a, b, types),
    };
    result.nullable_if(nullable)
}

fn sum_or_product(op: ArithOp, a: ResultType, b: ResultType, types: &Types<'_>) -> ResultType {
    let Some((a_kind, b_kind)) = exact_kinds(a, b) else { return double(a, b) };
    let unsigned = match op {
        _ if a.kind.is_int() && b.kind.is_int() => {
            let wrapped =
                op == ArithOp::Sub && types.session.sql_mode.contains(SqlMode::NO_UNSIGNED_SUBTRACTION);
            (a.is_unsigned || b.is_unsigned) && !wrapped
        }
        _ => a.is_unsigned && b.is_unsigned,
    };
    let kind = match op {
        ArithOp::Mul => a_kind.of_product(b_kind),
        _ => a_kind.of_sum(b_kind),
    };
    if is_integer(a) && is_integer(b) {
        let width = u32::from(kind.precision) + u32::from(!unsigned);
        return ResultType {
            is_unsigned: unsigned,
            ..ResultType::int(IntSize::Big, width.min(INT_LENGTH_MAX))
        };
    }
    ResultType::exact(kind, unsigned)
}

fn division(a: ResultType, b: ResultType, types: &Types<'_>) -> ResultType {
    let Some((a_kind, b_kind)) = exact_kinds(a, b) else { return double(a, b).or_null() };
    let kind = a_kind.of_quotient(b_kind, types.session.div_precision_increment);
    ResultType::exact(kind, a.is_unsigned && b.is_unsigned).or_null()
}

fn int_division(a: ResultType, b: ResultType) -> ResultType {
    let unsigned = a.is_unsigned || b.is_unsigned;
    let (a_kind, b_kind) = (a.decimal_kind(), b.decimal_kind());
    let digits = u32::from(a_kind.int_digits()) + u32::from(b_kind.scale);
    let width = (digits + u32::from(!unsigned)).min(INT_LENGTH_MAX);
    ResultType { is_unsigned: unsigned, ..ResultType::bigint(width) }
}

pub(crate) fn remainder(a: ResultType, b: ResultType) -> ResultType {
    let Some((a_kind, b_kind)) = exact_kinds(a, b) else { return double(a, b).or_null() };
    if is_integer(a) && is_integer(b) {
        let width = a.length.max(b.length);
        return ResultType { is_unsigned: a.is_unsigned, ..ResultType::bigint(width) };
    }
    ResultType::exact(a_kind.of_remainder(b_kind), a.is_unsigned).or_null()
}

/// The DECIMAL types of both operands, if both are exact.
fn exact_kinds(a: ResultType, b: ResultType) -> Option<(DecimalKind, DecimalKind)> {
    let exact = |ty: ResultType| ty.is_exact() || ty.kind == Kind::Null;
    (exact(a) && exact(b)).then(|| (a.decimal_kind(), b.decimal_kind()))
}

/// Whether arithmetic takes the value for an integer: dates are, and times without a fraction.
fn is_integer(ty: ResultType) -> bool {
    ty.kind.is_int() || ty.kind == Kind::Null || ty.kind.is_temporal() && ty.decimals == 0
}

/// A DOUBLE; the digits behind the point are known if they are of both operands.
fn double(a: ResultType, b: ResultType) -> ResultType {
    let decimals = a.decimals.max(b.decimals);
    if decimals >= NOT_FIXED { ResultType::double() } else { fixed_double(decimals) }
}

/// A DOUBLE that shows so many digits.
pub(crate) fn fixed_double(decimals: u8) -> ResultType {
    ResultType { decimals, length: DOUBLE_DIGITS + u32::from(decimals), ..ResultType::double() }
}

/// Bit operators on two binary strings give a binary string.
fn bits(op: ArithOp, a: ResultType, b: ResultType) -> ResultType {
    let binary =
        |ty: ResultType| ty.kind.is_string() && ty.text.collation == types::collation::Collation::Binary;
    let shifts = matches!(op, ArithOp::ShiftLeft | ArithOp::ShiftRight);
    if binary(a) && (shifts || binary(b)) {
        let length = if shifts { a.length } else { a.length.max(b.length) };
        return ResultType::string(length, super::TextType::BINARY);
    }
    ResultType::int(IntSize::Big, BITS_LENGTH).unsigned()
}

/// The type of `~a`.
pub(super) fn inverted(a: ResultType) -> ResultType {
    bits(ArithOp::ShiftLeft, a, a).nullable_if(a.nullable)
}

/// The type of `-a`. A constant that has no negative of its type becomes a DECIMAL.
pub(super) fn negated(expr: &Expr, a: ResultType) -> ResultType {
    let nullable = a.nullable;
    let result = match a.kind {
        Kind::Decimal => ResultType { is_unsigned: false, ..ResultType::exact(a.decimal_kind(), false) },
        Kind::Int(_) | Kind::Year | Kind::Null => match expr {
            Expr::Const(Value::UInt(number)) if *number > 1 << 63 => ResultType::decimal(BIG_DIGITS, 0),
            _ => {
                let width = u32::from(a.decimal_kind().precision) + 1;
                ResultType::int(IntSize::Big, width)
            }
        },
        kind if kind.is_temporal() && a.decimals == 0 => {
            ResultType::int(IntSize::Big, u32::from(a.decimal_kind().precision) + 1)
        }
        kind if kind.is_temporal() => fixed_double(a.decimals),
        _ => ResultType::double(),
    };
    result.nullable_if(nullable)
}

const BIG_DIGITS: u8 = 20;
