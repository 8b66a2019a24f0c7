//! The modes of `block_encryption_mode`: AES (FIPS 197) as a block cipher, and what NIST SP 800-38A makes of it.
//!
//! ECB and CBC pad the last block (RFC 5652, 6.3); the others are as long as the text.

use aes::cipher::{BlockDecrypt, BlockEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256, Block};

/// Values of `block_encryption_mode`, in MySQL's order: [`Mode::nth`].
pub const MODES: [&str; 18] = [
    "aes-128-ecb",
    "aes-192-ecb",
    "aes-256-ecb",
    "aes-128-cbc",
    "aes-192-cbc",
    "aes-256-cbc",
    "aes-128-cfb1",
    "aes-192-cfb1",
    "aes-256-cfb1",
    "aes-128-cfb8",
    "aes-192-cfb8",
    "aes-256-cfb8",
    "aes-128-cfb128",
    "aes-192-cfb128",
    "aes-256-cfb128",
    "aes-128-ofb",
    "aes-192-ofb",
    "aes-256-ofb",
];

/// Bytes of a block.
pub(super) const BLOCK_SIZE: usize = 16;

/// How blocks depend on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chain {
    Ecb,
    Cbc,
    /// Each bit by what came before it.
    Cfb1,
    Cfb8,
    Cfb128,
    Ofb,
}

/// A mode.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mode {
    chain: Chain,
    /// Bytes of its keys.
    pub(super) key_size: usize,
}

impl Mode {
    /// The mode of a place in [`MODES`].
    pub(super) fn nth(place: u8) -> Self {
        let chain = match place / 3 {
            0 => Chain::Ecb,
            1 => Chain::Cbc,
            2 => Chain::Cfb1,
            3 => Chain::Cfb8,
            4 => Chain::Cfb128,
            _ => Chain::Ofb,
        };
        Self { chain, key_size: 16 + 8 * usize::from(place % 3) }
    }

    /// Whether it begins with an initialization vector.
    pub(super) fn needs_vector(self) -> bool {
        self.chain != Chain::Ecb
    }

    /// `key` has [`Mode::key_size`] bytes.
    pub(super) fn encrypt(self, text: &[u8], key: &[u8], vector: [u8; BLOCK_SIZE]) -> Vec<u8> {
        let cipher = Cipher::new(key);
        let mut last = vector;
        match self.chain {
            Chain::Ecb | Chain::Cbc => {
                let padding = BLOCK_SIZE - text.len() % BLOCK_SIZE;
                let mut out = text.to_vec();
                out.resize(text.len() + padding, u8::try_from(padding).unwrap_or(0));
                for block in out.chunks_exact_mut(BLOCK_SIZE) {
                    if self.chain == Chain::Cbc {
                        xor(block, &last);
                    }
                    block.copy_from_slice(&cipher.encrypt(block));
                    last.copy_from_slice(block);
                }
                out
            }
            _ => self.stream(text, &cipher, vector, false),
        }
    }

    /// `None` for what was not encrypted so.
    pub(super) fn decrypt(self, text: &[u8], key: &[u8], vector: [u8; BLOCK_SIZE]) -> Option<Vec<u8>> {
        let cipher = Cipher::new(key);
        if !matches!(self.chain, Chain::Ecb | Chain::Cbc) {
            return Some(self.stream(text, &cipher, vector, true));
        }
        if text.is_empty() || !text.len().is_multiple_of(BLOCK_SIZE) {
            return None;
        }
        let mut out = Vec::with_capacity(text.len());
        let mut last = &vector[..];
        for block in text.chunks_exact(BLOCK_SIZE) {
            let mut plain = cipher.decrypt(block);
            if self.chain == Chain::Cbc {
                xor(&mut plain, last);
            }
            out.extend_from_slice(&plain);
            last = block;
        }
        let padding = usize::from(*out.last()?);
        let size = out.len().checked_sub(padding).filter(|_| (1..=BLOCK_SIZE).contains(&padding))?;
        let is_padded = out[size..].iter().all(|byte| usize::from(*byte) == padding);
        out.truncate(size);
        is_padded.then_some(out)
    }

    /// The modes without padding.
    fn stream(self, text: &[u8], cipher: &Cipher, vector: [u8; BLOCK_SIZE], decrypts: bool) -> Vec<u8> {
        let mut state = vector;
        let mut out = Vec::with_capacity(text.len());
        match self.chain {
            Chain::Cfb1 => {
                for byte in text {
                    let mut made = 0;
                    for bit in (0..8).rev() {
                        let given = byte >> bit & 1;
                        let gives = given ^ cipher.encrypt(&state)[0] >> 7;
                        made |= gives << bit;
                        let shifted = u128::from_be_bytes(state) << 1;
                        state = (shifted | u128::from(if decrypts { given } else { gives })).to_be_bytes();
                    }
                    out.push(made);
                }
            }
            Chain::Cfb8 => {
                for byte in text {
                    let gives = byte ^ cipher.encrypt(&state)[0];
                    let shifted = u128::from_be_bytes(state) << 8;
                    state = (shifted | u128::from(if decrypts { *byte } else { gives })).to_be_bytes();
                    out.push(gives);
                }
            }
            _ => {
                for block in text.chunks(BLOCK_SIZE) {
                    let keys = cipher.encrypt(&state);
                    let gives: Vec<u8> = block.iter().zip(keys).map(|(byte, key)| byte ^ key).collect();
                    if self.chain == Chain::Ofb {
                        state = keys;
                    } else {
                        let encrypted = if decrypts { block } else { &gives };
                        state[..encrypted.len()].copy_from_slice(encrypted);
                    }
                    out.extend_from_slice(&gives);
                }
            }
        }
        out
    }
}

/// AES with a key.
enum Cipher {
    Aes128(Aes128),
    Aes192(Aes192),
    Aes256(Box<Aes256>),
}

impl Cipher {
    fn new(key: &[u8]) -> Self {
        match key.len() {
            16 => Self::Aes128(Aes128::new(key.into())),
            24 => Self::Aes192(Aes192::new(key.into())),
            _ => Self::Aes256(Box::new(Aes256::new(key.into()))),
        }
    }

    fn encrypt(&self, block: &[u8]) -> [u8; BLOCK_SIZE] {
        let mut block = *Block::from_slice(block);
        match self {
            Self::Aes128(cipher) => cipher.encrypt_block(&mut block),
            Self::Aes192(cipher) => cipher.encrypt_block(&mut block),
            Self::Aes256(cipher) => cipher.encrypt_block(&mut block),
        }
        block.into()
    }

    fn decrypt(&self, block: &[u8]) -> [u8; BLOCK_SIZE] {
        let mut block = *Block::from_slice(block);
        match self {
            Self::Aes128(cipher) => cipher.decrypt_block(&mut block),
            Self::Aes192(cipher) => cipher.decrypt_block(&mut block),
            Self::Aes256(cipher) => cipher.decrypt_block(&mut block),
        }
        block.into()
    }
}

fn xor(block: &mut [u8], with: &[u8]) {
    block.iter_mut().zip(with).for_each(|(byte, other)| *byte ^= other);
}
