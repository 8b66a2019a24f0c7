//! Purpose: what a pattern of LIKE says of how texts begin finds all texts that match.
//!
//! Requirements: the key of every text that is LIKE a pattern begins with what the key part writes for the pattern's
//! beginning; a pattern without wildcards writes the key itself. In all collations, for prefix parts, and for the types that
//! drop what fills them.
//!
//! Method: texts and patterns are made together, of characters that are alike to some collation or weigh nothing to one;
//! patterns of their own, too.

use types::collation::Collation;
use types::column::{ColumnType, LobSize};
use types::key::KeyPart;
use types::temporal::TimeZone;
use types::value::ValueRef;

/// Characters of a group are alike to one collation or another, or nearly so.
const GROUPS: &[&[&str]] = &[
    &[" "],
    &["a", "A", "á", "Å", "ａ", "ª"],
    &["s", "S", "ß", "ſ", "ss", "ẞ"],
    &["ae", "æ", "Æ", "ǽ"],
    &["\0", "\u{200B}", "\u{AD}", "\u{301}", "\u{FEFF}"],
    &["\t", "!", "-", "\u{A0}", "\u{2003}", "\u{3000}"],
    &["가", "각", "\u{1100}\u{1161}", "ᄀ"],
    &["か", "が", "カ", "ガ", "ｶ"],
    &["😀", "😁", "𝐚", "\u{1F9D1}"],
    &["漢", "\u{FA47}", "字", "\u{2F00}", "一"],
    &["%", "_", "\\", "|"],
    &["ﬁ", "fi", "①", "1", "½", "㍿"],
    &["\u{FFFD}", "\u{10FFFF}", "\u{E000}"],
];

struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % count
    }

    fn one_of<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.below(all.len())]
    }

    /// A text, and a pattern that is not unlikely to match it.
    fn pair(&mut self) -> (String, String) {
        let (mut text, mut pattern) = (String::new(), String::new());
        for _ in 0..self.below(7) {
            let group = GROUPS[self.below(GROUPS.len())];
            let char = self.one_of(group);
            text.push_str(char);
            match self.below(16) {
                0 => pattern.push('_'),
                1 => pattern.push('%'),
                2 => pattern.push_str(self.one_of(group)),
                3 => {
                    let another = GROUPS[self.below(GROUPS.len())];
                    pattern.push_str(self.one_of(another));
                }
                _ => {
                    if matches!(char, "%" | "_" | "\\") && self.below(4) > 0 {
                        pattern.push('\\');
                    }
                    pattern.push_str(char);
                }
            }
        }
        text.push_str(&"  "[..self.below(3)]);
        pattern.push_str(["%", "%", "", "_%", " %", "  "][self.below(6)]);
        (text, pattern)
    }
}

/// In the character set of a collation; what is not in it is left out.
fn in_charset(text: &str, collation: Collation) -> Vec<u8> {
    let size = collation.charset().char_size_max();
    let latin = |c: char| u8::try_from(u32::from(c)).ok();
    match collation {
        Collation::AsciiBin | Collation::AsciiGeneralCi => {
            text.chars().filter(char::is_ascii).filter_map(latin).collect()
        }
        Collation::Binary => text.as_bytes().to_vec(),
        _ if size == 1 => text.chars().filter_map(latin).collect(),
        _ => {
            let fits = |c: &char| u32::try_from(c.len_utf8()).unwrap() <= size;
            text.chars().filter(fits).collect::<String>().into_bytes()
        }
    }
}

fn types(collation: Collation) -> Vec<ColumnType> {
    if collation == Collation::Binary {
        let blob = ColumnType::Blob { size: LobSize::Medium };
        return vec![ColumnType::Binary { size: 40 }, ColumnType::Varbinary { size: 40 }, blob];
    }
    vec![
        ColumnType::char("c", 40, collation).unwrap(),
        ColumnType::varchar("c", 40, collation).unwrap(),
        ColumnType::Text { size: LobSize::Medium, collation },
    ]
}

/// What is stored of a text, and what is read.
fn stored(ty: ColumnType, text: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let trimmed = |fill: u8| {
        let end = text.iter().rposition(|byte| *byte != fill).map_or(0, |last| last + 1);
        text[..end].to_vec()
    };
    match ty {
        ColumnType::Char { .. } => (trimmed(b' '), trimmed(b' ')),
        ColumnType::Binary { size } => {
            let mut read = text.to_vec();
            read.resize(usize::from(size).max(text.len()), 0);
            (trimmed(0), read)
        }
        _ => (text.to_vec(), text.to_vec()),
    }
}

fn key(part: KeyPart, text: &[u8]) -> Vec<u8> {
    let mut key = Vec::new();
    let value = match part.ty.collation() {
        Some(collation) => ValueRef::Str(text, collation),
        None => ValueRef::Bytes(text.into()),
    };
    part.write_value(value, &TimeZone::UTC, &mut key).unwrap();
    key
}

#[test]
fn the_key_of_what_is_like_a_pattern_begins_as_the_pattern_says() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (mut matched, mut bounded) = (0, 0);
    for round in 0..60_000 {
        let collation = Collation::ALL[round % Collation::ALL.len()];
        let (text, pattern) = random.pair();
        let (text, pattern) = (in_charset(&text, collation), in_charset(&pattern, collation));
        let types = types(collation);
        let ty = types[random.below(types.len())];
        let (stored, read) = stored(ty, &text);
        let escape = [Some('\\'), Some('\\'), None, Some('|'), Some('%')][random.below(5)].map(u32::from);
        if !collation.like(&read, &pattern, escape) {
            continue;
        }
        matched += 1;
        let prefix = [None, Some(1), Some(2), Some(4)][random.below(4)];
        let part = KeyPart { column: 0, ty, nullable: round % 2 == 0, prefix };
        let beginning = collation.like_beginning(&pattern, escape);
        let key_of_text = key(part, &stored);
        let what = format!("{collation:?} {ty:?} {prefix:?}: {text:02x?} LIKE {pattern:02x?}");
        let mut first = Vec::new();
        part.write_beginning(&beginning.text, &mut first);
        assert!(key_of_text.starts_with(&first), "{what}: {key_of_text:02x?}, not {first:02x?}");
        if beginning.is_whole {
            assert_eq!(key_of_text, key(part, &beginning.text), "{what}");
        }
        let mut any = Vec::new();
        part.write_beginning(b"", &mut any);
        bounded += usize::from(first != any);
    }
    assert!(matched > 10_000 && bounded > 8_000, "{matched} matched, {bounded} bounded");
}

/// Else a text that ends with one of them would have another key than one that ends with a blank.
#[test]
fn no_other_character_is_like_a_blank_where_blanks_are_padded() {
    for collation in Collation::ALL.into_iter().filter(|collation| collation.pads_space()) {
        if collation.uca_weight_string(b"", &mut Vec::new()) {
            continue;
        }
        for char in '\0'..='\u{FFFF}' {
            let mut buffer = [0; 4];
            let text = match collation.charset().char_size_max() {
                1 => match u8::try_from(u32::from(char)) {
                    Ok(byte) => vec![byte],
                    Err(_) => break,
                },
                _ => char.encode_utf8(&mut buffer).as_bytes().to_vec(),
            };
            assert_eq!(collation.like(&text, b" ", None), char == ' ', "{collation:?} {char:?}");
        }
    }
}
