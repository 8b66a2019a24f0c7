//! SLEEP.

use types::column::IntSize;
use types::context::Context;
use types::error::SqlError;
use types::error::table::{ER_QUERY_INTERRUPTED, ER_WRONG_ARGUMENTS};
use types::value::Value;
use types::warning::Level;

use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::{EvalResult, Function, Typed, args};
use crate::session::Asked;

pub(super) const FUNCTIONS: &[Function] = &[Function::new("sleep", (1, 1), sleep, type_sleep).unstable()];

fn type_sleep(_: &Typed<'_>) -> Result<ResultType, SqlError> {
    Ok(ResultType::int(IntSize::Big, 21))
}

/// 0 after so many seconds. If the session is killed before: 1, and in a statement that has tables error 1317.
/// Error 1210 for NULL and what is negative, or, if the mode is not strict, a warning.
fn sleep<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let seconds = args::double(&args[0], inputs, context)?;
    let Some(seconds) = seconds.filter(|seconds| *seconds >= 0.0) else {
        // MySQL's text ends with a full stop here.
        if context.sql_mode.is_strict() {
            return Err(ER_WRONG_ARGUMENTS.error(&[&"sleep."]));
        }
        context.warnings.push(Level::Warning, &ER_WRONG_ARGUMENTS, &[&"sleep."]);
        return Ok(Ev::Own(Value::Int(0)));
    };
    match inputs.session.server.answer(&Asked::Sleep { seconds })? {
        Value::Int(1) if !inputs.rows.is_empty() => Err(ER_QUERY_INTERRUPTED.error(&[])),
        slept => Ok(Ev::Own(slept)),
    }
}
