//! Comparing two expressions' values.
//!
//! Between values of one type the values decide, and `types` knows the rules between most types. What an expression
//! is made of decides in three cases, all off the hot path:
//!
//! - texts of two collations: the static types say which collation wins, or that none does (error 1267);
//! - a constant against a date or time: the constant is read as one first, once in MySQL, so that a text that is none
//!   is error 1525 and a number is a date (`d < 20200301`);
//! - a hexadecimal literal against a number is a number.

use std::borrow::Cow;
use std::cmp::Ordering;

use types::cast::{CastTarget, cast};
use types::charset::{Charset, convert};
use types::collation::Collation;
use types::column::{Column, ColumnType};
use types::context::Context;
use types::decimal::Decimal;
use types::error::SqlError;
use types::error::table::{ER_TRUNCATED_WRONG_VALUE, ER_WRONG_VALUE};
use types::json::{self, Json};
use types::row::read_column;
use types::sql_mode::SqlMode;
use types::temporal::{DateTime, FSP_MAX, datetime_from_number, parse_time, time_from_number};
use types::value::{Numeric, Value, ValueRef, compare, quote_text, temporal_constant};
use types::warning::Warnings;

use super::typing::{Kind, aggregate_collations};
use super::{CompareOp, Expr, Inputs, ResultType, Types};
use crate::func::converted;

type Result<T> = std::result::Result<T, SqlError>;

/// One side of a comparison; no expression if the value comes from elsewhere.
#[derive(Clone, Copy)]
pub(crate) struct Side<'e, 'v> {
    /// What was evaluated.
    pub(crate) expr: Option<&'e Expr>,
    /// What that gave.
    pub(crate) value: ValueRef<'v>,
    /// Of a subquery's row: its place, and the column.
    subquery: Option<(usize, usize)>,
    /// A text that is no date is the date 0 beside one, not an error.
    or_zero_date: bool,
}

impl<'e, 'v> Side<'e, 'v> {
    /// An expression and its value.
    #[inline]
    pub(crate) fn new(expr: &'e Expr, value: ValueRef<'v>) -> Self {
        match expr {
            Expr::OrZeroDate(expr) => Self { expr: Some(expr), value, subquery: None, or_zero_date: true },
            expr => Self { expr: Some(expr), value, subquery: None, or_zero_date: false },
        }
    }

    /// A value that comes from elsewhere.
    #[inline]
    pub(crate) fn of_value(value: ValueRef<'v>) -> Self {
        Self { expr: None, value, subquery: None, or_zero_date: false }
    }

    /// A column of a row of a subquery of this place.
    pub(crate) fn of_subquery(place: usize, column: usize, value: ValueRef<'v>) -> Self {
        Self { subquery: Some((place, column)), ..Self::of_value(value) }
    }

    /// What the statement says of its type, if it does.
    fn static_type(&self, types: &Types<'_>) -> Result<Option<ResultType>> {
        match (self.expr, self.subquery) {
            (Some(expr), _) => expr.result_type(types).map(Some),
            (None, Some((place, column))) => Ok(Some(types.schema.subquery(place, column, types))),
            (None, None) => Ok(None),
        }
    }

    /// The same for WHEN of CASE, where a text that is no date is only unequal to one.
    pub(crate) fn lenient(self, other: &Self) -> Self {
        if is_text(self.value) && is_temporal(other.value) { Self { expr: None, ..self } } else { self }
    }

    fn is_constant(&self) -> bool {
        self.expr.is_some_and(Expr::is_constant)
    }

    fn is_column(&self) -> bool {
        matches!(self.expr, Some(Expr::Column { .. }))
    }

    fn is_hex_literal(&self) -> bool {
        matches!(self.expr, Some(Expr::Const(Value::Bytes(_))))
    }
}

/// Whether two values stand in a relation; `None` if that is unknown.
#[inline]
pub(crate) fn holds(
    op: CompareOp,
    left: Side<'_, '_>,
    right: Side<'_, '_>,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Option<bool>> {
    if op == CompareOp::NullSafeEq && (left.value.is_null() || right.value.is_null()) {
        return Ok(Some(left.value.is_null() && right.value.is_null()));
    }
    let ordering = order(left, right, op.symbol(), inputs, context)?;
    Ok(ordering.map(|ordering| match op {
        CompareOp::Eq | CompareOp::NullSafeEq => ordering.is_eq(),
        CompareOp::Ne => ordering.is_ne(),
        CompareOp::Lt => ordering.is_lt(),
        CompareOp::Le => ordering.is_le(),
        CompareOp::Gt => ordering.is_gt(),
        CompareOp::Ge => ordering.is_ge(),
    }))
}

/// The order of two values; `None` if either is NULL. `operation` is named where collations do not go together.
#[inline]
pub(crate) fn order(
    left: Side<'_, '_>,
    right: Side<'_, '_>,
    operation: &str,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Option<Ordering>> {
    match (left.value, right.value) {
        (ValueRef::Null, _) | (_, ValueRef::Null) => Ok(None),
        (ValueRef::Int(left), ValueRef::Int(right)) => Ok(Some(left.cmp(&right))),
        (ValueRef::Str(left, a), ValueRef::Str(right, b)) if a == b => Ok(Some(a.compare(left, right))),
        _ => order_mixed(left, right, operation, inputs, context),
    }
}

fn order_mixed(
    left: Side<'_, '_>,
    right: Side<'_, '_>,
    operation: &str,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Option<Ordering>> {
    match (left.value, right.value) {
        (ValueRef::Str(..), ValueRef::Str(..) | ValueRef::Bytes(_))
        | (ValueRef::Bytes(_), ValueRef::Str(..)) => {
            return texts(left, right, operation, inputs, context);
        }
        // Labels are texts beside everything but numbers.
        (ValueRef::Chosen(chosen), other) if !other.is_number() => {
            let text = chosen.text();
            let left = Side { value: ValueRef::Str(&text, chosen.collation()), ..left };
            return order(left, right, operation, inputs, context);
        }
        (other, ValueRef::Chosen(chosen)) if !other.is_number() => {
            let text = chosen.text();
            let right = Side { value: ValueRef::Str(&text, chosen.collation()), ..right };
            return order(left, right, operation, inputs, context);
        }
        // A condition beside JSON is `true` or `false`.
        (ValueRef::Json(_), ValueRef::Int(truth)) if is_condition(right) => {
            return Ok(Some(json::compare(&left.value.to_json()?, &Json::Bool(truth != 0))));
        }
        (ValueRef::Int(truth), ValueRef::Json(_)) if is_condition(left) => {
            return Ok(Some(json::compare(&Json::Bool(truth != 0), &right.value.to_json()?)));
        }
        _ => {}
    }
    if let Some(constant) = as_other_side(right, left, inputs, context)? {
        return compare(left.value, constant.as_ref(), context);
    }
    if let Some(constant) = as_other_side(left, right, inputs, context)? {
        return compare(constant.as_ref(), right.value, context);
    }
    match (left.value, right.value) {
        (text, ValueRef::DateTime(moment)) if is_text(text) => {
            Ok(Some(text_to_moment(text, moment, right.is_constant(), context)?))
        }
        (ValueRef::DateTime(moment), text) if is_text(text) => {
            Ok(Some(text_to_moment(text, moment, left.is_constant(), context)?.reverse()))
        }
        _ => compare(left.value, right.value, context),
    }
}

fn is_condition(side: Side<'_, '_>) -> bool {
    side.expr.is_some_and(Expr::is_condition)
}

/// A text that is no moment is smaller than every one. Beside a constant it is truncated, as MySQL words it.
fn text_to_moment(
    text: ValueRef<'_>,
    moment: DateTime,
    is_constant: bool,
    context: &mut Context<'_>,
) -> Result<Ordering> {
    let mut warnings = Warnings::default();
    let mut apart = Context { warnings: &mut warnings, ..*context };
    let read = cast(text, CastTarget::DateTime { fsp: FSP_MAX }, &"", &mut apart)?;
    let Value::DateTime(read) = read else {
        if is_constant {
            context.report(&ER_TRUNCATED_WRONG_VALUE, &[&"datetime", &text.to_message()])?;
        } else {
            context.warnings.absorb(warnings);
        }
        return Ok(Ordering::Less);
    };
    context.warnings.absorb(warnings);
    Ok(read.cmp(&moment))
}

/// A constant in the type of what it is compared with, where that differs from its own.
fn as_other_side(
    constant: Side<'_, '_>,
    other: Side<'_, '_>,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Option<Value>> {
    match (constant.value, other.value) {
        (ValueRef::Bytes(bytes), ValueRef::Date(_) | ValueRef::DateTime(_)) if constant.is_constant() => {
            temporal(&bytes.to_cow(), Collation::Binary, constant.or_zero_date, other, inputs, context)
        }
        (ValueRef::Str(bytes, collation), ValueRef::Date(_) | ValueRef::DateTime(_))
            if constant.is_constant() =>
        {
            temporal(bytes, collation, constant.or_zero_date, other, inputs, context)
        }
        (ValueRef::Bytes(bytes), value) if constant.is_hex_literal() && value.is_number() => {
            Ok(Some(Value::UInt(hex_number(&bytes.to_cow()))))
        }
        (_, ValueRef::Year(_)) if constant.is_constant() && !other.is_constant() => {
            Ok(year(constant.value, inputs))
        }
        (ValueRef::Int(number), value) if is_temporal(value) && constant.is_constant() => {
            Ok(temporal_number(number, value, context))
        }
        (
            ValueRef::Str(..) | ValueRef::Bytes(_) | ValueRef::Double(_),
            ValueRef::Int(_) | ValueRef::UInt(_),
        ) if constant.is_constant() && other.is_column() => Ok(exact_integer(constant.value)),
        (ValueRef::Str(text, _), ValueRef::Time(_)) if constant.is_constant() && other.is_column() => {
            let parsed = parse_time(text, context.cuts_fractions()).filter(|parsed| !parsed.truncated);
            Ok(parsed.map(|parsed| Value::Time(parsed.value)))
        }
        (ValueRef::Str(..), ValueRef::Decimal(_)) if constant.is_constant() && !other.is_constant() => {
            exact_text(constant.value, context).map(|number| Some(Value::Decimal(number)))
        }
        _ => Ok(None),
    }
}

/// A constant text as the moment that it is compared with. Error 1525 names the column's type.
fn temporal(
    text: &[u8],
    collation: Collation,
    or_zero: bool,
    other: Side<'_, '_>,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Option<Value>> {
    let error = match temporal_constant(other.value, text, collation, context) {
        Ok(constant) => return Ok(Some(constant)),
        Err(_) if or_zero => {
            let kind = if matches!(other.value, ValueRef::Date(_)) { "date" } else { "datetime" };
            let text = ValueRef::Str(text, collation).to_message();
            context.report(&ER_TRUNCATED_WRONG_VALUE, &[&kind, &text])?;
            return Ok(Some(Value::DateTime(DateTime::ZERO)));
        }
        Err(error) => error,
    };
    let kind = other.expr.map(|expr| expr.result_type(&inputs.types())).transpose()?.map(|ty| ty.kind);
    if kind == Some(Kind::Timestamp) {
        return Err(ER_WRONG_VALUE.error(&[&"TIMESTAMP", &quote_text(text, collation)]));
    }
    Err(error)
}

/// A constant as the YEAR that a column would hold, if it can: 1 and '01' are 2001.
fn year(constant: ValueRef<'_>, inputs: &Inputs<'_>) -> Option<Value> {
    let (table, name) = (String::new(), String::new());
    let column = Column { table, name, ty: ColumnType::Year, nullable: true };
    let mut quiet = Warnings::with_limit(0);
    let session = inputs.session;
    let today = session.now(0).date();
    let mut strict = Context::writing(SqlMode::STRICT_ALL_TABLES, session.time_zone(), today, &mut quiet);
    let mut stored = Vec::new();
    match types::store::assign(&column, constant, &mut strict, &mut stored) {
        Ok(true) => Some(read_column(ColumnType::Year, &stored, session.time_zone()).to_value()),
        _ => None,
    }
}

pub(super) fn is_temporal(value: ValueRef<'_>) -> bool {
    matches!(value, ValueRef::Date(_) | ValueRef::Time(_) | ValueRef::DateTime(_))
}

pub(super) fn is_text(value: ValueRef<'_>) -> bool {
    matches!(value, ValueRef::Str(..) | ValueRef::Bytes(_))
}

/// A hexadecimal literal as a number: its last eight bytes.
pub(crate) fn hex_number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// A number as a date or time, if it is one.
fn temporal_number(number: i64, like: ValueRef<'_>, context: &Context<'_>) -> Option<Value> {
    if matches!(like, ValueRef::Time(_)) {
        return time_from_number(number < 0, number.unsigned_abs(), 0)
            .map(|time| Value::Time(time.truncate_to(0)));
    }
    let number = u64::try_from(number).ok().filter(|number| *number > 0)?;
    datetime_from_number(number, 0, context.date_policy()).map(Value::DateTime)
}

/// A constant beside a column of integers, as an integer if it says one: what is beyond 2^53 is not rounded to doubles then. As in
/// MySQL it is the nearest integer, if that is the same double.
fn exact_integer(constant: ValueRef<'_>) -> Option<Value> {
    let (number, double) = match constant {
        ValueRef::Double(double) => (Decimal::from_f64(double)?, double),
        text => {
            let bytes = text.string_bytes()?;
            let parsed = Decimal::parse_prefix(&bytes);
            let is_number =
                parsed.size > 0 && !parsed.overflow && types::number::is_whole(&bytes, parsed.size);
            (is_number.then_some(parsed.value)?, parsed.value.to_f64())
        }
    };
    let nearest = number.round(0).ok()?;
    let integer = nearest.to_i64().map(Value::Int).or_else(|| nearest.to_u64().map(Value::UInt))?;
    #[expect(clippy::float_cmp, reason = "whether they are the same")]
    let is_same = nearest.to_f64() == double;
    is_same.then_some(integer)
}

/// Whether several numbers of a column's type equal a value, as all are doubles beside it.
pub(crate) fn equals_several(
    ty: &ColumnType,
    expr: &Expr,
    value: ValueRef<'_>,
    context: &mut Context<'_>,
) -> Result<bool> {
    /// From here on not every integer is a double.
    const INTEGERS_END: f64 = 9_007_199_254_740_992.0;
    if !is_text(value) && !matches!(value, ValueRef::Double(_) | ValueRef::Float(_)) {
        return Ok(false);
    }
    Ok(match ty {
        ColumnType::Decimal { scale, .. } => {
            let number = value.to_number(context)?;
            let steps = |number: Numeric| number.to_f64().abs() * 10_f64.powi(i32::from(*scale));
            let is_exact = is_text(value) && expr.is_constant();
            // Neighbours that are less than a step of the double apart are one.
            !is_exact && number.is_some_and(|number| steps(number) >= INTEGERS_END)
        }
        ColumnType::Int(_) | ColumnType::Bit { .. } => {
            let is_exact = expr.is_constant() && exact_integer(value).is_some();
            let number = value.to_number(context)?;
            !is_exact && number.is_some_and(|number| number.to_f64().abs() >= INTEGERS_END)
        }
        _ => false,
    })
}

/// A text as a DECIMAL: a constant that is compared with a column of that type, an operand of DIV.
pub(crate) fn exact_text(text: ValueRef<'_>, context: &mut Context<'_>) -> Result<Decimal> {
    let bytes = text.string_bytes().unwrap_or_default();
    let parsed = Decimal::parse_prefix(&bytes);
    if parsed.size == 0 || parsed.overflow || !types::number::is_whole(&bytes, parsed.size) {
        context.report(&ER_TRUNCATED_WRONG_VALUE, &[&"DECIMAL", &text.to_message()])?;
    }
    Ok(parsed.value)
}

/// Texts of two collations, or one of bytes, by the collation that the static types choose.
fn texts(
    left: Side<'_, '_>,
    right: Side<'_, '_>,
    operation: &str,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Option<Ordering>> {
    let types = inputs.types();
    let (Some(left_type), Some(right_type)) = (left.static_type(&types)?, right.static_type(&types)?) else {
        return compare(left.value, right.value, context);
    };
    let both = [left_type, right_type].map(|ty| ty.text_type(types.connection()));
    let collation = aggregate_collations(both.into_iter(), operation)?.collation;
    let bytes = [left.value, right.value].map(|value| value.string_bytes().unwrap_or_default());
    let charset = |value| if let ValueRef::Str(_, own) = value { own.charset() } else { Charset::Binary };
    let left = converted(&bytes[0], charset(left.value), collation.charset())?;
    let right = converted(&bytes[1], charset(right.value), collation.charset())?;
    let (left, right) = (left.as_deref().unwrap_or(&bytes[0]), right.as_deref().unwrap_or(&bytes[1]));
    Ok(Some(collation.compare(left, right)))
}

/// Text of one character set in another one.
pub(crate) fn in_charset(bytes: &[u8], from: Charset, to: Charset) -> Cow<'_, [u8]> {
    let same = from == to || from == Charset::Utf8mb3 && to == Charset::Utf8mb4 || to == Charset::Binary;
    if same || bytes.is_ascii() {
        return Cow::Borrowed(bytes);
    }
    let mut converted = Vec::with_capacity(bytes.len() * 2);
    convert(bytes, from, to, &mut converted);
    Cow::Owned(converted)
}

impl CompareOp {
    /// How the operator is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Eq => "=",
            Self::NullSafeEq => "<=>",
            Self::Ne => "<>",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        }
    }
}
