//! Sum, difference and product.

use std::cmp::Ordering;

use super::{BASE, Decimal, INT_LIMBS, LIMBS, Limbs, Overflow, SCALE_MAX};

impl Decimal {
    /// `self + other`, showing the larger of both scales.
    pub fn add(&self, other: &Self) -> Result<Self, Overflow> {
        let scale = self.scale.max(other.scale);
        let (limbs, negative) = if self.negative == other.negative {
            (sum(&self.limbs, &other.limbs)?, self.negative)
        } else {
            match self.limbs.cmp(&other.limbs) {
                Ordering::Less => (difference(&other.limbs, &self.limbs), other.negative),
                _ => (difference(&self.limbs, &other.limbs), self.negative),
            }
        };
        Ok(Self { limbs, negative, scale }.normalised())
    }

    /// `self - other`, showing the larger of both scales.
    pub fn subtract(&self, other: &Self) -> Result<Self, Overflow> {
        self.add(&other.negated())
    }

    /// `self * other`, showing the sum of both scales, rounded to 30.
    pub fn multiply(&self, other: &Self) -> Result<Self, Overflow> {
        let mut product = [0_u64; 2 * LIMBS];
        for (i, &a) in self.limbs.iter().enumerate().filter(|&(_, &a)| a != 0) {
            let mut carry = 0;
            for (j, &b) in other.limbs.iter().enumerate().rev() {
                let value = product[i + j + 1] + u64::from(a) * u64::from(b) + carry;
                product[i + j + 1] = value % u64::from(BASE);
                carry = value / u64::from(BASE);
            }
            product[i] += carry;
        }
        // Each factor has its point behind INT_LIMBS limbs, the product behind twice as many.
        let (above, kept) = product.split_at(INT_LIMBS);
        if above.iter().any(|&limb| limb != 0) {
            return Err(Overflow);
        }
        let mut limbs = [0; LIMBS];
        for (limb, &value) in limbs.iter_mut().zip(kept) {
            *limb = u32::try_from(value).expect("a limb of a product is below the base");
        }
        let scale = self.scale + other.scale;
        let negative = self.negative != other.negative;
        let exact = Self { limbs, negative, scale }.normalised();
        if scale > SCALE_MAX { exact.round(i32::from(SCALE_MAX)) } else { Ok(exact) }
    }
}

/// The sum of two magnitudes.
pub(super) fn sum(a: &Limbs, b: &Limbs) -> Result<Limbs, Overflow> {
    let mut limbs = [0; LIMBS];
    let mut carry = 0;
    for at in (0..LIMBS).rev() {
        let value = a[at] + b[at] + carry;
        carry = u32::from(value >= BASE);
        limbs[at] = value - carry * BASE;
    }
    if carry == 0 { Ok(limbs) } else { Err(Overflow) }
}

/// The difference of two magnitudes, `a >= b`.
fn difference(a: &Limbs, b: &Limbs) -> Limbs {
    let mut limbs = [0; LIMBS];
    let mut borrow = 0;
    for at in (0..LIMBS).rev() {
        let value = a[at] + BASE - b[at] - borrow;
        borrow = u32::from(value < BASE);
        limbs[at] = if value < BASE { value } else { value - BASE };
    }
    debug_assert_eq!(borrow, 0, "the larger magnitude comes first");
    limbs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dec(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    // Answers of MySQL 9.7.4.
    #[test]
    fn sums_and_products_are_exact() {
        assert_eq!(dec("1.5").add(&dec("1")).unwrap().to_string(), "2.5");
        assert_eq!(dec("1").subtract(&dec("0.001")).unwrap().to_string(), "0.999");
        assert_eq!(dec("0.1").subtract(&dec("0.1")).unwrap().to_string(), "0.0");
        assert_eq!(dec("0.0").multiply(&dec("-1")).unwrap().to_string(), "0.0");
        assert_eq!(dec("1.10").multiply(&dec("1.10")).unwrap().to_string(), "1.2100");
        assert_eq!(
            dec("123456789.123456789").multiply(&dec("987654321.987654321")).unwrap().to_string(),
            "121932631356500531.347203169112635269"
        );
        assert_eq!(
            dec("1.000000000000000000000000000001").multiply(&dec("1.1")).unwrap().to_string(),
            "1.100000000000000000000000000001"
        );
    }

    #[test]
    fn more_than_72_digits_before_the_point_overflow() {
        let nines = dec(&"9".repeat(65));
        assert_eq!(nines.add(&dec("1")).unwrap().to_string(), format!("1{}", "0".repeat(65)));
        assert_eq!(nines.multiply(&dec("10")).unwrap().to_string(), format!("{}0", "9".repeat(65)));
        assert_eq!(nines.multiply(&nines), Err(Overflow));
        assert_eq!(nines.multiply(&dec("-100000000")), Err(Overflow));
        let most = dec(&"9".repeat(72));
        let expected = format!("999999998{}.000000001", "9".repeat(63));
        assert_eq!(most.multiply(&dec("0.999999999")).unwrap().to_string(), expected);
        assert_eq!(dec("0.999999999").multiply(&most).unwrap().to_string(), expected);
        assert_eq!(most.add(&dec("1")), Err(Overflow));
    }
}
