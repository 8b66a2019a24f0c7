//! JSON_SEARCH.

use std::collections::HashSet;

use super::Quantity;
use crate::json::path::{Found, trail_text};
use crate::json::{Json, Path, TooLarge};

/// Whether a string is what is looked for: LIKE with a pattern, an escape and a collation.
pub type Matches<'a> = &'a mut dyn FnMut(&str) -> bool;

/// JSON_SEARCH: the paths of strings that match, from each of `paths`, or everywhere if there are none. One path is a
/// string, more are an array; None if nothing matches. Only strings are looked at, not names and not dates.
///
/// A path begins as it was given if it has no wildcard, so that one string may be found as `$[last]` and as `$[1]`.
/// Nothing counts as an array of one here. All paths together have at most `size_max` bytes.
pub fn search(
    document: &Json,
    quantity: Quantity,
    matches: Matches<'_>,
    paths: &[Path],
    size_max: usize,
) -> Result<Option<Json>, TooLarge> {
    let mut search =
        Search { quantity, matches, found: Vec::new(), seen: HashSet::new(), size_left: size_max };
    if paths.is_empty() {
        search.within("$", &Found { value: document, trail: None })?;
    }
    for path in paths {
        let base = if path.has_wildcard() { "$".to_owned() } else { path.to_string() };
        for mut start in path.trace(document, false) {
            if !path.has_wildcard() {
                start.trail = None;
            }
            search.within(&base, &start)?;
        }
    }
    let mut found = search.found;
    Ok(match found.len() {
        0 => None,
        1 => found.pop().map(Json::String),
        _ => Some(Json::Array(found.into_iter().map(Json::String).collect())),
    })
}

struct Search<'a> {
    quantity: Quantity,
    matches: Matches<'a>,
    found: Vec<String>,
    seen: HashSet<String>,
    size_left: usize,
}

impl Search<'_> {
    fn within(&mut self, base: &str, from: &Found<'_>) -> Result<(), TooLarge> {
        if self.quantity == Quantity::One && !self.found.is_empty() {
            return Ok(());
        }
        if let Json::String(text) = from.value
            && (self.matches)(text)
        {
            let path = trail_text(base, &from.trail);
            if self.seen.insert(path.clone()) {
                self.size_left = self.size_left.checked_sub(path.len()).ok_or(TooLarge)?;
                self.found.push(path);
            }
        }
        for child in from.children() {
            self.within(base, &child)?;
        }
        Ok(())
    }
}
