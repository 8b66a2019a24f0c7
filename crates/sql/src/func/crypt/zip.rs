//! COMPRESS, UNCOMPRESS, UNCOMPRESSED_LENGTH: four bytes of the text's size, low byte first, then zlib's (RFC 1950). Nothing of
//! nothing; a `.` behind what would end with a space.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use types::column::IntSize;
use types::context::Context;
use types::error::{Condition, SqlError};
use types::value::Value;
use types::warning::Level;

use crate::expr::typing::TextType;
use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::{self, or_null};
use crate::func::error::condition;
use crate::func::{EvalResult, Function, Typed};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("compress", (1, 1), compress, type_compress),
    Function::new("uncompress", (1, 1), uncompress, type_uncompress),
    Function::new("uncompressed_length", (1, 1), uncompressed_length, type_length),
];

const ER_TOO_BIG_FOR_UNCOMPRESS: Condition = condition(
    1256,
    "HY000",
    "ER_TOO_BIG_FOR_UNCOMPRESS",
    "Uncompressed data size too large; the maximum size is %d (probably, length of uncompressed data was corrupted)",
);
const ER_ZLIB_Z_BUF_ERROR: Condition = condition(
    1258,
    "HY000",
    "ER_ZLIB_Z_BUF_ERROR",
    "ZLIB: Not enough room in the output buffer (probably, length of uncompressed data was corrupted)",
);
const ER_ZLIB_Z_DATA_ERROR: Condition =
    condition(1259, "HY000", "ER_ZLIB_Z_DATA_ERROR", "ZLIB: Input data corrupted");

/// Bits of the first four bytes that are the size.
const SIZE_BITS: u32 = 0x3fff_ffff;

fn compress<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = or_null!(args::text(&args[0], inputs, context)?);
    let Some(size) = u32::try_from(text.bytes.len()).ok().filter(|size| *size > 0) else {
        return Ok(Ev::Own(Value::Bytes(Vec::new())));
    };
    let mut encoder = ZlibEncoder::new((size & SIZE_BITS).to_le_bytes().to_vec(), Compression::default());
    let made = encoder.write_all(&text.bytes).and_then(|()| encoder.finish());
    let mut out = made.expect("a buffer takes everything");
    if out.last() == Some(&b' ') {
        out.push(b'.');
    }
    Ok(Ev::Own(Value::Bytes(out)))
}

fn uncompress<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = or_null!(args::text(&args[0], inputs, context)?);
    if text.bytes.is_empty() {
        return Ok(Ev::Own(Value::Bytes(Vec::new())));
    }
    let size_max = context.result_size_max;
    let mut warn = |condition, args: &[&dyn std::fmt::Display]| {
        context.warnings.push(Level::Warning, condition, args);
        Ok(Ev::NULL)
    };
    let Some((size, packed)) = text.bytes.split_first_chunk().filter(|(_, packed)| !packed.is_empty()) else {
        return warn(&ER_ZLIB_Z_DATA_ERROR, &[]);
    };
    let size = (u32::from_le_bytes(*size) & SIZE_BITS) as usize;
    if size > size_max {
        return warn(&ER_TOO_BIG_FOR_UNCOMPRESS, &[&size_max]);
    }
    let mut out = Vec::new();
    let read = ZlibDecoder::new(packed).take(size as u64 + 1).read_to_end(&mut out);
    match read {
        Ok(read) if read > size => warn(&ER_ZLIB_Z_BUF_ERROR, &[]),
        Ok(_) => Ok(Ev::Own(Value::Bytes(out))),
        Err(_) => warn(&ER_ZLIB_Z_DATA_ERROR, &[]),
    }
}

fn uncompressed_length<'a>(
    args: &'a [Expr],
    inputs: &Inputs<'a>,
    context: &mut Context<'_>,
) -> EvalResult<'a> {
    let text = or_null!(args::text(&args[0], inputs, context)?);
    let size = match text.bytes.split_first_chunk() {
        Some((size, packed)) if !packed.is_empty() => u32::from_le_bytes(*size) & SIZE_BITS,
        _ => {
            if !text.bytes.is_empty() {
                context.warnings.push(Level::Warning, &ER_ZLIB_Z_DATA_ERROR, &[]);
            }
            0
        }
    };
    Ok(Ev::Own(Value::Int(size.into())))
}

/// zlib's bound, the size, and the `.`.
fn type_compress(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let size = call.arg(0).bytes();
    let bound = [12, 14, 25].iter().fold(size, |bound, bits| bound.saturating_add(size >> bits));
    Ok(ResultType::string(bound.saturating_add(18), TextType::BINARY).or_null())
}

fn type_uncompress(_: &Typed<'_>) -> Result<ResultType, SqlError> {
    Ok(ResultType::string(u32::MAX, TextType::BINARY).or_null())
}

fn type_length(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    Ok(ResultType::int(IntSize::Int, 10).nullable_if(call.nullable()))
}
