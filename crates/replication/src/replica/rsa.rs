//! RSA encryption of a password with a source's public key: what `caching_sha2_password` asks for where there is no TLS.
//!
//! Only the public operation: there is no secret exponent whose use could be timed. The key comes as PEM of a
//! SubjectPublicKeyInfo; the padding is OAEP with SHA-1 and MGF1 (RFC 8017, section 7.1), as MySQL's servers want it.
#![deny(clippy::indexing_slicing)]

use num_bigint::BigUint;
use sha1::{Digest, Sha1};

const HASH_SIZE: usize = 20;

/// Encrypts; `None` if the key is none, or too small for the message.
pub(super) fn encrypt(pem: &[u8], message: &[u8], seed: [u8; HASH_SIZE]) -> Option<Vec<u8>> {
    let (modulus, exponent) = public_key(pem)?;
    let size = usize::try_from(modulus.bits().div_ceil(8)).ok()?;
    let padded = oaep(message, size, seed)?;
    let mut out = BigUint::from_bytes_be(&padded).modpow(&exponent, &modulus).to_bytes_be();
    let zeros = size.checked_sub(out.len())?;
    out.splice(..0, std::iter::repeat_n(0, zeros));
    Some(out)
}

fn oaep(message: &[u8], size: usize, seed: [u8; HASH_SIZE]) -> Option<Vec<u8>> {
    let zeros = size.checked_sub(message.len() + 2 * HASH_SIZE + 2)?;
    let mut block: Vec<u8> = Sha1::digest([]).to_vec();
    block.extend(std::iter::repeat_n(0, zeros));
    block.push(1);
    block.extend_from_slice(message);
    mask(&mut block, &seed);
    let mut masked_seed = seed;
    mask(&mut masked_seed, &block);
    Some([&[0], &masked_seed[..], &block].concat())
}

/// XORs with MGF1 of `seed`.
fn mask(bytes: &mut [u8], seed: &[u8]) {
    for (counter, piece) in bytes.chunks_mut(HASH_SIZE).enumerate() {
        let counter = u32::try_from(counter).unwrap_or(u32::MAX);
        let digest = Sha1::new().chain_update(seed).chain_update(counter.to_be_bytes()).finalize();
        piece.iter_mut().zip(digest).for_each(|(byte, mask)| *byte ^= mask);
    }
}

/// Modulus and exponent.
fn public_key(pem: &[u8]) -> Option<(BigUint, BigUint)> {
    let text = std::str::from_utf8(pem).ok()?;
    let body: String = text.lines().filter(|line| !line.starts_with("-----")).collect();
    let der = types::base64::decode(body.trim_end_matches('\0').as_bytes())?;
    let mut info = Der(&der).element(0x30)?;
    info.element(0x30)?;
    let bits = info.element(0x03)?;
    let mut key = Der(bits.0.strip_prefix(&[0])?).element(0x30)?;
    let (modulus, exponent) = (key.element(0x02)?, key.element(0x02)?);
    let (modulus, exponent) = (BigUint::from_bytes_be(modulus.0), BigUint::from_bytes_be(exponent.0));
    // Beyond, an answer would take seconds; 0 would divide by zero.
    ((1024..=16_384).contains(&modulus.bits()) && exponent.bits() <= 64).then_some((modulus, exponent))
}

/// What is left of a DER encoding.
struct Der<'a>(&'a [u8]);

impl<'a> Der<'a> {
    /// The contents of the next element, which has to be of this tag.
    fn element(&mut self, tag: u8) -> Option<Der<'a>> {
        let [found, first, rest @ ..] = self.0 else { return None };
        if *found != tag {
            return None;
        }
        let (size, rest) = match first {
            0..=0x7f => (usize::from(*first), rest),
            0x81..=0x84 => {
                let (size, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
                (size.iter().fold(0, |size, byte| size << 8 | usize::from(*byte)), rest)
            }
            _ => return None,
        };
        let (contents, rest) = rest.split_at_checked(size)?;
        self.0 = rest;
        Some(Der(contents))
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test fails where it is wrong")]
mod tests {
    use super::*;

    /// `openssl genrsa 1024`, its public part; `openssl pkeyutl -decrypt -pkeyopt rsa_padding_mode:oaep` reads what comes
    /// out. The private exponent is here so that the test does not need it.
    #[test]
    fn what_is_encrypted_can_be_decrypted() {
        let modulus = BigUint::parse_bytes(MODULUS.as_bytes(), 16).unwrap();
        let private = BigUint::parse_bytes(PRIVATE.as_bytes(), 16).unwrap();
        let cipher = encrypt(PEM.as_bytes(), b"secret\0", [7; 20]).unwrap();
        let block = BigUint::from_bytes_be(&cipher).modpow(&private, &modulus).to_bytes_be();
        let (mut seed, mut rest) = (block[..20].to_vec(), block[20..].to_vec());
        mask(&mut seed, &rest);
        mask(&mut rest, &seed);
        assert_eq!(seed, [7; 20]);
        assert!(rest.ends_with(b"\x01secret\0"), "{rest:?}");
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for pem in ["", "-----BEGIN PUBLIC KEY-----\nMIGf\n-----END", "!!"] {
            assert_eq!(encrypt(pem.as_bytes(), b"x", [0; 20]), None);
        }
        let all: Vec<&str> = PEM.lines().collect();
        assert_eq!(encrypt(all[..2].join("\n").as_bytes(), b"x", [0; 20]), None);
    }

    const PEM: &str = include_str!("../../tests/data/public.pem");
    const MODULUS: &str = include_str!("../../tests/data/modulus.hex");
    const PRIVATE: &str = include_str!("../../tests/data/private.hex");
}
