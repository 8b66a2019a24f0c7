//! JSON_PRETTY: a line for each item and member, two blanks for each level. Empty arrays and objects take no line.

use super::Json;
use super::print::{write_name, write_scalar};

/// Appends the text in many lines.
pub fn pretty(value: &Json, out: &mut Vec<u8>) {
    write(value, 0, out);
}

fn write(value: &Json, level: usize, out: &mut Vec<u8>) {
    match value {
        Json::Array(items) if items.is_empty() => out.extend_from_slice(b"[]"),
        Json::Object(object) if object.is_empty() => out.extend_from_slice(b"{}"),
        Json::Array(items) => {
            out.push(b'[');
            for (at, item) in items.iter().enumerate() {
                begin_line(at, level + 1, out);
                write(item, level + 1, out);
            }
            end(b']', level, out);
        }
        Json::Object(object) => {
            out.push(b'{');
            for (at, (name, value)) in object.iter().enumerate() {
                begin_line(at, level + 1, out);
                write_name(name, out);
                write(value, level + 1, out);
            }
            end(b'}', level, out);
        }
        scalar => write_scalar(scalar, out),
    }
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
