//! Temporal values written as numbers: YYMMDD, YYYYMMDD, YYMMDDhhmmss, YYYYMMDDhhmmss and hhmmss.

use super::{Date, DatePolicy, DateTime, Time};

/// A date or datetime from its number; `micros` is the number's fraction. None if it is none, or not one that
/// `policy` accepts.
pub fn datetime_from_number(number: u64, micros: u32, policy: DatePolicy) -> Option<DateTime> {
    let full = match number {
        0 => 0,
        // YYMMDD, YYYYMMDD, YYMMDDhhmmss, YYYYMMDDhhmmss; between them lies nothing, or a year below 1000 if
        // dates need not be complete.
        101..=691_231 => (number + 20_000_000) * 1_000_000,
        700_101..=991_231 => (number + 19_000_000) * 1_000_000,
        991_232..=10_000_100 if policy.zero_in_date => number * 1_000_000,
        10_000_101..=99_991_231 => number * 1_000_000,
        101_000_000..=691_231_235_959 => number + 20_000_000_000_000,
        700_101_000_000..=991_231_235_959 => number + 19_000_000_000_000,
        10_000_101_000_000..=99_991_231_235_959 => number,
        _ => return None,
    };
    // A date alone has no fraction.
    let micros = if (1..101_000_000).contains(&number) { 0 } else { micros };
    let (date, time) = (full / 1_000_000, full % 1_000_000);
    let part = |value: u64| u8::try_from(value % 100).ok();
    let date = Date::new(u16::try_from(date / 10_000).ok()?, part(date / 100)?, part(date)?)?;
    if !policy.accepts(date.year(), date.month(), date.day()) {
        return None;
    }
    DateTime::new(date, part(time / 10_000)?, part(time / 100)?, part(time)?, micros, 6)
}

/// A TIME from its number hhmmss (or a datetime's, whose time of day is taken). None if it is none or too long.
pub fn time_from_number(negative: bool, magnitude: u64, micros: u32) -> Option<Time> {
    if magnitude > 8_385_959 {
        let datetime = (!negative && magnitude > 9_999_999_999)
            .then(|| datetime_from_number(magnitude, micros, DatePolicy::LAX))?;
        return datetime.map(DateTime::time);
    }
    let part = |value: u64| u8::try_from(value % 100).ok().filter(|part| *part < 60);
    let hours = u32::try_from(magnitude / 10_000).ok()?;
    Time::new(negative, hours, part(magnitude / 100)?, part(magnitude)?, micros, 6)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Answers of MySQL 9.7.4 to CAST(number AS DATETIME) and CAST(number AS TIME).
    #[test]
    fn numbers_are_read_by_their_size() {
        let strict = DatePolicy::EXACT;
        let datetime =
            |number| datetime_from_number(number, 0, strict).map(|value| value.with_fsp(0).to_string());
        for (number, expected) in [
            (20_200_102, Some("2020-01-02 00:00:00")),
            (101, Some("2000-01-01 00:00:00")),
            (691_231, Some("2069-12-31 00:00:00")),
            (700_101, Some("1970-01-01 00:00:00")),
            (200_102_030_405, Some("2020-01-02 03:04:05")),
            (99_991_231_235_959, Some("9999-12-31 23:59:59")),
            (20_201_301, None),
            (100, None),
            (0, None),
            (5, None),
        ] {
            assert_eq!(datetime(number).as_deref(), expected, "{number}");
        }
        let time = |number: i64| {
            time_from_number(number < 0, number.unsigned_abs(), 0)
                .map(|value| value.truncate_to(0).to_string())
        };
        for (number, expected) in [
            (101_112, Some("10:11:12")),
            (-1011, Some("-00:10:11")),
            (8_385_959, Some("838:59:59")),
            (8_390_000, None),
            (106_000, None),
            (20_200_102_030_405, Some("03:04:05")),
            (9_999_999_999, None),
        ] {
            assert_eq!(time(number).as_deref(), expected, "{number}");
        }
    }
}
