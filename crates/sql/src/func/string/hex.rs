//! HEX, CHAR, QUOTE.

use types::collation::Collation;
use types::context::Context;
use types::error::SqlError;
use types::value::Value;

use crate::expr::typing::{Kind, TextType};
use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::{self, Text, ascii, or_null, string};
use crate::func::{EvalResult, Function, MANY, Typed};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("hex", (1, 1), hex, type_hex),
    Function::new("char", (1, MANY), char, type_char),
    Function::new("quote", (1, 1), quote, type_quote),
];

/// Of a number its bits, of a text its bytes.
fn hex<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let value = args[0].eval(inputs, context)?;
    let number = match value.as_ref() {
        number if number.is_number() => args::int_of(&args[0], number, context)?,
        _ => None,
    };
    if let Some(number) = number {
        return Ok(ascii(format!("{:X}", number.bits()), inputs));
    }
    let text = or_null!(Text::of(value, inputs.collation));
    if context.is_too_large(text.bytes.len() * 2, "hex")? {
        return Ok(Ev::NULL);
    }
    Ok(ascii(upper_hex(&text.bytes), inputs))
}

/// Bytes as hexadecimal digits.
pub(in crate::func) fn upper_hex(bytes: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    bytes.iter().flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]).collect()
}

fn type_hex(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let arg = call.arg(0);
    let is_number = arg.kind.is_int() || matches!(arg.kind, Kind::Decimal | Kind::Double | Kind::Float);
    let chars = if is_number { 16 } else { arg.bytes().saturating_mul(2) };
    Ok(call.ascii(chars).or_null())
}

/// The bytes of numbers, without leading zeros; NULL is left out.
fn char<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let mut out = Vec::with_capacity(args.len());
    for arg in args {
        let Some(number) = args::int(arg, inputs, context)? else { continue };
        let bytes = number.bits().to_be_bytes();
        let low = &bytes[4..];
        let first = low.iter().position(|byte| *byte != 0).unwrap_or(3);
        out.extend_from_slice(&low[first..]);
    }
    Ok(Ev::Own(Value::Bytes(out)))
}

fn type_char(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let size = u32::try_from(call.args.len()).unwrap_or(u32::MAX).saturating_mul(4);
    Ok(ResultType::string(size, TextType::BINARY).or_null())
}

/// The text as a literal; NULL as the word.
fn quote<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let Some(mut text) = args::text(&args[0], inputs, context)? else { return Ok(ascii("NULL", inputs)) };
    if text.collation == Collation::Binary {
        args::convert_text(&mut text, inputs.collation)?;
        text.collation = Collation::Binary;
    }
    let is_escaped = |byte: &&u8| matches!(byte, 0 | 0x1A | b'\'' | b'\\');
    let size = text.bytes.len() + text.bytes.iter().filter(is_escaped).count() + 2;
    if context.is_too_large(size, "quote")? {
        return Ok(Ev::NULL);
    }
    let mut out = Vec::with_capacity(size);
    out.push(b'\'');
    for &byte in &*text.bytes {
        match byte {
            0 => out.extend_from_slice(b"\\0"),
            0x1A => out.extend_from_slice(b"\\Z"),
            b'\'' | b'\\' => out.extend([b'\\', byte]),
            _ => out.push(byte),
        }
    }
    out.push(b'\'');
    Ok(Ev::Own(string(out, text.collation)))
}

fn type_quote(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let arg = call.arg(0);
    if arg.kind == Kind::Null {
        return Ok(call.ascii(4).or_null());
    }
    let text = call.collation(call.args)?;
    let text = match arg.kind {
        kind if kind.is_string() && text.collation == Collation::Binary => {
            TextType::implicit(call.connection())
        }
        _ => text,
    };
    let chars = arg.chars().saturating_mul(2).saturating_add(2);
    Ok(ResultType::grown_string(chars, text).or_null())
}
