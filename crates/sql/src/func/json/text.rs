//! Between text and JSON: JSON_QUOTE, JSON_UNQUOTE, JSON_PRETTY, JSON_VALID.

use types::context::Context;
use types::error::SqlError;
use types::json::{self, Json, ParseError, TooDeep};
use types::value::{Value, ValueRef};

use super::TEXT;
use super::args::Call;
use crate::expr::typing::Kind;
use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::or_null;
use crate::func::error::ER_INCORRECT_TYPE;
use crate::func::{EvalResult, Function, Typed};

/// How much longer a character may become by quoting: `\u0001`.
const QUOTED_CHARS: u32 = 6;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("json_quote", (1, 1), quote, type_quote),
    Function::new("json_unquote", (1, 1), unquote, type_unquote),
    Function::new("json_pretty", (1, 1), pretty, |_| Ok(ResultType::long_string(TEXT).or_null())),
    Function::new("json_valid", (1, 1), valid, |_| Ok(ResultType::bigint(21))).condition(),
];

/// Error 3064.
fn wrong_type(name: &str) -> SqlError {
    ER_INCORRECT_TYPE.error(&[&1, &name])
}

fn text<'a>(bytes: Vec<u8>) -> EvalResult<'a> {
    Ok(Ev::Own(Value::Str(bytes, TEXT.collation)))
}

fn type_quote(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let arg = call.arg(0);
    if !arg.kind.is_string() && arg.kind != Kind::Null {
        return Err(wrong_type(call.name));
    }
    let chars = arg.chars().saturating_mul(QUOTED_CHARS).saturating_add(2);
    Ok(ResultType::string(chars, TEXT).or_null())
}

fn type_unquote(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let arg = call.arg(0);
    match arg.kind {
        Kind::Json => Ok(ResultType { text: TEXT, ..arg.as_text(call.connection()) }.or_null()),
        kind if kind.is_string() || kind == Kind::Null => Ok(ResultType::string(arg.chars(), TEXT).or_null()),
        _ => Err(wrong_type(call.name)),
    }
}

fn quote<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let value = args[0].eval(inputs, context)?;
    match value.as_ref() {
        ValueRef::Null => Ok(Ev::NULL),
        value @ (ValueRef::Str(..) | ValueRef::Bytes(_) | ValueRef::Chosen(_)) => {
            let given = value.json_text()?.unwrap_or_default();
            if context.is_too_large(json::quoted_size(&given), "json_quote")? {
                return Ok(Ev::NULL);
            }
            text(json::quote(&given).into_bytes())
        }
        _ => Err(wrong_type("json_quote")),
    }
}

fn unquote<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let value = args[0].eval(inputs, context)?;
    match value.as_ref() {
        ValueRef::Null => Ok(Ev::NULL),
        value @ ValueRef::Json(_) => {
            let mut out = Vec::new();
            json::unquote(&value.to_json()?, &mut out);
            text(out)
        }
        value @ (ValueRef::Str(..) | ValueRef::Bytes(_) | ValueRef::Chosen(_)) => {
            let given = value.json_text()?.unwrap_or_default();
            let content = json::unquote_text(&given).map_err(|error| error.in_argument(1, "json_unquote"))?;
            text(content.into_owned().into_bytes())
        }
        _ => Err(wrong_type("json_unquote")),
    }
}

fn pretty<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let call = Call::new("json_pretty", args, inputs);
    let document = or_null!(call.document(0, context)?);
    let lines = json::pretty(&document, context.result_size_max).map(Some);
    text(or_null!(call.bounded(lines, context)?))
}

/// What can be no JSON is not, even if it is NULL. Error 3157 for what is nested too deeply.
fn valid<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let value = args[0].eval(inputs, context)?;
    let is_valid = match value.as_ref() {
        ValueRef::Null => {
            let ty = args[0].result_type(&inputs.types())?;
            let is_label = ty.column.is_some_and(|column| column.labels().is_some());
            let may_be = matches!(ty.kind, Kind::Json | Kind::Null) || ty.kind.is_string() && !is_label;
            return Ok(if may_be { Ev::NULL } else { Some(false).into() });
        }
        ValueRef::Json(_) => true,
        value @ ValueRef::Str(..) => match value.json_text() {
            Ok(Some(text)) => match Json::parse(&text) {
                Err(ParseError::TooDeep) => return Err(TooDeep.into()),
                parsed => parsed.is_ok(),
            },
            _ => false,
        },
        _ => false,
    };
    Ok(Some(is_valid).into())
}
