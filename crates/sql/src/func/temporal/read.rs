//! Arguments as dates and times. What is none is NULL with a warning.

use types::cast::{CastTarget, cast};
use types::context::Context;
use types::error::SqlError;
use types::error::table::ER_DATETIME_FUNCTION_OVERFLOW;
use types::sql_mode::SqlMode;
use types::temporal::{Date, DatePolicy, DateTime, FSP_MAX, ParsedTime, Time, parse_datetime};
use types::value::{Value, ValueRef};

use crate::expr::{Expr, Inputs};

type Result<T> = std::result::Result<T, SqlError>;

/// A DATE; incomplete ones only as far as `sql_mode` takes them.
pub(super) fn date(expr: &Expr, inputs: &Inputs<'_>, context: &mut Context<'_>) -> Result<Option<Date>> {
    let value = expr.eval(inputs, context)?;
    date_of(value.as_ref(), context)
}

fn date_of(value: ValueRef<'_>, context: &mut Context<'_>) -> Result<Option<Date>> {
    Ok(match cast(value, CastTarget::Date, &"", context)? {
        Value::Date(date) => Some(date),
        _ => None,
    })
}

/// A DATE that may lack its day or month.
pub(super) fn incomplete_date(
    expr: &Expr,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Option<Date>> {
    let value = expr.eval(inputs, context)?;
    date_of(value.as_ref(), &mut lax(context))
}

/// A context in which month and day may be 0.
pub(super) fn lax<'c>(context: &'c mut Context<'_>) -> Context<'c> {
    let sql_mode = context.sql_mode.without(SqlMode::NO_ZERO_IN_DATE);
    Context { sql_mode, warnings: context.warnings, ..*context }
}

/// A DATETIME.
pub(super) fn datetime(
    expr: &Expr,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Option<DateTime>> {
    let value = expr.eval(inputs, context)?;
    datetime_of(value.as_ref(), context)
}

/// The same of a value.
pub(super) fn datetime_of(value: ValueRef<'_>, context: &mut Context<'_>) -> Result<Option<DateTime>> {
    if let ValueRef::DateTime(moment) = value {
        return Ok(Some(moment));
    }
    Ok(match cast(value, CastTarget::DateTime { fsp: FSP_MAX }, &"", context)? {
        Value::DateTime(moment) => Some(moment),
        _ => None,
    })
}

/// A TIME; of a DATETIME its time of day.
pub(super) fn time(expr: &Expr, inputs: &Inputs<'_>, context: &mut Context<'_>) -> Result<Option<Time>> {
    let value = expr.eval(inputs, context)?;
    time_of(value.as_ref(), context)
}

/// The same of a value.
pub(super) fn time_of(value: ValueRef<'_>, context: &mut Context<'_>) -> Result<Option<Time>> {
    Ok(match cast(value, CastTarget::Time { fsp: FSP_MAX }, &"", context)? {
        Value::Time(time) => Some(time),
        _ => None,
    })
}

/// Digits of a fraction that a result made of the value has: a constant text shows as many as it has, another one six.
pub(super) fn fsp(expr: &Expr, value: ValueRef<'_>, of: Wanted) -> u8 {
    match value {
        ValueRef::Time(time) => time.fsp(),
        ValueRef::DateTime(moment) => moment.fsp(),
        ValueRef::Decimal(number) => number.scale().min(FSP_MAX),
        ValueRef::Str(text, _) if is_literal(expr) => text_fsp(text, of),
        ValueRef::Double(_) | ValueRef::Float(_) | ValueRef::Str(..) | ValueRef::Bytes(_) => FSP_MAX,
        _ => 0,
    }
}

fn is_literal(expr: &Expr) -> bool {
    matches!(expr, Expr::Const(_) | Expr::Param(_) | Expr::Literal(_) | Expr::RowLiteral(_))
}

/// Reads a text as a TIME, to see what it is.
pub(super) fn parse_time(text: &[u8]) -> Option<ParsedTime> {
    types::temporal::parse_time(text, false)
}

/// The digits behind the point in a text that may be a date or time.
pub(in crate::func) fn text_fsp(text: &[u8], of: Wanted) -> u8 {
    let moment = || parse_datetime(text, DatePolicy::LAX).ok().map(|parsed| parsed.value.fsp());
    let time = || parse_time(text).map(|parsed| parsed.value.fsp());
    let found = match of {
        Wanted::Moment => moment(),
        Wanted::Time => time(),
        // What is a time alone may look like a date without a fraction.
        Wanted::Any => moment().max(time()),
    };
    found.unwrap_or(FSP_MAX)
}

/// What a text is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::func) enum Wanted {
    /// A DATETIME.
    Moment,
    /// A TIME.
    Time,
    /// A DATETIME if it is one, else a TIME.
    Any,
}

/// NULL, because the result is outside of its type's range.
pub(super) fn overflow<'a>(context: &mut Context<'_>, kind: &str) -> crate::func::EvalResult<'a> {
    context.report(&ER_DATETIME_FUNCTION_OVERFLOW, &[&kind])?;
    Ok(crate::expr::Ev::NULL)
}
