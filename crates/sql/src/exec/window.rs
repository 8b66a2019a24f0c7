//! OFFSET and LIMIT: which of the rows that come are given, and how many come: `found_rows()`.
//!
//! Not window functions: those are in `over`.

use super::{Exec, Result};
use crate::expr::Expr;

/// See the module.
#[derive(Debug)]
pub(super) struct Window {
    pub(super) offset: u64,
    pub(super) limit: u64,
    pub(super) given: u64,
    /// Rows that came.
    pub(super) found: u64,
    /// Rows are counted that LIMIT leaves out: SQL_CALC_FOUND_ROWS.
    pub(super) counts_all: bool,
}

impl Window {
    pub(super) fn is_over(&self) -> bool {
        self.given >= self.limit && !self.counts_all
    }

    /// So many rows decide what is given, of which no more than `wanted` are looked at.
    pub(super) fn most(&self, wanted: u64) -> u64 {
        if self.counts_all { u64::MAX } else { self.offset.saturating_add(self.limit.min(wanted)) }
    }

    /// A row comes: whether it is given.
    pub(super) fn takes(&mut self) -> bool {
        self.found += 1;
        let takes = self.found > self.offset && self.given < self.limit;
        self.given += u64::from(takes);
        takes
    }
}

impl Exec<'_> {
    /// The rows that are given.
    pub(super) fn window(
        &mut self,
        limit: Option<&Expr>,
        offset: Option<&Expr>,
        otherwise: u64,
        counts_all: bool,
    ) -> Result<Window> {
        let offset = self.limit(offset)?.unwrap_or(0);
        let limit = self.limit(limit)?.unwrap_or(otherwise);
        Ok(Window { offset, limit, given: 0, found: 0, counts_all })
    }
}
