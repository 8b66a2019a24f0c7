//! Functions of choice: IF, IFNULL, COALESCE, NULLIF, GREATEST, LEAST, INTERVAL, ISNULL.
//!
//! What is chosen comes in the common type of all that could have been.

use std::cmp::Ordering;

use types::context::Context;
use types::error::SqlError;
use types::temporal::DateTime;
use types::value::{Numeric, Value, ValueRef};

use super::args::{self, Text, convert_text};
use super::temporal::Wanted;
use super::{EvalResult, Function, MANY, Typed};
use crate::expr::typing::{Kind, common_type};
use crate::expr::{
    Digits, Ev, Expr, Inputs, ResultType, Side, chosen, in_type_and_scale, number_of, order, value_for,
};

type Result<T> = std::result::Result<T, SqlError>;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("if", (3, 3), eval_if, type_if),
    Function::new("ifnull", (2, 2), coalesce, type_coalesce),
    Function::new("coalesce", (1, MANY), coalesce, type_coalesce),
    Function::new("nullif", (2, 2), nullif, type_nullif),
    Function::new("isnull", (1, 1), isnull, |_| Ok(ResultType::truth(false))).condition(),
    Function::new("greatest", (2, MANY), greatest, type_extreme),
    Function::new("least", (2, MANY), least, type_extreme),
    Function::new("interval", (2, MANY), interval, |call| Ok(call.int(2).nullable_if(false))),
];

fn eval_if<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let taken = if args[0].truth(inputs, context)? == Some(true) { 1 } else { 2 };
    chosen(&args[taken], inputs, context, |inputs| common(&args[1..], "if", inputs))
}

fn type_if(call: &Typed<'_>) -> Result<ResultType> {
    call.common(&call.args[1..])
}

/// The common type of some arguments.
fn common(args: &[Expr], name: &str, inputs: &Inputs<'_>) -> Result<ResultType> {
    common_type(types_of(args, inputs)?.iter().copied(), name, &inputs.types())
}

fn types_of(args: &[Expr], inputs: &Inputs<'_>) -> Result<smallvec::SmallVec<[ResultType; 4]>> {
    let types = inputs.types();
    args.iter().map(|arg| arg.result_type(&types)).collect()
}

fn coalesce<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    for arg in args {
        let value = arg.eval(inputs, context)?;
        if !value.as_ref().is_null() {
            let common = common(args, "coalesce", inputs)?;
            let value = value_for(arg, value, &common, inputs, context)?;
            return Ok(in_type_and_scale(value, &common, context));
        }
    }
    Ok(Ev::NULL)
}

fn type_coalesce(call: &Typed<'_>) -> Result<ResultType> {
    let common = call.common(call.args)?;
    Ok(common.nullable_if(call.args.iter().all(|arg| arg.nullable)))
}

fn nullif<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let first = args[0].eval_digits(Digits::Exact, inputs, context)?;
    let second = args[1].eval_digits(Digits::Exact, inputs, context)?;
    let sides = (Side::new(&args[0], first.as_ref()), Side::new(&args[1], second.as_ref()));
    if order(sides.0, sides.1, "nullif", inputs, context)? == Some(Ordering::Equal) {
        return Ok(Ev::NULL);
    }
    // Only an average has other digits here than it shows; doing all again would double the work at each level.
    if matches!(args[0], Expr::Aggregate(_)) { args[0].eval(inputs, context) } else { Ok(first) }
}

fn type_nullif(call: &Typed<'_>) -> Result<ResultType> {
    let first = call.arg(0);
    let is_column = first.kind.is_string() && first.column.is_some();
    let decimals = if is_column { crate::expr::typing::NOT_FIXED } else { first.decimals };
    Ok(ResultType { decimals, ..first.computed().or_null() })
}

fn isnull<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    Ok(Some(args[0].eval(inputs, context)?.as_ref().is_null()).into())
}

/// How GREATEST and LEAST compare.
enum Mode {
    /// As values of one type.
    Values,
    /// As texts of this type.
    Texts(ResultType),
    /// As dates and times, whatever the result's type is.
    Moments(ResultType),
}

fn mode(args: &[Expr], name: &str, inputs: &Inputs<'_>) -> Result<(Mode, ResultType)> {
    let found = types_of(args, inputs)?;
    let common = common_type(found.iter().copied(), name, &inputs.types())?;
    let mode = if !common.kind.is_string() {
        Mode::Values
    } else if found.iter().any(|ty| ty.kind.has_date()) {
        Mode::Moments(common)
    } else {
        Mode::Texts(common)
    };
    Ok((mode, common))
}

fn greatest<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    extreme(args, "greatest", Ordering::Greater, inputs, context)
}

fn least<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    extreme(args, "least", Ordering::Less, inputs, context)
}

/// The argument that stands in the wanted relation to all others; NULL if any is NULL.
fn extreme<'a>(
    args: &'a [Expr],
    name: &str,
    wanted: Ordering,
    inputs: &Inputs<'a>,
    context: &mut Context<'_>,
) -> EvalResult<'a> {
    let (mode, common) = mode(args, name, inputs)?;
    let mut best: Option<Value> = None;
    for arg in args {
        let value = arg.eval(inputs, context)?;
        if value.as_ref().is_null() {
            return Ok(Ev::NULL);
        }
        let value = value_for(arg, value, &common, inputs, context)?;
        let value = candidate(value, arg, &mode, &common, inputs, context)?;
        let better = match &best {
            None => true,
            Some(best) => relation(value.as_ref(), best.as_ref(), &mode, context)? == Some(wanted),
        };
        if better {
            best = Some(value);
        }
    }
    Ok(best.map_or(Ev::NULL, Ev::Own))
}

/// An argument in the form in which it is compared and returned.
fn candidate(
    value: Ev<'_>,
    expr: &Expr,
    mode: &Mode,
    common: &ResultType,
    inputs: &Inputs<'_>,
    context: &mut Context<'_>,
) -> Result<Value> {
    match mode {
        Mode::Values => match (common.kind, value.as_ref()) {
            (Kind::Int(_) | Kind::Decimal | Kind::Double | Kind::Float, ValueRef::Bytes(_)) => {
                let number = number_of(expr, value.as_ref(), context)?.unwrap_or(Numeric::Int(0));
                Ok(in_type_and_scale(Ev::Own(number.into()), common, context).into_value())
            }
            _ => Ok(in_type_and_scale(value, common, context).into_value()),
        },
        Mode::Texts(ty) | Mode::Moments(ty) => {
            let Some(mut text) = Text::of(value, inputs.collation) else {
                return Ok(Value::Null);
            };
            convert_text(&mut text, ty.text.collation)?;
            Ok(text.into_ev().into_value())
        }
    }
}

fn relation(
    a: ValueRef<'_>,
    b: ValueRef<'_>,
    mode: &Mode,
    context: &mut Context<'_>,
) -> Result<Option<Ordering>> {
    match mode {
        Mode::Values => types::value::compare(a, b, context),
        Mode::Texts(ty) => {
            let (a, b) = (a.string_bytes().unwrap_or_default(), b.string_bytes().unwrap_or_default());
            Ok(Some(ty.text.collation.compare(&a, &b)))
        }
        Mode::Moments(_) => {
            let (a, b) = (read_moment(a, context)?, read_moment(b, context)?);
            Ok(Some(a.unwrap_or(DateTime::ZERO).cmp(&b.unwrap_or(DateTime::ZERO))))
        }
    }
}

fn read_moment(value: ValueRef<'_>, context: &mut Context<'_>) -> Result<Option<DateTime>> {
    let cast = types::cast::cast(value, types::cast::CastTarget::DateTime { fsp: 6 }, &"", context)?;
    Ok(if let Value::DateTime(moment) = cast { Some(moment) } else { None })
}

/// Among texts, dates and times count with the digits that any argument has behind the point; MySQL 8.0 announces those.
fn type_extreme(call: &Typed<'_>) -> Result<ResultType> {
    let common = call.common(call.args)?;
    if !common.kind.is_string() || !call.args.iter().any(|arg| arg.kind.is_temporal()) {
        return Ok(common);
    }
    let fsp = || (0..call.args.len()).map(|at| call.fsp(at, Wanted::Any)).max().unwrap_or(0);
    let temporal =
        call.args.iter().map(|arg| arg.kind).find(|kind| kind.is_temporal() && *kind != Kind::Date);
    let shown = match temporal {
        None => ResultType::date(),
        Some(Kind::Time) => ResultType::time(fsp()),
        Some(_) => ResultType::datetime(fsp()),
    };
    Ok(ResultType { length: common.length.max(shown.length), decimals: shown.decimals, ..common })
}

/// How many of the arguments behind the first are not above it; they must be ascending. -1 for NULL.
fn interval<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let digits = Digits::Exact;
    let Some(number) = args::digits(&args[0], digits, inputs, context)? else {
        return Ok(Ev::Own(Value::Int(-1)));
    };
    let mut count = 0;
    for bound in &args[1..] {
        let above = match args::digits(bound, digits, inputs, context)? {
            None => false,
            Some(bound) => {
                let (bound, number): (Value, Value) = (bound.into(), number.into());
                types::value::compare(bound.as_ref(), number.as_ref(), context)? == Some(Ordering::Greater)
            }
        };
        if above {
            break;
        }
        count += 1;
    }
    Ok(Ev::Own(Value::Int(count)))
}
