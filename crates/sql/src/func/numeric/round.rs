//! CEILING, FLOOR, ROUND, TRUNCATE.
//!
//! Integers stay integers, DECIMALs stay exact, everything else is a DOUBLE. Halves go away from zero in exact numbers
//! and to the even digit in doubles.

use types::column::IntSize;
use types::context::Context;
use types::decimal::{Decimal, DecimalKind, SCALE_MAX};
use types::error::SqlError;
use types::value::{Numeric, Value};

use crate::expr::typing::Kind;
use crate::expr::{Digits, Ev, Expr, Inputs, ResultType, out_of_range};
use crate::func::args::{self, Int, or_null};
use crate::func::{EvalResult, Function, Typed};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("ceil", (1, 1), ceiling, type_whole),
    Function::new("ceiling", (1, 1), ceiling, type_whole),
    Function::new("floor", (1, 1), floor, type_whole),
    Function::new("round", (1, 2), round, type_round),
    Function::new("truncate", (2, 2), truncate, type_truncate),
];

/// Digits that a BIGINT holds whatever they are.
const BIGINT_DIGITS: u8 = 18;
const BIGINT_WIDTH: u32 = 21;

fn ceiling<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    whole(args, inputs, context, |number| number.ceiling(), f64::ceil)
}

fn floor<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    whole(args, inputs, context, |number| number.floor(), f64::floor)
}

/// An integer from a number: a BIGINT if the argument's type fits one.
fn whole<'a>(
    args: &'a [Expr],
    inputs: &Inputs<'a>,
    context: &mut Context<'_>,
    exact: impl FnOnce(Decimal) -> Result<Decimal, types::decimal::Overflow>,
    double: impl FnOnce(f64) -> f64,
) -> EvalResult<'a> {
    let number = or_null!(args::plain_number(&args[0], inputs, context)?);
    Ok(Ev::Own(match number {
        Numeric::Decimal(number) => {
            let result = exact(number).unwrap_or(number);
            let fits = args[0].result_type(&inputs.types())?.decimal_kind().int_digits() < BIGINT_DIGITS;
            match result.to_i64().filter(|_| fits) {
                Some(number) => Value::Int(number),
                None => Value::Decimal(result),
            }
        }
        Numeric::Double(number) => Value::Double(double(number)),
        other => other.into(),
    }))
}

fn type_whole(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let arg = call.arg(0);
    let result = match arg.kind {
        Kind::Int(_) | Kind::Year => {
            ResultType { is_unsigned: arg.is_unsigned, ..ResultType::int(IntSize::Big, BIGINT_WIDTH) }
        }
        Kind::Decimal => match arg.decimal_kind().int_digits() {
            digits if digits < BIGINT_DIGITS => ResultType::int(IntSize::Big, BIGINT_WIDTH),
            digits => {
                let carry = u8::from(arg.decimals > 0);
                ResultType::exact(DecimalKind::new(digits + carry, 0), false)
            }
        },
        _ => ResultType::double(),
    };
    Ok(result.nullable_if(arg.nullable))
}

fn round<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    places(args, inputs, context, true)
}

fn truncate<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    places(args, inputs, context, false)
}

/// ROUND and TRUNCATE to places behind the point, before it if negative.
fn places<'a>(
    args: &'a [Expr],
    inputs: &Inputs<'a>,
    context: &mut Context<'_>,
    rounds: bool,
) -> EvalResult<'a> {
    let number = or_null!(args::plain_number(&args[0], inputs, context)?);
    let count = match args.get(1) {
        None => Int::Signed(0),
        Some(expr) => or_null!(args::int(expr, inputs, context)?),
    };
    let count = i32::try_from(count.to_i64().clamp(-400, 400)).unwrap_or(0);
    let (number, count) = match (&args[0], number) {
        (average @ Expr::Aggregate(_), Numeric::Decimal(shown)) => {
            let exact = args::digits(average, Digits::Exact, inputs, context)?.unwrap_or(number);
            (exact, count.min(i32::from(shown.scale())))
        }
        _ => (number, count),
    };
    Ok(Ev::Own(match number {
        Numeric::Int(number) => {
            let result = int_places(number, count, rounds);
            Value::Int(result.ok_or_else(|| out_of_range("BIGINT", format!("round({number},{count})")))?)
        }
        Numeric::UInt(number) => {
            let result = uint_places(number, count, rounds);
            Value::UInt(
                result.ok_or_else(|| out_of_range("BIGINT UNSIGNED", format!("round({number},{count})")))?,
            )
        }
        Numeric::Decimal(number) => {
            let result = decimal_places(number, count, rounds);
            let scale = args.get(1).filter(|expr| !expr.is_constant()).map(|_| number.scale());
            Value::Decimal(scale.map_or(result, |scale| result.with_scale(scale.max(result.scale()))))
        }
        Numeric::Double(number) => Value::Double(double_places(number, count, rounds)),
    }))
}

/// 10^count, if it is a 64-bit number.
fn power(count: i32) -> Option<u64> {
    u32::try_from(count).ok().and_then(|count| 10_u64.checked_pow(count))
}

/// None if rounding leads out of the type.
fn uint_places(number: u64, count: i32, rounds: bool) -> Option<u64> {
    if count >= 0 {
        return Some(number);
    }
    let Some(unit) = power(-count) else { return Some(0) };
    let cut = number - number % unit;
    if rounds && number - cut >= unit.div_ceil(2) { cut.checked_add(unit) } else { Some(cut) }
}

fn int_places(number: i64, count: i32, rounds: bool) -> Option<i64> {
    let magnitude = uint_places(number.unsigned_abs(), count, rounds)?;
    if number < 0 { 0_i64.checked_sub_unsigned(magnitude) } else { i64::try_from(magnitude).ok() }
}

fn decimal_places(number: Decimal, count: i32, rounds: bool) -> Decimal {
    let count = count.min(i32::from(number.scale())).min(i32::from(SCALE_MAX));
    if rounds { number.round(count).unwrap_or(number) } else { number.truncate(count) }
}

pub(super) fn double_places(number: f64, count: i32, rounds: bool) -> f64 {
    let unit = 10_f64.powf(f64::from(count.abs()));
    let cut = |number: f64| if rounds { number.round_ties_even() } else { number.trunc() };
    if count < 0 {
        if unit.is_infinite() {
            return 0.0;
        }
        return cut(number / unit) * unit;
    }
    let scaled = number * unit;
    if scaled.is_finite() { cut(scaled) / unit } else { number }
}

fn type_round(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    Ok(type_places(call, true))
}

fn type_truncate(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    Ok(type_places(call, false))
}

/// A constant count of places fixes the scale, any other leaves that of the number. Rounding may need a digit more.
fn type_places(call: &Typed<'_>, rounds: bool) -> ResultType {
    let arg = call.arg(0);
    let result = match arg.kind {
        Kind::Int(_) | Kind::Year => {
            ResultType { is_unsigned: arg.is_unsigned, ..ResultType::int(IntSize::Big, BIGINT_WIDTH) }
        }
        Kind::Decimal => {
            let kind = arg.decimal_kind();
            let constant = if call.args.len() > 1 { places_wanted(call) } else { Some(0) };
            let scale = constant.map_or(kind.scale, |places| kind.scale.min(places));
            let carry = u8::from(rounds && scale < kind.scale);
            ResultType::exact(DecimalKind::new(kind.int_digits() + carry + scale, scale), false)
        }
        _ => ResultType::double(),
    };
    result.nullable_if(call.nullable())
}

/// The constant count of places, 0 if it is negative or NULL.
fn places_wanted(call: &Typed<'_>) -> Option<u8> {
    if call.arg(1).kind == Kind::Null {
        return Some(0);
    }
    call.constant_int(1).map(|places| u8::try_from(places.clamp(0, i64::from(SCALE_MAX))).unwrap_or(0))
}
