//! Collations that clients and dumps name although this server does not have them.
//!
//! A handshake with a language's own collation must not fail: the session gets the default collation of the character
//! set. Where a statement names one, there is a warning.

use super::Collation;
use crate::charset::Charset;
use crate::error::SqlError;
use crate::error::table::ER_UNKNOWN_COLLATION;
use crate::warning::{Level, Warnings};

/// What is known of a collation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// One that compares and sorts.
    Supported(Collation),
    /// One of which only the character set is used.
    Named(Charset),
}

impl Known {
    /// The collation itself, or the default of its character set.
    pub fn or_default(self) -> Collation {
        match self {
            Self::Supported(collation) => collation,
            Self::Named(charset) => charset.default_collation(),
        }
    }
}

/// What MySQL's collation of this id is. None for character sets that are not supported.
pub fn known_by_id(id: u16) -> Option<Known> {
    if let Some(collation) = Collation::from_id(id) {
        return Some(Known::Supported(collation));
    }
    let charset = match id {
        5 | 15 | 31 | 49 | 94 => Charset::Latin1,
        76 | 192..=215 | 223 => Charset::Utf8mb3,
        224..=247 | 255..=271 | 273..=275 | 277..=294 | 296..=298 | 300 | 303..=323 => Charset::Utf8mb4,
        _ => return None,
    };
    Some(Known::Named(charset))
}

/// What MySQL's collation of this name is, in any case.
pub fn known_by_name(name: &str) -> Option<Known> {
    if let Some(collation) = Collation::from_name(name) {
        return Some(Known::Supported(collation));
    }
    let name = name.to_ascii_lowercase();
    NAMED.iter().find(|(known, _)| *known == name).map(|&(_, charset)| Known::Named(charset))
}

/// The collation of this name, or, with a warning, the nearest one of its character set: what tells cases apart
/// goes on doing so. Error 1273.
pub fn nearest(name: &str, warnings: &mut Warnings) -> Result<Collation, SqlError> {
    let charset = match known_by_name(name) {
        Some(Known::Supported(collation)) => return Ok(collation),
        Some(Known::Named(charset)) => charset,
        None => return Err(ER_UNKNOWN_COLLATION.error(&[&name])),
    };
    let sensitive = name.to_ascii_lowercase().ends_with("_cs") || name.to_ascii_lowercase().ends_with("_bin");
    let collation = if sensitive { charset.bin_collation() } else { charset.default_collation() };
    let text = format!("Unknown collation: '{name}', '{}' is used", collation.name());
    warnings.push_error(Level::Warning, &SqlError::with_message(&ER_UNKNOWN_COLLATION, text));
    Ok(collation)
}

/// The names that occur in the wild; a language's own collation is unknown here.
const NAMED: &[(&str, Charset)] = &[
    ("utf8mb3_tolower_ci", Charset::Utf8mb3),
    ("latin1_general_cs", Charset::Latin1),
    ("latin1_german1_ci", Charset::Latin1),
    ("latin1_german2_ci", Charset::Latin1),
    ("latin1_danish_ci", Charset::Latin1),
    ("latin1_spanish_ci", Charset::Latin1),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handshake_with_an_unsupported_collation_gets_the_default() {
        assert_eq!(known_by_id(256).map(Known::or_default), Some(Collation::Utf8mb4GeneralCi));
        assert_eq!(known_by_id(309).map(Known::or_default), Some(Collation::Utf8mb40900Bin));
        assert_eq!(known_by_id(193).map(Known::or_default), Some(Collation::Utf8mb3GeneralCi));
        assert_eq!(known_by_id(46).map(Known::or_default), Some(Collation::Utf8mb4Bin));
        assert_eq!(known_by_id(1), None);
        assert_eq!(known_by_name("LATIN1_GERMAN2_CI"), Some(Known::Named(Charset::Latin1)));
        assert_eq!(known_by_name("cp1250_bin"), None);
    }
}
