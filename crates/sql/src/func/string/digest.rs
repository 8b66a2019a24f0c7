//! Digests: MD5, SHA1, SHA2, STATEMENT_DIGEST, as lower-case hexadecimal text; STATEMENT_DIGEST_TEXT.

use sha1::{Digest, Sha1};
use sha2::{Sha224, Sha256, Sha384, Sha512};
use types::collation::Collation;
use types::context::Context;
use types::error::SqlError;
use types::error::table::{ER_PARSE_ERROR_IN_DIGEST_FN, ER_WRONG_PARAMETERS_TO_NATIVE_FCT};
use types::value::Value;

use crate::expr::typing::{Strength, TextType};
use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::{self, ascii, or_null};
use crate::func::{EvalResult, Function, Typed};
use crate::lex::{Quoting, digest_of, digest_text};
use crate::parse;
use crate::session::Scope;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("md5", (1, 1), md5, |call| Ok(call.ascii(32).or_null())),
    Function::new("sha", (1, 1), sha1, |call| Ok(call.ascii(40).or_null())),
    Function::new("sha1", (1, 1), sha1, |call| Ok(call.ascii(40).or_null())),
    Function::new("sha2", (2, 2), sha2, type_sha2),
    Function::new("statement_digest", (1, 1), statement_digest, |call| Ok(call.ascii(64).or_null())),
    Function::new("statement_digest_text", (1, 1), statement_digest_text, |_| Ok(type_digest_text())),
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

fn statement_digest<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let text = or_null!(text_of_statement(&args[0], inputs, context)?);
    Ok(ascii(digest_of(&text).into_bytes(), inputs))
}

fn statement_digest_text<'a>(
    args: &'a [Expr],
    inputs: &Inputs<'a>,
    context: &mut Context<'_>,
) -> EvalResult<'a> {
    let text = or_null!(text_of_statement(&args[0], inputs, context)?);
    Ok(Ev::Own(Value::Str(text.into_bytes(), DIGEST_TEXT.collation)))
}

/// Names in it are in their own characters.
const DIGEST_TEXT: TextType =
    TextType { collation: Collation::Utf8mb4GeneralCi, strength: Strength::Coercible, ascii: false };

fn type_digest_text() -> ResultType {
    ResultType::string(u32::MAX / 4, DIGEST_TEXT).or_null()
}

/// The digest text of the statement that an argument says. Error 3676 if it is none.
fn text_of_statement(
    arg: &Expr,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Option<String>, SqlError> {
    let Some(sql) = args::text(arg, inputs, context)? else { return Ok(None) };
    let mode = context.sql_mode;
    parse::parse(&sql.bytes, mode).map_err(|error| ER_PARSE_ERROR_IN_DIGEST_FN.error(&[&error.message]))?;
    let server = &inputs.session.server;
    let max = server.variable(inputs.session, Some(Scope::Global), "max_digest_length")?;
    let max =
        if let Value::UInt(max) = max { usize::try_from(max).unwrap_or(usize::MAX) } else { usize::MAX };
    Ok(Some(digest_text(&sql.bytes, Quoting::of(mode), max)))
}
