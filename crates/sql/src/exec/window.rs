//! OFFSET and LIMIT: which of the rows that come are given.

use super::{Exec, Result};
use crate::expr::Expr;

/// See the module.
#[derive(Debug)]
pub(super) struct Window {
    pub(super) offset: u64,
    pub(super) limit: u64,
    pub(super) given: u64,
}

impl Window {
    pub(super) fn is_over(&self) -> bool {
        self.given >= self.limit
    }

    /// A row comes: whether it is given.
    pub(super) fn takes(&mut self) -> bool {
        if self.offset > 0 {
            self.offset -= 1;
            return false;
        }
        self.given += 1;
        true
    }
}

impl Exec<'_> {
    /// The rows that are given.
    pub(super) fn window(
        &mut self,
        limit: Option<&Expr>,
        offset: Option<&Expr>,
        otherwise: u64,
    ) -> Result<Window> {
        let offset = self.limit(offset)?.unwrap_or(0);
        let limit = self.limit(limit)?.unwrap_or(otherwise);
        Ok(Window { offset, limit, given: 0 })
    }
}
