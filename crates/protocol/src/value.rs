//! Dates and times in their binary form, as parameters bring them and binary rows carry them.
//!
//! | length byte | date and time | meaning |
//! | --- | --- | --- |
//! | 0 | nothing | all zero |
//! | 4 | year u16, month u8, day u8 | midnight |
//! | 7 | the same, hour u8, minute u8, second u8 | no fraction |
//! | 11 | the same, microseconds u32 | |
//!
//! | length byte | time span | meaning |
//! | --- | --- | --- |
//! | 0 | nothing | zero |
//! | 8 | negative u8, days u32, hours u8, minutes u8, seconds u8 | no fraction |
//! | 12 | the same, microseconds u32 | |
//!
//! A writer takes the shortest form that holds the value, as MySQL does. Ranges of single fields are checked
//! here; whether a date exists, and whether zero dates are welcome, is for SQL to say.

use crate::Result;
use crate::wire::cursor::Cursor;
use crate::wire::put::Put;

/// A DATE, DATETIME or TIMESTAMP. All zero is MySQL's "zero date".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DateTime {
    /// 0 to 9999.
    pub year: u16,
    /// 0 to 12.
    pub month: u8,
    /// 0 to 31.
    pub day: u8,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59.
    pub second: u8,
    /// 0 to 999,999.
    pub micros: u32,
}

/// A TIME: a span of time with a sign, not a time of day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TimeSpan {
    /// Whether the whole span is below zero.
    pub negative: bool,
    /// Whole days.
    pub days: u32,
    /// 0 to 23.
    pub hours: u8,
    /// 0 to 59.
    pub minutes: u8,
    /// 0 to 59.
    pub seconds: u8,
    /// 0 to 999,999.
    pub micros: u32,
}

const MICROS_MAX: u32 = 999_999;

impl DateTime {
    /// A day without a time.
    pub const fn date(year: u16, month: u8, day: u8) -> Self {
        Self { year, month, day, hour: 0, minute: 0, second: 0, micros: 0 }
    }

    pub(crate) fn decode(cursor: &mut Cursor<'_>) -> Result<Self> {
        let mut value = Self::default();
        let size = cursor.u8()?;
        if !matches!(size, 0 | 4 | 7 | 11) {
            return Err(cursor.malformed());
        }
        if size >= 4 {
            value.year = cursor.u16()?;
            [value.month, value.day] = cursor.array()?;
        }
        if size >= 7 {
            [value.hour, value.minute, value.second] = cursor.array()?;
        }
        if size == 11 {
            value.micros = cursor.u32()?;
        }
        if value.is_in_range() { Ok(value) } else { Err(cursor.malformed()) }
    }

    /// Appends the value with its length byte.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let has_time = (self.hour, self.minute, self.second) != (0, 0, 0);
        let size = match (self.micros, has_time, *self == Self::default()) {
            (0, false, true) => 0,
            (0, false, false) => 4,
            (0, true, _) => 7,
            _ => 11,
        };
        out.put_u8(size);
        if size >= 4 {
            out.put_u16(self.year);
            out.put_bytes(&[self.month, self.day]);
        }
        if size >= 7 {
            out.put_bytes(&[self.hour, self.minute, self.second]);
        }
        if size == 11 {
            out.put_u32(self.micros);
        }
    }

    const fn is_in_range(&self) -> bool {
        self.year <= 9999
            && self.month <= 12
            && self.day <= 31
            && self.hour < 24
            && self.minute < 60
            && self.second < 60
            && self.micros <= MICROS_MAX
    }
}

impl TimeSpan {
    pub(crate) fn decode(cursor: &mut Cursor<'_>) -> Result<Self> {
        let mut value = Self::default();
        let size = cursor.u8()?;
        if !matches!(size, 0 | 8 | 12) {
            return Err(cursor.malformed());
        }
        if size >= 8 {
            value.negative = cursor.u8()? != 0;
            value.days = cursor.u32()?;
            [value.hours, value.minutes, value.seconds] = cursor.array()?;
        }
        if size == 12 {
            value.micros = cursor.u32()?;
        }
        if value.is_in_range() { Ok(value) } else { Err(cursor.malformed()) }
    }

    /// Appends the value with its length byte.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let zero = (self.days, self.hours, self.minutes, self.seconds) == (0, 0, 0, 0);
        let size = match (self.micros, zero) {
            (0, true) => 0,
            (0, false) => 8,
            _ => 12,
        };
        out.put_u8(size);
        if size >= 8 {
            out.put_u8(u8::from(self.negative));
            out.put_u32(self.days);
            out.put_bytes(&[self.hours, self.minutes, self.seconds]);
        }
        if size == 12 {
            out.put_u32(self.micros);
        }
    }

    const fn is_in_range(&self) -> bool {
        self.hours < 24 && self.minutes < 60 && self.seconds < 60 && self.micros <= MICROS_MAX
    }
}
