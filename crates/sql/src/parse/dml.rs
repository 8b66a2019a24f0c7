//! SELECT, INSERT, UPDATE, DELETE, DO: the statements that the binder plans.

use sqlparser::ast::{Assignment, Delete, Expr, OrderByExpr, Query, TableWithJoins, With};
use types::error::SqlError;

use super::Statement;
use super::cursor::Cursor;
use super::into::{self, IntoClause};
use super::query;
use super::reserved::is_reserved;
use crate::lex::Kind;

/// UPDATE.
#[derive(Clone, Debug)]
pub struct UpdateStatement {
    /// WITH.
    pub with: Option<With>,
    /// What stands before SET.
    pub tables: Vec<TableWithJoins>,
    /// SET.
    pub assignments: Vec<Assignment>,
    /// WHERE.
    pub selection: Option<Expr>,
    /// ORDER BY.
    pub order_by: Vec<OrderByExpr>,
    /// LIMIT.
    pub limit: Option<Expr>,
    /// IGNORE.
    pub ignore: bool,
}

/// DELETE.
#[derive(Clone, Debug)]
pub struct DeleteStatement {
    /// WITH.
    pub with: Option<With>,
    /// The statement without IGNORE.
    pub delete: Box<Delete>,
    /// IGNORE.
    pub ignore: bool,
}

impl UpdateStatement {
    /// Whether it is about more than one table.
    pub fn is_multi(&self) -> bool {
        !matches!(&self.tables[..], [one] if one.joins.is_empty())
    }
}

impl DeleteStatement {
    /// Whether it names the tables apart from where their rows are found.
    pub fn is_multi(&self) -> bool {
        self.delete.using.is_some() || !self.delete.tables.is_empty()
    }
}

/// SELECT .. INTO.
#[derive(Clone, Debug)]
pub struct SelectInto {
    /// The query without INTO.
    pub query: Box<Query>,
    /// Where its rows go.
    pub into: IntoClause,
}

type Result<T> = std::result::Result<T, SqlError>;

/// At SELECT, WITH, VALUES, TABLE or a parenthesis.
pub(super) fn select(cursor: &mut Cursor<'_>) -> Result<Statement> {
    if cursor.is("VALUES (") {
        return Err(cursor.error_at(cursor.position() + 1));
    }
    let into = into::take(cursor)?;
    check_tables(cursor)?;
    check_table_queries(cursor)?;
    if let Some(verb) = change_behind_with(cursor) {
        return with_change(cursor, verb);
    }
    let query = query::query(cursor)?;
    Ok(match into {
        None => Statement::Query(query),
        Some(into) => Statement::SelectInto(SelectInto { query, into }),
    })
}

/// Where UPDATE or DELETE stands behind the queries of WITH.
fn change_behind_with(cursor: &Cursor<'_>) -> Option<usize> {
    if !cursor.is("WITH") {
        return None;
    }
    let mut depth = 0_i32;
    let verb = cursor.tokens().iter().position(|&token| {
        let text = cursor.text_of(token);
        match text {
            b"(" => depth += 1,
            b")" => depth -= 1,
            _ => {}
        }
        let verbs = [&b"SELECT"[..], b"UPDATE", b"DELETE", b"VALUES", b"TABLE"];
        depth == 0 && verbs.iter().any(|verb| text.eq_ignore_ascii_case(verb))
    })?;
    let text = cursor.text_of(cursor.tokens()[verb]);
    [&b"UPDATE"[..], b"DELETE"].iter().any(|change| text.eq_ignore_ascii_case(change)).then_some(verb)
}

fn with_change(cursor: &mut Cursor<'_>, verb: usize) -> Result<Statement> {
    let with = Some(query::with(cursor, verb)?);
    if cursor.is("UPDATE") {
        let Statement::Update(update) = update(cursor)? else { unreachable!("UPDATE is one") };
        return Ok(Statement::Update(Box::new(UpdateStatement { with, ..*update })));
    }
    let Statement::Delete(delete) = delete(cursor)? else { unreachable!("DELETE is one") };
    Ok(Statement::Delete(DeleteStatement { with, ..delete }))
}

/// Error 1064 for a clause's first word where a table's name should be: `sqlparser` takes any word for a name.
fn check_tables(cursor: &Cursor<'_>) -> Result<()> {
    const CLAUSES: [&[u8]; 23] = [
        b"FROM",
        b"JOIN",
        b"WHERE",
        b"SELECT",
        b"GROUP",
        b"ORDER",
        b"HAVING",
        b"LIMIT",
        b"SET",
        b"ON",
        b"USING",
        b"VALUES",
        b"INNER",
        b"LEFT",
        b"RIGHT",
        b"CROSS",
        b"UNION",
        b"FOR",
        b"UPDATE",
        b"DELETE",
        b"INTO",
        b"INTERSECT",
        b"EXCEPT",
    ];
    let is = |place: usize, words: &[&[u8]]| {
        let text = cursor.tokens().get(place).map(|&token| cursor.text_of(token));
        text.is_some_and(|text| words.iter().any(|word| text.eq_ignore_ascii_case(word)))
    };
    let misplaced = |place: usize| {
        let begins =
            is(place, &[b"FROM", b"JOIN", b"INTO"]) || place == cursor.position() && is(place, &[b"UPDATE"]);
        begins && !cursor.is_behind_period(place) && is(place + 1, &CLAUSES) && !is(place + 2, &[b"("])
    };
    match (0..cursor.tokens().len()).find(|&place| misplaced(place)) {
        Some(place) => Err(cursor.error_at(place + 1)),
        None => Ok(()),
    }
}

/// Error 1064 for what is no name in `TABLE t` and for what cannot follow it, which is read as `SELECT * FROM t`.
fn check_table_queries(cursor: &Cursor<'_>) -> Result<()> {
    const BEHIND: [&[u8]; 9] =
        [b")", b"ORDER", b"LIMIT", b"UNION", b"INTERSECT", b"EXCEPT", b"FOR", b"LOCK", b"ON"];
    let text = |place: usize| cursor.tokens().get(place).map(|&token| cursor.text_of(token));
    for place in cursor.position()..cursor.tokens().len() {
        let is_table = cursor.tokens()[place].kind == Kind::Word
            && !cursor.is_behind_period(place)
            && text(place).is_some_and(|text| text.eq_ignore_ascii_case(b"TABLE"));
        if !is_table {
            continue;
        }
        let is_name = |text: &[u8]| !is_reserved(text);
        if !text(place + 1).is_some_and(is_name) {
            return Err(cursor.error_at(place + 1));
        }
        let is_qualified = text(place + 2).is_some_and(|text| text == b".");
        let behind = place + if is_qualified { 4 } else { 2 };
        if text(behind).is_some_and(|text| !BEHIND.iter().any(|word| text.eq_ignore_ascii_case(word))) {
            return Err(cursor.error_at(behind));
        }
    }
    Ok(())
}

/// At INSERT or REPLACE.
pub(super) fn insert(cursor: &mut Cursor<'_>) -> Result<Statement> {
    check_tables(cursor)?;
    check_table_queries(cursor)?;
    query::insert(cursor).map(Statement::Insert)
}

/// At UPDATE.
pub(super) fn update(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let ignore = modifiers(cursor, &["LOW_PRIORITY", "IGNORE"]);
    check_tables(cursor)?;
    let update = query::update(cursor)?;
    Ok(Statement::Update(Box::new(UpdateStatement { ignore, ..update })))
}

/// At DELETE.
pub(super) fn delete(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let ignore = modifiers(cursor, &["LOW_PRIORITY", "QUICK", "IGNORE"]);
    check_tables(cursor)?;
    remove_stars(cursor);
    let delete = query::delete(cursor)?;
    let of_several = !delete.tables.is_empty() || delete.using.is_some();
    if of_several && !(delete.order_by.is_empty() && delete.limit.is_none()) {
        return Err(cursor.error_at(tail(cursor)));
    }
    Ok(Statement::Delete(DeleteStatement { with: None, delete, ignore }))
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

/// `DELETE a.*, b.* FROM`: the stars say nothing.
fn remove_stars(cursor: &mut Cursor<'_>) {
    let verb = cursor.position();
    let is = |cursor: &Cursor<'_>, place: usize, text: &[u8]| {
        cursor.tokens().get(place).is_some_and(|&token| cursor.text_of(token).eq_ignore_ascii_case(text))
    };
    let mut place = verb;
    while place < cursor.tokens().len() && !is(cursor, place, b"WHERE") && !is(cursor, place, b"SELECT") {
        let ends = [&b","[..], b"FROM", b"USING"].iter().any(|text| is(cursor, place + 2, text));
        if is(cursor, place, b".") && is(cursor, place + 1, b"*") && ends {
            cursor.set_position(place + 2);
            cursor.remove(place);
        }
        place += 1;
    }
    cursor.set_position(verb);
}

/// Where ORDER BY or LIMIT of the whole statement stands.
fn tail(cursor: &Cursor<'_>) -> usize {
    let mut depth = 0_i32;
    let begins = cursor.tokens().iter().position(|&token| {
        match cursor.text_of(token) {
            b"(" => depth += 1,
            b")" => depth -= 1,
            text => {
                let words = [&b"ORDER"[..], b"LIMIT"];
                return depth == 0 && words.iter().any(|word| text.eq_ignore_ascii_case(word));
            }
        }
        false
    });
    begins.unwrap_or(cursor.tokens().len())
}

/// Behind DO.
pub(super) fn evaluate(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let exprs = cursor.list(|cursor| query::expr(cursor).map(|expr| *expr))?;
    cursor.expect_end()?;
    Ok(Statement::Do(exprs))
}
