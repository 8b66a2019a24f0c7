//! What a text's type is: CHARSET, COLLATION, COERCIBILITY, WEIGHT_STRING.

use types::collation::{Collation, unicode};
use types::context::Context;
use types::error::SqlError;
use types::value::Value;

use crate::expr::typing::{Kind, TextType};
use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::{self, ascii, or_null};
use crate::func::{EvalResult, Function, Typed};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("charset", (1, 1), charset, type_name),
    Function::new("collation", (1, 1), collation, type_name),
    Function::new("coercibility", (1, 1), coercibility, |call| Ok(call.int(10).nullable_if(false))),
    Function::new("weight_string", (1, 1), weight_string, type_weight_string),
];

const NAME_CHARS: u32 = 64;
/// As short as weights are announced.
const WEIGHTS_SIZE_MIN: u32 = 8;

fn type_name(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    Ok(call.ascii(NAME_CHARS).or_null())
}

/// Numbers and dates are `binary`.
fn own(expr: &Expr, inputs: &Inputs<'_>) -> Result<Collation, SqlError> {
    let ty = expr.result_type(&inputs.types())?;
    Ok(if ty.kind.is_string() || ty.kind == Kind::Json { ty.text.collation } else { Collation::Binary })
}

fn charset<'a>(args: &'a [Expr], inputs: &Inputs<'a>, _: &mut Context<'_>) -> EvalResult<'a> {
    Ok(ascii(own(&args[0], inputs)?.charset().name(), inputs))
}

fn collation<'a>(args: &'a [Expr], inputs: &Inputs<'a>, _: &mut Context<'_>) -> EvalResult<'a> {
    Ok(ascii(own(&args[0], inputs)?.name(), inputs))
}

fn coercibility<'a>(args: &'a [Expr], inputs: &Inputs<'a>, _: &mut Context<'_>) -> EvalResult<'a> {
    let types = inputs.types();
    let strength = args[0].output_type(&types)?.text_type(types.connection()).strength;
    Ok(Ev::Own(Value::Int(strength as i64)))
}

/// The weights of a text's characters, in two bytes for most Unicode sets; NULL of numbers.
fn weight_string<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = or_null!(args::text(&args[0], inputs, context)?);
    if !text.is_string {
        return Ok(Ev::NULL);
    }
    let charset = text.charset();
    let mut out = Vec::with_capacity(text.bytes.len() * 2);
    if text.collation.uca_weight_string(&text.bytes, &mut out) {
        return Ok(Ev::Own(Value::Bytes(out)));
    }
    let mut rest: &[u8] = &text.bytes;
    while !rest.is_empty() {
        let (code, size) = charset.first_char(rest);
        match text.collation {
            Collation::Utf8mb4GeneralCi | Collation::Utf8mb3GeneralCi => {
                out.extend_from_slice(&unicode::weight(code).to_be_bytes()[2..]);
            }
            Collation::Utf8mb4Bin => out.extend_from_slice(&code.to_be_bytes()[1..]),
            Collation::Utf8mb3Bin => out.extend_from_slice(&code.to_be_bytes()[2..]),
            Collation::Utf8mb40900Bin => out.extend_from_slice(&rest[..size]),
            collation => {
                let mut key = Vec::new();
                collation.sort_key(&rest[..size], &mut key);
                // A blank's key is that of the end alone.
                out.push(if rest[0] == b' ' { b' ' } else { key.first().copied().unwrap_or(b' ') });
            }
        }
        rest = &rest[size..];
    }
    Ok(Ev::Own(Value::Bytes(out)))
}

fn type_weight_string(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let arg = call.arg(0);
    // MySQL's: of a character, and of what stands between the levels.
    let (weight_size, between) = match arg.text.collation {
        Collation::Utf8mb4GeneralCi => (8, 0),
        Collation::Utf8mb3GeneralCi | Collation::Utf8mb3Bin => (6, 0),
        Collation::Utf8mb4Bin => (12, 0),
        Collation::Utf8mb40900Bin => (16, 0),
        Collation::Utf8mb40900AiCi => (64, 0),
        Collation::Utf8mb40900AsCi => (128, 2),
        Collation::Utf8mb40900AsCs => (192, 4),
        Collation::Utf8mb4UnicodeCi | Collation::Utf8mb4Unicode520Ci => (128, 0),
        Collation::Utf8mb3UnicodeCi | Collation::Utf8mb3Unicode520Ci => (72, 0),
        _ => (1, 0),
    };
    let size = arg.length.saturating_mul(weight_size).saturating_add(between).max(WEIGHTS_SIZE_MIN);
    Ok(ResultType::string(size, TextType::BINARY).or_null())
}
