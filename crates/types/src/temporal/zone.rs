//! Time zones: where a TIMESTAMP meets the clock on the wall.
//!
//! A session's `time_zone` is an offset, or a name from the time zone database that is compiled in (`jiff`'s), or
//! SYSTEM, of which the server says what it is. Offsets are the hot path and cost one addition.

use std::fmt::{self, Display};

use jiff::tz::{AmbiguousOffset, TimeZone as Rules};

use super::{DateTime, Timestamp};
use crate::error::SqlError;
use crate::error::table::ER_UNKNOWN_TIME_ZONE;

/// A session's time zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeZone(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// Seconds east of UTC.
    Offset(i32),
    Named(Rules),
    System(Box<TimeZone>),
}

/// What a time on the wall is in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalTime {
    /// This many seconds since 1970.
    At(i64),
    /// The clock was set forward over it; this is when.
    Skipped(i64),
}

impl TimeZone {
    /// `+00:00`
    pub const UTC: Self = Self(Kind::Offset(0));

    /// What `SET time_zone = name` accepts: `+hh:mm`, `-hh:mm` (up to +14:00 and -13:59) or a name. For SYSTEM the
    /// caller has `system`. Error 1298 otherwise.
    pub fn parse(name: &str, system: &Self) -> Result<Self, SqlError> {
        if name.eq_ignore_ascii_case("SYSTEM") {
            return Ok(Self(Kind::System(Box::new(system.clone()))));
        }
        if let Some(seconds) = parse_offset(name) {
            return Ok(Self(Kind::Offset(seconds)));
        }
        let first = name.bytes().next();
        let rules = first.filter(u8::is_ascii_alphabetic).and_then(|_| Rules::get(name).ok());
        rules.map(|rules| Self(Kind::Named(rules))).ok_or_else(|| ER_UNKNOWN_TIME_ZONE.error(&[&name]))
    }

    /// Seconds east of UTC at a moment.
    pub fn offset_at(&self, unix_seconds: i64) -> i32 {
        match &self.0 {
            Kind::Offset(seconds) => *seconds,
            Kind::System(zone) => zone.offset_at(unix_seconds),
            Kind::Named(rules) => jiff::Timestamp::from_second(unix_seconds)
                .map_or(0, |moment| rules.to_offset(moment).seconds()),
        }
    }

    /// The time on the wall at a stored moment.
    #[inline]
    pub fn to_local(&self, moment: Timestamp, fsp: u8) -> DateTime {
        if moment.seconds == 0 {
            return DateTime::ZERO.with_fsp(fsp);
        }
        let utc = i64::from(moment.seconds);
        let offset = self.offset_at(utc);
        let local = DateTime::from_unix_seconds(utc + i64::from(offset), moment.micros, fsp);
        local.unwrap_or(DateTime::ZERO).shown_again(self.shows_again(utc, offset))
    }

    /// Whether the wall has shown the time of a moment before, as the clock was set back since.
    fn shows_again(&self, unix_seconds: i64, offset: i32) -> bool {
        /// No clock has been set back by more since 1970.
        const SET_BACK_S_MAX: i64 = 3 * 3600;
        match &self.0 {
            Kind::Offset(_) => false,
            Kind::System(zone) => zone.shows_again(unix_seconds, offset),
            Kind::Named(_) => {
                let before = self.offset_at(unix_seconds - SET_BACK_S_MAX);
                before > offset && self.offset_at(unix_seconds - i64::from(before - offset)) == before
            }
        }
    }

    /// Whether its clock is never set.
    pub fn is_fixed(&self) -> bool {
        match &self.0 {
            Kind::Offset(_) => true,
            Kind::System(zone) => zone.is_fixed(),
            Kind::Named(rules) => rules.to_fixed_offset().is_ok(),
        }
    }

    /// The moment at which the wall showed `local`; if it did so twice, the earlier one unless `local` is known to be the other
    /// (one that [`Self::to_local`] has given). None for incomplete dates.
    pub fn to_utc(&self, local: DateTime) -> Option<LocalTime> {
        let seconds = local.to_unix_seconds()?;
        match &self.0 {
            Kind::Offset(offset) => Some(LocalTime::At(seconds - i64::from(*offset))),
            Kind::System(zone) => zone.to_utc(local),
            Kind::Named(rules) => named_to_utc(rules, seconds, local),
        }
    }
}

fn named_to_utc(rules: &Rules, seconds: i64, local: DateTime) -> Option<LocalTime> {
    let (hour, minute, second, _) = local.time_parts();
    let [hour, minute, second] = [hour, minute, second].map(u8::cast_signed);
    let date = local.date();
    let (month, day) = (date.month().cast_signed(), date.day().cast_signed());
    let civil =
        jiff::civil::DateTime::new(date.year().cast_signed(), month, day, hour, minute, second, 0).ok()?;
    Some(match rules.to_ambiguous_timestamp(civil).offset() {
        AmbiguousOffset::Unambiguous { offset } => LocalTime::At(seconds - i64::from(offset.seconds())),
        AmbiguousOffset::Fold { before, after } => {
            let offset = if local.is_shown_again() { after } else { before };
            LocalTime::At(seconds - i64::from(offset.seconds()))
        }
        AmbiguousOffset::Gap { before, .. } => {
            // The clock was set forward at the last transition before the moment that this would have been.
            let guess = jiff::Timestamp::from_second(seconds - i64::from(before.seconds())).ok()?;
            let transition = rules.preceding(guess).next().map_or(guess, |found| found.timestamp());
            LocalTime::Skipped(transition.as_second())
        }
    })
}

/// `[+-]h[h]:m[m]` in seconds.
fn parse_offset(text: &str) -> Option<i32> {
    let (negative, rest) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':')?;
    let part = |digits: &str| {
        let valid = (1..=2).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
        if valid { digits.parse::<i32>().ok() } else { None }
    };
    let (hours, minutes) = (part(hours)?, part(minutes)?);
    let seconds = hours * 3600 + minutes * 60;
    let limit = if negative { 14 * 3600 - 60 } else { 14 * 3600 };
    (minutes < 60 && seconds <= limit).then_some(if negative { -seconds } else { seconds })
}

/// What `SELECT @@time_zone` prints.
impl Display for TimeZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Offset(seconds) => {
                let sign = if *seconds < 0 { '-' } else { '+' };
                let minutes = seconds.abs() / 60;
                write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
            }
            Kind::Named(rules) => f.write_str(rules.iana_name().unwrap_or("UTC")),
            Kind::System(_) => f.write_str("SYSTEM"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporal::{DatePolicy, parse_datetime};

    fn zone(name: &str) -> TimeZone {
        TimeZone::parse(name, &TimeZone::UTC).unwrap()
    }

    fn local(text: &str) -> DateTime {
        parse_datetime(text.as_bytes(), DatePolicy::LAX).unwrap().value
    }

    // Answers of MySQL 9.7.4 to SET time_zone and SELECT @@time_zone.
    #[test]
    fn offsets_print_with_two_digits() {
        for (name, shown) in [
            ("+5:30", "+05:30"),
            ("-00:00", "+00:00"),
            ("+14:00", "+14:00"),
            ("-13:59", "-13:59"),
            ("+5:3", "+05:03"),
            ("system", "SYSTEM"),
            ("Europe/Berlin", "Europe/Berlin"),
        ] {
            assert_eq!(zone(name).to_string(), shown);
        }
        for name in ["-14:00", "+14:01", "+0530", "05:30", "+05:60", " +05:30", "", "Nowhere"] {
            let error = TimeZone::parse(name, &TimeZone::UTC).unwrap_err();
            assert_eq!(error.message, format!("Unknown or incorrect time zone: '{name}'"));
        }
    }

    #[test]
    fn stored_moments_are_shown_in_the_zone() {
        let moment = Timestamp { seconds: 1_600_000_000, micros: 500_000 };
        assert_eq!(TimeZone::UTC.to_local(moment, 1).to_string(), "2020-09-13 12:26:40.5");
        assert_eq!(zone("+05:30").to_local(moment, 0).to_string(), "2020-09-13 17:56:40");
        assert_eq!(zone("Europe/Berlin").to_local(moment, 0).to_string(), "2020-09-13 14:26:40");
        assert_eq!(zone("+05:30").to_local(Timestamp::ZERO, 0).to_string(), "0000-00-00 00:00:00");
        assert_eq!(zone("-01:00").to_utc(local("1970-01-01 00:00:00")), Some(LocalTime::At(3600)));
    }

    #[test]
    fn moments_come_back_though_a_clock_shows_them_twice() {
        // Half an hour, an hour, two of them; a zone without summer time.
        for (name, fold) in [
            ("Australia/Lord_Howe", 1_617_461_999),
            ("Europe/Berlin", 1_603_587_600),
            ("America/Juneau", 436_359_600),
            ("Asia/Pyongyang", 1_439_564_400),
        ] {
            let zone = zone(name);
            for seconds in (fold - 5 * 3600..fold + 5 * 3600).step_by(599) {
                let moment = Timestamp::new(seconds, 250_000).unwrap();
                let local = zone.to_local(moment, 6);
                for local in [local, local.truncate_to(0), local.round_to(1).unwrap()] {
                    assert_eq!(zone.to_utc(local), Some(LocalTime::At(seconds)), "{name} {seconds}");
                }
            }
        }
    }

    #[test]
    fn gaps_and_folds_of_named_zones() {
        let berlin = zone("Europe/Berlin");
        let spring = 1_585_443_600; // 2020-03-29 01:00:00 UTC
        assert_eq!(berlin.to_utc(local("2020-03-29 01:59:59")), Some(LocalTime::At(spring - 1)));
        assert_eq!(berlin.to_utc(local("2020-03-29 02:30:00")), Some(LocalTime::Skipped(spring)));
        assert_eq!(berlin.to_utc(local("2020-03-29 03:00:00")), Some(LocalTime::At(spring)));
        let autumn = 1_603_587_600; // 2020-10-25 01:00:00 UTC, when 03:00 became 02:00
        assert_eq!(berlin.to_utc(local("2020-10-25 02:30:00")), Some(LocalTime::At(autumn - 1800)));
        assert_eq!(berlin.to_utc(local("0000-00-00 00:00:00")), None);
    }
}
