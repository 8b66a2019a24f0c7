//! Conversions of bytes: UNHEX, TO_BASE64, FROM_BASE64.

use types::context::Context;
use types::error::SqlError;
use types::error::table::ER_WRONG_VALUE_FOR_TYPE;
use types::value::Value;

use crate::expr::typing::TextType;
use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::{self, ascii, or_null};
use crate::func::{EvalResult, Function, Typed};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("unhex", (1, 1), unhex, type_unhex),
    Function::new("to_base64", (1, 1), to_base64, type_to_base64),
    Function::new("from_base64", (1, 1), from_base64, type_from_base64),
];

/// A line of base64 has so many characters.
const LINE: usize = 76;
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// An odd count of digits means a zero before them; NULL with warning 1411 for anything but digits.
fn unhex<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = or_null!(args::text(&args[0], inputs, context)?);
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let digits: Option<Vec<u8>> = text.bytes.iter().map(digit).collect();
    let Some(digits) = digits else {
        let shown = types::value::quote_text(&text.bytes, text.collation);
        context.report(&ER_WRONG_VALUE_FOR_TYPE, &[&"string", &format_args!("'{shown}'"), &"unhex"])?;
        return Ok(Ev::NULL);
    };
    let (first, pairs) = digits.split_at(digits.len() % 2);
    let mut bytes = first.to_vec();
    bytes.extend(pairs.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]));
    Ok(Ev::Own(Value::Bytes(bytes)))
}

fn type_unhex(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let size = call.arg(0).bytes().div_ceil(2);
    Ok(ResultType::string(size, TextType::BINARY).or_null())
}

fn to_base64<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = or_null!(args::text(&args[0], inputs, context)?);
    if context.is_too_large(text.bytes.len() / 3 * 4, "to_base64")? {
        return Ok(Ev::NULL);
    }
    let mut out = Vec::with_capacity(text.bytes.len() / 3 * 4 + 4);
    for (at, chunk) in text.bytes.chunks(3).enumerate() {
        if at > 0 && (at * 4).is_multiple_of(LINE) {
            out.push(b'\n');
        }
        let bits =
            chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let index = usize::try_from(bits >> (18 - 6 * place) & 63).unwrap_or(0);
            out.push(if place <= chunk.len() { ALPHABET[index] } else { b'=' });
        }
    }
    Ok(ascii(out, inputs))
}

fn type_to_base64(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let bytes = u64::from(call.arg(0).bytes());
    let chars = bytes.div_ceil(3) * 4;
    let lines = chars.saturating_sub(1) / LINE as u64;
    let chars = u32::try_from(chars + lines).unwrap_or(u32::MAX);
    Ok(ResultType::grown_string(chars, TextType::ascii(call.connection())).or_null())
}

/// Blanks between digits do not count; NULL for what is no base64.
fn from_base64<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = or_null!(args::text(&args[0], inputs, context)?);
    Ok(types::base64::decode(&text.bytes).map_or(Ev::NULL, |bytes| Ev::Own(Value::Bytes(bytes))))
}

fn type_from_base64(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let bytes = u64::from(call.arg(0).bytes());
    let size = u32::try_from(bytes * 3 / 4).unwrap_or(u32::MAX);
    Ok(ResultType::string(size, TextType::BINARY).or_null())
}
