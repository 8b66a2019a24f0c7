//! DATETIME: a date with a time of day, in no particular time zone.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use super::calendar::UNIX_EPOCH_DAY;
use super::{Date, FSP_MAX, MICROS_PER_SECOND, Time, fraction_unit};

const MICROS_PER_DAY: i64 = 86_400 * MICROS_PER_SECOND;

/// A date and time: `((year * 13 + month) << 5 | day) << 17 | hour << 12 | minute << 6 | second`, shifted left by 24
/// for the microseconds. That is MySQL's packed form, of which rows keep the upper 40 bits and the fraction.
#[derive(Clone, Copy, Debug, Default)]
pub struct DateTime {
    packed: i64,
    fsp: u8,
    /// Whether it is of a moment at which a clock that was set back showed it again. Nothing that is computed of it or read
    /// in a text is, and comparisons do not see it.
    is_shown_again: bool,
}

impl DateTime {
    /// `0000-00-00 00:00:00`.
    pub const ZERO: Self = Self { packed: 0, fsp: 0, is_shown_again: false };

    /// A date and a time of day. None if an hour is above 23, and so on.
    pub fn new(date: Date, hour: u8, minute: u8, second: u8, micros: u32, fsp: u8) -> Option<Self> {
        if hour > 23 || minute > 59 || second > 59 || i64::from(micros) >= MICROS_PER_SECOND {
            return None;
        }
        let day = (i64::from(date.year()) * 13 + i64::from(date.month())) << 5 | i64::from(date.day());
        let time = i64::from(hour) << 12 | i64::from(minute) << 6 | i64::from(second);
        let fsp = fsp.min(FSP_MAX);
        let micros = i64::from(micros);
        let packed = (day << 17 | time) << 24 | (micros - micros % fraction_unit(fsp));
        Some(Self::from_packed(packed, fsp))
    }

    /// Midnight.
    pub fn from_date(date: Date) -> Self {
        Self::new(date, 0, 0, 0, 0, 0).unwrap_or_default()
    }

    /// The packed form, whatever its parts are.
    pub(super) fn from_packed(packed: i64, fsp: u8) -> Self {
        Self { packed, fsp, is_shown_again: false }
    }

    /// The packed form.
    pub fn packed(self) -> i64 {
        self.packed
    }

    /// How many digits of the fraction are shown.
    pub fn fsp(self) -> u8 {
        self.fsp
    }

    /// The same, as a clock shows it before it is set back (false) or behind that.
    #[must_use]
    pub(super) fn shown_again(self, is_shown_again: bool) -> Self {
        Self { is_shown_again, ..self }
    }

    /// Whether a clock that was set back showed it again.
    pub(super) fn is_shown_again(self) -> bool {
        self.is_shown_again
    }

    /// The date.
    pub fn date(self) -> Date {
        let day = self.packed >> 41;
        let months = day >> 5;
        let part = |value: i64| u16::try_from(value).unwrap_or(0);
        let (year, month) = (part(months / 13), part(months % 13).to_le_bytes()[0]);
        Date::from_packed(
            u32::from(year) << 9 | u32::from(month) << 5 | u32::from((day & 0x1F).to_le_bytes()[0]),
        )
    }

    /// (hour, minute, second, microsecond)
    pub fn time_parts(self) -> (u8, u8, u8, u32) {
        let part = |shift: u32, mask: i64| (self.packed >> shift & mask).to_le_bytes()[0];
        (part(36, 0x1F), part(30, 0x3F), part(24, 0x3F), self.micros())
    }

    /// The time of day as a span.
    pub fn time(self) -> Time {
        let (hour, minute, second, micros) = self.time_parts();
        Time::new(false, u32::from(hour), minute, second, micros, self.fsp).unwrap_or_default()
    }

    /// The fraction of the second.
    pub fn micros(self) -> u32 {
        let [a, b, c, ..] = self.packed.to_le_bytes();
        u32::from_le_bytes([a, b, c, 0])
    }

    /// Whether this is `0000-00-00 00:00:00` without a fraction.
    pub fn is_zero(self) -> bool {
        self.packed == 0
    }

    /// Rounds to `fsp` digits, half up. None beyond the end of the year 9999, or if an incomplete date would
    /// have to move to the next day.
    pub fn round_to(self, fsp: u8) -> Option<Self> {
        let unit = fraction_unit(fsp);
        let micros = i64::from(self.micros());
        if micros % unit < unit.div_euclid(2).max(1) || unit == 1 {
            return Some(self.truncate_to(fsp));
        }
        self.truncate_to(fsp)
            .with_fsp(FSP_MAX)
            .add_micros(unit)
            .map(|rounded| rounded.with_fsp(fsp).shown_again(self.is_shown_again))
    }

    /// Cuts to `fsp` digits.
    #[must_use]
    pub fn truncate_to(self, fsp: u8) -> Self {
        let fsp = fsp.min(FSP_MAX);
        Self { packed: self.packed - i64::from(self.micros()) % fraction_unit(fsp), fsp, ..self }
    }

    /// The same moment shown with `fsp` digits; the caller knows that no digit is lost.
    #[must_use]
    pub fn with_fsp(self, fsp: u8) -> Self {
        self.truncate_to(fsp)
    }

    /// Adds microseconds. None for an incomplete date (unless the day stays) and outside of the years 0 to 9999.
    pub fn add_micros(self, delta: i64) -> Option<Self> {
        let total = self.time().micros().checked_add(delta)?;
        let (days, micros) = (total.div_euclid(MICROS_PER_DAY), total.rem_euclid(MICROS_PER_DAY));
        let date = if days == 0 {
            self.date()
        } else {
            Date::from_days(u32::try_from(i64::from(self.date().to_days()?).checked_add(days)?).ok()?)?
        };
        Self::from_date_and_micros(date, micros, self.fsp)
    }

    /// Seconds from 1970-01-01 00:00:00 to this, as if it were UTC. None for an incomplete date.
    pub fn to_unix_seconds(self) -> Option<i64> {
        let days = i64::from(self.date().to_days()?) - i64::from(UNIX_EPOCH_DAY);
        Some(days * 86_400 + self.time().micros() / MICROS_PER_SECOND)
    }

    /// The moment this many seconds after 1970-01-01 00:00:00, as if it were UTC.
    pub fn from_unix_seconds(seconds: i64, micros: u32, fsp: u8) -> Option<Self> {
        let days = seconds.div_euclid(86_400).checked_add(i64::from(UNIX_EPOCH_DAY))?;
        let date = Date::from_days(u32::try_from(days).ok()?)?;
        let in_day = seconds.rem_euclid(86_400) * MICROS_PER_SECOND + i64::from(micros);
        Self::from_date_and_micros(date, in_day, fsp)
    }

    /// As a number YYYYMMDDhhmmss, without the fraction.
    pub fn to_number(self) -> i64 {
        let (hour, minute, second, _) = self.time_parts();
        let time = i64::from(hour) * 10_000 + i64::from(minute) * 100 + i64::from(second);
        self.date().to_number() * 1_000_000 + time
    }

    fn from_date_and_micros(date: Date, in_day: i64, fsp: u8) -> Option<Self> {
        let (hours, minute, second, micros) = Time::from_micros(in_day, FSP_MAX)?.parts();
        Self::new(date, u8::try_from(hours).ok()?, minute, second, micros, fsp)
    }
}

impl PartialEq for DateTime {
    fn eq(&self, other: &Self) -> bool {
        self.packed == other.packed
    }
}

impl Eq for DateTime {}

impl PartialOrd for DateTime {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for DateTime {
    fn cmp(&self, other: &Self) -> Ordering {
        self.packed.cmp(&other.packed)
    }
}

impl Hash for DateTime {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.packed.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime {
        crate::temporal::parse_datetime(text.as_bytes(), crate::temporal::DatePolicy::LAX).unwrap().value
    }

    // Answers of MySQL 9.7.4.
    #[test]
    fn fractions_are_rounded_half_up_and_carry() {
        let round = |text: &str, fsp| at(text).round_to(fsp).map(|value| value.to_string());
        assert_eq!(round("2020-01-02 03:04:05.123456", 3).as_deref(), Some("2020-01-02 03:04:05.123"));
        assert_eq!(round("2020-01-02 03:04:05.5", 0).as_deref(), Some("2020-01-02 03:04:06"));
        assert_eq!(round("2020-02-28 23:59:59.95", 1).as_deref(), Some("2020-02-29 00:00:00.0"));
        assert_eq!(round("9999-12-31 23:59:59.9", 0), None);
        assert_eq!(round("0000-00-00 00:00:00.9", 0).as_deref(), Some("0000-00-00 00:00:01"));
        assert_eq!(round("0000-00-00 23:59:59.9", 0), None);
        assert_eq!(round("2020-01-02 03:04:05.123456", 6).as_deref(), Some("2020-01-02 03:04:05.123456"));
    }

    #[test]
    fn unix_seconds_come_back() {
        for seconds in [0, 1, -1, 1_583_020_799, 253_402_300_799, -62_135_596_800] {
            let value = DateTime::from_unix_seconds(seconds, 5, 6).unwrap();
            assert_eq!(value.to_unix_seconds(), Some(seconds));
            assert_eq!(value.micros(), 5);
        }
        assert_eq!(DateTime::from_unix_seconds(253_402_300_800, 0, 0), None);
        assert_eq!(at("2020-01-02 03:04:05").to_number(), 20_200_102_030_405);
    }

    #[test]
    fn months_are_added_with_the_last_day_kept() {
        let add = |year, month, day, months| Date::new(year, month, day).unwrap().add_months(months);
        assert_eq!(add(2020, 1, 31, 1), Date::new(2020, 2, 29));
        assert_eq!(add(2020, 3, 31, -1), Date::new(2020, 2, 29));
        assert_eq!(add(2020, 3, 31, -12 * 2020 - 3), None);
        assert_eq!(add(9999, 12, 1, 1), None);
        assert_eq!(add(2020, 0, 1, 1), None);
    }
}
