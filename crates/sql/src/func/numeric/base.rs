//! CONV, BIN, OCT: numbers to other bases than ten.

use types::context::Context;
use types::error::SqlError;
use types::error::table::ER_TRUNCATED_WRONG_VALUE;
use types::value::{Value, ValueRef, quote_text};

use crate::expr::{Ev, Expr, Inputs, ResultType, hex_number};
use crate::func::args::{self, Text, ascii, or_null};
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
    let text = or_null!(digits(&args[0], inputs, context)?);
    let converted = convert(&text, 10, to, context)?;
    Ok(converted.map_or(Ev::NULL, |text| ascii(text, inputs)))
}

/// The text of a number: bits are one, unlike elsewhere.
fn digits<'a>(
    arg: &'a Expr,
    inputs: &Inputs<'a>,
    context: &mut Context<'_>,
) -> Result<Option<Text<'a>>, SqlError> {
    let value = match arg.eval(inputs, context)? {
        Ev::Ref(ValueRef::Bit(bits)) => Ev::Own(Value::UInt(bits.number())),
        other => other,
    };
    Ok(Text::of(value, inputs.collation))
}

/// NULL for bases that are not within 2 to 36, and for an empty text.
fn conv<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = or_null!(digits(&args[0], inputs, context)?);
    let from = or_null!(args::int(&args[1], inputs, context)?).to_i64();
    let to = or_null!(args::int(&args[2], inputs, context)?).to_i64();
    let is_base = |base: i64| (2..=36).contains(&base.unsigned_abs());
    if !is_base(from) || !is_base(to) {
        return Ok(Ev::NULL);
    }
    let converted = convert(&text, from, to, context)?;
    Ok(converted.map_or(Ev::NULL, |text| ascii(text, inputs)))
}

/// The number at the beginning of a text, in another base; beyond 64 bits it is the largest. A negative base `from`
/// reads, and a negative base `to` writes signed numbers.
fn convert(
    text: &args::Text<'_>,
    from: i64,
    to: i64,
    context: &mut Context<'_>,
) -> Result<Option<Vec<u8>>, SqlError> {
    let bytes = text.bytes.trim_ascii_start();
    if bytes.is_empty() {
        return Ok(None);
    }
    let (negative, digits) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, bytes),
    };
    let base = from.unsigned_abs();
    let digits = digits.iter().map_while(|byte| char::from(*byte).to_digit(36)).map(u64::from);
    let mut digits = digits.take_while(|digit| *digit < base).peekable();
    let any = digits.peek().is_some();
    let read = digits.try_fold(0_u64, |number, digit| number.checked_mul(base)?.checked_add(digit));
    if !any || read.is_none() {
        context.report(&ER_TRUNCATED_WRONG_VALUE, &[&"DECIMAL", &quote_text(&text.bytes, text.collation)])?;
    }
    let magnitude = read.unwrap_or(u64::MAX);
    let bits = if negative { magnitude.wrapping_neg() } else { magnitude };
    let signed = to < 0 && bits.cast_signed() < 0;
    Ok(Some(written(
        if signed { bits.cast_signed().unsigned_abs() } else { bits },
        to.unsigned_abs(),
        signed,
    )))
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
