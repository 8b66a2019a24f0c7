//! AES_ENCRYPT, AES_DECRYPT, by `block_encryption_mode`; RANDOM_BYTES.
//!
//! The key is that of a text by XOR of its pieces, or what HKDF (RFC 5869) or PBKDF2 (RFC 8018) with SHA-512 make of it.

use std::num::NonZeroU32;

use ring::rand::{SecureRandom, SystemRandom};
use ring::{hkdf, pbkdf2};
use types::context::Context;
use types::error::table::{ER_DATA_OUT_OF_RANGE, ER_WRONG_PARAMCOUNT_TO_NATIVE_FCT, WARN_OPTION_IGNORED};
use types::error::{Condition, SqlError};
use types::value::Value;
use types::warning::Level;

use super::block::{BLOCK_SIZE, Mode};
use crate::expr::typing::TextType;
use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::{self, or_null};
use crate::func::error::condition;
use crate::func::{EvalResult, Function, Typed};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("aes_encrypt", (2, 6), aes_encrypt, type_encrypt),
    Function::new("aes_decrypt", (2, 6), aes_decrypt, type_decrypt),
    Function::new("random_bytes", (1, 1), random_bytes, type_random).unstable_outside_subqueries(),
];

const ER_AES_INVALID_IV: Condition = condition(
    1882,
    "HY000",
    "ER_AES_INVALID_IV",
    "The initialization vector supplied to %s is too short. Must be at least %d bytes long",
);
const ER_AES_INVALID_KDF_NAME: Condition = condition(
    3235,
    "HY000",
    "ER_AES_INVALID_KDF_NAME",
    "KDF method name is not valid. Please use hkdf or pbkdf2_hmac method name",
);
const ER_AES_INVALID_KDF_ITERATIONS: Condition = condition(
    3236,
    "HY000",
    "ER_AES_INVALID_KDF_ITERATIONS",
    "For KDF method pbkdf2_hmac iterations value less than 1000 or more than 65535 is not allowed due to security \
     reasons. Please provide iterations >= 1000 and iterations < 65535",
);
const ER_AES_INVALID_KDF_OPTION_SIZE: Condition = condition(
    3238,
    "HY000",
    "ER_AES_INVALID_KDF_OPTION_SIZE",
    "KDF option size is invalid, please provide valid size < %d bytes and not NULL",
);

/// Bytes below which the options of a key's derivation are, and digits of a count.
const OPTION_SIZE: usize = 256;
const COUNT_SIZE: usize = 6;

fn aes_encrypt<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let call = or_null!(Call::read("aes_encrypt", args, inputs, context)?);
    Ok(Ev::Own(Value::Bytes(call.mode.encrypt(&call.text, &call.key, call.vector))))
}

fn aes_decrypt<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let call = or_null!(Call::read("aes_decrypt", args, inputs, context)?);
    Ok(call
        .mode
        .decrypt(&call.text, &call.key, call.vector)
        .map_or(Ev::NULL, |text| Ev::Own(Value::Bytes(text))))
}

/// What both functions are given.
struct Call {
    mode: Mode,
    text: Vec<u8>,
    key: Vec<u8>,
    vector: [u8; BLOCK_SIZE],
}

impl Call {
    /// `None` if text or key are NULL. Errors 1882, 3235, 3236, 3238.
    fn read(
        name: &str,
        args: &[Expr],
        inputs: &Inputs<'_>,
        context: &mut Context<'_>,
    ) -> Result<Option<Self>, SqlError> {
        let mode = Mode::nth(inputs.session.block_encryption_mode);
        let mut given = Vec::with_capacity(args.len());
        for arg in args {
            given.push(args::text(arg, inputs, context)?.map(|text| text.bytes.into_owned()));
        }
        let mut given = given.into_iter();
        let (Some(Some(text)), Some(Some(key))) = (given.next(), given.next()) else { return Ok(None) };
        let vector = given.next();
        let options: Vec<Option<Vec<u8>>> = given.collect();
        let vector = match (mode.needs_vector(), vector) {
            (true, None) => return Err(ER_WRONG_PARAMCOUNT_TO_NATIVE_FCT.error(&[&name])),
            (true, Some(vector)) => {
                let first = vector.as_ref().and_then(|vector| vector.first_chunk().copied());
                first.ok_or_else(|| ER_AES_INVALID_IV.error(&[&name, &BLOCK_SIZE]))?
            }
            (false, vector) => {
                if vector.is_some() && options.is_empty() {
                    context.warnings.push(Level::Warning, &WARN_OPTION_IGNORED, &[&"IV"]);
                }
                [0; BLOCK_SIZE]
            }
        };
        let key = match options.split_first() {
            None => folded(&key, mode.key_size),
            Some((method, options)) => derived(&key, method.as_deref(), options, mode.key_size)?,
        };
        Ok(Some(Self { mode, text, key, vector }))
    }
}

/// A key of this size, in which each byte of a longer one counts.
fn folded(key: &[u8], size: usize) -> Vec<u8> {
    let mut out = vec![0; size];
    key.iter().enumerate().for_each(|(at, byte)| out[at % size] ^= byte);
    out
}

/// The key that a method makes of a key, a salt, and information or a count.
fn derived(
    key: &[u8],
    method: Option<&[u8]>,
    options: &[Option<Vec<u8>>],
    size: usize,
) -> Result<Vec<u8>, SqlError> {
    let option = |at: usize, size: usize| match options.get(at) {
        None => Ok(None),
        Some(Some(option)) if option.len() < size => Ok(Some(&option[..])),
        Some(_) => Err(ER_AES_INVALID_KDF_OPTION_SIZE.error(&[&size])),
    };
    let mut out = vec![0; size];
    match method {
        None => return Err(ER_AES_INVALID_KDF_OPTION_SIZE.error(&[&OPTION_SIZE])),
        Some(b"hkdf") => {
            let salt = option(0, OPTION_SIZE)?.unwrap_or_default();
            let info = option(1, OPTION_SIZE)?.unwrap_or_default();
            let made = hkdf::Salt::new(hkdf::HKDF_SHA512, salt).extract(key);
            let made = made.expand(&[info], Size(size)).and_then(|made| made.fill(&mut out));
            made.expect("a key is shorter than what HKDF can make");
        }
        Some(b"pbkdf2_hmac") => {
            let salt = option(0, OPTION_SIZE)?.unwrap_or_default();
            let count = option(1, COUNT_SIZE)?;
            let count = count.map_or(1000, |count| {
                let (negative, magnitude) = types::number::parse_integer(count).value;
                if negative { 0 } else { magnitude }
            });
            let count = u32::try_from(count).ok().filter(|count| (1000..=65535).contains(count));
            let count = count.and_then(NonZeroU32::new);
            let count = count.ok_or_else(|| ER_AES_INVALID_KDF_ITERATIONS.error(&[]))?;
            pbkdf2::derive(pbkdf2::PBKDF2_HMAC_SHA512, count, salt, key, &mut out);
        }
        Some(_) => return Err(ER_AES_INVALID_KDF_NAME.error(&[])),
    }
    Ok(out)
}

/// Bytes that HKDF is to make.
struct Size(usize);

impl hkdf::KeyType for Size {
    fn len(&self) -> usize {
        self.0
    }
}

fn type_encrypt(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let size = (call.arg(0).bytes() / 16).saturating_add(1).saturating_mul(16);
    Ok(ResultType::string(size, TextType::BINARY).or_null())
}

fn type_decrypt(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    Ok(ResultType::string(call.arg(0).chars(), TextType::BINARY).or_null())
}

/// Error 1690 unless it is 1 to 1024 bytes.
fn random_bytes<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let size = or_null!(args::int(&args[0], inputs, context)?);
    let size = Some(size.to_size()).filter(|size| (1..=1024).contains(size));
    let size = size.ok_or_else(|| ER_DATA_OUT_OF_RANGE.error(&[&"length", &"random_bytes"]))?;
    let mut bytes = vec![0; size];
    SystemRandom::new().fill(&mut bytes).expect("the kernel has random bytes");
    Ok(Ev::Own(Value::Bytes(bytes)))
}

fn type_random(_: &Typed<'_>) -> Result<ResultType, SqlError> {
    Ok(ResultType::string(1024, TextType::BINARY).or_null())
}
