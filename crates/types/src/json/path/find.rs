//! Going along a path.
//!
//! A path with wildcards is followed leg by leg, with all values reached so far, each once: so several `**` cost the
//! size of the document each, not its power. The order is that of going into each value as deep as can be before
//! the next one.

use std::collections::HashSet;
use std::rc::Rc;

use super::{ArrayIndex, Leg, Path};
use crate::json::Json;

/// A value, and how it was reached.
#[derive(Clone)]
pub(in crate::json) struct Found<'a> {
    pub value: &'a Json,
    pub trail: Trail<'a>,
}

/// Steps from the root, the last one first; values found below one another share their beginnings.
pub(in crate::json) type Trail<'a> = Option<Rc<Link<'a>>>;

/// A step and those before it.
pub(in crate::json) struct Link<'a> {
    pub before: Trail<'a>,
    pub step: Step<'a>,
}

/// One step down.
#[derive(Clone, Copy)]
pub(in crate::json) enum Step<'a> {
    Member(&'a str),
    Item(ArrayIndex),
}

impl<'a> Found<'a> {
    /// A value directly within this one.
    pub fn child(&self, step: Step<'a>, value: &'a Json) -> Self {
        Self { value, trail: Some(Rc::new(Link { before: self.trail.clone(), step })) }
    }

    /// All values directly within this one.
    pub fn children(&self) -> Vec<Self> {
        match self.value {
            Json::Array(items) => {
                items.iter().enumerate().map(|(at, item)| self.child(Step::item(at), item)).collect()
            }
            Json::Object(object) => {
                object.iter().map(|(name, value)| self.child(Step::Member(name), value)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn with_descendants(self, out: &mut Vec<Self>) {
        let children = self.children();
        out.push(self);
        for child in children {
            child.with_descendants(out);
        }
    }
}

impl Step<'_> {
    fn item(at: usize) -> Self {
        Self::Item(ArrayIndex::FromStart(u32::try_from(at).unwrap_or(u32::MAX)))
    }
}

impl Path {
    /// The value that a path without wildcards leads to.
    pub fn find_one<'a>(&self, root: &'a Json) -> Option<&'a Json> {
        follow(root, &self.legs)
    }

    /// All values that the path leads to, each once.
    pub fn find<'a>(&self, root: &'a Json) -> Vec<&'a Json> {
        if self.has_wildcard() {
            return self.trace(root, true).into_iter().map(|found| found.value).collect();
        }
        self.find_one(root).into_iter().collect()
    }

    /// As [`find`](Self::find), with the trails. `wrap`: whether anything but an array counts as an array of one.
    pub(in crate::json) fn trace<'a>(&self, root: &'a Json, wrap: bool) -> Vec<Found<'a>> {
        let mut found = vec![Found { value: root, trail: None }];
        let mut seen = HashSet::new();
        let mut repeats = false;
        for leg in &self.legs {
            let mut next = Vec::new();
            for from in found {
                step(leg, from, wrap, &mut next);
            }
            // Only behind an ellipsis is a value reached in two ways.
            repeats |= *leg == Leg::Ellipsis;
            if repeats {
                seen.clear();
                next.retain(|found| seen.insert(std::ptr::from_ref(found.value)));
            }
            found = next;
        }
        found
    }
}

fn follow<'a>(mut value: &'a Json, legs: &[Leg]) -> Option<&'a Json> {
    for leg in legs {
        value = match (leg, value) {
            (Leg::Member(name), Json::Object(object)) => object.get(name)?,
            (Leg::Item(index), Json::Array(items)) => items.get(index.within(items.len())?)?,
            (Leg::Item(index), other) if index.within(1).is_some() => other,
            _ => return None,
        };
    }
    Some(value)
}

fn step<'a>(leg: &Leg, from: Found<'a>, wrap: bool, out: &mut Vec<Found<'a>>) {
    match (leg, from.value) {
        (Leg::Member(name), Json::Object(object)) => {
            out.extend(object.get_entry(name).map(|(name, value)| from.child(Step::Member(name), value)));
        }
        (Leg::AnyMember, Json::Object(_)) | (Leg::AnyItem, Json::Array(_)) => out.extend(from.children()),
        (Leg::Item(index), Json::Array(items)) => {
            let at = index.within(items.len());
            out.extend(at.and_then(|at| Some(from.child(Step::item(at), items.get(at)?))));
        }
        (Leg::Range(first, last), Json::Array(items)) => {
            let range = first.range_to(*last, items.len());
            let within = items.iter().enumerate().take(range.end).skip(range.start);
            out.extend(within.map(|(at, item)| from.child(Step::item(at), item)));
        }
        (Leg::Item(index), _) if wrap && index.within(1).is_some() => out.push(from),
        (Leg::Range(first, last), _) if wrap && first.range_to(*last, 1).contains(&0) => out.push(from),
        (Leg::Ellipsis, _) => from.with_descendants(out),
        _ => {}
    }
}
