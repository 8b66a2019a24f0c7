//! FORMAT_BYTES, FORMAT_PICO_TIME: numbers as people read them.

use types::context::Context;
use types::value::Numeric;

use crate::expr::{Expr, Inputs};
use crate::func::args::{self, ascii, or_null};
use crate::func::{EvalResult, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("format_bytes", (1, 1), format_bytes, |call| Ok(call.ascii(11).or_null())),
    Function::new("format_pico_time", (1, 1), format_pico_time, |call| Ok(call.ascii(11).or_null())),
];

/// A unit, and how many of the smallest it is.
type Unit = (f64, &'static str);

const KIB: f64 = 1024.0;
const SIZES: [Unit; 6] = [
    (KIB * KIB * KIB * KIB * KIB * KIB, "EiB"),
    (KIB * KIB * KIB * KIB * KIB, "PiB"),
    (KIB * KIB * KIB * KIB, "TiB"),
    (KIB * KIB * KIB, "GiB"),
    (KIB * KIB, "MiB"),
    (KIB, "KiB"),
];
const TIMES: [Unit; 7] =
    [(86_400e12, "d"), (3_600e12, "h"), (60e12, "min"), (1e12, "s"), (1e9, "ms"), (1e6, "us"), (1e3, "ns")];

/// From here on a number has an exponent.
const LONG: f64 = 100_000.0;

fn format_bytes<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let number = or_null!(args::number(&args[0], inputs, context)?);
    Ok(ascii(shown(number, &SIZES, |number| format!("{number:4} bytes")), inputs))
}

fn format_pico_time<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let number = or_null!(args::number(&args[0], inputs, context)?);
    Ok(ascii(shown(number, &TIMES, |number| format!("{number:3} ps")), inputs))
}

/// The number in the largest unit that it fills, or the whole part of it.
fn shown(number: Numeric, units: &[Unit], small: fn(f64) -> String) -> Vec<u8> {
    let number = number.to_f64();
    let Some((size, unit)) = units.iter().find(|(size, _)| number.abs() >= *size) else {
        return small(number.trunc()).into_bytes();
    };
    let number = number / size;
    let text = if number.abs() < LONG { format!("{number:.2}") } else { with_exponent(number) };
    format!("{text} {unit}").into_bytes()
}

/// As C's `%.2e`: a sign and at least two digits.
fn with_exponent(number: f64) -> String {
    let text = format!("{number:.2e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    format!("{digits}e{sign}{exponent:0>2}")
}
