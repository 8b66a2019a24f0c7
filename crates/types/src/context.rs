//! What an evaluation needs to know of its session, and where it reports what it had to adjust.

use std::fmt::Display;

use crate::charset::Charset;
use crate::collation::Collation;
use crate::error::table::ER_WARN_ALLOWED_PACKET_OVERFLOWED;
use crate::error::{Condition, SqlError};
use crate::sql_mode::SqlMode;
use crate::temporal::{Date, DatePolicy, TimeZone};
use crate::warning::{Level, Warnings};

/// The default of `max_allowed_packet`, bytes.
pub const RESULT_SIZE_MAX: usize = 64 << 20;

/// Session settings and the diagnostics area, for the time of one statement.
#[derive(Debug)]
pub struct Context<'a> {
    /// `sql_mode`
    pub sql_mode: SqlMode,
    /// `time_zone`
    pub time_zone: &'a TimeZone,
    /// The date on which the statement began, in `time_zone`: a TIME that becomes a DATETIME gets it.
    pub today: Date,
    /// The N of "at row N", from 1.
    pub row: u64,
    /// Whether adjusting a value fails the statement: it writes, the mode is strict, and there is no IGNORE.
    pub strict: bool,
    /// Whether a NULL for a NOT NULL column is replaced by the column's implicit default, with a warning: an UPDATE
    /// or an INSERT of several rows that is not strict. Else it is error 1048.
    pub null_becomes_default: bool,
    /// `default_collation_for_utf8mb4`
    pub default_collation_for_utf8mb4: Collation,
    /// The most bytes that a function gives.
    pub result_size_max: usize,
    /// Where warnings go.
    pub warnings: &'a mut Warnings,
}

impl<'a> Context<'a> {
    /// A context for a statement that only reads: nothing is strict.
    pub fn reading(
        sql_mode: SqlMode,
        time_zone: &'a TimeZone,
        today: Date,
        warnings: &'a mut Warnings,
    ) -> Self {
        Self {
            sql_mode,
            time_zone,
            today,
            row: 1,
            strict: false,
            null_becomes_default: false,
            default_collation_for_utf8mb4: Charset::Utf8mb4.default_collation(),
            result_size_max: RESULT_SIZE_MAX,
            warnings,
        }
    }

    /// A context for a statement that writes: strict if the mode is.
    pub fn writing(
        sql_mode: SqlMode,
        time_zone: &'a TimeZone,
        today: Date,
        warnings: &'a mut Warnings,
    ) -> Self {
        Self { strict: sql_mode.is_strict(), ..Self::reading(sql_mode, time_zone, today, warnings) }
    }

    /// The collation of what names only its character set.
    pub fn default_collation(&self, charset: Charset) -> Collation {
        if charset == Charset::Utf8mb4 {
            return self.default_collation_for_utf8mb4;
        }
        charset.default_collation()
    }

    /// Reports an adjustment: an error in a strict statement, else a warning.
    pub fn report(&mut self, condition: &Condition, args: &[&dyn Display]) -> Result<(), SqlError> {
        if self.strict {
            return Err(condition.error(args));
        }
        self.warnings.push(Level::Warning, condition, args);
        Ok(())
    }

    /// As [`Self::report`], with a text of its own under the number of `condition`.
    pub fn report_text(&mut self, condition: &Condition, message: String) -> Result<(), SqlError> {
        let error = SqlError::with_message(condition, message);
        if self.strict {
            return Err(error);
        }
        self.warnings.push_error(Level::Warning, &error);
        Ok(())
    }

    /// Whether a function's result of so many bytes is too large: it is NULL then, with warning 1301.
    pub fn is_too_large(&mut self, size: usize, function: &str) -> Result<bool, SqlError> {
        let max = self.result_size_max;
        if size > max {
            self.report(&ER_WARN_ALLOWED_PACKET_OVERFLOWED, &[&function, &max])?;
        }
        Ok(size > max)
    }

    /// Adds a note.
    pub fn note(&mut self, condition: &Condition, args: &[&dyn Display]) {
        self.warnings.push(Level::Note, condition, args);
    }

    /// Whether fractional seconds are cut instead of rounded.
    pub fn cuts_fractions(&self) -> bool {
        self.sql_mode.contains(SqlMode::TIME_TRUNCATE_FRACTIONAL)
    }

    /// Which dates the session accepts.
    pub fn date_policy(&self) -> DatePolicy {
        DatePolicy::of(self.sql_mode)
    }
}
