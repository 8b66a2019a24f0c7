//! Comparison and hashing with PAD SPACE.

use std::cmp::Ordering;
use std::hash::Hasher;

use super::weigh::{SPACE, Weigh};

/// Compares bytes as weights.
pub(super) fn bytes(a: &[u8], b: &[u8]) -> Ordering {
    let common = a.len().min(b.len());
    let order = a[..common].cmp(&b[..common]);
    if order != Ordering::Equal || a.len() == b.len() {
        return order;
    }
    let versus_spaces =
        |tail: &[u8]| tail.iter().find(|&&byte| byte != b' ').map_or(Ordering::Equal, |byte| byte.cmp(&b' '));
    if a.len() > common { versus_spaces(&a[common..]) } else { versus_spaces(&b[common..]).reverse() }
}

/// Compares weight by weight.
pub(super) fn weighed<W: Weigh>(weigher: &W, mut a: &[u8], mut b: &[u8]) -> Ordering {
    while !a.is_empty() && !b.is_empty() {
        let (a_weight, a_size) = weigher.weigh(a);
        let (b_weight, b_size) = weigher.weigh(b);
        if a_weight != b_weight {
            return a_weight.cmp(&b_weight);
        }
        a = &a[a_size..];
        b = &b[b_size..];
    }
    if a.is_empty() { tail_versus_spaces(weigher, b).reverse() } else { tail_versus_spaces(weigher, a) }
}

fn tail_versus_spaces<W: Weigh>(weigher: &W, mut tail: &[u8]) -> Ordering {
    while !tail.is_empty() {
        let (weight, size) = weigher.weigh(tail);
        if weight != SPACE {
            return weight.cmp(&SPACE);
        }
        tail = &tail[size..];
    }
    Ordering::Equal
}

/// `text` without the blanks at its end.
pub(super) fn trim_spaces(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|&byte| byte != b' ').map_or(0, |last| last + 1);
    &text[..end]
}

/// Hashes the weights before the blanks at the end.
pub(super) fn hash<W: Weigh>(weigher: &W, text: &[u8], hasher: &mut impl Hasher) {
    let mut rest = trim_spaces(text);
    while !rest.is_empty() {
        let (weight, size) = weigher.weigh(rest);
        hasher.write_u32(weight);
        rest = &rest[size..];
    }
}
