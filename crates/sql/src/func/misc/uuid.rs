//! UUID, UUID_SHORT, UUID_TO_BIN, BIN_TO_UUID, IS_UUID.
//!
//! UUID() gives version 1: the statement's time, moved on by a count so that no two are equal, and a node that is drawn
//! anew from the session's generator, with the bit that says so (RFC 9562, 5.1 and 6.10).
//!
//! UUID_SHORT() is 8 bits of `server_id`, 32 of the second in which it was asked for first, and a count of 24 bits that runs over
//! into these: the manual's "Miscellaneous Functions".

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use types::context::Context;
use types::error::SqlError;
use types::error::table::ER_WRONG_VALUE_FOR_TYPE;
use types::value::{Value, quote_text};

use crate::expr::typing::TextType;
use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::{self, ascii, or_null};
use crate::func::numeric::next_random;
use crate::func::{EvalResult, Function, Typed};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("uuid", (0, 0), uuid, |call| Ok(call.ascii(36).or_null())).unstable_outside_subqueries(),
    Function::new("uuid_short", (0, 0), uuid_short, |_| Ok(ResultType::bigint(21).unsigned()))
        .unstable_outside_subqueries(),
    Function::new("uuid_to_bin", (1, 2), uuid_to_bin, type_to_bin),
    Function::new("bin_to_uuid", (1, 2), bin_to_uuid, |call| Ok(call.ascii(36).or_null())),
    Function::new("is_uuid", (1, 1), is_uuid, |_| Ok(ResultType::truth(true))).condition(),
];

/// 100-nanosecond steps from 1582-10-15, where UUIDs count from, to 1970.
const EPOCH_STEPS: u64 = 0x01B2_1DD2_1381_4000;

fn type_to_bin(_: &Typed<'_>) -> Result<ResultType, SqlError> {
    Ok(ResultType::string(16, TextType::BINARY).or_null())
}

fn uuid<'a>(_: &'a [Expr], inputs: &Inputs<'a>, _: &mut Context<'_>) -> EvalResult<'a> {
    // Relaxed: each caller only has to see another number.
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let steps = (inputs.session.now_us() * 10).wrapping_add(EPOCH_STEPS).wrapping_add(count);
    let random = next_random(inputs.session).to_be_bytes();
    let [.., time_high_a, time_high_b, time_mid_a, time_mid_b, low_a, low_b, low_c, low_d] =
        steps.to_be_bytes();
    let [clock_a, clock_b, node @ ..] = random;
    let bytes = [
        low_a,
        low_b,
        low_c,
        low_d,
        time_mid_a,
        time_mid_b,
        time_high_a & 0x0F | 0x10,
        time_high_b,
        clock_a & 0x3F | 0x80,
        clock_b,
        node[0] | 1,
        node[1],
        node[2],
        node[3],
        node[4],
        node[5],
    ];
    Ok(ascii(shown(&bytes), inputs))
}

fn uuid_short<'a>(_: &'a [Expr], inputs: &Inputs<'a>, _: &mut Context<'_>) -> EvalResult<'a> {
    static NEXT: OnceLock<AtomicU64> = OnceLock::new();
    let session = inputs.session;
    let next = NEXT.get_or_init(|| AtomicU64::new((session.server.clock_s() & 0xFFFF_FFFF) << 24));
    let server_id = match session.server.variable(session, None, "server_id")? {
        Value::UInt(id) => id,
        _ => 0,
    };
    // Relaxed: each caller only has to see another number.
    let number = next.fetch_add(1, Ordering::Relaxed) & 0x00FF_FFFF_FFFF_FFFF;
    Ok(Ev::Own(Value::UInt((server_id & 0xFF) << 56 | number)))
}

fn shown(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(36);
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        // Writing into a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// With or without dashes, the former also in braces.
fn parse(text: &[u8]) -> Option<[u8; 16]> {
    let inner = match text {
        [b'{', inner @ .., b'}'] if inner.len() == 36 => inner,
        _ => text,
    };
    let mut digits = Vec::with_capacity(32);
    match inner.len() {
        32 => digits.extend_from_slice(inner),
        36 => {
            for (at, byte) in inner.iter().enumerate() {
                match (matches!(at, 8 | 13 | 18 | 23), byte) {
                    (true, b'-') => {}
                    (false, byte) => digits.push(*byte),
                    _ => return None,
                }
            }
        }
        _ => return None,
    }
    let mut bytes = [0; 16];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let digit = |at: usize| char::from(pair[at]).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        *byte = digit(0)? << 4 | digit(1)?;
    }
    Some(bytes)
}

/// Whether the optional second argument asks for the time's parts to be exchanged.
fn is_swapped(args: &[Expr], inputs: &Inputs<'_>, context: &mut Context<'_>) -> Result<bool, SqlError> {
    match args.get(1) {
        None => Ok(false),
        Some(flag) => Ok(flag.truth(inputs, context)? == Some(true)),
    }
}

/// Error 1411 for what is no UUID.
fn uuid_to_bin<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = or_null!(args::text(&args[0], inputs, context)?);
    let Some(bytes) = parse(&text.bytes) else {
        let shown = quote_text(&text.bytes, text.collation);
        return Err(ER_WRONG_VALUE_FOR_TYPE.error(&[&"string", &shown, &"uuid_to_bin"]));
    };
    Ok(Ev::Own(Value::Bytes(if is_swapped(args, inputs, context)? {
        [&bytes[6..8], &bytes[4..6], &bytes[..4], &bytes[8..]].concat()
    } else {
        bytes.to_vec()
    })))
}

fn bin_to_uuid<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = or_null!(args::text(&args[0], inputs, context)?);
    let Ok(bytes) = <[u8; 16]>::try_from(&*text.bytes) else {
        let shown = quote_text(&text.bytes, text.collation);
        return Err(ER_WRONG_VALUE_FOR_TYPE.error(&[&"string", &shown, &"bin_to_uuid"]));
    };
    let parts = if is_swapped(args, inputs, context)? {
        [&bytes[4..8], &bytes[2..4], &bytes[..2], &bytes[8..]]
    } else {
        [&bytes[..4], &bytes[4..6], &bytes[6..8], &bytes[8..]]
    };
    Ok(ascii(shown(&parts.concat()), inputs))
}

fn is_uuid<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = or_null!(args::text(&args[0], inputs, context)?);
    Ok(Some(parse(&text.bytes).is_some()).into())
}
