//! SHA-256-crypt: a slow digest of a password.
//!
//! Source: Ulrich Drepper, "Unix crypt using SHA-256 and SHA-512" (public domain); the step numbers below are
//! his. Two things differ from the crate `sha-crypt`, which therefore does not fit: MySQL uses all 20 bytes of
//! its salts where the specification cuts salts to 16, and the alphabet's text is part of what it stores.

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

const DIGEST_SIZE: usize = 32;

/// Characters of an encoded digest.
pub(super) const ENCODED_SIZE: usize = 43;

const ALPHABET: &[u8; 64] = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The encoded digest of a password: 43 characters of `./0-9A-Za-z`.
///
/// The salt is used whole. Time grows with `rounds` and with the password's size: 5,000 rounds take
/// milliseconds.
pub fn sha256_crypt(password: &[u8], salt: &[u8], rounds: u32) -> [u8; ENCODED_SIZE] {
    let mut digest = first_digest(password, salt);
    let [first, ..] = digest;
    // Steps 13 to 16: as many bytes as the password has, made of digests of it.
    let many_passwords = repeated_digest(password, password.len());
    let p = Zeroizing::new(stretched(&many_passwords, password.len()));
    // Steps 17 to 20: the same for the salt.
    let many_salts = repeated_digest(salt, usize::from(first).saturating_add(16));
    let s = stretched(&many_salts, salt.len());
    for round in 0..rounds {
        let odd = round % 2 != 0;
        let mut hasher = Sha256::new();
        hasher.update(if odd { p.as_slice() } else { digest.as_slice() });
        if round % 3 != 0 {
            hasher.update(&s);
        }
        if round % 7 != 0 {
            hasher.update(p.as_slice());
        }
        hasher.update(if odd { digest.as_slice() } else { p.as_slice() });
        digest = hasher.finalize().into();
    }
    encode(&digest)
}

/// Steps 1 to 12.
fn first_digest(password: &[u8], salt: &[u8]) -> [u8; DIGEST_SIZE] {
    let alternate: [u8; DIGEST_SIZE] =
        Sha256::new().chain_update(password).chain_update(salt).chain_update(password).finalize().into();
    let mut hasher = Sha256::new().chain_update(password).chain_update(salt);
    hasher.update(Zeroizing::new(stretched(&alternate, password.len())).as_slice());
    let mut bits = password.len();
    while bits > 0 {
        hasher.update(if bits % 2 == 1 { alternate.as_slice() } else { password });
        bits /= 2;
    }
    hasher.finalize().into()
}

/// The digest of `count` copies of `bytes`.
fn repeated_digest(bytes: &[u8], count: usize) -> [u8; DIGEST_SIZE] {
    let mut hasher = Sha256::new();
    for _ in 0..count {
        hasher.update(bytes);
    }
    hasher.finalize().into()
}

/// The digest over and over, up to `size` bytes.
fn stretched(digest: &[u8; DIGEST_SIZE], size: usize) -> Vec<u8> {
    digest.iter().copied().cycle().take(size).collect()
}

/// Step 22: three bytes at a time in an order of their own, six bits a character, the lowest first.
fn encode(digest: &[u8; DIGEST_SIZE]) -> [u8; ENCODED_SIZE] {
    let byte = |index: usize| u32::from(digest.get(index).copied().unwrap_or_default());
    let mut text = [0; ENCODED_SIZE];
    let mut places = text.iter_mut();
    let (mut high, mut middle, mut low) = (0, 10, 20);
    for _ in 0..10 {
        put_characters(&mut places, byte(high) << 16 | byte(middle) << 8 | byte(low), 4);
        (high, middle, low) = (low.wrapping_add(1), high.wrapping_add(1), middle.wrapping_add(1));
    }
    put_characters(&mut places, byte(31) << 8 | byte(30), 3);
    text
}

fn put_characters<'a>(places: &mut impl Iterator<Item = &'a mut u8>, mut bits: u32, count: usize) {
    for place in places.take(count) {
        let [low, ..] = bits.to_le_bytes();
        *place = ALPHABET.get(usize::from(low & 0x3F)).copied().unwrap_or_default();
        bits >>= 6;
    }
}
