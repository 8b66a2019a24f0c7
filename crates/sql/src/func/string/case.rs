//! UPPER, LOWER, REVERSE.

use types::charset::Charset;
use types::context::Context;

use super::like_first;
use crate::expr::{Ev, Expr, Inputs};
use crate::func::args::{self, Text, or_null, string};
use crate::func::{EvalResult, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("lower", (1, 1), lower, like_first),
    Function::new("lcase", (1, 1), lower, like_first),
    Function::new("upper", (1, 1), upper, like_first),
    Function::new("ucase", (1, 1), upper, like_first),
    Function::new("reverse", (1, 1), reverse, like_first),
];

fn changed<'a>(
    args: &'a [Expr],
    inputs: &Inputs<'a>,
    context: &mut Context<'_>,
    change: impl FnOnce(&Text<'_>, &mut Vec<u8>),
) -> EvalResult<'a> {
    let text = or_null!(args::text(&args[0], inputs, context)?);
    let mut out = Vec::with_capacity(text.bytes.len());
    change(&text, &mut out);
    Ok(Ev::Own(string(out, text.collation)))
}

fn lower<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    changed(args, inputs, context, |text, out| text.charset().to_lower(&text.bytes, out))
}

fn upper<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    changed(args, inputs, context, |text, out| text.charset().to_upper(&text.bytes, out))
}

fn reverse<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    changed(args, inputs, context, |text, out| {
        out.extend(text.bytes.iter().rev());
        // The bytes of each character stand the wrong way round now.
        if matches!(text.charset(), Charset::Utf8mb3 | Charset::Utf8mb4) && !out.is_ascii() {
            out.clear();
            let mut rest: &[u8] = &text.bytes;
            let mut chars = Vec::new();
            while !rest.is_empty() {
                let (char, tail) = rest.split_at(text.charset().first_char(rest).1);
                chars.push(char);
                rest = tail;
            }
            out.extend(chars.into_iter().rev().flatten());
        }
    })
}
