//! CREATE VIEW, ALTER VIEW, DROP VIEW.

use engine::catalog::def::{CheckOption, ViewAlgorithm};
use sqlparser::ast::Query;
use types::error::SqlError;
use types::error::table::{ER_VIEW_SELECT_CLAUSE, ER_VIEW_SELECT_VARIABLE};

use super::account::{self, Account};
use super::cursor::Cursor;
use super::name::{self, TableName};
use super::{Mode, Statement, bound, query};
use crate::lex::Kind;

/// CREATE VIEW, ALTER VIEW.
#[derive(Clone, Debug)]
pub struct CreateView {
    /// What happens to a view that is there, or is not.
    pub mode: CreateViewMode,
    /// ALGORITHM.
    pub algorithm: ViewAlgorithm,
    /// DEFINER; `None` = nothing was said.
    pub definer: Option<Account>,
    /// SQL SECURITY, whether it is INVOKER; `None` = nothing was said.
    pub invoker: Option<bool>,
    /// Which.
    pub view: TableName,
    /// The names of its columns; `None` = those of the query's.
    pub columns: Option<Vec<String>>,
    /// What its rows are.
    pub query: Box<Query>,
    /// The query's tokens: the place of the first one in the statement, and that behind the last one.
    pub query_tokens: (usize, usize),
    /// WITH CHECK OPTION.
    pub check_option: CheckOption,
}

/// What happens to a view that is there, or is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreateViewMode {
    /// CREATE: it may not be there.
    Create,
    /// IF NOT EXISTS: then nothing happens.
    CreateIfNotExists,
    /// OR REPLACE: it may be there.
    Replace,
    /// ALTER: it must be there.
    Alter,
}

/// DROP VIEW.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DropViews {
    /// Which.
    pub views: Vec<TableName>,
    /// IF EXISTS.
    pub if_exists: bool,
}

type Result<T> = std::result::Result<T, SqlError>;

/// Whether CREATE or ALTER at the cursor is about a view, or about what has a definer too.
pub(super) fn begins(cursor: &Cursor<'_>, verb: &str) -> bool {
    ["VIEW", "ALGORITHM", "DEFINER", "SQL", "OR REPLACE"]
        .iter()
        .any(|next| cursor.is(&format!("{verb} {next}")))
}

/// Behind CREATE or ALTER.
pub(super) fn define(cursor: &mut Cursor<'_>, is_new: bool) -> Result<Statement> {
    let or_replace = is_new && cursor.accept("OR REPLACE");
    let algorithm = if cursor.accept("ALGORITHM") { algorithm(cursor)? } else { ViewAlgorithm::default() };
    let definer = if cursor.accept("DEFINER") {
        cursor.expect("=")?;
        Some(account::account(cursor)?)
    } else {
        None
    };
    if ["PROCEDURE", "FUNCTION", "AGGREGATE", "TRIGGER", "EVENT"].iter().any(|what| cursor.is(what)) {
        return Ok(Statement::Unsupported { what: "stored programs" });
    }
    let invoker = if cursor.accept("SQL SECURITY") {
        Some(cursor.expect_any(&["DEFINER", "INVOKER"])? == "INVOKER")
    } else {
        None
    };
    cursor.expect("VIEW")?;
    let if_not_exists = is_new && !or_replace && cursor.accept("IF NOT EXISTS");
    let mode = match (is_new, or_replace, if_not_exists) {
        (false, ..) => CreateViewMode::Alter,
        (true, true, _) => CreateViewMode::Replace,
        (true, false, true) => CreateViewMode::CreateIfNotExists,
        (true, false, false) => CreateViewMode::Create,
    };
    let view = name::table(cursor)?;
    let columns = if cursor.accept("(") {
        let columns = cursor.list(name::column)?;
        cursor.expect(")")?;
        Some(columns)
    } else {
        None
    };
    cursor.expect("AS")?;
    let (end, check_option) = check_option(cursor);
    let first = cursor.position();
    check_query(cursor, first, end)?;
    let query = query::query_up_to(cursor, end)?;
    let query_tokens = (first, end);
    Ok(Statement::CreateView(Box::new(CreateView {
        mode,
        algorithm,
        definer,
        invoker,
        view,
        columns,
        query,
        query_tokens,
        check_option,
    })))
}

/// `= UNDEFINED` and its like.
fn algorithm(cursor: &mut Cursor<'_>) -> Result<ViewAlgorithm> {
    cursor.expect("=")?;
    let names = ViewAlgorithm::ALL.map(ViewAlgorithm::as_str);
    let name = cursor.expect_any(&names)?;
    let found = ViewAlgorithm::ALL.into_iter().find(|algorithm| algorithm.as_str() == name);
    Ok(found.expect("it is one of them"))
}

/// Where the query at the cursor ends, and the WITH CHECK OPTION behind it.
fn check_option(cursor: &Cursor<'_>) -> (usize, CheckOption) {
    let tokens = cursor.tokens();
    let ends_with = |words: &[&str]| {
        let from = tokens.len().checked_sub(words.len()).filter(|from| *from > cursor.position())?;
        let is = tokens[from..].iter().zip(words).all(|(&token, word)| {
            token.kind == Kind::Word && cursor.text_of(token).eq_ignore_ascii_case(word.as_bytes())
        });
        is.then_some(from)
    };
    let kinds: [(&[&str], CheckOption); 3] = [
        (&["WITH", "CHECK", "OPTION"], CheckOption::Cascaded),
        (&["WITH", "CASCADED", "CHECK", "OPTION"], CheckOption::Cascaded),
        (&["WITH", "LOCAL", "CHECK", "OPTION"], CheckOption::Local),
    ];
    let found = kinds.into_iter().find_map(|(words, option)| Some((ends_with(words)?, option)));
    found.unwrap_or((tokens.len(), CheckOption::None))
}

/// Errors 1350 and 1351 for INTO, variables and parameters.
fn check_query(cursor: &Cursor<'_>, first: usize, end: usize) -> Result<()> {
    for (place, &token) in cursor.tokens()[..end].iter().enumerate().skip(first) {
        match token.kind {
            Kind::Variable | Kind::Param => return Err(ER_VIEW_SELECT_VARIABLE.error(&[])),
            Kind::Word
                if cursor.text_of(token).eq_ignore_ascii_case(b"INTO") && !cursor.is_behind_period(place) =>
            {
                return Err(ER_VIEW_SELECT_CLAUSE.error(&[&"INTO"]));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Behind DROP VIEW.
pub(super) fn drop(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let if_exists = cursor.accept("IF EXISTS");
    let views = cursor.list(name::table)?;
    cursor.accept_any(&["RESTRICT", "CASCADE"]);
    cursor.expect_end()?;
    Ok(Statement::DropViews(DropViews { views, if_exists }))
}

/// Parses the query of a view, as the catalog keeps it.
pub(crate) fn stored_query(text: &str) -> Result<Box<Query>> {
    let mut cursor = Cursor::new(text.as_bytes(), Mode::default())?;
    bound::check(&cursor)?;
    query::query(&mut cursor)
}
