//! DATE, TIME, DATETIME and TIMESTAMP.
//!
//! Each type is one integer whose order is the order of time, plus, where there are fractional seconds, how many
//! of their digits are shown (`fsp`, 0 to 6; the digits beyond are zero). A TIMESTAMP exists only in stored
//! rows: reading one gives the [`DateTime`] of the session's [`TimeZone`], as MySQL does.
//!
//! A date may be incomplete (`2020-00-00`, `0000-00-00`); whether such a date is welcome is said by a
//! [`DatePolicy`] where it comes in. Arithmetic on incomplete dates gives None.

pub mod calendar;
mod date;
mod datetime;
mod number;
mod parse_datetime;
mod parse_time;
mod stored;
mod text;
mod time;
mod zone;

pub use date::Date;
pub use datetime::DateTime;
pub use number::{datetime_from_number, time_from_number};
pub use parse_datetime::{NotADate, ParsedDateTime, parse_datetime};
pub use parse_time::{ParsedTime, parse_time};
pub use stored::{Timestamp, stored_fraction_size};
pub use time::Time;
pub use zone::{LocalTime, TimeZone};

use crate::sql_mode::SqlMode;

/// The most digits of fractional seconds.
pub const FSP_MAX: u8 = 6;

/// Microseconds of a second.
pub const MICROS_PER_SECOND: i64 = 1_000_000;

/// 10^(6 - fsp): the unit, in microseconds, of the last digit that is shown.
pub(crate) fn fraction_unit(fsp: u8) -> i64 {
    const UNITS: [i64; 7] = [1_000_000, 100_000, 10_000, 1_000, 100, 10, 1];
    UNITS[usize::from(fsp.min(FSP_MAX))]
}

/// Which incomplete or impossible dates are accepted, and how exactly text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a mode of its own in sql_mode")]
pub struct DatePolicy {
    /// `0000-00-00`.
    pub zero_date: bool,
    /// Month or day 0 in a date that is not `0000-00-00`.
    pub zero_in_date: bool,
    /// Days up to 31 in every month.
    pub invalid_dates: bool,
    /// Whether a seventh fractional digit is cut instead of rounded.
    pub cut_fraction: bool,
}

impl DatePolicy {
    /// Everything that fits the digits: for the time of day within a date and time.
    pub const LAX: Self =
        Self { zero_date: true, zero_in_date: true, invalid_dates: true, cut_fraction: false };

    /// Complete dates that exist.
    pub const EXACT: Self =
        Self { zero_date: false, zero_in_date: false, invalid_dates: false, cut_fraction: false };

    /// What a column accepts under `mode`.
    pub fn of(mode: SqlMode) -> Self {
        Self {
            zero_date: !mode.contains(SqlMode::NO_ZERO_DATE),
            zero_in_date: !mode.contains(SqlMode::NO_ZERO_IN_DATE),
            invalid_dates: mode.contains(SqlMode::ALLOW_INVALID_DATES),
            cut_fraction: mode.contains(SqlMode::TIME_TRUNCATE_FRACTIONAL),
        }
    }

    /// Whether a date of these parts is accepted. The parts are within their digits: month up to 12, day to 31.
    pub fn accepts(self, year: u16, month: u8, day: u8) -> bool {
        if (year, month, day) == (0, 0, 0) {
            return self.zero_date;
        }
        if month == 0 || day == 0 {
            return self.zero_in_date;
        }
        self.invalid_dates || day <= calendar::days_in_month(year, month)
    }
}
