//! Variances and standard deviations, in one pass (Welford 1962; Knuth, The Art of Computer Programming 2, 4.2.2).

use types::context::Context;
use types::error::SqlError;
use types::value::{Numeric, Value, ValueRef};

use crate::expr::{Expr, number_of, out_of_range};
use crate::plan::AggregateKind;

/// The mean and the sum of squared distances from it.
#[derive(Clone, Debug, Default)]
pub(super) struct Deviation {
    count: u64,
    mean: f64,
    squares: f64,
}

impl Deviation {
    pub(super) fn add(
        &mut self,
        expr: &Expr,
        value: ValueRef<'_>,
        context: &mut Context<'_>,
    ) -> Result<(), SqlError> {
        let Some(number) = number_of(expr, value, context)?.map(Numeric::to_f64) else { return Ok(()) };
        self.count += 1;
        let distance = number - self.mean;
        self.mean += distance / self.count as f64;
        self.squares += distance * (number - self.mean);
        Ok(())
    }

    /// Of a sample, there must be two values at least. Error 1690 if the sum of squares was too large.
    pub(super) fn finish(&self, kind: AggregateKind) -> Result<Value, SqlError> {
        let is_sample = matches!(kind, AggregateKind::StdDevSamp | AggregateKind::VarSamp);
        let Some(count) = self.count.checked_sub(u64::from(is_sample)).filter(|count| *count > 0) else {
            return Ok(Value::Null);
        };
        let variance = self.squares / count as f64;
        let is_root = matches!(kind, AggregateKind::StdDevPop | AggregateKind::StdDevSamp);
        if !variance.is_finite() {
            return Err(out_of_range("DOUBLE", if is_root { "std" } else { "variance" }));
        }
        Ok(Value::Double(if is_root { variance.sqrt() } else { variance }))
    }
}
