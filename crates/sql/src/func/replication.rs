//! GTID_SUBSET, GTID_SUBTRACT, WAIT_FOR_EXECUTED_GTID_SET, SOURCE_POS_WAIT: what the server knows of its logs.

use types::context::Context;
use types::error::SqlError;
use types::value::Value;

use super::args;
use super::{EvalResult, Function};
use crate::expr::{Ev, Expr, Inputs};
use crate::session::Asked;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("gtid_subset", (2, 2), subset, |call| Ok(call.of_server())),
    Function::new("gtid_subtract", (2, 2), subtract, |call| Ok(call.ascii(SET_CHARS).or_null())),
    Function::new("wait_for_executed_gtid_set", (1, 2), wait_for_set, |call| Ok(call.of_server())).unstable(),
    Function::new("source_pos_wait", (2, 4), wait_for_position, |call| Ok(call.of_server())).unstable(),
    Function::new("master_pos_wait", (2, 4), wait_for_position, |call| Ok(call.of_server())).unstable(),
];

/// Characters that a set is announced with.
const SET_CHARS: u32 = 16_383;

fn ask<'a>(inputs: &Inputs<'a>, asked: &Asked<'_>) -> EvalResult<'a> {
    Ok(Ev::Own(inputs.session.server.answer(asked)?))
}

fn sets(
    args: &[Expr],
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Option<(String, String)>, SqlError> {
    let [one, other] = args else { return Ok(None) };
    Ok(args::utf8(one, inputs, context)?.zip(args::utf8(other, inputs, context)?))
}

fn subset<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    match sets(args, inputs, context)? {
        Some((set, of)) => ask(inputs, &Asked::Subset { set: &set, of: &of }),
        None => Ok(Ev::NULL),
    }
}

fn subtract<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let Some((from, set)) = sets(args, inputs, context)? else { return Ok(Ev::NULL) };
    match inputs.session.server.answer(&Asked::Subtract { from: &from, set: &set })? {
        Value::Str(bytes, _) => Ok(args::ascii(bytes, inputs)),
        other => Ok(Ev::Own(other)),
    }
}

fn timeout_s(
    arg: Option<&Expr>,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Option<f64>, SqlError> {
    let seconds = arg.map(|arg| args::double(arg, inputs, context)).transpose()?.flatten();
    Ok(seconds.filter(|seconds| *seconds > 0.0))
}

/// 0 when the set is there, 1 when the time has passed.
fn wait_for_set<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let Some(set) = args.first().map(|set| args::utf8(set, inputs, context)).transpose()?.flatten() else {
        return Ok(Ev::NULL);
    };
    let timeout_s = timeout_s(args.get(1), inputs, context)?;
    ask(inputs, &Asked::WaitForSet { set: &set, timeout_s })
}

/// 0 when the replica is there, -1 when the time has passed, NULL if there is no replica that runs.
fn wait_for_position<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let [file, position, rest @ ..] = args else { return Ok(Ev::NULL) };
    let Some(file) = args::utf8(file, inputs, context)? else { return Ok(Ev::NULL) };
    let Some(position) = args::int(position, inputs, context)? else { return Ok(Ev::NULL) };
    let timeout_s = timeout_s(rest.first(), inputs, context)?;
    ask(inputs, &Asked::WaitForPosition { file: &file, position: position.bits(), timeout_s })
}
