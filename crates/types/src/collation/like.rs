//! LIKE: `%` stands for any characters, `_` for one, the escape character takes the meaning from the next.
//!
//! An escape at the very end of a pattern stands for itself, as in MySQL. Characters compare by weight, so
//! `'ß' LIKE 's'` under `general_ci`; there is no padding. The match is greedy with one point to return to, the
//! last `%`: time is at most the product of both lengths.

use super::weigh::Weigh;
use crate::charset::Charset;

/// What LIKE asks of a collation. Texts are not empty.
pub(super) trait Characters {
    /// The first character's code point and size in bytes.
    fn first(&self, text: &[u8]) -> (u32, usize);

    /// Whether two characters are the same to the collation.
    fn are_alike(&self, a: &[u8], b: &[u8]) -> bool;
}

impl<W: Weigh> Characters for W {
    #[inline]
    fn first(&self, text: &[u8]) -> (u32, usize) {
        self.code(text)
    }

    #[inline]
    fn are_alike(&self, a: &[u8], b: &[u8]) -> bool {
        self.weigh(a).0 == self.weigh(b).0
    }
}

const ANY: u32 = b'%' as u32;
const ONE: u32 = b'_' as u32;

/// A step of a pattern and the bytes it takes.
enum Step<'p> {
    Any,
    One,
    Char(&'p [u8]),
}

pub(super) fn matches<C: Characters>(chars: &C, text: &[u8], pattern: &[u8], escape: Option<u32>) -> bool {
    let (mut text, mut pattern) = (text, pattern);
    // The pattern behind the last `%`, and the text that it was last tried on.
    let mut retry: Option<(&[u8], &[u8])> = None;
    loop {
        let step = (!pattern.is_empty()).then(|| next_step(|text| chars.first(text), pattern, escape));
        let matched = match step {
            Some((Step::Any, size)) => {
                pattern = &pattern[size..];
                if pattern.is_empty() {
                    return true;
                }
                retry = Some((pattern, text));
                continue;
            }
            Some((Step::One, size)) if !text.is_empty() => Some((size, chars.first(text).1)),
            Some((Step::Char(c), size)) if !text.is_empty() => {
                let text_size = chars.first(text).1;
                chars.are_alike(&text[..text_size], c).then_some((size, text_size))
            }
            None if text.is_empty() => return true,
            _ => None,
        };
        if let Some((pattern_size, text_size)) = matched {
            pattern = &pattern[pattern_size..];
            text = &text[text_size..];
            continue;
        }
        match retry {
            Some((behind, tried)) if !tried.is_empty() => {
                text = &tried[chars.first(tried).1..];
                pattern = behind;
                retry = Some((behind, text));
            }
            _ => return false,
        }
    }
}

/// What a pattern demands of every text that it matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beginning {
    /// Its characters begin with ones like these: those in front of the first wildcard.
    pub text: Vec<u8>,
    /// There is no wildcard: it has no others.
    pub is_whole: bool,
}

pub(super) fn beginning(charset: Charset, mut pattern: &[u8], escape: Option<u32>) -> Beginning {
    let mut text = Vec::with_capacity(pattern.len());
    while !pattern.is_empty() {
        let (step, size) = next_step(|text| charset.first_char(text), pattern, escape);
        let Step::Char(char) = step else { return Beginning { text, is_whole: false } };
        text.extend_from_slice(char);
        pattern = &pattern[size..];
    }
    Beginning { text, is_whole: true }
}

/// The first step of a pattern, and its size. `first` tells the code point and the size of the first character.
fn next_step(
    first: impl Fn(&[u8]) -> (u32, usize),
    pattern: &[u8],
    escape: Option<u32>,
) -> (Step<'_>, usize) {
    let (code, size) = first(pattern);
    let behind = &pattern[size..];
    if Some(code) == escape && !behind.is_empty() {
        let escaped_size = first(behind).1;
        return (Step::Char(&behind[..escaped_size]), size + escaped_size);
    }
    match code {
        ANY if Some(code) != escape => (Step::Any, size),
        ONE if Some(code) != escape => (Step::One, size),
        _ => (Step::Char(&pattern[..size]), size),
    }
}

#[cfg(test)]
mod tests {
    use crate::collation::Collation;

    fn like(text: &str, pattern: &str, escape: Option<char>) -> bool {
        Collation::Utf8mb4GeneralCi.like(text.as_bytes(), pattern.as_bytes(), escape.map(u32::from))
    }

    // Answers of MySQL 9.7.4.
    #[test]
    fn wildcards_and_escapes() {
        let backslash = Some('\\');
        for (text, pattern, expected) in [
            ("a\\", "a\\", true),
            ("a\\", "a\\\\", true),
            ("a", "a\\", false),
            ("a%", "a\\%", true),
            ("ab", "a\\b", true),
            ("a ", "a", false),
            ("ß", "s", true),
            ("abc", "a%b_c", false),
            ("abbc", "a%b_", true),
            ("😀", "😁", true),
            ("", "%", true),
            ("", "", true),
            ("", "_", false),
            ("é", "_", true),
            ("abc\\", "%\\", true),
            ("aXbXc", "%x%C", true),
            ("aaab", "%aab", true),
            ("mississippi", "m%iss%ip_i", true),
        ] {
            assert_eq!(like(text, pattern, backslash), expected, "{text} LIKE {pattern}");
        }
    }

    #[test]
    fn the_escape_may_be_a_wildcard_or_absent() {
        assert!(like("a%", "a%%", Some('%')));
        assert!(like("a%b", "a%%b", Some('%')));
        assert!(like("a%", "a%", Some('%')));
        assert!(like("_", "__", Some('_')));
        assert!(like("a", "aa", Some('a')));
        assert!(!like("a", "AA", Some('a')));
        assert!(like("a\\", "a\\", None));
    }

    #[test]
    fn a_pattern_says_how_texts_begin() {
        let backslash = Some(u32::from('\\'));
        for (pattern, escape, text, is_whole) in [
            ("", backslash, "", true),
            ("abc", backslash, "abc", true),
            ("abc%d", backslash, "abc", false),
            ("é_", backslash, "é", false),
            ("%a", backslash, "", false),
            ("a\\%b\\_%", backslash, "a%b_", false),
            ("a\\", backslash, "a\\", true),
            ("a\\%", None, "a\\", false),
            ("a|%%", Some(u32::from('|')), "a%", false),
            ("aéb%", Some(u32::from('é')), "ab", false),
            ("%%_", Some(u32::from('%')), "%", false),
        ] {
            let found = Collation::Utf8mb4GeneralCi.like_beginning(pattern.as_bytes(), escape);
            assert_eq!((&found.text[..], found.is_whole), (text.as_bytes(), is_whole), "{pattern}");
        }
    }

    #[test]
    fn each_collation_matches_by_its_own_weights() {
        assert!(!Collation::Utf8mb4Bin.like(b"A", b"a", None));
        assert!(!Collation::Binary.like(b"A", b"a", None));
        assert!(Collation::Binary.like("aé".as_bytes(), b"a__", None));
        assert!(Collation::Latin1SwedishCi.like(b"\xE9", b"E", None));
        assert!(Collation::Utf8mb4Bin.like("é".as_bytes(), b"_", None));
    }
}
