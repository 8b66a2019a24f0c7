//! Days and weeks, counted as MySQL counts them: day 1 is `0000-01-01`, and the year 0 has 365 days.

/// The day of `1970-01-01`.
pub const UNIX_EPOCH_DAY: u32 = 719_528;
/// The day of `9999-12-31`.
pub const LAST_DAY: u32 = 3_652_424;

/// Whether the year has a 29th of February.
pub fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) && year != 0
}

/// 365 or 366.
pub fn days_in_year(year: u16) -> u16 {
    365 + u16::from(is_leap(year))
}

/// 28 to 31; 31 for a month that does not exist.
pub fn days_in_month(year: u16, month: u8) -> u8 {
    match month {
        2 => 28 + u8::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The day's number within its year, from 1.
pub fn day_of_year(year: u16, month: u8, day: u8) -> u16 {
    const BEFORE: [u16; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let before = BEFORE[usize::from(month.clamp(1, 12) - 1)];
    before + u16::from(day) + u16::from(month > 2 && is_leap(year))
}

/// TO_DAYS of a date with all parts.
pub fn to_days(year: u16, month: u8, day: u8) -> u32 {
    days_before_year(year) + u32::from(day_of_year(year, month, day))
}

/// FROM_DAYS: (year, month, day); None outside of the years 0 to 9999.
pub fn from_days(days: u32) -> Option<(u16, u8, u8)> {
    if !(1..=LAST_DAY).contains(&days) {
        return None;
    }
    // The estimate is never too large and at most one year too small.
    let mut year = u16::try_from((days - 1) * 100 / 36_525).ok()?;
    while days_before_year(year + 1) < days {
        year += 1;
    }
    let mut rest = u16::try_from(days - days_before_year(year)).ok()?;
    for month in 1..=12 {
        let length = u16::from(days_in_month(year, month));
        if rest <= length {
            return Some((year, month, u8::try_from(rest).ok()?));
        }
        rest -= length;
    }
    None
}

/// WEEKDAY of a day's number: 0 is Monday.
pub fn weekday(days: u32) -> u8 {
    ((days + 5) % 7).to_le_bytes()[0]
}

/// The days before the first of January.
fn days_before_year(year: u16) -> u32 {
    if year == 0 {
        return 0;
    }
    let past = u32::from(year) - 1;
    365 * u32::from(year) + past / 4 - past / 100 + past / 400
}

/// WEEK and YEARWEEK for MySQL's `mode` (0 to 7): the year that the week belongs to, and the week. A week 0
/// exists only in the modes 0, 1, 4 and 5; YEARWEEK asks without it (mode | 2).
pub fn week(year: u16, month: u8, day: u8, mode: u8) -> (u16, u8) {
    let from_one = mode & 2 != 0;
    let start = first_week(year, mode);
    let today = i64::from(to_days(year, month, day));
    if today < start {
        if !from_one {
            return (year, 0);
        }
        let previous = year.saturating_sub(1);
        return (previous, week_number(today, first_week(previous, mode)));
    }
    if from_one && today >= first_week(year + 1, mode) {
        return (year + 1, 1);
    }
    (year, week_number(today, start))
}

fn week_number(day: i64, first_week: i64) -> u8 {
    u8::try_from((day - first_week) / 7 + 1).unwrap_or(0)
}

/// The day on which the year's week 1 begins. Weeks begin on Monday or Sunday; week 1 is the first with four of
/// its days in the year, or the first that begins in the year.
fn first_week(year: u16, mode: u8) -> i64 {
    let monday_first = mode & 1 != 0;
    let four_days = monday_first != (mode & 4 != 0);
    let new_year = to_days(year, 1, 1);
    let day_in_week = i64::from((u32::from(weekday(new_year)) + u32::from(!monday_first)) % 7);
    let week_of_new_year = i64::from(new_year) - day_in_week;
    let counts = if four_days { day_in_week <= 3 } else { day_in_week == 0 };
    if counts { week_of_new_year } else { week_of_new_year + 7 }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Answers of MySQL 9.7.4.
    #[test]
    fn days_are_counted_as_in_mysql() {
        assert_eq!(to_days(0, 1, 1), 1);
        assert_eq!(to_days(1970, 1, 1), UNIX_EPOCH_DAY);
        assert_eq!(to_days(9999, 12, 31), LAST_DAY);
        assert_eq!(from_days(365), Some((0, 12, 31)));
        assert_eq!(from_days(366), Some((1, 1, 1)));
        assert_eq!(from_days(0), None);
        assert_eq!(from_days(LAST_DAY + 1), None);
        assert_eq!(weekday(to_days(2020, 1, 2)), 3);
    }

    #[test]
    fn every_day_comes_back() {
        let mut expected = (0, 1, 0);
        for days in 1..=LAST_DAY {
            let (year, month, day) = from_days(days).unwrap();
            expected.2 += 1;
            if expected.2 > days_in_month(expected.0, expected.1) {
                expected =
                    if expected.1 == 12 { (expected.0 + 1, 1, 1) } else { (expected.0, expected.1 + 1, 1) };
            }
            assert_eq!((year, month, day), expected);
            assert_eq!(to_days(year, month, day), days);
        }
    }

    #[test]
    fn weeks_follow_the_mode() {
        let weeks = |year, month, day| (0..8).map(|mode| week(year, month, day, mode).1).collect::<Vec<_>>();
        assert_eq!(weeks(2000, 1, 1), [0, 0, 52, 52, 0, 0, 52, 52]);
        assert_eq!(week(2008, 2, 20, 0).1, 7);
        assert_eq!(week(2008, 2, 20, 1).1, 8);
        assert_eq!(week(2008, 12, 31, 1).1, 53);
        assert_eq!(week(2000, 1, 1, 2), (1999, 52));
        assert_eq!(week(1987, 1, 1, 3), (1987, 1));
        assert_eq!(week(2021, 1, 3, 3).1, 53);
    }
}
