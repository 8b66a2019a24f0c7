//! JSON into a column, and a JSON value into a column of another type.
//!
//! A JSON column takes JSON values, and texts that are JSON. Of a JSON value a column of numbers takes the number, or that
//! of a string; one of dates and times takes a string; all others take the value's text. What the value does not have is
//! 3156. MySQL names the value's column there; ours names the one that is assigned to.

use super::{Target, assign, write_implicit_default};
use crate::column::{Column, ColumnType};
use crate::context::Context;
use crate::error::SqlError;
use crate::error::table::ER_INVALID_JSON_VALUE_FOR_CAST;
use crate::json::{Json, ParseError, encode};
use crate::row::write_length_and_bytes;
use crate::value::{JSON_COLLATION, Value, ValueRef, moment_in, number_in};
use crate::warning::Warnings;

const LENGTH_SIZE: u8 = 4;

/// Errors 3140, 3144, 3150, 3151 and 3157, in any mode.
pub(super) fn store(
    value: ValueRef<'_>,
    target: &mut Target<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<(), SqlError> {
    if let ValueRef::Json(bytes) = value {
        write_length_and_bytes(LENGTH_SIZE, bytes, out);
        return Ok(());
    }
    let parsed = match value.json_text()? {
        Some(text) => Json::parse(&text),
        None => Err(ParseError::Syntax { reason: "not a JSON text, may need CAST", position: 0 }),
    };
    let column = target.column;
    let json = parsed.map_err(|error| match &*column.table {
        "" => error.in_column(&column.name),
        table => error.in_column(&format!("{table}.{}", column.name)),
    })?;
    let mut bytes = Vec::new();
    encode(&json, &mut bytes)?;
    write_length_and_bytes(LENGTH_SIZE, &bytes, out);
    Ok(())
}

/// Appends `null`, which a NOT NULL column holds where nothing is known.
pub(super) fn write_null(out: &mut Vec<u8>) {
    let mut bytes = Vec::new();
    // A literal always has a binary form.
    let _ = encode(&Json::Null, &mut bytes);
    write_length_and_bytes(LENGTH_SIZE, &bytes, out);
}

/// Appends what a column of another type gets of a JSON value; false, and nothing appended, for NULL.
pub(super) fn assign_to_other(
    column: &Column,
    value: ValueRef<'_>,
    context: &mut Context<'_>,
    out: &mut Vec<u8>,
) -> Result<bool, SqlError> {
    match column.ty {
        ty if ty.is_numeric() => assign_number(column, value, context, out),
        ColumnType::Date
        | ColumnType::Time { .. }
        | ColumnType::DateTime { .. }
        | ColumnType::Timestamp { .. } => assign_temporal(column, value, context, out),
        _ => {
            let mut text = Vec::new();
            value.write_text(&mut text);
            assign(column, ValueRef::Str(&text, JSON_COLLATION), context, out)
        }
    }
}

fn assign_number(
    column: &Column,
    value: ValueRef<'_>,
    context: &mut Context<'_>,
    out: &mut Vec<u8>,
) -> Result<bool, SqlError> {
    let is_int = matches!(column.ty, ColumnType::Int(_));
    let (number, is_number) = number_in(value.to_json()?, is_int);
    if !is_number {
        invalid(column, context)?;
    }
    assign(column, number.as_ref(), context, out)
}

fn assign_temporal(
    column: &Column,
    value: ValueRef<'_>,
    context: &mut Context<'_>,
    out: &mut Vec<u8>,
) -> Result<bool, SqlError> {
    let is_time = matches!(column.ty, ColumnType::Time { .. });
    match moment_in(value.to_json()?, is_time) {
        Some(text @ Value::Str(..)) => {
            let mut quiet = Warnings::with_limit(0);
            let mut strict = Context { strict: true, warnings: &mut quiet, ..*context };
            let size = out.len();
            if assign(column, text.as_ref(), &mut strict, out).is_ok() {
                return Ok(true);
            }
            out.truncate(size);
        }
        Some(moment) => return assign(column, moment.as_ref(), context, out),
        None => {}
    }
    invalid(column, context)?;
    if !column.nullable {
        write_implicit_default(column.ty, out);
    }
    Ok(!column.nullable)
}

/// Error or warning 3156.
fn invalid(column: &Column, context: &mut Context<'_>) -> Result<(), SqlError> {
    let wanted = match column.ty {
        ColumnType::Int(_) => "INTEGER",
        ColumnType::Decimal { .. } => "DECIMAL",
        ColumnType::Date => "DATE",
        ColumnType::Time { .. } => "TIME",
        ColumnType::DateTime { .. } | ColumnType::Timestamp { .. } => "DATETIME/TIMESTAMP",
        _ => "DOUBLE",
    };
    let row = context.row;
    context.report(&ER_INVALID_JSON_VALUE_FOR_CAST, &[&wanted, &"", &column.name, &row])
}
