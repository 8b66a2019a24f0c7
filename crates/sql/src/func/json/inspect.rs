//! What a document is: JSON_TYPE, JSON_DEPTH, JSON_LENGTH, JSON_KEYS, and the bytes that it takes.

use types::context::Context;
use types::json;
use types::value::{Value, ValueRef};

use super::TEXT;
use super::args::Call;
use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::or_null;
use crate::func::{EvalResult, Function};

/// Characters of the longest name of a type.
const TYPE_CHARS: u32 = 17;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("json_type", (1, 1), type_name, |_| Ok(ResultType::string(TYPE_CHARS, TEXT).or_null())),
    Function::new("json_depth", (1, 1), depth, |_| Ok(ResultType::bigint(21))),
    Function::new("json_length", (1, 2), length, |_| Ok(ResultType::bigint(21))),
    Function::new("json_keys", (1, 2), keys, |_| Ok(ResultType::json())),
    Function::new("json_storage_size", (1, 1), storage_size, |_| Ok(ResultType::bigint(21))),
    Function::new("json_storage_free", (1, 1), storage_free, |call| Ok(call.int(21))),
];

fn count<'a>(count: usize) -> EvalResult<'a> {
    Ok(Ev::Own(Value::Int(i64::try_from(count).unwrap_or(i64::MAX))))
}

fn type_name<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let document = or_null!(Call::new("json_type", args, inputs).document(0, context)?);
    let name = json::type_name(&document);
    Ok(Ev::Own(Value::Str(name.as_bytes().to_vec(), TEXT.collation)))
}

fn depth<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let document = or_null!(Call::new("json_depth", args, inputs).document(0, context)?);
    count(json::depth(&document))
}

/// With a path this is the length of what JSON_EXTRACT finds, and errors name that.
fn length<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let name = if args.len() > 1 { "json_extract" } else { "json_length" };
    let call = Call::new(name, args, inputs);
    let mut document = or_null!(call.document(0, context)?);
    if args.len() > 1 {
        let path = or_null!(call.path(1, context)?);
        document = or_null!(call.extract(&document, &[path], context)?);
    }
    count(json::length(&document))
}

fn keys<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let call = Call::new("json_keys", args, inputs);
    let document = or_null!(call.document(0, context)?);
    let mut object = &document;
    if args.len() > 1 {
        let path = or_null!(call.plain_path(1, context)?);
        object = or_null!(path.find_one(&document));
    }
    Value::json(or_null!(json::keys(object))).map(Ev::Own)
}

fn storage_size<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let call = Call::new("json_storage_size", args, inputs);
    let value = call.eval(0, context)?;
    if let ValueRef::Json(bytes) = value.as_ref() {
        return count(bytes.len());
    }
    let document = or_null!(call.document_of(0, value.as_ref())?);
    count(json::encoded_size(&document)?)
}

/// Values are stored anew as a whole: nothing is ever free.
fn storage_free<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    or_null!(Call::new("json_storage_free", args, inputs).document(0, context)?);
    count(0)
}
