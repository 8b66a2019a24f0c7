//! Values whose types JSON does not have, under the type codes of the client/server protocol.

/// Bytes of a BLOB, a binary string, a BIT column and the like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opaque {
    /// The type's code in column definitions and table map events: 252 for BLOB, 16 for BIT.
    pub field_type: u8,
    /// The value.
    pub bytes: Vec<u8>,
}

/// Codes of the types that have a [`Json`](super::Json) variant, or a name in JSON_TYPE.
pub(super) mod code {
    pub const TIMESTAMP: u8 = 7;
    pub const DATE: u8 = 10;
    pub const TIME: u8 = 11;
    pub const DATETIME: u8 = 12;
    pub const VARCHAR: u8 = 15;
    pub const BIT: u8 = 16;
    pub const DECIMAL: u8 = 246;
    pub const TINY_BLOB: u8 = 249;
    pub const MEDIUM_BLOB: u8 = 250;
    pub const LONG_BLOB: u8 = 251;
    pub const BLOB: u8 = 252;
    pub const VAR_STRING: u8 = 253;
    pub const STRING: u8 = 254;
}

/// Bytes that make one line of base64, 76 digits.
const BYTES_PER_LINE: usize = 57;

/// Appends `base64:type252:YWJj`, in lines of 76 digits; `line_end` parts them.
pub(super) fn write_base64(field_type: u8, bytes: &[u8], line_end: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"base64:type");
    let mut digits = itoa::Buffer::new();
    out.extend_from_slice(digits.format(field_type).as_bytes());
    out.push(b':');
    for (at, line) in bytes.chunks(BYTES_PER_LINE).enumerate() {
        if at > 0 {
            out.extend_from_slice(line_end);
        }
        write_line(line, out);
    }
}

fn write_line(line: &[u8], out: &mut Vec<u8>) {
    for group in line.chunks(3) {
        let value = group.iter().fold(0_u32, |value, &byte| value << 8 | u32::from(byte));
        let value = value << (8 * (3 - group.len()));
        for place in 0..4 {
            out.push(if place <= group.len() { base64_digit(value >> (18 - 6 * place)) } else { b'=' });
        }
    }
}

fn base64_digit(value: u32) -> u8 {
    let value = (value & 0x3F).to_le_bytes()[0];
    match value {
        0..=25 => b'A' + value,
        26..=51 => b'a' + (value - 26),
        52..=61 => b'0' + (value - 52),
        62 => b'+',
        _ => b'/',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The test vectors of RFC 4648.
    #[test]
    fn base64_has_the_known_forms() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("foobar", "Zm9vYmFy"),
        ] {
            let mut out = Vec::new();
            write_base64(252, bytes.as_bytes(), b"\n", &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), format!("base64:type252:{text}"));
        }
    }
}
