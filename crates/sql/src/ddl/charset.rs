//! Which character set and collation a definition means.
//!
//! A table takes its database's, a column its table's. A collation that MySQL has and we have not is replaced by the
//! nearest one of its character set, with a warning.

use types::charset::Charset;
use types::collation::{self, Collation};
use types::context::Context;
use types::error::SqlError;
use types::error::table::{
    ER_COLLATION_CHARSET_MISMATCH, ER_CONFLICTING_DECLARATIONS, ER_DEPRECATED_NATIONAL,
    ER_DEPRECATED_UTF8_ALIAS, ER_UNKNOWN_CHARACTER_SET, ER_WARN_DEPRECATED_SYNTAX,
    ER_WARN_DEPRECATED_UTF8MB3_COLLATION,
};
use types::warning::Level;

use super::Result;
use crate::parse::table::{CharsetChoice, TypeCharset, TypeSpec};

/// The character set of this name. Error 1115.
pub(super) fn charset(name: &str, context: &mut Context<'_>) -> Result<Charset> {
    let found = Charset::from_name(name).ok_or_else(|| ER_UNKNOWN_CHARACTER_SET.error(&[&name]))?;
    if name.eq_ignore_ascii_case("utf8") {
        context.warnings.push(Level::Warning, &ER_DEPRECATED_UTF8_ALIAS, &[]);
    } else if found == Charset::Utf8mb3 {
        deprecated(context, "utf8mb3", "utf8mb4");
    }
    Ok(found)
}

/// The collation of this name, or the nearest that we have. Error 1273.
pub(super) fn collation(name: &str, context: &mut Context<'_>) -> Result<Collation> {
    let found = collation::nearest(name, context.warnings)?;
    if found.charset() == Charset::Utf8mb3 {
        context.warnings.push(Level::Warning, &ER_WARN_DEPRECATED_UTF8MB3_COLLATION, &[&found.name()]);
    }
    Ok(found)
}

/// Warning 1287.
pub(super) fn deprecated(context: &mut Context<'_>, what: &str, instead: &str) {
    context.warnings.push(Level::Warning, &ER_WARN_DEPRECATED_SYNTAX, &[&what, &instead]);
}

/// Error 1253 unless the collation is one of the set's.
fn matching(collation: Collation, set: Charset) -> Result<Collation> {
    if collation.charset() == set {
        Ok(collation)
    } else {
        Err(ER_COLLATION_CHARSET_MISMATCH.error(&[&collation.name(), &set.name()]))
    }
}

/// What a table's or database's options say; `inherited` if they say nothing, `default` if they say DEFAULT.
/// Errors 1115, 1253, 1273, 1302.
pub(super) fn choose(
    choices: &[CharsetChoice],
    inherited: Collation,
    default: Collation,
    context: &mut Context<'_>,
) -> Result<Collation> {
    let (mut set, mut chosen): (Option<Charset>, Option<Collation>) = (None, None);
    for choice in choices {
        match choice {
            CharsetChoice::Default => (set, chosen) = (Some(default.charset()), Some(default)),
            CharsetChoice::Charset(name) => {
                let new = charset(name, context)?;
                if let Some(old) = set.filter(|old| *old != new) {
                    return Err(conflict(old, new));
                }
                set = Some(new);
                chosen = chosen.map(|collation| matching(collation, new)).transpose()?;
            }
            CharsetChoice::Collation(name) => {
                let new = collation(name, context)?;
                chosen = Some(set.map_or(Ok(new), |set| matching(new, set))?);
            }
        }
    }
    Ok(chosen.or(set.map(|set| context.default_collation(set))).unwrap_or(inherited))
}

fn conflict(old: Charset, new: Charset) -> SqlError {
    const WORDS: &str = "CHARACTER SET ";
    ER_CONFLICTING_DECLARATIONS.error(&[&WORDS, &old.name(), &WORDS, &new.name()])
}

/// The collation of a column, `binary` for BYTE. Errors 1115, 1253, 1273.
pub(super) fn of_column(
    spec: &TypeSpec,
    collate: Option<&str>,
    table: Collation,
    context: &mut Context<'_>,
) -> Result<Collation> {
    let set = match &spec.charset {
        None => None,
        Some(TypeCharset::Named(name)) => Some(charset(name, context)?),
        Some(TypeCharset::Byte) => return Ok(Collation::Binary),
        Some(TypeCharset::National) => {
            context.warnings.push(Level::Warning, &ER_DEPRECATED_NATIONAL, &[]);
            Some(Charset::Utf8mb3)
        }
        Some(TypeCharset::Ascii) => {
            deprecated(context, "ASCII", "CHARACTER SET charset_name");
            Some(Charset::Latin1)
        }
        Some(TypeCharset::Unicode) => return Err(ER_UNKNOWN_CHARACTER_SET.error(&[&"ucs2"])),
    };
    if spec.binary {
        deprecated(context, "BINARY as attribute of a type", "a CHARACTER SET clause with _bin collation");
    }
    if let Some(name) = collate {
        let chosen = collation(name, context)?;
        return set.map_or(Ok(chosen), |set| matching(chosen, set));
    }
    Ok(match (set, spec.binary) {
        (set, true) => set.unwrap_or(table.charset()).bin_collation(),
        (Some(set), false) => context.default_collation(set),
        (None, false) => table,
    })
}
