//! JSON_VALUE without its clauses: the scalar at a path as a text of at most 512 characters.

use types::context::Context;
use types::json::{self, Json};
use types::value::{Value, ValueRef};
use types::warning::Level;

use super::TEXT;
use super::args::Call;
use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::or_null;
use crate::func::{EvalResult, Function};

/// The most characters: the default of RETURNING is CHAR(512).
const CHARS_MAX: u16 = 512;

pub(super) const FUNCTIONS: &[Function] = &[Function::new("json_value", (2, 2), value, |_| {
    Ok(ResultType::string(CHARS_MAX.into(), TEXT).or_null())
})];

/// NULL is also `null`, nothing, more than one value, a text that is too long, and, with a warning, what is no JSON.
fn value<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let call = Call::new("json_value", args, inputs);
    let given = call.eval(0, context)?;
    let path = or_null!(call.path(1, context)?);
    let document = match given.as_ref() {
        ValueRef::Null => return Ok(Ev::NULL),
        value @ ValueRef::Json(_) => value.to_json()?,
        other => match Json::parse(&call.document_text(0, other)?) {
            Ok(document) => document,
            Err(error) => {
                context.warnings.push_error(Level::Warning, &error.in_argument(1, call.name));
                return Ok(Ev::NULL);
            }
        },
    };
    let found = match &path.find(&document)[..] {
        [found] if **found != Json::Null => (*found).clone(),
        _ => return Ok(Ev::NULL),
    };
    let mut out = Vec::new();
    json::unquote(&found, &mut out);
    let is_short = TEXT.collation.charset().char_count(&out) <= usize::from(CHARS_MAX);
    Ok(if is_short { Ev::Own(Value::Str(out, TEXT.collation)) } else { Ev::NULL })
}
