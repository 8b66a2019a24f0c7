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
    /// Of these, notes.
    notes: u64,
    limit: usize,
    keeps_notes: bool,
}

impl Warnings {
    /// MySQL's default of `max_error_count`.
    pub const DEFAULT_LIMIT: usize = 1024;

    /// An empty area that keeps at most `limit` entries.
    pub fn with_limit(limit: usize) -> Self {
        Self { entries: Vec::new(), count: 0, notes: 0, limit, keeps_notes: true }
    }

    /// From now on it keeps at most `limit` entries; notes are not even counted if they are not kept: `sql_notes`.
    pub fn set_limits(&mut self, limit: usize, keeps_notes: bool) {
        (self.limit, self.keeps_notes) = (limit, keeps_notes);
    }

    /// Adds another area's entries.
    pub fn absorb(&mut self, other: Self) {
        let room = self.limit.saturating_sub(self.entries.len());
        let (notes, keeps_notes) = (if self.keeps_notes { other.notes } else { 0 }, self.keeps_notes);
        self.count += other.count - other.notes + notes;
        self.notes += notes;
        let kept = other.entries.into_iter().filter(|entry| keeps_notes || entry.level != Level::Note);
        self.entries.extend(kept.take(room));
    }

    /// Counts an entry of a level. Whether it is kept.
    fn count_in(&mut self, level: Level) -> bool {
        if level == Level::Note {
            if !self.keeps_notes {
                return false;
            }
            self.notes += 1;
        }
        self.count += 1;
        self.entries.len() < self.limit
    }

    /// Adds an entry made from `condition` and its arguments.
    pub fn push(&mut self, level: Level, condition: &Condition, args: &[&dyn Display]) {
        if self.count_in(level) {
            self.entries.push(Warning { level, code: condition.code, message: condition.message(args) });
        }
    }

    /// Adds an error as an entry of `level`: INSERT IGNORE turns errors into warnings.
    pub fn push_error(&mut self, level: Level, error: &SqlError) {
        if self.count_in(level) {
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
        (self.count, self.notes) = (0, 0);
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

    #[test]
    fn notes_that_are_not_kept_are_not_counted() {
        let both = |limit, keeps_notes| {
            let mut warnings = Warnings::default();
            warnings.set_limits(limit, keeps_notes);
            for level in [Level::Note, Level::Warning, Level::Note] {
                warnings.push(level, &ER_WARN_DATA_OUT_OF_RANGE, &[&"a", &1]);
            }
            warnings
        };
        assert_eq!((both(9, false).count(), both(9, false).entries().len()), (1, 1));
        let mut all = both(9, false);
        all.absorb(both(1, true));
        assert_eq!((all.count(), all.entries().len()), (2, 1));
        all.absorb(both(9, true));
        assert_eq!((all.count(), all.entries().len()), (3, 2));
    }
}
