//! What a statement that cannot be parsed is answered with.

use types::error::table::{ER_NOT_SUPPORTED_YET, ER_PARSE_ERROR, ER_SYNTAX_ERROR};
use types::error::{Condition, SqlError};

pub(super) const ER_BAD_REPLICA_UNTIL_COND: Condition = Condition {
    code: 1277,
    sqlstate: "HY000",
    name: "ER_BAD_REPLICA_UNTIL_COND",
    text: "Incorrect parameter or combination of parameters for START REPLICA UNTIL",
};
pub(super) const ER_REPLICA_CHANNEL_DOES_NOT_EXIST: Condition = Condition {
    code: 3074,
    sqlstate: "HY000",
    name: "ER_REPLICA_CHANNEL_DOES_NOT_EXIST",
    text: "Replica channel '%-.192s' does not exist.",
};

/// Error 1064 at a byte of the statement: names what stands there, and in which line.
pub(super) fn syntax_error(source: &[u8], at: usize) -> SqlError {
    syntax_error_of(ER_SYNTAX_ERROR.text, source, at)
}

/// Error 1064 with a reason of its own.
pub(super) fn syntax_error_of(reason: &str, source: &[u8], at: usize) -> SqlError {
    let at = at.min(source.len());
    let near = String::from_utf8_lossy(&source[at..]);
    let line = memchr::memchr_iter(b'\n', &source[..at]).count() + 1;
    ER_PARSE_ERROR.error(&[&reason, &near, &line])
}

/// Error 1235: the statement is right, but this server cannot do it.
pub fn unsupported(what: &str) -> SqlError {
    ER_NOT_SUPPORTED_YET.error(&[&what])
}

#[cfg(test)]
mod tests {
    use super::*;

    // SELECT 1\nFROM FROM x of MySQL 9.7.4
    #[test]
    fn the_place_is_named_as_mysql_does() {
        assert_eq!(
            syntax_error(b"SELECT 1\nFROM FROM x", 14).to_string(),
            "ERROR 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your \
             MySQL server version for the right syntax to use near 'FROM x' at line 2"
        );
        assert!(syntax_error(b"SELECT", 99).message.ends_with("near '' at line 1"));
    }
}
