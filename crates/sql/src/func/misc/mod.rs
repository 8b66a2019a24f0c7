//! Functions of addresses, UUIDs and JSON; SLEEP.

mod inet;
mod inet6;
mod json;
mod sleep;
mod uuid;

use super::Function;

pub(super) const FAMILY: &[&[Function]] =
    &[inet::FUNCTIONS, inet6::FUNCTIONS, json::FUNCTIONS, sleep::FUNCTIONS, uuid::FUNCTIONS];
