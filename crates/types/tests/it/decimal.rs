//! Purpose: exact arithmetic is exact, and rounds where MySQL rounds.
//!
//! Requirements: sums, differences, products, remainders and rounded quotients are those of true numbers; text and
//! stored form lead back; order is that of numbers; stored forms of one type are in the order of their numbers.
//!
//! Method: properties with `bigdecimal` as the independent oracle. MySQL's own answers are in `tests/it/expressions.rs`.

use std::str::FromStr;

use bigdecimal::rounding::RoundingMode;
use bigdecimal::{BigDecimal, Zero};
use proptest::prelude::*;
use types::decimal::{Decimal, Overflow, stored_size};

/// Up to 30 digits before and 15 behind the point, often zeros and nines.
fn text() -> impl Strategy<Value = String> {
    let digits =
        |most: usize| proptest::collection::vec(proptest::sample::select(&b"0009991234578"[..]), 0..most);
    (any::<bool>(), digits(31), digits(16)).prop_map(|(negative, int, fraction)| {
        let sign = if negative { "-" } else { "" };
        let [int, fraction] = [int, fraction].map(|digits| String::from_utf8(digits).unwrap());
        if fraction.is_empty() { format!("{sign}0{int}") } else { format!("{sign}0{int}.{fraction}") }
    })
}

fn dec(text: &str) -> Decimal {
    text.parse().unwrap()
}

fn big(text: &str) -> BigDecimal {
    BigDecimal::from_str(text).unwrap()
}

fn same(ours: Decimal, theirs: &BigDecimal) -> bool {
    big(&ours.to_string()) == *theirs
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sums_differences_and_products_are_exact(a in text(), b in text()) {
        prop_assert!(same(dec(&a).add(&dec(&b)).unwrap(), &(big(&a) + big(&b))));
        prop_assert!(same(dec(&a).subtract(&dec(&b)).unwrap(), &(big(&a) - big(&b))));
        let product = big(&a) * big(&b);
        let rounded = product.with_scale_round(30, RoundingMode::HalfUp);
        prop_assert!(same(dec(&a).multiply(&dec(&b)).unwrap(), &rounded));
    }

    #[test]
    fn quotients_are_rounded_half_away_from_zero(a in text(), b in text(), increment in 0..8_u8) {
        let Some(quotient) = dec(&a).divide(&dec(&b), increment) else {
            prop_assert!(big(&b).is_zero());
            return Ok(());
        };
        let scale = dec(&a).scale() + increment;
        // 100 digits are more than any of these quotients needs to be rounded right.
        let exact = big(&a) / big(&b);
        let rounded = exact.with_scale_round(i64::from(scale), RoundingMode::HalfUp);
        match quotient {
            Ok(quotient) => prop_assert!(same(quotient, &rounded), "{a}/{b}: {quotient} {rounded}"),
            Err(Overflow) => prop_assert!(rounded.abs() >= big("1e72")),
        }
    }

    #[test]
    fn remainders_and_integer_quotients_belong_together(a in text(), b in text()) {
        let Some((quotient, rest)) = dec(&a).divide_integer(&dec(&b)) else { return Ok(()) };
        let quotient = big(&quotient.unwrap().to_string());
        let rest = big(&rest.to_string());
        prop_assert_eq!(&quotient * big(&b) + &rest, big(&a));
        prop_assert!(rest.abs() < big(&b).abs());
        prop_assert!(rest.is_zero() || dec(&a).is_negative() == (rest < BigDecimal::zero()));
    }

    #[test]
    fn rounding_and_order_are_those_of_numbers(a in text(), b in text(), places in -35..35_i32) {
        let rounded = big(&a).with_scale_round(i64::from(places), RoundingMode::HalfUp);
        prop_assert!(same(dec(&a).round(places).unwrap(), &rounded));
        let cut = big(&a).with_scale_round(i64::from(places), RoundingMode::Down);
        prop_assert!(same(dec(&a).truncate(places), &cut));
        prop_assert_eq!(dec(&a).cmp(&dec(&b)), big(&a).cmp(&big(&b)));
    }

    #[test]
    fn text_and_stored_form_lead_back_in_order(a in text(), b in text()) {
        let (precision, scale) = (48, 16);
        let stored = |text: &str| {
            let mut bytes = Vec::new();
            dec(text).write_stored(precision, scale, &mut bytes);
            bytes
        };
        let bytes = stored(&a);
        prop_assert_eq!(bytes.len(), stored_size(precision, scale));
        prop_assert_eq!(Decimal::read_stored(&bytes, precision, scale), dec(&a));
        prop_assert_eq!(dec(&dec(&a).to_string()), dec(&a));
        prop_assert_eq!(bytes.cmp(&stored(&b)), dec(&a).cmp(&dec(&b)));
    }

    #[test]
    fn doubles_come_back_through_their_text(digits in any::<i64>(), exponent in -33..40_i32) {
        let value: f64 = format!("{digits}e{exponent}").parse().unwrap();
        let ours = Decimal::from_f64(value).unwrap();
        prop_assert_eq!(ours.to_f64().to_bits(), value.to_bits());
    }

    #[test]
    fn bytes_read_as_decimals_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..40), precision in 1..=65_u8, scale in 0..=30_u8) {
        let _ = Decimal::read_stored(&bytes, precision, scale.min(precision)).to_string();
        let parsed = Decimal::parse_prefix(&bytes);
        prop_assert!(parsed.size <= bytes.len());
    }
}
