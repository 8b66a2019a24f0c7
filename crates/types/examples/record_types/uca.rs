//! Weights of every character in the collations that follow the Unicode Collation Algorithm.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Error, Result};

use crate::client::Client;
use crate::literals::hex;

/// The client reads result sets of at most 250 columns.
const STEP: usize = 240;

/// Weights of a character, a list for each level.
type Weights = Vec<Vec<u32>>;

/// `src/collation/uca/*.txt`, by the name of a collation.
pub fn table(client: &mut Client, collation: &str) -> Result<String> {
    let mut listed = BTreeMap::new();
    let mut ranges: Vec<(u32, u32, u32)> = Vec::new();
    for (code, answer) in all(client, collation)? {
        let weights = levels(&answer)?;
        match implicit_base(code, &weights) {
            Some(DEFAULT_BASE) => {}
            Some(base) => match ranges.last_mut() {
                Some((_, last, of)) if *of == base && *last + 1 == code => *last = code,
                _ => ranges.push((code, code, base)),
            },
            None if code >= 0x1_0000 && answer == "FFFD" => {}
            None => {
                listed.insert(code, weights);
            }
        }
    }
    let composed: Vec<u32> = listed.keys().copied().filter(|code| is_composed(*code, &listed)).collect();
    for code in composed {
        listed.remove(&code);
    }
    let mut out = format!(
        "# Weights in {collation}, recorded by `record uca-table {collation}`: first character, how many and how far apart\n\
         # their first weights are; weights of each level. One primary weight alone: 20 and 2 behind it, if there are three\n\
         # levels. First..last =base: computed. Other Hangul syllables are composed of jamos, the rest is computed from FBC0.\n"
    );
    for (first, last, base) in ranges {
        // Writing into a String cannot fail.
        let _ = writeln!(out, "{first:X}..{last:X} ={base:X}");
    }
    while let Some((code, weights)) = listed.pop_first() {
        let _ = write!(out, "{code:X}");
        let follows = |n: u32, step: u32| {
            let mut expected = weights.clone();
            expected[0][0] += n * step;
            listed.get(&(code + n)) == Some(&expected)
        };
        if weights[0].len() == 1 {
            let length = |step| (1..0x11_0000).take_while(|n| follows(*n, step)).count();
            let (count, step) = (0..4).map(|step| (length(step) + 1, step)).max().unwrap_or((1, 0));
            for n in 1..count {
                listed.remove(&(code + u32::try_from(n).map_err(Error::other)?));
            }
            if count > 1 {
                let _ = write!(out, "+{count:X}*{step}");
            }
        }
        let plain = weights[0].len() == 1 && weights[1..] == [vec![0x20], vec![2]];
        let shown = if plain { &weights[..1] } else { &weights[..] };
        for (level, weights) in shown.iter().enumerate() {
            out.push_str(if level > 0 { " ." } else { "" });
            for weight in weights {
                let _ = write!(out, " {weight:X}");
            }
        }
        out.push('\n');
    }
    Ok(out)
}

/// A line for each 1,024 characters: the first one, and a checksum of the weight strings of all, for
/// `tests/data/uca.txt`.
pub fn checksums(client: &mut Client) -> Result<String> {
    let mut out = String::from(
        "# collation, first of 1,024 characters, CRC32 of their WEIGHT_STRINGs in hexadecimal, each with a line feed;\n\
         # recorded by `record uca`\n",
    );
    for collation in [
        "utf8mb4_0900_ai_ci",
        "utf8mb4_0900_as_ci",
        "utf8mb4_0900_as_cs",
        "utf8mb4_0900_bin",
        "utf8mb4_unicode_520_ci",
        "utf8mb4_unicode_ci",
    ] {
        let mut groups: BTreeMap<u32, crc32fast::Hasher> = BTreeMap::new();
        for (code, answer) in all(client, collation)? {
            let hasher = groups.entry(code & !0x3FF).or_default();
            hasher.update(answer.as_bytes());
            hasher.update(b"\n");
        }
        for (first, hasher) in groups {
            let _ = writeln!(out, "{collation}\t{first:X}\t{:08x}", hasher.finalize());
        }
    }
    Ok(out)
}

/// Every character with its weight string.
fn all(client: &mut Client, collation: &str) -> Result<Vec<(u32, String)>> {
    let chars: Vec<char> = (0..0x11_0000).filter_map(char::from_u32).collect();
    let mut found = Vec::with_capacity(chars.len());
    for chars in chars.chunks(STEP) {
        let select: Vec<String> = chars
            .iter()
            .map(|c| {
                format!(
                    "HEX(WEIGHT_STRING(_utf8mb4 x'{}' COLLATE {collation}))",
                    hex(c.to_string().as_bytes())
                )
            })
            .collect();
        let row = client.run(&format!("SELECT {}", select.join(", ")))?.rows.remove(0);
        for (c, answer) in chars.iter().zip(row) {
            found.push((u32::from(*c), String::from_utf8(answer.unwrap_or_default()).map_err(Error::other)?));
        }
    }
    Ok(found)
}

fn levels(answer: &str) -> Result<Weights> {
    let mut levels = vec![Vec::new()];
    for at in (0..answer.len()).step_by(4) {
        match u32::from_str_radix(&answer[at..at + 4], 16).map_err(Error::other)? {
            0 => levels.push(Vec::new()),
            weight => levels.last_mut().ok_or_else(|| Error::other("no level"))?.push(weight),
        }
    }
    Ok(levels)
}

const SYLLABLES: std::ops::RangeInclusive<u32> = 0xAC00..=0xD7A3;

fn is_syllable(code: u32) -> bool {
    SYLLABLES.contains(&code)
}

/// Whether a character is a Hangul syllable and weighs what its jamos do: Unicode, section 3.12.
fn is_composed(code: u32, listed: &BTreeMap<u32, Weights>) -> bool {
    if !is_syllable(code) {
        return false;
    }
    let index = code - SYLLABLES.start();
    // The last consonant counts from 1.
    let trailing = Some(index % 28).filter(|number| *number > 0).map(|number| 0x11A7 + number);
    let jamos = [0x1100 + index / 588, 0x1161 + index % 588 / 28].into_iter().chain(trailing);
    let mut composed: Weights = vec![Vec::new(); listed[&code].len()];
    for jamo in jamos.filter_map(|jamo| listed.get(&jamo)) {
        for (level, weights) in jamo.iter().enumerate() {
            composed[level].extend(weights);
        }
    }
    composed == listed[&code]
}

/// Of characters that no script orders.
const DEFAULT_BASE: u32 = 0xFBC0;

/// What a character's weights are computed from, if they are: UTS #10, section 10.1.3.
fn implicit_base(code: u32, weights: &Weights) -> Option<u32> {
    let [first, second] = weights[0][..] else { return None };
    let base = first.checked_sub(code >> 15)?;
    let rest_is_plain = weights[1..].is_empty() || weights[1..] == [vec![0x20], vec![2]];
    let computed =
        matches!(base, 0xFB00 | 0xFB40 | 0xFB80 | DEFAULT_BASE) && second == code & 0x7FFF | 0x8000;
    (computed && rest_is_plain).then_some(base)
}
