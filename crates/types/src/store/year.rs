//! YEAR: four digits, or two for the years from 1970 to 2069.

use super::Target;
use super::int::whole;
use crate::error::SqlError;
use crate::row::{is_year, stored_year};
use crate::value::ValueRef;

pub(super) fn store(
    value: ValueRef<'_>,
    target: &mut Target<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<(), SqlError> {
    let number = match value {
        ValueRef::Date(date) => i128::from(date.year()),
        ValueRef::DateTime(moment) => i128::from(moment.date().year()),
        ValueRef::Time(_) => i128::from(target.context.today.year()),
        ValueRef::Year(year) => i128::from(year),
        _ => {
            let number = whole(value, target)?;
            // Year 0 is a number, or a text of four digits.
            let as_it_is = match value.string_bytes() {
                Some(text) => {
                    text.trim_ascii_start().iter().take_while(|byte| byte.is_ascii_digit()).count() == 4
                }
                None => number == Some(0),
            };
            number.map_or(0, |number| if as_it_is { number } else { four_digits(number) })
        }
    };
    let year = u16::try_from(number).ok().filter(|year| is_year(*year));
    if year.is_none() {
        target.out_of_range()?;
    }
    out.push(stored_year(year.unwrap_or(0)));
    Ok(())
}

fn four_digits(number: i128) -> i128 {
    match number {
        0..=69 => number + 2000,
        70..=99 => number + 1900,
        _ => number,
    }
}
