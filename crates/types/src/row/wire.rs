//! Columns of a row straight into resultset rows.

#![deny(clippy::indexing_slicing)]

use super::unpack::{read_signed, read_unsigned, read_year};
use super::{Offsets, RowLayout, read_column};
use crate::charset::Charset;
use crate::column::{ColumnType, FloatType, IntSize, IntType};
use crate::number::write_fixed;
use crate::temporal::TimeZone;
use crate::value::ValueRef;
pub use crate::value::{write_lenenc, write_lenenc_int};

impl RowLayout {
    /// Appends a column as one of a text resultset row. Text is converted to `results`, the session's
    /// `character_set_results` (`binary`: not at all); a TIMESTAMP is shown in `time_zone`.
    pub fn write_text_wire(
        &self,
        row: &[u8],
        offsets: &Offsets,
        column: usize,
        results: Charset,
        time_zone: &TimeZone,
        out: &mut Vec<u8>,
    ) {
        let (Some(bytes), Some(slot)) = (self.column(row, offsets, column), self.slots.get(column)) else {
            ValueRef::Null.write_text_wire(results, out);
            return;
        };
        write_text(slot.ty, read_column(slot.ty, bytes, time_zone), results, out);
    }

    /// Appends a column as one of a binary resultset row; nothing for NULL, which is a bit in that row's bitmap.
    /// True if the column is not NULL.
    pub fn write_binary_wire(
        &self,
        row: &[u8],
        offsets: &Offsets,
        column: usize,
        results: Charset,
        time_zone: &TimeZone,
        out: &mut Vec<u8>,
    ) -> bool {
        let (Some(bytes), Some(slot)) = (self.column(row, offsets, column), self.slots.get(column)) else {
            return false;
        };
        match slot.ty {
            // A MEDIUMINT travels in four bytes, the others in those that they have.
            ColumnType::Int(int) if int.size == IntSize::Medium => write_medium(int, bytes, out),
            ColumnType::Int(_) | ColumnType::Float(_) | ColumnType::Double(_) => out.extend_from_slice(bytes),
            ColumnType::Year => out.extend_from_slice(&read_year(bytes).to_le_bytes()),
            _ => {
                let value = read_column(slot.ty, bytes, time_zone);
                if slot.ty.is_zerofill() {
                    write_text(slot.ty, value, results, out);
                } else {
                    value.write_binary_wire(results, out);
                }
            }
        }
        true
    }
}

fn write_medium(int: IntType, bytes: &[u8], out: &mut Vec<u8>) {
    let wide = if int.is_unsigned() { read_unsigned(bytes) } else { read_signed(int, bytes).cast_unsigned() };
    out.extend_from_slice(&wide.to_le_bytes()[..4]);
}

fn write_text(ty: ColumnType, value: ValueRef<'_>, results: Charset, out: &mut Vec<u8>) {
    let digits = match ty {
        ColumnType::Float(FloatType { digits: Some((_, d)), .. })
        | ColumnType::Double(FloatType { digits: Some((_, d)), .. }) => Some(d),
        _ => None,
    };
    if digits.is_none() && !ty.is_zerofill() {
        value.write_text_wire(results, out);
        return;
    }
    let mut text = Vec::new();
    match (digits, value) {
        (Some(d), ValueRef::Float(number)) => write_fixed(f64::from(number), d, &mut text),
        (Some(d), ValueRef::Double(number)) => write_fixed(number, d, &mut text),
        _ => value.write_text(&mut text),
    }
    let zeros = zerofill_width(ty).saturating_sub(text.len());
    write_lenenc_int((zeros + text.len()) as u64, out);
    out.resize(out.len() + zeros, b'0');
    out.extend_from_slice(&text);
}

/// The width up to which ZEROFILL pads; 0 without it.
fn zerofill_width(ty: ColumnType) -> usize {
    if !ty.is_zerofill() {
        return 0;
    }
    match ty {
        ColumnType::Int(int) => usize::from(int.width),
        ColumnType::Decimal { precision, scale, .. } => usize::from(precision) + usize::from(scale > 0),
        ColumnType::Float(FloatType { digits, .. }) => digits.map_or(12, |(m, _)| usize::from(m)),
        ColumnType::Double(FloatType { digits, .. }) => digits.map_or(22, |(m, _)| usize::from(m)),
        _ => 0,
    }
}
