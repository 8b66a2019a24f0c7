//! Which names of members need no quotation marks in a path.
//!
//! It should be what ECMAScript has for an identifier. What MySQL 9.7.4 really accepts, as 131,000 questions showed, goes
//! by the lowest byte of a character's code: `語` (U+8A9E) is a letter and `本` (U+672C) is none.

/// Whether a name may stand in a path as it is.
pub(super) fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(may_begin) && chars.all(may_follow)
}

fn may_begin(c: char) -> bool {
    if matches!(c, '$' | '_') {
        return true;
    }
    !is_combining(c) && matches!(low_byte(c), b'A'..=b'Z' | b'a'..=b'z' | 0x80..=0xFE)
}

fn may_follow(c: char) -> bool {
    may_begin(c)
        || is_combining(c)
        || low_byte(c).is_ascii_digit()
        || matches!(c, '\u{200C}' | '\u{200D}' | '\u{203F}' | '\u{2040}' | '\u{FF3F}')
}

fn is_combining(c: char) -> bool {
    ('\u{300}'..='\u{36F}').contains(&c)
}

fn low_byte(c: char) -> u8 {
    u32::from(c).to_le_bytes()[0]
}
