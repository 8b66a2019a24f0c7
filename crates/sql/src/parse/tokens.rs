//! From our tokens to `sqlparser`'s.
//!
//! Our lexer is the only one: it knows the SQL mode, executable comments and MySQL's escapes. A token's place in our
//! list, from 1, is its column in `sqlparser`'s locations, so that errors lead back.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Location, Span, Token as SqlToken, TokenWithSpan, Word};
use types::error::SqlError;

use super::cursor::{Cursor, identifier, utf8};
use super::reserved::is_reserved;
use crate::lex::{Kind, Token, unescape};

/// Converts the tokens from one place up to another.
pub(super) fn convert(cursor: &Cursor<'_>, from: usize, to: usize) -> Result<Vec<TokenWithSpan>, SqlError> {
    let mut out = Converter { cursor, out: Vec::with_capacity(to - from + 4), place: from };
    let tokens = &cursor.tokens()[..to];
    while let Some(&token) = tokens.get(out.place) {
        let rest = &tokens[out.place..];
        let taken = out.token(token, rest)?;
        out.place += taken;
    }
    Ok(out.out)
}

struct Converter<'c, 'a> {
    cursor: &'c Cursor<'a>,
    out: Vec<TokenWithSpan>,
    place: usize,
}

impl Converter<'_, '_> {
    fn push(&mut self, token: SqlToken) {
        let at = Location::new(1, self.place as u64 + 1);
        self.out.push(TokenWithSpan::new(token, Span::new(at, at)));
    }

    fn word(&mut self, word: &str) {
        self.push(SqlToken::make_word(word, None));
    }

    /// Converts a token, and those behind it that belong to it. Returns how many there were.
    fn token(&mut self, token: Token, rest: &[Token]) -> Result<usize, SqlError> {
        let text = self.cursor.text_of(token);
        match token.kind {
            Kind::Word => return self.unquoted(text, rest),
            Kind::Quoted => {
                let name = identifier(unescape(text, true))?;
                self.push(SqlToken::make_word(&name, Some('`')));
            }
            Kind::Text => self.text(unescape(text, self.cursor.mode().quoting.no_backslash_escapes)),
            Kind::Number => {
                let digits = utf8(text.to_vec())?;
                self.push(SqlToken::Number(digits, false));
            }
            Kind::Special => self.special(text)?,
            Kind::Param => return self.placeholder(token, rest),
            Kind::Variable => self.variable(text)?,
            Kind::Symbol => self.symbol(text)?,
            Kind::Semicolon => {}
        }
        Ok(1)
    }

    /// Text that is not UTF-8 keeps its bytes as a hexadecimal literal: dumps write binary strings so.
    fn text(&mut self, bytes: Vec<u8>) {
        let token = match String::from_utf8(bytes) {
            Ok(text) => SqlToken::SingleQuotedString(text),
            Err(error) => SqlToken::HexStringLiteral(hex(error.as_bytes())),
        };
        self.push(token);
    }

    fn unquoted(&mut self, word: &[u8], rest: &[Token]) -> Result<usize, SqlError> {
        if self.cursor.is_behind_period(self.place) {
            // A name, whatever it says: no keyword for anybody who looks for one.
            let value = utf8(word.to_vec())?;
            let quote_style = is_reserved(word).then_some('`');
            self.push(SqlToken::Word(Word { value, quote_style, keyword: Keyword::NoKeyword }));
            return Ok(1);
        }
        let is = |words: &[&[u8]]| {
            rest.len() >= words.len()
                && rest
                    .iter()
                    .zip(words)
                    .all(|(&token, word)| self.cursor.text_of(token).eq_ignore_ascii_case(word))
        };
        if is(&[b"LOCK", b"IN", b"SHARE", b"MODE"]) {
            self.word("FOR");
            self.word("SHARE");
            return Ok(4);
        }
        if is(&[b"ESCAPE"]) && self.is_introduced(rest) {
            // `sqlparser` takes a text alone there.
            self.word("ESCAPE");
            return Ok(2);
        }
        // No words of MySQL's queries, but of `sqlparser`'s INSERT: INSERT INTO LOCAL DIRECTORY.
        let is_name = is(&[b"DIRECTORY"]) || is(&[b"LOCAL"]);
        if is_name || self.is_base_window(rest) {
            let word = utf8(word.to_vec())?;
            self.push(SqlToken::make_word(&word, Some('`')));
        } else if is(&[b"MOD"]) && self.is_behind_operand() {
            self.push(SqlToken::Mod);
        } else if is(&[b"DISTINCTROW"]) {
            self.word("DISTINCT");
        } else {
            let word = utf8(word.to_vec())?;
            self.word(&word);
        }
        Ok(1)
    }

    /// Whether the first token is the window that another one builds on, as in `OVER (w ORDER BY a)`: `sqlparser` takes none of
    /// its own keywords for one.
    fn is_base_window(&self, rest: &[Token]) -> bool {
        let before =
            |back: usize| self.place.checked_sub(back).and_then(|place| self.cursor.tokens().get(place));
        let (Some(word), Some(opens), Some(next)) = (before(2), before(1), rest.get(1)) else { return false };
        let is = |token: &Token, words: &[&str]| {
            let text = self.cursor.text_of(*token);
            words.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()))
        };
        is(opens, &["("])
            && is(word, &["OVER", "AS"])
            && is(next, &[")", "PARTITION", "ORDER", "ROWS", "RANGE"])
            && !is_reserved(self.cursor.text_of(rest[0]))
    }

    /// Whether a text with an introducer stands behind the first token.
    fn is_introduced(&self, rest: &[Token]) -> bool {
        let [_, introducer, text, ..] = rest else { return false };
        introducer.kind == Kind::Word
            && self.cursor.text_of(*introducer).starts_with(b"_")
            && text.kind == Kind::Text
    }

    /// Whether an operand ended here: then MOD is an operator, not a function.
    fn is_behind_operand(&self) -> bool {
        let Some(&before) = self.place.checked_sub(1).and_then(|place| self.cursor.tokens().get(place))
        else {
            return false;
        };
        let text = self.cursor.text_of(before);
        let is = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()));
        match before.kind {
            Kind::Word if is_reserved(text) => is(&["NULL", "TRUE", "FALSE"]),
            Kind::Word => !is(&["SQL_NO_CACHE", "SQL_BUFFER_RESULT"]),
            Kind::Symbol => text == b")",
            _ => true,
        }
    }

    /// `x'..'`, `0x..`, `b'..'`, `0b..`, `n'..'`. Bits become the bytes that hold them.
    fn special(&mut self, text: &[u8]) -> Result<(), SqlError> {
        let quoted = text.last() == Some(&b'\'');
        let digits = if quoted { text.get(2..text.len() - 1) } else { text.get(2..) }.unwrap_or_default();
        match text.get(usize::from(!quoted)).map(u8::to_ascii_lowercase) {
            Some(b'n') => {
                let bytes = unescape(&text[1..], self.cursor.mode().quoting.no_backslash_escapes);
                self.push(SqlToken::NationalStringLiteral(utf8(bytes)?));
            }
            Some(b'x') if digits.iter().all(u8::is_ascii_hexdigit) && !(quoted && digits.len() % 2 == 1) => {
                let digits = utf8(digits.to_vec())?;
                self.push(SqlToken::HexStringLiteral(digits));
            }
            Some(b'b') if digits.iter().all(|digit| matches!(digit, b'0' | b'1')) => {
                self.push(SqlToken::HexStringLiteral(bits_as_hex(digits)));
            }
            _ => return Err(self.cursor.error_at(self.place)),
        }
        Ok(())
    }

    /// `?`, numbered as it comes, or `?7` of a normalised text.
    fn placeholder(&mut self, token: Token, rest: &[Token]) -> Result<usize, SqlError> {
        let number = rest.get(1).filter(|next| next.kind == Kind::Number && next.start == token.end);
        let number = number.map(|&next| utf8(self.cursor.text_of(next).to_vec())).transpose()?;
        let taken = 1 + usize::from(number.is_some());
        let number = number.unwrap_or_else(|| {
            let before = self.cursor.tokens()[..self.place].iter();
            before.filter(|token| token.kind == Kind::Param).count().to_string()
        });
        self.push(SqlToken::Placeholder(format!("?{number}")));
        Ok(taken)
    }

    /// `@x`, `@'x'`, `@@x`, `@@global.x`: names that keep their `@`, the last a path of two.
    fn variable(&mut self, text: &[u8]) -> Result<(), SqlError> {
        let at_signs = text.iter().take_while(|byte| **byte == b'@').count();
        let name = &text[at_signs..];
        let name = match name.first() {
            Some(b'\'' | b'"' | b'`') => unescape(name, name[0] == b'`'),
            _ => name.to_vec(),
        };
        let name = utf8(name)?;
        if at_signs == 1 {
            self.word(&format!("@{name}"));
            return Ok(());
        }
        for (place, part) in name.split('.').enumerate() {
            if place == 0 {
                self.word(&format!("@@{part}"));
                continue;
            }
            self.push(SqlToken::Period);
            if !part.is_empty() {
                self.word(part);
            }
        }
        Ok(())
    }

    fn symbol(&mut self, text: &[u8]) -> Result<(), SqlError> {
        match text {
            b"||" if !self.cursor.mode().pipes_as_concat => self.word("OR"),
            b"&&" => self.word("AND"),
            _ => {
                let token = symbol(text).ok_or_else(|| self.cursor.error_at(self.place))?;
                self.push(token);
            }
        }
        Ok(())
    }
}

fn symbol(text: &[u8]) -> Option<SqlToken> {
    Some(match text {
        b"(" => SqlToken::LParen,
        b")" => SqlToken::RParen,
        b"," => SqlToken::Comma,
        b"." => SqlToken::Period,
        b"=" => SqlToken::Eq,
        b"<=>" => SqlToken::Spaceship,
        b"<>" | b"!=" => SqlToken::Neq,
        b"<" => SqlToken::Lt,
        b"<=" => SqlToken::LtEq,
        b">" => SqlToken::Gt,
        b">=" => SqlToken::GtEq,
        b":=" => SqlToken::Assignment,
        b"+" => SqlToken::Plus,
        b"-" => SqlToken::Minus,
        b"*" => SqlToken::Mul,
        b"/" => SqlToken::Div,
        b"%" => SqlToken::Mod,
        b"||" => SqlToken::StringConcat,
        b"|" => SqlToken::Pipe,
        b"&" => SqlToken::Ampersand,
        b"^" => SqlToken::Caret,
        b"~" => SqlToken::Tilde,
        b"!" => SqlToken::ExclamationMark,
        b"<<" => SqlToken::ShiftLeft,
        b">>" => SqlToken::ShiftRight,
        b"->" => SqlToken::Arrow,
        b"->>" => SqlToken::LongArrow,
        b"{" => SqlToken::LBrace,
        b"}" => SqlToken::RBrace,
        _ => return None,
    })
}

/// The digits of a hexadecimal literal.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The bytes of hexadecimal digits; an odd first digit stands alone.
pub(crate) fn unhex(digits: &str) -> Option<Vec<u8>> {
    let padded = if digits.len() % 2 == 1 { format!("0{digits}") } else { digits.to_owned() };
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    padded.as_bytes().chunks(2).map(|pair| Some(digit(pair[0])? * 16 + digit(pair[1])?)).collect()
}

fn bits_as_hex(bits: &[u8]) -> String {
    let bytes: Vec<u8> =
        bits.rchunks(8).rev().map(|chunk| chunk.iter().fold(0, |byte, bit| byte << 1 | (bit & 1))).collect();
    hex(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lex::Quoting;
    use crate::parse::Mode;

    fn tokens(sql: &[u8], mode: Mode) -> String {
        let cursor = Cursor::new(sql, mode).unwrap();
        let tokens = convert(&cursor, 0, cursor.tokens().len()).unwrap();
        tokens.iter().map(|token| token.token.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn literals_are_resolved_before_sqlparser_sees_them() {
        assert_eq!(
            tokens(br"'a\'b' 'it''s' 0b101 b'100000001' 0xF x'0f'", Mode::default()),
            "'a'b' 'it's' X'05' X'0101' X'F' X'0f'"
        );
        assert_eq!(tokens(b"_binary '\xff\x00'", Mode::default()), "_binary X'FF00'");
        let plain =
            Mode { quoting: Quoting { no_backslash_escapes: true, ansi_quotes: true }, ..Mode::default() };
        assert_eq!(tokens(br#"'a\n' "x""#, plain), r"'a\n' `x`");
    }

    #[test]
    fn what_sqlparser_does_not_know_is_reworded() {
        assert_eq!(tokens(b"select 1 lock in share mode", Mode::default()), "select 1 FOR SHARE");
        assert_eq!(
            tokens(b"a mod 2, mod(a, 2), (a) mod b", Mode::default()),
            "a % 2 , mod ( a , 2 ) , ( a ) % b"
        );
        assert_eq!(tokens(b"a || b && c", Mode::default()), "a OR b AND c");
        let concat = Mode { pipes_as_concat: true, ..Mode::default() };
        assert_eq!(tokens(b"a || b", concat), "a || b");
    }

    #[test]
    fn variables_and_placeholders_keep_their_names() {
        assert_eq!(
            tokens(b"@a.b @'x y' @@global.x @@y ?7 ? ?", Mode::default()),
            "@a.b @x y @@global . x @@y ?7 ?1 ?2"
        );
    }
}
