//! IPv4 addresses as numbers: INET_ATON, INET_NTOA, IS_IPV4.

use std::net::Ipv4Addr;

use types::context::Context;
use types::error::table::ER_WRONG_VALUE_FOR_TYPE;
use types::value::{Value, quote_text};

use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::{self, ascii, or_null};
use crate::func::{EvalResult, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("inet_aton", (1, 1), inet_aton, |_| Ok(ResultType::bigint(21).unsigned())),
    Function::new("inet_ntoa", (1, 1), inet_ntoa, |call| Ok(call.ascii(31).or_null())),
    Function::new("is_ipv4", (1, 1), is_ipv4, |call| Ok(ResultType::truth(call.nullable()))).condition(),
];

/// The number of a dotted address; of fewer than four parts the last one stands for the rest.
fn inet_aton<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = or_null!(args::text(&args[0], inputs, context)?);
    if let Some(number) = address(&text.bytes) {
        return Ok(Ev::Own(Value::UInt(u64::from(number))));
    }
    let shown = quote_text(&text.bytes, text.collation);
    context.report(&ER_WRONG_VALUE_FOR_TYPE, &[&"string", &format_args!("'{shown}'"), &"inet_aton"])?;
    Ok(Ev::NULL)
}

fn address(text: &[u8]) -> Option<u32> {
    if text.is_empty() || text.ends_with(b".") {
        return None;
    }
    let mut parts = [0_u8; 4];
    let mut count = 0;
    for part in text.split(|byte| *byte == b'.') {
        let digits = part.iter().try_fold(0_u32, |number, byte| {
            Some(number * 10 + char::from(*byte).to_digit(10)?).filter(|number| *number <= 255)
        })?;
        *parts.get_mut(count)? = u8::try_from(digits).ok()?;
        count += 1;
    }
    // Missing parts are zeros before the last one.
    parts.swap(count - 1, 3);
    Some(u32::from_be_bytes(parts))
}

fn inet_ntoa<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let number = or_null!(args::int(&args[0], inputs, context)?);
    let address = match number {
        args::Int::Signed(number) => u32::try_from(number).ok(),
        args::Int::Unsigned(number) => u32::try_from(number).ok(),
    };
    let Some(address) = address else {
        let shown = match number {
            args::Int::Signed(number) => number.to_string(),
            args::Int::Unsigned(number) => number.to_string(),
        };
        context.report(&ER_WRONG_VALUE_FOR_TYPE, &[&"integer", &shown, &"inet_ntoa"])?;
        return Ok(Ev::NULL);
    };
    Ok(ascii(Ipv4Addr::from_bits(address).to_string(), inputs))
}

fn is_ipv4<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = or_null!(args::text(&args[0], inputs, context)?);
    Ok(Some(super::inet6::parse_v4(&text.bytes).is_some()).into())
}
