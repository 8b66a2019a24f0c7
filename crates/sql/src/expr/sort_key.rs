//! Keys of values: bytes that are equal, ordered and hashed as the values are by MySQL's rules. DISTINCT, GROUP BY and
//! ORDER BY use them.
//!
//! | value | bytes |
//! | --- | --- |
//! | NULL | `00` |
//! | number, YEAR, BIT, ENUM and SET as their number | `10`, the nearest double's bits with the order of bytes, then what the number differs from it by |
//! | TIME | `20`, microseconds as eight big-endian bytes with the sign bit flipped |
//! | DATE, DATETIME | `30`, the packed form in eight bytes |
//! | JSON | `60`, see `types::json::write_sort_key` |
//! | text | `40`, the collation's sort key |
//! | bytes | `50`, the sort key of `binary` |
//!
//! What a number differs by is `80` for nothing, which is all that doubles and integers below 2^53 need; else `C0` and
//! the digits of the difference, or for a negative one both inverted. The double is meant as its shortest decimal
//! text, so that DECIMAL 0.1 and DOUBLE 0.1 are one number.
//!
//! No key is a prefix of another one, so keys of several values simply follow each other. For DESC all bits of a value's
//! part are inverted.

use std::borrow::Borrow;

use types::collation::Collation;
use types::decimal::Decimal;
use types::json::{Json, write_sort_key};
use types::temporal::DateTime;
use types::value::ValueRef;

/// The key of one value or several.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SortKey(Vec<u8>);

const NULL: u8 = 0x00;
const NUMBER: u8 = 0x10;
const TIME: u8 = 0x20;
const MOMENT: u8 = 0x30;
const TEXT: u8 = 0x40;
const BYTES: u8 = 0x50;
const JSON: u8 = 0x60;

const LESS: u8 = 0x3F;
const EQUAL: u8 = 0x80;
const MORE: u8 = 0xC0;

/// Integers up to here are doubles.
const EXACT_INT_MAX: u64 = 1 << 53;
/// Numbers of so many digits come back from their double.
const EXACT_DIGITS: u8 = 15;

impl SortKey {
    /// An empty key, to which values are added.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value.
    pub fn push(&mut self, value: ValueRef<'_>) {
        let out = &mut self.0;
        match value {
            ValueRef::Null => out.push(NULL),
            ValueRef::Int(number) => write_int(number < 0, number.unsigned_abs(), out),
            ValueRef::UInt(number) => write_int(false, number, out),
            ValueRef::Year(year) => write_int(false, year.into(), out),
            ValueRef::Bit(bits) => write_int(false, bits.number(), out),
            ValueRef::Chosen(chosen) => write_int(false, chosen.number(), out),
            ValueRef::Decimal(number) => write_decimal(&number, out),
            ValueRef::Float(number) => write_double(f64::from(number), out),
            ValueRef::Double(number) => write_double(number, out),
            ValueRef::Time(time) => write_i64(TIME, time.micros(), out),
            ValueRef::Date(date) => write_i64(MOMENT, DateTime::from_date(date).packed(), out),
            ValueRef::DateTime(moment) => write_i64(MOMENT, moment.packed(), out),
            ValueRef::Json(_) => {
                out.push(JSON);
                // Damaged bytes sort as `null` does.
                write_sort_key(&value.to_json().unwrap_or(Json::Null), out);
            }
            ValueRef::Str(bytes, collation) => {
                out.push(TEXT);
                collation.sort_key(bytes, out);
            }
            ValueRef::Bytes(bytes) => {
                out.push(BYTES);
                Collation::Binary.sort_key(&bytes.to_cow(), out);
            }
        }
    }

    /// Adds a value of ORDER BY.
    pub fn push_ordered(&mut self, value: ValueRef<'_>, descending: bool) {
        let start = self.0.len();
        self.push(value);
        if descending {
            self.0[start..].iter_mut().for_each(|byte| *byte = !*byte);
        }
    }

    /// Forgets all values; the memory stays.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether no value was added.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// So that a map by keys can be asked with bytes in a buffer.
impl Borrow<[u8]> for SortKey {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

fn write_i64(tag: u8, number: i64, out: &mut Vec<u8>) {
    out.push(tag);
    out.extend_from_slice(&(number.cast_unsigned() ^ 1 << 63).to_be_bytes());
}

/// A double's bits so that bytes compare as doubles do. -0 is 0.
fn write_double_bits(number: f64, out: &mut Vec<u8>) {
    let bits = if number == 0.0 { 0 } else { number.to_bits() };
    let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    out.push(NUMBER);
    out.extend_from_slice(&ordered.to_be_bytes());
}

fn write_double(number: f64, out: &mut Vec<u8>) {
    write_double_bits(number, out);
    out.push(EQUAL);
}

fn write_int(negative: bool, magnitude: u64, out: &mut Vec<u8>) {
    if magnitude <= EXACT_INT_MAX {
        let number = magnitude as f64;
        write_double(if negative { -number } else { number }, out);
        return;
    }
    let number = Decimal::from(magnitude);
    write_exact(&if negative { number.negated() } else { number }, out);
}

fn write_decimal(number: &Decimal, out: &mut Vec<u8>) {
    if number.int_digits() + number.scale() <= EXACT_DIGITS {
        write_double(number.to_f64(), out);
    } else {
        write_exact(number, out);
    }
}

/// The nearest double, then the digits by which the number differs from it.
fn write_exact(number: &Decimal, out: &mut Vec<u8>) {
    let nearest = number.to_f64();
    write_double_bits(nearest, out);
    let difference = Decimal::from_f64(nearest).and_then(|nearest| number.subtract(&nearest).ok());
    let Some(difference) = difference.filter(|difference| !difference.is_zero()) else {
        out.push(EQUAL);
        return;
    };
    let start = out.len() + 1;
    out.push(if difference.is_negative() { LESS } else { MORE });
    out.push(difference.int_digits());
    difference.abs().write_text(out);
    while out.last() == Some(&b'0') && out[start..].contains(&b'.') {
        out.pop();
    }
    if out.last() == Some(&b'.') {
        out.pop();
    }
    out.push(0);
    if difference.is_negative() {
        out[start..].iter_mut().for_each(|byte| *byte = !*byte);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use types::value::Value;

    use super::*;

    fn key(value: &Value) -> SortKey {
        let mut key = SortKey::new();
        key.push(value.as_ref());
        key
    }

    fn dec(text: &str) -> Value {
        Value::Decimal(text.parse().unwrap())
    }

    #[test]
    fn numbers_of_all_types_are_in_one_order() {
        let ascending = [
            Value::Null,
            Value::Double(-1e300),
            Value::Int(i64::MIN),
            dec("-9223372036854775807.5"),
            Value::Int(i64::MIN + 1),
            Value::Double(-1.5),
            Value::Int(-1),
            dec("-0.00000000000000000001"),
            Value::Int(0),
            Value::Double(0.1),
            dec("0.1000000000000000000001"),
            Value::Int(1),
            Value::Int(9_007_199_254_740_992),
            Value::Int(9_007_199_254_740_993),
            Value::UInt(9_007_199_254_740_994),
            Value::Int(i64::MAX),
            Value::UInt(1 << 63),
            Value::UInt(u64::MAX - 1),
            Value::UInt(u64::MAX),
            dec("18446744073709551615.5"),
            Value::Double(1e20),
        ];
        for pair in ascending.windows(2) {
            assert!(key(&pair[0]) < key(&pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn equal_numbers_of_different_types_have_one_key() {
        for (a, b) in [
            (Value::Int(5), Value::UInt(5)),
            (Value::Int(5), dec("5.000")),
            (dec("0.1"), Value::Double(0.1)),
            (Value::Double(-0.0), Value::Int(0)),
            (dec("1.50"), dec("1.5")),
            (Value::UInt(u64::MAX), dec("18446744073709551615.0")),
        ] {
            assert_eq!(key(&a), key(&b), "{a:?} {b:?}");
        }
    }

    #[test]
    fn texts_are_equal_by_their_collation() {
        assert_eq!(key(&Value::text("Ab ")), key(&Value::text("aB")));
        assert_ne!(
            key(&Value::Str(b"A".to_vec(), Collation::Utf8mb4Bin)),
            key(&Value::Str(b"a".to_vec(), Collation::Utf8mb4Bin))
        );
        assert_ne!(key(&Value::Bytes(b"a".to_vec())), key(&Value::Bytes(b"a\0".to_vec())));
    }

    #[test]
    fn descending_is_the_reverse() {
        let ordered = |values: &[Value], descending| {
            let mut key = SortKey::new();
            for value in values {
                key.push_ordered(value.as_ref(), descending);
            }
            key
        };
        let values = [Value::Null, Value::Int(-3), Value::Int(7), Value::Int(70)];
        for pair in values.windows(2) {
            let (a, b) = (ordered(&pair[..1], true), ordered(&pair[1..], true));
            assert!(a > b, "{pair:?}");
        }
        let (short, long) = (Value::text("a"), Value::text("ab"));
        assert!(ordered(&[short.clone(), Value::Int(1)], true) > ordered(&[long, Value::Int(1)], true));
        assert!(ordered(&[short.clone(), Value::Int(1)], true) > ordered(&[short, Value::Int(2)], true));
    }

    proptest! {
        #[test]
        fn keys_of_numbers_order_as_the_numbers_do(a in number(), b in number()) {
            let mut warnings = types::warning::Warnings::default();
            let mode = types::sql_mode::SqlMode::default();
            let zone = types::temporal::TimeZone::UTC;
            let today = types::temporal::Date::ZERO;
            let mut context = types::context::Context::reading(mode, &zone, today, &mut warnings);
            let order = types::value::compare(a.as_ref(), b.as_ref(), &mut context).unwrap().unwrap();
            prop_assert_eq!(key(&a).cmp(&key(&b)), order);
        }
    }

    /// Numbers whose comparison is exact: no large integer beside a double.
    fn number() -> impl Strategy<Value = Value> {
        prop_oneof![
            any::<i64>().prop_map(Value::Int),
            any::<u64>().prop_map(Value::UInt),
            (-1000_i64..1000).prop_map(Value::Int),
            (any::<i64>(), 0_u32..20).prop_map(|(digits, scale)| {
                let text = format!("{digits}e-{scale}");
                Value::Decimal(Decimal::parse_prefix(text.as_bytes()).value)
            }),
        ]
    }
}
