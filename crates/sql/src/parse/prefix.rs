//! Beginnings of expressions that `sqlparser` does not know, or reads otherwise than MySQL.

use sqlparser::ast::{
    BinaryOperator, DataType, DateTimeField, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArgumentList, FunctionArguments, Ident, Interval, ObjectName, TrimWhereField, UnaryOperator,
};
use sqlparser::dialect::Precedence;
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, Word};

use super::Mode;
use super::budget::Budget;
use super::cast;
use super::lists::keyword;
use super::over;
use super::precedence::{self, BANG, SIGN};
use super::reserved::is_reserved;

type Result<T> = std::result::Result<T, ParserError>;

/// Reads what begins at the parser's next token; `None` if `sqlparser` reads it rightly itself.
pub(super) fn parse(parser: &mut Parser<'_>, mode: Mode, budget: &Budget) -> Option<Result<Expr>> {
    match &parser.peek_token_ref().token {
        Token::LParen => match begins_compound(parser, budget) {
            Ok(false) => None,
            Ok(true) => Some(parser.parse_query().map(Expr::Subquery)),
            Err(error) => Some(Err(error)),
        },
        Token::Minus => Some(unary(parser, UnaryOperator::Minus, SIGN)),
        Token::Plus => Some(unary(parser, UnaryOperator::Plus, SIGN)),
        Token::Tilde => Some(unary(parser, UnaryOperator::BitwiseNot, SIGN)),
        Token::ExclamationMark => Some(unary(parser, UnaryOperator::BangNot, BANG)),
        Token::Word(word) if word.quote_style.is_none() => by_word(parser, mode),
        _ => None,
    }
}

/// Whether the parenthesis that comes, in another one, is that of a query which goes on behind it: `((SELECT 1) UNION ..)`.
fn begins_compound(parser: &Parser<'_>, budget: &Budget) -> Result<bool> {
    let at = parser.get_current_index();
    let token = |index| &parser.token_at(index).token;
    let start = at + 1;
    if (token(at), token(start)) != (&Token::LParen, &Token::LParen) {
        return Ok(false);
    }
    let mut first = start;
    while *token(first) == Token::LParen {
        first += 1;
    }
    let queries = [Keyword::SELECT, Keyword::WITH, Keyword::VALUES, Keyword::TABLE];
    let is_query = keyword(token(first)).is_some_and(|word| queries.contains(&word));
    if !is_query {
        return Ok(false);
    }
    let (mut depth, mut end) = (0, start);
    loop {
        match token(end) {
            Token::LParen => depth += 1,
            Token::RParen => depth -= 1,
            _ => {}
        }
        if depth == 0 || *token(end) == Token::EOF {
            break;
        }
        end += 1;
    }
    budget.take(end - start, parser.token_at(start).span.start.column)?;
    end += 1;
    Ok(match keyword(token(end)) {
        Some(Keyword::UNION | Keyword::EXCEPT | Keyword::INTERSECT) => true,
        // GROUP_CONCAT((SELECT 1) ORDER BY ..) is something else.
        Some(Keyword::ORDER | Keyword::LIMIT) => {
            let before = at.checked_sub(1).map(token);
            !matches!(before, Some(Token::Word(word)) if !is_reserved(word.value.as_bytes()))
        }
        _ => false,
    })
}

fn unary(parser: &mut Parser<'_>, op: UnaryOperator, precedence: u8) -> Result<Expr> {
    parser.advance_token();
    let expr = parser.parse_subexpr(precedence)?;
    Ok(Expr::UnaryOp { op, expr: Box::new(expr) })
}

fn by_word(parser: &mut Parser<'_>, mode: Mode) -> Option<Result<Expr>> {
    let [Token::Word(word), next] = parser.peek_tokens_ref::<2>().map(|token| &token.token) else {
        return None;
    };
    let called = *next == Token::LParen;
    match word.keyword {
        Keyword::NOT if mode.high_not_precedence => return Some(unary(parser, UnaryOperator::Not, BANG)),
        Keyword::BINARY => return Some(binary(parser)),
        Keyword::INTERVAL => return Some(interval(parser)),
        Keyword::CAST if called => return Some(cast::cast(parser)),
        Keyword::CONVERT if called => return Some(cast::convert(parser)),
        Keyword::CHAR if called => return Some(char_function(parser)),
        Keyword::TRIM if called => return Some(trim(parser)),
        Keyword::POSITION if called => return Some(position(parser)),
        _ if called && over::is_function(&word.value) => return Some(over::call(parser)),
        _ => {}
    }
    if *next == Token::Assignment && word.value.starts_with('@') {
        return Some(assignment(parser));
    }
    if is_reserved(word.value.as_bytes()) {
        let begins = BEGINNERS.contains(&word.keyword) || called;
        return (!begins).then(|| parser.expected("an expression", parser.peek_token()));
    }
    // `SELECT text 'alias'`: only these three names are types of literals, and `_set` introduces one.
    let literal = matches!(word.keyword, Keyword::DATE | Keyword::TIME | Keyword::TIMESTAMP)
        || word.value.starts_with('_');
    let aliased = matches!(next, Token::SingleQuotedString(_)) && !literal;
    aliased.then(|| parser.parse_identifier().map(Expr::Identifier))
}

/// Reserved words that begin an expression without a parenthesis behind them.
const BEGINNERS: [Keyword; 15] = [
    Keyword::NOT,
    Keyword::CASE,
    Keyword::NULL,
    Keyword::TRUE,
    Keyword::FALSE,
    Keyword::DEFAULT,
    Keyword::EXISTS,
    Keyword::CURRENT_DATE,
    Keyword::CURRENT_TIME,
    Keyword::CURRENT_TIMESTAMP,
    Keyword::CURRENT_USER,
    Keyword::LOCALTIME,
    Keyword::LOCALTIMESTAMP,
    Keyword::ROW,
    Keyword::NoKeyword,
];

/// A call without modifiers.
pub(super) fn call(name: &str, args: Vec<Expr>) -> Expr {
    Expr::Function(function(Ident::new(name), args))
}

/// The same, to be modified.
pub(super) fn function(name: Ident, args: Vec<Expr>) -> Function {
    let arg = |expr| FunctionArg::Unnamed(FunctionArgExpr::Expr(expr));
    let args = args.into_iter().map(arg).collect();
    Function {
        name: ObjectName::from(vec![name]),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList {
            duplicate_treatment: None,
            args,
            clauses: Vec::new(),
        }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    }
}

/// BINARY a: CAST(a AS BINARY).
fn binary(parser: &mut Parser<'_>) -> Result<Expr> {
    parser.advance_token();
    let expr = parser.parse_subexpr(BANG)?;
    Ok(cast::to(expr, DataType::Binary(None)))
}

/// `@a := b`, which reaches as far to the right as it can.
fn assignment(parser: &mut Parser<'_>) -> Result<Expr> {
    let variable = Expr::Identifier(parser.parse_identifier()?);
    parser.expect_token(&Token::Assignment)?;
    let value = parser.parse_expr()?;
    Ok(Expr::BinaryOp { left: Box::new(variable), op: BinaryOperator::Assignment, right: Box::new(value) })
}

/// TRIM([side] [a] [FROM] b).
fn trim(parser: &mut Parser<'_>) -> Result<Expr> {
    parser.advance_token();
    parser.expect_token(&Token::LParen)?;
    let sides = [Keyword::BOTH, Keyword::LEADING, Keyword::TRAILING];
    let trim_where = parser.parse_one_of_keywords(&sides).map(|side| match side {
        Keyword::LEADING => TrimWhereField::Leading,
        Keyword::TRAILING => TrimWhereField::Trailing,
        _ => TrimWhereField::Both,
    });
    let mut trim_what = None;
    let expr = if trim_where.is_some() && parser.parse_keyword(Keyword::FROM) {
        parser.parse_expr()?
    } else {
        let first = parser.parse_expr()?;
        if parser.parse_keyword(Keyword::FROM) {
            trim_what = Some(Box::new(first));
            parser.parse_expr()?
        } else if trim_where.is_some() {
            return parser.expected("FROM", parser.peek_token());
        } else {
            first
        }
    };
    parser.expect_token(&Token::RParen)?;
    Ok(Expr::Trim { trim_where, trim_what, expr: Box::new(expr), trim_characters: None })
}

/// POSITION(a IN b).
fn position(parser: &mut Parser<'_>) -> Result<Expr> {
    parser.advance_token();
    parser.expect_token(&Token::LParen)?;
    let expr = Box::new(parser.parse_subexpr(precedence::of(Precedence::Like))?);
    parser.expect_keyword_is(Keyword::IN)?;
    let r#in = Box::new(parser.parse_expr()?);
    parser.expect_token(&Token::RParen)?;
    Ok(Expr::Position { expr, r#in })
}

/// INTERVAL a unit, or the function INTERVAL(a, b, ..).
fn interval(parser: &mut Parser<'_>) -> Result<Expr> {
    parser.advance_token();
    let args = parser.maybe_parse(|parser| {
        parser.expect_token(&Token::LParen)?;
        let args = parser.parse_comma_separated(Parser::parse_expr)?;
        parser.expect_token(&Token::RParen)?;
        if args.len() > 1 { Ok(args) } else { parser.expected("an argument", parser.peek_token()) }
    })?;
    if let Some(args) = args {
        return Ok(call("interval", args));
    }
    let value = parser.parse_expr()?;
    let unit = parser.parse_identifier()?;
    let Some(field) = unit_of(&unit) else {
        parser.prev_token();
        return parser.expected("a unit", parser.peek_token());
    };
    Ok(Expr::Interval(Interval {
        value: Box::new(value),
        leading_field: Some(field),
        leading_precision: None,
        last_field: None,
        fractional_seconds_precision: None,
    }))
}

fn unit_of(unit: &Ident) -> Option<DateTimeField> {
    const COMPOSITE: [&str; 11] = [
        "SECOND_MICROSECOND",
        "MINUTE_MICROSECOND",
        "MINUTE_SECOND",
        "HOUR_MICROSECOND",
        "HOUR_SECOND",
        "HOUR_MINUTE",
        "DAY_MICROSECOND",
        "DAY_SECOND",
        "DAY_MINUTE",
        "DAY_HOUR",
        "YEAR_MONTH",
    ];
    let is = |name: &str| unit.quote_style.is_none() && unit.value.eq_ignore_ascii_case(name);
    if COMPOSITE.into_iter().any(is) {
        return Some(DateTimeField::Custom(unit.clone()));
    }
    let simple = [
        ("MICROSECOND", DateTimeField::Microsecond),
        ("SECOND", DateTimeField::Second),
        ("MINUTE", DateTimeField::Minute),
        ("HOUR", DateTimeField::Hour),
        ("DAY", DateTimeField::Day),
        ("WEEK", DateTimeField::Week(None)),
        ("MONTH", DateTimeField::Month),
        ("QUARTER", DateTimeField::Quarter),
        ("YEAR", DateTimeField::Year),
    ];
    simple.into_iter().find(|(name, _)| is(name)).map(|(_, field)| field)
}

/// CHAR(a, ..) and CHAR(a, .. USING set).
fn char_function(parser: &mut Parser<'_>) -> Result<Expr> {
    parser.advance_token();
    parser.expect_token(&Token::LParen)?;
    let args = parser.parse_comma_separated(Parser::parse_expr)?;
    let charset = if parser.parse_keyword(Keyword::USING) { Some(charset_name(parser)?) } else { None };
    parser.expect_token(&Token::RParen)?;
    let bytes = call("char", args);
    Ok(match charset {
        Some(charset) => cast::using(bytes, charset),
        None => bytes,
    })
}

/// A character set; BINARY is a reserved word and one of them.
pub(super) fn charset_name(parser: &mut Parser<'_>) -> Result<Ident> {
    match &parser.peek_token_ref().token {
        Token::SingleQuotedString(name) => {
            let name = Ident::new(name.clone());
            parser.advance_token();
            Ok(name)
        }
        Token::Word(Word { .. }) => parser.parse_identifier(),
        _ => parser.expected("a character set", parser.peek_token()),
    }
}
