//! What SET makes of a value, kind by kind.
//!
//! | kind | integer | fraction | text | NULL |
//! | --- | --- | --- | --- | --- |
//! | ON/OFF | 0, 1, else 1231 | 1232 | ON, OFF, TRUE, FALSE, else 1231 | 1231 |
//! | number | brought within the limits with warning 1292 | 1232 | 1232 | 1232 |
//! | number with a fraction | the same | the same | 1232 | 1232 |
//! | choice, set | by number, else 1231 | 1232 | by name, else 1231 | 1231 |
//! | text | 1232 | 1232 | taken | 1231, or NULL where that is allowed |
//! | character set, collation | by id | 1232 | by name (`check`) | 1231 |
//!
//! With STRICT_ALL_TABLES a number beyond its limits is error 1231. Recorded from MySQL 8.0.46:
//! `tests/data/set-8.0.46.tsv`.

use types::collation::known_by_id;
use types::error::SqlError;
use types::error::table::{
    ER_UNKNOWN_CHARACTER_SET, ER_UNKNOWN_COLLATION, ER_WRONG_TYPE_FOR_VAR, ER_WRONG_VALUE_FOR_VAR,
};
use types::sql_mode::SqlMode;
use types::value::Value;

use super::kind::Kind;
use super::value::Val;
use super::variable::Variable;

/// A value that fits its variable's kind, not checked further.
#[derive(Debug)]
pub(super) struct Converted {
    pub(super) val: Val,
    /// Whether a number was beyond its limits.
    pub(super) is_truncated: bool,
}

impl From<Val> for Converted {
    fn from(val: Val) -> Self {
        Self { val, is_truncated: false }
    }
}

/// What a value is to SET.
enum Given {
    Negative,
    Number(u64),
    Fraction(f64),
    Text(String),
    Null,
}

impl Given {
    fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Int(number) => u64::try_from(*number).map_or(Self::Negative, Self::Number),
            Value::UInt(number) => Self::Number(*number),
            Value::Decimal(number) => Self::Fraction(number.to_f64()),
            Value::Float(number) => Self::Fraction(f64::from(*number)),
            Value::Double(number) => Self::Fraction(*number),
            _ => {
                let mut text = Vec::new();
                value.as_ref().write_text(&mut text);
                Self::Text(String::from_utf8_lossy(&text).into_owned())
            }
        }
    }
}

/// Brings a value into a variable's kind. `old` is what it holds, for values that change a part.
pub(super) fn convert(variable: &Variable, old: &Val, value: &Value) -> Result<Converted, SqlError> {
    let name = variable.name;
    let wrong_type = || ER_WRONG_TYPE_FOR_VAR.error(&[&name]);
    let wrong_value = || ER_WRONG_VALUE_FOR_VAR.error(&[&name, &value.as_ref().to_message()]);
    let given = Given::of(value);
    match variable.kind {
        Kind::UInt { min, max, step } => match given {
            Given::Negative => Ok(Converted { val: Val::UInt(min), is_truncated: true }),
            Given::Number(number) => Ok(bounded(number, (min, max), step)),
            _ => Err(wrong_type()),
        },
        Kind::Double { min, max } => match given {
            Given::Negative => Ok(Converted { val: Val::Double(min), is_truncated: true }),
            Given::Number(number) => Ok(bounded_double(number as f64, (min, max))),
            Given::Fraction(number) => Ok(bounded_double(number, (min, max))),
            _ => Err(wrong_type()),
        },
        Kind::Text { nullable } => match given {
            Given::Text(text) => Ok(Val::text(&text).into()),
            Given::Null if nullable => Ok(Val::Null.into()),
            Given::Null => Err(wrong_value()),
            Given::Negative | Given::Number(_) if variable.takes_ids() => by_id(name, value),
            // What mysqlbinlog says: the locale's number.
            Given::Number(0) if name.starts_with("lc_") => Ok(Val::text("en_US").into()),
            _ => Err(wrong_type()),
        },
        Kind::SqlMode => match given {
            Given::Number(bits) => Ok(Val::Flags(SqlMode::from_bits(bits)?.bits()).into()),
            Given::Text(list) => Ok(Val::Flags(SqlMode::parse(&list)?.bits()).into()),
            Given::Fraction(_) => Err(wrong_type()),
            _ => Err(wrong_value()),
        },
        kind => {
            if matches!(given, Given::Fraction(_)) {
                return Err(wrong_type());
            }
            by_name(kind, old, &variable.initial_value(), &given).map(Converted::from).ok_or_else(wrong_value)
        }
    }
}

impl Variable {
    /// Whether numbers stand for character sets or collations.
    fn takes_ids(&self) -> bool {
        ["character_set_", "collation_", "default_collation_"]
            .iter()
            .any(|start| self.name.starts_with(start))
    }
}

fn by_id(name: &str, value: &Value) -> Result<Converted, SqlError> {
    let message = value.as_ref().to_message();
    let known = match value {
        Value::Int(id) => u16::try_from(*id).ok().and_then(known_by_id),
        Value::UInt(id) => u16::try_from(*id).ok().and_then(known_by_id),
        _ => None,
    };
    match known {
        Some(known) if name.contains("collation") => Ok(Val::text(known.or_default().name()).into()),
        Some(known) => Ok(Val::text(known.or_default().charset().name()).into()),
        None if name.contains("collation") => Err(ER_UNKNOWN_COLLATION.error(&[&message])),
        None => Err(ER_UNKNOWN_CHARACTER_SET.error(&[&message])),
    }
}

fn by_name(kind: Kind, old: &Val, initial: &Val, given: &Given) -> Option<Val> {
    Some(match (kind, given) {
        (Kind::Toggle, Given::Number(number @ 0..=1)) => Val::Bool(*number == 1),
        (Kind::Toggle, Given::Text(text)) => match text.to_ascii_lowercase().as_str() {
            "on" | "true" => Val::Bool(true),
            "off" | "false" => Val::Bool(false),
            _ => return None,
        },
        (Kind::Choice(names), Given::Number(number)) => {
            let index = u8::try_from(*number).ok()?;
            Val::Choice(index).in_names(names, usize::from(index))?
        }
        (Kind::Choice(names), Given::Text(text)) => Val::Choice(Kind::index_of(names, text)?),
        (Kind::Flags(names) | Kind::Switches(names), Given::Number(bits)) => {
            if *bits >> names.len() != 0 {
                return None;
            }
            Val::Flags(*bits)
        }
        (Kind::Flags(names), Given::Text(list)) => Val::Flags(Kind::bits_of(names, list).ok()?),
        (Kind::Switches(names), Given::Text(list)) => {
            Val::Flags(Kind::switch(names, old.flags(), initial.flags(), list)?)
        }
        _ => return None,
    })
}

impl Val {
    fn in_names(self, names: &[&str], index: usize) -> Option<Self> {
        (index < names.len()).then_some(self)
    }
}

/// The multiple of `step` within the limits that is nearest below.
pub(super) fn bounded(number: u64, (min, max): (u64, u64), step: u64) -> Converted {
    let within = number.min(max);
    let val = (within - within % step).max(min);
    Converted { val: Val::UInt(val), is_truncated: val != number }
}

/// The number within the limits that is nearest.
pub(super) fn bounded_double(number: f64, (min, max): (f64, f64)) -> Converted {
    let val = number.clamp(min, max);
    Converted { val: Val::Double(val), is_truncated: (val - number).abs() > 0.0 }
}
