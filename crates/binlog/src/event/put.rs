//! Where encoders put bytes, and the small pieces that they share.
//!
//! An encoder is one function over [`Put`]. Run into a [`Count`] it says the length, run into a `Vec<u8>` it
//! writes: the two cannot disagree.

/// Takes bytes in order.
pub trait Put {
    /// Takes the next bytes.
    fn put(&mut self, bytes: &[u8]);

    /// Takes what `put` puts, behind its length in two bytes.
    ///
    /// # Panics
    /// If it is longer than 65,535 bytes.
    fn put_behind_length(&mut self, put: impl FnOnce(&mut Self));
}

impl Put for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }

    fn put_behind_length(&mut self, put: impl FnOnce(&mut Self)) {
        let start = self.len();
        self.put(&[0; 2]);
        put(self);
        let length = u16::try_from(self.len() - start - 2).expect("what has two bytes of length is short");
        self[start..start + 2].copy_from_slice(&length.to_le_bytes());
    }
}

/// Counts what it is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count(pub usize);

impl Put for Count {
    fn put(&mut self, bytes: &[u8]) {
        self.0 += bytes.len();
    }

    fn put_behind_length(&mut self, put: impl FnOnce(&mut Self)) {
        self.0 += 2;
        put(self);
    }
}

/// Bytes of a length-encoded integer.
pub(crate) const fn lenenc_len(value: u64) -> usize {
    match value {
        0..=250 => 1,
        251..=0xffff => 3,
        0x1_0000..=0xff_ffff => 4,
        _ => 9,
    }
}

/// A length-encoded integer.
pub(crate) fn put_lenenc(out: &mut impl Put, value: u64) {
    let bytes = value.to_le_bytes();
    match lenenc_len(value) {
        1 => out.put(&bytes[..1]),
        3 => {
            out.put(&[0xfc]);
            out.put(&bytes[..2]);
        }
        4 => {
            out.put(&[0xfd]);
            out.put(&bytes[..3]);
        }
        _ => {
            out.put(&[0xfe]);
            out.put(&bytes);
        }
    }
}

/// A length-encoded length and the bytes.
pub(crate) fn put_lenenc_bytes(out: &mut impl Put, bytes: &[u8]) {
    put_lenenc(out, bytes.len() as u64);
    out.put(bytes);
}

/// The low six bytes: table ids.
pub(crate) fn put_u48(out: &mut impl Put, value: u64) {
    assert!(value < 1 << 48, "a table id has 48 bits");
    out.put(&value.to_le_bytes()[..6]);
}

/// One length byte and the bytes.
pub(crate) fn put_short(out: &mut impl Put, bytes: &[u8]) {
    out.put(&[u8::try_from(bytes.len()).expect("names are shorter than 256 bytes")]);
    out.put(bytes);
}

/// Bytes of a bitmap with one bit a column.
pub(crate) const fn bitmap_len(columns: usize) -> usize {
    columns.div_ceil(8)
}

/// Packs bits, the first one into the lowest bit of the first byte.
pub(crate) fn put_bits_low_first(out: &mut impl Put, bits: impl Iterator<Item = bool>) {
    put_bits(out, bits, |index| 1 << index);
}

/// Packs bits, the first one into the highest bit of the first byte.
pub(crate) fn put_bits_high_first(out: &mut impl Put, bits: impl Iterator<Item = bool>) {
    put_bits(out, bits, |index| 0x80 >> index);
}

fn put_bits(out: &mut impl Put, bits: impl Iterator<Item = bool>, mask: impl Fn(usize) -> u8) {
    let mut byte = 0;
    let mut filled = 0;
    for bit in bits {
        if bit {
            byte |= mask(filled);
        }
        filled += 1;
        if filled == 8 {
            out.put(&[byte]);
            (byte, filled) = (0, 0);
        }
    }
    if filled > 0 {
        out.put(&[byte]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_encoded_integers_grow_where_the_protocol_says() {
        let cases: [(u64, &[u8]); 8] = [
            (0, &[0]),
            (250, &[250]),
            (251, &[0xfc, 251, 0]),
            (0xffff, &[0xfc, 0xff, 0xff]),
            (0x1_0000, &[0xfd, 0, 0, 1]),
            (0xff_ffff, &[0xfd, 0xff, 0xff, 0xff]),
            (0x100_0000, &[0xfe, 0, 0, 0, 1, 0, 0, 0, 0]),
            (u64::MAX, &[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
        ];
        for (value, bytes) in cases {
            let mut out = Vec::new();
            put_lenenc(&mut out, value);
            assert_eq!(out, bytes, "{value}");
            assert_eq!(lenenc_len(value), bytes.len());
        }
    }
}
