//! Functions of addresses and UUIDs; SLEEP.

mod inet;
mod inet6;
mod sleep;
mod uuid;

use super::Function;

pub(super) const FAMILY: &[&[Function]] =
    &[inet::FUNCTIONS, inet6::FUNCTIONS, sleep::FUNCTIONS, uuid::FUNCTIONS];
