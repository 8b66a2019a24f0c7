//! ABS, SIGN, MOD, BIT_COUNT, CRC32.

use types::column::IntSize;
use types::context::Context;
use types::error::SqlError;
use types::value::{Numeric, Value, ValueRef};

use crate::expr::typing::{Kind, fixed_double};
use crate::expr::{Ev, Expr, Inputs, ResultType, bits_of, out_of_range, remainder};
use crate::func::args::{self, or_null};
use crate::func::{EvalResult, Function, Typed};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("abs", (1, 1), abs, type_abs),
    Function::new("sign", (1, 1), sign, |call| Ok(call.int(21))),
    Function::new("mod", (2, 2), modulo, type_mod),
    Function::new("bit_count", (1, 1), bit_count, |call| Ok(call.int(21))),
    Function::new("crc32", (1, 1), crc32, |call| Ok(call.int(10).unsigned())),
];

/// The type of a number's function: that of the number, DOUBLE for what is no number.
pub(super) fn like_number(arg: ResultType) -> ResultType {
    let nullable = arg.nullable;
    match arg.kind {
        Kind::Int(_) | Kind::Year => {
            ResultType { is_unsigned: arg.is_unsigned, ..ResultType::int(IntSize::Big, arg.length) }
        }
        Kind::Decimal => ResultType::exact(arg.decimal_kind(), arg.is_unsigned),
        Kind::Null => fixed_double(0),
        kind if kind.is_temporal() => fixed_double(arg.decimals),
        _ => ResultType::double(),
    }
    .nullable_if(nullable)
}

fn abs<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let value = match or_null!(args::plain_number(&args[0], inputs, context)?) {
        Numeric::Int(number) => match number.checked_abs() {
            Some(number) => Value::Int(number),
            None => return Err(out_of_range("BIGINT", format!("abs({number})"))),
        },
        Numeric::UInt(number) => Value::UInt(number),
        Numeric::Decimal(number) => Value::Decimal(number.abs()),
        Numeric::Double(number) => Value::Double(number.abs()),
    };
    Ok(Ev::Own(value))
}

fn type_abs(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let is_hex_literal = matches!(call.exprs.first(), Some(Expr::Const(Value::Bytes(_))));
    Ok(if is_hex_literal { fixed_double(0).unsigned() } else { like_number(call.arg(0)) })
}

fn sign<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let number = or_null!(args::number(&args[0], inputs, context)?);
    let sign = match number {
        _ if number.is_zero() => 0,
        Numeric::Int(number) => number.signum(),
        Numeric::UInt(_) => 1,
        Numeric::Decimal(number) => 1 - 2 * i64::from(number.is_negative()),
        Numeric::Double(number) => 1 - 2 * i64::from(number < 0.0),
    };
    Ok(Ev::Own(Value::Int(sign)))
}

fn modulo<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let left = or_null!(args::number(&args[0], inputs, context)?);
    let right = or_null!(args::number(&args[1], inputs, context)?);
    remainder(left, right, context).map(Ev::Own)
}

fn type_mod(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    Ok(crate::expr::typing::remainder_type(call.arg(0), call.arg(1)))
}

fn bit_count<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let value = args[0].eval(inputs, context)?;
    let count = match value.as_ref() {
        ValueRef::Null => return Ok(Ev::NULL),
        ValueRef::Bytes(bytes) if !matches!(args[0], Expr::Const(_)) => {
            bytes.to_cow().iter().map(|byte| byte.count_ones()).sum()
        }
        value => bits_of(&args[0], value, context)?.count_ones(),
    };
    Ok(Ev::Own(Value::Int(i64::from(count))))
}

/// The checksum of the argument as text.
fn crc32<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = or_null!(args::text(&args[0], inputs, context)?);
    Ok(Ev::Own(Value::UInt(u64::from(crc32fast::hash(&text.bytes)))))
}
