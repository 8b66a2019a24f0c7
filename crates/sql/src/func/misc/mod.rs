//! Functions of addresses and UUIDs.

mod inet;
mod inet6;
mod uuid;

use super::Function;

pub(super) const FAMILY: &[&[Function]] = &[inet::FUNCTIONS, inet6::FUNCTIONS, uuid::FUNCTIONS];
