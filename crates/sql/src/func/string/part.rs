//! Parts of texts: LEFT, RIGHT, SUBSTRING, SUBSTRING_INDEX, INSERT. Positions count characters, from 1.

use memchr::memmem;
use types::charset::Charset;
use types::context::Context;
use types::error::SqlError;

use crate::expr::typing::Kind;
use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::{self, Int, Text, or_null, string, subject_collation};
use crate::func::{EvalResult, Function, Typed};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("left", (2, 2), left, type_side),
    Function::new("right", (2, 2), right, type_side),
    Function::new("substring", (2, 3), substring, type_substring),
    Function::new("substr", (2, 3), substring, type_substring),
    Function::new("mid", (2, 3), substring, type_substring),
    Function::new("substring_index", (3, 3), substring_index, type_substring_index),
    Function::new("insert", (4, 4), insert, type_insert),
];

fn left<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = args::text(&args[0], inputs, context)?;
    let count = or_null!(args::int(&args[1], inputs, context)?).to_size();
    let text = or_null!(text);
    let end = text.charset().prefix_size(&text.bytes, count);
    Ok(text.part(0, end))
}

fn right<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = args::text(&args[0], inputs, context)?;
    let count = or_null!(args::int(&args[1], inputs, context)?).to_size();
    let text = or_null!(text);
    let skipped = text.charset().char_count(&text.bytes).saturating_sub(count);
    let start = text.charset().prefix_size(&text.bytes, skipped);
    let end = text.bytes.len();
    Ok(text.part(start, end))
}

fn type_side(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let text = call.collation(&call.args[..1])?;
    let chars = call.chars_in(0, text);
    let chars = call.constant_int(1).map_or(chars, |count| clamped(count).min(chars));
    Ok(ResultType::string(chars, text).or_null())
}

/// A count as a length: none below 0.
fn clamped(count: i64) -> u32 {
    u32::try_from(count.max(0)).unwrap_or(u32::MAX)
}

/// A negative position counts from the end; position 0 is nowhere.
fn substring<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = args::text(&args[0], inputs, context)?;
    let position = or_null!(args::int(&args[1], inputs, context)?);
    let length = match args.get(2) {
        None => usize::MAX,
        Some(length) => or_null!(args::int(length, inputs, context)?).to_size(),
    };
    let text = or_null!(text);
    let charset = text.charset();
    let start = start_of(position, charset, &text.bytes);
    let Some(start) = start.filter(|_| length > 0) else { return Ok(text.part(0, 0)) };
    let from = charset.prefix_size(&text.bytes, start);
    let to = from + charset.prefix_size(&text.bytes[from..], length);
    Ok(text.part(from, to))
}

/// The characters before a position; None if the position is none of the text's.
fn start_of(position: Int, charset: Charset, bytes: &[u8]) -> Option<usize> {
    match position {
        Int::Signed(..0) => {
            let back = usize::try_from(position.to_i64().unsigned_abs()).unwrap_or(usize::MAX);
            charset.char_count(bytes).checked_sub(back)
        }
        _ => position.to_size().checked_sub(1),
    }
}

fn type_substring(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let text = call.collation(&call.args[..1])?;
    let mut chars = call.chars_in(0, text);
    if call.arg(1).kind == Kind::Null {
        return Ok(ResultType::string(chars, text).or_null());
    }
    match call.constant_int(1) {
        Some(0) => chars = 0,
        Some(position @ ..0) => {
            chars = u32::try_from(position.unsigned_abs()).ok().filter(|back| *back <= chars).unwrap_or(0);
        }
        Some(position) if i32::try_from(position).is_err() => {}
        Some(position) => chars = chars.saturating_sub(clamped(position - 1)),
        None => {}
    }
    if let Some(length) = call.constant_int(2) {
        chars = chars.min(clamped(length));
    }
    Ok(ResultType::string(chars, text).or_null())
}

/// Everything before the count-th delimiter, behind it if the count is negative.
fn substring_index<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = args::text(&args[0], inputs, context)?;
    let delimiter = args::text(&args[1], inputs, context)?;
    let count = or_null!(args::int(&args[2], inputs, context)?).to_i64();
    let (mut text, mut delimiter) = (or_null!(text), or_null!(delimiter));
    subject_collation(&[&args[0], &args[1]], &mut [&mut text, &mut delimiter], "substring_index", inputs)?;
    if count == 0 || delimiter.bytes.is_empty() {
        return Ok(text.part(0, 0));
    }
    let wanted = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX) - 1;
    let size = text.bytes.len();
    if count > 0 {
        let end = memmem::find_iter(&text.bytes, &*delimiter.bytes).nth(wanted).unwrap_or(size);
        return Ok(text.part(0, end));
    }
    // Delimiters are found from the left in both directions, as MySQL does: that matters if they can overlap.
    let found = memmem::find_iter(&text.bytes, &*delimiter.bytes).collect::<Vec<_>>();
    let from_left = found.len().checked_sub(wanted + 1);
    let start = from_left.map_or(0, |place| found[place] + delimiter.bytes.len());
    Ok(text.part(start, size))
}

fn type_substring_index(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let text = call.subject(&call.args[..2])?;
    Ok(ResultType::string(call.chars_in(0, text), text).or_null())
}

/// A part is replaced; nothing is if it begins outside of the text.
fn insert<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = args::text(&args[0], inputs, context)?;
    let position = args::int(&args[1], inputs, context)?;
    let length = args::int(&args[2], inputs, context)?;
    let new = args::text(&args[3], inputs, context)?;
    let (mut text, position, length, mut new) =
        (or_null!(text), or_null!(position), or_null!(length), or_null!(new));
    let collation = subject_collation(&[&args[0], &args[3]], &mut [&mut text, &mut new], "insert", inputs)?;
    let charset = text.charset();
    let chars = charset.char_count(&text.bytes);
    if position.is_not_positive() || position.to_size() > chars {
        return Ok(text.into_ev());
    }
    let from = charset.prefix_size(&text.bytes, position.to_size() - 1);
    let length = if matches!(length, Int::Signed(..0)) { usize::MAX } else { length.to_size() };
    let to = from + charset.prefix_size(&text.bytes[from..], length);
    if context.is_too_large(text.bytes.len() - (to - from) + new.bytes.len(), "insert")? {
        return Ok(Ev::NULL);
    }
    Ok(Ev::Own(string(spliced(&text, from, to, &new), collation)))
}

fn spliced(text: &Text<'_>, from: usize, to: usize, new: &Text<'_>) -> Vec<u8> {
    [&text.bytes[..from], &new.bytes, &text.bytes[to..]].concat()
}

fn type_insert(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let text = call.subject(&[call.arg(0), call.arg(3)])?;
    let chars = call.chars_of([0, 3].into_iter(), text, 0);
    Ok(ResultType::grown_string(chars, text).or_null())
}
