//! LPAD and RPAD.

use types::context::Context;
use types::error::SqlError;

use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::{self, Int, or_null, string, subject_collation};
use crate::func::{EvalResult, Function, Typed};

pub(super) const FUNCTIONS: &[Function] =
    &[Function::new("lpad", (3, 3), lpad, type_pad), Function::new("rpad", (3, 3), rpad, type_pad)];

fn lpad<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    pad(args, inputs, context, true)
}

fn rpad<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    pad(args, inputs, context, false)
}

/// The text cut or padded to so many characters. NULL for a negative length, and the text itself if there is nothing
/// to pad with.
fn pad<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>, left: bool) -> EvalResult<'a> {
    let text = args::text(&args[0], inputs, context)?;
    let length = args::int(&args[1], inputs, context)?;
    let padding = args::text(&args[2], inputs, context)?;
    let (mut text, length, mut padding) = (or_null!(text), or_null!(length), or_null!(padding));
    let name = if left { "lpad" } else { "rpad" };
    let collation = subject_collation(&[&args[0], &args[2]], &mut [&mut text, &mut padding], name, inputs)?;
    if matches!(length, Int::Signed(..0)) {
        return Ok(Ev::NULL);
    }
    let charset = text.charset();
    let (length, chars) = (length.to_size(), charset.char_count(&text.bytes));
    if length <= chars {
        let end = charset.prefix_size(&text.bytes, length);
        return Ok(text.part(0, end));
    }
    let char_size = usize::try_from(charset.char_size_max()).unwrap_or(1);
    if context.is_too_large(length.saturating_mul(char_size), name)? {
        return Ok(Ev::NULL);
    }
    let padding_chars = charset.char_count(&padding.bytes);
    if padding_chars == 0 {
        return Ok(text.into_ev());
    }
    let missing = length - chars;
    let mut filling = padding.bytes.repeat(missing / padding_chars);
    let rest = charset.prefix_size(&padding.bytes, missing % padding_chars);
    filling.extend_from_slice(&padding.bytes[..rest]);
    let parts: [&[u8]; 2] = if left { [&filling, &text.bytes] } else { [&text.bytes, &filling] };
    Ok(Ev::Own(string(parts.concat(), collation)))
}

fn type_pad(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let text = call.subject(&[call.arg(0), call.arg(2)])?;
    Ok(match call.constant_int(1) {
        Some(length) => ResultType::grown_string(u32::try_from(length).unwrap_or(u32::MAX), text).or_null(),
        None => ResultType::long_string(text).or_null(),
    })
}
