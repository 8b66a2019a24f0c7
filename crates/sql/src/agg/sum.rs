//! SUM and AVG. Integers add up exactly in 128 bits, DECIMALs exactly, everything else as doubles.

use types::context::Context;
use types::decimal::{Decimal, Overflow, SCALE_MAX};
use types::error::SqlError;
use types::value::{Numeric, Value, ValueRef};

use crate::expr::{Expr, number_of, out_of_range};

/// What was added.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    total: Total,
    count: u64,
}

#[derive(Clone, Copy, Debug, Default)]
enum Total {
    #[default]
    None,
    Int(i128),
    Decimal(Decimal),
    Double(f64),
}

impl Sum {
    /// Error 1690 if the sum of exact numbers has more than 72 digits before the point.
    pub(super) fn add(
        &mut self,
        expr: &Expr,
        value: ValueRef<'_>,
        context: &mut Context<'_>,
    ) -> Result<(), SqlError> {
        let Some(number) = number_of(expr, value, context)? else { return Ok(()) };
        self.count += 1;
        self.total = match (self.total, number) {
            (Total::None, Numeric::Int(number)) => Total::Int(i128::from(number)),
            (Total::None, Numeric::UInt(number)) => Total::Int(i128::from(number)),
            (Total::None, Numeric::Decimal(number)) => Total::Decimal(number),
            // 2^64 rows of 2^64 fit into 128 bits.
            (Total::Int(total), Numeric::Int(number)) => Total::Int(total + i128::from(number)),
            (Total::Int(total), Numeric::UInt(number)) => Total::Int(total + i128::from(number)),
            (Total::None, Numeric::Double(number)) => Total::Double(number),
            (total @ Total::Double(_), number) => Total::Double(total.to_f64() + number.to_f64()),
            (total, Numeric::Double(number)) => Total::Double(total.to_f64() + number),
            (total, number) => {
                let sum = total.to_decimal().add(&number.to_decimal());
                Total::Decimal(sum.map_err(|_: Overflow| out_of_range("DECIMAL", "sum"))?)
            }
        };
        Ok(())
    }

    /// Takes out what was added. False for doubles, whose sums are not exact.
    pub(super) fn remove(
        &mut self,
        expr: &Expr,
        value: ValueRef<'_>,
        context: &mut Context<'_>,
    ) -> Result<bool, SqlError> {
        let Some(number) = number_of(expr, value, context)? else { return Ok(true) };
        self.total = match (self.total, number) {
            (Total::Int(total), Numeric::Int(number)) => Total::Int(total - i128::from(number)),
            (Total::Int(total), Numeric::UInt(number)) => Total::Int(total - i128::from(number)),
            (Total::None | Total::Double(_), _) | (_, Numeric::Double(_)) => return Ok(false),
            (total, number) => match total.to_decimal().subtract(&number.to_decimal()) {
                Ok(total) => Total::Decimal(total),
                Err(Overflow) => return Ok(false),
            },
        };
        self.count -= 1;
        if self.count == 0 {
            self.total = Total::None;
        }
        Ok(true)
    }

    pub(super) fn total(&self) -> Value {
        match self.total {
            Total::None => Value::Null,
            Total::Double(total) => Value::Double(total),
            total => Value::Decimal(total.to_decimal()),
        }
    }

    /// With all digits that there is room for; who reads the aggregate's expression gets fewer ([`Digits`]).
    ///
    /// [`Digits`]: crate::expr::Digits
    pub(super) fn average(&self) -> Value {
        match self.total {
            Total::None => Value::Null,
            Total::Double(total) => Value::Double(total / self.count as f64),
            total => {
                let total = total.to_decimal();
                match total.divide(&Decimal::from(self.count), SCALE_MAX - total.scale().min(SCALE_MAX)) {
                    Some(Ok(average)) => Value::Decimal(average),
                    _ => Value::Null,
                }
            }
        }
    }
}

impl Total {
    fn to_f64(self) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Int(total) => total as f64,
            Self::Decimal(total) => total.to_f64(),
            Self::Double(total) => total,
        }
    }

    fn to_decimal(self) -> Decimal {
        match self {
            Self::None => Decimal::ZERO,
            Self::Int(total) => match i64::try_from(total) {
                Ok(total) => Decimal::from(total),
                Err(_) => Decimal::parse_prefix(total.to_string().as_bytes()).value,
            },
            Self::Decimal(total) => total,
            Self::Double(total) => Decimal::from_f64(total).unwrap_or(Decimal::ZERO),
        }
    }
}
