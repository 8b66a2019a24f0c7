//! Quotient and remainder: long division to base 10^9 (Knuth, The Art of Computer Programming 2, 4.3.1 D).

use super::{BASE, Decimal, INT_LIMBS, LIMBS, Limbs, Overflow, SCALE_MAX};

/// Limbs behind the point.
const FRACTION_LIMBS: usize = LIMBS - INT_LIMBS;
/// A numerator with room for the digits that a quotient has behind the point.
const WIDE: usize = LIMBS + FRACTION_LIMBS;

impl Decimal {
    /// `self / other`, rounded to the scale of `self` plus `increment` (30 at most), which is the scale shown.
    /// None if `other` is 0.
    pub fn divide(&self, other: &Self, increment: u8) -> Option<Result<Self, Overflow>> {
        let mut numerator = [0; WIDE];
        numerator[..LIMBS].copy_from_slice(&self.limbs);
        let (quotient, _) = long_division(&numerator, &other.limbs)?;
        let (above, kept) = quotient.split_at(FRACTION_LIMBS);
        if above.iter().any(|&limb| limb != 0) {
            return Some(Err(Overflow));
        }
        let mut limbs = [0; LIMBS];
        limbs.copy_from_slice(kept);
        let scale = self.scale.saturating_add(increment).min(SCALE_MAX);
        let negative = self.negative != other.negative;
        Some(Self { limbs, negative, scale }.round(i32::from(scale)))
    }

    /// The integer quotient (cut towards 0) and the remainder, which has the sign of `self` and shows the larger
    /// of both scales. None if `other` is 0.
    pub fn divide_integer(&self, other: &Self) -> Option<(Result<Self, Overflow>, Self)> {
        let mut numerator = [0; WIDE];
        numerator[FRACTION_LIMBS..].copy_from_slice(&self.limbs);
        let (quotient, remainder) = long_division(&numerator, &other.limbs)?;
        let scale = self.scale.max(other.scale);
        let remainder = Self { limbs: remainder, negative: self.negative, scale }.normalised();
        // The quotient of two numbers of the same unit counts whole units.
        let (above, units) = quotient.split_at(WIDE - INT_LIMBS);
        if above.iter().any(|&limb| limb != 0) {
            return Some((Err(Overflow), remainder));
        }
        let mut limbs = [0; LIMBS];
        limbs[..INT_LIMBS].copy_from_slice(units);
        let negative = self.negative != other.negative;
        Some((Ok(Self { limbs, negative, scale: 0 }.normalised()), remainder))
    }
}

/// Quotient and remainder of two big-endian magnitudes. None if `divisor` is 0.
fn long_division(numerator: &[u32; WIDE], divisor: &Limbs) -> Option<([u32; WIDE], Limbs)> {
    let first = divisor.iter().position(|&limb| limb != 0)?;
    let divisor = &divisor[first..];
    let mut remainder = [0; LIMBS];
    if let [single] = divisor {
        let (quotient, rest) = divide_by_limb(numerator, *single);
        remainder[LIMBS - 1] = rest;
        return Some((quotient, remainder));
    }
    let mut quotient = [0; WIDE];
    // Scaling both sides makes the divisor's first limb large, so that a guessed digit is at most 2 too large.
    let factor = BASE / (divisor[0] + 1);
    let mut scaled = [0; LIMBS];
    let scaled = &mut scaled[first..];
    scaled.copy_from_slice(divisor);
    multiply_limb(scaled, factor);
    let mut rest = [0; WIDE + 1];
    rest[1..].copy_from_slice(numerator);
    multiply_limb(&mut rest, factor);
    let size = scaled.len();
    for at in 0..=WIDE - size {
        let window = &mut rest[at..=at + size];
        quotient[at + size - 1] = divide_window(window, scaled);
    }
    let (rest, _) = divide_by_limb(&rest, factor);
    remainder[first..].copy_from_slice(&rest[rest.len() - size..]);
    Some((quotient, remainder))
}

/// One digit of the quotient; what remains of the window is left in it.
fn divide_window(window: &mut [u32], divisor: &[u32]) -> u32 {
    let base = u64::from(BASE);
    let head = u64::from(window[0]) * base + u64::from(window[1]);
    let mut digit = (head / u64::from(divisor[0])).min(base - 1);
    while digit * u64::from(divisor[1])
        > (head - digit * u64::from(divisor[0])).saturating_mul(base).saturating_add(u64::from(window[2]))
    {
        digit -= 1;
    }
    if subtract_multiple(window, divisor, digit) {
        digit -= 1;
        add_back(window, divisor);
    }
    u32::try_from(digit).expect("a digit is below the base")
}

/// Subtracts `divisor * digit`; true if that went below 0 (the window then holds the difference plus a power).
fn subtract_multiple(window: &mut [u32], divisor: &[u32], digit: u64) -> bool {
    let base = u64::from(BASE);
    let mut borrow = 0;
    for at in (0..divisor.len()).rev() {
        let product = u64::from(divisor[at]) * digit + borrow;
        let (low, mut high) = (product % base, product / base);
        let limb = u64::from(window[at + 1]);
        high += u64::from(limb < low);
        let value = if limb < low { limb + base - low } else { limb - low };
        window[at + 1] = u32::try_from(value).expect("a limb is below the base");
        borrow = high;
    }
    let below = u64::from(window[0]) < borrow;
    window[0] = 0;
    below
}

fn add_back(window: &mut [u32], divisor: &[u32]) {
    let mut carry = 0;
    for at in (0..divisor.len()).rev() {
        let value = window[at + 1] + divisor[at] + carry;
        carry = u32::from(value >= BASE);
        window[at + 1] = value - carry * BASE;
    }
}

fn multiply_limb(limbs: &mut [u32], factor: u32) {
    let mut carry = 0;
    for limb in limbs.iter_mut().rev() {
        let value = u64::from(*limb) * u64::from(factor) + carry;
        *limb = u32::try_from(value % u64::from(BASE)).expect("a limb is below the base");
        carry = value / u64::from(BASE);
    }
    debug_assert_eq!(carry, 0, "room was left for the carry");
}

fn divide_by_limb<const N: usize>(limbs: &[u32; N], divisor: u32) -> ([u32; N], u32) {
    let mut quotient = [0; N];
    let mut rest = 0;
    for (digit, &limb) in quotient.iter_mut().zip(limbs) {
        let value = rest * u64::from(BASE) + u64::from(limb);
        *digit = u32::try_from(value / u64::from(divisor)).expect("the rest is below the divisor");
        rest = value % u64::from(divisor);
    }
    (quotient, u32::try_from(rest).expect("the rest is below the divisor"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dec(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    fn quotient(a: &str, b: &str) -> Option<String> {
        Some(dec(a).divide(&dec(b), 4)?.unwrap().to_string())
    }

    // Answers of MySQL 9.7.4.
    #[test]
    fn quotients_are_rounded_to_four_more_digits() {
        for (a, b, expected) in [
            ("1", "3", "0.3333"),
            ("2", "3", "0.6667"),
            ("1.0", "3.00", "0.33333"),
            ("1", "3.0000000000", "0.3333"),
            ("100000000000", "3", "33333333333.3333"),
            ("0", "5", "0.0000"),
            ("0.0", "5", "0.00000"),
            ("-7", "2", "-3.5000"),
        ] {
            assert_eq!(quotient(a, b).as_deref(), Some(expected), "{a}/{b}");
        }
        assert_eq!(quotient("1", "0.00"), None);
    }

    #[test]
    fn remainders_have_the_sign_of_the_dividend() {
        for (a, b, expected) in [
            ("1.55", "0.5", "0.05"),
            ("-7", "3", "-1"),
            ("7", "-3", "1"),
            ("-7.5", "2", "-1.5"),
            ("10", "3.333", "0.001"),
        ] {
            let (_, rest) = dec(a).divide_integer(&dec(b)).unwrap();
            assert_eq!(rest.to_string(), expected, "{a} % {b}");
        }
        let div = |a: &str, b: &str| dec(a).divide_integer(&dec(b)).unwrap().0.unwrap().to_string();
        assert_eq!(
            (div("5", "0.3"), div("5.9", "2"), div("-5.9", "2")),
            ("16".into(), "2".into(), "-2".into())
        );
    }

    #[test]
    fn a_tiny_divisor_overflows() {
        let tiny = dec("0.000000000000000000000000000001");
        assert_eq!(dec(&"9".repeat(65)).divide(&tiny, 4), Some(Err(Overflow)));
    }
}
