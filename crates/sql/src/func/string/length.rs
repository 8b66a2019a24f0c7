//! LENGTH and its kin, ASCII, ORD.

use types::charset::Charset;
use types::context::Context;
use types::value::Value;

use crate::expr::{Ev, Expr, Inputs};
use crate::func::args::{self, or_null};
use crate::func::{EvalResult, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("length", (1, 1), length, |call| Ok(call.int(11))),
    Function::new("octet_length", (1, 1), length, |call| Ok(call.int(11))),
    Function::new("bit_length", (1, 1), bit_length, |call| Ok(call.int(11))),
    Function::new("char_length", (1, 1), char_length, |call| Ok(call.int(11))),
    Function::new("character_length", (1, 1), char_length, |call| Ok(call.int(11))),
    Function::new("ascii", (1, 1), ascii, |call| Ok(call.int(4))),
    Function::new("ord", (1, 1), ord, |call| Ok(call.int(21))),
];

pub(super) fn count<'a>(count: usize) -> Ev<'a> {
    Ev::Own(Value::Int(i64::try_from(count).unwrap_or(i64::MAX)))
}

fn length<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    Ok(count(or_null!(args::text(&args[0], inputs, context)?).bytes.len()))
}

fn bit_length<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    Ok(count(or_null!(args::text(&args[0], inputs, context)?).bytes.len() * 8))
}

fn char_length<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = or_null!(args::text(&args[0], inputs, context)?);
    Ok(count(text.charset().char_count(&text.bytes)))
}

fn ascii<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = or_null!(args::text(&args[0], inputs, context)?);
    Ok(count(usize::from(text.bytes.first().copied().unwrap_or(0))))
}

/// The bytes of the first character as one number.
fn ord<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = or_null!(args::text(&args[0], inputs, context)?);
    let size = match text.charset() {
        Charset::Binary => text.bytes.len().min(1),
        charset => charset.prefix_size(&text.bytes, 1),
    };
    Ok(count(text.bytes[..size].iter().fold(0, |number, byte| number << 8 | usize::from(*byte))))
}
