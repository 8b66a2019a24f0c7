//! GET_LOCK, RELEASE_LOCK, RELEASE_ALL_LOCKS, IS_FREE_LOCK, IS_USED_LOCK.

use types::context::Context;
use types::error::SqlError;
use types::error::table::{ER_USER_LOCK_OVERLONG_NAME, ER_USER_LOCK_WRONG_NAME};
use types::value::Value;

use crate::expr::{Ev, Expr, Inputs};
use crate::func::{EvalResult, Function, args};
use crate::session::{Asked, OfLock};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("get_lock", (2, 2), get_lock, |call| Ok(call.of_server())).unstable(),
    Function::new("release_lock", (1, 1), release_lock, |call| Ok(call.of_server())).unstable(),
    Function::new("release_all_locks", (0, 0), release_all_locks, |call| Ok(call.of_server())).unstable(),
    Function::new("is_free_lock", (1, 1), is_free_lock, |call| Ok(call.of_server())).unstable(),
    Function::new("is_used_lock", (1, 1), is_used_lock, |call| Ok(call.of_server())).unstable(),
];

/// The most characters of a lock's name.
const NAME_CHARS_MAX: usize = 64;

/// A lock's name in small letters. Error 3057 for NULL and nothing, 4163 for a long one.
fn name(arg: &Expr, inputs: &Inputs<'_>, context: &mut Context<'_>) -> Result<String, SqlError> {
    match args::utf8(arg, inputs, context)? {
        None => Err(ER_USER_LOCK_WRONG_NAME.error(&[&"NULL"])),
        Some(text) if text.is_empty() => Err(ER_USER_LOCK_WRONG_NAME.error(&[&text])),
        Some(text) if text.chars().count() > NAME_CHARS_MAX => {
            Err(ER_USER_LOCK_OVERLONG_NAME.error(&[&text, &NAME_CHARS_MAX]))
        }
        Some(text) => Ok(text.to_lowercase()),
    }
}

fn ask(of_lock: OfLock<'_>, inputs: &Inputs<'_>) -> Result<Value, SqlError> {
    inputs.session.server.answer(&Asked::UserLock { session: inputs.session.connection_id, of_lock })
}

/// 1, or 0 if somebody else has it so many seconds. Without end if they are negative.
fn get_lock<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let name = name(&args[0], inputs, context)?;
    let seconds = args::double(&args[1], inputs, context)?.unwrap_or(0.0).round();
    let timeout_s = (seconds >= 0.0).then_some(seconds);
    Ok(Ev::Own(ask(OfLock::Take { name: &name, timeout_s }, inputs)?))
}

/// 1, 0 if somebody else has it, NULL if nobody has.
fn release_lock<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let name = name(&args[0], inputs, context)?;
    Ok(Ev::Own(ask(OfLock::Release { name: &name }, inputs)?))
}

/// How many were released, each as often as it was taken.
fn release_all_locks<'a>(_: &'a [Expr], inputs: &Inputs<'a>, _: &mut Context<'_>) -> EvalResult<'a> {
    Ok(Ev::Own(ask(OfLock::ReleaseAll, inputs)?))
}

fn is_free_lock<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let name = name(&args[0], inputs, context)?;
    let owner = ask(OfLock::Owner { name: &name }, inputs)?;
    Ok(Ev::Own(Value::Int(owner.as_ref().is_null().into())))
}

/// The owner's connection, or NULL.
fn is_used_lock<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let name = name(&args[0], inputs, context)?;
    Ok(Ev::Own(ask(OfLock::Owner { name: &name }, inputs)?))
}
