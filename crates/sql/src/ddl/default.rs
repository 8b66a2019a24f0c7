//! Defaults: literals as a column stores them, and back.

use types::charset::{Charset, convert};
use types::column::{Column, ColumnType, Labels};
use types::context::Context;
use types::error::table::{ER_BLOB_CANT_HAVE_DEFAULT, ER_INVALID_DEFAULT, ER_INVALID_ON_UPDATE};
use types::row::{Offsets, RowLayout, read_column};
use types::temporal::TimeZone;
use types::value::{Value, ValueRef};
use types::warning::Level;

use super::{Result, expression};
use crate::parse::table::DefaultSpec;
use engine::catalog::def::DefaultValue;

/// The default of a column that is not NOT NULL PRIMARY and the like. Errors 1067, 1101, those of expressions.
pub(super) fn definition(
    spec: Option<&DefaultSpec>,
    column: &Column,
    context: &mut Context<'_>,
) -> Result<DefaultValue> {
    let invalid = || ER_INVALID_DEFAULT.error(&[&column.name]);
    match spec {
        None if !column.nullable => Ok(DefaultValue::None),
        None => Ok(DefaultValue::Null),
        Some(DefaultSpec::Null) if column.nullable => Ok(DefaultValue::Null),
        Some(DefaultSpec::Null | DefaultSpec::Temporal) => Err(invalid()),
        Some(DefaultSpec::Now(digits)) => {
            if takes_now(column.ty, *digits) {
                Ok(DefaultValue::Now)
            } else {
                Err(invalid())
            }
        }
        Some(DefaultSpec::Expression(expression)) => {
            let printed = expression::default(expression, &column.name, context.sql_mode)?;
            Ok(DefaultValue::Expression(printed.text))
        }
        Some(DefaultSpec::Literal(value)) if column.ty.is_lob() => lob_default(column, value, context),
        Some(DefaultSpec::Literal(value)) => stored(column, value, context).map(DefaultValue::Stored),
    }
}

/// Error 1294 unless the column takes ON UPDATE CURRENT_TIMESTAMP of these digits.
pub(super) fn check_on_update(ty: ColumnType, digits: u64, name: &str) -> Result<()> {
    if takes_now(ty, digits) { Ok(()) } else { Err(ER_INVALID_ON_UPDATE.error(&[&name])) }
}

fn takes_now(ty: ColumnType, digits: u64) -> bool {
    match ty {
        ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp } => u64::from(fsp) == digits,
        _ => false,
    }
}

/// TEXT, BLOB and JSON have no default; outside of strict mode an empty one of TEXT and BLOB is dropped with a warning.
fn lob_default(column: &Column, value: &Value, context: &mut Context<'_>) -> Result<DefaultValue> {
    let empty = matches!(value, Value::Str(bytes, _) | Value::Bytes(bytes) if bytes.is_empty());
    if !empty || context.strict || column.ty == ColumnType::Json {
        return Err(ER_BLOB_CANT_HAVE_DEFAULT.error(&[&column.name]));
    }
    context.warnings.push(Level::Warning, &ER_BLOB_CANT_HAVE_DEFAULT, &[&column.name]);
    Ok(if column.nullable { DefaultValue::Null } else { DefaultValue::None })
}

/// The bytes that a row has for this literal. Whatever had to be adjusted makes it invalid, in every mode.
pub(super) fn stored(column: &Column, value: &Value, context: &mut Context<'_>) -> Result<Vec<u8>> {
    let value = as_number(column.ty, value);
    if column.ty.labels().is_some_and(|labels| !are_labels(labels, column.ty, &value)) {
        return Err(ER_INVALID_DEFAULT.error(&[&column.name]));
    }
    let grave = |context: &Context<'_>| {
        context.warnings.entries().iter().filter(|entry| entry.level > Level::Note).count()
    };
    let before = grave(context);
    let mut bytes = Vec::new();
    let assigned = types::store::assign(column, value.as_ref(), context, &mut bytes);
    match assigned {
        Ok(true) if grave(context) == before => Ok(bytes),
        _ => Err(ER_INVALID_DEFAULT.error(&[&column.name])),
    }
}

/// Whether a literal is a label, or labels of a SET. The number of one is no default.
fn are_labels(labels: Labels, ty: ColumnType, literal: &Value) -> bool {
    let text = match literal {
        Value::Str(text, collation) => {
            let mut converted = Vec::with_capacity(text.len());
            convert(text, collation.charset(), labels.collation().charset(), &mut converted);
            converted
        }
        Value::Bytes(bytes) => bytes.clone(),
        _ => return false,
    };
    match ty {
        ColumnType::Set(_) => {
            text.is_empty() || text.split(|byte| *byte == b',').all(|name| labels.find(name).is_some())
        }
        _ => labels.find(&text).is_some(),
    }
}

/// Bits and hexadecimal digits are a number where the column holds numbers.
fn as_number(ty: ColumnType, value: &Value) -> Value {
    match value {
        Value::Bytes(bytes) if ty.is_numeric() && bytes.len() <= 8 => {
            Value::UInt(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
        }
        other => other.clone(),
    }
}

/// A stored default as expressions see it.
pub(crate) fn default_value(ty: ColumnType, stored: &[u8], time_zone: &TimeZone) -> Value {
    let row = [&[0], stored].concat();
    let layout = RowLayout::new([ty]);
    let mut offsets = Offsets::default();
    let is_sound = layout.offsets(&row, &mut offsets).is_ok();
    if is_sound { layout.value(&row, &offsets, 0, time_zone).to_value() } else { Value::Null }
}

/// A stored default as a client sees it: what `information_schema.columns` shows. Text is UTF-8, bytes are as they are,
/// bits are `b'101'`.
pub fn default_text(ty: ColumnType, stored: &[u8], time_zone: &TimeZone) -> Vec<u8> {
    if let (ColumnType::Bit { .. }, ValueRef::Bit(bits)) = (ty, read_column(ty, stored, time_zone)) {
        return format!("b'{:b}'", bits.number()).into_bytes();
    }
    let row = [&[0], stored].concat();
    let layout = RowLayout::new([ty]);
    let mut offsets = Offsets::default();
    let mut wire = Vec::new();
    if layout.offsets(&row, &mut offsets).is_ok() {
        layout.write_text_wire(&row, &offsets, 0, Charset::Utf8mb4, time_zone, &mut wire);
    }
    // The length comes first, in one byte up to 250.
    let length_size = match wire.first() {
        Some(0xFC) => 3,
        Some(0xFD) => 4,
        Some(0xFE) => 9,
        _ => 1,
    };
    wire.drain(..length_size.min(wire.len()));
    wire
}
