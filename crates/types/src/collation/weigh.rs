//! The four ways in which a collation finds a character's weight.

use super::unicode;
use crate::charset::utf8;

/// Finds weights. A weight is below 2^21; that of a blank is [`SPACE`] in every collation.
pub(super) trait Weigh {
    /// The first character's weight and size in bytes. `text` is not empty.
    fn weigh(&self, text: &[u8]) -> (u32, usize);

    /// The first character's code point and size in bytes: LIKE looks for `%`, `_` and the escape by it.
    fn code(&self, text: &[u8]) -> (u32, usize) {
        (u32::from(text[0]), 1)
    }

    /// Appends a weight to a sort key so that `memcmp` orders weights. The scheme of UTF-8 unless a byte is enough.
    fn write(weight: u32, out: &mut Vec<u8>) {
        utf8::encode(weight, out);
    }
}

/// The weight of a blank.
pub(super) const SPACE: u32 = 0x20;

/// Every byte is its own weight.
pub(super) struct Bytes;

impl Weigh for Bytes {
    #[inline]
    fn weigh(&self, text: &[u8]) -> (u32, usize) {
        (u32::from(text[0]), 1)
    }

    #[inline]
    fn write(weight: u32, out: &mut Vec<u8>) {
        out.push(weight.to_le_bytes()[0]);
    }
}

/// A one-byte character set with a table of weights.
pub(super) struct Table(pub(super) &'static [u8; 256]);

impl Weigh for Table {
    #[inline]
    fn weigh(&self, text: &[u8]) -> (u32, usize) {
        (u32::from(self.0[usize::from(text[0])]), 1)
    }

    #[inline]
    fn write(weight: u32, out: &mut Vec<u8>) {
        out.push(weight.to_le_bytes()[0]);
    }
}

/// UTF-8, code points.
pub(super) struct Utf8Code;

impl Weigh for Utf8Code {
    #[inline]
    fn weigh(&self, text: &[u8]) -> (u32, usize) {
        decode(text)
    }

    #[inline]
    fn code(&self, text: &[u8]) -> (u32, usize) {
        decode(text)
    }
}

/// UTF-8, `general_ci`.
pub(super) struct Utf8General;

impl Weigh for Utf8General {
    #[inline]
    fn weigh(&self, text: &[u8]) -> (u32, usize) {
        let first = text[0];
        if first.is_ascii() {
            return (u32::from(first.to_ascii_uppercase()), 1);
        }
        let (code, size) = decode(text);
        (unicode::weight(code), size)
    }

    #[inline]
    fn code(&self, text: &[u8]) -> (u32, usize) {
        decode(text)
    }
}

/// Bytes of a weight that is written among others.
pub(super) const WRITTEN_SIZE: usize = 3;

/// Appends all weights of a text, [`WRITTEN_SIZE`] bytes each, of which only the first has its highest bit.
pub(super) fn write_all<W: Weigh>(weigher: &W, mut text: &[u8], out: &mut Vec<u8>) {
    while !text.is_empty() {
        let (weight, size) = weigher.weigh(text);
        let [low, middle, high] =
            [weight, weight >> 7, weight >> 14].map(|bits| bits.to_le_bytes()[0] & 0x7F);
        out.extend_from_slice(&[high | 0x80, middle, low]);
        text = &text[size..];
    }
}

/// An invalid byte weighs more than every character, so that the order is total for all bytes.
#[inline]
fn decode(text: &[u8]) -> (u32, usize) {
    utf8::decode(text).unwrap_or((utf8::INVALID + u32::from(text[0]), 1))
}
