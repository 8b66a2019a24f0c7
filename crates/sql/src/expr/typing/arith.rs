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
/// The most digits of a whole quotient.
const QUOTIENT_DIGITS_MAX: u32 = 21;
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
    if is_null(a, b) {
        return of_null(a.length.max(b.length), decimals(a).max(decimals(b)));
    }
    let Some((a_kind, b_kind)) = exact_kinds(a, b) else { return double(a, b) };
    let unsigned = if is_integer(a) && is_integer(b) {
        let wrapped = op == ArithOp::Sub && types.session.sql_mode.contains(SqlMode::NO_UNSIGNED_SUBTRACTION);
        (a.is_unsigned || b.is_unsigned) && !wrapped
    } else {
        a.is_unsigned && b.is_unsigned
    };
    let kind = match op {
        ArithOp::Mul => a_kind.of_product(b_kind),
        _ => a_kind.of_sum(b_kind),
    };
    if is_integer(a) && is_integer(b) {
        let width = u32::from(kind.precision) + u32::from(!unsigned);
        return ResultType { is_unsigned: unsigned, ..ResultType::int(IntSize::Big, width) };
    }
    ResultType::exact(kind, unsigned)
}

fn division(a: ResultType, b: ResultType, types: &Types<'_>) -> ResultType {
    let increment = types.session.div_precision_increment;
    if is_null(a, b) {
        let shown = decimals(a).max(decimals(b)).saturating_add(increment).min(NOT_FIXED);
        let length = (a.length + u32::from(shown)).saturating_sub(u32::from(a.decimals));
        return of_null(length, shown).or_null();
    }
    let Some((a_kind, b_kind)) = exact_kinds(a, b) else { return double(a, b).or_null() };
    let kind = a_kind.of_quotient(b_kind, increment);
    ResultType::exact(kind, a.is_unsigned && b.is_unsigned).or_null()
}

fn int_division(a: ResultType, b: ResultType) -> ResultType {
    let unsigned = a.is_unsigned || b.is_unsigned;
    let whole = |ty: ResultType| u32::from(ty.decimal_kind().int_digits());
    let shifted = |ty: ResultType| u32::from(ty.decimal_kind().scale);
    let digits = counted(a, whole) + counted(b, shifted);
    let width = digits.min(QUOTIENT_DIGITS_MAX) + u32::from(!unsigned);
    ResultType { is_unsigned: unsigned, ..ResultType::bigint(width) }
}

/// Some of an exact number's digits; of any other value its whole length, of NULL nothing.
fn counted(ty: ResultType, digits: impl FnOnce(ResultType) -> u32) -> u32 {
    match ty.kind {
        Kind::Double if ty.column.is_none() => QUOTIENT_DIGITS_MAX,
        _ if ty.is_exact() => digits(ty),
        _ => ty.length,
    }
}

pub(crate) fn remainder(a: ResultType, b: ResultType) -> ResultType {
    let is_unsigned = a.is_unsigned;
    if is_null(a, b) {
        let of_null = of_null(a.length.max(b.length), decimals(a).max(decimals(b)));
        return ResultType { is_unsigned, ..of_null }.or_null();
    }
    let Some((a_kind, b_kind)) = exact_kinds(a, b) else {
        return ResultType { is_unsigned, ..double(a, b) }.or_null();
    };
    if is_integer(a) && is_integer(b) {
        let width = u32::from(a_kind.precision.max(b_kind.precision)) + 1;
        return ResultType { is_unsigned, ..ResultType::bigint(width) };
    }
    ResultType { is_unsigned, ..ResultType::exact(a_kind.of_remainder(b_kind), false) }.or_null()
}

fn is_null(a: ResultType, b: ResultType) -> bool {
    a.kind == Kind::Null || b.kind == Kind::Null
}

/// The DOUBLE that arithmetic with NULL gives.
fn of_null(length: u32, decimals: u8) -> ResultType {
    if decimals >= NOT_FIXED {
        return ResultType::double();
    }
    ResultType { length, decimals, ..ResultType::double() }
}

/// The DECIMAL types of both operands, if both are exact.
fn exact_kinds(a: ResultType, b: ResultType) -> Option<(DecimalKind, DecimalKind)> {
    (a.is_exact() && b.is_exact()).then(|| (a.decimal_kind(), b.decimal_kind()))
}

/// Whether arithmetic takes the value for an integer: dates are, and times without a fraction.
fn is_integer(ty: ResultType) -> bool {
    ty.kind.is_int() || ty.kind.is_temporal() && ty.decimals == 0
}

/// A DOUBLE; the digits behind the point are known if they are of both operands.
fn double(a: ResultType, b: ResultType) -> ResultType {
    match decimals(a).max(decimals(b)) {
        NOT_FIXED.. => ResultType::double(),
        decimals => fixed_double(decimals),
    }
}

/// Digits behind the point as a number.
fn decimals(ty: ResultType) -> u8 {
    if ty.kind.is_string() { NOT_FIXED } else { ty.decimals }
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
    let (a_null, b_null) = (a.kind == Kind::Null, b.kind == Kind::Null);
    if binary(a) && (shifts || binary(b) || b_null) || a_null && binary(b) && !shifts {
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
        Kind::Null => of_null(a.length, a.decimals),
        Kind::Int(_) | Kind::Year => match expr {
            Expr::Const(Value::UInt(number)) if *number > 1 << 63 => ResultType::decimal(BIG_DIGITS, 0),
            _ => {
                let width = u32::from(a.decimal_kind().precision) + 1;
                ResultType::int(IntSize::Big, width)
            }
        },
        kind if kind.is_temporal() => fixed_double(a.decimals),
        _ => ResultType::double(),
    };
    result.nullable_if(nullable)
}

const BIG_DIGITS: u8 = 20;
