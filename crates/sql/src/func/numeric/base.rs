//! CONV, BIN, OCT: numbers to other bases than ten.

use types::context::Context;
use types::error::SqlError;
use types::error::table::ER_TRUNCATED_WRONG_VALUE;
use types::value::{Value, ValueRef};

use crate::expr::{Ev, Expr, Inputs, ResultType, hex_number};
use crate::func::args::{self, ascii, or_null};
use crate::func::{EvalResult, Function, Typed};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("conv", (3, 3), conv, type_conv),
    Function::new("bin", (1, 1), bin, type_conv),
    Function::new("oct", (1, 1), oct, type_conv),
];

/// 64 digits and a sign.
const LENGTH: u32 = 65;

fn type_conv(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    Ok(call.ascii(LENGTH).or_null())
}

fn bin<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    decimal_in(args, 2, inputs, context)
}

fn oct<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    decimal_in(args, 8, inputs, context)
}

/// A number to base ten in another one; a hexadecimal literal is a number.
fn decimal_in<'a>(
    args: &'a [Expr],
    to: i64,
    inputs: &Inputs<'a>,
    context: &mut Context<'_>,
) -> EvalResult<'a> {
    if let Expr::Const(Value::Bytes(bytes)) = &args[0] {
        return Ok(ascii(written(hex_number(bytes), to.unsigned_abs(), false), inputs));
    }
    let value = args[0].eval(inputs, context)?;
    warn_if_no_number(value.as_ref(), context)?;
    let text = or_null!(args::Text::of(value, inputs.types().connection()));
    Ok(convert(&text.bytes, 10, to).map_or(Ev::NULL, |text| ascii(text, inputs)))
}

fn warn_if_no_number(value: ValueRef<'_>, context: &mut Context<'_>) -> Result<(), SqlError> {
    let (ValueRef::Str(..) | ValueRef::Bytes(_)) = value else { return Ok(()) };
    let text = value.string_bytes().unwrap_or_default();
    let parsed = types::number::parse_integer(&text);
    if parsed.overflow || parsed.size == 0 && !text.is_empty() {
        context.report(&ER_TRUNCATED_WRONG_VALUE, &[&"DECIMAL", &value.to_message()])?;
    }
    Ok(())
}

/// NULL for bases that are not within 2 to 36, and for an empty text.
fn conv<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = or_null!(args::text(&args[0], inputs, context)?);
    let from = or_null!(args::int(&args[1], inputs, context)?).to_i64();
    let to = or_null!(args::int(&args[2], inputs, context)?).to_i64();
    let is_base = |base: i64| (2..=36).contains(&base.unsigned_abs());
    if !is_base(from) || !is_base(to) {
        return Ok(Ev::NULL);
    }
    Ok(convert(&text.bytes, from, to).map_or(Ev::NULL, |text| ascii(text, inputs)))
}

/// The number at the beginning of a text, in another base; beyond 64 bits it is the largest. A negative base `from`
/// reads, and a negative base `to` writes signed numbers.
fn convert(text: &[u8], from: i64, to: i64) -> Option<Vec<u8>> {
    let text = text.trim_ascii_start();
    if text.is_empty() {
        return None;
    }
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let base = from.unsigned_abs();
    let digits = digits.iter().map_while(|byte| char::from(*byte).to_digit(36)).map(u64::from);
    let magnitude = digits
        .take_while(|digit| *digit < base)
        .fold(0_u64, |number, digit| number.saturating_mul(base).saturating_add(digit));
    let bits = if negative { magnitude.wrapping_neg() } else { magnitude };
    let signed = to < 0 && bits.cast_signed() < 0;
    Some(written(if signed { bits.cast_signed().unsigned_abs() } else { bits }, to.unsigned_abs(), signed))
}

fn written(number: u64, base: u64, negative: bool) -> Vec<u8> {
    let mut digits = Vec::with_capacity(20);
    let mut rest = number;
    loop {
        let digit = u32::try_from(rest % base).unwrap_or(0);
        let char = char::from_digit(digit, 36).unwrap_or('0').to_ascii_uppercase();
        digits.extend(u8::try_from(char));
        rest /= base;
        if rest == 0 {
            break;
        }
    }
    if negative {
        digits.push(b'-');
    }
    digits.reverse();
    digits
}
