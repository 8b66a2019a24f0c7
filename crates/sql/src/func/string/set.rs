//! Choosing by number or bits: ELT, MAKE_SET, EXPORT_SET.

use types::context::Context;
use types::error::SqlError;

use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::{self, Text, common_collation, list_collation, or_null, string};
use crate::func::{EvalResult, Function, MANY, Typed};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("elt", (2, MANY), elt, type_elt),
    Function::new("make_set", (2, MANY), make_set, type_make_set),
    Function::new("export_set", (3, 5), export_set, type_export_set),
];

const BITS: usize = 64;

/// The collation of all texts, evaluated or not.
fn elt<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let number = or_null!(args::int(&args[0], inputs, context)?);
    let chosen = args[1..].get(number.to_size().wrapping_sub(1));
    let mut text = or_null!(args::text(or_null!(chosen), inputs, context)?);
    let types = inputs.types();
    let found = args[1..].iter().map(|arg| Ok(arg.result_type(&types)?.text_type(types.connection())));
    let found = found.collect::<Result<smallvec::SmallVec<[_; 4]>, SqlError>>()?;
    let collation = crate::expr::typing::aggregate_collations(found.iter().copied(), "elt")?.collation;
    args::convert_text(&mut text, collation)?;
    Ok(text.into_ev())
}

fn type_elt(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let texts = &call.args[1..];
    let text = call.collation(texts)?;
    let chars = texts.iter().map(|arg| arg.chars()).max().unwrap_or(0);
    Ok(ResultType::string(chars, text).or_null())
}

/// The texts whose bit is set, with commas between them.
fn make_set<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let bits = or_null!(args::int(&args[0], inputs, context)?).bits();
    let mut exprs: smallvec::SmallVec<[&Expr; 4]> = smallvec::SmallVec::new();
    let mut texts: smallvec::SmallVec<[Text<'_>; 4]> = smallvec::SmallVec::new();
    let mut taken = 0;
    for (at, arg) in args[1..].iter().enumerate().take(BITS) {
        if bits >> at & 1 == 0 {
            continue;
        }
        if let Some(text) = args::text(arg, inputs, context)? {
            taken += text.bytes.len() + 1;
            if context.is_too_large(taken - 1, "make_set")? {
                return Ok(Ev::NULL);
            }
            texts.push(text);
            exprs.push(arg);
        }
    }
    let collation = list_collation(&exprs, &mut texts, "make_set", inputs)?;
    let members: smallvec::SmallVec<[&[u8]; 4]> = texts.iter().map(|text| &*text.bytes).collect();
    let size = members.iter().map(|member| member.len() + 1).sum::<usize>().saturating_sub(1);
    if context.is_too_large(size, "make_set")? {
        return Ok(Ev::NULL);
    }
    Ok(Ev::Own(string(members.join(&b','), collation)))
}

fn type_make_set(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let texts = &call.args[1..];
    let text = call.collation(texts)?;
    let commas = u32::try_from(texts.len()).unwrap_or(u32::MAX).saturating_sub(1);
    let chars = call.chars_of(1..call.args.len(), text, commas);
    Ok(ResultType::grown_string(chars, text).nullable_if(call.nullable()))
}

/// For each bit, the lowest first, one text or the other.
fn export_set<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let bits = args::int(&args[0], inputs, context)?;
    let (on, off) = (args::text(&args[1], inputs, context)?, args::text(&args[2], inputs, context)?);
    let separator = match args.get(3) {
        None => Text { bytes: b","[..].into(), collation: inputs.collation, is_string: false },
        Some(separator) => or_null!(args::text(separator, inputs, context)?),
    };
    let count = match args.get(4) {
        None => BITS,
        Some(count) => {
            let count = or_null!(args::int(count, inputs, context)?).to_i64();
            usize::try_from(count).map_or(BITS, |count| count.min(BITS))
        }
    };
    let (bits, mut on, mut off, mut separator) =
        (or_null!(bits).bits(), or_null!(on), or_null!(off), separator);
    let exprs: smallvec::SmallVec<[&Expr; 4]> = args[1..args.len().min(4)].iter().collect();
    let places = &mut [&mut on, &mut off, &mut separator];
    let collation = common_collation(&exprs, places, "export_set", inputs)?;
    let mut out = Vec::new();
    for at in 0..count {
        if at > 0 {
            out.extend_from_slice(&separator.bytes);
        }
        out.extend_from_slice(if bits >> at & 1 == 1 { &on.bytes } else { &off.bytes });
        if context.is_too_large(out.len(), "export_set")? {
            return Ok(Ev::NULL);
        }
    }
    Ok(Ev::Own(string(out, collation)))
}

fn type_export_set(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let texts = &call.args[1..call.args.len().min(4)];
    let text = call.collation(texts)?;
    let chars = |at: usize| call.chars_in(at, text);
    let separator = if call.args.len() > 3 { chars(3) } else { 1 };
    let length = chars(1).max(chars(2)).saturating_mul(64).saturating_add(separator.saturating_mul(63));
    Ok(ResultType::grown_string(length, text).or_null())
}
