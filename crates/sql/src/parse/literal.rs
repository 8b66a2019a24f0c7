//! Literals where only a literal may stand: defaults of columns.

use types::charset::Charset;
use types::collation::Collation;
use types::error::SqlError;
use types::error::table::{ER_ILLEGAL_VALUE_FOR_TYPE, ER_UNKNOWN_CHARACTER_SET};
use types::value::Value;

use super::cursor::Cursor;
use crate::lex::{Kind, negated, number, unescape};

/// The literal at the cursor, with its sign; `None` if none comes next. Text is taken for `utf8mb4` unless an
/// introducer says otherwise. Bits and hexadecimal digits are bytes.
pub(super) fn literal(cursor: &mut Cursor<'_>) -> Result<Option<Value>, SqlError> {
    let start = cursor.position();
    let negative = cursor.accept("-");
    if negative || cursor.accept("+") {
        let value = cursor.peek().filter(|token| token.kind == Kind::Number);
        let value = value.and_then(|token| number(cursor.text_of(token)));
        let value = value.and_then(|value| if negative { negated(&value) } else { Some(value) });
        let value = value.ok_or_else(|| cursor.error())?;
        cursor.advance();
        return Ok(Some(value));
    }
    let Some(token) = cursor.peek() else { return Ok(None) };
    let text = cursor.text_of(token);
    let word = |name: &str| token.kind == Kind::Word && text.eq_ignore_ascii_case(name.as_bytes());
    Ok(match token.kind {
        Kind::Text => Some(Value::Str(cursor.text_bytes()?, Collation::Utf8mb4GeneralCi)),
        Kind::Number => {
            cursor.advance();
            Some(number(text).ok_or_else(|| out_of_range(text))?)
        }
        Kind::Special => {
            cursor.advance();
            Some(special(text).ok_or_else(|| cursor.error_at(start))?)
        }
        Kind::Word if text.first() == Some(&b'_') => introduced(cursor, text)?,
        _ if word("TRUE") || word("FALSE") => {
            cursor.advance();
            Some(Value::Int(word("TRUE").into()))
        }
        _ if (word("DATE") || word("TIME") || word("TIMESTAMP")) && cursor.kind(1) == Some(Kind::Text) => {
            cursor.advance();
            Some(Value::Str(cursor.text_bytes()?, Collation::Utf8mb4GeneralCi))
        }
        _ => None,
    })
}

/// Error 1367 for a number beyond every type.
fn out_of_range(digits: &[u8]) -> SqlError {
    ER_ILLEGAL_VALUE_FOR_TYPE.error(&[&"double", &String::from_utf8_lossy(digits)])
}

/// `_set'..'`
fn introduced(cursor: &mut Cursor<'_>, word: &[u8]) -> Result<Option<Value>, SqlError> {
    let name = String::from_utf8_lossy(&word[1..]);
    if !matches!(cursor.kind(1), Some(Kind::Text | Kind::Special)) {
        return Ok(None);
    }
    let charset = Charset::from_name(&name).ok_or_else(|| ER_UNKNOWN_CHARACTER_SET.error(&[&name]))?;
    cursor.advance();
    let Some(Value::Str(bytes, _) | Value::Bytes(bytes)) = literal(cursor)? else {
        return Err(cursor.error());
    };
    Ok(Some(match charset {
        Charset::Binary => Value::Bytes(bytes),
        _ => Value::Str(bytes, charset.default_collation()),
    }))
}

/// `x'..'`, `0x..`, `b'..'`, `0b..`, `n'..'`.
fn special(text: &[u8]) -> Option<Value> {
    let quoted = text.last() == Some(&b'\'');
    let kind = text.get(usize::from(!quoted))?.to_ascii_lowercase();
    if kind == b'n' {
        return Some(Value::Str(unescape(&text[1..], false), Collation::Utf8mb3GeneralCi));
    }
    let digits =
        std::str::from_utf8(if quoted { text.get(2..text.len() - 1)? } else { text.get(2..)? }).ok()?;
    let (radix, digits_per_byte) = if kind == b'x' { (16, 2) } else { (2, 8) };
    if kind == b'x' && quoted && digits.len() % 2 == 1 {
        return None;
    }
    let chunks = digits.as_bytes().rchunks(digits_per_byte).rev();
    let byte = |chunk: &[u8]| u8::from_str_radix(std::str::from_utf8(chunk).ok()?, radix).ok();
    chunks.map(byte).collect::<Option<_>>().map(Value::Bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::Mode;

    fn read(sql: &str) -> String {
        let mut cursor = Cursor::new(sql.as_bytes(), Mode::default()).unwrap();
        match literal(&mut cursor) {
            Ok(value) => format!("{value:?} {}", cursor.position()),
            Err(error) => error.message,
        }
    }

    #[test]
    fn literals_are_read_with_their_sign_and_character_set() {
        assert_eq!(read("-5 x"), "Some(Int(-5)) 2");
        assert_eq!(read("- 9223372036854775808"), "Some(Int(-9223372036854775808)) 2");
        assert_eq!(read("'a\\n'"), "Some(Str([97, 10], Utf8mb4GeneralCi)) 1");
        assert_eq!(read("_latin1'a'"), "Some(Str([97], Latin1SwedishCi)) 2");
        assert_eq!(read("b'101'"), "Some(Bytes([5])) 1");
        assert_eq!(read("0x41F"), "Some(Bytes([4, 31])) 1");
        assert_eq!(read("true"), "Some(Int(1)) 1");
        assert_eq!(read("DATE '2020-01-01'").get(..9), Some("Some(Str("));
        assert_eq!(read("now()"), "None 0");
        assert!(read("x'4'").contains("near 'x'4''"));
        assert!(read("- 'a'").contains("near ''a''"));
    }
}
