//! JSON_ARRAY and JSON_OBJECT.

use types::context::Context;
use types::json::Json;
use types::value::Value;

use super::args::{member_name, member_value};
use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::{EvalResult, Function, MANY};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("json_array", (0, MANY), array, |_| Ok(ResultType::json())),
    Function::new("json_object", (0, MANY), object, |_| Ok(ResultType::json())).pairs_from(0),
];

fn array<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let (mut items, mut size) = (Vec::with_capacity(args.len()), 0);
    for arg in args {
        let item = member_value(arg, inputs, context)?;
        size += item.size();
        if context.is_too_large(size, "json_array")? {
            return Ok(Ev::NULL);
        }
        items.push(item);
    }
    Value::json(Json::Array(items)).map(Ev::Own)
}

/// Of equal names the last one counts.
fn object<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let (mut members, mut size) = (Vec::with_capacity(args.len() / 2), 0);
    for [name, value] in args.as_chunks::<2>().0 {
        let name = member_name(name, inputs, context)?;
        let value = member_value(value, inputs, context)?;
        size += name.len() + value.size();
        if context.is_too_large(size, "json_object")? {
            return Ok(Ev::NULL);
        }
        members.push((name, value));
    }
    Value::json(Json::Object(members.into_iter().collect())).map(Ev::Own)
}
