//! How answers are written into the data files.

use std::fmt::Write as _;

/// Bytes in one field: printable ASCII as it is but for `\`, the rest as `\xHH`; NULL is `NULL`, and a text that
/// reads so is quoted.
pub fn field(value: Option<&[u8]>) -> String {
    let Some(bytes) = value else { return "NULL".to_owned() };
    let mut text = String::new();
    for &byte in bytes {
        if byte == b' ' || byte.is_ascii_graphic() && byte != b'\\' {
            text.push(char::from(byte));
        } else {
            // Writing into a String cannot fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    if text == "NULL" { "\\x4eULL".to_owned() } else { text }
}

/// Bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing into a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
