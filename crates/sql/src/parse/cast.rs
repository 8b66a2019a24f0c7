//! CAST and CONVERT.
//!
//! `sqlparser`'s types have no character set: `CAST(a AS CHAR(3) CHARACTER SET latin1)` becomes
//! `CONVERT(CAST(a AS CHAR(3)) USING latin1)`, which is the same.

use sqlparser::ast::{CastKind, CharacterLength, DataType, Expr, Ident, ObjectName};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

use super::prefix::charset_name;

type Result<T> = std::result::Result<T, ParserError>;

/// CAST(a AS type).
pub(super) fn cast(parser: &mut Parser<'_>) -> Result<Expr> {
    parser.advance_token();
    parser.expect_token(&Token::LParen)?;
    let expr = parser.parse_expr()?;
    parser.expect_keyword_is(Keyword::AS)?;
    let expr = to_type(parser, expr)?;
    parser.expect_token(&Token::RParen)?;
    Ok(expr)
}

/// CONVERT(a, type) and CONVERT(a USING set).
pub(super) fn convert(parser: &mut Parser<'_>) -> Result<Expr> {
    parser.advance_token();
    parser.expect_token(&Token::LParen)?;
    let expr = parser.parse_expr()?;
    let expr = if parser.parse_keyword(Keyword::USING) {
        let charset = charset_name(parser)?;
        using(expr, charset)
    } else {
        parser.expect_token(&Token::Comma)?;
        to_type(parser, expr)?
    };
    parser.expect_token(&Token::RParen)?;
    Ok(expr)
}

/// CAST of an expression.
pub(super) fn to(expr: Expr, data_type: DataType) -> Expr {
    Expr::Cast { kind: CastKind::Cast, expr: Box::new(expr), data_type, array: false, format: None }
}

/// CONVERT .. USING of an expression.
pub(super) fn using(expr: Expr, charset: Ident) -> Expr {
    Expr::Convert {
        is_try: false,
        expr: Box::new(expr),
        data_type: None,
        charset: Some(ObjectName::from(vec![charset])),
        target_before_value: false,
        styles: Vec::new(),
    }
}

fn to_type(parser: &mut Parser<'_>, expr: Expr) -> Result<Expr> {
    let national = parser.parse_keyword(Keyword::NCHAR);
    if !national && !parser.parse_keyword(Keyword::CHAR) && !parser.parse_keyword(Keyword::CHARACTER) {
        return Ok(to(expr, parser.parse_data_type()?));
    }
    let length = if parser.consume_token(&Token::LParen) {
        let length = parser.parse_literal_uint()?;
        parser.expect_token(&Token::RParen)?;
        Some(length)
    } else {
        None
    };
    let charset = if national { Some(Ident::new("utf8mb3")) } else { charset_clause(parser)? };
    if charset.as_ref().is_some_and(|charset| charset.value.eq_ignore_ascii_case("binary")) {
        return Ok(to(expr, DataType::Binary(length)));
    }
    let length = length.map(|length| CharacterLength::IntegerLength { length, unit: None });
    let expr = to(expr, DataType::Char(length));
    Ok(match charset {
        Some(charset) => using(expr, charset),
        None => expr,
    })
}

fn charset_clause(parser: &mut Parser<'_>) -> Result<Option<Ident>> {
    let named = parser.parse_keywords(&[Keyword::CHARACTER, Keyword::SET])
        || parser.parse_keywords(&[Keyword::CHAR, Keyword::SET])
        || parser.parse_keyword(Keyword::CHARSET);
    if named {
        return charset_name(parser).map(Some);
    }
    Ok(if parser.parse_keyword(Keyword::BINARY) {
        Some(Ident::new("binary"))
    } else if matches!(&parser.peek_token_ref().token, Token::Word(word) if word.value.eq_ignore_ascii_case("ASCII"))
    {
        parser.advance_token();
        Some(Ident::new("latin1"))
    } else {
        None
    })
}
