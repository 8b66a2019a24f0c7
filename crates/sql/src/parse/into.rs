//! INTO of user variables and files. MySQL takes it behind the list of what is selected, in front of FOR UPDATE and its like, and at
//! the end; `sqlparser` at none of these places. So it is taken out of the tokens before the rest is read.

use types::error::SqlError;
use types::error::table::{ER_MISPLACED_INTO, ER_MULTIPLE_INTO_CLAUSES, ER_SP_UNDECLARED_VAR};

use super::cursor::Cursor;
use super::load::file_format;
use super::set::user_variable;
use crate::lex::Kind;
use crate::load::Separators;

type Result<T> = std::result::Result<T, SqlError>;

/// What it cannot stand behind.
const NEVER_BEFORE: [&[u8]; 5] = [b"SELECT", b"AS", b",", b"FROM", b"JOIN"];

/// Where SELECT .. INTO puts its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IntoClause {
    /// The only row's values go to user variables: their names without `@`, in lower case.
    Variables(Vec<String>),
    /// All of them go to a file of the server's.
    OutFile {
        /// Its name.
        name: String,
        /// CHARACTER SET.
        charset: Option<String>,
        /// FIELDS and LINES.
        separators: Separators,
    },
    /// The only row's values go to a file of this name, as they are.
    DumpFile(String),
}

/// Takes INTO out of the query at the cursor. Returns it, if there is one.
///
/// # Errors
/// 1064 where it cannot stand, 1327 for what is no user variable, 3953 for more than one INTO, 3954
/// within parentheses and in front of UNION.
pub(super) fn take(cursor: &mut Cursor<'_>) -> Result<Option<IntoClause>> {
    let start = cursor.position();
    let mut into = None;
    let (mut depth, mut behind_from) = (0_usize, false);
    let mut place = start;
    while let Some(&token) = cursor.tokens().get(place) {
        let text = cursor.text_of(token);
        let is = |word: &[u8]| text.eq_ignore_ascii_case(word);
        if is(b"(") {
            depth += 1;
        } else if is(b")") {
            depth = depth.saturating_sub(1);
        } else if depth == 0 && is(b"FROM") {
            behind_from = true;
        } else if depth == 0 && (is(b"UNION") || is(b"INTERSECT") || is(b"EXCEPT")) {
            if into.is_some() {
                return Err(ER_MISPLACED_INTO.error(&[]));
            }
            behind_from = false;
        } else if is(b"INTO") && !cursor.is_behind_period(place) {
            let found = clause(cursor, place, behind_from)?;
            if depth > 0 {
                return Err(ER_MISPLACED_INTO.error(&[]));
            }
            if into.replace(found).is_some() {
                return Err(ER_MULTIPLE_INTO_CLAUSES.error(&[]));
            }
            continue;
        }
        place += 1;
    }
    cursor.set_position(start);
    Ok(into)
}

/// Takes the INTO at a place out.
fn clause(cursor: &mut Cursor<'_>, place: usize, behind_from: bool) -> Result<IntoClause> {
    if is_behind(cursor, place, &NEVER_BEFORE) {
        return Err(cursor.error_at(place));
    }
    cursor.set_position(place + 1);
    let found = destination(cursor)?;
    let goes_on =
        ["FOR", "LOCK IN", "INTO", "UNION", "INTERSECT", "EXCEPT", ")"].iter().any(|words| cursor.is(words));
    if behind_from && !goes_on {
        cursor.expect_end()?;
    }
    cursor.remove(place);
    Ok(found)
}

/// Whether one of these words stands in front of a place.
fn is_behind(cursor: &Cursor<'_>, place: usize, words: &[&[u8]]) -> bool {
    let before = place.checked_sub(1).map(|before| cursor.text_of(cursor.tokens()[before]));
    before.is_some_and(|before| words.iter().any(|word| before.eq_ignore_ascii_case(word)))
}

/// Behind INTO.
fn destination(cursor: &mut Cursor<'_>) -> Result<IntoClause> {
    if cursor.accept("DUMPFILE") {
        return cursor.text().map(IntoClause::DumpFile);
    }
    if cursor.accept("OUTFILE") {
        let name = cursor.text()?;
        let (charset, separators) = file_format(cursor)?;
        return Ok(IntoClause::OutFile { name, charset, separators });
    }
    let variables = cursor.list(|cursor| {
        if cursor.kind(0) == Some(Kind::Variable) {
            return variable(cursor);
        }
        Err(ER_SP_UNDECLARED_VAR.error(&[&cursor.name()?]))
    });
    variables.map(IntoClause::Variables)
}

/// `@x`: its name, in lower case.
pub(super) fn variable(cursor: &mut Cursor<'_>) -> Result<String> {
    let token = cursor.peek().filter(|token| token.kind == Kind::Variable);
    let name = token.map(|token| cursor.text_of(token)).and_then(|text| text.strip_prefix(b"@"));
    let name =
        name.filter(|name| !name.is_empty() && !name.starts_with(b"@")).ok_or_else(|| cursor.error())?;
    cursor.advance();
    user_variable(name)
}
