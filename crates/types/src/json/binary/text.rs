//! Binary form to text, without a tree: what SELECT of a JSON column does.

#![deny(clippy::indexing_slicing)]

use super::read::{Budget, Container, Item, Result, document};
use crate::json::print::{
    write_comma, write_integer, write_json_double, write_name, write_quoted_date, write_quoted_datetime,
    write_quoted_opaque, write_quoted_time, write_string,
};

/// Appends the text of the document in `bytes`, which may be damaged. After an error `out` is as it was.
pub fn write_binary_text(bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    let (item, mut budget) = document(bytes)?;
    let result = write(item, &mut budget, out);
    if result.is_err() {
        out.truncate(start);
    }
    result
}

fn write(item: Item<'_>, budget: &mut Budget, out: &mut Vec<u8>) -> Result<()> {
    match item {
        Item::Null => out.extend_from_slice(b"null"),
        Item::Bool(value) => out.extend_from_slice(if value { b"true" } else { b"false" }),
        Item::Int(value) => write_integer(value, out),
        Item::UInt(value) => write_integer(value, out),
        Item::Double(value) => write_json_double(value, out),
        Item::String(text) => write_string(text, out),
        Item::Decimal(value) => value.write_text(out),
        Item::Date(value) => write_quoted_date(value, out),
        Item::Time(value) => write_quoted_time(value, out),
        Item::DateTime(value) | Item::Timestamp(value) => write_quoted_datetime(value, out),
        Item::Opaque { field_type, bytes } => write_quoted_opaque(field_type, bytes, out),
        Item::Container(container) => {
            budget.enter()?;
            write_members(&container, budget, out)?;
            budget.leave();
        }
    }
    Ok(())
}

fn write_members(container: &Container<'_>, budget: &mut Budget, out: &mut Vec<u8>) -> Result<()> {
    out.push(if container.object { b'{' } else { b'[' });
    for at in 0..container.count {
        write_comma(at, out);
        if container.object {
            write_name(container.name(at, budget)?, out);
        }
        write(container.value(at, budget)?, budget, out)?;
    }
    out.push(if container.object { b'}' } else { b']' });
    Ok(())
}
