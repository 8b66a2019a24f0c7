//! How much work a statement's parsing may be.
//!
//! `sqlparser` tries alternatives and goes back. Where alternatives are nested, a text of a hundred bytes can keep it
//! busy for ever: `FROM ((SELECT 1 FROM ((SELECT ...` doubles the work at every level. So steps are counted, and a
//! statement gets a number of them that grows with its size. The furthest token that was looked at is noted on the
//! way: that is where MySQL says that the error is, wherever the last alternative gave up.

use std::cell::Cell;

use sqlparser::parser::ParserError;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Budget {
    steps_left: Cell<usize>,
    furthest: Cell<usize>,
    copies: Cell<usize>,
}

const STEPS_MIN: usize = 20_000;
const STEPS_PER_TOKEN: usize = 64;

impl Budget {
    /// For a statement of so many tokens.
    pub(super) fn new(token_count: usize) -> Self {
        let steps = token_count.saturating_mul(STEPS_PER_TOKEN).saturating_add(STEPS_MIN);
        Self { steps_left: Cell::new(steps), furthest: Cell::new(0), copies: Cell::new(0) }
    }

    /// Takes steps, while the parser looks at a token (from 1; 0 is the end).
    pub(super) fn take(&self, steps: usize, token: u64) -> Result<(), ParserError> {
        let token = usize::try_from(token).ok().filter(|token| *token > 0).unwrap_or(usize::MAX);
        self.furthest.set(self.furthest.get().max(token));
        let left = self.steps_left.get().checked_sub(steps);
        self.steps_left.set(left.unwrap_or(0));
        left.map(drop).ok_or(ParserError::RecursionLimitExceeded)
    }

    /// Takes the steps of copying an operand, which is dearer each time: what is copied may hold the former copies.
    pub(super) fn take_copy(&self, token: u64) -> Result<(), ParserError> {
        self.copies.set(self.copies.get() + 1);
        self.take(2 * self.copies.get(), token)
    }

    /// The furthest token that was looked at, from 1; `usize::MAX` is the end.
    pub(super) fn furthest(&self) -> usize {
        self.furthest.get()
    }

    /// Whether all steps are used.
    pub(super) fn is_exhausted(&self) -> bool {
        self.steps_left.get() == 0
    }
}
