//! Queries, changes of rows and expressions, which `sqlparser` reads with [`MysqlGrammar`].

use sqlparser::ast::{Assignment, Delete, Expr, Insert, Query, Statement as Parsed, With};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use types::error::SqlError;

use super::balance;
use super::bound::NESTING_MAX;
use super::budget::Budget;
use super::cursor::Cursor;
use super::dialect::MysqlGrammar;
use super::dml::UpdateStatement;
use super::error::unsupported;
use super::lists;
use super::tokens;
use crate::lex::Kind;

type Result<T> = std::result::Result<T, SqlError>;
type Parse<T> = std::result::Result<T, ParserError>;

/// The expression at the cursor. It ends before a comma or whatever cannot belong to it.
pub(super) fn expr(cursor: &mut Cursor<'_>) -> Result<Box<Expr>> {
    let end = item_end(cursor);
    let mut expr = read(cursor, end, parse_expr)?;
    balance::expr(&mut expr);
    Ok(Box::new(expr))
}

/// The query that the rest of the statement is.
pub(super) fn query(cursor: &mut Cursor<'_>) -> Result<Box<Query>> {
    let mut query = whole(cursor, parse_query)?;
    balance::query(&mut query);
    Ok(query)
}

/// The query at the cursor, which ends in front of this token.
pub(super) fn query_up_to(cursor: &mut Cursor<'_>, end: usize) -> Result<Box<Query>> {
    let mut query = read(cursor, end, parse_query)?;
    if cursor.position() != end {
        return Err(cursor.error());
    }
    balance::query(&mut query);
    Ok(query)
}

/// The queries of WITH at the cursor, behind which the statement goes on at this token.
pub(super) fn with(cursor: &mut Cursor<'_>, end: usize) -> Result<With> {
    let with = read(cursor, end, parse_with)?;
    if cursor.position() == end { Ok(with) } else { Err(cursor.error()) }
}

/// The INSERT or REPLACE that the statement is.
pub(super) fn insert(cursor: &mut Cursor<'_>) -> Result<Box<Insert>> {
    match whole(cursor, parse_statement)? {
        Parsed::Insert(mut insert) => {
            if let Some(source) = &mut insert.source {
                balance::query(source);
            }
            Ok(Box::new(insert))
        }
        other => Err(unexpected(&other)),
    }
}

/// The UPDATE that the statement is, without its modifiers.
pub(super) fn update(cursor: &mut Cursor<'_>) -> Result<UpdateStatement> {
    let mut update = whole(cursor, parse_update)?;
    update.selection.iter_mut().for_each(balance::expr);
    Ok(update)
}

/// The assignments that the rest of the statement is.
pub(super) fn assignments(cursor: &mut Cursor<'_>) -> Result<Vec<Assignment>> {
    whole(cursor, |parser| parser.parse_comma_separated(Parser::parse_assignment))
}

/// The DELETE that the statement is, without its modifiers.
pub(super) fn delete(cursor: &mut Cursor<'_>) -> Result<Box<Delete>> {
    match whole(cursor, parse_statement)? {
        Parsed::Delete(mut delete) => {
            delete.selection.iter_mut().for_each(balance::expr);
            Ok(Box::new(delete))
        }
        other => Err(unexpected(&other)),
    }
}

/// The parser was given the first word and made another statement of it.
fn unexpected(parsed: &Parsed) -> SqlError {
    let text = parsed.to_string();
    unsupported(&text.chars().take(64).collect::<String>())
}

// As functions of their own, because methods of `Parser<'a>` are of one lifetime.
fn parse_expr(parser: &mut Parser<'_>) -> Parse<Expr> {
    parser.parse_expr()
}

fn parse_query(parser: &mut Parser<'_>) -> Parse<Box<Query>> {
    parser.parse_query()
}

fn parse_with(parser: &mut Parser<'_>) -> Parse<With> {
    let with_token = parser.get_current_token().clone().into();
    parser.expect_keyword(Keyword::WITH)?;
    let recursive = parser.parse_keyword(Keyword::RECURSIVE);
    let cte_tables = parser.parse_comma_separated(Parser::parse_cte)?;
    Ok(With { with_token, recursive, cte_tables })
}

// Of several tables, which `sqlparser`'s own does not know.
fn parse_update(parser: &mut Parser<'_>) -> Parse<UpdateStatement> {
    parser.expect_keyword(Keyword::UPDATE)?;
    let tables = parser.parse_comma_separated(Parser::parse_table_and_joins)?;
    parser.expect_keyword(Keyword::SET)?;
    let assignments = parser.parse_comma_separated(Parser::parse_assignment)?;
    let selection = if parser.parse_keyword(Keyword::WHERE) { Some(parser.parse_expr()?) } else { None };
    let order_by = if parser.parse_keywords(&[Keyword::ORDER, Keyword::BY]) {
        parser.parse_comma_separated(Parser::parse_order_by_expr)?
    } else {
        Vec::new()
    };
    let limit = if parser.parse_keyword(Keyword::LIMIT) { Some(parser.parse_expr()?) } else { None };
    Ok(UpdateStatement { with: None, tables, assignments, selection, order_by, limit, ignore: false })
}

fn parse_statement(parser: &mut Parser<'_>) -> Parse<Parsed> {
    parser.parse_statement()
}

/// Where the list element at the cursor ends: at a comma or an unmatched closing parenthesis.
fn item_end(cursor: &Cursor<'_>) -> usize {
    let mut depth = 0_usize;
    let rest = &cursor.tokens()[cursor.position()..];
    let ends = |text: &[u8]| {
        match text {
            b"(" => depth += 1,
            b")" if depth > 0 => depth -= 1,
            b")" => return true,
            b"," if depth == 0 => return true,
            _ => {}
        }
        false
    };
    let mut ends = ends;
    let end = rest.iter().position(|&token| token.kind == Kind::Symbol && ends(cursor.text_of(token)));
    cursor.position() + end.unwrap_or(rest.len())
}

fn whole<T>(cursor: &mut Cursor<'_>, parse: impl FnOnce(&mut Parser<'_>) -> Parse<T>) -> Result<T> {
    let end = cursor.tokens().len();
    let parsed = read(cursor, end, parse)?;
    cursor.expect_end()?;
    Ok(parsed)
}

/// Lets `sqlparser` read from the cursor up to a token, and moves the cursor behind what it took.
fn read<T>(
    cursor: &mut Cursor<'_>,
    end: usize,
    parse: impl FnOnce(&mut Parser<'_>) -> Parse<T>,
) -> Result<T> {
    let tokens = lists::rewrite(tokens::convert(cursor, cursor.position(), end)?);
    let grammar = MysqlGrammar { mode: cursor.mode(), budget: Budget::new(tokens.len()) };
    let mut parser =
        Parser::new(&grammar).with_recursion_limit(NESTING_MAX).with_tokens_with_locations(tokens);
    let parsed = parse(&mut parser).map_err(|error| failure(cursor, end, &grammar, &error))?;
    let next = parser.peek_token_ref().span.start.column;
    cursor.set_position(usize::try_from(next).ok().and_then(|next| next.checked_sub(1)).unwrap_or(end));
    Ok(parsed)
}

/// What `sqlparser`'s error means to a client. It names its place in words only.
fn failure(cursor: &Cursor<'_>, end: usize, grammar: &MysqlGrammar, error: &ParserError) -> SqlError {
    let message = match error {
        ParserError::RecursionLimitExceeded if grammar.budget.is_exhausted() => {
            return unsupported("statements of such intricacy");
        }
        ParserError::RecursionLimitExceeded => {
            return unsupported(&format!("statements nested deeper than {NESTING_MAX}"));
        }
        ParserError::ParserError(message) | ParserError::TokenizerError(message) => message,
    };
    let named = message.rsplit_once("Column: ").and_then(|(_, column)| column.parse().ok());
    let named = named.unwrap_or(if message.contains("found: EOF") { usize::MAX } else { 1 });
    let place = named.max(grammar.budget.furthest()).saturating_sub(1).min(end);
    cursor.error_at(place)
}
