//! Functions of addresses and UUIDs; SLEEP.

mod inet;
mod inet6;
mod sleep;
mod user_locks;
mod uuid;

use super::Function;

pub(super) const FAMILY: &[&[Function]] =
    &[inet::FUNCTIONS, inet6::FUNCTIONS, sleep::FUNCTIONS, user_locks::FUNCTIONS, uuid::FUNCTIONS];
