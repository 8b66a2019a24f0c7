//! JSON_ARRAY and JSON_OBJECT.

use types::context::Context;
use types::error::SqlError;
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
    let items = args.iter().map(|arg| member_value(arg, inputs, context));
    let items = items.collect::<Result<Vec<_>, SqlError>>()?;
    Value::json(Json::Array(items)).map(Ev::Own)
}

/// Of equal names the last one counts.
fn object<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let mut members = Vec::with_capacity(args.len() / 2);
    for [name, value] in args.as_chunks::<2>().0 {
        let name = member_name(name, inputs, context)?;
        members.push((name, member_value(value, inputs, context)?));
    }
    Value::json(Json::Object(members.into_iter().collect())).map(Ev::Own)
}
