//! How tightly MySQL's operators bind: higher binds tighter.
//!
//! Source: MySQL 8.0 Reference Manual, "Operator Precedence"; where the manual is silent (predicates bind tighter than
//! comparisons), answers of MySQL 9.7.4 in `tests/ddl/data/precedence.tsv`.

use sqlparser::dialect::Precedence;
use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, Word};

use super::Mode;

const OR: u8 = 5;
const XOR: u8 = 7;
const AND: u8 = 10;
const NOT: u8 = 15;
const COMPARISON: u8 = 20;
const PREDICATE: u8 = 25;
const BIT_OR: u8 = 30;
const BIT_AND: u8 = 32;
const SHIFT: u8 = 34;
const SUM: u8 = 36;
pub(super) const PRODUCT: u8 = 38;
const BIT_XOR: u8 = 40;
const CONCAT: u8 = 42;
/// Unary minus and `~`.
pub(super) const SIGN: u8 = 45;
/// `!` and BINARY.
pub(super) const BANG: u8 = 47;
const ARROW: u8 = 60;

/// What `sqlparser` asks for by its own names.
pub(super) fn of(precedence: Precedence) -> u8 {
    match precedence {
        Precedence::Period | Precedence::DoubleColon | Precedence::AtTz | Precedence::Colon => ARROW,
        Precedence::MulDivModOp => PRODUCT,
        Precedence::PlusMinus => SUM,
        Precedence::Xor => XOR,
        Precedence::Ampersand => BIT_AND,
        Precedence::Caret => BIT_XOR,
        Precedence::Pipe => BIT_OR,
        Precedence::Like | Precedence::PgOther => PREDICATE,
        // Asked for to read the bounds of BETWEEN, the second of which may be a predicate.
        Precedence::Between => PREDICATE - 1,
        Precedence::Eq | Precedence::Is => COMPARISON,
        Precedence::UnaryNot => NOT,
        Precedence::And => AND,
        Precedence::Or => OR,
    }
}

/// How tightly the operator at the parser's next token binds; 0 if it is none.
pub(super) fn of_next(parser: &Parser<'_>, mode: Mode) -> u8 {
    match &parser.peek_token_ref().token {
        Token::Word(word) if word.quote_style.is_none() => of_word(parser, word),
        Token::Spaceship | Token::Eq | Token::Neq | Token::Lt | Token::LtEq | Token::Gt | Token::GtEq => {
            COMPARISON
        }
        Token::Pipe => BIT_OR,
        Token::Ampersand => BIT_AND,
        Token::ShiftLeft | Token::ShiftRight => SHIFT,
        Token::Plus | Token::Minus => SUM,
        Token::Mul | Token::Div | Token::Mod => PRODUCT,
        Token::Caret => BIT_XOR,
        Token::StringConcat if mode.pipes_as_concat => CONCAT,
        Token::Arrow | Token::LongArrow => ARROW,
        _ => 0,
    }
}

fn of_word(parser: &Parser<'_>, word: &Word) -> u8 {
    let behind = |keywords: &[Keyword]| match &parser.peek_nth_token_ref(1).token {
        Token::Word(next) => keywords.contains(&next.keyword),
        _ => false,
    };
    match word.keyword {
        Keyword::OR => OR,
        Keyword::XOR => XOR,
        Keyword::AND => AND,
        Keyword::IS => COMPARISON,
        Keyword::IN | Keyword::BETWEEN | Keyword::LIKE | Keyword::RLIKE | Keyword::REGEXP => PREDICATE,
        Keyword::NOT
            if behind(&[Keyword::IN, Keyword::BETWEEN, Keyword::LIKE, Keyword::RLIKE, Keyword::REGEXP]) =>
        {
            PREDICATE
        }
        Keyword::MEMBER if behind(&[Keyword::OF]) => PREDICATE,
        Keyword::DIV => PRODUCT,
        _ if is_sounds_like(word) && behind(&[Keyword::LIKE]) => PREDICATE,
        _ => 0,
    }
}

/// SOUNDS is no keyword of `sqlparser`.
pub(super) fn is_sounds_like(word: &Word) -> bool {
    word.quote_style.is_none() && word.value.eq_ignore_ascii_case("SOUNDS")
}
