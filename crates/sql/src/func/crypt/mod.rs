//! Encryption, compression, and bytes that nobody can guess.

mod aes;
mod block;
mod zip;

use types::error::Condition;

use super::Function;

pub(super) const FAMILY: &[&[Function]] = &[aes::FUNCTIONS, zip::FUNCTIONS];

pub use block::MODES as BLOCK_ENCRYPTION_MODES;

const fn condition(code: u16, name: &'static str, text: &'static str) -> Condition {
    Condition { code, sqlstate: "HY000", name, text }
}
