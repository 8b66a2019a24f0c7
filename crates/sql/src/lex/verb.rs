//! What kind of statement a text begins with, and where its first statement ends.

use super::{Kind, Lexer, Quoting};

/// The first word of a statement, as far as anybody decides by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// SELECT, or a parenthesis or WITH before one.
    Select,
    /// INSERT or REPLACE.
    Insert,
    /// UPDATE.
    Update,
    /// DELETE.
    Delete,
    /// BEGIN, COMMIT, ROLLBACK and nothing else behind it: the statements of every transaction.
    Begin,
    /// See `Begin`.
    Commit,
    /// See `Begin`.
    Rollback,
    /// Nothing but blanks and comments.
    Empty,
    /// Any other statement.
    Other,
}

/// Splits off the first statement of a text. Returns it without its semicolon, what follows, and its verb.
pub fn split_first(text: &[u8], quoting: Quoting) -> (&[u8], &[u8], Verb) {
    let mut lexer = Lexer::new(text, quoting);
    let mut first = None;
    let mut words = 0;
    let (mut end, mut rest) = (text.len(), text.len());
    while let Some(token) = lexer.next_token() {
        if token.kind == Kind::Semicolon {
            (end, rest) = (token.start, token.end);
            break;
        }
        first.get_or_insert(lexer.text_of(token));
        words += 1;
    }
    let verb = first.map_or(Verb::Empty, |word| verb_of(word, words == 1));
    (&text[..end], &text[rest..], verb)
}

/// What follows a statement and its semicolon, from its first token on; `None` if that is comments and semicolons alone.
pub fn next_statement(behind: &[u8], quoting: Quoting) -> Option<&[u8]> {
    let mut lexer = Lexer::new(behind, quoting);
    let first = lexer.next_token()?;
    let mut token = first;
    while token.kind == Kind::Semicolon {
        token = lexer.next_token()?;
    }
    Some(&behind[first.start..])
}

fn verb_of(word: &[u8], alone: bool) -> Verb {
    let is = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
    if ["SELECT", "(", "WITH", "TABLE", "VALUES"].into_iter().any(is) {
        Verb::Select
    } else if is("INSERT") || is("REPLACE") {
        Verb::Insert
    } else if is("UPDATE") {
        Verb::Update
    } else if is("DELETE") {
        Verb::Delete
    } else if alone && is("BEGIN") {
        Verb::Begin
    } else if alone && is("COMMIT") {
        Verb::Commit
    } else if alone && is("ROLLBACK") {
        Verb::Rollback
    } else {
        Verb::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_split_at_semicolons_outside_of_strings() {
        let split = |text: &'static str| {
            let (first, rest, verb) = split_first(text.as_bytes(), Quoting::default());
            (std::str::from_utf8(first).unwrap(), std::str::from_utf8(rest).unwrap(), verb)
        };
        assert_eq!(split("select ';' ; update t"), ("select ';' ", " update t", Verb::Select));
        assert_eq!(split("/*x*/ commit;"), ("/*x*/ commit", "", Verb::Commit));
        assert_eq!(split("commit and chain"), ("commit and chain", "", Verb::Other));
        assert_eq!(split(" -- nothing\n"), (" -- nothing\n", "", Verb::Empty));
    }

    #[test]
    fn comments_and_semicolons_are_no_statement() {
        let next = |text: &'static str| next_statement(text.as_bytes(), Quoting::default());
        for nothing in
            ["", " ", ";", " ; ;", "# x;y", " /* a;b */", "-- x", ";/* x */;", "/*!99999 x */", "/*! */"]
        {
            assert_eq!(next(nothing), None, "{nothing}");
        }
        assert_eq!(next("\n\n select 2"), Some(&b"select 2"[..]));
        assert_eq!(next("/* x */ ;select 2"), Some(&b";select 2"[..]));
        assert_eq!(next("'"), Some(&b"'"[..]));
    }
}
