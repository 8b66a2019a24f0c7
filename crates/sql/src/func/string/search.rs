//! Looking for a text in another one, and comparing texts: INSTR, LOCATE, REPLACE, STRCMP, FIELD, FIND_IN_SET.
//!
//! INSTR, LOCATE and FIND_IN_SET compare by the collation, character by character; REPLACE compares bytes.

use std::cmp::Ordering;

use memchr::memmem;
use types::charset::Charset;
use types::collation::Collation;
use types::context::Context;
use types::error::SqlError;
use types::value::Value;

use super::length::count;
use crate::expr::typing::Kind;
use crate::expr::{Digits, Ev, Expr, Inputs, ResultType, Side, order};
use crate::func::args::{self, Text, common_collation, or_null, string, subject_collation};
use crate::func::{EvalResult, Function, MANY, Typed};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("instr", (2, 2), instr, |call| Ok(call.int(11))),
    Function::new("locate", (2, 3), locate, |call| Ok(call.int(11))),
    Function::new("replace", (3, 3), replace, type_replace),
    Function::new("strcmp", (2, 2), strcmp, |call| Ok(call.int(2))).condition(),
    Function::new("field", (2, MANY), field, |call| Ok(call.int(11).nullable_if(false))),
    Function::new("find_in_set", (2, 2), find_in_set, |call| Ok(call.int(11))),
];

fn instr<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    position(&args[0], &args[1], 0, inputs, context)
}

fn locate<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let start = match args.get(2) {
        None => 1,
        Some(start) => or_null!(args::int(start, inputs, context)?).to_i64(),
    };
    if let Ok(skipped) = usize::try_from(start.saturating_sub(1)) {
        return position(&args[1], &args[0], skipped, inputs, context);
    }
    // Before the first character nothing is found, but NULL stays NULL.
    let (text, wanted) = (args[1].eval(inputs, context)?, args[0].eval(inputs, context)?);
    Ok(if text.as_ref().is_null() || wanted.as_ref().is_null() { Ev::NULL } else { count(0) })
}

/// Where a text stands in another one behind so many characters, counted from 1; 0 if nowhere.
fn position<'a>(
    text: &'a Expr,
    wanted: &'a Expr,
    skipped: usize,
    inputs: &Inputs<'a>,
    context: &mut Context<'_>,
) -> EvalResult<'a> {
    let text_value = args::text(text, inputs, context)?;
    let wanted_value = args::text(wanted, inputs, context)?;
    let (mut text_value, mut wanted_value) = (or_null!(text_value), or_null!(wanted_value));
    let own = text_value.collation;
    let both = &mut [&mut text_value, &mut wanted_value];
    let common = subject_collation(&[text, wanted], both, "locate", inputs)?;
    let charset = common.charset();
    // As in MySQL, what is looked through has the say, however strongly the other one holds its collation.
    let collation = if own.charset() == charset { own } else { common };
    if skipped > charset.char_count(&text_value.bytes) {
        return Ok(count(0));
    }
    let start = charset.prefix_size(&text_value.bytes, skipped);
    let found = find(collation, &text_value.bytes[start..], &wanted_value.bytes);
    Ok(count(found.map_or(0, |at| skipped + charset.char_count(&text_value.bytes[start..start + at]) + 1)))
}

/// The first place at which a text stands, in bytes.
fn find(collation: Collation, text: &[u8], wanted: &[u8]) -> Option<usize> {
    if collation.compares_code_points() {
        return memmem::find(text, wanted);
    }
    if collation.has_one_weight_a_character() {
        return find_weights(collation, text, wanted);
    }
    let charset = collation.charset();
    let mut at = 0;
    loop {
        if collation.begins_with(&text[at..], wanted) {
            return Some(at);
        }
        if at >= text.len() {
            return None;
        }
        at += char_size(charset, &text[at..]);
    }
}

/// The same where weights can be looked for as bytes are: in time that grows with the sum of the sizes, not their product.
fn find_weights(collation: Collation, text: &[u8], wanted: &[u8]) -> Option<usize> {
    let (mut of_text, mut of_wanted) = (Vec::new(), Vec::new());
    collation.write_weights(text, &mut of_text);
    collation.write_weights(wanted, &mut of_wanted);
    let chars = memmem::find(&of_text, &of_wanted)? / Collation::WEIGHT_SIZE;
    Some((0..chars).fold(0, |at, _| at + char_size(collation.charset(), &text[at..])))
}

fn char_size(charset: Charset, text: &[u8]) -> usize {
    charset.first_char(text).1
}

fn replace<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = args::text(&args[0], inputs, context)?;
    let from = args::text(&args[1], inputs, context)?;
    let to = args::text(&args[2], inputs, context)?;
    let (mut text, mut from, mut to) = (or_null!(text), or_null!(from), or_null!(to));
    let exprs = [&args[0], &args[1], &args[2]];
    let collation = subject_collation(&exprs, &mut [&mut text, &mut from, &mut to], "replace", inputs)?;
    if from.bytes.is_empty() {
        return Ok(text.into_ev());
    }
    let mut out = Vec::with_capacity(text.bytes.len());
    let mut behind = 0;
    for at in memmem::find_iter(&text.bytes, &*from.bytes) {
        out.extend_from_slice(&text.bytes[behind..at]);
        out.extend_from_slice(&to.bytes);
        behind = at + from.bytes.len();
        if context.is_too_large(out.len(), "replace")? {
            return Ok(Ev::NULL);
        }
    }
    if behind == 0 {
        return Ok(text.into_ev());
    }
    out.extend_from_slice(&text.bytes[behind..]);
    Ok(Ev::Own(string(out, collation)))
}

fn type_replace(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let text = call.subject(call.args)?;
    let [chars, to] = [0, 2].map(|at| call.chars_in(at, text));
    Ok(ResultType::grown_string(chars.saturating_mul(to.saturating_sub(1).max(1)), text).or_null())
}

fn strcmp<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let left = args::text(&args[0], inputs, context)?;
    let right = args::text(&args[1], inputs, context)?;
    let (mut left, mut right) = (or_null!(left), or_null!(right));
    let both = &mut [&mut left, &mut right];
    let collation = common_collation(&[&args[0], &args[1]], both, "strcmp", inputs)?;
    Ok(Ev::Own(Value::Int(match collation.compare(&left.bytes, &right.bytes) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    })))
}

/// The place of the first argument among the others: texts, documents and dates are compared as texts, integers exactly,
/// everything else as doubles.
fn field<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let types = inputs.types();
    let kinds = args.iter().map(|arg| Ok(arg.result_type(&types)?.kind));
    let kinds = kinds.collect::<Result<smallvec::SmallVec<[Kind; 4]>, SqlError>>()?;
    let texts = kinds
        .iter()
        .all(|kind| kind.is_string() || kind.is_temporal() || matches!(kind, Kind::Json | Kind::Null));
    let exact = kinds.iter().all(|kind| kind.is_int() || matches!(kind, Kind::Null | Kind::Decimal));
    let digits = match (texts, exact) {
        (true, _) => Digits::Shown,
        (false, true) => Digits::Exact,
        (false, false) => Digits::All,
    };
    let wanted = args[0].eval_digits(digits, inputs, context)?;
    if wanted.as_ref().is_null() {
        return Ok(count(0));
    }
    let compared = |value: Ev<'a>| if texts { as_text(value, types.connection()) } else { value };
    let wanted = compared(wanted);
    for (at, arg) in args.iter().enumerate().skip(1) {
        let value = compared(arg.eval_digits(digits, inputs, context)?);
        let equal = if value.as_ref().is_null() {
            false
        } else if texts || exact {
            let (left, right) = (Side::new(&args[0], wanted.as_ref()), Side::new(arg, value.as_ref()));
            order(left, right, "field", inputs, context)? == Some(Ordering::Equal)
        } else {
            let left = wanted.as_ref().to_f64(context)?.unwrap_or(0.0);
            (left - value.as_ref().to_f64(context)?.unwrap_or(0.0)).abs() == 0.0
        };
        if equal {
            return Ok(count(at));
        }
    }
    Ok(count(0))
}

/// A value as text; one that is text stays as it is.
fn as_text(value: Ev<'_>, connection: Collation) -> Ev<'_> {
    Text::of(value, connection).map_or(Ev::NULL, Text::into_ev)
}

/// The place of a text in a list with commas between its members.
fn find_in_set<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let wanted = args::text(&args[0], inputs, context)?;
    let list = args::text(&args[1], inputs, context)?;
    let (mut wanted, mut list) = (or_null!(wanted), or_null!(list));
    let both = &mut [&mut wanted, &mut list];
    let collation = common_collation(&[&args[0], &args[1]], both, "find_in_set", inputs)?;
    if list.bytes.is_empty() || wanted.bytes.contains(&b',') {
        return Ok(count(0));
    }
    let mut members = list.bytes.split(|byte| *byte == b',');
    let found = members.position(|member| collation.equal(member, &wanted.bytes));
    Ok(count(found.map_or(0, |at| at + 1)))
}
