//! MySQL's grammar of expressions and queries, as far as `sqlparser`'s own dialect for it differs from MySQL.
//!
//! What is corrected: how tightly operators bind, reserved words (none is a name or an alias), DIV, SOUNDS LIKE,
//! intervals of two units, CAST with a character set, CHAR .. USING, unary operators, assignments within expressions.
//! And work is bounded: see [`Budget`].

use std::any::TypeId;

use sqlparser::ast::{BinaryOperator, Expr};
use sqlparser::dialect::{Dialect, MySqlDialect, Precedence};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, Word};

use super::Mode;
use super::budget::Budget;
use super::precedence::{self, PRODUCT};
use super::prefix;
use super::reserved::is_reserved;

/// See the module. One for each statement.
#[derive(Debug, Default)]
pub(super) struct MysqlGrammar {
    /// How the text is read.
    pub(super) mode: Mode,
    /// What is left of the work that this statement may cause.
    pub(super) budget: Budget,
}

/// Whether a token cannot be an alias: an unquoted reserved word, or a variable.
fn is_no_alias(token: &Token) -> bool {
    matches!(token, Token::Word(Word { quote_style: None, value, .. })
        if value.starts_with('@') || is_reserved(value.as_bytes()))
}

impl MysqlGrammar {
    fn take(&self, parser: &Parser<'_>) -> Result<(), ParserError> {
        self.budget.take(1, parser.peek_token_ref().span.start.column)
    }

    /// DIV and SOUNDS LIKE. The left side has to be copied, which a long chain of them pays for.
    fn own_infix(&self, parser: &mut Parser<'_>, left: &Expr) -> Option<Result<Expr, ParserError>> {
        let is_div = parser.peek_keyword(Keyword::DIV);
        let is_sounds =
            matches!(&parser.peek_token_ref().token, Token::Word(word) if precedence::is_sounds_like(word));
        if !is_div && !is_sounds {
            return None;
        }
        if let Err(error) = self.budget.take_copy(parser.peek_token_ref().span.start.column) {
            return Some(Err(error));
        }
        parser.advance_token();
        let left = Box::new(left.clone());
        Some(if is_div {
            let right = parser.parse_subexpr(PRODUCT);
            right.map(|right| Expr::BinaryOp {
                left,
                op: BinaryOperator::MyIntegerDivide,
                right: Box::new(right),
            })
        } else {
            parser.advance_token();
            let right = parser.parse_subexpr(precedence::of(Precedence::Like));
            right.map(|right| Expr::BinaryOp {
                left: Box::new(prefix::call("soundex", vec![*left])),
                op: BinaryOperator::Eq,
                right: Box::new(prefix::call("soundex", vec![right])),
            })
        })
    }
}

impl Dialect for MysqlGrammar {
    /// Where `sqlparser` asks for MySQL by its type, this is it.
    fn dialect(&self) -> TypeId {
        TypeId::of::<MySqlDialect>()
    }

    fn parse_prefix(&self, parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
        match self.take(parser) {
            Ok(()) => prefix::parse(parser, self.mode, &self.budget),
            Err(error) => Some(Err(error)),
        }
    }

    fn parse_infix(
        &self,
        parser: &mut Parser<'_>,
        expr: &Expr,
        _precedence: u8,
    ) -> Option<Result<Expr, ParserError>> {
        self.own_infix(parser, expr)
    }

    fn get_next_precedence(&self, parser: &Parser<'_>) -> Option<Result<u8, ParserError>> {
        Some(self.take(parser).map(|()| precedence::of_next(parser, self.mode)))
    }

    fn prec_value(&self, prec: Precedence) -> u8 {
        precedence::of(prec)
    }

    /// A special form that does not parse is never tried again as a call: that would double the work at every level.
    fn is_reserved_for_identifier(&self, _kw: Keyword) -> bool {
        true
    }

    fn is_column_alias(&self, _kw: &Keyword, parser: &mut Parser<'_>) -> bool {
        !is_no_alias(&parser.get_current_token().token)
    }

    fn is_select_item_alias(&self, _explicit: bool, kw: &Keyword, parser: &mut Parser<'_>) -> bool {
        self.is_column_alias(kw, parser)
    }

    fn is_table_factor_alias(&self, _explicit: bool, _kw: &Keyword, parser: &mut Parser<'_>) -> bool {
        !is_no_alias(&parser.get_current_token().token)
    }

    fn is_identifier_start(&self, ch: char) -> bool {
        MySqlDialect {}.is_identifier_start(ch)
    }

    fn is_identifier_part(&self, ch: char) -> bool {
        MySqlDialect {}.is_identifier_part(ch)
    }

    fn identifier_quote_style(&self, _identifier: &str) -> Option<char> {
        Some('`')
    }

    fn supports_string_literal_concatenation(&self) -> bool {
        true
    }

    fn supports_bitwise_shift_operators(&self) -> bool {
        true
    }

    fn require_interval_qualifier(&self) -> bool {
        true
    }

    fn supports_limit_comma(&self) -> bool {
        true
    }

    fn supports_insert_set(&self) -> bool {
        true
    }

    fn supports_table_hints(&self) -> bool {
        true
    }

    fn supports_match_against(&self) -> bool {
        true
    }

    fn supports_select_modifiers(&self) -> bool {
        true
    }

    fn supports_update_order_by(&self) -> bool {
        true
    }

    fn supports_cross_join_constraint(&self) -> bool {
        true
    }

    fn supports_data_type_signed_suffix(&self) -> bool {
        true
    }

    fn supports_group_by_with_modifier(&self) -> bool {
        true
    }

    fn supports_parens_around_table_factor(&self) -> bool {
        true
    }

    fn allow_extract_custom(&self) -> bool {
        true
    }
}
