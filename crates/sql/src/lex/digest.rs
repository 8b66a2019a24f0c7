//! The digest text of a statement: what statements have in common that differ in their values alone.
//!
//! Literals become `?`, lists of them `?, ...`, rows of them `(...)`, and rows one after another `(...) /* , ... */`; names are
//! quoted, keywords in capitals. Source: MySQL 8.4 Reference Manual, "Performance Schema Statement Digests and Sampling", and what
//! STATEMENT_DIGEST_TEXT() of MySQL 9.7.4 has said of some 400 statements. Optimizer hints, which MySQL has in it, are comments here.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};

use super::keywords::keyword;
use super::{Kind, Lexer, Quoting, Token};

/// The digest text of one statement. `size_max` is `max_digest_length`: what does not fit is left out, two bytes a token and for
/// a name two and its own besides.
#[must_use]
pub fn digest_text(sql: &[u8], quoting: Quoting, size_max: usize) -> String {
    let mut digest = Digest {
        lexer: Lexer::new(sql, quoting),
        parts: Vec::new(),
        depth: 0,
        ordered_at: None,
        size: 0,
        size_max,
    };
    digest.run();
    digest.text()
}

/// The digest of a digest text: its SHA-256 in hexadecimal digits. MySQL's is of its own numbers of tokens, which change from version
/// to version.
#[must_use]
pub fn digest_of(text: &str) -> String {
    use std::fmt::Write;
    let mut digits = String::with_capacity(64);
    for byte in Sha256::digest(text) {
        write!(digits, "{byte:02x}").expect("writing to a String cannot fail");
    }
    digits
}

/// A part of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part<'a> {
    /// `?`
    Value,
    /// `?, ...`
    Values,
    /// `(?)`
    Single,
    /// `(?) /* , ... */`
    Singles,
    /// `(...)`
    Row,
    /// `(...) /* , ... */`
    Rows,
    /// `(...)` behind IN, whatever its size.
    Choice,
    /// `@`, in front of a user variable's name or a host.
    At,
    /// A name.
    Name(Cow<'a, str>),
    /// A keyword, a symbol, a variable.
    Word(Cow<'a, str>),
}

impl Part<'_> {
    fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word(found) if found == word)
    }

    /// Whether a sign behind it is an operator.
    fn is_operand(&self) -> bool {
        match self {
            Self::Word(word) => {
                const VALUES: [&str; 9] =
                    [")", "]", "}", "TRUE", "FALSE", "END", "CURDATE", "CURTIME", "NOW"];
                VALUES.contains(&&**word)
                    || word.starts_with("@@")
                    || keyword(word.as_bytes()).is_some_and(|(_, reserved)| !reserved)
            }
            _ => true,
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::Name(name) => 4 + name.len(),
            _ => 2,
        }
    }

    fn write(&self, text: &mut String) {
        match self {
            Self::Value => text.push('?'),
            Self::Values => text.push_str("?, ..."),
            Self::Single => text.push_str("(?)"),
            Self::Singles => text.push_str("(?) /* , ... */"),
            Self::Row | Self::Choice => text.push_str("(...)"),
            Self::Rows => text.push_str("(...) /* , ... */"),
            Self::At => text.push('@'),
            Self::Name(name) => text.extend(["`", name, "`"]),
            Self::Word(word) => text.push_str(word),
        }
    }
}

struct Digest<'a> {
    lexer: Lexer<'a>,
    parts: Vec<Part<'a>>,
    /// Parentheses that are open.
    depth: usize,
    /// Within ORDER BY or GROUP BY of this depth, where a number by itself is a column's position.
    ordered_at: Option<usize>,
    size: usize,
    size_max: usize,
}

impl<'a> Digest<'a> {
    fn run(&mut self) {
        while let Some(token) = self.lexer.next_token()
            && token.kind != Kind::Semicolon
            && self.size < self.size_max
        {
            let bytes = self.lexer.text_of(token);
            match token.kind {
                Kind::Number if self.is_position() => self.push(Part::Word(String::from_utf8_lossy(bytes))),
                Kind::Number => {
                    self.drop_signs();
                    self.value();
                }
                Kind::Text | Kind::Special | Kind::Param => self.value(),
                Kind::Quoted => self.push(Part::Name(unquoted(bytes))),
                Kind::Word => self.word(token, bytes),
                Kind::Variable => self.variable(bytes),
                Kind::Symbol | Kind::Semicolon => self.symbol(bytes),
            }
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let mut is_apart = false;
        for part in &self.parts {
            if is_apart {
                text.push(' ');
            }
            part.write(&mut text);
            is_apart = *part != Part::At;
        }
        text
    }

    fn push(&mut self, part: Part<'a>) {
        self.size += part.size();
        // What has no room is left out, and all behind it.
        if self.size <= self.size_max {
            self.parts.push(part);
        }
    }

    fn pop(&mut self) {
        self.size -= self.parts.pop().map_or(0, |part| part.size());
    }

    fn last(&self) -> Option<&Part<'a>> {
        self.parts.last()
    }

    fn ends_with(&self, word: &str) -> bool {
        self.last().is_some_and(|last| last.is(word))
    }

    /// Pushes `one`, or `many` in the place of one of the two and a comma that are there already.
    fn push_or_join(&mut self, one: Part<'a>, many: Part<'a>) {
        if let [.., before, comma] = &self.parts[..]
            && comma.is(",")
            && (*before == one || *before == many)
        {
            self.pop();
            self.pop();
            self.push(many);
        } else {
            self.push(one);
        }
    }

    fn value(&mut self) {
        self.push_or_join(Part::Value, Part::Values);
    }

    /// Signs of the number that comes belong to it.
    fn drop_signs(&mut self) {
        while self.ends_with("-") || self.ends_with("+") {
            let before = self.parts.len().checked_sub(2).map(|place| &self.parts[place]);
            if before.is_some_and(Part::is_operand) {
                return;
            }
            self.pop();
        }
    }

    /// Whether the number at hand is a column's position.
    fn is_position(&self) -> bool {
        if self.ordered_at != Some(self.depth) || !(self.ends_with("BY") || self.ends_with(",")) {
            return false;
        }
        let mut ahead = self.lexer.clone();
        ahead.next_token().is_none_or(|next| match next.kind {
            Kind::Symbol => matches!(ahead.text_of(next), b"," | b")"),
            _ => true,
        })
    }

    fn word(&mut self, token: Token, bytes: &'a [u8]) {
        let name = || Part::Name(String::from_utf8_lossy(bytes));
        let behind = self.lexer.behind(token);
        let is_qualified = self.ends_with(".")
            || matches!(behind, [b'.', next, ..] if super::is_word(*next) || *next == b'`');
        if is_qualified {
            return self.push(name());
        }
        if bytes[0] == b'_' && self.is_introducer() {
            return self.push(Part::Word("(_charset)".into()));
        }
        let function = || (behind.first() == Some(&b'(')).then(|| function(bytes)).flatten();
        let Some(word) = keyword(bytes).map(|(word, _)| word).or_else(function) else {
            return self.push(name());
        };
        if word == "NULL" && self.is_null_value() {
            return self.value();
        }
        let is_ordering = word == "BY" && (self.ends_with("ORDER") || self.ends_with("GROUP"));
        if is_ordering {
            self.ordered_at = Some(self.depth);
        } else if self.ordered_at == Some(self.depth) && !matches!(word, "ASC" | "DESC") {
            self.ordered_at = None;
        }
        self.push(Part::Word(shown(word).into()));
    }

    /// Whether `_name` in front of what comes is a character set.
    fn is_introducer(&self) -> bool {
        let next = self.lexer.clone().next_token();
        next.is_some_and(|next| matches!(next.kind, Kind::Text | Kind::Special))
    }

    /// Whether NULL is a value here, and not a part of IS NULL or of a column's definition.
    fn is_null_value(&self) -> bool {
        let defines = self.parts.first().is_some_and(|first| first.is("CREATE") || first.is("ALTER"));
        let before = |words: &[&str]| words.iter().any(|word| self.ends_with(word));
        if defines { before(&["DEFAULT", "=", "(", ","]) } else { !before(&["IS", "NOT"]) }
    }

    fn variable(&mut self, bytes: &'a [u8]) {
        let Some(system) = bytes.strip_prefix(b"@@") else {
            self.push(Part::At);
            return match bytes.get(1) {
                Some(b'`') => self.push(Part::Name(unquoted(&bytes[1..]))),
                _ => self.value(),
            };
        };
        let text = String::from_utf8_lossy(system);
        let scope = text.split_once('.').map(|(scope, name)| (scope.to_ascii_uppercase(), name.to_owned()));
        if let Some((scope, name)) = scope.filter(|(scope, _)| SCOPES.contains(&&**scope)) {
            self.push(Part::Word(format!("@@{scope}").into()));
            self.push(Part::Word(".".into()));
            return self.push(Part::Name(name.into()));
        }
        self.push(Part::Word(format!("@@`{}`", text.trim_matches('`')).into()));
    }

    fn symbol(&mut self, bytes: &'a [u8]) {
        match bytes {
            b"(" => self.depth += 1,
            b")" => return self.close(),
            _ => {}
        }
        let text = if bytes == b"<>" { "!=".into() } else { String::from_utf8_lossy(bytes) };
        self.push(Part::Word(text));
    }

    fn close(&mut self) {
        self.ordered_at = self.ordered_at.filter(|depth| *depth < self.depth);
        self.depth = self.depth.saturating_sub(1);
        let is_one = match &self.parts[..] {
            [.., open, Part::Value] if open.is("(") => true,
            [.., open, Part::Values] if open.is("(") => false,
            _ => return self.push(Part::Word(")".into())),
        };
        self.pop();
        self.pop();
        if self.ends_with("IN") {
            self.push(Part::Choice);
        } else if is_one {
            self.push_or_join(Part::Single, Part::Singles);
        } else {
            self.push_or_join(Part::Row, Part::Rows);
        }
    }
}

/// A name without its quotes; what is doubled in it is there once.
fn unquoted(quoted: &[u8]) -> Cow<'_, str> {
    let quote = quoted[0];
    let inner = &quoted[1..];
    let inner = String::from_utf8_lossy(inner.strip_suffix(&[quote]).unwrap_or(inner));
    let doubled = if quote == b'`' { "``" } else { "\"\"" };
    if inner.contains(doubled) { inner.replace(doubled, &doubled[1..]).into() } else { inner }
}

/// In front of a system variable's name.
const SCOPES: [&str; 5] = ["GLOBAL", "SESSION", "LOCAL", "PERSIST", "PERSIST_ONLY"];

/// The function that a word in front of `(` is, in any case, if its name is a keyword there.
fn function(word: &[u8]) -> Option<&'static str> {
    FUNCTIONS.iter().find(|function| word.eq_ignore_ascii_case(function.as_bytes())).copied()
}

/// How a keyword is shown.
fn shown(word: &'static str) -> &'static str {
    static SHOWN: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| SYNONYMS.iter().copied().collect());
    SHOWN.get(word).copied().unwrap_or(word)
}

/// Names of functions that are keywords if `(` follows at once.
const FUNCTIONS: &[&str] = &[
    "ADDDATE",
    "BIT_AND",
    "BIT_OR",
    "BIT_XOR",
    "CAST",
    "COUNT",
    "CURDATE",
    "CURTIME",
    "DATE_ADD",
    "DATE_SUB",
    "EXTRACT",
    "GROUP_CONCAT",
    "JSON_ARRAYAGG",
    "JSON_OBJECTAGG",
    "MAX",
    "MID",
    "MIN",
    "NOW",
    "POSITION",
    "SESSION_USER",
    "STD",
    "STDDEV",
    "STDDEV_POP",
    "STDDEV_SAMP",
    "ST_COLLECT",
    "SUBDATE",
    "SUBSTR",
    "SUBSTRING",
    "SUM",
    "SYSDATE",
    "SYSTEM_USER",
    "TRIM",
    "VARIANCE",
    "VAR_POP",
    "VAR_SAMP",
    "JSON_DUALITY_OBJECT",
];

/// Keywords that are shown as others of the same meaning.
const SYNONYMS: &[(&str, &str)] = &[
    ("ANY", "SOME"),
    ("BIGINT", "INT8"),
    ("CHAR", "CHARACTER"),
    ("COLUMNS", "FIELDS"),
    ("CURRENT_DATE", "CURDATE"),
    ("CURRENT_TIME", "CURTIME"),
    ("CURRENT_TIMESTAMP", "NOW"),
    ("DATABASE", "SCHEMA"),
    ("DATABASES", "SCHEMAS"),
    ("DAY", "SQL_TSI_DAY"),
    ("DEC", "DECIMAL"),
    ("DESCRIBE", "EXPLAIN"),
    ("DISTINCT", "DISTINCTROW"),
    ("DOUBLE", "FLOAT8"),
    ("FLOAT", "FLOAT4"),
    ("GEOMCOLLECTION", "GEOMETRYCOLLECTION"),
    ("HOUR", "SQL_TSI_HOUR"),
    ("INT", "INTEGER"),
    ("INT1", "TINYINT"),
    ("INT2", "SMALLINT"),
    ("INT3", "MIDDLEINT"),
    ("INT4", "INTEGER"),
    ("IO_THREAD", "RELAY_THREAD"),
    ("LOCALTIME", "NOW"),
    ("LOCALTIMESTAMP", "NOW"),
    ("MEDIUMINT", "MIDDLEINT"),
    ("MID", "SUBSTRING"),
    ("MINUTE", "SQL_TSI_MINUTE"),
    ("MONTH", "SQL_TSI_MONTH"),
    ("NDB", "NDBCLUSTER"),
    ("QUARTER", "SQL_TSI_QUARTER"),
    ("REGEXP", "RLIKE"),
    ("SECOND", "SQL_TSI_SECOND"),
    ("SESSION_USER", "SYSTEM_USER"),
    ("SQL_TSI_WEEK", "WEEK"),
    ("SQL_TSI_YEAR", "YEAR"),
    ("STD", "STDDEV_POP"),
    ("STDDEV", "STDDEV_POP"),
    ("SUBSTR", "SUBSTRING"),
    ("USER", "SYSTEM_USER"),
    ("VARCHAR", "VARCHARACTER"),
    ("VARIANCE", "VAR_POP"),
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(sql: &[u8], size_max: usize) -> String {
        digest_text(sql, Quoting::default(), size_max)
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        let sql = b"SELECT abc, d FROM t";
        // Two for the keyword, seven for the name, two for the comma, five for the name.
        assert_eq!(text(sql, 16), "SELECT `abc` , `d`");
        assert_eq!(text(sql, 15), "SELECT `abc` ,");
        assert_eq!(text(sql, 0), "");
        let rows = [&b"INSERT INTO t VALUES (1, 2)"[..], &b", (3, 4)".repeat(1000)].concat();
        assert_eq!(text(&rows, 1024), "INSERT INTO `t` VALUES (...) /* , ... */");
    }

    #[test]
    fn digests_are_of_texts() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(digest_of(""), empty);
    }

    proptest! {
        #[test]
        fn any_bytes_have_a_text(sql in proptest::collection::vec(any::<u8>(), 0..60), size_max in 0_usize..80) {
            text(&sql, size_max);
        }

        #[test]
        fn values_do_not_matter(a in any::<i32>(), b in "[a-z ']*", n in 2_usize..9) {
            let list = vec![a.to_string(); n].join(",");
            let sql = format!("SELECT a FROM t WHERE b={a} AND c='{}' AND d IN ({list})", b.replace('\'', "''"));
            let wanted = "SELECT `a` FROM `t` WHERE `b` = ? AND `c` = ? AND `d` IN (...)";
            prop_assert_eq!(text(sql.as_bytes(), 1024), wanted);
        }
    }
}
