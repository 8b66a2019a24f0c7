//! What a variable may hold, and how its value is shown.

use types::sql_mode::SqlMode;
use types::value::Value;

use super::value::Val;

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// ON or OFF.
    Toggle,
    /// A number within limits, rounded down to a multiple of `step`.
    UInt {
        /// The least.
        min: u64,
        /// The greatest.
        max: u64,
        /// 1, or what it is a multiple of.
        step: u64,
    },
    /// A number with a fraction, within limits.
    Double {
        /// The least.
        min: f64,
        /// The greatest.
        max: f64,
    },
    /// One of these names, or its place among them.
    Choice(&'static [&'static str]),
    /// Any of these names, or their bits.
    Flags(&'static [&'static str]),
    /// `name=on,name=off`, for each of these names.
    Switches(&'static [&'static str]),
    /// `sql_mode`, whose bits are MySQL's.
    SqlMode,
    /// Text that may be NULL or not.
    Text {
        /// Whether it may be NULL.
        nullable: bool,
    },
}

impl Kind {
    /// The value as SHOW VARIABLES prints it; NULL is empty there.
    pub fn show(self, val: &Val) -> String {
        match (self, val) {
            (_, Val::Bool(on)) => if *on { "ON" } else { "OFF" }.to_owned(),
            (_, Val::UInt(number)) => number.to_string(),
            (_, Val::Double(number)) => format!("{number:.6}"),
            (_, Val::Text(text)) => text.to_string(),
            (_, Val::Null) => String::new(),
            _ => self.names(val),
        }
    }

    /// The value as `SELECT @@x` gives it.
    pub fn value(self, val: &Val) -> Value {
        match val {
            Val::Bool(on) => Value::Int(i64::from(*on)),
            Val::UInt(number) => Value::UInt(*number),
            Val::Double(number) => Value::Double(*number),
            Val::Null => Value::Null,
            _ => Value::text(&self.show(val)),
        }
    }

    /// Choices and sets in words.
    fn names(self, val: &Val) -> String {
        match (self, val) {
            (Self::Choice(names), Val::Choice(index)) => names[usize::from(*index)].to_owned(),
            (Self::Flags(names), Val::Flags(bits)) => {
                let set = names.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
                set.map(|(_, name)| *name).collect::<Vec<_>>().join(",")
            }
            (Self::Switches(names), Val::Flags(bits)) => {
                let state = |bit: usize| if bits >> bit & 1 == 1 { "on" } else { "off" };
                let switches = names.iter().enumerate().map(|(bit, name)| format!("{name}={}", state(bit)));
                switches.collect::<Vec<_>>().join(",")
            }
            (Self::SqlMode, Val::Flags(bits)) => {
                SqlMode::from_bits(*bits).expect("a kept mode has known bits").to_string()
            }
            _ => unreachable!("{val:?} is no value of {self:?}"),
        }
    }

    /// The place of a name, in any case.
    pub(super) fn index_of(names: &[&str], name: &str) -> Option<u8> {
        let index = names.iter().position(|known| known.eq_ignore_ascii_case(name))?;
        u8::try_from(index).ok()
    }

    /// The bits of names between commas; the first unknown one otherwise.
    pub(super) fn bits_of<'a>(names: &[&str], list: &'a str) -> Result<u64, &'a str> {
        let mut bits = 0;
        for name in list.split(',').filter(|name| !name.is_empty()) {
            bits |= 1 << Self::index_of(names, name).ok_or(name)?;
        }
        Ok(bits)
    }

    /// `old` with the changes of a list of switches; `default` stands for `default_bits`. None if it is malformed.
    pub(super) fn switch(names: &[&str], old: u64, default_bits: u64, list: &str) -> Option<u64> {
        let mut bits = old;
        for part in list.split(',').filter(|part| !part.is_empty()) {
            let Some((name, state)) = part.split_once('=') else {
                if !part.eq_ignore_ascii_case("default") {
                    return None;
                }
                bits = default_bits;
                continue;
            };
            let bit = 1 << Self::index_of(names, name.trim())?;
            let on = match state.trim().to_ascii_lowercase().as_str() {
                "on" => true,
                "off" => false,
                "default" => default_bits & bit != 0,
                _ => return None,
            };
            bits = if on { bits | bit } else { bits & !bit };
        }
        Some(bits)
    }
}
