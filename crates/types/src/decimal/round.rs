//! Rounding: half away from zero, as every DECIMAL rounding in MySQL.

use super::arithmetic::sum;
use super::{DIGITS_PER_LIMB, Decimal, INT_LIMBS, KEPT_SCALE, LIMBS, Limbs, Overflow, POWERS, add_digit};

impl Decimal {
    /// Rounds to `places` digits behind the point, before it if negative. The scale shown is `places`, or 0.
    pub fn round(&self, places: i32) -> Result<Self, Overflow> {
        let cut = self.truncate(places);
        let Some(next) = next_place(places) else { return Ok(cut) };
        if digit(&self.limbs, next) < 5 {
            return Ok(cut);
        }
        if next == 0 {
            return Err(Overflow);
        }
        let mut unit = [0; LIMBS];
        add_digit(&mut unit, next - 1, 1);
        Ok(Self { limbs: sum(&cut.limbs, &unit)?, negative: self.negative, scale: cut.scale })
    }

    /// Cuts behind `places` digits behind the point, before it if negative. The scale shown is `places`, or 0.
    #[must_use]
    pub fn truncate(&self, places: i32) -> Self {
        let scale = u8::try_from(places.max(0)).unwrap_or(u8::MAX).min(KEPT_SCALE_SHOWN);
        let mut limbs = self.limbs;
        if let Some(next) = next_place(places) {
            let limb = next / DIGITS_PER_LIMB;
            let unit = POWERS[DIGITS_PER_LIMB - next % DIGITS_PER_LIMB];
            limbs[limb] -= limbs[limb] % unit;
            limbs[limb + 1..].fill(0);
        } else if places < 0 {
            limbs = [0; LIMBS];
        }
        Self { limbs, negative: self.negative, scale }.normalised()
    }

    /// The largest integer that is not above the number.
    pub fn floor(&self) -> Result<Self, Overflow> {
        let cut = self.truncate(0);
        if self.negative && cut != *self { cut.subtract(&Self::from(1_i64)) } else { Ok(cut) }
    }

    /// The smallest integer that is not below the number.
    pub fn ceiling(&self) -> Result<Self, Overflow> {
        let cut = self.truncate(0);
        if !self.negative && cut != *self { cut.add(&Self::from(1_i64)) } else { Ok(cut) }
    }
}

const KEPT_SCALE_SHOWN: u8 = 36;
const _: () = assert!(KEPT_SCALE_SHOWN as usize == KEPT_SCALE);

/// The first decimal place that goes away, counted from the most significant; None if there is none such.
fn next_place(places: i32) -> Option<usize> {
    let point = i32::try_from(INT_LIMBS * DIGITS_PER_LIMB).expect("a small constant");
    let next = usize::try_from(point.saturating_add(places)).ok()?;
    (next < LIMBS * DIGITS_PER_LIMB).then_some(next)
}

fn digit(limbs: &Limbs, place: usize) -> u32 {
    limbs[place / DIGITS_PER_LIMB] / POWERS[DIGITS_PER_LIMB - 1 - place % DIGITS_PER_LIMB] % 10
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dec(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    // Answers of MySQL 9.7.4 to ROUND and TRUNCATE.
    #[test]
    fn halves_go_away_from_zero() {
        for (text, places, expected) in [
            ("2.5", 0, "3"),
            ("-2.5", 0, "-3"),
            ("2.4999", 0, "2"),
            ("1.005", 2, "1.01"),
            ("125", -1, "130"),
            ("5", -1, "10"),
            ("4", -1, "0"),
            ("-0.4", 0, "0"),
            ("999.995", 2, "1000.00"),
            ("999999999.5", 0, "1000000000"),
            ("0.0000000005", 9, "0.000000001"),
            ("1.5", 3, "1.500"),
            ("1.5", -80, "0"),
        ] {
            assert_eq!(dec(text).round(places).unwrap().to_string(), expected, "ROUND({text}, {places})");
        }
        assert_eq!(dec("1.999").truncate(1).to_string(), "1.9");
        assert_eq!(dec("-1.999").truncate(0).to_string(), "-1");
        assert_eq!(dec("129").truncate(-1).to_string(), "120");
    }

    #[test]
    fn floor_and_ceiling() {
        let floor = |text: &str| dec(text).floor().unwrap().to_string();
        let ceiling = |text: &str| dec(text).ceiling().unwrap().to_string();
        assert_eq!((floor("1.5"), floor("-1.5"), floor("-2.0")), ("1".into(), "-2".into(), "-2".into()));
        assert_eq!((ceiling("1.5"), ceiling("-1.5"), ceiling("2.0")), ("2".into(), "-1".into(), "2".into()));
    }
}
