//! What the given options make of the variables' initial values.

use super::given::Given;
use super::special::{self, Argument, Effect, Special};
use super::{Instead, Options, OptionsError};
use crate::variables::parse::{magnitude, parse, switch};
use crate::variables::{self, Kind, Val, Values, Variable};

/// What a prefix of a name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Prefix {
    None,
    /// `enable_`
    On,
    /// `disable_`, `skip_`
    Off,
}

const PREFIXES: [(&str, Prefix); 3] =
    [("enable_", Prefix::On), ("disable_", Prefix::Off), ("skip_", Prefix::Off)];

/// What an option is about.
enum Subject {
    Special(&'static Special),
    Variable(&'static Variable),
}

/// Applies options in order: later ones win.
pub(super) fn apply(given: &[Given]) -> Result<Options, OptionsError> {
    let mut options = Options {
        values: Values::default(),
        log_bin_base: None,
        has_tls: true,
        sync_delay_us: 0,
        instead: None,
        warnings: Vec::new(),
    };
    for given in given {
        let (is_loose, name) = match given.name.strip_prefix("loose_") {
            Some(name) => (true, name),
            None => (false, &*given.name),
        };
        match subject(name) {
            Some((subject, prefix)) => {
                let result = match subject {
                    Subject::Special(special) => apply_special(&mut options, special, given, prefix),
                    Subject::Variable(variable) => apply_variable(&mut options, variable, given, prefix),
                };
                result.map_err(OptionsError::Wrong)?;
            }
            None if is_loose => options.warnings.push(given.unknown()),
            None => return Err(OptionsError::Wrong(given.unknown())),
        }
    }
    together(&options.values).map_err(OptionsError::Wrong)?;
    Ok(options)
}

/// What a name means: as it is, or behind a prefix.
fn subject(name: &str) -> Option<(Subject, Prefix)> {
    if let Some(subject) = exactly(name) {
        return Some((subject, Prefix::None));
    }
    let (rest, prefix) =
        PREFIXES.iter().find_map(|(text, prefix)| Some((name.strip_prefix(text)?, *prefix)))?;
    exactly(rest).map(|subject| (subject, prefix))
}

fn exactly(name: &str) -> Option<Subject> {
    if let Some(special) = special::find(name) {
        return Some(Subject::Special(special));
    }
    let (_, variable) = variables::find(name).ok()?;
    variable.is_option.then_some(Subject::Variable(variable))
}

fn apply_special(
    options: &mut Options,
    special: &Special,
    given: &Given,
    prefix: Prefix,
) -> Result<(), String> {
    let value = given.value.as_deref();
    match (special.argument, value) {
        (Argument::None, Some(_)) => {
            return Err(format!("option '--{}' cannot take an argument", special.name));
        }
        (Argument::Required, None) => return Err(requires(special.name)),
        _ => {}
    }
    match special.effect {
        Effect::Help => options.instead = Some(Instead::Help),
        Effect::Version => options.instead = Some(Instead::Version),
        Effect::Validate => options.instead = Some(Instead::Validate),
        Effect::LogBin => {
            options.values.put("log_bin", Val::Bool(prefix != Prefix::Off));
            options.log_bin_base = value.filter(|base| !base.is_empty()).map(str::to_owned);
        }
        Effect::TimeZone => {
            let (_, variable) = variables::find("time_zone").map_err(|error| error.message)?;
            put(options, variable, value.unwrap_or_default())?;
        }
        Effect::Tls => options.has_tls = prefix != Prefix::Off && value.and_then(switch) != Some(false),
        Effect::SyncDelay => {
            let text = value.unwrap_or_default();
            options.sync_delay_us = magnitude(text)
                .map_err(|_| format!("Error while setting value '{text}' to '{}'", special.name))?;
        }
        Effect::Absent => {
            if prefix != Prefix::Off && value.and_then(switch) != Some(false) {
                return Err(format!("option '--{}': this server can only have it off", given.written));
            }
        }
        Effect::DefaultsFile | Effect::Accepted => {}
    }
    Ok(())
}

fn apply_variable(
    options: &mut Options,
    variable: &'static Variable,
    given: &Given,
    prefix: Prefix,
) -> Result<(), String> {
    match (prefix, &given.value, variable.kind) {
        (Prefix::None, Some(value), _) => put(options, variable, value),
        (Prefix::None, None, Kind::Toggle) | (Prefix::On, _, Kind::Toggle) => put(options, variable, "ON"),
        (Prefix::None | Prefix::On, None, Kind::Choice(names)) if names.contains(&"ON") => {
            put(options, variable, "ON")
        }
        // As in mysqld, a prefix has the last word.
        (Prefix::Off, _, Kind::Toggle) => put(options, variable, "OFF"),
        (Prefix::Off, _, Kind::Choice(names)) if names.contains(&"OFF") => put(options, variable, "OFF"),
        (Prefix::Off, _, Kind::UInt { .. }) => put(options, variable, "0"),
        (Prefix::None, None, _) => Err(requires(variable.name)),
        _ => Err(given.unknown()),
    }
}

fn requires(name: &str) -> String {
    format!("option '--{name}' requires an argument")
}

fn put(options: &mut Options, variable: &'static Variable, text: &str) -> Result<(), String> {
    let parsed = parse(variable, text)?;
    options.warnings.extend(parsed.warning);
    options.values.put_with_partner(variable.name, parsed.val);
    Ok(())
}

/// What several values have to agree on.
fn together(values: &Values) -> Result<(), String> {
    const GTID_MODE_ON: u8 = 3;
    let is_on = values.get("gtid_mode").choice() == GTID_MODE_ON;
    if is_on && values.get("enforce_gtid_consistency").choice() != 1 {
        return Err("GTID_MODE = ON requires ENFORCE_GTID_CONSISTENCY = ON".to_owned());
    }
    Ok(())
}
