//! Literals as MySQL keeps and prints them.

use sqlparser::ast;

use crate::ddl::Result;
use crate::parse::unsupported;

/// A literal with its character set.
pub(super) fn literal(value: &ast::Value) -> Result<String> {
    Ok(match value {
        ast::Value::Null => "NULL".to_owned(),
        ast::Value::Boolean(value) => value.to_string(),
        ast::Value::Number(digits, _) if digits.starts_with('.') => format!("0{digits}"),
        ast::Value::Number(digits, _) if digits.bytes().all(|digit| digit.is_ascii_digit()) => {
            let shown = digits.trim_start_matches('0');
            if shown.is_empty() { "0".to_owned() } else { shown.to_owned() }
        }
        ast::Value::Number(digits, _) => digits.clone(),
        ast::Value::NationalStringLiteral(text) => format!("_utf8mb3{}", quoted(text)),
        ast::Value::HexStringLiteral(digits) => format!("0x{digits}"),
        text => format!("_utf8mb4{}", plain_text(text)?),
    })
}

/// A text in quotes.
pub(super) fn plain_text(value: &ast::Value) -> Result<String> {
    match value {
        ast::Value::SingleQuotedString(text) | ast::Value::DoubleQuotedString(text) => Ok(quoted(text)),
        ast::Value::HexStringLiteral(digits) => Ok(format!("0x{digits}")),
        other => Err(unsupported(&format!("the literal {other}"))),
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("'");
    for c in text.chars() {
        match c {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '\0' => out.push_str("\\0"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\x1a' => out.push_str("\\Z"),
            other => out.push(other),
        }
    }
    out.push('\'');
    out
}
