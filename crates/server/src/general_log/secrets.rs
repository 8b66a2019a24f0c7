//! A statement's text without its passwords.
//!
//! MySQL writes statements about accounts anew, from what it has understood; here their text stays as it was sent, with
//! `<secret>` where a password or its hash stood. What stands where is found in the tokens, so a statement that is refused
//! loses its passwords as well.

use std::borrow::Cow;

use sql::lex::{Kind, Lexer, Quoting, Token, split_first};
use types::sql_mode::SqlMode;

/// What stands for a secret, as in MySQL.
const SECRET: &[u8] = b"<secret>";

/// What follows these is a secret, in statements about accounts.
const BEFORE: [&str; 5] = ["BY", "AS", "USING", "REPLACE", "PASSWORD"];

/// The text without its secrets.
pub(crate) fn without_secrets(sql: &[u8], quoting: Quoting) -> Cow<'_, [u8]> {
    let mut lexer = Lexer::new(sql, quoting);
    let first = lexer.next_token().map_or(&b""[..], |token| lexer.text_of(token));
    let is =
        |text: &[u8], words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()));
    if is(first, &["PREPARE"]) {
        return without_text(sql, lexer);
    }
    if !is(first, &["CREATE", "ALTER", "GRANT", "SET", "CHANGE", "START"]) {
        return Cow::Borrowed(sql);
    }
    let second = lexer.clone().next_token().map_or(&b""[..], |token| lexer.text_of(token));
    let is_account =
        is(first, &["GRANT"]) || is(first, &["CREATE", "ALTER"]) && is(second, &["USER", "SERVER"]);
    let is_source = is(first, &["CHANGE", "START"]);
    let is_set = is(first, &["SET"]);
    let mut found = Vec::<Token>::new();
    // The token before the one at hand, the one before that, and whether SET's PASSWORD is being set.
    let (mut last, mut before, mut of_password) = (first, &b""[..], false);
    while let Some(token) = lexer.next_token() {
        let text = lexer.text_of(token);
        let is_text = matches!(token.kind, Kind::Text | Kind::Special);
        of_password |= is_set && is(text, &["PASSWORD"]) && is(last, &["SET", ","]);
        let is_secret = if is_account {
            is(last, &BEFORE) || last == b"(" && is(before, &["PASSWORD"])
        } else if is_source {
            last == b"=" && names_password(before)
        } else {
            of_password && is(last, &["=", "(", "REPLACE"])
        };
        if is_text && is_secret {
            found.push(token);
        }
        (before, last) = (last, text);
    }
    replaced(sql, &found, SECRET)
}

/// The same of what a command has sent, which may be several statements, the last of them cut: a literal without an end is hidden to the end.
/// What a backslash means depends on the session: where that matters, what both readings show is shown, up to where they part.
pub(crate) fn commands_without_secrets(text: &str) -> String {
    let usual = commands_read(text, Quoting::default());
    if !text.contains('\\') {
        return usual;
    }
    let plain = commands_read(text, Quoting::of(SqlMode::NO_BACKSLASH_ESCAPES));
    if usual == plain {
        return usual;
    }
    let both = usual.chars().zip(plain.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a);
    both.chain("...".chars()).collect()
}

fn commands_read(text: &str, quoting: Quoting) -> String {
    let (mut shown, mut behind) = (Vec::with_capacity(text.len()), text.as_bytes());
    while !behind.is_empty() {
        let (first, rest, _) = split_first(behind, quoting);
        shown.extend_from_slice(&without_secrets(first, quoting));
        shown.extend_from_slice(&behind[first.len()..behind.len() - rest.len()]);
        behind = rest;
    }
    String::from_utf8_lossy(&shown).into_owned()
}

/// Whether an option's name, which may be quoted, is that of a password.
fn names_password(name: &[u8]) -> bool {
    const WORD: &[u8] = b"PASSWORD";
    let bare = name.strip_suffix(b"`").unwrap_or(name);
    bare.get(bare.len().saturating_sub(WORD.len())..).is_some_and(|end| end.eq_ignore_ascii_case(WORD))
}

/// PREPARE without the statement's text: that comes in an entry of its own.
fn without_text<'s>(sql: &'s [u8], mut lexer: Lexer<'s>) -> Cow<'s, [u8]> {
    let texts: Vec<_> =
        std::iter::from_fn(|| lexer.next_token()).filter(|token| token.kind == Kind::Text).collect();
    replaced(sql, &texts, b"...")
}

/// The text with something else in the place of tokens.
fn replaced<'s>(sql: &'s [u8], tokens: &[Token], by: &[u8]) -> Cow<'s, [u8]> {
    if tokens.is_empty() {
        return Cow::Borrowed(sql);
    }
    let mut text = Vec::with_capacity(sql.len());
    let mut at = 0;
    for token in tokens {
        text.extend_from_slice(&sql[at..token.start]);
        text.extend_from_slice(by);
        at = token.end;
    }
    text.extend_from_slice(&sql[at..]);
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_and_hashes_are_left_out() {
        for (sql, shown) in [
            (
                "CREATE USER a IDENTIFIED BY 'x', 'b'@'%' identified with p by \"y''\"",
                "CREATE USER a IDENTIFIED BY <secret>, 'b'@'%' identified with p by <secret>",
            ),
            (
                "alter user u identified with 'p' as 'h' /* c */ account lock",
                "alter user u identified with 'p' as <secret> /* c */ account lock",
            ),
            ("ALTER USER u IDENTIFIED WITH p AS 0x4142", "ALTER USER u IDENTIFIED WITH p AS <secret>"),
            (
                "ALTER USER USER() IDENTIFIED BY 'new' REPLACE 'old'",
                "ALTER USER USER() IDENTIFIED BY <secret> REPLACE <secret>",
            ),
            (
                "GRANT ALL ON *.* TO u IDENTIFIED BY PASSWORD '*AB'",
                "GRANT ALL ON *.* TO u IDENTIFIED BY PASSWORD <secret>",
            ),
            (
                "SET @a = 'b', PASSWORD FOR 'u'@'h' = 'x' REPLACE 'y'",
                "SET @a = 'b', PASSWORD FOR 'u'@'h' = <secret> REPLACE <secret>",
            ),
            ("SET PASSWORD = PASSWORD('x')", "SET PASSWORD = PASSWORD(<secret>)"),
            (
                "CHANGE REPLICATION SOURCE TO SOURCE_HOST='h', SOURCE_PASSWORD = 'x'",
                "CHANGE REPLICATION SOURCE TO SOURCE_HOST='h', SOURCE_PASSWORD = <secret>",
            ),
            ("CHANGE MASTER TO `Source_Password`='x'", "CHANGE MASTER TO `Source_Password`=<secret>"),
            (
                "CREATE USER u IDENTIFIED VIA p USING PASSWORD('y')",
                "CREATE USER u IDENTIFIED VIA p USING PASSWORD(<secret>)",
            ),
            ("START REPLICA USER='u' PASSWORD='x'", "START REPLICA USER='u' PASSWORD=<secret>"),
            (
                "CREATE SERVER s FOREIGN DATA WRAPPER w OPTIONS (USER 'u', PASSWORD 'x')",
                "CREATE SERVER s FOREIGN DATA WRAPPER w OPTIONS (USER 'u', PASSWORD <secret>)",
            ),
            ("PREPARE s FROM 'ALTER USER u IDENTIFIED BY \"x\"'", "PREPARE s FROM ..."),
            ("PREPARE s FROM @x", "PREPARE s FROM @x"),
            (
                "/*!50000 CREATE USER a IDENTIFIED BY 'x' */",
                "/*!50000 CREATE USER a IDENTIFIED BY <secret> */",
            ),
        ] {
            assert_eq!(without_secrets(sql.as_bytes(), Quoting::default()), shown.as_bytes(), "{sql}");
        }
    }

    #[test]
    fn each_statement_of_a_command_is_looked_at_and_the_last_may_be_cut() {
        for (text, shown) in [
            ("SELECT 1", "SELECT 1"),
            (
                "DO SLEEP(9); SET PASSWORD = 'x;y'; SELECT 'z';",
                "DO SLEEP(9); SET PASSWORD = <secret>; SELECT 'z';",
            ),
            (
                "CREATE USER a IDENTIFIED BY 'p', b IDENTIFIED BY 'q",
                "CREATE USER a IDENTIFIED BY <secret>, b IDENTIFIED BY <secret>",
            ),
            ("SELECT 'it\\'s; not'", "SELECT 'it\\'s; not'"),
            // With NO_BACKSLASH_ESCAPES there are two passwords.
            (
                "CREATE USER a IDENTIFIED BY 'p\\', b IDENTIFIED BY 'geheim'",
                "CREATE USER a IDENTIFIED BY <secret>...",
            ),
        ] {
            assert_eq!(commands_without_secrets(text), shown);
        }
    }

    #[test]
    fn nothing_else_is_left_out() {
        for sql in [
            "",
            "SELECT 'a' AS 'b'",
            "SET NAMES 'utf8mb4'",
            "SET @password = 'x'",
            "CREATE TABLE t (password VARCHAR(9) DEFAULT 'x') AS SELECT 'y'",
            "ALTER TABLE t COMMENT 'x'",
            "START TRANSACTION",
            "INSERT INTO t VALUES ('BY', 'x')",
        ] {
            assert_eq!(without_secrets(sql.as_bytes(), Quoting::default()), sql.as_bytes());
        }
    }
}
