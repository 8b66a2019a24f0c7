//! Arguments in the forms that functions want.

use std::borrow::Cow;

use types::charset::{Charset, Converted};
use types::collation::Collation;
use types::context::Context;
use types::error::SqlError;
use types::error::table::{ER_CANNOT_CONVERT_STRING, ER_TRUNCATED_WRONG_VALUE};
use types::number::{double_to_i64, is_whole, parse_integer};
use types::temporal::DateTime;
use types::value::{JSON_COLLATION, Numeric, Value, ValueRef, quote_bytes_as_text};

use crate::expr::typing::aggregate_collations;
use crate::expr::{Digits, Ev, Expr, Inputs, hex_number, number_of, operand};

type Result<T> = std::result::Result<T, SqlError>;

/// Leaves the function with NULL if there is no value.
macro_rules! or_null {
    ($value:expr) => {
        match $value {
            Some(value) => value,
            None => return Ok($crate::expr::Ev::NULL),
        }
    };
}
pub(super) use or_null;

/// An integer argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Int {
    Signed(i64),
    Unsigned(u64),
}

impl Int {
    /// The number, the nearest one that fits.
    pub(super) fn to_i64(self) -> i64 {
        match self {
            Self::Signed(number) => number,
            Self::Unsigned(number) => i64::try_from(number).unwrap_or(i64::MAX),
        }
    }

    /// The 64 bits.
    pub(super) fn bits(self) -> u64 {
        match self {
            Self::Signed(number) => number.cast_unsigned(),
            Self::Unsigned(number) => number,
        }
    }

    /// The number if it is not negative, 0 otherwise.
    pub(super) fn to_size(self) -> usize {
        match self {
            Self::Signed(number) => usize::try_from(number).unwrap_or(0),
            Self::Unsigned(number) => usize::try_from(number).unwrap_or(usize::MAX),
        }
    }

    /// Whether the number is below 1.
    pub(super) fn is_not_positive(self) -> bool {
        matches!(self, Self::Signed(..=0) | Self::Unsigned(0))
    }
}

/// The number that arithmetic sees.
pub(super) fn number(expr: &Expr, inputs: &Inputs<'_>, context: &mut Context<'_>) -> Result<Option<Numeric>> {
    let value = operand(expr, inputs, context)?;
    number_of(expr, value.as_ref(), context)
}

/// The same, of an average more digits than it shows.
pub(super) fn digits(
    expr: &Expr,
    digits: Digits,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Option<Numeric>> {
    match expr {
        Expr::Aggregate(_) => expr.eval_digits(digits, inputs, context)?.as_ref().to_number(context),
        expr => number(expr, inputs, context),
    }
}

/// The number that functions of numbers see: a date or time is a double for them.
pub(super) fn plain_number(
    expr: &Expr,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Option<Numeric>> {
    let value = operand(expr, inputs, context)?;
    let is_temporal = matches!(value.as_ref(), ValueRef::Date(_) | ValueRef::Time(_) | ValueRef::DateTime(_));
    let number = number_of(expr, value.as_ref(), context)?;
    Ok(number.map(|number| if is_temporal { Numeric::Double(number.to_f64()) } else { number }))
}

/// A double.
pub(super) fn double(expr: &Expr, inputs: &Inputs<'_>, context: &mut Context<'_>) -> Result<Option<f64>> {
    Ok(digits(expr, Digits::All, inputs, context)?.map(Numeric::to_f64))
}

/// An integer: numbers are rounded, text is read as far as it is an integer, with a warning about the rest.
pub(super) fn int(expr: &Expr, inputs: &Inputs<'_>, context: &mut Context<'_>) -> Result<Option<Int>> {
    let value = expr.eval(inputs, context)?;
    int_of(expr, value.as_ref(), context)
}

/// The same of a value.
pub(super) fn int_of(expr: &Expr, value: ValueRef<'_>, context: &mut Context<'_>) -> Result<Option<Int>> {
    Ok(Some(match value {
        ValueRef::Null => return Ok(None),
        ValueRef::Int(number) => Int::Signed(number),
        ValueRef::UInt(number) => Int::Unsigned(number),
        ValueRef::Bytes(bytes) if matches!(expr, Expr::Const(Value::Bytes(_))) => {
            Int::Unsigned(hex_number(&bytes.to_cow()))
        }
        ValueRef::Decimal(_) => decimal_int(value, context)?,
        ValueRef::Float(number) => Int::Signed(double_to_i64(f64::from(number))),
        ValueRef::Double(number) => Int::Signed(double_to_i64(number)),
        ValueRef::Str(..) | ValueRef::Bytes(_) => text_int(value, context)?,
        ValueRef::Date(date) => Int::Signed(date.to_number()),
        ValueRef::Time(time) => Int::Signed(time.round_to(0).to_number()),
        ValueRef::DateTime(moment) => Int::Signed(moment.round_to(0).map_or(0, DateTime::to_number)),
        ValueRef::Year(year) => Int::Unsigned(year.into()),
        ValueRef::Bit(bits) => Int::Unsigned(bits.number()),
        ValueRef::Chosen(chosen) => Int::Unsigned(chosen.number()),
        ValueRef::Json(_) => match value.to_number(context)? {
            Some(Numeric::UInt(number)) => Int::Unsigned(number),
            Some(number) => Int::Signed(double_to_i64(number.to_f64())),
            None => return Ok(None),
        },
    }))
}

fn decimal_int(value: ValueRef<'_>, context: &mut Context<'_>) -> Result<Int> {
    let ValueRef::Decimal(number) = value else { return Ok(Int::Signed(0)) };
    if let Some(number) = number.to_i64() {
        return Ok(Int::Signed(number));
    }
    context.report(&ER_TRUNCATED_WRONG_VALUE, &[&"DECIMAL", &value.to_message()])?;
    Ok(Int::Signed(if number.is_negative() { i64::MIN } else { i64::MAX }))
}

fn text_int(value: ValueRef<'_>, context: &mut Context<'_>) -> Result<Int> {
    let text = value.string_bytes().unwrap_or_default();
    let parsed = parse_integer(&text);
    let (negative, magnitude) = parsed.value;
    let beyond = negative && magnitude > i64::MIN.unsigned_abs();
    if parsed.size == 0 || parsed.overflow || beyond || !is_whole(&text, parsed.size) {
        context.report(&ER_TRUNCATED_WRONG_VALUE, &[&"INTEGER", &value.to_message()])?;
    }
    if negative {
        return Ok(Int::Signed(0_i64.checked_sub_unsigned(magnitude).unwrap_or(i64::MIN)));
    }
    Ok(i64::try_from(magnitude).map_or(Int::Unsigned(magnitude), Int::Signed))
}

/// A text argument: strings as they are, everything else as text of the connection's character set.
#[derive(Clone, Debug)]
pub(crate) struct Text<'a> {
    /// The bytes.
    pub(crate) bytes: Cow<'a, [u8]>,
    /// Their collation.
    pub(crate) collation: Collation,
    /// Whether the value was a string.
    pub(crate) is_string: bool,
}

impl<'a> Text<'a> {
    /// The text of a value; none of NULL.
    pub(crate) fn of(value: Ev<'a>, connection: Collation) -> Option<Self> {
        let text = |bytes, collation| Some(Text { bytes, collation, is_string: true });
        match value {
            Ev::Ref(ValueRef::Null) | Ev::Own(Value::Null) => None,
            Ev::Ref(ValueRef::Str(bytes, collation)) => text(Cow::Borrowed(bytes), collation),
            Ev::Own(Value::Str(bytes, collation)) => text(Cow::Owned(bytes), collation),
            Ev::Ref(ValueRef::Bytes(bytes)) => text(bytes.to_cow(), Collation::Binary),
            Ev::Own(Value::Bytes(bytes)) => text(Cow::Owned(bytes), Collation::Binary),
            Ev::Ref(ValueRef::Chosen(chosen)) | Ev::Own(Value::Chosen(chosen)) => {
                text(chosen.text(), chosen.collation())
            }
            other @ (Ev::Ref(ValueRef::Json(_)) | Ev::Own(Value::Json(_))) => {
                let mut bytes = Vec::new();
                other.as_ref().write_text(&mut bytes);
                text(Cow::Owned(bytes), JSON_COLLATION)
            }
            Ev::Ref(ValueRef::Bit(bits)) | Ev::Own(Value::Bit(bits)) => {
                let mut bytes = Vec::new();
                bits.write(&mut bytes);
                text(Cow::Owned(bytes), Collation::Binary)
            }
            other => {
                let mut bytes = Vec::with_capacity(24);
                other.as_ref().write_text(&mut bytes);
                Some(Text { bytes: Cow::Owned(bytes), collation: connection, is_string: false })
            }
        }
    }

    /// The character set.
    pub(crate) fn charset(&self) -> Charset {
        self.collation.charset()
    }

    /// The text as a value.
    pub(crate) fn into_ev(self) -> Ev<'a> {
        match (self.bytes, self.collation) {
            (Cow::Borrowed(bytes), Collation::Binary) => Ev::Ref(ValueRef::bytes(bytes)),
            (Cow::Borrowed(bytes), collation) => Ev::Ref(ValueRef::Str(bytes, collation)),
            (Cow::Owned(bytes), collation) => Ev::Own(string(bytes, collation)),
        }
    }

    /// A part of the text as a value.
    pub(crate) fn part(self, from: usize, to: usize) -> Ev<'a> {
        let bytes = match self.bytes {
            Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[from..to]),
            Cow::Owned(mut bytes) => {
                bytes.truncate(to);
                bytes.drain(..from);
                Cow::Owned(bytes)
            }
        };
        Text { bytes, ..self }.into_ev()
    }
}

/// A string value: bytes if the collation is `binary`.
pub(super) fn string(bytes: Vec<u8>, collation: Collation) -> Value {
    match collation {
        Collation::Binary => Value::Bytes(bytes),
        _ => Value::Str(bytes, collation),
    }
}

/// ASCII text as a value in the connection's collation.
pub(super) fn ascii<'a>(text: impl Into<Vec<u8>>, inputs: &Inputs<'_>) -> Ev<'a> {
    Ev::Own(string(text.into(), inputs.collation))
}

/// A text argument.
pub(super) fn text<'a>(
    expr: &'a Expr,
    inputs: &Inputs<'a>,
    context: &mut Context<'_>,
) -> Result<Option<Text<'a>>> {
    Ok(Text::of(expr.eval(inputs, context)?, inputs.collation))
}

/// A text argument as one of our own; what is no UTF-8 is replaced.
pub(super) fn utf8(expr: &Expr, inputs: &Inputs<'_>, context: &mut Context<'_>) -> Result<Option<String>> {
    let text = text(expr, inputs, context)?;
    Ok(text.map(|text| String::from_utf8_lossy(&text.bytes).into_owned()))
}

/// The collation that texts have in common; they are converted to its character set. `exprs` are what they came
/// from. Errors 1267, 1270, 1271 if there is none, 3854 if a text cannot be converted.
pub(super) fn common_collation(
    exprs: &[&Expr],
    texts: &mut [&mut Text<'_>],
    name: &str,
    inputs: &Inputs<'_>,
) -> Result<Collation> {
    let mut own = texts.iter().filter(|text| text.is_string).map(|text| text.collation);
    let first = own.next().unwrap_or(inputs.collation);
    let collation =
        if own.all(|other| other == first) { first } else { static_collation(exprs, name, inputs)? };
    for text in texts.iter_mut() {
        convert_text(text, collation)?;
    }
    Ok(collation)
}

/// The same where the first text is what the function works on: unless that is binary, the others are brought into its
/// character set even if they are.
pub(super) fn subject_collation(
    exprs: &[&Expr],
    texts: &mut [&mut Text<'_>],
    name: &str,
    inputs: &Inputs<'_>,
) -> Result<Collation> {
    let is_binary = |text: &Text<'_>| text.is_string && text.collation == Collation::Binary;
    if is_binary(texts[0]) {
        return Ok(Collation::Binary);
    }
    if !texts.iter().any(|text| is_binary(text)) {
        return common_collation(exprs, texts, name, inputs);
    }
    let kept: smallvec::SmallVec<[&Expr; 4]> =
        exprs.iter().zip(texts.iter()).filter(|(_, text)| !is_binary(text)).map(|(expr, _)| *expr).collect();
    let own = texts.iter().filter(|text| text.is_string && !is_binary(text)).map(|text| text.collation);
    let own: smallvec::SmallVec<[Collation; 4]> = own.collect();
    let first = own.first().copied().unwrap_or(inputs.collation);
    let collation =
        if own.iter().all(|one| *one == first) { first } else { static_collation(&kept, name, inputs)? };
    for text in texts.iter_mut() {
        convert_text(text, collation)?;
    }
    Ok(collation)
}

/// The same for a list of texts.
pub(super) fn list_collation(
    exprs: &[&Expr],
    texts: &mut [Text<'_>],
    name: &str,
    inputs: &Inputs<'_>,
) -> Result<Collation> {
    let mut places: smallvec::SmallVec<[&mut Text<'_>; 4]> = texts.iter_mut().collect();
    common_collation(exprs, &mut places, name, inputs)
}

fn static_collation(exprs: &[&Expr], name: &str, inputs: &Inputs<'_>) -> Result<Collation> {
    let types = inputs.types();
    let found = exprs.iter().map(|expr| Ok(expr.result_type(&types)?.text_type(types.connection())));
    let found = found.collect::<Result<smallvec::SmallVec<[_; 4]>>>()?;
    Ok(aggregate_collations(found.iter().copied(), name)?.collation)
}

/// Brings a text into a collation's character set. Error 3854 if that does not have all of its characters.
pub(crate) fn convert_text(text: &mut Text<'_>, collation: Collation) -> Result<()> {
    let from = text.charset();
    text.collation = collation;
    if let Some(converted) = converted(&text.bytes, from, collation.charset())? {
        text.bytes = Cow::Owned(converted);
    }
    Ok(())
}

/// The text in another character set; None if its bytes are the same there. Error 3854 if a character has no counterpart.
pub(crate) fn converted(bytes: &[u8], from: Charset, to: Charset) -> Result<Option<Vec<u8>>> {
    let refused = || ER_CANNOT_CONVERT_STRING.error(&[&quote_bytes_as_text(bytes), &from.name(), &to.name()]);
    if from == to
        || to == Charset::Binary
        || from == Charset::Utf8mb3 && to == Charset::Utf8mb4
        || bytes.is_ascii()
    {
        return Ok(None);
    }
    if from == Charset::Binary {
        return if to.is_valid(bytes) { Ok(None) } else { Err(refused()) };
    }
    let mut converted = Vec::with_capacity(bytes.len() * 2);
    match types::charset::convert(bytes, from, to, &mut converted) {
        Converted::Exactly => Ok(Some(converted)),
        Converted::WithReplacements { .. } => Err(refused()),
    }
}
