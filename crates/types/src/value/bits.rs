//! Values of BIT columns.

/// A BIT(n): a number whose text is its bytes, the highest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    number: u64,
    bits: u8,
}

impl Bits {
    /// A BIT(`bits`) of this value.
    pub fn new(bits: u8, number: u64) -> Self {
        Self { number, bits }
    }

    /// The number.
    pub fn number(self) -> u64 {
        self.number
    }

    /// The largest number of so many bits.
    pub fn max_of(bits: u8) -> u64 {
        1_u64.checked_shl(bits.into()).map_or(u64::MAX, |next| next - 1)
    }

    /// Appends the bytes: as many as the bits need.
    pub fn write(self, out: &mut Vec<u8>) {
        self.write_stored(self.bits, out);
    }

    /// Appends the bytes as a BIT of so many bits.
    pub(crate) fn write_stored(self, bits: u8, out: &mut Vec<u8>) {
        let bytes = self.number.to_be_bytes();
        let size = usize::from(bits.div_ceil(8)).min(bytes.len());
        out.extend_from_slice(&bytes[bytes.len() - size..]);
    }
}
