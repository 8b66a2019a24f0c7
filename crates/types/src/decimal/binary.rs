//! MySQL's stored form of DECIMAL(p, s): in tables and in row events of the binlog.
//!
//! Nine digits make four bytes, grouped from the point outwards; the group farthest from the point on either
//! side may have fewer digits and then takes fewer bytes:
//!
//! | digits | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 |
//! | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
//! | bytes | 0 | 1 | 1 | 2 | 2 | 3 | 3 | 4 | 4 | 4 |
//!
//! Each group is a big-endian number. The first bit is flipped, and all bits of a negative number are, so that
//! stored numbers of one type are ordered by `memcmp`.
//!
//! Source: the manual's page on storage requirements, and bytes of real binlogs (`tests/data/rows.tsv`).

use super::{BASE, DIGITS_PER_LIMB, Decimal, INT_LIMBS, LIMBS, POWERS};

const BYTES_OF_DIGITS: [usize; 10] = [0, 1, 1, 2, 2, 3, 3, 4, 4, 4];

/// The size in bytes of DECIMAL(`precision`, `scale`), at most 32.
pub fn stored_size(precision: u8, scale: u8) -> usize {
    let part = |digits: u8| {
        let digits = usize::from(digits);
        digits / DIGITS_PER_LIMB * 4 + BYTES_OF_DIGITS[digits % DIGITS_PER_LIMB]
    };
    part(precision.saturating_sub(scale)) + part(scale)
}

impl Decimal {
    /// Appends the stored form. Digits that the type has no room for are left out: the caller rounds and checks
    /// the range first.
    pub fn write_stored(&self, precision: u8, scale: u8, out: &mut Vec<u8>) {
        debug_assert!(self.fits(precision, scale), "{self} in DECIMAL({precision},{scale})");
        let start = out.len();
        let int_digits = usize::from(precision.saturating_sub(scale));
        let (int_groups, int_rest) = (int_digits / DIGITS_PER_LIMB, int_digits % DIGITS_PER_LIMB);
        if int_rest > 0 {
            let limb = self.limbs[INT_LIMBS - 1 - int_groups] % POWERS[int_rest];
            write_group(limb, int_rest, out);
        }
        for limb in &self.limbs[INT_LIMBS - int_groups..INT_LIMBS] {
            out.extend_from_slice(&limb.to_be_bytes());
        }
        let (groups, rest) = (usize::from(scale) / DIGITS_PER_LIMB, usize::from(scale) % DIGITS_PER_LIMB);
        for limb in &self.limbs[INT_LIMBS..INT_LIMBS + groups] {
            out.extend_from_slice(&limb.to_be_bytes());
        }
        if rest > 0 {
            write_group(self.limbs[INT_LIMBS + groups] / POWERS[DIGITS_PER_LIMB - rest], rest, out);
        }
        if self.negative {
            for byte in &mut out[start..] {
                *byte = !*byte;
            }
        }
        if let Some(first) = out.get_mut(start) {
            *first ^= 0x80;
        }
    }

    /// Appends bytes whose order under `memcmp` is that of the numbers, whatever their types: a sign and all limbs.
    pub(crate) fn write_ordered(&self, out: &mut Vec<u8>) {
        out.push(u8::from(!self.negative));
        for limb in &self.limbs {
            let limb = if self.negative { !limb } else { *limb };
            out.extend_from_slice(&limb.to_be_bytes());
        }
    }

    /// Reads the stored form; `bytes` has [`stored_size`] bytes, and whatever is missing counts as zero. A group
    /// that is no decimal number is taken modulo its size: never panics.
    pub fn read_stored(bytes: &[u8], precision: u8, scale: u8) -> Self {
        let negative = bytes.first().is_some_and(|first| first & 0x80 == 0);
        let mut groups = Groups { bytes, flip_first: true, mask: if negative { 0xFF } else { 0 } };
        let mut limbs = [0; LIMBS];
        let int_digits = usize::from(precision.saturating_sub(scale));
        let (int_groups, int_rest) = (int_digits / DIGITS_PER_LIMB, int_digits % DIGITS_PER_LIMB);
        if int_rest > 0 {
            limbs[INT_LIMBS - 1 - int_groups] = groups.take(int_rest);
        }
        for limb in &mut limbs[INT_LIMBS - int_groups..INT_LIMBS] {
            *limb = groups.take(DIGITS_PER_LIMB);
        }
        let (count, rest) = (usize::from(scale) / DIGITS_PER_LIMB, usize::from(scale) % DIGITS_PER_LIMB);
        for limb in &mut limbs[INT_LIMBS..INT_LIMBS + count] {
            *limb = groups.take(DIGITS_PER_LIMB);
        }
        if rest > 0 {
            limbs[INT_LIMBS + count] = groups.take(rest) * POWERS[DIGITS_PER_LIMB - rest];
        }
        Self { limbs, negative, scale }.normalised()
    }
}

fn write_group(value: u32, digits: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&value.to_be_bytes()[4 - BYTES_OF_DIGITS[digits]..]);
}

struct Groups<'a> {
    bytes: &'a [u8],
    flip_first: bool,
    mask: u8,
}

impl Groups<'_> {
    fn take(&mut self, digits: usize) -> u32 {
        let size = BYTES_OF_DIGITS[digits].min(self.bytes.len());
        let (group, rest) = self.bytes.split_at(size);
        let value = group.iter().fold(0_u32, |value, &byte| {
            let flipped = if std::mem::take(&mut self.flip_first) { byte ^ 0x80 } else { byte };
            value << 8 | u32::from(flipped ^ self.mask)
        });
        self.bytes = rest;
        value % POWERS.get(digits).copied().unwrap_or(BASE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(text: &str, precision: u8, scale: u8) -> Vec<u8> {
        let mut out = Vec::new();
        text.parse::<Decimal>().unwrap().write_stored(precision, scale, &mut out);
        assert_eq!(out.len(), stored_size(precision, scale));
        out
    }

    #[test]
    fn known_bytes() {
        // The example of the manual's decimal format: 1234567890.1234 in DECIMAL(14,4).
        assert_eq!(stored("1234567890.1234", 14, 4), [0x81, 0x0D, 0xFB, 0x38, 0xD2, 0x04, 0xD2]);
        assert_eq!(stored("-1234567890.1234", 14, 4), [0x7E, 0xF2, 0x04, 0xC7, 0x2D, 0xFB, 0x2D]);
        assert_eq!(stored("0", 1, 0), [0x80]);
    }

    #[test]
    fn every_type_reads_what_it_wrote_and_keeps_the_order() {
        for precision in 1..=65 {
            for scale in 0..=precision.min(30) {
                let most = Decimal::column_max(precision, scale, false);
                let numbers = [most.negated(), Decimal::ZERO.with_scale(scale), most];
                let mut previous = Vec::new();
                for number in numbers {
                    let mut bytes = Vec::new();
                    number.write_stored(precision, scale, &mut bytes);
                    let back = Decimal::read_stored(&bytes, precision, scale);
                    assert_eq!((back, back.scale()), (number, scale), "DECIMAL({precision},{scale})");
                    assert!(previous < bytes);
                    previous = bytes;
                }
            }
        }
    }

    #[test]
    fn damaged_bytes_do_not_panic() {
        for precision in 1..=65 {
            for scale in 0..=precision.min(30) {
                for byte in [0x00, 0x7F, 0x80, 0xFF] {
                    for size in 0..=stored_size(precision, scale) {
                        let _ = Decimal::read_stored(&vec![byte; size], precision, scale).to_string();
                    }
                }
            }
        }
    }
}
