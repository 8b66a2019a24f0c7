//! DATE.

use super::calendar;

/// A date, complete or not: `year << 9 | month << 5 | day`, which is also what three bytes of a row hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Date(u32);

impl Date {
    /// `0000-00-00`.
    pub const ZERO: Self = Self(0);

    /// A date of parts within year 9999, month 12, day 31; each may be 0. None beyond.
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        (year <= 9999 && month <= 12 && day <= 31)
            .then(|| Self(u32::from(year) << 9 | u32::from(month) << 5 | u32::from(day)))
    }

    /// The date of a day's number.
    pub fn from_days(days: u32) -> Option<Self> {
        let (year, month, day) = calendar::from_days(days)?;
        Self::new(year, month, day)
    }

    /// The three bytes of a row as a number. Damaged parts are kept as they are; they print as they are.
    pub fn from_packed(packed: u32) -> Self {
        Self(packed & 0xFF_FFFF)
    }

    /// The number that a row holds in three bytes.
    pub fn packed(self) -> u32 {
        self.0
    }

    /// 0 to 9999.
    pub fn year(self) -> u16 {
        let [low, high, ..] = (self.0 >> 9).to_le_bytes();
        u16::from_le_bytes([low, high])
    }

    /// 0 to 12.
    pub fn month(self) -> u8 {
        (self.0 >> 5 & 0xF).to_le_bytes()[0]
    }

    /// 0 to 31.
    pub fn day(self) -> u8 {
        (self.0 & 0x1F).to_le_bytes()[0]
    }

    /// Whether month and day are there. `0000-01-01` is complete.
    pub fn is_complete(self) -> bool {
        self.month() != 0 && self.day() != 0
    }

    /// TO_DAYS; None for an incomplete date.
    pub fn to_days(self) -> Option<u32> {
        self.is_complete().then(|| calendar::to_days(self.year(), self.month(), self.day()))
    }

    /// The date as a number YYYYMMDD.
    pub fn to_number(self) -> i64 {
        i64::from(self.year()) * 10_000 + i64::from(self.month()) * 100 + i64::from(self.day())
    }

    /// The date `months` later (earlier if negative); a day that the month does not have becomes its last.
    pub fn add_months(self, months: i32) -> Option<Self> {
        let count = i32::from(self.year()) * 12 + i32::from(self.month().checked_sub(1)?);
        let count = count.checked_add(months)?;
        let year = u16::try_from(count.div_euclid(12)).ok()?;
        let month = u8::try_from(count.rem_euclid(12) + 1).ok()?;
        Self::new(year, month, self.day().min(calendar::days_in_month(year, month)))
    }
}
