//! Encryption, compression, and bytes that nobody can guess.

mod aes;
mod block;
mod zip;

use super::Function;

pub(super) const FAMILY: &[&[Function]] = &[aes::FUNCTIONS, zip::FUNCTIONS];

pub use block::MODES as BLOCK_ENCRYPTION_MODES;
