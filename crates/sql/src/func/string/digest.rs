//! Digests: MD5, SHA1, SHA2, as lower-case hexadecimal text.

use sha1::{Digest, Sha1};
use sha2::{Sha224, Sha256, Sha384, Sha512};
use types::context::Context;
use types::error::SqlError;
use types::error::table::ER_WRONG_PARAMETERS_TO_NATIVE_FCT;

use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::{self, ascii, or_null};
use crate::func::{EvalResult, Function, Typed};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("md5", (1, 1), md5, |call| Ok(call.ascii(32).or_null())),
    Function::new("sha", (1, 1), sha1, |call| Ok(call.ascii(40).or_null())),
    Function::new("sha1", (1, 1), sha1, |call| Ok(call.ascii(40).or_null())),
    Function::new("sha2", (2, 2), sha2, type_sha2),
];

fn lower_hex(bytes: &[u8]) -> Vec<u8> {
    super::hex::upper_hex(bytes).to_ascii_lowercase()
}

fn md5<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = or_null!(args::text(&args[0], inputs, context)?);
    Ok(ascii(lower_hex(&md5::Md5::digest(&*text.bytes)), inputs))
}

fn sha1<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = or_null!(args::text(&args[0], inputs, context)?);
    Ok(ascii(lower_hex(&Sha1::digest(&*text.bytes)), inputs))
}

/// NULL with warning 1583 for a length that is none; 0 means 256.
fn sha2<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = args::text(&args[0], inputs, context)?;
    let length = args::int(&args[1], inputs, context)?;
    let text = or_null!(text);
    let digest = match length.map(args::Int::to_i64) {
        Some(224) => Sha224::digest(&*text.bytes).to_vec(),
        Some(0 | 256) => Sha256::digest(&*text.bytes).to_vec(),
        Some(384) => Sha384::digest(&*text.bytes).to_vec(),
        Some(512) => Sha512::digest(&*text.bytes).to_vec(),
        _ => {
            context.report(&ER_WRONG_PARAMETERS_TO_NATIVE_FCT, &[&"sha2"])?;
            return Ok(Ev::NULL);
        }
    };
    Ok(ascii(lower_hex(&digest), inputs))
}

fn type_sha2(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let chars = match call.constant_int(1) {
        Some(224) => 56,
        Some(384) => 96,
        Some(512) => 128,
        _ => 64,
    };
    Ok(call.ascii(chars).or_null())
}
