//! MySQL's tokens.
//!
//! The full grammar is `sqlparser`'s affair; this lexer exists for what comes before it: splitting a packet into
//! statements, finding out what kind of statement it is, and taking the literals out so that equal statements with
//! other values share one plan ([`normalise`]).
//!
//! Source: MySQL 8.0 Reference Manual, "Language Structure".

mod digest;
mod keywords;
mod literal;
mod normalise;
mod verb;

pub use digest::{digest_of, digest_text};
pub use keywords::keywords;
pub(crate) use literal::negated;
pub use literal::{number, unescape};
pub use normalise::{LITERAL_BASE, Normalised, OPEN_PATTERN_BASE, ROW_LITERAL_BASE, normalise};
use types::sql_mode::SqlMode;
pub use verb::{Verb, next_statement, split_first};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A keyword or an identifier.
    Word,
    /// An identifier in backticks, or in double quotes if `ANSI_QUOTES`.
    Quoted,
    /// A string.
    Text,
    /// A number without sign.
    Number,
    /// `0x..`, `x'..'`, `0b..`, `b'..'`, `n'..'`: kept as they are.
    Special,
    /// `?`
    Param,
    /// `@name`, `@@name`.
    Variable,
    /// `;`
    Semicolon,
    /// Anything else: operators and punctuation, one character or two.
    Symbol,
}

/// A token: its kind and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Byte offset of its first character.
    pub start: usize,
    /// Byte offset behind its last character.
    pub end: usize,
}

/// How the session reads SQL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quoting {
    /// `"` quotes identifiers.
    pub ansi_quotes: bool,
    /// `\` in strings is a backslash.
    pub no_backslash_escapes: bool,
}

impl Quoting {
    /// What a session of this mode reads.
    pub fn of(mode: SqlMode) -> Self {
        Self {
            ansi_quotes: mode.contains(SqlMode::ANSI_QUOTES),
            no_backslash_escapes: mode.contains(SqlMode::NO_BACKSLASH_ESCAPES),
        }
    }
}

/// Reads tokens. Comments are skipped; the contents of `/*! .. */` are read as if they stood alone.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    quoting: Quoting,
    /// Inside of `/*! .. */`.
    in_hint: bool,
}

impl<'a> Lexer<'a> {
    /// Reads `text` from its beginning.
    pub fn new(text: &'a [u8], quoting: Quoting) -> Self {
        Self { text, at: 0, quoting, in_hint: false }
    }

    /// The bytes of a token.
    pub fn text_of(&self, token: Token) -> &'a [u8] {
        &self.text[token.start..token.end]
    }

    /// The bytes between two places.
    pub(crate) fn between(&self, start: usize, end: usize) -> &'a [u8] {
        &self.text[start..end]
    }

    /// What follows a token.
    pub(crate) fn behind(&self, token: Token) -> &'a [u8] {
        &self.text[token.end..]
    }

    /// The next token; `None` at the end.
    pub fn next_token(&mut self) -> Option<Token> {
        self.skip_blanks();
        let start = self.at;
        let first = *self.text.get(start)?;
        let kind = match first {
            b'\'' => self.quoted(b'\'', Kind::Text),
            b'"' if self.quoting.ansi_quotes => self.quoted(b'"', Kind::Quoted),
            b'"' => self.quoted(b'"', Kind::Text),
            b'`' => self.quoted(b'`', Kind::Quoted),
            b'?' => self.take(1, Kind::Param),
            b';' => self.take(1, Kind::Semicolon),
            b'@' => self.variable(),
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_some_and(|next| next.is_ascii_digit()) && !self.follows_word() => {
                self.number()
            }
            _ if is_word(first) => self.word(),
            _ => self.symbol(),
        };
        Some(Token { kind, start, end: self.at })
    }

    /// Behind FROM: whether this is FROM FIRST or FROM LAST of a window function, and no table follows.
    pub(crate) fn is_in_window_function(&self) -> bool {
        let mut ahead = self.clone();
        let mut is = |words: &[&str]| {
            let text = ahead.next_token().map(|token| ahead.text_of(token));
            text.is_some_and(|text| words.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes())))
        };
        is(&["FIRST", "LAST"]) && is(&["OVER", "RESPECT", "IGNORE"])
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    fn take(&mut self, size: usize, kind: Kind) -> Kind {
        self.at = (self.at + size).min(self.text.len());
        kind
    }

    /// `t.1x` is a column, `1 .5` are numbers.
    fn follows_word(&self) -> bool {
        self.at > 0 && (is_word(self.text[self.at - 1]) || self.text[self.at - 1] == b'`')
    }

    fn skip_blanks(&mut self) {
        while let Some(byte) = self.peek(0) {
            match (byte, self.peek(1)) {
                _ if byte.is_ascii_whitespace() || byte == 0x0b => self.at += 1,
                (b'#', _) => self.skip_line(),
                (b'-', Some(b'-'))
                    if self.peek(2).is_none_or(|next| next.is_ascii_whitespace() || next < b' ') =>
                {
                    self.skip_line();
                }
                (b'/', Some(b'*')) => self.skip_comment(),
                (b'*', Some(b'/')) if self.in_hint => {
                    self.in_hint = false;
                    self.at += 2;
                }
                _ => return,
            }
        }
    }

    fn skip_line(&mut self) {
        let rest = &self.text[self.at..];
        self.at += memchr::memchr(b'\n', rest).map_or(rest.len(), |newline| newline + 1);
    }

    /// A comment is skipped to its end; `/*!` and `/*!80000` are only stepped over, unless the version is above ours.
    fn skip_comment(&mut self) {
        let executable = self.peek(2) == Some(b'!');
        let digits =
            self.text[(self.at + 3).min(self.text.len())..].iter().take_while(|c| c.is_ascii_digit()).count();
        let version =
            &self.text[(self.at + 3).min(self.text.len())..(self.at + 3 + digits).min(self.text.len())];
        let known = digits < 5 || version <= OUR_VERSION;
        if executable && known && !self.in_hint {
            self.in_hint = true;
            self.at += 3 + if digits >= 5 { digits } else { 0 };
            return;
        }
        let body = (self.at + 2).min(self.text.len());
        let end = memchr::memmem::find(&self.text[body..], b"*/");
        self.at = end.map_or(self.text.len(), |end| body + end + 2);
    }

    fn quoted(&mut self, quote: u8, kind: Kind) -> Kind {
        let escapes = kind == Kind::Text && !self.quoting.no_backslash_escapes;
        self.at += 1;
        while let Some(byte) = self.peek(0) {
            self.at += 1;
            if byte == b'\\' && escapes {
                self.at = (self.at + 1).min(self.text.len());
            } else if byte == quote {
                if self.peek(0) != Some(quote) {
                    break;
                }
                self.at += 1;
            }
        }
        kind
    }

    fn variable(&mut self) -> Kind {
        while self.peek(0) == Some(b'@') {
            self.at += 1;
        }
        match self.peek(0) {
            Some(quote @ (b'`' | b'\'' | b'"')) => drop(self.quoted(quote, Kind::Quoted)),
            _ => {
                while self.peek(0).is_some_and(|byte| is_word(byte) || byte == b'.') {
                    self.at += 1;
                }
            }
        }
        Kind::Variable
    }

    fn number(&mut self) -> Kind {
        let prefix = (self.peek(0), self.peek(1));
        if let (Some(b'0'), Some(base @ (b'x' | b'b'))) = prefix {
            let digit =
                |byte: u8| if base == b'x' { byte.is_ascii_hexdigit() } else { matches!(byte, b'0' | b'1') };
            let digits = self.text[self.at + 2..].iter().take_while(|byte| digit(**byte)).count();
            let ends = self.peek(2 + digits).is_none_or(|byte| !is_word(byte));
            if digits > 0 && ends {
                return self.take(2 + digits, Kind::Special);
            }
        }
        let start = self.at;
        self.skip_digits();
        if self.peek(0) == Some(b'.') {
            self.at += 1;
            self.skip_digits();
        }
        let exponent = usize::from(matches!(self.peek(1), Some(b'+' | b'-'))) + 1;
        if matches!(self.peek(0), Some(b'e' | b'E'))
            && self.peek(exponent).is_some_and(|c| c.is_ascii_digit())
        {
            self.at += exponent;
            self.skip_digits();
        }
        // `1st` is an identifier.
        if self.peek(0).is_some_and(is_word) && self.text[start..self.at].iter().all(u8::is_ascii_digit) {
            return self.word();
        }
        Kind::Number
    }

    fn skip_digits(&mut self) {
        while self.peek(0).is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
    }

    fn word(&mut self) -> Kind {
        let start = self.at;
        while self.peek(0).is_some_and(is_word) {
            self.at += 1;
        }
        let introducer =
            self.at - start == 1 && matches!(self.text[start], b'x' | b'X' | b'b' | b'B' | b'n' | b'N');
        if introducer && self.peek(0) == Some(b'\'') {
            self.quoted(b'\'', Kind::Text);
            return Kind::Special;
        }
        Kind::Word
    }

    fn symbol(&mut self) -> Kind {
        const PAIRS: [&[u8]; 9] = [b"<=", b">=", b"<>", b"!=", b"||", b"&&", b":=", b"<<", b">>"];
        let rest = &self.text[self.at..];
        let size = if rest.starts_with(b"<=>") || rest.starts_with(b"->>") {
            3
        } else if PAIRS.iter().any(|pair| rest.starts_with(pair)) || rest.starts_with(b"->") {
            2
        } else {
            1
        };
        self.take(size, Kind::Symbol)
    }
}

/// As executable comments compare versions with ours.
const OUR_VERSION: &[u8] = b"80046";

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tokens(text: &str) -> Vec<(Kind, &str)> {
        let mut lexer = Lexer::new(text.as_bytes(), Quoting::default());
        std::iter::from_fn(|| lexer.next_token()).map(|t| (t.kind, &text[t.start..t.end])).collect()
    }

    #[test]
    fn tokens_are_mysqls() {
        use Kind::*;
        assert_eq!(
            tokens("SELECT `a``b`,'it''s\\'',1.5e-3,.5,0xFF,x'0f' -- rest\n,@@global.x,@u,1st FROM t1"),
            [
                (Word, "SELECT"),
                (Quoted, "`a``b`"),
                (Symbol, ","),
                (Text, "'it''s\\''"),
                (Symbol, ","),
                (Number, "1.5e-3"),
                (Symbol, ","),
                (Number, ".5"),
                (Symbol, ","),
                (Special, "0xFF"),
                (Symbol, ","),
                (Special, "x'0f'"),
                (Symbol, ","),
                (Variable, "@@global.x"),
                (Symbol, ","),
                (Variable, "@u"),
                (Symbol, ","),
                (Word, "1st"),
                (Word, "FROM"),
                (Word, "t1"),
            ]
        );
    }

    #[test]
    fn comments_are_skipped_and_executable_ones_read() {
        use Kind::*;
        assert_eq!(
            tokens("a /* b */ /*!40000 c */ /*! d */ /*!99999 e */ # f\n--g"),
            [(Word, "a"), (Word, "c"), (Word, "d"), (Symbol, "-"), (Symbol, "-"), (Word, "g"),]
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_cut_into_tokens_that_ascend(text in proptest::collection::vec(any::<u8>(), 0..80)) {
            let mut lexer = Lexer::new(&text, Quoting::default());
            let mut end = 0;
            while let Some(token) = lexer.next_token() {
                prop_assert!(token.start >= end && token.end > token.start);
                end = token.end;
            }
        }
    }
}
