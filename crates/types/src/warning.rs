//! The diagnostics area of a statement: what SHOW WARNINGS lists and what OK packets count.

use std::fmt::Display;

use crate::error::{Condition, SqlError};

/// How grave an entry is, in SHOW WARNINGS' words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Information; never turned into an error.
    Note,
    /// Something was adjusted.
    Warning,
    /// The statement failed with it.
    Error,
}

impl Level {
    /// The word in the first column of SHOW WARNINGS.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "Note",
            Self::Warning => "Warning",
            Self::Error => "Error",
        }
    }
}

/// One row of SHOW WARNINGS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// How grave.
    pub level: Level,
    /// MySQL's number.
    pub code: u16,
    /// The formatted message.
    pub message: String,
}

/// The entries of one statement, bounded by `max_error_count`; the count goes on beyond the bound.
#[derive(Clone, Debug)]
pub struct Warnings {
    entries: Vec<Warning>,
    count: u64,
    limit: usize,
}

impl Warnings {
    /// MySQL's default of `max_error_count`.
    pub const DEFAULT_LIMIT: usize = 1024;

    /// An empty area that keeps at most `limit` entries.
    pub fn with_limit(limit: usize) -> Self {
        Self { entries: Vec::new(), count: 0, limit }
    }

    /// Adds another area's entries.
    pub fn absorb(&mut self, other: Self) {
        let room = self.limit.saturating_sub(self.entries.len());
        self.count += other.count;
        self.entries.extend(other.entries.into_iter().take(room));
    }

    /// Adds an entry made from `condition` and its arguments.
    pub fn push(&mut self, level: Level, condition: &Condition, args: &[&dyn Display]) {
        self.count += 1;
        if self.entries.len() < self.limit {
            self.entries.push(Warning { level, code: condition.code, message: condition.message(args) });
        }
    }

    /// Adds an error as an entry of `level`: INSERT IGNORE turns errors into warnings.
    pub fn push_error(&mut self, level: Level, error: &SqlError) {
        self.count += 1;
        if self.entries.len() < self.limit {
            self.entries.push(Warning { level, code: error.code, message: error.message.clone() });
        }
    }

    /// The kept entries, oldest first.
    pub fn entries(&self) -> &[Warning] {
        &self.entries
    }

    /// All entries ever added, kept or not: `@@warning_count`.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Entries that are errors, among those kept: `@@error_count`.
    pub fn error_count(&self) -> u64 {
        self.entries.iter().filter(|entry| entry.level == Level::Error).count() as u64
    }

    /// Whether nothing was ever added.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The count as packets carry it, 65,535 at most.
    pub fn packet_count(&self) -> u16 {
        u16::try_from(self.count).unwrap_or(u16::MAX)
    }

    /// Forgets everything; the memory stays for the next statement.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.count = 0;
    }
}

impl Default for Warnings {
    fn default() -> Self {
        Self::with_limit(Self::DEFAULT_LIMIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::table::ER_WARN_DATA_OUT_OF_RANGE;

    #[test]
    fn the_count_goes_on_beyond_the_limit() {
        let mut warnings = Warnings::with_limit(2);
        for row in 1..=5 {
            warnings.push(Level::Warning, &ER_WARN_DATA_OUT_OF_RANGE, &[&"a", &row]);
        }
        assert_eq!(warnings.count(), 5);
        assert_eq!(warnings.entries().len(), 2);
        assert_eq!(warnings.entries()[1].message, "Out of range value for column 'a' at row 2");
        warnings.clear();
        assert_eq!((warnings.count(), warnings.entries().len()), (0, 0));
    }
}
