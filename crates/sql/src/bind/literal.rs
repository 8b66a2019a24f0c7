//! Literals that stayed in the text.

use sqlparser::ast;
use types::cast::{CastTarget, cast};
use types::collation::Collation;
use types::error::SqlError;
use types::error::table::{ER_PARSE_ERROR, ER_SP_UNDECLARED_VAR, ER_WRONG_VALUE};
use types::temporal::{DatePolicy, FSP_MAX, parse_datetime, parse_time};
use types::value::{Value, quote_text};
use types::warning::{Level, Warnings};

use super::{Result, unsupported};
use crate::expr::{Expr, PatternStart};
use crate::lex::{LITERAL_BASE, OPEN_PATTERN_BASE, ROW_LITERAL_BASE, number};
use crate::parse::unhex;
use crate::session::Session;

/// A literal or a placeholder.
pub(super) fn bind(value: &ast::Value, collation: Collation) -> Result<Expr> {
    Ok(match value {
        ast::Value::Null => Expr::Const(Value::Null),
        ast::Value::Boolean(value) => Expr::Const(Value::Int((*value).into())),
        ast::Value::Number(digits, _) => {
            Expr::Const(number(digits.as_bytes()).ok_or_else(|| invalid(digits))?)
        }
        ast::Value::SingleQuotedString(text) | ast::Value::DoubleQuotedString(text) => {
            Expr::Const(Value::Str(text.clone().into_bytes(), collation))
        }
        ast::Value::NationalStringLiteral(text) => {
            Expr::Const(Value::Str(text.clone().into_bytes(), Collation::Utf8mb3GeneralCi))
        }
        ast::Value::HexStringLiteral(digits) => {
            Expr::Const(Value::Bytes(unhex(digits).ok_or_else(|| invalid(digits))?))
        }
        ast::Value::Placeholder(name) => placeholder(name)?,
        other => return Err(unsupported(&format!("the literal {other}"))),
    })
}

/// What LIMIT says: a number or a parameter. Errors 1327 and 1064 for anything else.
pub(super) fn limit(ast: &ast::Expr, session: &Session) -> Result<Expr> {
    match ast {
        ast::Expr::Value(value) => bind(&value.value, session.collation_connection),
        ast::Expr::Identifier(name) if !name.value.starts_with('@') => {
            Err(ER_SP_UNDECLARED_VAR.error(&[&name.value]))
        }
        _ => Err(invalid("LIMIT")),
    }
}

/// `DATE'..'`, `TIME'..'` and `TIMESTAMP'..'`: constants, but for a moment with an offset, whose time on the wall depends on
/// the session that executes the plan. Error 1525 for a text that is none.
pub(super) fn temporal(typed: &ast::TypedString, session: &Session) -> Result<Expr> {
    let Expr::Const(text) = bind(&typed.value.value, session.collation_connection)? else {
        return Err(invalid(&typed.value.to_string()));
    };
    let Value::Str(bytes, collation) = &text else { return Err(invalid(&typed.value.to_string())) };
    let fraction = bytes.rsplit(|byte| *byte == b'.').next().filter(|fraction| fraction.len() < bytes.len());
    let digits = fraction.unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count();
    let fsp = u8::try_from(digits).unwrap_or(FSP_MAX).min(FSP_MAX);
    let moment = parse_datetime(bytes, DatePolicy::LAX).ok();
    let has_time = || moment.as_ref().map(|parsed| parsed.has_time);
    let (name, target, is_one) = match typed.data_type {
        ast::DataType::Date => ("DATE", CastTarget::Date, has_time() == Some(false)),
        ast::DataType::Time(..) => {
            let is_time = parse_time(bytes, false).is_some_and(|parsed| parsed.datetime.is_none());
            ("TIME", CastTarget::Time { fsp }, is_time)
        }
        ast::DataType::Timestamp(..) => ("DATETIME", CastTarget::DateTime { fsp }, has_time() == Some(true)),
        _ => return Err(unsupported(&typed.to_string())),
    };
    let mut warnings = Warnings::default();
    let value = cast(text.as_ref(), target, &"", &mut session.reading(&mut warnings))?;
    if !is_one || warnings.entries().iter().any(|warning| warning.level != Level::Note) {
        return Err(ER_WRONG_VALUE.error(&[&name, &quote_text(bytes, *collation)]));
    }
    if moment.is_some_and(|moment| moment.offset_s.is_some()) {
        let shown = quote_text(bytes, *collation).into();
        return Ok(Expr::Cast(Box::new(Expr::Const(text)), target, shown));
    }
    Ok(Expr::Const(value))
}

fn placeholder(name: &str) -> Result<Expr> {
    let number = number_of(name).ok_or_else(|| invalid(name))?;
    Ok(if number >= ROW_LITERAL_BASE {
        Expr::RowLiteral(number - ROW_LITERAL_BASE)
    } else if number >= OPEN_PATTERN_BASE {
        Expr::Literal(number - OPEN_PATTERN_BASE)
    } else if number >= LITERAL_BASE {
        Expr::Literal(number - LITERAL_BASE)
    } else {
        Expr::Param(number)
    })
}

fn number_of(placeholder: &str) -> Option<usize> {
    placeholder.strip_prefix('?')?.parse().ok()
}

/// How a pattern of LIKE begins, as far as the statement says.
pub(super) fn pattern_start(written: &ast::Expr, bound: &Expr) -> PatternStart {
    match (written, bound) {
        (ast::Expr::Nested(inner), _) => pattern_start(inner, bound),
        (_, Expr::Const(value)) => PatternStart::of(value),
        (ast::Expr::Value(value), Expr::Literal(_)) => match &value.value {
            ast::Value::Placeholder(name) if number_of(name) >= Some(OPEN_PATTERN_BASE) => {
                PatternStart::Wildcard
            }
            _ => PatternStart::Character,
        },
        _ => PatternStart::Unknown,
    }
}

fn invalid(near: &str) -> SqlError {
    let manual = "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version \
                  for the right syntax to use";
    ER_PARSE_ERROR.error(&[&manual, &near, &1])
}
