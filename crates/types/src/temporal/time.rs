//! TIME: a span of up to 838:59:59, negative ones too.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use super::{FSP_MAX, MICROS_PER_SECOND, fraction_unit};

/// A span of time in microseconds, shown with `fsp` digits of a second's fraction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Time {
    micros: i64,
    fsp: u8,
}

impl Time {
    /// The longest span, 838:59:59, in microseconds.
    pub const MICROS_MAX: i64 = (838 * 3600 + 59 * 60 + 59) * MICROS_PER_SECOND;

    /// A span; None beyond ±838:59:59. Digits beyond `fsp` are cut.
    pub fn from_micros(micros: i64, fsp: u8) -> Option<Self> {
        let fsp = fsp.min(FSP_MAX);
        (micros.unsigned_abs() <= Self::MICROS_MAX.unsigned_abs())
            .then(|| Self { micros: micros - micros % fraction_unit(fsp), fsp })
    }

    /// The nearest span that TIME can hold.
    pub fn saturating(micros: i64, fsp: u8) -> Self {
        Self::from_micros(micros.clamp(-Self::MICROS_MAX, Self::MICROS_MAX), fsp).unwrap_or_default()
    }

    /// A span of parts.
    pub fn new(negative: bool, hours: u32, minutes: u8, seconds: u8, micros: u32, fsp: u8) -> Option<Self> {
        let seconds = i64::from(hours) * 3600 + i64::from(minutes) * 60 + i64::from(seconds);
        let total = seconds * MICROS_PER_SECOND + i64::from(micros);
        Self::from_micros(if negative { -total } else { total }, fsp)
    }

    /// All of it in microseconds, signed.
    pub fn micros(self) -> i64 {
        self.micros
    }

    /// How many digits of the fraction are shown.
    pub fn fsp(self) -> u8 {
        self.fsp
    }

    /// Whether the span is below zero.
    pub fn is_negative(self) -> bool {
        self.micros < 0
    }

    /// (hours, minutes, seconds, microseconds) without the sign.
    pub fn parts(self) -> (u32, u8, u8, u32) {
        let micros = self.micros.unsigned_abs();
        let small = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        let seconds = small(micros / MICROS_PER_SECOND.unsigned_abs());
        let fraction = small(micros % MICROS_PER_SECOND.unsigned_abs());
        let [minute, second] = [seconds / 60 % 60, seconds % 60].map(|part| part.to_le_bytes()[0]);
        (seconds / 3600, minute, second, fraction)
    }

    /// The span rounded to `fsp` digits, half away from zero; beyond the longest span it stays the longest.
    #[must_use]
    pub fn round_to(self, fsp: u8) -> Self {
        let unit = fraction_unit(fsp);
        let half = if self.micros < 0 { -unit / 2 } else { unit / 2 };
        Self::saturating(self.micros + half, fsp)
    }

    /// The span cut to `fsp` digits.
    #[must_use]
    pub fn truncate_to(self, fsp: u8) -> Self {
        Self::saturating(self.micros, fsp)
    }

    /// The span as a number HHMMSS without its fraction, signed.
    pub fn to_number(self) -> i64 {
        let (hours, minutes, seconds, _) = self.parts();
        let number = i64::from(hours) * 10_000 + i64::from(minutes) * 100 + i64::from(seconds);
        if self.is_negative() { -number } else { number }
    }
}

impl PartialEq for Time {
    fn eq(&self, other: &Self) -> bool {
        self.micros == other.micros
    }
}

impl Eq for Time {}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Time {
    fn cmp(&self, other: &Self) -> Ordering {
        self.micros.cmp(&other.micros)
    }
}

impl Hash for Time {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.micros.hash(state);
    }
}
