//! DECIMAL to and from the machine's numbers.

use super::{BASE, Decimal, INT_LIMBS, LIMBS};

impl Decimal {
    /// The number rounded to an integer; None if it does not fit.
    pub fn to_i64(self) -> Option<i64> {
        let magnitude = i128::from(self.rounded_magnitude()?);
        i64::try_from(if self.negative { -magnitude } else { magnitude }).ok()
    }

    /// The number rounded to an integer; None if it is negative or does not fit.
    pub fn to_u64(self) -> Option<u64> {
        self.rounded_magnitude().filter(|&magnitude| !self.negative || magnitude == 0)
    }

    /// The nearest double.
    pub fn to_f64(self) -> f64 {
        let mut buffer = [0; 120];
        let text = std::str::from_utf8(self.format(&mut buffer)).ok();
        text.and_then(|text| text.parse().ok()).expect("digits with a point are a number")
    }

    /// The number whose digits are the shortest text of `value`: 0.1 is 0.1. None if it is infinite or too large.
    pub fn from_f64(value: f64) -> Option<Self> {
        let text = value.is_finite().then(|| format!("{value:e}"))?;
        let parsed = Self::parse_prefix(text.as_bytes());
        (!parsed.overflow).then_some(parsed.value)
    }

    fn rounded_magnitude(self) -> Option<u64> {
        let rounded = self.round(0).ok()?;
        let digits = &rounded.limbs[..INT_LIMBS];
        digits
            .iter()
            .try_fold(0_u64, |value, &limb| value.checked_mul(u64::from(BASE))?.checked_add(u64::from(limb)))
    }
}

impl From<u64> for Decimal {
    fn from(value: u64) -> Self {
        let mut limbs = [0; LIMBS];
        let mut rest = value;
        for limb in limbs[..INT_LIMBS].iter_mut().rev() {
            *limb = u32::try_from(rest % u64::from(BASE)).expect("a limb is below the base");
            rest /= u64::from(BASE);
        }
        Self { limbs, negative: false, scale: 0 }
    }
}

impl From<i64> for Decimal {
    fn from(value: i64) -> Self {
        Self { negative: value < 0, ..Self::from(value.unsigned_abs()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dec(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn integers_come_back() {
        for value in [0, 1, -1, i64::MAX, i64::MIN, 999_999_999, 1_000_000_000] {
            assert_eq!(Decimal::from(value).to_string(), value.to_string());
            assert_eq!(Decimal::from(value).to_i64(), Some(value));
        }
        assert_eq!(Decimal::from(u64::MAX).to_u64(), Some(u64::MAX));
        assert_eq!(dec("-1").to_u64(), None);
        assert_eq!(dec("-0.4").to_u64(), Some(0));
        assert_eq!(dec("9223372036854775807.5").to_i64(), None);
        assert_eq!(dec("-9223372036854775808.4").to_i64(), Some(i64::MIN));
        assert_eq!(dec("18446744073709551615.4").to_u64(), Some(u64::MAX));
        assert_eq!(dec("18446744073709551615.5").to_u64(), None);
    }

    #[test]
    fn doubles_go_by_their_shortest_text() {
        for (value, text) in
            [(0.1, "0.1"), (1e20, "100000000000000000000"), (1e-7, "0.0000001"), (-2.5, "-2.5")]
        {
            assert_eq!(Decimal::from_f64(value).unwrap().to_string(), text);
            assert!((dec(text).to_f64() - value).abs() <= f64::EPSILON * value.abs());
        }
        assert!(Decimal::from_f64(1e80).is_none());
        assert!(Decimal::from_f64(f64::INFINITY).is_none());
        assert_eq!(
            dec("123456789012345678901234567890.123456789").to_f64().to_string(),
            "123456789012345680000000000000"
        );
    }
}
