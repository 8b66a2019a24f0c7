//! Types of values that stand in a statement: literals, parameters, variables.

use types::charset::Charset;
use types::collation::Collation;
use types::column::{IntSize, LobSize};
use types::decimal::DecimalKind;
use types::value::ValueRef;

use super::collate::{Strength, TextType};
use super::result_type::{Kind, NOT_FIXED, ResultType};

impl ResultType {
    /// A literal's or a parameter's.
    pub fn of_value(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => Self::NULL,
            ValueRef::Int(number) => Self::int(IntSize::Big, digits(number.unsigned_abs()) + 1),
            ValueRef::UInt(number) => Self::int(IntSize::Big, digits(number)).unsigned(),
            ValueRef::Decimal(number) => {
                let kind = number.kind();
                Self::exact(DecimalKind::new(kind.int_digits().max(1) + kind.scale, kind.scale), false)
            }
            ValueRef::Float(_) => Self { length: 12, ..Self::of_kind(Kind::Float) },
            ValueRef::Double(number) => {
                let length = u32::try_from(format!("{number:e}").len()).unwrap_or(u32::MAX);
                Self { length, ..Self::of_kind(Kind::Double) }
            }
            ValueRef::Str(bytes, collation) => {
                let charset = collation.charset();
                let chars = u32::try_from(charset.char_count(bytes)).unwrap_or(u32::MAX);
                let ascii = bytes.is_ascii();
                Self::string(chars, TextType { collation, strength: Strength::Coercible, ascii })
            }
            ValueRef::Bytes(bytes) => {
                let size = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
                Self::string(size, TextType::BINARY)
            }
            ValueRef::Date(_) => Self::date(),
            ValueRef::Time(time) => Self::time(time.fsp()),
            ValueRef::DateTime(moment) => Self::datetime(moment.fsp()),
            ValueRef::Year(_) => Self { length: 4, ..Self::of_kind(Kind::Year) }.unsigned(),
            ValueRef::Bit(_) => Self::int(IntSize::Big, 20).unsigned(),
            ValueRef::Json(_) => Self::json(),
            ValueRef::Chosen(chosen) => {
                Self::string(chosen.labels().chars_of_all(), TextType::implicit(chosen.collation()))
            }
        }
    }
}

/// A user variable's.
pub(super) fn user_variable(value: ValueRef<'_>) -> ResultType {
    let implicit = |text: TextType| TextType { strength: Strength::Implicit, ..text };
    let ty = match value {
        ValueRef::Null => ResultType {
            text: implicit(TextType::BINARY),
            length: 16_777_216,
            decimals: NOT_FIXED,
            ..ResultType::of_kind(Kind::Lob(LobSize::Medium))
        },
        ValueRef::Int(_) => ResultType::int(IntSize::Big, 20),
        ValueRef::UInt(_) => ResultType::int(IntSize::Big, 20).unsigned(),
        ValueRef::Decimal(number) => ResultType::decimal(65, number.scale().min(30)),
        ValueRef::Float(_) | ValueRef::Double(_) => ResultType::double(),
        ValueRef::Str(_, collation) => ResultType::long_string(TextType::implicit(collation)),
        ValueRef::Bytes(_) => ResultType::long_string(TextType::implicit(Collation::Binary)),
        _ => ResultType::of_value(value),
    };
    ty.or_null()
}

/// A system variable's.
pub(super) fn system_variable(value: ValueRef<'_>) -> ResultType {
    match value {
        ValueRef::Int(_) => ResultType::int(IntSize::Big, 21),
        ValueRef::UInt(_) => ResultType::int(IntSize::Big, 21).unsigned(),
        ValueRef::Str(bytes, collation) => {
            let chars = u32::try_from(collation.charset().char_count(bytes)).unwrap_or(u32::MAX);
            let ascii = collation.charset() == Charset::Ascii || bytes.is_ascii();
            ResultType::string(chars, TextType { collation, strength: Strength::System, ascii })
        }
        _ => ResultType::of_value(value),
    }
    .or_null()
}

/// How many digits a number has.
fn digits(number: u64) -> u32 {
    number.checked_ilog10().unwrap_or(0) + 1
}
