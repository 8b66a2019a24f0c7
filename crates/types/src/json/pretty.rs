//! JSON_PRETTY: a line for each item and member, two blanks for each level. Empty arrays and objects take no line.

use super::print::{write_name, write_scalar};
use super::{Json, TooLarge};

/// The text in many lines, of at most `size_max` bytes.
pub fn pretty(value: &Json, size_max: usize) -> Result<Vec<u8>, TooLarge> {
    let mut out = Vec::new();
    write(value, 0, size_max, &mut out)?;
    Ok(out)
}

fn write(value: &Json, level: usize, size_max: usize, out: &mut Vec<u8>) -> Result<(), TooLarge> {
    match value {
        Json::Array(items) if items.is_empty() => out.extend_from_slice(b"[]"),
        Json::Object(object) if object.is_empty() => out.extend_from_slice(b"{}"),
        Json::Array(items) => {
            out.push(b'[');
            for (at, item) in items.iter().enumerate() {
                begin_line(at, level + 1, out);
                write(item, level + 1, size_max, out)?;
            }
            end(b']', level, out);
        }
        Json::Object(object) => {
            out.push(b'{');
            for (at, (name, value)) in object.iter().enumerate() {
                begin_line(at, level + 1, out);
                write_name(name, out);
                write(value, level + 1, size_max, out)?;
            }
            end(b'}', level, out);
        }
        scalar => write_scalar(scalar, out),
    }
    if out.len() > size_max { Err(TooLarge) } else { Ok(()) }
}

fn begin_line(at: usize, level: usize, out: &mut Vec<u8>) {
    if at > 0 {
        out.push(b',');
    }
    out.push(b'\n');
    out.extend(std::iter::repeat_n(b' ', 2 * level));
}

fn end(bracket: u8, level: usize, out: &mut Vec<u8>) {
    begin_line(0, level, out);
    out.push(bracket);
}
