//! What an option's text makes of a variable.
//!
//! As mysqld does: numbers take the suffixes K, M, G, T, P and E; a number beyond its limits is brought within them,
//! with a warning. Unlike mysqld, which takes any unknown word for OFF, a switch must be told ON or OFF. A text that has no effect and
//! cannot be set later is shown as it is, not as it was asked for.

use super::convert::{bounded, bounded_double};
use super::kind::Kind;
use super::value::Val;
use super::variable::{Access, Variable};

/// A value read from an option, and what the log should say of it.
#[derive(Debug, PartialEq)]
pub struct Parsed {
    /// The value.
    pub val: Val,
    /// A line for the log.
    pub warning: Option<String>,
}

/// Reads an option's value.
///
/// # Errors
/// A line that says what is wrong.
pub fn parse(variable: &Variable, text: &str) -> Result<Parsed, String> {
    let name = variable.name;
    let wrong = || format!("Error while setting value '{text}' to '{name}'");
    let (val, warning) = match variable.kind {
        Kind::UInt { min, max, step } => number(name, text, (min, max), step)?,
        Kind::Double { min, max } => {
            let given: f64 = text.trim().parse().map_err(|_| wrong())?;
            let bounded = bounded_double(given, (min, max));
            let warning = bounded.is_truncated.then(|| adjusted(name, "value", text, variable, &bounded.val));
            (bounded.val, warning)
        }
        Kind::Toggle => (Val::Bool(switch(text).ok_or_else(wrong)?), None),
        Kind::Choice(names) => {
            let by_number = || text.parse::<u8>().ok().filter(|index| usize::from(*index) < names.len());
            let index = Kind::index_of(names, text).or_else(by_number);
            (Val::Choice(index.ok_or_else(wrong)?), None)
        }
        Kind::Flags(names) => (Val::Flags(Kind::bits_of(names, text).map_err(|_| wrong())?), None),
        Kind::Switches(names) => {
            let initial = variable.initial_value().flags();
            (Val::Flags(Kind::switch(names, initial, initial, text).ok_or_else(wrong)?), None)
        }
        Kind::SqlMode => {
            let mode = match text.parse() {
                Ok(bits) => types::sql_mode::SqlMode::from_bits(bits),
                Err(_) => types::sql_mode::SqlMode::parse(text),
            };
            (Val::Flags(mode.map_err(|_| wrong())?.bits()), None)
        }
        Kind::Text { nullable: true } if text.eq_ignore_ascii_case("NULL") => (Val::Null, None),
        Kind::Text { .. } => (Val::text(text), None),
    };
    if variable.is_only && val != variable.initial_value() {
        let shown = variable.kind.show(&variable.initial_value());
        return Err(format!("{}: this server has only '{shown}'", wrong()));
    }
    // A file that nobody writes is not to be looked for.
    let names_nothing =
        variable.is_inert && variable.access == Access::Fixed && matches!(variable.kind, Kind::Text { .. });
    let val = if names_nothing { variable.initial_value() } else { val };
    let warning = if variable.is_inert { Some(format!("option '{name}' has no effect")) } else { warning };
    let val = match variable.check {
        Some(check) => check(&val).map_err(|error| format!("{}: {}", wrong(), error.message))?,
        None => val,
    };
    Ok(Parsed { val, warning })
}

/// ON, OFF and their kin.
pub fn switch(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "on" | "true" => Some(true),
        "0" | "off" | "false" => Some(false),
        _ => None,
    }
}

fn number(
    name: &str,
    text: &str,
    (min, max): (u64, u64),
    step: u64,
) -> Result<(Val, Option<String>), String> {
    let (negative, digits) = match text.trim().strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.trim()),
    };
    if digits.is_empty() {
        return Err(format!("Empty value for '{name}' specified"));
    }
    let given = magnitude(digits)
        .map_err(|suffix| format!("Unknown suffix '{suffix}' used for variable '{name}' (value '{text}')"))?;
    if negative && given > 0 {
        return Ok((Val::UInt(min), Some(format!("option '{name}': value {text} adjusted to {min}"))));
    }
    let val = bounded(given, (min, max), step).val;
    let rounded = given - given % step;
    let warning = (val != Val::UInt(rounded))
        .then(|| format!("option '{name}': unsigned value {given} adjusted to {}", val.uint()));
    Ok((val, warning))
}

/// A number with a suffix; the character that is none otherwise. What 64 bits cannot hold is their greatest.
pub fn magnitude(text: &str) -> Result<u64, char> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, suffix) = text.split_at(end);
    let shift = match suffix.chars().next() {
        None => 0,
        Some('k' | 'K') => 10,
        Some('m' | 'M') => 20,
        Some('g' | 'G') => 30,
        Some('t' | 'T') => 40,
        Some('p' | 'P') => 50,
        Some('e' | 'E') => 60,
        Some(other) => return Err(other),
    };
    if let Some(behind) = suffix.chars().nth(1) {
        return Err(behind);
    }
    if digits.is_empty() {
        return Err(suffix.chars().next().unwrap_or(' '));
    }
    let number: u64 = digits.parse().unwrap_or(u64::MAX);
    Ok(number.saturating_mul(1 << shift))
}

fn adjusted(name: &str, what: &str, text: &str, variable: &Variable, val: &Val) -> String {
    format!("option '{name}': {what} {text} adjusted to {}", variable.kind.show(val))
}
