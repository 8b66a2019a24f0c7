//! Paths as text: what JSON_SEARCH answers.

use std::fmt::{self, Display};

use super::find::{Step, Trail};
use super::name::is_identifier;
use super::{ArrayIndex, Leg, Path};
use crate::json::print::write_string;

impl Display for ArrayIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FromStart(at) => write!(f, "{at}"),
            Self::FromEnd(0) => write!(f, "last"),
            Self::FromEnd(back) => write!(f, "last-{back}"),
        }
    }
}

impl Display for Leg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Member(name) => fmt_member(name, f),
            Self::AnyMember => f.write_str(".*"),
            Self::Item(index) => write!(f, "[{index}]"),
            Self::Range(first, last) => write!(f, "[{first} to {last}]"),
            Self::AnyItem => f.write_str("[*]"),
            Self::Ellipsis => f.write_str("**"),
        }
    }
}

impl Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("$")?;
        self.legs.iter().try_for_each(|leg| leg.fmt(f))
    }
}

impl Display for Step<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Member(name) => fmt_member(name, f),
            Self::Item(index) => write!(f, "[{index}]"),
        }
    }
}

fn fmt_member(name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if is_identifier(name) {
        return write!(f, ".{name}");
    }
    let mut quoted = Vec::new();
    write_string(name, &mut quoted);
    write!(f, ".{}", String::from_utf8_lossy(&quoted))
}

/// The text of a trail, `base` before it.
pub(in crate::json) fn trail_text(base: &str, trail: &Trail<'_>) -> String {
    let mut steps = Vec::new();
    let mut next = trail.as_ref();
    while let Some(link) = next {
        steps.push(link.step);
        next = link.before.as_ref();
    }
    steps.iter().rev().fold(base.to_owned(), |text, step| text + &step.to_string())
}
