//! GTID_SUBSET, GTID_SUBTRACT, WAIT_FOR_EXECUTED_GTID_SET, SOURCE_POS_WAIT: what the server knows of its logs.

use types::context::Context;
use types::error::SqlError;
use types::error::table::{ER_MALFORMED_GTID_SET_SPECIFICATION, ER_WRONG_ARGUMENTS};
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

/// What is given as a time, seconds; 0 is without end.
enum Patience {
    Seconds(Option<f64>),
    Null,
}

/// Error 1210 for a time that has passed.
fn patience(
    arg: Option<&Expr>,
    function: &str,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Patience, SqlError> {
    let Some(arg) = arg else { return Ok(Patience::Seconds(None)) };
    match args::double(arg, inputs, context)? {
        None => Ok(Patience::Null),
        Some(seconds) if seconds < 0.0 => Err(wrong_arguments(function)),
        Some(seconds) => Ok(Patience::Seconds((seconds > 0.0).then_some(seconds))),
    }
}

fn wrong_arguments(function: &str) -> SqlError {
    ER_WRONG_ARGUMENTS.error(&[&format_args!("{function}.")])
}

/// 0 when the set is there, 1 when the time has passed.
fn wait_for_set<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    const NAME: &str = "WAIT_FOR_EXECUTED_GTID_SET";
    let Some(set) = args.first().map(|set| args::utf8(set, inputs, context)).transpose()?.flatten() else {
        return Err(ER_MALFORMED_GTID_SET_SPECIFICATION.error(&[&"NULL"]));
    };
    let Patience::Seconds(timeout_s) = patience(args.get(1), NAME, inputs, context)? else {
        return Err(wrong_arguments(NAME));
    };
    ask(inputs, &Asked::WaitForSet { set: &set, timeout_s })
}

/// 0 when the replica is there, -1 when the time has passed, NULL if there is no replica that runs, or not of that channel.
fn wait_for_position<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let [file, position, rest @ ..] = args else { return Ok(Ev::NULL) };
    let Some(file) = args::utf8(file, inputs, context)? else { return Ok(Ev::NULL) };
    let Some(position) = args::int(position, inputs, context)? else { return Ok(Ev::NULL) };
    let timeout_s = match patience(rest.first(), "SOURCE_POS_WAIT", inputs, context)? {
        Patience::Seconds(timeout_s) => timeout_s,
        Patience::Null => return Ok(Ev::NULL),
    };
    if let Some(channel) = rest.get(1)
        && args::utf8(channel, inputs, context)?.is_none_or(|name| !name.is_empty())
    {
        return Ok(Ev::NULL);
    }
    if position.to_i64() < 0 {
        return Ok(Ev::NULL);
    }
    ask(inputs, &Asked::WaitForPosition { file: &file, position: position.bits(), timeout_s })
}
