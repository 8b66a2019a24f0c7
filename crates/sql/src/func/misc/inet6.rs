//! IPv6 addresses as bytes: INET6_ATON, INET6_NTOA, IS_IPV6 and what kinds of address there are.

use std::net::{Ipv4Addr, Ipv6Addr};

use types::context::Context;
use types::error::SqlError;
use types::error::table::ER_WRONG_VALUE_FOR_TYPE;
use types::value::{Value, ValueRef, quote_text};

use crate::expr::typing::TextType;
use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::{self, ascii, or_null};
use crate::func::{EvalResult, Function, Typed};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("inet6_aton", (1, 1), inet6_aton, type_aton),
    Function::new("inet6_ntoa", (1, 1), inet6_ntoa, |call| Ok(call.ascii(39).or_null())),
    Function::new("is_ipv6", (1, 1), is_ipv6, |call| Ok(ResultType::truth(call.nullable()))).condition(),
    Function::new("is_ipv4_compat", (1, 1), is_ipv4_compat, |call| Ok(ResultType::truth(call.nullable())))
        .condition(),
    Function::new("is_ipv4_mapped", (1, 1), is_ipv4_mapped, |call| Ok(ResultType::truth(call.nullable())))
        .condition(),
];

fn type_aton(_: &Typed<'_>) -> Result<ResultType, SqlError> {
    Ok(ResultType::string(16, TextType::BINARY).or_null())
}

pub(super) fn parse_v4(text: &[u8]) -> Option<Ipv4Addr> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn parse_v6(text: &[u8]) -> Option<Ipv6Addr> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Four or sixteen bytes; NULL with warning 1411 for what is no address.
fn inet6_aton<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = or_null!(args::text(&args[0], inputs, context)?);
    let bytes = match (parse_v4(&text.bytes), parse_v6(&text.bytes)) {
        (Some(address), _) => address.octets().to_vec(),
        (None, Some(address)) => address.octets().to_vec(),
        (None, None) => {
            let shown = quote_text(&text.bytes, text.collation);
            let shown = format_args!("'{shown}'").to_string();
            context.report(&ER_WRONG_VALUE_FOR_TYPE, &[&"string", &shown, &"inet6_aton"])?;
            return Ok(Ev::NULL);
        }
    };
    Ok(Ev::Own(Value::Bytes(bytes)))
}

fn inet6_ntoa<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let value = args[0].eval(inputs, context)?;
    let shown = match value.as_ref() {
        ValueRef::Null => return Ok(Ev::NULL),
        ValueRef::Bytes(bytes) => {
            let bytes = bytes.to_cow();
            match (<[u8; 4]>::try_from(&*bytes), <[u8; 16]>::try_from(&*bytes)) {
                (Ok(bytes), _) => Some(Ipv4Addr::from(bytes).to_string()),
                (_, Ok(bytes)) => Some(shown_v6(Ipv6Addr::from(bytes))),
                _ => None,
            }
        }
        _ => None,
    };
    let Some(shown) = shown else {
        let shown = format!("'{}'", value.as_ref().to_message());
        context.report(&ER_WRONG_VALUE_FOR_TYPE, &[&"string", &shown, &"inet6_ntoa"])?;
        return Ok(Ev::NULL);
    };
    Ok(ascii(shown, inputs))
}

/// Addresses that hold an IPv4 one show it as such.
fn shown_v6(address: Ipv6Addr) -> String {
    let [.., a, b, c, d] = address.octets();
    if is_compat(&address) && address.segments()[6] != 0 {
        return format!("::{}", Ipv4Addr::new(a, b, c, d));
    }
    address.to_string()
}

fn is_compat(address: &Ipv6Addr) -> bool {
    let segments = address.segments();
    segments[..6] == [0; 6] && u32::from(segments[6]) << 16 | u32::from(segments[7]) > 1
}

fn is_ipv6<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = or_null!(args::text(&args[0], inputs, context)?);
    Ok(Some(parse_v6(&text.bytes).is_some()).into())
}

/// An argument that should be sixteen bytes.
enum Argument {
    Null,
    Address(Ipv6Addr),
    /// It is something else.
    Other,
}

fn argument(args: &[Expr], inputs: &Inputs<'_>, context: &mut Context<'_>) -> Result<Argument, SqlError> {
    let value = args[0].eval(inputs, context)?;
    Ok(match value.as_ref() {
        ValueRef::Null => Argument::Null,
        ValueRef::Bytes(bytes) => match <[u8; 16]>::try_from(&*bytes.to_cow()) {
            Ok(bytes) => Argument::Address(Ipv6Addr::from(bytes)),
            Err(_) => Argument::Other,
        },
        _ => Argument::Other,
    })
}

fn holds<'a>(argument: &Argument, is: impl FnOnce(&Ipv6Addr) -> bool) -> Ev<'a> {
    match argument {
        Argument::Null => Ev::NULL,
        Argument::Address(address) => Some(is(address)).into(),
        Argument::Other => Some(false).into(),
    }
}

fn is_ipv4_compat<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let argument = argument(args, inputs, context)?;
    Ok(holds(&argument, |address| is_compat(address) && address.segments()[6] != 0))
}

fn is_ipv4_mapped<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let argument = argument(args, inputs, context)?;
    Ok(holds(&argument, |address| address.to_ipv4_mapped().is_some()))
}
