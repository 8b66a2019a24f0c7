//! What is at a path: JSON_EXTRACT, JSON_CONTAINS_PATH.
//!
//! `column->path` is `json_extract(column, path)`, and `column->>path` is JSON_UNQUOTE of that.

use types::context::Context;
use types::json::{self, Quantity, decode_at};
use types::value::{Value, ValueRef};

use super::args::Call;
use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::{or_null, text};
use crate::func::{EvalResult, Function, MANY};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("json_extract", (2, MANY), extract, |_| Ok(ResultType::json())),
    Function::new("json_contains_path", (3, MANY), contains_path, |_| Ok(ResultType::bigint(21))).condition(),
];

/// Of one path without wildcards only the bytes on the way are read.
fn extract<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let call = Call::new("json_extract", args, inputs);
    let value = call.eval(0, context)?;
    if let (ValueRef::Json(bytes), [_, _]) = (value.as_ref(), args) {
        let path = or_null!(call.path(1, context)?);
        if !path.has_wildcard() {
            return Value::json(or_null!(decode_at(bytes, &path)?)).map(Ev::Own);
        }
        let found = call.extract(&value.as_ref().to_json()?, &[path], context)?;
        return Value::json(or_null!(found)).map(Ev::Own);
    }
    let document = or_null!(call.document_of(0, value.as_ref())?);
    let paths = or_null!(call.paths(1, context)?);
    Value::json(or_null!(call.extract(&document, &paths, context)?)).map(Ev::Own)
}

/// The first path that decides ends it: what follows may be anything.
fn contains_path<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let call = Call::new("json_contains_path", args, inputs);
    let document = or_null!(call.document(0, context)?);
    let quantity = or_null!(text(&args[1], inputs, context)?);
    let quantity = Quantity::parse(&String::from_utf8_lossy(&quantity.bytes), call.name)?;
    for at in 2..args.len() {
        let path = or_null!(call.path(at, context)?);
        let found = json::contains_path(&document, Quantity::One, &[path]);
        if found == (quantity == Quantity::One) {
            return Ok(Some(found).into());
        }
    }
    Ok(Some(quantity == Quantity::All).into())
}
