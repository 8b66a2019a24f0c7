//! How deep the tree of a statement can become, found from its tokens.
//!
//! `sqlparser` limits how deep it descends, but a chain of operators (`1 + 1 + 1 ...`, `SELECT .. UNION SELECT ..`)
//! grows a tree to the left without descending, and whoever walks or drops that tree does descend. So chains are
//! counted beforehand: a tree is never deeper than the chains of all levels of parentheses together.

use types::error::SqlError;

use super::cursor::Cursor;
use super::error::unsupported;
use crate::lex::Kind;

/// The most levels of parentheses, subqueries and functions.
pub const NESTING_MAX: usize = 200;

/// The most operators on any way through the tree. Dropping a tree takes some 120 bytes of stack a level.
pub const CHAIN_MAX: usize = 4000;

/// Error 1235 if the tree could be deeper than [`CHAIN_MAX`].
pub(super) fn check(cursor: &Cursor<'_>) -> Result<(), SqlError> {
    let mut levels = vec![Level::default()];
    for &token in cursor.tokens() {
        let text = cursor.text_of(token);
        match (token.kind, text) {
            (Kind::Symbol, b"(") => levels.push(Level::default()),
            (Kind::Symbol, b")") => {
                // Parentheses that do not match are the grammar's affair.
                let depth = levels.pop().map_or(0, |level| level.depth());
                if levels.is_empty() {
                    levels.push(Level::default());
                }
                if let Some(outer) = levels.last_mut() {
                    outer.operand = outer.operand.max(depth + 1);
                }
            }
            (Kind::Symbol, b",") => {
                if let Some(level) = levels.last_mut() {
                    level.deepest = level.depth();
                    (level.chain, level.operand) = (0, 0);
                }
            }
            (Kind::Symbol, b".") => {}
            (Kind::Symbol, _) => chain(&mut levels),
            (Kind::Word, word) if is_operator(word) => chain(&mut levels),
            _ => {}
        }
    }
    let depth = levels.iter().map(Level::depth).fold(levels.len(), usize::saturating_add);
    if depth > CHAIN_MAX {
        return Err(unsupported(&format!("more than {CHAIN_MAX} operators in one expression")));
    }
    Ok(())
}

fn chain(levels: &mut [Level]) {
    if let Some(level) = levels.last_mut() {
        level.chain += 1;
    }
}

/// What stands between two parentheses.
#[derive(Default)]
struct Level {
    /// Operators since the last comma.
    chain: usize,
    /// The deepest operand since the last comma.
    operand: usize,
    /// The deepest element before the last comma.
    deepest: usize,
}

impl Level {
    fn depth(&self) -> usize {
        self.deepest.max(self.chain + self.operand)
    }
}

fn is_operator(word: &[u8]) -> bool {
    const OPERATORS: [&[u8]; 18] = [
        b"AND",
        b"OR",
        b"XOR",
        b"NOT",
        b"IS",
        b"LIKE",
        b"IN",
        b"BETWEEN",
        b"REGEXP",
        b"RLIKE",
        b"DIV",
        b"MOD",
        b"SOUNDS",
        b"MEMBER",
        b"COLLATE",
        b"UNION",
        b"EXCEPT",
        b"INTERSECT",
    ];
    OPERATORS.iter().any(|operator| word.eq_ignore_ascii_case(operator))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::Mode;

    fn accepted(sql: &str) -> bool {
        check(&Cursor::new(sql.as_bytes(), Mode::default()).unwrap()).is_ok()
    }

    #[test]
    fn chains_of_all_levels_count_together() {
        assert!(accepted(&format!("select 1{}", "+1".repeat(3990))));
        assert!(!accepted(&format!("select 1{}", "+1".repeat(4001))));
        let nested = |levels: usize, chain: usize| {
            let tail = format!("{})", "+1".repeat(chain));
            format!("select {}1{}", "(".repeat(levels), tail.repeat(levels))
        };
        assert!(accepted(&nested(100, 30)));
        assert!(!accepted(&nested(100, 50)));
    }

    #[test]
    fn lists_do_not_count() {
        assert!(accepted(&format!("insert into t values (1+1){}", ",(1+1)".repeat(9000))));
        assert!(accepted(&format!("select 1 in (1{})", ",-1".repeat(9000))));
    }
}
