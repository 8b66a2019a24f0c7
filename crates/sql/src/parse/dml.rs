//! SELECT, INSERT, UPDATE, DELETE, DO: the statements that the binder plans.

use sqlparser::ast::{Delete, Update};
use types::error::SqlError;

use super::Statement;
use super::cursor::Cursor;
use super::error::unsupported;
use super::query;

/// UPDATE.
#[derive(Clone, Debug)]
pub struct UpdateStatement {
    /// The statement without IGNORE.
    pub update: Box<Update>,
    /// IGNORE.
    pub ignore: bool,
}

/// DELETE.
#[derive(Clone, Debug)]
pub struct DeleteStatement {
    /// The statement without IGNORE.
    pub delete: Box<Delete>,
    /// IGNORE.
    pub ignore: bool,
}

type Result<T> = std::result::Result<T, SqlError>;

/// At SELECT, WITH, VALUES or a parenthesis.
pub(super) fn select(cursor: &mut Cursor<'_>) -> Result<Statement> {
    refuse_outfile(cursor)?;
    check_tables(cursor)?;
    query::query(cursor).map(Statement::Query)
}

/// `sqlparser` would take OUTFILE for a table.
fn refuse_outfile(cursor: &Cursor<'_>) -> Result<()> {
    let mut before_is_into = false;
    for &token in cursor.tokens() {
        let text = cursor.text_of(token);
        if before_is_into
            && ["OUTFILE", "DUMPFILE"].iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()))
        {
            return Err(unsupported("SELECT ... INTO OUTFILE"));
        }
        before_is_into = text.eq_ignore_ascii_case(b"INTO");
    }
    Ok(())
}

/// Error 1064 for a clause's first word where a table's name should be: `sqlparser` takes any word for a name.
fn check_tables(cursor: &Cursor<'_>) -> Result<()> {
    const CLAUSES: [&[u8]; 21] = [
        b"FROM", b"JOIN", b"WHERE", b"SELECT", b"GROUP", b"ORDER", b"HAVING", b"LIMIT", b"SET", b"ON",
        b"USING", b"VALUES", b"INNER", b"LEFT", b"RIGHT", b"CROSS", b"UNION", b"FOR", b"UPDATE", b"DELETE",
        b"INTO",
    ];
    let is = |place: usize, words: &[&[u8]]| {
        let text = cursor.tokens().get(place).map(|&token| cursor.text_of(token));
        text.is_some_and(|text| words.iter().any(|word| text.eq_ignore_ascii_case(word)))
    };
    let misplaced = |place: usize| {
        let begins =
            is(place, &[b"FROM", b"JOIN", b"INTO"]) || place == cursor.position() && is(place, &[b"UPDATE"]);
        begins && is(place + 1, &CLAUSES) && !is(place + 2, &[b"("])
    };
    match (0..cursor.tokens().len()).find(|&place| misplaced(place)) {
        Some(place) => Err(cursor.error_at(place + 1)),
        None => Ok(()),
    }
}

/// At INSERT or REPLACE.
pub(super) fn insert(cursor: &mut Cursor<'_>) -> Result<Statement> {
    check_tables(cursor)?;
    query::insert(cursor).map(Statement::Insert)
}

/// At UPDATE.
pub(super) fn update(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let ignore = modifiers(cursor, &["LOW_PRIORITY", "IGNORE"]);
    check_tables(cursor)?;
    refuse_list(cursor)?;
    let update = query::update(cursor)?;
    Ok(Statement::Update(UpdateStatement { update, ignore }))
}

/// At DELETE.
pub(super) fn delete(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let ignore = modifiers(cursor, &["LOW_PRIORITY", "QUICK", "IGNORE"]);
    check_tables(cursor)?;
    let delete = query::delete(cursor)?;
    Ok(Statement::Delete(DeleteStatement { delete, ignore }))
}

/// Takes the modifiers behind the verb out of the tokens. Returns whether IGNORE was among them.
fn modifiers(cursor: &mut Cursor<'_>, known: &[&'static str]) -> bool {
    let verb = cursor.position();
    let mut ignore = false;
    cursor.advance();
    // Each at most once, in this order.
    for word in known {
        ignore |= cursor.accept(word) && *word == "IGNORE";
    }
    cursor.remove(verb + 1);
    ignore
}

/// `UPDATE a, b SET`: no comma may come before SET.
fn refuse_list(cursor: &Cursor<'_>) -> Result<()> {
    let before_set = cursor.tokens().iter().map(|&token| cursor.text_of(token));
    let mut before_set = before_set.take_while(|text| !text.eq_ignore_ascii_case(b"SET"));
    let mut depth = 0_i32;
    let comma = before_set.any(|text| {
        match text {
            b"(" => depth += 1,
            b")" => depth -= 1,
            _ => {}
        }
        text == b"," && depth == 0
    });
    if comma { Err(unsupported("UPDATE of several tables")) } else { Ok(()) }
}

/// Behind DO.
pub(super) fn evaluate(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let exprs = cursor.list(|cursor| query::expr(cursor).map(|expr| *expr))?;
    cursor.expect_end()?;
    Ok(Statement::Do(exprs))
}
