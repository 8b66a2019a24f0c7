//! OVER as MySQL's grammar has it, which is narrower than `sqlparser`'s: the functions that stand nowhere else, which others may
//! have it, and what a frame may say.

use sqlparser::ast::{Expr, Function, NullTreatment, WindowType};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, Word};
use types::error::SqlError;

use super::cursor::Cursor;
use super::error::unsupported;
use super::precedence::BANG;
use super::prefix;
use super::reserved::is_reserved;
use crate::lex::Kind;

/// The functions that are nothing without OVER.
const FUNCTIONS: [&str; 11] = [
    "ROW_NUMBER",
    "RANK",
    "DENSE_RANK",
    "PERCENT_RANK",
    "CUME_DIST",
    "NTILE",
    "LAG",
    "LEAD",
    "FIRST_VALUE",
    "LAST_VALUE",
    "NTH_VALUE",
];

/// Aggregates that may have it; of GROUP_CONCAT the binder says that it may not.
const AGGREGATES: [&str; 18] = [
    "COUNT",
    "SUM",
    "AVG",
    "MIN",
    "MAX",
    "STD",
    "STDDEV",
    "STDDEV_POP",
    "STDDEV_SAMP",
    "VARIANCE",
    "VAR_POP",
    "VAR_SAMP",
    "BIT_AND",
    "BIT_OR",
    "BIT_XOR",
    "JSON_ARRAYAGG",
    "JSON_OBJECTAGG",
    "GROUP_CONCAT",
];

/// Whether a word is a function that is nothing without OVER.
pub(super) fn is_function(word: &str) -> bool {
    FUNCTIONS.iter().any(|name| name.eq_ignore_ascii_case(word))
}

/// Reads the call at the parser's next token.
pub(super) fn call(parser: &mut Parser<'_>) -> Result<Expr, ParserError> {
    let name = parser.parse_identifier()?;
    let is = |names: &[&str]| names.iter().any(|other| name.value.eq_ignore_ascii_case(other));
    let has_value = is(&["LAG", "LEAD", "FIRST_VALUE", "LAST_VALUE", "NTH_VALUE"]);
    parser.expect_token(&Token::LParen)?;
    let mut args = Vec::new();
    if has_value {
        args.push(parser.parse_expr()?);
    }
    if is(&["NTILE"]) || (is(&["LAG", "LEAD"]) && parser.consume_token(&Token::Comma)) {
        args.push(count(parser)?);
    }
    if is(&["LAG", "LEAD"]) && args.len() == 2 && parser.consume_token(&Token::Comma) {
        args.push(parser.parse_expr()?);
    }
    if is(&["NTH_VALUE"]) {
        parser.expect_token(&Token::Comma)?;
        args.push(parser.parse_subexpr(BANG)?);
    }
    parser.expect_token(&Token::RParen)?;
    if is(&["NTH_VALUE"]) && parser.parse_keyword(Keyword::FROM) {
        parser.expect_keyword_is(Keyword::FIRST)?;
    }
    let treatments = [Keyword::RESPECT, Keyword::IGNORE];
    let mut null_treatment = None;
    if has_value && let Some(treatment) = parser.parse_one_of_keywords(&treatments) {
        parser.expect_keyword_is(Keyword::NULLS)?;
        null_treatment = Some(match treatment {
            Keyword::IGNORE => NullTreatment::IgnoreNulls,
            _ => NullTreatment::RespectNulls,
        });
    }
    parser.expect_keyword_is(Keyword::OVER)?;
    let over = if parser.consume_token(&Token::LParen) {
        WindowType::WindowSpec(parser.parse_window_spec()?)
    } else {
        WindowType::NamedWindow(parser.parse_identifier()?)
    };
    Ok(Expr::Function(Function { null_treatment, over: Some(over), ..prefix::function(name, args) }))
}

/// A whole number, a parameter or a variable.
fn count(parser: &mut Parser<'_>) -> Result<Expr, ParserError> {
    match &parser.peek_token_ref().token {
        Token::Number(digits, _) if digits.bytes().all(|digit| digit.is_ascii_digit()) => {}
        Token::Placeholder(_) => {}
        Token::Word(Word { value, .. }) if !is_reserved(value.as_bytes()) => {}
        _ => return parser.expected("a number", parser.peek_token()),
    }
    parser.parse_subexpr(BANG)
}

/// Error 1064 where OVER stands behind what cannot have it, or a frame is none; 1235 for what MySQL has not yet either.
pub(super) fn check(cursor: &Cursor<'_>) -> Result<(), SqlError> {
    let check = Check { cursor };
    let count = cursor.tokens().len();
    if !(0..count).any(|place| check.is(place, &["OVER", "WINDOW"])) {
        return Ok(());
    }
    // Open parentheses, those that were closed last, and how deep a WINDOW clause stands.
    let mut open = Vec::new();
    let mut called = None;
    let mut clause = None;
    for place in 0..count {
        if check.is_symbol(place, b"(") {
            open.push(place);
        } else if check.is_symbol(place, b")") {
            called = open.pop().map(|opens| (opens, place));
            clause = clause.filter(|depth| *depth <= open.len());
        } else if check.is(place, &["WINDOW"]) {
            clause = Some(open.len());
        } else if clause == Some(open.len())
            && check.is(place, &["AS"])
            && check.is_symbol(place + 1, b"(")
            && !check.is_name(place - 1)
        {
            return Err(cursor.error_at(place - 1));
        } else if check.is(place, &["OVER"]) {
            check.over(place, called)?;
        } else if check.is(place, &["ROWS", "RANGE", "GROUPS"]) {
            check.frame(place)?;
        } else if check.is(place, &["FROM"])
            && check.is(place + 1, &["LAST"])
            && check.is(place + 2, &["OVER", "RESPECT", "IGNORE"])
        {
            return Err(unsupported("FROM LAST"));
        }
    }
    Ok(())
}

struct Check<'c, 'a> {
    cursor: &'c Cursor<'a>,
}

impl Check<'_, '_> {
    fn is(&self, place: usize, words: &[&str]) -> bool {
        let Some(token) = self.cursor.tokens().get(place) else { return false };
        let text = self.cursor.text_of(*token);
        let is_word = token.kind == Kind::Word && !self.cursor.is_behind_period(place);
        is_word && words.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()))
    }

    fn is_symbol(&self, place: usize, symbol: &[u8]) -> bool {
        let token = self.cursor.tokens().get(place);
        token.is_some_and(|token| token.kind == Kind::Symbol && self.cursor.text_of(*token) == symbol)
    }

    fn is_name(&self, place: usize) -> bool {
        self.cursor.tokens().get(place).is_some_and(|token| match token.kind {
            Kind::Word => !is_reserved(self.cursor.text_of(*token)),
            Kind::Quoted => true,
            _ => false,
        })
    }

    /// OVER at this place, behind these parentheses.
    fn over(&self, place: usize, called: Option<(usize, usize)>) -> Result<(), SqlError> {
        let Some((opens, closes)) = called else { return Err(self.cursor.error_at(place)) };
        let is = |names: &[&str]| opens > 0 && self.is(opens - 1, names);
        // Only what is nothing without OVER may have something before it.
        let is_call = is(&FUNCTIONS) || is(&AGGREGATES) && closes + 1 == place;
        if !is_call {
            return Err(self.cursor.error_at(closes + 1));
        }
        let is_window = self.is_name(place + 1) || self.is_symbol(place + 1, b"(");
        if is_window { Ok(()) } else { Err(self.cursor.error_at(place + 1)) }
    }

    fn frame(&self, place: usize) -> Result<(), SqlError> {
        if self.is(place, &["GROUPS"]) {
            return Err(unsupported("GROUPS"));
        }
        let end = if self.is(place + 1, &["BETWEEN"]) {
            let end = self.bound(place + 2, true)?;
            if !self.is(end, &["AND"]) {
                return Err(self.cursor.error_at(end));
            }
            self.bound(end + 1, true)?
        } else {
            self.bound(place + 1, false)?
        };
        if self.is(end, &["EXCLUDE"]) {
            return Err(unsupported("EXCLUDE"));
        }
        if self.is_symbol(end, b")") { Ok(()) } else { Err(self.cursor.error_at(end)) }
    }

    /// A bound at this place; returns the one behind it. Only with another one may it follow the current row.
    fn bound(&self, place: usize, is_between: bool) -> Result<usize, SqlError> {
        if self.is(place, &["CURRENT"]) {
            let row = place + 1;
            return if self.is(row, &["ROW"]) { Ok(row + 1) } else { Err(self.cursor.error_at(row)) };
        }
        let tokens = self.cursor.tokens();
        let kind = tokens.get(place).map(|token| token.kind);
        let end = match kind {
            _ if self.is(place, &["UNBOUNDED"]) => place + 1,
            _ if self.is(place, &["INTERVAL"]) => {
                let ends = |place: &usize| self.is(*place, &["PRECEDING", "FOLLOWING"]);
                (place..tokens.len()).find(ends).unwrap_or(tokens.len())
            }
            Some(Kind::Number) => place + 1,
            // Of a normalised text it has a number.
            Some(Kind::Param) => {
                let numbered = tokens
                    .get(place + 1)
                    .is_some_and(|next| next.kind == Kind::Number && next.start == tokens[place].end);
                place + 1 + usize::from(numbered)
            }
            _ => return Err(self.cursor.error_at(place)),
        };
        let sides: &[&str] = if is_between { &["PRECEDING", "FOLLOWING"] } else { &["PRECEDING"] };
        if self.is(end, sides) { Ok(end + 1) } else { Err(self.cursor.error_at(end)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::Mode;

    fn refused(sql: &str) -> Option<String> {
        let cursor = Cursor::new(sql.as_bytes(), Mode::default()).unwrap();
        check(&cursor).err().map(|error| error.message)
    }

    #[test]
    fn frames_say_what_mysqls_say() {
        for frame in [
            "ROWS 1 PRECEDING",
            "RANGE CURRENT ROW",
            "rows between ? preceding and ?65536 following",
            "RANGE BETWEEN INTERVAL (1 + 1) DAY PRECEDING AND UNBOUNDED FOLLOWING",
        ] {
            assert_eq!(refused(&format!("SELECT sum(a) OVER (ORDER BY a {frame}) FROM t")), None, "{frame}");
        }
        for frame in [
            "ROWS -1 PRECEDING",
            "ROWS 1 FOLLOWING",
            "ROWS 1",
            "ROWS BETWEEN 1 PRECEDING",
            "RANGE a PRECEDING",
        ] {
            assert!(refused(&format!("SELECT sum(a) OVER (ORDER BY a {frame}) FROM t")).is_some(), "{frame}");
        }
    }

    #[test]
    fn only_some_functions_have_windows() {
        assert_eq!(refused("SELECT rank() OVER w, count(*) OVER (w), (1) FROM t WINDOW w AS ()"), None);
        for sql in [
            "SELECT abs(a) OVER ()",
            "SELECT (a) OVER ()",
            "SELECT sum(a) OVER rank",
            "SELECT a OVER ()",
            "OVER",
        ] {
            assert!(refused(sql).is_some(), "{sql}");
        }
    }
}
