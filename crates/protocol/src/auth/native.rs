//! `mysql_native_password`: SHA-1, unsalted; for clients that know nothing better.
//!
//! Stored: `*` and 40 hexadecimal digits of SHA1(SHA1(password)). Scramble:
//! XOR(SHA1(p), SHA1(nonce || SHA1(SHA1(p)))).

use std::fmt;
use std::fmt::Write;

use sha1::{Digest, Sha1};
use subtle::{Choice, ConstantTimeEq};
use zeroize::Zeroizing;

use super::nonce::Nonce;

const DIGEST_SIZE: usize = 20;

/// A stored password of `mysql_native_password`.
#[derive(Clone, PartialEq, Eq)]
pub struct NativeHash([u8; DIGEST_SIZE]);

impl NativeHash {
    /// Digests a password for storage.
    pub fn of_password(password: &[u8]) -> Self {
        let once = Zeroizing::new(<[u8; DIGEST_SIZE]>::from(Sha1::digest(password)));
        Self(Sha1::digest(once.as_slice()).into())
    }

    /// A digest that belongs to no password.
    pub(super) const fn decoy(bytes: [u8; DIGEST_SIZE]) -> Self {
        Self(bytes)
    }

    /// Reads an authentication string; `None` if it is none of this format.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let digits = text.strip_prefix(b"*").filter(|digits| digits.len() == 2 * DIGEST_SIZE)?;
        let mut digest = [0; DIGEST_SIZE];
        for (byte, pair) in digest.iter_mut().zip(digits.chunks_exact(2)) {
            if !pair.iter().all(u8::is_ascii_hexdigit) {
                return None;
            }
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(Self(digest))
    }

    /// The authentication string, 41 ASCII bytes.
    pub fn authentication_string(&self) -> String {
        self.0.iter().fold(String::from("*"), |mut text, byte| {
            write!(text, "{byte:02X}").expect("a string takes everything");
            text
        })
    }

    /// Whether `scramble` answers `nonce` for this password.
    pub fn verify(&self, nonce: &Nonce, scramble: &[u8]) -> bool {
        let right_size = scramble.len() == DIGEST_SIZE;
        let mask = Sha1::new().chain_update(nonce.bytes()).chain_update(self.0).finalize();
        let mut once = Zeroizing::new([0_u8; DIGEST_SIZE]);
        for ((byte, answer), mask) in once.iter_mut().zip(scramble).zip(mask) {
            *byte = answer ^ mask;
        }
        let twice = Sha1::digest(once.as_slice());
        bool::from(twice.as_slice().ct_eq(&self.0) & Choice::from(u8::from(right_size)))
    }
}

impl fmt::Debug for NativeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NativeHash")
    }
}
