//! How rows and row events hold temporal values.
//!
//! | type | bytes |
//! | --- | --- |
//! | DATE | 3, little-endian: `year << 9 | month << 5 | day` |
//! | TIME(f) | 3, big-endian, `0x800000` + (`hours << 12 | minutes << 6 | seconds`), then the fraction |
//! | DATETIME(f) | 5, big-endian, `0x8000000000` + the packed form without its fraction, then the fraction |
//! | TIMESTAMP(f) | 4, big-endian seconds since 1970 in UTC, then the fraction; all zero is `0000-00-00` |
//!
//! A fraction of f digits takes (f + 1) / 2 big-endian bytes and counts hundredths, ten-thousandths or
//! millionths. A negative TIME is the two's complement of the positive one over all its bytes. So all but DATE are
//! ordered by `memcmp`.
//!
//! Source: the manual's "Date and Time Data Type Representation", and bytes of real binlogs (`tests/data/rows.tsv`).

use super::{Date, DateTime, MICROS_PER_SECOND, Time, fraction_unit};

/// The size in bytes of a fraction of `fsp` digits.
pub fn stored_fraction_size(fsp: u8) -> usize {
    usize::from(fsp.min(6)).div_ceil(2)
}

/// Microseconds that one unit of a stored fraction stands for: fractions are stored in pairs of digits.
fn stored_unit(fsp: u8) -> i64 {
    fraction_unit(fsp + fsp % 2)
}

/// A moment in UTC, as a TIMESTAMP column holds it. Zero stands for `0000-00-00 00:00:00`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Seconds since 1970-01-01 00:00:00 UTC, 1 to 2^31 - 1 but for zero itself.
    pub seconds: u32,
    /// The fraction.
    pub micros: u32,
}

impl Timestamp {
    /// `0000-00-00 00:00:00`.
    pub const ZERO: Self = Self { seconds: 0, micros: 0 };

    /// The moment, if a TIMESTAMP column can hold it: up to 2038-01-19 03:14:07.999999 UTC.
    pub fn new(seconds: i64, micros: u32) -> Option<Self> {
        let seconds =
            u32::try_from(seconds).ok().filter(|&seconds| (1..=i32::MAX.unsigned_abs()).contains(&seconds));
        seconds.map(|seconds| Self { seconds, micros })
    }

    /// Appends the stored form.
    pub fn write_stored(self, fsp: u8, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.seconds.to_be_bytes());
        write_fraction(self.micros, fsp, out);
    }

    /// Reads the stored form; missing bytes count as zero.
    pub fn read_stored(bytes: &[u8], fsp: u8) -> Self {
        let (seconds, fraction) = bytes.split_at(bytes.len().min(4));
        let seconds = u32::try_from(big_endian(seconds)).unwrap_or(u32::MAX);
        Self { seconds, micros: read_fraction(fraction, fsp) }
    }
}

impl Date {
    /// Appends the stored form.
    pub fn write_stored(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.packed().to_le_bytes()[..3]);
    }

    /// Reads the stored form; missing bytes count as zero.
    pub fn read_stored(bytes: &[u8]) -> Self {
        Self::from_packed(bytes.iter().take(3).rev().fold(0, |value, &byte| value << 8 | u32::from(byte)))
    }
}

impl DateTime {
    /// Appends the stored form.
    pub fn write_stored(self, fsp: u8, out: &mut Vec<u8>) {
        let seconds = (self.packed() >> 24) + 0x80_0000_0000;
        out.extend_from_slice(&seconds.to_be_bytes()[3..]);
        write_fraction(self.micros(), fsp, out);
    }

    /// Reads the stored form; missing bytes count as zero.
    pub fn read_stored(bytes: &[u8], fsp: u8) -> Self {
        let (seconds, fraction) = bytes.split_at(bytes.len().min(5));
        let seconds = big_endian(seconds).saturating_sub(0x80_0000_0000).max(0);
        Self::from_packed(seconds << 24 | i64::from(read_fraction(fraction, fsp)), fsp)
    }
}

impl Time {
    /// Appends the stored form.
    pub fn write_stored(self, fsp: u8, out: &mut Vec<u8>) {
        let (hours, minutes, seconds, micros) = self.parts();
        let clock = i64::from(hours) << 12 | i64::from(minutes) << 6 | i64::from(seconds);
        let size = stored_fraction_size(fsp);
        let positive = (clock << (8 * size)) | (i64::from(micros) / stored_unit(fsp));
        let signed = if self.is_negative() { -positive } else { positive };
        let stored = signed + (0x80_0000 << (8 * size));
        out.extend_from_slice(&stored.to_be_bytes()[8 - 3 - size..]);
    }

    /// Reads the stored form; missing bytes count as zero. Damaged parts are cut to the longest span.
    pub fn read_stored(bytes: &[u8], fsp: u8) -> Self {
        let size = stored_fraction_size(fsp);
        let mut stored = big_endian(&bytes[..bytes.len().min(3 + size)]);
        stored <<= 8 * (3 + size).saturating_sub(bytes.len());
        let signed = stored - (0x80_0000 << (8 * size));
        let positive = signed.abs();
        let clock = positive >> (8 * size);
        let fraction = positive & ((1 << (8 * size)) - 1);
        let seconds = (clock >> 12 & 0x3FF) * 3600 + (clock >> 6 & 0x3F) * 60 + (clock & 0x3F);
        let micros = seconds * MICROS_PER_SECOND + (fraction * stored_unit(fsp)).min(MICROS_PER_SECOND - 1);
        Self::saturating(if signed < 0 { -micros } else { micros }, fsp)
    }
}

fn write_fraction(micros: u32, fsp: u8, out: &mut Vec<u8>) {
    let value = i64::from(micros) / stored_unit(fsp);
    out.extend_from_slice(&value.to_be_bytes()[8 - stored_fraction_size(fsp)..]);
}

fn read_fraction(bytes: &[u8], fsp: u8) -> u32 {
    let size = stored_fraction_size(fsp).min(bytes.len());
    let micros = big_endian(&bytes[..size]) * stored_unit(fsp);
    u32::try_from(micros.clamp(0, MICROS_PER_SECOND - 1)).unwrap_or(0)
}

/// Up to seven bytes as a number.
fn big_endian(bytes: &[u8]) -> i64 {
    bytes.iter().fold(0, |value, &byte| value << 8 | i64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_come_back_in_order() {
        let most = Time::MICROS_MAX;
        let micros = [-most, -3_600_000_001, -1_000_000, -999_999, -1, 0, 1, 999_999, 1_000_000, most];
        for fsp in 0..=6 {
            let mut previous = Vec::new();
            for time in micros.map(|micros| Time::saturating(micros, fsp)) {
                let mut bytes = Vec::new();
                time.write_stored(fsp, &mut bytes);
                assert_eq!(bytes.len(), 3 + stored_fraction_size(fsp));
                assert_eq!(Time::read_stored(&bytes, fsp), time, "{time} {bytes:02x?}");
                assert!(previous <= bytes, "{time}");
                previous = bytes;
            }
        }
    }

    #[test]
    fn datetimes_and_timestamps_come_back() {
        for fsp in 0..=6 {
            let value = DateTime::from_unix_seconds(1_600_000_000, 123_456, fsp).unwrap();
            let mut bytes = Vec::new();
            value.write_stored(fsp, &mut bytes);
            assert_eq!(DateTime::read_stored(&bytes, fsp), value);
            let timestamp = Timestamp { seconds: 7, micros: value.micros() };
            bytes.clear();
            timestamp.write_stored(fsp, &mut bytes);
            assert_eq!(Timestamp::read_stored(&bytes, fsp), timestamp);
        }
        let date = Date::new(9999, 12, 31).unwrap();
        let mut bytes = Vec::new();
        date.write_stored(&mut bytes);
        assert_eq!(Date::read_stored(&bytes), date);
    }

    #[test]
    fn damaged_bytes_do_not_panic() {
        for byte in [0, 1, 0x7F, 0x80, 0xFF] {
            for size in 0..9 {
                let bytes = vec![byte; size];
                for fsp in 0..=6 {
                    let _ = Time::read_stored(&bytes, fsp).to_string();
                    let _ = DateTime::read_stored(&bytes, fsp).to_string();
                    let _ = Timestamp::read_stored(&bytes, fsp);
                }
                let _ = Date::read_stored(&bytes).to_string();
            }
        }
    }
}
