//! Base64 (RFC 4648, section 4), read.

/// The bytes that a text stands for. Blanks do not count, padding stands at the end alone; `None` for what is no base64.
pub fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    if !digits.len().is_multiple_of(4) {
        return None;
    }
    let mut out = Vec::with_capacity(digits.len() / 4 * 3);
    let last = digits.len() / 4;
    for (at, chunk) in digits.chunks_exact(4).enumerate() {
        let padding = chunk.iter().rev().take_while(|byte| **byte == b'=').count();
        if padding > 2 || padding > 0 && at + 1 < last {
            return None;
        }
        let bits =
            chunk[..4 - padding].iter().try_fold(0_u32, |bits, byte| Some(bits << 6 | value_of(*byte)?))?;
        let bytes = (bits << (6 * padding)).to_be_bytes();
        out.extend_from_slice(&bytes[1..4 - padding]);
    }
    Some(out)
}

fn value_of(digit: u8) -> Option<u32> {
    Some(u32::from(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_read_and_nothing_else() {
        for (text, bytes) in [
            ("", &b""[..]),
            ("Zg==", b"f"),
            ("Zm8=", b"fo"),
            ("Zm9v", b"foo"),
            (" Zm9v\nYg = = ", b"foob"),
            ("+/+/", b"\xfb\xff\xbf"),
        ] {
            assert_eq!(decode(text.as_bytes()).unwrap(), bytes, "{text}");
        }
        for text in ["Z", "Zg=", "Zg==Zg==", "Z===", "====", "Zm*v", "Zg==x", "=Zm9"] {
            assert_eq!(decode(text.as_bytes()), None, "{text}");
        }
    }
}
