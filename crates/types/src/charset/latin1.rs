//! MySQL's `latin1`: cp1252, with the five bytes that cp1252 leaves out standing for themselves.
//!
//! Checked against `CONVERT(x USING utf8mb4)` and `CONVERT(x USING latin1)` of MySQL 9.7.4 for all 256 bytes and
//! all characters below U+10000.

/// The characters of the bytes 0x80 to 0x9F; every other byte is the character of its number.
const HIGH_CONTROLS: [u16; 32] = [
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152,
    0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122,
    0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178,
];

/// The character of a byte.
pub(super) fn decode(byte: u8) -> u32 {
    match byte {
        0x80..=0x9F => u32::from(HIGH_CONTROLS[usize::from(byte - 0x80)]),
        _ => u32::from(byte),
    }
}

/// The byte of a character, if it has one.
pub(super) fn encode(code: u32) -> Option<u8> {
    match u8::try_from(code) {
        Ok(byte) if !(0x80..=0x9F).contains(&byte) => Some(byte),
        _ => (0x80..=0x9F).find(|&byte| decode(byte) == code),
    }
}

pub(super) fn to_upper(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' | 0xE0..=0xF6 | 0xF8..=0xFE => byte - 0x20,
        _ => byte,
    }
}

pub(super) fn to_lower(byte: u8) -> u8 {
    match byte {
        b'A'..=b'Z' | 0xC0..=0xD6 | 0xD8..=0xDE => byte + 0x20,
        _ => byte,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        for byte in 0..=0xFF {
            assert_eq!(encode(decode(byte)), Some(byte));
        }
    }

    #[test]
    fn known_characters() {
        assert_eq!(decode(0x80), 0x20AC);
        assert_eq!(decode(0x81), 0x81);
        assert_eq!(encode(0x80), None, "U+0080 is no cp1252 character");
        assert_eq!(encode(0x416), None);
    }
}
