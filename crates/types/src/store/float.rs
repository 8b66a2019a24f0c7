//! FLOAT and DOUBLE.

use super::Target;
use crate::column::{ColumnType, FloatType};
use crate::error::SqlError;
use crate::number::{is_whole, parse_double, round_fixed};
use crate::value::ValueRef;

pub(super) fn store(
    value: ValueRef<'_>,
    target: &mut Target<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<(), SqlError> {
    let (float, kind) = match target.column.ty {
        ColumnType::Float(float) => (float, "FLOAT"),
        ColumnType::Double(float) => (float, "DOUBLE"),
        _ => return Ok(()),
    };
    let number = match value {
        ValueRef::Str(..) | ValueRef::Bytes(_) => from_text(kind, value, target)?,
        _ => value.to_f64(target.context)?.unwrap_or(0.0),
    };
    let single = kind == "FLOAT";
    let fitted = fitted(number, float, single);
    if fitted.1 {
        target.out_of_range()?;
    }
    if single {
        out.extend_from_slice(&to_single(fitted.0).to_le_bytes());
    } else {
        out.extend_from_slice(&fitted.0.to_le_bytes());
    }
    Ok(())
}

fn from_text(kind: &str, value: ValueRef<'_>, target: &mut Target<'_, '_>) -> Result<f64, SqlError> {
    let text = value.string_bytes().unwrap_or_default();
    let parsed = parse_double(&text);
    if parsed.size == 0 || !is_whole(&text, parsed.size) {
        target.incorrect(kind, &value.to_message())?;
    } else if parsed.overflow {
        target.out_of_range()?;
    }
    Ok(parsed.value)
}

/// The nearest number that the type holds, and whether that is another one than rounding gives.
fn fitted(number: f64, float: FloatType, single: bool) -> (f64, bool) {
    if float.sign.is_unsigned() && number < 0.0 {
        return (0.0, true);
    }
    let mut most = if single { f64::from(f32::MAX) } else { f64::MAX };
    let mut number = number;
    if let Some((m, d)) = float.digits {
        most = most.min((10_f64.powi(i32::from(m)) - 1.0) / 10_f64.powi(i32::from(d)));
        number = round_fixed(number, d);
    }
    if number.abs() > most { (most.copysign(number), true) } else { (number, false) }
}

#[expect(clippy::cast_possible_truncation, reason = "a FLOAT column keeps the nearest single")]
fn to_single(number: f64) -> f32 {
    number as f32
}
