//! TRIM in its forms.

use types::context::Context;
use types::error::SqlError;

use super::like_first;
use crate::expr::{Expr, Inputs, ResultType};
use crate::func::args::{self, or_null, subject_collation};
use crate::func::{EvalResult, Function, Typed};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("ltrim", (1, 1), ltrim, like_first),
    Function::new("rtrim", (1, 1), rtrim, like_first),
    Function::new("trim", (1, 2), trim, type_trim),
    Function::new("trim leading", (1, 2), ltrim, type_trim),
    Function::new("trim trailing", (1, 2), rtrim, type_trim),
];

fn ltrim<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    remove(args, inputs, context, (true, false))
}

fn rtrim<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    remove(args, inputs, context, (false, true))
}

fn trim<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    remove(args, inputs, context, (true, true))
}

/// Removes blanks, or a text as often as it stands there, byte for byte.
fn remove<'a>(
    args: &'a [Expr],
    inputs: &Inputs<'a>,
    context: &mut Context<'_>,
    (leading, trailing): (bool, bool),
) -> EvalResult<'a> {
    let mut text = or_null!(args::text(&args[0], inputs, context)?);
    let removed = match args.get(1) {
        None => None,
        Some(removed) => {
            let mut removed_text = or_null!(args::text(removed, inputs, context)?);
            subject_collation(&[&args[0], removed], &mut [&mut text, &mut removed_text], "trim", inputs)?;
            Some(removed_text.bytes.into_owned())
        }
    };
    let removed = removed.as_deref().unwrap_or(b" ");
    if removed.is_empty() {
        return Ok(text.into_ev());
    }
    let (mut from, mut to) = (0, text.bytes.len());
    if leading {
        while text.bytes[from..].starts_with(removed) {
            from += removed.len();
        }
    }
    if trailing {
        while text.bytes[from..to].ends_with(removed) {
            to -= removed.len();
        }
    }
    Ok(text.part(from, to))
}

fn type_trim(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let text = call.subject(call.args)?;
    Ok(ResultType::string(call.chars_in(0, text), text).or_null())
}
