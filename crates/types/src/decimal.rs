//! DECIMAL: exact numbers of up to 65 digits, 30 of them behind the point.
//!
//! A number is twelve limbs to base 10^9, most significant first, with the point always behind the eighth:
//!
//! ```text
//!  limb      0    1    2    3    4    5    6    7  .  8    9    10   11
//!  digits  72-64                             9-1     1-9            28-36
//! ```
//!
//! A fixed point costs some zeros and saves all alignment: adding and comparing are loops over the limbs, and
//! MySQL's stored form, which also groups nine digits from the point outwards, is a copy. The integer part has
//! room for 72 digits, because intermediate results of MySQL may have more than the 65 that a column holds.
//! `bigdecimal` was the alternative; it allocates, and one needs the stored form and MySQL's rounding anyway.
//!
//! `scale` is how many digits behind the point are shown; those beyond it are zero. Equality and order look at the
//! number only: `1.5 = 1.50`. Zero has no sign.

mod arithmetic;
mod binary;
mod divide;
mod kind;
mod number;
mod round;
mod text;

pub use binary::stored_size;
pub use kind::DecimalKind;
pub use text::ParsedDecimal;

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// The most digits that a column can have.
pub const PRECISION_MAX: u8 = 65;
/// The most digits behind the point that a column or a result can have.
pub const SCALE_MAX: u8 = 30;
/// MySQL's default of `div_precision_increment`.
pub const DIV_PRECISION_INCREMENT: u8 = 4;

const BASE: u32 = 1_000_000_000;
const LIMBS: usize = 12;
const INT_LIMBS: usize = 8;
const DIGITS_PER_LIMB: usize = 9;
/// How many digits behind the point are kept at all.
const KEPT_SCALE: usize = (LIMBS - INT_LIMBS) * DIGITS_PER_LIMB;

const POWERS: [u32; 10] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, BASE];

type Limbs = [u32; LIMBS];

/// An exact decimal number.
#[derive(Clone, Copy, Debug)]
pub struct Decimal {
    limbs: Limbs,
    negative: bool,
    scale: u8,
}

/// The number does not fit into 72 digits before the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

impl Decimal {
    /// 0, without digits behind the point.
    pub const ZERO: Self = Self { limbs: [0; LIMBS], negative: false, scale: 0 };

    /// The largest number of a column DECIMAL(`precision`, `scale`), or the smallest if `negative`.
    pub fn column_max(precision: u8, scale: u8, negative: bool) -> Self {
        let mut limbs = [0; LIMBS];
        let int_digits = usize::from(precision.saturating_sub(scale));
        for place in (0..int_digits).map(|up| INT_LIMBS * DIGITS_PER_LIMB - 1 - up) {
            add_digit(&mut limbs, place, 9);
        }
        for place in 0..usize::from(scale) {
            add_digit(&mut limbs, INT_LIMBS * DIGITS_PER_LIMB + place, 9);
        }
        Self { limbs, negative, scale }.normalised()
    }

    /// Digits shown behind the point.
    pub fn scale(&self) -> u8 {
        self.scale
    }

    /// The same number showing `scale` digits behind the point; digits beyond are cut, not rounded.
    #[must_use]
    pub fn with_scale(&self, scale: u8) -> Self {
        if scale < self.scale { self.truncate(i32::from(scale)) } else { Self { scale, ..*self } }
    }

    /// Whether the number is 0.
    pub fn is_zero(&self) -> bool {
        self.limbs == [0; LIMBS]
    }

    /// Whether the number is below 0.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// The number with the other sign.
    #[must_use]
    pub fn negated(&self) -> Self {
        Self { negative: !self.negative, ..*self }.normalised()
    }

    /// The number without its sign.
    #[must_use]
    pub fn abs(&self) -> Self {
        Self { negative: false, ..*self }
    }

    /// How many digits the integer part has; 0 if it is zero.
    pub fn int_digits(&self) -> u8 {
        let first = self.limbs[..INT_LIMBS].iter().position(|&limb| limb != 0);
        first.map_or(0, |at| {
            let digits = (INT_LIMBS - 1 - at) * DIGITS_PER_LIMB + digit_count(self.limbs[at]);
            u8::try_from(digits).unwrap_or(u8::MAX)
        })
    }

    /// Whether the number, as it is, has room in a column DECIMAL(`precision`, `scale`).
    pub fn fits(&self, precision: u8, scale: u8) -> bool {
        self.scale <= scale && self.int_digits() <= precision.saturating_sub(scale)
    }

    /// The parts of the type of a literal with this value.
    pub fn kind(&self) -> DecimalKind {
        DecimalKind::new(self.int_digits() + self.scale, self.scale)
    }

    fn normalised(mut self) -> Self {
        self.negative &= !self.is_zero();
        self
    }
}

impl Default for Decimal {
    fn default() -> Self {
        Self::ZERO
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        self.negative == other.negative && self.limbs == other.limbs
    }
}

impl Eq for Decimal {}

impl Hash for Decimal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.limbs.hash(state);
        self.negative.hash(state);
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.limbs.cmp(&other.limbs),
            (true, true) => other.limbs.cmp(&self.limbs),
            (negative, _) => {
                if negative {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// How many digits `limb` has; 0 for 0.
fn digit_count(limb: u32) -> usize {
    POWERS.iter().take_while(|&&power| limb >= power).count()
}

/// Adds a digit at a decimal place, counted from the most significant of the 108.
fn add_digit(limbs: &mut Limbs, place: usize, digit: u8) {
    limbs[place / DIGITS_PER_LIMB] +=
        u32::from(digit) * POWERS[DIGITS_PER_LIMB - 1 - place % DIGITS_PER_LIMB];
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dec(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn order_and_equality_ignore_the_scale() {
        assert_eq!(dec("-1.5"), dec("-1.50"));
        assert_eq!(dec("0"), dec("-0.0"));
        assert!(dec("1.5") > dec("1.49999"));
        assert!(dec("-2") < dec("-1.5"));
        assert!(dec("-1") < dec("0.001"));
    }

    #[test]
    fn column_limits() {
        assert_eq!(Decimal::column_max(5, 2, false).to_string(), "999.99");
        assert_eq!(Decimal::column_max(3, 3, true).to_string(), "-0.999");
        assert_eq!(Decimal::column_max(65, 0, false).to_string(), "9".repeat(65));
        assert!(dec("999.99").fits(5, 2));
        assert!(!dec("1000").fits(5, 2));
        assert!(!dec("1.999").fits(5, 2));
        assert!(dec("0.5").fits(1, 1));
    }

    #[test]
    fn digits_are_counted() {
        for (text, digits) in [("0", 0), ("0.5", 0), ("7", 1), ("999999999", 9), ("1000000000", 10)] {
            assert_eq!(dec(text).int_digits(), digits, "{text}");
        }
    }
}
