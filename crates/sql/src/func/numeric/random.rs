//! RAND.
//!
//! RAND() draws from the session's generator. RAND(n) has a sequence of its own, which begins with the statement, and whose
//! numbers are the same for the same n everywhere: two linear congruences modulo 2^30 - 1, as the answers of MySQL 9.7.4 to
//! RAND(0), RAND(1) and so on show. If n is not the same for all rows, each of them begins a sequence.

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
    let Some(seed) = args.first() else { return Ok(Ev::Own(Value::Double(fraction(next(inputs.session))))) };
    let bits = args::int(seed, inputs, context)?.map_or(0, Int::bits);
    let [drawn, _] = match inputs.memo {
        // One sequence throughout the statement.
        Some(memo) if seed.is_known_beforehand() => {
            memo.advance(args.as_ptr().addr(), || seeded(bits), following)
        }
        _ => following(seeded(bits)),
    };
    Ok(Ev::Own(Value::Double(drawn as f64 / MODULUS as f64)))
}

/// Where the sequence of a seed begins.
fn seeded(seed: u64) -> [u64; 2] {
    let seed = seed & u64::from(u32::MAX);
    let first = seed.wrapping_mul(0x1_0001).wrapping_add(55_555_555) & u64::from(u32::MAX);
    let second = seed.wrapping_mul(0x1000_0001) & u64::from(u32::MAX);
    [first % MODULUS, second % MODULUS]
}

/// The next place of a sequence: its first number is what is drawn there.
fn following([first, second]: [u64; 2]) -> [u64; 2] {
    let first = (first * 3 + second) % MODULUS;
    [first, (first + second + 33) % MODULUS]
}

/// A number of [0, 1) from 53 random bits.
fn fraction(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

/// The next 64 bits of the session's generator (splitmix64, Steele, Lea and Flood 2014).
pub(crate) fn next(session: &Session) -> u64 {
    const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
    // Relaxed: the session's own state, which no other data depends on.
    let mut bits = session.random.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ bits >> 31
}
