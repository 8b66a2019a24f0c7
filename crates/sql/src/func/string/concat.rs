//! CONCAT, CONCAT_WS, REPEAT, SPACE.

use types::context::Context;
use types::error::SqlError;
use types::value::Value;

use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::{self, Text, list_collation, or_null, string};
use crate::func::{EvalResult, Function, MANY, Typed};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("concat", (1, MANY), concat, type_concat),
    Function::new("concat_ws", (2, MANY), concat_ws, type_concat_ws),
    Function::new("repeat", (2, 2), repeat, type_repeat),
    Function::new("space", (1, 1), space, type_space),
];

type Texts<'a> = smallvec::SmallVec<[Text<'a>; 4]>;

fn concat<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let mut texts = Texts::new();
    let mut taken = 0;
    for arg in args {
        let text = or_null!(args::text(arg, inputs, context)?);
        taken += text.bytes.len();
        // Before all the others are there, too.
        if context.is_too_large(taken, "concat")? {
            return Ok(Ev::NULL);
        }
        texts.push(text);
    }
    let exprs: smallvec::SmallVec<[&Expr; 4]> = args.iter().collect();
    let collation = list_collation(&exprs, &mut texts, "concat", inputs)?;
    let size = texts.iter().map(|text| text.bytes.len()).sum();
    if context.is_too_large(size, "concat")? {
        return Ok(Ev::NULL);
    }
    let mut out = Vec::with_capacity(size);
    for text in &texts {
        out.extend_from_slice(&text.bytes);
    }
    Ok(Ev::Own(string(out, collation)))
}

fn type_concat(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let text = call.collation(call.args)?;
    let chars = call.chars_of(0..call.args.len(), text, 0);
    Ok(ResultType::grown_string(chars, text).or_null())
}

/// Arguments that are NULL are left out.
fn concat_ws<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let mut exprs: smallvec::SmallVec<[&Expr; 4]> = smallvec::smallvec![&args[0]];
    let (mut texts, mut taken) = (Texts::new(), 0);
    let separator = or_null!(args::text(&args[0], inputs, context)?);
    let separator_size = separator.bytes.len();
    texts.push(separator);
    for arg in &args[1..] {
        if let Some(text) = args::text(arg, inputs, context)? {
            taken += text.bytes.len() + if texts.len() > 1 { separator_size } else { 0 };
            if context.is_too_large(taken, "concat_ws")? {
                return Ok(Ev::NULL);
            }
            texts.push(text);
            exprs.push(arg);
        }
    }
    let collation = list_collation(&exprs, &mut texts, "concat_ws", inputs)?;
    let (separator, parts) = texts.split_at(1);
    let separators = parts.len().saturating_sub(1) * separator[0].bytes.len();
    let size = separators + parts.iter().map(|part| part.bytes.len()).sum::<usize>();
    if context.is_too_large(size, "concat_ws")? {
        return Ok(Ev::NULL);
    }
    let mut out = Vec::with_capacity(size);
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            out.extend_from_slice(&separator[0].bytes);
        }
        out.extend_from_slice(&part.bytes);
    }
    Ok(Ev::Own(string(out, collation)))
}

fn type_concat_ws(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let text = call.collation(call.args)?;
    let parts = u32::try_from(call.args.len()).unwrap_or(u32::MAX).saturating_sub(2);
    let separators = call.chars_in(0, text).saturating_mul(parts);
    let chars = call.chars_of(1..call.args.len(), text, separators);
    Ok(ResultType::grown_string(chars, text).or_null())
}

fn repeat<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = args::text(&args[0], inputs, context)?;
    let count = or_null!(args::int(&args[1], inputs, context)?).to_size();
    let text = or_null!(text);
    if context.is_too_large(text.bytes.len().saturating_mul(count), "repeat")? {
        return Ok(Ev::NULL);
    }
    let count = if text.bytes.is_empty() { 0 } else { count };
    Ok(Ev::Own(string(text.bytes.repeat(count), text.collation)))
}

fn type_repeat(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let text = call.collation(&call.args[..1])?;
    let chars = call.chars_in(0, text);
    let chars = match call.constant_int(1) {
        Some(count) => u32::try_from(count).unwrap_or(u32::MAX).saturating_mul(chars),
        None => return Ok(ResultType::long_string(text).or_null()),
    };
    Ok(ResultType::grown_string(chars, text).or_null())
}

fn space<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let count = or_null!(args::int(&args[0], inputs, context)?).to_size();
    if context.is_too_large(count, "space")? {
        return Ok(Ev::NULL);
    }
    Ok(Ev::Own(Value::Str(vec![b' '; count], inputs.collation)))
}

fn type_space(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let text = crate::expr::typing::TextType::ascii(call.connection());
    Ok(match call.constant_int(0) {
        Some(count) => {
            ResultType::grown_string(u32::try_from(count.max(0)).unwrap_or(u32::MAX), text).or_null()
        }
        None if call.arg(0).kind == crate::expr::typing::Kind::Null => ResultType::string(0, text).or_null(),
        None => ResultType::long_string(text).or_null(),
    })
}
