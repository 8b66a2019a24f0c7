//! Names of locks: hashes of what they protect. Rows of prepared transactions have them: what is hashed, and how, is a format
//! ([`crate::prepared`]).

use super::LockId;

/// Odd constants of the 64-bit golden ratio and of wyhash: any good mixers serve.
const MIX_A: u64 = 0x9e37_79b9_7f4a_7c15;
const MIX_B: u64 = 0xe703_7ed1_a0b4_28db;

/// Tells names of metadata from those of keys. The bits above it choose clocks of rows and shards, the lowest ones places in
/// maps.
const METADATA: u64 = 1 << 31;

impl LockId {
    /// The lock of a key.
    pub fn of_key(key: &[u8]) -> Self {
        Self(hash(0, key) & !METADATA)
    }

    /// The lock of metadata: of something that several names make up.
    pub fn of(names: &[&[u8]]) -> Self {
        Self(names.iter().fold(MIX_B, |state, name| hash(state, name)) | METADATA)
    }

    /// Whether it is a lock of metadata.
    pub(super) fn is_metadata(self) -> bool {
        self.0 & METADATA != 0
    }
}

/// A multiply-and-fold hash over eight bytes at a time. Not for adversaries: who makes keys collide makes himself
/// wait.
fn hash(seed: u64, bytes: &[u8]) -> u64 {
    let fold = |a: u64, b: u64| {
        let (low, high) = a.carrying_mul(b, 0);
        low ^ high
    };
    let mut state = seed ^ fold(bytes.len() as u64 ^ MIX_A, MIX_B);
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        state = fold(state ^ u64::from_le_bytes(*word), MIX_A);
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    fold(state ^ u64::from_le_bytes(last), MIX_B)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_what_they_always_were() {
        assert_eq!(LockId::of_key(&[0, 0, 0, 16, 1, 2, 3]).0, 11_822_520_722_544_903_445);
        assert_eq!(LockId::of(&[b"table", b"d", b"t"]).0, 13_551_761_715_566_568_650);
    }

    #[test]
    fn keys_of_any_length_get_names_of_their_own() {
        let mut names = HashSet::new();
        for n in 0..200_000_u32 {
            let key = [&[0, 0, 0, 16][..], &n.to_be_bytes()].concat();
            assert!(names.insert(LockId::of_key(&key).0));
            assert!(names.insert(LockId::of_key(&[&key[..], &[0]].concat()).0));
        }
        let shards: HashSet<u64> = names.iter().map(|name| name >> 58).collect();
        assert_eq!(shards.len(), 64, "all shards are used");
    }
}
