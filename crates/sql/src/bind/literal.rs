//! Literals that stayed in the text.

use sqlparser::ast;
use types::collation::Collation;
use types::error::SqlError;
use types::error::table::ER_PARSE_ERROR;
use types::value::Value;

use super::{Result, unsupported};
use crate::expr::Expr;
use crate::lex::{LITERAL_BASE, ROW_LITERAL_BASE, number};

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
            Expr::Const(Value::Bytes(hex(digits).ok_or_else(|| invalid(digits))?))
        }
        ast::Value::Placeholder(name) => placeholder(name)?,
        other => return Err(unsupported(&format!("the literal {other}"))),
    })
}

/// The bytes of hexadecimal digits; an odd first digit stands alone.
pub(super) fn hex(digits: &str) -> Option<Vec<u8>> {
    let padded = if digits.len() % 2 == 1 { format!("0{digits}") } else { digits.to_owned() };
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    padded.as_bytes().chunks(2).map(|pair| Some(digit(pair[0])? * 16 + digit(pair[1])?)).collect()
}

fn placeholder(name: &str) -> Result<Expr> {
    let number: usize =
        name.strip_prefix('?').and_then(|digits| digits.parse().ok()).ok_or_else(|| invalid(name))?;
    Ok(if number >= ROW_LITERAL_BASE {
        Expr::RowLiteral(number - ROW_LITERAL_BASE)
    } else if number >= LITERAL_BASE {
        Expr::Literal(number - LITERAL_BASE)
    } else {
        Expr::Param(number)
    })
}

fn invalid(near: &str) -> SqlError {
    let manual = "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version \
                  for the right syntax to use";
    ER_PARSE_ERROR.error(&[&manual, &near, &1])
}
