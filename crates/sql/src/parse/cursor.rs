//! A statement's tokens, and the way through them.
//!
//! MySQL's parser reads from left to right and names the first token that cannot follow. Ours tries alternatives; so the
//! furthest token that any of them arrived at is remembered, and named.

use std::cell::Cell;

use types::error::SqlError;
use types::error::table::{ER_INVALID_CHARACTER_STRING, ER_TOO_LONG_IDENT};

use super::Mode;
use super::error::{syntax_error, syntax_error_of};
use super::reserved::is_reserved;
use crate::lex::{Kind, Lexer, Token, unescape};

/// The most characters of a name.
pub const NAME_CHARS_MAX: usize = 64;

/// See the module. Positions are indexes of tokens.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    source: &'a [u8],
    tokens: Vec<Token>,
    at: usize,
    furthest: Cell<usize>,
    mode: Mode,
}

type Result<T> = std::result::Result<T, SqlError>;

impl<'a> Cursor<'a> {
    /// Reads the tokens of one statement; semicolons may follow it, nothing else.
    pub(super) fn new(source: &'a [u8], mode: Mode) -> Result<Self> {
        let mut lexer = Lexer::new(source, mode.quoting);
        let mut tokens = Vec::with_capacity(source.len() / 4);
        let mut ended = false;
        while let Some(token) = lexer.next_token() {
            let text = lexer.text_of(token);
            if token.kind == Kind::Semicolon {
                ended = true;
            } else if ended || token.end == source.len() && !is_closed(token.kind, text, mode) {
                return Err(syntax_error(source, token.start));
            } else {
                tokens.push(token);
            }
        }
        Ok(Self { source, tokens, at: 0, furthest: Cell::new(0), mode })
    }

    /// How the text is read.
    pub(super) fn mode(&self) -> Mode {
        self.mode
    }

    /// All tokens.
    pub(super) fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// Where the cursor is.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Moves the cursor.
    pub(super) fn set_position(&mut self, at: usize) {
        self.at = at;
    }

    /// The token at the cursor.
    pub(super) fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).copied()
    }

    /// Removes the tokens from a place up to the cursor, which then stands before that place.
    pub(super) fn remove(&mut self, from: usize) {
        self.tokens.drain(from..self.at);
        self.at = from - 1;
        self.furthest.set(0);
    }

    /// What kind of token stands so many places ahead.
    pub(super) fn kind(&self, ahead: usize) -> Option<Kind> {
        self.tokens.get(self.at + ahead).map(|token| token.kind)
    }

    /// The bytes of a token.
    pub(super) fn text_of(&self, token: Token) -> &'a [u8] {
        &self.source[token.start..token.end]
    }

    /// Whether a period stands in front of a token: then a word there is a name, even one that is reserved.
    pub(super) fn is_behind_period(&self, position: usize) -> bool {
        let before = position.checked_sub(1).and_then(|before| self.tokens.get(before));
        before.is_some_and(|&before| before.kind == Kind::Symbol && self.text_of(before) == b".")
    }

    /// Steps over the token at the cursor.
    pub(super) fn advance(&mut self) {
        self.at += 1;
    }

    /// Whether the statement ends here.
    pub(super) fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// Error 1064 at the furthest token that anybody arrived at.
    pub(super) fn error(&self) -> SqlError {
        self.error_at(self.at.max(self.furthest.get()))
    }

    /// Error 1064 at a token.
    pub(super) fn error_at(&self, position: usize) -> SqlError {
        let at = self.tokens.get(position).map_or(self.source.len(), |token| token.start);
        syntax_error(self.source, at)
    }

    /// Error 1064 at the cursor, with a reason of its own.
    pub(super) fn error_of(&self, reason: &str) -> SqlError {
        let at = self.peek().map_or(self.source.len(), |token| token.start);
        syntax_error_of(reason, self.source, at)
    }

    /// Error 1064 unless the statement ends here.
    pub(super) fn expect_end(&self) -> Result<()> {
        if self.at_end() { Ok(()) } else { Err(self.error()) }
    }

    /// Whether these words and symbols, separated by blanks, come next.
    pub(super) fn is(&self, words: &str) -> bool {
        for (ahead, word) in words.split(' ').enumerate() {
            if !self.is_at(ahead, word) {
                if ahead > 0 {
                    self.furthest.set(self.furthest.get().max(self.at + ahead));
                }
                return false;
            }
        }
        true
    }

    /// Whether this word and a parenthesis come next. Without the latter it is a name.
    pub(super) fn is_call(&self, word: &str) -> bool {
        self.is_at(0, word) && self.is_at(1, "(")
    }

    /// Steps over these words if they come next.
    pub(super) fn accept(&mut self, words: &str) -> bool {
        let found = self.is(words);
        if found {
            self.at += words.split(' ').count();
        }
        found
    }

    /// Steps over the first of these that comes next, and returns which it was.
    pub(super) fn accept_any(&mut self, choices: &[&'static str]) -> Option<&'static str> {
        choices.iter().copied().find(|words| self.accept(words))
    }

    /// Steps over these words; error 1064 at the first that is not there.
    pub(super) fn expect(&mut self, words: &str) -> Result<()> {
        words.split(' ').try_for_each(|word| if self.accept(word) { Ok(()) } else { Err(self.error()) })
    }

    /// As [`Cursor::expect`], for one of several.
    pub(super) fn expect_any(&mut self, choices: &[&'static str]) -> Result<&'static str> {
        self.accept_any(choices).ok_or_else(|| self.error())
    }

    fn is_at(&self, ahead: usize, word: &str) -> bool {
        self.tokens.get(self.at + ahead).is_some_and(|&token| self.is_word(token, word))
    }

    /// Whether a token is this word or symbol.
    pub(super) fn is_word(&self, token: Token, word: &str) -> bool {
        matches!(token.kind, Kind::Word | Kind::Symbol | Kind::Param)
            && self.text_of(token).eq_ignore_ascii_case(word.as_bytes())
    }

    /// A list in which commas stand between what `item` reads.
    pub(super) fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.accept(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// The unreserved word at the cursor, or an identifier in quotes.
    pub(super) fn name(&mut self) -> Result<String> {
        self.name_if(|word| !is_reserved(word))
    }

    /// As [`Cursor::name`]; behind a period even a reserved word is a name.
    pub(super) fn name_behind_period(&mut self) -> Result<String> {
        self.name_if(|_| true)
    }

    /// Whether a name comes next.
    pub(super) fn at_name(&self) -> bool {
        self.peek().is_some_and(|token| match token.kind {
            Kind::Quoted => true,
            Kind::Word => !is_reserved(self.text_of(token)),
            _ => false,
        })
    }

    fn name_if(&mut self, is_name: impl Fn(&[u8]) -> bool) -> Result<String> {
        let name = self.any_name(is_name)?;
        if name.chars().count() > NAME_CHARS_MAX {
            return Err(ER_TOO_LONG_IDENT.error(&[&name]));
        }
        Ok(name)
    }

    fn any_name(&mut self, is_name: impl Fn(&[u8]) -> bool) -> Result<String> {
        let Some(token) = self.peek() else { return Err(self.error()) };
        let text = self.text_of(token);
        let bytes = match token.kind {
            Kind::Word if is_name(text) => text.to_vec(),
            Kind::Quoted => unescape(text, true),
            _ => return Err(self.error()),
        };
        self.advance();
        identifier(bytes)
    }

    /// A name or a text: what most options take.
    pub(super) fn name_or_text(&mut self) -> Result<String> {
        if self.kind(0) == Some(Kind::Text) { self.text() } else { self.name() }
    }

    /// A text.
    pub(super) fn text(&mut self) -> Result<String> {
        let bytes = self.text_bytes()?;
        utf8(bytes)
    }

    /// A text as it was sent.
    pub(super) fn text_bytes(&mut self) -> Result<Vec<u8>> {
        let Some(token) = self.peek().filter(|token| token.kind == Kind::Text) else {
            return Err(self.error());
        };
        self.advance();
        Ok(unescape(self.text_of(token), self.mode.quoting.no_backslash_escapes))
    }

    /// A whole number.
    pub(super) fn number(&mut self) -> Result<u64> {
        let number = self.accept_number();
        number.ok_or_else(|| self.error())
    }

    /// A whole number, if one comes next.
    pub(super) fn accept_number(&mut self) -> Option<u64> {
        let token = self.peek().filter(|token| token.kind == Kind::Number)?;
        let number = std::str::from_utf8(self.text_of(token)).ok()?.parse().ok()?;
        self.advance();
        Some(number)
    }
}

/// A name as it is kept: characters beyond U+FFFF become `?`, as in MySQL, whose names are in `utf8mb3`. Error 1300.
pub(super) fn identifier(bytes: Vec<u8>) -> Result<String> {
    let name = utf8(bytes)?;
    let is_kept = |character: char| character <= '\u{FFFF}';
    if name.chars().all(is_kept) {
        return Ok(name);
    }
    Ok(name.chars().map(|character| if is_kept(character) { character } else { '?' }).collect())
}

/// Bytes that must be UTF-8; else error 1300.
pub(super) fn utf8(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let shown = types::value::quote_bytes_as_text(&error.as_bytes()[valid..]);
        ER_INVALID_CHARACTER_STRING.error(&[&"utf8mb4", &shown])
    })
}

/// Whether a quoted token at the end of the text has its closing quote.
fn is_closed(kind: Kind, text: &[u8], mode: Mode) -> bool {
    let Some(opening) = text.iter().position(|byte| matches!(byte, b'\'' | b'"' | b'`')) else {
        return kind != Kind::Text && kind != Kind::Quoted;
    };
    let quote = text[opening];
    let escapes = quote != b'`' && kind != Kind::Quoted && !mode.quoting.no_backslash_escapes;
    let mut at = opening + 1;
    while at < text.len() {
        if text[at] == b'\\' && escapes {
            at += 2;
        } else if text[at] != quote {
            at += 1;
        } else if at + 1 == text.len() {
            return true;
        } else {
            at += 2;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cursor(sql: &str) -> Cursor<'_> {
        Cursor::new(sql.as_bytes(), Mode::default()).unwrap()
    }

    #[test]
    fn words_are_accepted_as_a_whole_or_not_at_all() {
        let mut c = cursor("If not Exists `x``y` (");
        assert!(!c.accept("IF NOT NULL") && c.position() == 0);
        assert!(c.accept("IF NOT EXISTS") && c.position() == 3);
        assert_eq!(c.name().unwrap(), "x`y");
        assert!(c.accept("(") && c.at_end());
    }

    #[test]
    fn errors_are_at_the_first_wrong_word() {
        let mut c = cursor("primary x key");
        assert!(c.expect("PRIMARY KEY").unwrap_err().message.contains("near 'x key' at line 1"));
        assert!(cursor("select").name().unwrap_err().message.contains("near 'select'"));
    }

    #[test]
    fn only_semicolons_may_follow() {
        assert!(cursor("a;;").tokens().len() == 1);
        let error = Cursor::new(b"a; b", Mode::default()).unwrap_err();
        assert!(error.message.contains("near 'b'"));
    }

    #[test]
    fn what_is_not_closed_is_an_error() {
        for (sql, closed) in [
            ("'a'", true),
            ("'a", false),
            ("'", false),
            (r"'a\'", false),
            (r"'a\\'", true),
            ("'a''", false),
            ("'a'''", true),
            ("`a", false),
            (r"`a\`", true),
            ("x'0f", false),
            ("@`a", false),
            ("@'a'", true),
        ] {
            assert_eq!(Cursor::new(sql.as_bytes(), Mode::default()).is_ok(), closed, "{sql}");
        }
    }

    #[test]
    fn names_have_at_most_64_characters() {
        assert!(cursor(&"é".repeat(64)).name().is_ok());
        assert!(cursor(&"é".repeat(65)).name().unwrap_err().is(&ER_TOO_LONG_IDENT));
    }
}
