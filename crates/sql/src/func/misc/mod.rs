//! Functions of addresses, UUIDs and JSON.

mod inet;
mod inet6;
mod json;
mod uuid;

use super::Function;

pub(super) const FAMILY: &[&[Function]] =
    &[inet::FUNCTIONS, inet6::FUNCTIONS, json::FUNCTIONS, uuid::FUNCTIONS];
