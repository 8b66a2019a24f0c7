//! Sort keys: bytes in the order of a collation.
//!
//! PAD SPACE makes it delicate: `'a\t' < 'a' = 'a ' < 'a!'`, so a key may neither simply end nor simply be padded.
//! A text without the blanks at its end is written as
//!
//! | what | bytes |
//! | --- | --- |
//! | a character that is no blank | its weight in the scheme of UTF-8, which keeps the order of numbers |
//! | a blank | `20`, then `01` if the next character that is no blank weighs less than one, else `03` |
//! | the end | `20 02` |
//!
//! At the first difference of two keys either two weights stand against each other, or what follows two blanks
//! (an end counts as blanks without end), and both compare as the texts do. `20 02` occurs only at the end, so
//! no key is a prefix of another one. ASCII costs one byte a character, blanks inside two, and there is no
//! padding; MySQL's own keys are padded to the column's full length instead.
//!
//! `binary` does not pad: `00` is written as `00 FF`, the end as `00 00`.

use super::compare::trim_spaces;
use super::weigh::{SPACE, Weigh};

const SPACE_BYTE: u8 = b' ';
pub(super) const NEXT_IS_LESS: u8 = 1;
pub(super) const END: u8 = 2;
pub(super) const NEXT_IS_MORE: u8 = 3;

pub(super) fn weighed<W: Weigh>(weigher: &W, text: &[u8], out: &mut Vec<u8>) {
    let blanks = weights(weigher, trim_spaces(text), out);
    write_blanks(&[SPACE_BYTE, END], blanks + 1, out);
}

/// What all keys of texts begin with that begin with these characters. Of blanks at their end the first byte alone is known:
/// the text may go on, or not.
pub(super) fn beginning<W: Weigh>(weigher: &W, text: &[u8], out: &mut Vec<u8>) {
    if weights(weigher, text, out) > 0 {
        out.push(SPACE_BYTE);
    }
}

/// Writes weights; returns how many blanks come last, which are not written.
fn weights<W: Weigh>(weigher: &W, text: &[u8], out: &mut Vec<u8>) -> usize {
    let mut rest = text;
    out.reserve(rest.len() + 2);
    let mut blanks = 0;
    while !rest.is_empty() {
        let (weight, size) = weigher.weigh(rest);
        rest = &rest[size..];
        if weight == SPACE {
            blanks += 1;
            continue;
        }
        let next = if weight < SPACE { NEXT_IS_LESS } else { NEXT_IS_MORE };
        write_blanks(&[SPACE_BYTE, next], std::mem::take(&mut blanks), out);
        W::write(weight, out);
    }
    blanks
}

/// Writes so many blanks, which one character follows.
pub(super) fn write_blanks(blank: &[u8], count: usize, out: &mut Vec<u8>) {
    (0..count).for_each(|_| out.extend_from_slice(blank));
}

pub(super) fn binary(bytes: &[u8], out: &mut Vec<u8>) {
    binary_beginning(bytes, out);
    out.extend_from_slice(&[0, 0]);
}

/// The same without an end.
pub(super) fn binary_beginning(bytes: &[u8], out: &mut Vec<u8>) {
    out.reserve(bytes.len() + 2);
    let mut rest = bytes;
    while let Some(zero) = rest.iter().position(|&byte| byte == 0) {
        out.extend_from_slice(&rest[..zero]);
        out.extend_from_slice(&[0, 0xFF]);
        rest = &rest[zero + 1..];
    }
    out.extend_from_slice(rest);
}
