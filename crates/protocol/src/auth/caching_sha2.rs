//! The two digests of `caching_sha2_password`.
//!
//! What `mysql.user.authentication_string` holds, 70 bytes:
//!
//! | bytes | field |
//! | --- | --- |
//! | 3 | `$A$`: SHA-256-crypt (`$B$`, PBKDF2 of MySQL 9.7, is not understood) |
//! | 3 | rounds in thousands, hexadecimal: `005`, MySQL 9.7's default is `00A` |
//! | 1 | `$` |
//! | 20 | salt |
//! | 43 | digest |
//!
//! What a server remembers of a password that was shown to it once: SHA256(SHA256(password)). With it, the
//! scramble XOR(SHA256(p), SHA256(SHA256(SHA256(p)) || nonce)) of a later login can be checked at no cost.

use std::fmt;

use sha2::{Digest, Sha256};
use subtle::{Choice, ConstantTimeEq};
use zeroize::Zeroizing;

use super::PASSWORD_SIZE_MAX;
use super::nonce::Nonce;
use super::sha256_crypt::{ENCODED_SIZE, sha256_crypt};

/// Thousands of rounds of a new digest, as in MySQL 8.
pub const ROUNDS_DEFAULT: u16 = 5;

/// The most thousands of rounds that three hexadecimal digits hold.
const ROUNDS_MAX: u16 = 0xFFF;

const DIGEST_SIZE: usize = 32;

/// A stored password of `caching_sha2_password`.
#[derive(Clone, PartialEq, Eq)]
pub struct CachingSha2Hash {
    thousand_rounds: u16,
    salt: Nonce,
    digest: [u8; ENCODED_SIZE],
}

impl CachingSha2Hash {
    /// Digests a password for storage, with `thousand_rounds` of 1 to 4,095. Takes milliseconds.
    pub fn of_password(password: &[u8], salt: Nonce, thousand_rounds: u16) -> Self {
        let thousand_rounds = thousand_rounds.clamp(1, ROUNDS_MAX);
        let digest = sha256_crypt(password, salt.bytes(), u32::from(thousand_rounds).saturating_mul(1000));
        Self { thousand_rounds, salt, digest }
    }

    /// A digest that belongs to no password, because it is no text.
    pub(super) fn decoy(salt: Nonce, thousand_rounds: u16) -> Self {
        Self { thousand_rounds: thousand_rounds.clamp(1, ROUNDS_MAX), salt, digest: [0; ENCODED_SIZE] }
    }

    /// Reads an authentication string; `None` if it is none of this format.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let rest = text.strip_prefix(b"$A$")?;
        let (rounds, rest) = rest.split_first_chunk::<3>()?;
        let (salt, digest) = rest.strip_prefix(b"$")?.split_first_chunk::<{ Nonce::SIZE }>()?;
        let thousand_rounds = rounds.iter().try_fold(0_u16, |sum, &digit| {
            let digit = char::from(digit).to_digit(16)?;
            Some(sum << 4 | u16::try_from(digit).ok()?)
        })?;
        let digest: [u8; ENCODED_SIZE] = digest.try_into().ok()?;
        let valid = thousand_rounds > 0 && digest.is_ascii();
        Some(Self { thousand_rounds, salt: Nonce::new(*salt)?, digest }).filter(|_| valid)
    }

    /// Thousands of rounds.
    pub(super) const fn thousand_rounds(&self) -> u16 {
        self.thousand_rounds
    }

    /// The authentication string, 70 ASCII bytes.
    pub fn authentication_string(&self) -> String {
        let text = |bytes: &[u8]| bytes.iter().copied().map(char::from).collect::<String>();
        format!("$A${:03X}${}{}", self.thousand_rounds, text(self.salt.bytes()), text(&self.digest))
    }

    /// Whether this is the password. Takes as long as making the digest did; one that is too long is not looked at, as the
    /// work grows with the square of its size.
    pub fn verify(&self, password: &[u8]) -> bool {
        if password.len() > PASSWORD_SIZE_MAX {
            return false;
        }
        let other = Self::of_password(password, self.salt, self.thousand_rounds);
        bool::from(other.digest.ct_eq(&self.digest))
    }
}

impl fmt::Debug for CachingSha2Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CachingSha2Hash")
            .field("thousand_rounds", &self.thousand_rounds)
            .finish_non_exhaustive()
    }
}

/// SHA256(SHA256(password)): what the cache of the server holds for an account. Drop the entry whenever the
/// account's password changes or the account goes.
#[derive(Clone)]
pub struct FastDigest(Zeroizing<[u8; DIGEST_SIZE]>);

impl FastDigest {
    /// The digest of a password.
    pub fn of_password(password: &[u8]) -> Self {
        let once = Zeroizing::new(<[u8; DIGEST_SIZE]>::from(Sha256::digest(password)));
        Self(Zeroizing::new(Sha256::digest(once.as_slice()).into()))
    }

    /// A digest that belongs to no password.
    pub(super) fn decoy(bytes: [u8; DIGEST_SIZE]) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// Whether `scramble` answers `nonce` for this password.
    pub fn verify(&self, nonce: &Nonce, scramble: &[u8]) -> bool {
        let right_size = scramble.len() == DIGEST_SIZE;
        let mask = Sha256::new().chain_update(self.0.as_slice()).chain_update(nonce.bytes()).finalize();
        let mut once = Zeroizing::new([0_u8; DIGEST_SIZE]);
        for ((byte, answer), mask) in once.iter_mut().zip(scramble).zip(mask) {
            *byte = answer ^ mask;
        }
        let twice = Sha256::digest(once.as_slice());
        bool::from(twice.as_slice().ct_eq(self.0.as_slice()) & Choice::from(u8::from(right_size)))
    }
}

impl fmt::Debug for FastDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FastDigest")
    }
}
