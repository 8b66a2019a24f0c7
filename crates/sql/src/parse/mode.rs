//! How the session reads SQL, beyond what the lexer has to know.

use types::sql_mode::SqlMode;

use crate::lex::Quoting;

/// What the SQL mode changes in the grammar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mode {
    /// How tokens are read.
    pub quoting: Quoting,
    /// `||` concatenates and binds as `^` does; else it is OR.
    pub pipes_as_concat: bool,
    /// NOT binds as `!` does.
    pub high_not_precedence: bool,
}

impl From<Quoting> for Mode {
    fn from(quoting: Quoting) -> Self {
        Self { quoting, ..Self::default() }
    }
}

impl From<SqlMode> for Mode {
    fn from(mode: SqlMode) -> Self {
        Self {
            quoting: Quoting::of(mode),
            pipes_as_concat: mode.contains(SqlMode::PIPES_AS_CONCAT),
            high_not_precedence: mode.contains(SqlMode::HIGH_NOT_PRECEDENCE),
        }
    }
}
