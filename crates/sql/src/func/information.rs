//! What a session knows of itself: VERSION, DATABASE, USER, LAST_INSERT_ID and so on. NAME_CONST.

use std::sync::atomic::Ordering;

use types::collation::Collation;
use types::column::IntSize;
use types::context::Context;
use types::error::SqlError;
use types::value::Value;

use super::args::{self, Int};
use super::{EvalResult, Function, Typed};
use crate::expr::typing::{Strength, TextType};
use crate::expr::{Ev, Expr, Inputs, ResultType};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("version", (0, 0), version, type_version),
    Function::new("database", (0, 0), database, |_| Ok(system_text(DATABASE_CHARS).or_null())),
    Function::new("schema", (0, 0), database, |_| Ok(system_text(DATABASE_CHARS).or_null())),
    Function::new("user", (0, 0), user, |_| Ok(system_text(USER_CHARS).or_null())),
    Function::new("session_user", (0, 0), user, |_| Ok(system_text(USER_CHARS).or_null())),
    Function::new("system_user", (0, 0), user, |_| Ok(system_text(USER_CHARS).or_null())),
    Function::new("current_user", (0, 0), current_user, |_| Ok(system_text(USER_CHARS).or_null())),
    Function::new("connection_id", (0, 0), connection_id, |_| Ok(counter(21))),
    Function::new("last_insert_id", (0, 1), last_insert_id, type_last_insert_id).unstable_with_arguments(),
    Function::new("row_count", (0, 0), row_count, |_| Ok(ResultType::int(IntSize::Big, 21))),
    Function::new("found_rows", (0, 0), found_rows, |_| Ok(ResultType::int(IntSize::Big, 21))),
    Function::new("name_const", (2, 2), name_const, |call| Ok(call.arg(1).or_null())),
];

/// Names are in this collation, whatever the session's is.
const SYSTEM: Collation = Collation::Utf8mb3GeneralCi;
const DATABASE_CHARS: u32 = 64;
const USER_CHARS: u32 = 288;

fn system_text(chars: u32) -> ResultType {
    ResultType::string(chars, TextType { collation: SYSTEM, strength: Strength::System, ascii: false })
}

fn counter(width: u32) -> ResultType {
    ResultType::int(IntSize::Big, width).unsigned()
}

fn name<'a>(text: &str) -> Ev<'a> {
    Ev::Own(Value::Str(text.as_bytes().to_vec(), SYSTEM))
}

fn type_version(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let chars = u32::try_from(call.types.session.server.version().chars().count()).unwrap_or(u32::MAX);
    Ok(system_text(chars))
}

fn version<'a>(_: &'a [Expr], inputs: &Inputs<'a>, _: &mut Context<'_>) -> EvalResult<'a> {
    Ok(name(inputs.session.server.version()))
}

fn database<'a>(_: &'a [Expr], inputs: &Inputs<'a>, _: &mut Context<'_>) -> EvalResult<'a> {
    Ok(inputs.session.db.as_deref().map_or(Ev::NULL, name))
}

fn user<'a>(_: &'a [Expr], inputs: &Inputs<'a>, _: &mut Context<'_>) -> EvalResult<'a> {
    Ok(name(&inputs.session.user))
}

fn current_user<'a>(_: &'a [Expr], inputs: &Inputs<'a>, _: &mut Context<'_>) -> EvalResult<'a> {
    Ok(name(&inputs.session.account))
}

fn connection_id<'a>(_: &'a [Expr], inputs: &Inputs<'a>, _: &mut Context<'_>) -> EvalResult<'a> {
    Ok(Ev::Own(Value::UInt(u64::from(inputs.session.pseudo_thread_id))))
}

/// With an argument, that becomes the session's id and is returned.
fn last_insert_id<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    // Relaxed: the session's own state, which no other data depends on.
    let Some(arg) = args.first() else {
        return Ok(Ev::Own(Value::UInt(inputs.session.last_insert_id.load(Ordering::Relaxed))));
    };
    let id = args::int(arg, inputs, context)?;
    let bits = id.map_or(0, Int::bits);
    inputs.session.last_insert_id.store(bits, Ordering::Relaxed);
    inputs.session.last_insert_id_given.store(true, Ordering::Relaxed);
    Ok(id.map_or(Ev::NULL, |_| Ev::Own(Value::UInt(bits))))
}

fn type_last_insert_id(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    Ok(counter(21).nullable_if(call.nullable()))
}

fn row_count<'a>(_: &'a [Expr], inputs: &Inputs<'a>, _: &mut Context<'_>) -> EvalResult<'a> {
    Ok(Ev::Own(Value::Int(inputs.session.row_count)))
}

fn found_rows<'a>(_: &'a [Expr], inputs: &Inputs<'a>, _: &mut Context<'_>) -> EvalResult<'a> {
    // Relaxed: the session's own state, which no other data depends on.
    let rows = inputs.session.found_rows.load(Ordering::Relaxed);
    Ok(Ev::Own(Value::Int(i64::try_from(rows).unwrap_or(i64::MAX))))
}

fn name_const<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    args[1].eval(inputs, context)
}
