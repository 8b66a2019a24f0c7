//! Values of parameters, in the types of their places ([`crate::bind`] notes these).

use std::collections::BTreeMap;

use types::context::Context;
use types::decimal::Decimal;
use types::error::SqlError;
use types::error::table::ER_TRUNCATED_WRONG_VALUE;
use types::number::is_whole;
use types::temporal::{DateTime, Time, parse_time};
use types::value::{Value, ValueRef, lax_datetime, moment_of_text};

/// What parameters that stand beside each other are taken for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    /// How they stand there.
    pub(crate) place: ParamPlace,
    /// By what is beside them, as far as the plan knows.
    pub(crate) class: Option<Class>,
    /// The literals beside them, by their numbers.
    pub(crate) literals: Vec<usize>,
}

/// What is known of a statement's parameters.
#[derive(Clone, Debug, Default)]
pub struct ParamTypes {
    taken: Vec<Taken>,
    /// A parameter's place in that list, by its number.
    places: BTreeMap<usize, usize>,
}

impl ParamTypes {
    /// Notes what parameters are taken for, by their numbers.
    pub(crate) fn note(&mut self, params: impl IntoIterator<Item = usize>, taken: Taken) {
        let place = self.taken.len();
        self.taken.push(taken);
        self.places.extend(params.into_iter().map(|param| (param, place)));
    }
}

/// How a parameter stands beside others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParamPlace {
    /// They are added, multiplied and so on.
    Arithmetic,
    /// They are compared, and a text that is no date is NULL.
    Compared,
    /// They are compared, and a text that is no date is the date 0: in IN, BETWEEN, CASE and `<=>`.
    CompareOrZero,
    /// One of them is the result.
    Result,
    /// It is an argument whose type is the function's to say.
    Alone,
}

/// A type that a text can be read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Integer,
    Decimal,
    Date,
    DateTime,
    Time,
    /// A date, or a date and time.
    Moment,
}

impl Class {
    /// The class of both.
    pub(crate) fn with(self, other: Self) -> Option<Self> {
        match (self, other) {
            (one, other) if one == other => Some(one),
            (Self::Integer | Self::Decimal, Self::Integer | Self::Decimal) => Some(Self::Decimal),
            (Self::Date | Self::DateTime, Self::Date | Self::DateTime) => Some(Self::DateTime),
            _ => None,
        }
    }

    /// That of a literal; NULL has none, and does not matter.
    fn of_literal(value: &Value) -> Result<Option<Self>, ()> {
        match value {
            Value::Null => Ok(None),
            Value::Int(_) | Value::UInt(_) => Ok(Some(Self::Integer)),
            Value::Decimal(_) => Ok(Some(Self::Decimal)),
            _ => Err(()),
        }
    }
}

impl Taken {
    /// The class with these literals; `None` if the parameter stays what it is.
    fn class(&self, literals: &[Value]) -> Option<Class> {
        let mut class = self.class;
        for number in &self.literals {
            let its = Class::of_literal(literals.get(*number)?).ok()?;
            class = match (class, its) {
                (Some(class), Some(its)) => Some(class.with(its)?),
                (class, its) => class.or(its),
            };
        }
        class
    }
}

fn may_be_other(value: ValueRef<'_>) -> bool {
    matches!(value, ValueRef::Str(..) | ValueRef::Bytes(_) | ValueRef::DateTime(_))
}

/// The values that are others in the types of their places, with the parameters' numbers. Warnings and, of a strict change,
/// errors 1292 for what is no such value.
pub fn adapt(
    known: &ParamTypes,
    values: &[ValueRef<'_>],
    literals: &[Value],
    context: &mut Context<'_>,
) -> Result<Vec<(usize, Value)>, SqlError> {
    let mut adapted = Vec::new();
    if known.places.is_empty() || !values.iter().any(|value| may_be_other(*value)) {
        return Ok(adapted);
    }
    let classes: Vec<Option<Class>> = known.taken.iter().map(|taken| taken.class(literals)).collect();
    for (number, place) in &known.places {
        let Some(value) = values.get(*number).filter(|value| may_be_other(**value)) else { continue };
        let (Some(class), taken) = (classes[*place], &known.taken[*place]) else { continue };
        let new = match (class, *value) {
            // A moment beside a time is the time of its day.
            (Class::Time, ValueRef::DateTime(moment)) => Some(Value::Time(moment.time())),
            (_, ValueRef::Str(..) | ValueRef::Bytes(_)) => in_class(class, taken.place, *value, context)?,
            _ => None,
        };
        adapted.extend(new.map(|new| (*number, new)));
    }
    Ok(adapted)
}

fn in_class(
    class: Class,
    place: ParamPlace,
    text: ValueRef<'_>,
    context: &mut Context<'_>,
) -> Result<Option<Value>, SqlError> {
    let bytes = text.string_bytes().unwrap_or_default();
    let (read, name) = match class {
        Class::Moment => return Ok(moment_of_text(&bytes, context)),
        Class::Integer | Class::Decimal => return number(class, place, text, &bytes, context),
        Class::Date => (lax_datetime(&bytes, context).map(Value::DateTime), "date"),
        Class::DateTime => (lax_datetime(&bytes, context).map(Value::DateTime), "datetime"),
        Class::Time => {
            let parsed = parse_time(&bytes, context.cuts_fractions()).filter(|parsed| !parsed.truncated);
            (parsed.map(|parsed| Value::Time(parsed.value)), "time")
        }
    };
    if place == ParamPlace::Result {
        return Ok(read.map(|read| match read {
            Value::DateTime(moment) if class == Class::Date => Value::Date(moment.date()),
            read => read,
        }));
    }
    if read.is_some() {
        return Ok(read);
    }
    if class == Class::DateTime {
        let message = format!("Incorrect datetime value: '{}'", text.to_message());
        context.report_text(&ER_TRUNCATED_WRONG_VALUE, message)?;
    } else {
        context.report(&ER_TRUNCATED_WRONG_VALUE, &[&name, &text.to_message()])?;
    }
    Ok(Some(match (place, class) {
        (ParamPlace::CompareOrZero, Class::Time) => Value::Time(Time::default()),
        (ParamPlace::CompareOrZero, _) => Value::DateTime(DateTime::ZERO),
        _ => Value::Null,
    }))
}

/// A text as a number: an integer if it is written as one and there is one, else a DECIMAL.
fn number(
    class: Class,
    place: ParamPlace,
    text: ValueRef<'_>,
    bytes: &[u8],
    context: &mut Context<'_>,
) -> Result<Option<Value>, SqlError> {
    let parsed = Decimal::parse_prefix(bytes);
    if parsed.overflow {
        return Ok(None);
    }
    if parsed.size == 0 || !is_whole(bytes, parsed.size) {
        let is_integer =
            class == Class::Integer && place != ParamPlace::Compared && place != ParamPlace::CompareOrZero;
        let name = if is_integer { "INTEGER" } else { "DECIMAL" };
        context.report(&ER_TRUNCATED_WRONG_VALUE, &[&name, &text.to_message()])?;
    }
    let decimal = parsed.value;
    let is_integer = class == Class::Integer
        && bytes.trim_ascii().iter().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-'))
        || parsed.size == 0;
    let integer = || decimal.to_i64().map(Value::Int).or_else(|| decimal.to_u64().map(Value::UInt));
    let integer = if is_integer { integer() } else { None };
    Ok(Some(integer.unwrap_or(Value::Decimal(decimal))))
}
