//! RAND.
//!
//! RAND() draws from the session's generator. RAND(n) begins a sequence of its own, and its first number is the same
//! for the same n everywhere: two linear congruences modulo 2^30 - 1, as the answers of MySQL 9.7.4 to RAND(0), RAND(1)
//! and so on show.

use std::sync::atomic::Ordering;

use types::context::Context;
use types::value::Value;

use crate::expr::{Ev, Expr, Inputs};
use crate::func::args::{self, Int};
use crate::func::{EvalResult, Function};
use crate::session::Session;

pub(super) const FUNCTIONS: &[Function] =
    &[Function::new("rand", (0, 1), rand, |call| Ok(call.double())).unstable()];

const MODULUS: u64 = (1 << 30) - 1;

fn rand<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let number = match args.first() {
        None => fraction(next(inputs.session)),
        Some(seed) => first_of(args::int(seed, inputs, context)?.map_or(0, Int::bits)),
    };
    Ok(Ev::Own(Value::Double(number)))
}

/// The first number of the sequence that a seed begins.
fn first_of(seed: u64) -> f64 {
    let seed = u64::from(u32::from_le_bytes([
        seed.to_le_bytes()[0],
        seed.to_le_bytes()[1],
        seed.to_le_bytes()[2],
        seed.to_le_bytes()[3],
    ]));
    let low = (seed.wrapping_mul(0x1_0001).wrapping_add(55_555_555) & 0xFFFF_FFFF) % MODULUS;
    let high = (seed.wrapping_mul(0x1000_0001) & 0xFFFF_FFFF) % MODULUS;
    ((low * 3 + high) % MODULUS) as f64 / MODULUS as f64
}

/// A number of [0, 1) from 53 random bits.
fn fraction(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

/// The next 64 bits of the session's generator (splitmix64, Steele, Lea and Flood 2014).
pub(in crate::func) fn next(session: &Session) -> u64 {
    const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
    // Relaxed: the session's own state, which no other data depends on.
    let mut bits = session.random.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ bits >> 31
}
