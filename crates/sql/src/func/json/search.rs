//! Looking for values: JSON_CONTAINS, JSON_OVERLAPS, MEMBER OF, JSON_SEARCH.

use std::cmp::Ordering;

use types::charset::Charset;
use types::collation::Collation;
use types::context::Context;
use types::error::SqlError;
use types::error::table::ER_WRONG_ARGUMENTS;
use types::json::{self, Json, Quantity};
use types::value::{JSON_COLLATION, Value};

use super::args::{Call, value_of};
use crate::expr::typing::aggregate_collations;
use crate::expr::{Ev, Expr, Inputs, ResultType, in_charset};
use crate::func::args::{or_null, text};
use crate::func::{EvalResult, Function, MANY};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("json_contains", (2, 3), contains, |_| Ok(ResultType::bigint(21))).condition(),
    Function::new("json_overlaps", (2, 2), overlaps, |call| Ok(ResultType::truth(call.nullable())))
        .condition(),
    Function::new("member of", (2, 2), member_of, |call| Ok(ResultType::truth(call.nullable()))).condition(),
    Function::new("json_search", (3, MANY), search, |_| Ok(ResultType::json())),
];

fn contains<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let call = Call::new("json_contains", args, inputs);
    let document = or_null!(call.document(0, context)?);
    let wanted = or_null!(call.document(1, context)?);
    let mut target = &document;
    if args.len() > 2 {
        let path = or_null!(call.plain_path(2, context)?);
        target = or_null!(path.find_one(&document));
    }
    Ok(Some(json::contains(target, &wanted)).into())
}

fn overlaps<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let call = Call::new("json_overlaps", args, inputs);
    let one = or_null!(call.document(0, context)?);
    let other = or_null!(call.document(1, context)?);
    Ok(Some(json::overlaps(&one, &other)).into())
}

/// The value is one as it is put into documents; what is no array counts as an array of one.
fn member_of<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let call = Call::new("member of", args, inputs);
    let value = call.eval(0, context)?;
    if value.as_ref().is_null() {
        return Ok(Ev::NULL);
    }
    let value = value_of(&args[0], value.as_ref(), inputs)?;
    let document = or_null!(call.document(1, context)?);
    let is_equal = |item: &Json| json::compare(item, &value) == Ordering::Equal;
    let found = match &document {
        Json::Array(items) => items.iter().any(is_equal),
        single => is_equal(single),
    };
    Ok(Some(found).into())
}

fn search<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let call = Call::new("json_search", args, inputs);
    let document = or_null!(call.document(0, context)?);
    let quantity = or_null!(text(&args[1], inputs, context)?);
    let quantity = Quantity::parse(&String::from_utf8_lossy(&quantity.bytes), call.name)?;
    let escape = escape(args.get(3), inputs, context)?;
    let paths = or_null!(call.paths(args.len().min(4), context)?);
    let pattern = or_null!(text(&args[2], inputs, context)?);
    let collation = if pattern.is_string && pattern.collation != JSON_COLLATION {
        pattern_collation(&args[2], inputs)?
    } else {
        JSON_COLLATION
    };
    let charset = collation.charset();
    let pattern = in_charset(&pattern.bytes, pattern.charset(), charset);
    let mut matches = |text: &str| {
        let text = in_charset(text.as_bytes(), Charset::Utf8mb4, charset);
        collation.like(&text, &pattern, escape)
    };
    let found = json::search(&document, quantity, &mut matches, &paths, context.result_size_max);
    Value::json(or_null!(call.bounded(found, context)?)).map(Ev::Own)
}

/// The collation that a pattern has in common with the strings of a document.
fn pattern_collation(pattern: &Expr, inputs: &Inputs<'_>) -> Result<Collation, SqlError> {
    let types = inputs.types();
    let both = [ResultType::json(), pattern.result_type(&types)?];
    let both = both.map(|ty| ty.text_type(types.connection()));
    Ok(aggregate_collations(both.into_iter(), "like")?.collation)
}

/// The character behind which a pattern's next one is only itself: the backslash of NULL, none of an empty text. Error
/// 1210 for more than one.
fn escape(
    arg: Option<&Expr>,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Option<u32>, SqlError> {
    let given = match arg {
        Some(arg) => text(arg, inputs, context)?,
        None => None,
    };
    let Some(given) = given else { return Ok(Some(u32::from('\\'))) };
    let given = in_charset(&given.bytes, given.charset(), Charset::Utf8mb4);
    let given = String::from_utf8_lossy(&given);
    let mut chars = given.chars();
    match (chars.next(), chars.next()) {
        (_, Some(_)) => Err(ER_WRONG_ARGUMENTS.error(&[&"ESCAPE"])),
        (first, None) => Ok(first.map(u32::from)),
    }
}
