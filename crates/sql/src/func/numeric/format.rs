//! FORMAT: a number with separators between thousands.

use types::context::Context;
use types::decimal::Decimal;
use types::error::SqlError;
use types::error::table::ER_UNKNOWN_LOCALE;
use types::value::{Numeric, Value};

use super::round::double_places;
use crate::expr::{Digits, Expr, Inputs, ResultType};
use crate::func::args::{self, ascii, or_null};
use crate::func::{EvalResult, Function, Typed};

pub(super) const FUNCTIONS: &[Function] = &[Function::new("format", (2, 3), format, type_format)];

/// What the type has room for beside digits and separators: sign, point, the most places.
const POINT_AND_PLACES: u32 = 32;
/// The most digits behind the point.
const PLACES_MAX: i64 = 30;

fn format<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let number = or_null!(args::digits(&args[0], Digits::Exact, inputs, context)?);
    let places = or_null!(args::int(&args[1], inputs, context)?);
    let locale = match args.get(2) {
        None => DEFAULT,
        Some(name) => locale(name, inputs, context)?,
    };
    let places = u8::try_from(places.to_i64().clamp(0, PLACES_MAX)).unwrap_or(0);
    let number = match number {
        Numeric::Double(number) => Numeric::Double(double_places(number, i32::from(places), true)),
        number => number,
    };
    let digits = match number {
        Numeric::Double(number) if number.abs() >= 1e65 => {
            let mut text = Vec::new();
            types::number::write_fixed(number, places, &mut text);
            text
        }
        number => fixed(&number.to_decimal(), places),
    };
    Ok(ascii(grouped(&digits, locale.point, locale.separator), inputs))
}

fn fixed(number: &Decimal, places: u8) -> Vec<u8> {
    let mut text = Vec::new();
    number.round(i32::from(places)).unwrap_or(*number).write_text(&mut text);
    text
}

/// A number's text with a separator between groups of three digits before the point.
fn grouped(digits: &[u8], point: u8, separator: Option<u8>) -> Vec<u8> {
    let (sign, digits) = match digits {
        [b'-', rest @ ..] => (&b"-"[..], rest),
        _ => (&b""[..], digits),
    };
    let end = digits.iter().position(|byte| *byte == b'.').unwrap_or(digits.len());
    let mut out = Vec::with_capacity(digits.len() * 4 / 3 + 2);
    out.extend_from_slice(sign);
    for (at, digit) in digits[..end].iter().enumerate() {
        if at > 0 && (end - at).is_multiple_of(3) {
            out.extend(separator);
        }
        out.push(*digit);
    }
    if end < digits.len() {
        out.push(point);
        out.extend_from_slice(&digits[end + 1..]);
    }
    out
}

/// How a locale writes numbers.
#[derive(Clone, Copy)]
struct Locale {
    point: u8,
    separator: Option<u8>,
}

const DEFAULT: Locale = Locale { point: b'.', separator: Some(b',') };

/// The locale of that name; en_US with a warning if there is none.
fn locale(name: &Expr, inputs: &Inputs<'_>, context: &mut Context<'_>) -> Result<Locale, SqlError> {
    let value = name.eval(inputs, context)?;
    let text = match value.into_value() {
        Value::Str(bytes, _) | Value::Bytes(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        other => other.as_ref().to_message(),
    };
    let known = LOCALES.iter().find(|(names, _)| names.iter().any(|name| name.eq_ignore_ascii_case(&text)));
    if let Some((_, locale)) = known {
        return Ok(*locale);
    }
    context.report(&ER_UNKNOWN_LOCALE, &[&text])?;
    Ok(DEFAULT)
}

const COMMA_AND_POINT: Locale = Locale { point: b',', separator: Some(b'.') };
const COMMA_ALONE: Locale = Locale { point: b',', separator: None };

/// The locales in use, as MySQL 9.7.4 shows their numbers.
const LOCALES: &[(&[&str], Locale)] = &[
    (
        &[
            "en_US", "en_GB", "en_AU", "en_CA", "en_IN", "en_NZ", "en_PH", "en_ZA", "en_ZW", "ja_JP",
            "ko_KR", "zh_CN", "zh_TW", "zh_HK", "th_TH", "he_IL",
        ],
        DEFAULT,
    ),
    (
        &[
            "de_DE", "de_BE", "de_LU", "da_DK", "es_ES", "es_AR", "id_ID", "nl_NL", "tr_TR", "vi_VN",
            "nb_NO", "no_NO",
        ],
        COMMA_AND_POINT,
    ),
    (&["it_IT", "fr_FR", "fr_BE", "fr_CA", "pt_BR", "pt_PT", "pl_PL", "nl_BE", "de_AT"], COMMA_ALONE),
];

fn type_format(call: &Typed<'_>) -> Result<ResultType, SqlError> {
    let arg = call.arg(0);
    let digits = arg.chars();
    Ok(call.ascii(digits.saturating_add(digits / 3).saturating_add(POINT_AND_PLACES)).or_null())
}
