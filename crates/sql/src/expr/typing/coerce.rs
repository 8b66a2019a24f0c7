//! Bringing a value into the type that was announced for it.

use types::charset::Charset;
use types::collation::Collation;
use types::column::ColumnType;
use types::context::Context;
use types::decimal::Decimal;
use types::temporal::{DateTime, Time};
use types::value::{Value, ValueRef};

use super::result_type::{Kind, ResultType};

impl ResultType {
    /// The value in this type. Values of the type come back as they are; of other types, numbers become numbers,
    /// temporal values temporal ones, and anything becomes text. What has no such form comes back as it is.
    pub fn coerce(&self, value: Value, context: &Context<'_>) -> Value {
        if value.is_null() || self.fits(&value) {
            return value;
        }
        let from = value.as_ref();
        match self.kind {
            Kind::Char | Kind::Varchar | Kind::Lob(_) => self.to_text(from),
            Kind::Decimal => exact(from).map_or(value, Value::Decimal),
            Kind::Double => double(from).map_or(value, Value::Double),
            #[expect(clippy::cast_possible_truncation, reason = "a FLOAT is the nearest single")]
            Kind::Float => double(from).map_or(value, |number| Value::Float(number as f32)),
            Kind::Int(_) | Kind::Year => integer(from).unwrap_or(value),
            Kind::DateTime | Kind::Timestamp => {
                moment(from, context).map_or(value, |moment| Value::DateTime(moment.with_fsp(self.decimals)))
            }
            Kind::Time => time(from).map_or(value, |time| Value::Time(time.truncate_to(self.decimals))),
            Kind::Date => moment(from, context).map_or(value, |moment| Value::Date(moment.date())),
            Kind::Json => from.to_json().and_then(Value::json).unwrap_or(value),
            Kind::Null => value,
        }
    }

    /// Whether this is the column, of YEAR, BIT, ENUM or SET, that the value comes from: of other results such values
    /// are plain numbers and texts.
    pub(super) fn is_of_column(&self, value: ValueRef<'_>) -> bool {
        match (self.column, value) {
            (Some(ColumnType::Bit { .. }), ValueRef::Bit(_))
            | (Some(ColumnType::Year), ValueRef::Year(_)) => true,
            (Some(column), ValueRef::Chosen(chosen)) => column.labels() == Some(chosen.labels()),
            _ => false,
        }
    }

    /// Whether the value is of the type already.
    fn fits(&self, value: &Value) -> bool {
        match (self.kind, value) {
            (_, Value::Year(_) | Value::Bit(_) | Value::Chosen(_)) => self.is_of_column(value.as_ref()),
            (Kind::Int(_) | Kind::Year, Value::Int(_) | Value::UInt(_))
            | (Kind::Decimal, Value::Decimal(_))
            | (Kind::Float, Value::Float(_))
            | (Kind::Double, Value::Double(_))
            | (Kind::Date, Value::Date(_))
            | (Kind::Json, Value::Json(_))
            | (Kind::Null, _) => true,
            (Kind::Time, Value::Time(time)) => time.fsp() == self.decimals,
            (Kind::DateTime | Kind::Timestamp, Value::DateTime(moment)) => moment.fsp() == self.decimals,
            (kind, Value::Str(_, collation)) if kind.is_string() => *collation == self.text.collation,
            (kind, Value::Bytes(_)) if kind.is_string() => self.text.collation == Collation::Binary,
            _ => false,
        }
    }

    fn to_text(self, value: ValueRef<'_>) -> Value {
        let collation = self.text.collation;
        let mut text = Vec::new();
        match value {
            ValueRef::Str(..) | ValueRef::Chosen(_) | ValueRef::Json(_) => {
                value.write_text_in(collation.charset(), &mut text);
            }
            _ => value.write_text(&mut text),
        }
        if collation.charset() == Charset::Binary { Value::Bytes(text) } else { Value::Str(text, collation) }
    }
}

fn exact(value: ValueRef<'_>) -> Option<Decimal> {
    Some(match value {
        ValueRef::Int(number) => Decimal::from(number),
        ValueRef::UInt(number) => Decimal::from(number),
        ValueRef::Decimal(number) => number,
        ValueRef::Year(year) => Decimal::from(u64::from(year)),
        ValueRef::Bit(bits) => Decimal::from(bits.number()),
        ValueRef::Double(number) => Decimal::from_f64(number)?,
        ValueRef::Float(number) => Decimal::from_f64(f64::from(number))?,
        _ => return None,
    })
}

fn double(value: ValueRef<'_>) -> Option<f64> {
    Some(match value {
        ValueRef::Int(number) => number as f64,
        ValueRef::UInt(number) => number as f64,
        ValueRef::Decimal(number) => number.to_f64(),
        ValueRef::Year(year) => f64::from(year),
        ValueRef::Bit(bits) => bits.number() as f64,
        ValueRef::Chosen(chosen) => chosen.number() as f64,
        ValueRef::Double(number) => number,
        ValueRef::Float(number) => f64::from(number),
        _ => return None,
    })
}

fn integer(value: ValueRef<'_>) -> Option<Value> {
    match value {
        ValueRef::Decimal(number) => match number.to_i64() {
            Some(number) => Some(Value::Int(number)),
            None => number.to_u64().map(Value::UInt),
        },
        ValueRef::Date(date) => Some(Value::Int(date.to_number())),
        ValueRef::Time(time) => Some(Value::Int(time.round_to(0).to_number())),
        ValueRef::DateTime(moment) => Some(Value::Int(moment.round_to(0)?.to_number())),
        ValueRef::Year(year) => Some(Value::UInt(year.into())),
        ValueRef::Bit(bits) => Some(Value::UInt(bits.number())),
        _ => double(value).map(|number| Value::Int(types::number::double_to_i64(number))),
    }
}

fn moment(value: ValueRef<'_>, context: &Context<'_>) -> Option<DateTime> {
    match value {
        ValueRef::Date(date) => Some(DateTime::from_date(date)),
        ValueRef::DateTime(moment) => Some(moment),
        ValueRef::Time(time) => DateTime::from_date(context.today).with_fsp(6).add_micros(time.micros()),
        _ => None,
    }
}

fn time(value: ValueRef<'_>) -> Option<Time> {
    match value {
        ValueRef::Time(time) => Some(time),
        ValueRef::DateTime(moment) => Some(moment.time()),
        _ => None,
    }
}
