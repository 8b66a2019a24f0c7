//! Turning text of one character set into another's.

use std::fmt::Write as _;

use super::{Charset, ascii_prefix_size, latin1, utf8};

/// What a conversion had to give up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Converted {
    /// Nothing: every character has its counterpart.
    Exactly,
    /// Each character without a counterpart, and each invalid byte, became `?`.
    WithReplacements {
        /// Where in the source the first of them stood.
        first: usize,
    },
}

/// Appends `bytes`, text of `from`, as text of `to`.
///
/// From and to `binary` bytes are copied as they are, and whoever reads binary bytes as text has to look at
/// [`Charset::valid_prefix_size`]: MySQL answers NULL there, not `?`.
pub fn convert(bytes: &[u8], from: Charset, to: Charset, out: &mut Vec<u8>) -> Converted {
    let copied = match (from, to) {
        (Charset::Binary, _) | (_, Charset::Binary) => bytes.len(),
        (Charset::Utf8mb3, Charset::Utf8mb4) => Charset::Utf8mb3.valid_prefix_size(bytes),
        _ if from == to => from.valid_prefix_size(bytes),
        _ => ascii_prefix_size(bytes),
    };
    out.extend_from_slice(&bytes[..copied]);
    let mut first = None;
    let mut at = copied;
    while at < bytes.len() {
        let (code, size) = decode(from, &bytes[at..]);
        if !code.is_some_and(|code| encode(to, code, out)) {
            first = first.or(Some(at));
            out.push(b'?');
        }
        at += size;
    }
    first.map_or(Converted::Exactly, |first| Converted::WithReplacements { first })
}

/// The first character (None if invalid) and its size.
fn decode(set: Charset, bytes: &[u8]) -> (Option<u32>, usize) {
    let first = bytes[0];
    match set {
        Charset::Latin1 | Charset::Binary => (Some(latin1::decode(first)), 1),
        Charset::Ascii => (first.is_ascii().then_some(u32::from(first)), 1),
        Charset::Utf8mb4 | Charset::Utf8mb3 => {
            utf8::decode(bytes).map_or((None, 1), |(code, size)| (Some(code), size))
        }
    }
}

/// Appends a character; false if the set does not have it.
fn encode(set: Charset, code: u32, out: &mut Vec<u8>) -> bool {
    let byte = match set {
        Charset::Latin1 | Charset::Binary => latin1::encode(code),
        Charset::Ascii => u8::try_from(code).ok().filter(u8::is_ascii),
        Charset::Utf8mb3 if code > 0xFFFF => None,
        Charset::Utf8mb3 | Charset::Utf8mb4 => {
            utf8::encode(code, out);
            return true;
        }
    };
    out.extend(byte);
    byte.is_some()
}

/// Bytes as error messages quote them: printable ASCII as it is, the rest as `\xHH`; after six bytes `...`.
pub fn quote_bytes(bytes: &[u8]) -> String {
    let mut text = String::new();
    for &byte in bytes.iter().take(6) {
        if byte == b' ' || byte.is_ascii_graphic() {
            text.push(char::from(byte));
        } else {
            // Writing into a String cannot fail.
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
    if bytes.len() > 6 {
        text.push_str("...");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(bytes: &[u8], from: Charset, to: Charset) -> (Vec<u8>, Converted) {
        let mut out = Vec::new();
        let result = convert(bytes, from, to, &mut out);
        (out, result)
    }

    // Expected answers are those of CONVERT(... USING ...) of MySQL 9.7.4.
    #[test]
    fn unconvertible_characters_become_question_marks() {
        use Charset::{Ascii, Latin1, Utf8mb3, Utf8mb4};
        let text = "aé😀b".as_bytes();
        assert_eq!(converted(text, Utf8mb4, Latin1).0, b"a\xE9?b");
        assert_eq!(converted(text, Utf8mb4, Ascii).0, b"a??b");
        assert_eq!(converted(text, Utf8mb4, Utf8mb3).0, "aé?b".as_bytes());
        assert_eq!(converted(text, Utf8mb4, Latin1).1, Converted::WithReplacements { first: 3 });
        assert_eq!(converted(b"A\xFFB", Latin1, Ascii).0, b"A?B");
        assert_eq!(converted(b"\x80\x81", Latin1, Utf8mb4).0, "€\u{81}".as_bytes());
        assert_eq!(converted("€\u{80}".as_bytes(), Utf8mb4, Latin1).0, b"\x80?");
    }

    #[test]
    fn convertible_text_is_exact() {
        use Charset::{Ascii, Binary, Latin1, Utf8mb3, Utf8mb4};
        for (from, to) in [(Ascii, Utf8mb4), (Utf8mb3, Utf8mb4), (Utf8mb4, Utf8mb3), (Utf8mb4, Latin1)] {
            assert_eq!(converted(b"plain", from, to), (b"plain".to_vec(), Converted::Exactly));
        }
        assert_eq!(
            converted(b"a\xD0\xB6\xFF", Utf8mb4, Binary),
            (b"a\xD0\xB6\xFF".to_vec(), Converted::Exactly)
        );
    }

    #[test]
    fn bytes_are_quoted_for_messages() {
        assert_eq!(quote_bytes("é\0b".as_bytes()), "\\xC3\\xA9\\x00b");
        assert_eq!(quote_bytes("😀😀".as_bytes()), "\\xF0\\x9F\\x98\\x80\\xF0\\x9F...");
    }
}
