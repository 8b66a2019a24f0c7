//! Names of days and months, in English.

pub(super) const DAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The place of a name at the beginning of a text, in any case, and its size: whole names before their first three
/// letters.
pub(super) fn find(names: &[&str], text: &[u8], short: bool) -> Option<(usize, usize)> {
    let begins =
        |name: &str| text.get(..name.len()).is_some_and(|text| text.eq_ignore_ascii_case(name.as_bytes()));
    names
        .iter()
        .position(|name| begins(if short { &name[..3] } else { name }))
        .map(|at| (at, if short { 3 } else { names[at].len() }))
}
