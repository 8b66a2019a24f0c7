//! UTF-8 by hand where `std::str` does not reach: text that may be invalid, and walks that stop early.

/// Added to a byte that belongs to no valid character, so that it weighs more than every character.
pub(crate) const INVALID: u32 = 0x11_0000;

/// The first character and its size, if `bytes` begins with a valid one.
#[inline]
pub(crate) fn decode(bytes: &[u8]) -> Option<(u32, usize)> {
    match *bytes {
        [a @ ..0x80, ..] => Some((u32::from(a), 1)),
        [a @ 0xC2..=0xDF, b @ 0x80..=0xBF, ..] => Some((bits(a, 5) << 6 | bits(b, 6), 2)),
        [a @ 0xE0..=0xEF, b @ 0x80..=0xBF, c @ 0x80..=0xBF, ..] => {
            let code = bits(a, 4) << 12 | bits(b, 6) << 6 | bits(c, 6);
            (code >= 0x800 && !(0xD800..0xE000).contains(&code)).then_some((code, 3))
        }
        [a @ 0xF0..=0xF4, b @ 0x80..=0xBF, c @ 0x80..=0xBF, d @ 0x80..=0xBF, ..] => {
            let code = bits(a, 3) << 18 | bits(b, 6) << 12 | bits(c, 6) << 6 | bits(d, 6);
            (0x1_0000..0x11_0000).contains(&code).then_some((code, 4))
        }
        _ => None,
    }
}

fn bits(byte: u8, count: u32) -> u32 {
    u32::from(byte) & ((1 << count) - 1)
}

/// Appends `code` in the scheme of UTF-8, which keeps the order of numbers. Takes anything below 2^21: sort
/// keys use it for weights too.
#[inline]
pub(crate) fn encode(code: u32, out: &mut Vec<u8>) {
    let [_, high, mid, low] = code.to_be_bytes();
    if code < 0x80 {
        out.push(low);
    } else if code < 0x800 {
        out.extend_from_slice(&[0xC0 | mid << 2 | low >> 6, 0x80 | low & 0x3F]);
    } else if code < 0x1_0000 {
        out.extend_from_slice(&[0xE0 | mid >> 4, 0x80 | (mid << 2 | low >> 6) & 0x3F, 0x80 | low & 0x3F]);
    } else {
        out.extend_from_slice(&[
            0xF0 | high >> 2 & 7,
            0x80 | (high << 4 | mid >> 4) & 0x3F,
            0x80 | (mid << 2 | low >> 6) & 0x3F,
            0x80 | low & 0x3F,
        ]);
    }
}

pub(super) fn valid_prefix_size(bytes: &[u8]) -> usize {
    std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len)
}

/// Counts every byte that does not continue a character.
pub(super) fn char_count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

pub(super) fn prefix_size(bytes: &[u8], chars: usize) -> usize {
    if bytes.len() <= chars {
        return bytes.len();
    }
    let starts = bytes.iter().enumerate().filter(|&(_, &byte)| byte & 0xC0 != 0x80);
    starts.map(|(at, _)| at).nth(chars).unwrap_or(bytes.len())
}

/// Appends every character after `map`; invalid bytes stay as they are.
pub(super) fn map_chars(bytes: &[u8], map: fn(u32) -> u32, out: &mut Vec<u8>) {
    out.reserve(bytes.len());
    let mut rest = bytes;
    while let Some(&first) = rest.first() {
        if let Some((code, size)) = decode(rest) {
            encode(map(code), out);
            rest = &rest[size..];
        } else {
            out.push(first);
            rest = &rest[1..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoding_and_encoding_agree_with_std_for_every_character() {
        for c in '\0'..=char::MAX {
            let mut buffer = [0; 4];
            let bytes = c.encode_utf8(&mut buffer).as_bytes();
            assert_eq!(decode(bytes), Some((u32::from(c), bytes.len())));
            let mut out = Vec::new();
            encode(u32::from(c), &mut out);
            assert_eq!(out, bytes);
        }
    }

    #[test]
    fn what_std_refuses_is_refused() {
        for a in 0x80..=0xFF_u8 {
            for b in 0..=0xFF_u8 {
                let bytes = [a, b, 0x80, 0x80];
                let valid = (1..=4).any(|size| std::str::from_utf8(&bytes[..size]).is_ok());
                assert_eq!(decode(&bytes).is_some(), valid, "{bytes:02x?}");
            }
        }
    }

    #[test]
    fn encoded_numbers_keep_their_order() {
        let encoded = |code| {
            let mut out = Vec::new();
            encode(code, &mut out);
            out
        };
        let numbers = [0, 0x7F, 0x80, 0x7FF, 0x800, 0xD800, 0xFFFF, 0x1_0000, 0x10_FFFF, INVALID + 0xFF];
        assert!(numbers.windows(2).all(|pair| encoded(pair[0]) < encoded(pair[1])));
    }
}
