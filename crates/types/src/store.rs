//! Bringing a value into a column: INSERT, UPDATE, and whatever else assigns.
//!
//! [`assign`] converts any value to the column's type and appends its stored bytes. What does not fit is an error in
//! a strict statement, else it is adjusted and reported; messages and adjusted values are MySQL's:
//!
//! | what | number |
//! | --- | --- |
//! | a number out of range, a date beyond its month's days | 1264 |
//! | text that is no number | 1366, for integers with trailing rubbish 1265 |
//! | text too long | 1406; 1265 if not strict |
//! | text that the column's character set does not have | 1366 |
//! | no date or time | 1292; 1265 or 1264 if not strict |
//! | NULL | 1048 |
//!
//! Every rule was taken from, and is checked against, the answers of MySQL 9.7.4 to some 4,400 pairs of column and
//! value under both modes (`tests/data/assign.tsv`).

mod bits;
mod chosen;
mod decimal;
mod float;
mod int;
mod json;
mod string;
mod temporal;
mod year;

use crate::column::{Column, ColumnType};
use crate::context::Context;
use crate::error::SqlError;
use crate::error::table::{
    ER_BAD_NULL_ERROR, ER_TRUNCATED_WRONG_VALUE_FOR_FIELD, ER_WARN_DATA_OUT_OF_RANGE, WARN_DATA_TRUNCATED,
};
use crate::row::{RowBuilder, length_size, write_low_bytes};
use crate::temporal::{Date, DateTime, Time, Timestamp};
use crate::value::ValueRef;

/// Appends the stored bytes of `value` in `column`, with their length; false, and nothing appended, for NULL.
pub fn assign(
    column: &Column,
    value: ValueRef<'_>,
    context: &mut Context<'_>,
    out: &mut Vec<u8>,
) -> Result<bool, SqlError> {
    if value.is_null() {
        return assign_null(column, context, out);
    }
    if let ValueRef::Chosen(chosen) = value {
        match column.ty {
            ty if ty.fsp().is_some() => {
                return assign(column, ValueRef::Str(&chosen.text(), chosen.collation()), context, out);
            }
            ColumnType::Year | ColumnType::Bit { .. } => {
                return assign(column, ValueRef::UInt(chosen.number()), context, out);
            }
            _ => {}
        }
    }
    if matches!(value, ValueRef::Json(_)) && column.ty != ColumnType::Json {
        return json::assign_to_other(column, value, context, out);
    }
    let mut target = Target { column, context };
    match column.ty {
        ColumnType::Int(int) => int::store(int, value, &mut target, out)?,
        ColumnType::Decimal { precision, scale, sign } => {
            decimal::store(precision, scale, sign, value, &mut target, out)?;
        }
        ColumnType::Float(_) | ColumnType::Double(_) => float::store(value, &mut target, out)?,
        ColumnType::Enum(labels) => chosen::store_enum(labels, value, &mut target, out)?,
        ColumnType::Set(labels) => chosen::store_set(labels, value, &mut target, out)?,
        ColumnType::Bit { bits } => bits::store(bits, value, &mut target, out)?,
        ColumnType::Year => year::store(value, &mut target, out)?,
        ColumnType::Json => json::store(value, &mut target, out)?,
        ColumnType::Date => temporal::store_date(value, &mut target, out)?,
        ColumnType::Time { fsp } => temporal::store_time(fsp, value, &mut target, out)?,
        ColumnType::DateTime { fsp } => temporal::store_datetime(fsp, value, &mut target, out)?,
        ColumnType::Timestamp { fsp } => temporal::store_timestamp(fsp, value, &mut target, out)?,
        _ => string::store(value, &mut target, out)?,
    }
    Ok(true)
}

impl RowBuilder<'_, '_> {
    /// The next column of the row gets `value`, converted by [`assign`].
    pub fn assign(
        &mut self,
        column: &Column,
        value: ValueRef<'_>,
        context: &mut Context<'_>,
    ) -> Result<(), SqlError> {
        self.write(|out| assign(column, value, context, out))
    }
}

/// Appends what a NOT NULL column holds where nothing better is known: 0, '', `0000-00-00`, an ENUM's first label,
/// JSON's `null`.
pub fn write_implicit_default(ty: ColumnType, out: &mut Vec<u8>) {
    match ty {
        ColumnType::Decimal { precision, scale, .. } => {
            crate::decimal::Decimal::ZERO.write_stored(precision, scale, out);
        }
        ColumnType::Json => json::write_null(out),
        ColumnType::Enum(labels) => write_low_bytes(1, labels.enum_bytes(), out),
        ColumnType::Date => Date::ZERO.write_stored(out),
        ColumnType::Time { fsp } => Time::default().write_stored(fsp, out),
        ColumnType::DateTime { fsp } => DateTime::ZERO.write_stored(fsp, out),
        ColumnType::Timestamp { fsp } => Timestamp::ZERO.write_stored(fsp, out),
        _ => {
            let size = crate::row::fixed_size(ty).unwrap_or(usize::from(length_size(ty)));
            out.resize(out.len() + size, 0);
        }
    }
}

fn assign_null(column: &Column, context: &mut Context<'_>, out: &mut Vec<u8>) -> Result<bool, SqlError> {
    if column.nullable {
        return Ok(false);
    }
    if context.strict || !context.null_becomes_default {
        return Err(ER_BAD_NULL_ERROR.error(&[&column.name]));
    }
    context.report(&ER_BAD_NULL_ERROR, &[&column.name])?;
    write_implicit_default(column.ty, out);
    Ok(true)
}

/// A column that is being assigned to, and where to report.
struct Target<'t, 'c> {
    column: &'t Column,
    context: &'t mut Context<'c>,
}

impl Target<'_, '_> {
    /// "Out of range value for column '%s' at row %ld"
    fn out_of_range(&mut self) -> Result<(), SqlError> {
        let row = self.context.row;
        self.context.report(&ER_WARN_DATA_OUT_OF_RANGE, &[&self.column.name, &row])
    }

    /// "Data truncated for column '%s' at row %ld"
    fn truncated(&mut self) -> Result<(), SqlError> {
        let row = self.context.row;
        self.context.report(&WARN_DATA_TRUNCATED, &[&self.column.name, &row])
    }

    /// The same as a note, which is never an error.
    fn truncated_note(&mut self) {
        let row = self.context.row;
        self.context.note(&WARN_DATA_TRUNCATED, &[&self.column.name, &row]);
    }

    /// "Incorrect %s value: '%s' for column '%s' at row %ld"
    fn incorrect(&mut self, kind: &str, value: &str) -> Result<(), SqlError> {
        let row = self.context.row;
        self.context.report(&ER_TRUNCATED_WRONG_VALUE_FOR_FIELD, &[&kind, &value, &self.column.name, &row])
    }
}
