//! Functions of numbers.

mod base;
mod double;
mod format;
mod random;
mod round;
mod sign;
mod units;

pub(crate) use random::next as next_random;

use super::Function;

pub(super) const FAMILY: &[&[Function]] = &[
    base::FUNCTIONS,
    double::FUNCTIONS,
    format::FUNCTIONS,
    random::FUNCTIONS,
    round::FUNCTIONS,
    sign::FUNCTIONS,
    units::FUNCTIONS,
];
