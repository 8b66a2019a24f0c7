//! Months written YYMM or YYYYMM: PERIOD_ADD, PERIOD_DIFF.

use types::context::Context;
use types::error::SqlError;
use types::error::table::ER_WRONG_ARGUMENTS;
use types::value::Value;

use crate::expr::{Ev, Expr, Inputs};
use crate::func::args::{self, or_null};
use crate::func::{EvalResult, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("period_add", (2, 2), period_add, |call| Ok(call.int(21))),
    Function::new("period_diff", (2, 2), period_diff, |call| Ok(call.int(21))),
];

/// The months since the year 0. Error 1210 for what is no period.
fn months(period: i64, name: &str) -> Result<i64, SqlError> {
    let (year, month) = (period / 100, period % 100);
    if period <= 0 || !(1..=12).contains(&month) {
        return Err(ER_WRONG_ARGUMENTS.error(&[&name]));
    }
    let year = match year {
        0..70 => year + 2000,
        70..100 => year + 1900,
        _ => year,
    };
    Ok(year * 12 + month - 1)
}

fn period_add<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let period = args::int(&args[0], inputs, context)?;
    let count = args::int(&args[1], inputs, context)?;
    let (period, count) = (or_null!(period).to_i64(), or_null!(count).to_i64());
    let sum = months(period, "period_add")?.saturating_add(count);
    Ok(Ev::Own(Value::Int(sum.div_euclid(12).saturating_mul(100).saturating_add(sum.rem_euclid(12) + 1))))
}

fn period_diff<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let first = args::int(&args[0], inputs, context)?;
    let second = args::int(&args[1], inputs, context)?;
    let (first, second) = (or_null!(first).to_i64(), or_null!(second).to_i64());
    Ok(Ev::Own(Value::Int(months(first, "period_diff")? - months(second, "period_diff")?)))
}
