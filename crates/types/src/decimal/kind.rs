//! Types of DECIMAL results: how many digits a sum, a product or a quotient is declared with.
//!
//! Rules as MySQL 9.7.4 shows them for CREATE TABLE ... SELECT (recorded in `tests/data/expressions.tsv`).

use super::{PRECISION_MAX, SCALE_MAX};

/// DECIMAL(`precision`, `scale`) as a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DecimalKind {
    /// All digits, at least 1.
    pub precision: u8,
    /// Those behind the point.
    pub scale: u8,
}

impl DecimalKind {
    /// A type with both numbers brought into their limits.
    pub fn new(precision: u8, scale: u8) -> Self {
        let scale = scale.min(SCALE_MAX);
        Self { precision: precision.clamp(scale.max(1), PRECISION_MAX), scale }
    }

    /// The type of an integer operand with this many digits.
    pub fn integer(digits: u8) -> Self {
        Self::new(digits, 0)
    }

    /// Digits before the point.
    pub fn int_digits(self) -> u8 {
        self.precision - self.scale
    }

    /// Of `a + b` and `a - b`.
    #[must_use]
    pub fn of_sum(self, other: Self) -> Self {
        let scale = self.scale.max(other.scale);
        Self::new(self.int_digits().max(other.int_digits()) + 1 + scale, scale)
    }

    /// Of `a * b`.
    #[must_use]
    pub fn of_product(self, other: Self) -> Self {
        Self::new(self.precision.saturating_add(other.precision), self.scale + other.scale)
    }

    /// Of `a / b`; `increment` is `div_precision_increment`.
    #[must_use]
    pub fn of_quotient(self, other: Self, increment: u8) -> Self {
        let precision = self.precision.saturating_add(other.scale).saturating_add(increment);
        Self::new(precision, self.scale.saturating_add(increment))
    }

    /// Of `a % b`.
    #[must_use]
    pub fn of_remainder(self, other: Self) -> Self {
        Self::new(self.precision.max(other.precision), self.scale.max(other.scale))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Column types that MySQL 9.7.4 chose for CREATE TABLE ... SELECT.
    #[test]
    fn results_have_mysqls_types() {
        let a = DecimalKind::new(10, 0);
        let b = DecimalKind::new(20, 15);
        let kind = |precision, scale| DecimalKind { precision, scale };
        assert_eq!(a.of_quotient(b, 4), kind(29, 4));
        assert_eq!(b.of_quotient(a, 4), kind(24, 19));
        assert_eq!(b.of_quotient(b, 4), kind(39, 19));
        assert_eq!(a.of_product(b), kind(30, 15));
        assert_eq!(b.of_product(b).of_product(b), kind(60, 30));
        assert_eq!(a.of_sum(b), kind(26, 15));
        assert_eq!(a.of_remainder(b), kind(20, 15));
        assert_eq!(DecimalKind::integer(10).of_product(kind(2, 1)), kind(12, 1));
    }
}
