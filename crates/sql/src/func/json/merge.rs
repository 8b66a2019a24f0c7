//! JSON_MERGE_PRESERVE, JSON_MERGE_PATCH, and JSON_MERGE, the old name of the former.

use types::context::Context;
use types::error::table::ER_WARN_DEPRECATED_SYNTAX;
use types::json::{self, Json};
use types::value::Value;
use types::warning::Level;

use super::args::Call;
use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::or_null;
use crate::func::{EvalResult, Function, MANY};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("json_merge_preserve", (2, MANY), preserve, |_| Ok(ResultType::json())),
    Function::new("json_merge", (2, MANY), merge, |_| Ok(ResultType::json())),
    Function::new("json_merge_patch", (2, MANY), patch, |_| Ok(ResultType::json())),
];

fn preserve<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let call = Call::new("json_merge_preserve", args, inputs);
    let mut merged = or_null!(call.document(0, context)?);
    for at in 1..args.len() {
        merged = json::merge_preserve(merged, or_null!(call.document(at, context)?));
        // Merging recurses: depth is bounded step by step.
        merged = merged.bounded()?;
        if context.is_too_large(merged.size(), call.name)? {
            return Ok(Ev::NULL);
        }
    }
    Value::json(merged).map(Ev::Own)
}

/// Warns once a statement.
fn merge<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let code = ER_WARN_DEPRECATED_SYNTAX.code;
    if !context.warnings.entries().iter().any(|warning| warning.code == code) {
        let instead = "JSON_MERGE_PRESERVE/JSON_MERGE_PATCH";
        context.warnings.push(Level::Warning, &ER_WARN_DEPRECATED_SYNTAX, &[&"JSON_MERGE", &instead]);
    }
    preserve(args, inputs, context)
}

/// NULL makes the result NULL, unless something behind it is no object: that takes the place of all before.
fn patch<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let call = Call::new("json_merge_patch", args, inputs);
    let mut merged = call.document(0, context)?;
    for at in 1..args.len() {
        merged = match (merged, call.document(at, context)?) {
            (_, None) | (None, Some(Json::Object(_))) => None,
            (None, Some(patch)) => Some(patch),
            (Some(merged), Some(patch)) => Some(json::merge_patch(merged, patch)),
        };
        if context.is_too_large(merged.as_ref().map_or(0, Json::size), call.name)? {
            return Ok(Ev::NULL);
        }
    }
    Value::json(or_null!(merged)).map(Ev::Own)
}
