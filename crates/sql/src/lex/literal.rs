//! Literals as values.

use types::collation::Collation;
use types::decimal::Decimal;
use types::value::Value;

/// The bytes of a quoted string: without its quotes, doubled quotes and backslash escapes resolved.
pub fn unescape(quoted: &[u8], no_backslash_escapes: bool) -> Vec<u8> {
    let quote = quoted[0];
    let closed = quoted.len() > 1 && quoted.last() == Some(&quote);
    let inner = &quoted[1..if closed { quoted.len() - 1 } else { quoted.len() }];
    let plain = |byte: &u8| *byte != quote && (*byte != b'\\' || no_backslash_escapes);
    if inner.iter().all(plain) {
        return inner.to_vec();
    }
    let mut out = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte == quote {
            bytes.next();
            out.push(quote);
        } else if byte == b'\\' && !no_backslash_escapes {
            match bytes.next() {
                Some(b'0') => out.push(0),
                Some(b'b') => out.push(8),
                Some(b'n') => out.push(b'\n'),
                Some(b'r') => out.push(b'\r'),
                Some(b't') => out.push(b'\t'),
                Some(b'Z') => out.push(26),
                // For LIKE: the backslash stays.
                Some(c @ (b'%' | b'_')) => out.extend([b'\\', c]),
                Some(other) => out.push(other),
                None => out.push(b'\\'),
            }
        } else {
            out.push(byte);
        }
    }
    out
}

/// A string literal.
pub(super) fn text(quoted: &[u8], no_backslash_escapes: bool, collation: Collation) -> Value {
    Value::Str(unescape(quoted, no_backslash_escapes), collation)
}

/// A number literal without sign: an integer if it fits, a DECIMAL if it is exact, else a DOUBLE. `None` if it is out
/// of every range.
pub fn number(digits: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(digits).ok()?;
    if digits.iter().any(|byte| matches!(byte, b'e' | b'E')) {
        return text.parse().ok().filter(|value: &f64| value.is_finite()).map(Value::Double);
    }
    if let Ok(value) = text.parse::<i64>() {
        return Some(Value::Int(value));
    }
    if let Ok(value) = text.parse::<u64>() {
        return Some(Value::UInt(value));
    }
    text.parse::<Decimal>().ok().map(Value::Decimal)
}

/// The negative of a number literal.
pub(crate) fn negated(value: &Value) -> Option<Value> {
    Some(match *value {
        Value::Int(value) => Value::Int(-value),
        Value::UInt(value) if value == 1 << 63 => Value::Int(i64::MIN),
        Value::UInt(value) => Value::Decimal(Decimal::from(value).negated()),
        Value::Decimal(value) => Value::Decimal(value.negated()),
        Value::Double(value) => Value::Double(-value),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_unescaped_as_mysql_does() {
        assert_eq!(unescape(b"'it''s'", false), b"it's");
        assert_eq!(unescape(br"'a\n\0\\\%\_\x'", false), b"a\n\0\\\\%\\_x");
        assert_eq!(unescape(br"'a\n'", true), br"a\n");
        assert_eq!(unescape(br#""a""b""#, false), br#"a"b"#);
    }

    #[test]
    fn numbers_have_the_kind_that_mysql_gives_them() {
        let kind = |text: &str| format!("{:?}", number(text.as_bytes()));
        assert_eq!(kind("12"), "Some(Int(12))");
        assert_eq!(kind("18446744073709551615"), "Some(UInt(18446744073709551615))");
        assert!(kind("18446744073709551616").starts_with("Some(Decimal"));
        assert!(kind("1.5").starts_with("Some(Decimal"));
        assert_eq!(kind("1.5e1"), "Some(Double(15.0))");
    }
}
