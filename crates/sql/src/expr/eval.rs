//! Evaluation: the value of an expression for given inputs. Conditions are in `condition`.

use types::cast::CastTarget;
use types::charset::Charset;
use types::collation::Collation;
use types::context::Context;
use types::error::SqlError;
use types::error::table::ER_COLLATION_CHARSET_MISMATCH;
use types::value::{JSON_COLLATION, Value, ValueRef};

use super::compare::in_charset;
use super::inputs::Written;
use super::{ArithOp, Ev, Expr, Inputs, arith, bits, control};
use crate::func::json::cast as cast_to_json;

type Result<T> = std::result::Result<T, SqlError>;

/// How many digits of an average are read. One of exact numbers has more than it shows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Digits {
    /// Those that it shows.
    Shown,
    /// Those that exact arithmetic and comparisons see: MySQL computes nine at a time.
    Exact,
    /// All: what becomes a double of it is the double that is nearest to the average.
    All,
}

impl Expr {
    /// The value for the given inputs, of an average so many digits.
    #[inline]
    pub(crate) fn eval_digits<'a>(
        &'a self,
        digits: Digits,
        inputs: &Inputs<'a>,
        context: &mut Context<'_>,
    ) -> Result<Ev<'a>> {
        match self {
            Self::Aggregate(number) => aggregate(*number, digits, inputs),
            expr => expr.eval(inputs, context),
        }
    }

    /// The value for the given inputs.
    pub fn eval<'a>(&'a self, inputs: &Inputs<'a>, context: &mut Context<'_>) -> Result<Ev<'a>> {
        Ok(match self {
            Self::Const(value) => Ev::Ref(value.as_ref()),
            Self::Param(number) => Ev::Ref(inputs.params[*number]),
            Self::Literal(number) => Ev::Ref(inputs.literals[*number].as_ref()),
            Self::RowLiteral(number) => Ev::Ref(inputs.row_literals[*number].as_ref()),
            Self::Column { source, column } => {
                Ev::Ref(inputs.rows[*source].value(*column, inputs.session.time_zone()))
            }
            Self::Candidate(column) => Ev::Ref(inputs.candidate.value(*column, inputs.session.time_zone())),
            Self::Aggregate(number) => aggregate(*number, Digits::Shown, inputs)?,
            Self::Window(number) => Ev::Ref(inputs.windows[*number].as_ref()),
            Self::Outer(place, _) => Ev::Ref(inputs.outer[*place].as_ref()),
            Self::Subquery(subquery, column) => Ev::Ref(subquery.value(*column, inputs)?),
            Self::SystemVariable(scope, name) => {
                Ev::Own(inputs.session.server.variable(inputs.session, *scope, name)?)
            }
            Self::UserVariable(name, _) => {
                Ev::Own(inputs.session.user_variables.lock().get(name).cloned().unwrap_or_default())
            }
            Self::AssignVariable(name, value) => {
                let value = plain(value.eval(inputs, context)?.into_value());
                inputs.session.user_variables.lock().insert(name.clone(), value.clone());
                Ev::Own(value)
            }
            Self::Arith(op, left, right, text) => arithmetic(*op, left, right, text, inputs, context)?,
            Self::Neg(value) => {
                let number = control::operand(value, inputs, context)?;
                Ev::Own(arith::negate(value, number.as_ref(), context)?)
            }
            Self::BitNot(value) => {
                let operand = value.eval(inputs, context)?;
                Ev::Own(bits::invert(value, operand.as_ref(), context)?)
            }
            Self::OrZeroDate(value) => value.eval(inputs, context)?,
            Self::Collate(text, collation) => collate(text.eval(inputs, context)?, *collation, inputs)?,
            Self::Case { .. } => return control::case(self, inputs, context),
            Self::Cast(value, target, text) => {
                let digits = match target {
                    CastTarget::Double | CastTarget::Float => Digits::All,
                    CastTarget::Decimal { .. } | CastTarget::Json => Digits::Exact,
                    _ => Digits::Shown,
                };
                let operand = value.eval_digits(digits, inputs, context)?;
                match (target, operand.as_ref()) {
                    (CastTarget::Json, operand) => Ev::Own(cast_to_json(value, operand, inputs, context)?),
                    (_, operand) => Ev::Own(cast(value, operand, *target, inputs.written(text), context)?),
                }
            }
            Self::Call(function, args) => return (function.eval)(args, inputs, context),
            Self::Interval(value, _) => return value.eval(inputs, context),
            condition => return Ok(condition.truth(inputs, context)?.into()),
        })
    }
}

/// A value as a variable keeps it: labels and JSON are text there, years and bits are numbers.
fn plain(value: Value) -> Value {
    match value {
        Value::Chosen(chosen) if chosen.collation() == Collation::Binary => {
            Value::Bytes(chosen.text().into_owned())
        }
        Value::Chosen(chosen) => Value::Str(chosen.text().into_owned(), chosen.collation()),
        Value::Json(_) => {
            let mut text = Vec::new();
            value.as_ref().write_text(&mut text);
            Value::Str(text, JSON_COLLATION)
        }
        Value::Bit(bits) => Value::UInt(bits.number()),
        Value::Year(year) => Value::UInt(year.into()),
        other => other,
    }
}

/// The result of an aggregate.
fn aggregate<'a>(number: usize, digits: Digits, inputs: &Inputs<'a>) -> Result<Ev<'a>> {
    let result = inputs.aggregates[number].as_ref();
    let (ValueRef::Decimal(average), true) = (result, arith::is_average(number, inputs)) else {
        return Ok(Ev::Ref(result));
    };
    let shown = i32::from(Expr::Aggregate(number).result_type(&inputs.types())?.decimals);
    Ok(Ev::Own(Value::Decimal(match digits {
        Digits::Shown => average.round(shown).unwrap_or(average),
        Digits::Exact => average.truncate((shown + 8) / 9 * 9),
        Digits::All => average,
    })))
}

fn arithmetic<'a>(
    op: ArithOp,
    left: &Expr,
    right: &Expr,
    text: &str,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Ev<'a>> {
    let value = match op {
        ArithOp::BitAnd | ArithOp::BitOr | ArithOp::BitXor | ArithOp::ShiftLeft | ArithOp::ShiftRight => {
            let (a, b) = (left.eval(inputs, context)?, right.eval(inputs, context)?);
            bits::binary(op, (left, a.as_ref()), (right, b.as_ref()), context)?
        }
        _ => arith::eval(op, (left, right), inputs.written(text), inputs, context)?,
    };
    Ok(Ev::Own(value))
}

/// CAST. A hexadecimal literal is a number where a number is wanted.
fn cast(
    expr: &Expr,
    value: ValueRef<'_>,
    target: CastTarget,
    text: Written<'_>,
    context: &mut Context<'_>,
) -> Result<Value> {
    use CastTarget::{Char, Decimal, Double, Float, Signed, Unsigned};
    match (expr, target) {
        (Expr::Const(Value::Bytes(bytes)), Signed | Unsigned | Decimal { .. } | Float | Double) => {
            let number = ValueRef::UInt(super::compare::hex_number(bytes));
            types::cast::cast(number, target, &text, context)
        }
        (_, Char { chars, collation: Collation::Binary }) => {
            types::cast::cast(value, CastTarget::Binary { size: chars }, &text, context)
        }
        _ => types::cast::cast(value, target, &text, context),
    }
}

/// COLLATE: a number becomes text of the connection's character set. Error 1253 for another set's collation.
fn collate<'a>(value: Ev<'a>, collation: Collation, inputs: &Inputs<'_>) -> Result<Ev<'a>> {
    let mismatch = |own: Charset| ER_COLLATION_CHARSET_MISMATCH.error(&[&collation.name(), &own.name()]);
    Ok(match value {
        Ev::Ref(ValueRef::Str(bytes, own)) if own.charset() == collation.charset() => {
            Ev::Ref(ValueRef::Str(bytes, collation))
        }
        Ev::Own(Value::Str(bytes, own)) if own.charset() == collation.charset() => {
            Ev::Own(Value::Str(bytes, collation))
        }
        Ev::Ref(ValueRef::Str(_, own)) | Ev::Own(Value::Str(_, own)) => return Err(mismatch(own.charset())),
        other => match other.as_ref() {
            ValueRef::Null => Ev::NULL,
            ValueRef::Bytes(_) if collation != Collation::Binary => {
                return Err(mismatch(Charset::Binary));
            }
            ValueRef::Bytes(_) => other,
            number => {
                let own = inputs.collation.charset();
                if own != collation.charset() {
                    return Err(mismatch(own));
                }
                let mut text = Vec::new();
                number.write_text(&mut text);
                Ev::Own(Value::Str(in_charset(&text, own, collation.charset()).into_owned(), collation))
            }
        },
    })
}
