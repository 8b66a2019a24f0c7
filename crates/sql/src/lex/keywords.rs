//! MySQL 8.0.46's keywords, recorded from its `information_schema.KEYWORDS`.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The keywords in alphabetical order, and whether each is reserved.
pub fn keywords() -> impl Iterator<Item = (&'static str, bool)> {
    let lines = include_str!("keywords.txt").lines();
    lines.filter_map(|line| line.split_once(' ')).map(|(word, reserved)| (word, reserved == "1"))
}

/// The keyword that a word is, in any case, and whether it is reserved.
pub(crate) fn keyword(word: &[u8]) -> Option<(&'static str, bool)> {
    static ALL: LazyLock<HashMap<&str, (&str, bool)>> =
        LazyLock::new(|| keywords().map(|(word, reserved)| (word, (word, reserved))).collect());
    let upper = word.to_ascii_uppercase();
    ALL.get(std::str::from_utf8(&upper).ok()?).copied()
}
