//! Functions of doubles: powers, logarithms, angles.
//!
//! An argument outside of a function's domain gives NULL, for logarithms with warning 3020; a result that is no finite
//! number is error 1690.

use types::context::Context;
use types::value::Value;

use crate::expr::{Ev, Expr, Inputs, ResultType, out_of_range};
use crate::func::args::{self, or_null};
use crate::func::error::ER_INVALID_ARGUMENT_FOR_LOGARITHM;
use crate::func::{EvalResult, Function, Typed};

type TypeResult = Result<ResultType, types::error::SqlError>;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("sqrt", (1, 1), sqrt, partial),
    Function::new("exp", (1, 1), exp, partial),
    Function::new("ln", (1, 1), ln, partial),
    Function::new("log", (1, 2), log, partial),
    Function::new("log2", (1, 1), log2, partial),
    Function::new("log10", (1, 1), log10, partial),
    Function::new("pow", (2, 2), pow, partial),
    Function::new("power", (2, 2), pow, partial),
    Function::new("sin", (1, 1), sin, partial),
    Function::new("cos", (1, 1), cos, partial),
    Function::new("tan", (1, 1), tan, partial),
    Function::new("cot", (1, 1), cot, partial),
    Function::new("asin", (1, 1), asin, partial),
    Function::new("acos", (1, 1), acos, partial),
    Function::new("atan", (1, 2), atan, partial),
    Function::new("atan2", (1, 2), atan, partial),
    Function::new("degrees", (1, 1), degrees, total),
    Function::new("radians", (1, 1), radians, total),
    Function::new("pi", (0, 0), pi, type_pi),
];

fn partial(_: &Typed<'_>) -> TypeResult {
    Ok(ResultType::double().or_null())
}

fn total(call: &Typed<'_>) -> TypeResult {
    Ok(call.double())
}

fn type_pi(_: &Typed<'_>) -> TypeResult {
    Ok(ResultType { length: 8, decimals: 6, ..ResultType::double() })
}

/// A function of one number: NULL outside of its domain.
fn one<'a>(
    args: &'a [Expr],
    inputs: &Inputs<'a>,
    context: &mut Context<'_>,
    name: &str,
    compute: impl FnOnce(f64) -> Option<f64>,
) -> EvalResult<'a> {
    let number = or_null!(args::double(&args[0], inputs, context)?);
    finite(or_null!(compute(number)), || format!("{name}({})", shown(number)))
}

fn finite<'a>(number: f64, text: impl FnOnce() -> String) -> EvalResult<'a> {
    if number.is_finite() { Ok(Ev::Own(Value::Double(number))) } else { Err(out_of_range("DOUBLE", text())) }
}

fn shown(number: f64) -> String {
    let mut text = Vec::new();
    types::number::write_double(number, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

fn sqrt<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    one(args, inputs, context, "sqrt", |number| (number >= 0.0).then(|| number.sqrt()))
}

fn exp<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    one(args, inputs, context, "exp", |number| Some(number.exp()))
}

/// A logarithm; NULL with a warning for what has none.
fn logarithm<'a>(
    args: &'a [Expr],
    inputs: &Inputs<'a>,
    context: &mut Context<'_>,
    compute: impl FnOnce(f64) -> f64,
) -> EvalResult<'a> {
    let number = or_null!(args::double(&args[0], inputs, context)?);
    if number <= 0.0 {
        context.report(&ER_INVALID_ARGUMENT_FOR_LOGARITHM, &[])?;
        return Ok(Ev::NULL);
    }
    Ok(Ev::Own(Value::Double(compute(number))))
}

fn ln<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    logarithm(args, inputs, context, f64::ln)
}

fn log2<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    logarithm(args, inputs, context, f64::log2)
}

fn log10<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    logarithm(args, inputs, context, f64::log10)
}

/// LOG(x) is natural, LOG(b, x) has the base b.
fn log<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let [base, number] = args else { return ln(args, inputs, context) };
    let base = or_null!(args::double(base, inputs, context)?);
    let number = or_null!(args::double(number, inputs, context)?);
    if base <= 0.0 || number <= 0.0 || (base - 1.0).abs() == 0.0 {
        context.report(&ER_INVALID_ARGUMENT_FOR_LOGARITHM, &[])?;
        return Ok(Ev::NULL);
    }
    finite(number.ln() / base.ln(), || format!("log({},{})", shown(base), shown(number)))
}

fn pow<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let base = or_null!(args::double(&args[0], inputs, context)?);
    let exponent = or_null!(args::double(&args[1], inputs, context)?);
    finite(base.powf(exponent), || format!("pow({},{})", shown(base), shown(exponent)))
}

fn sin<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    one(args, inputs, context, "sin", |number| Some(number.sin()))
}

fn cos<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    one(args, inputs, context, "cos", |number| Some(number.cos()))
}

fn tan<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    one(args, inputs, context, "tan", |number| Some(number.tan()))
}

fn cot<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    one(args, inputs, context, "cot", |number| Some(1.0 / number.tan()))
}

fn asin<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    one(args, inputs, context, "asin", |number| (number.abs() <= 1.0).then(|| number.asin()))
}

fn acos<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    one(args, inputs, context, "acos", |number| (number.abs() <= 1.0).then(|| number.acos()))
}

/// ATAN(x), or the angle of a point: ATAN(y, x).
fn atan<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let [y, x] = args else { return one(args, inputs, context, "atan", |number| Some(number.atan())) };
    let y = or_null!(args::double(y, inputs, context)?);
    let x = or_null!(args::double(x, inputs, context)?);
    Ok(Ev::Own(Value::Double(y.atan2(x))))
}

fn degrees<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    one(args, inputs, context, "degrees", |number| Some(number * (180.0 / std::f64::consts::PI)))
}

fn radians<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    one(args, inputs, context, "radians", |number| Some(number * (std::f64::consts::PI / 180.0)))
}

fn pi<'a>(_: &'a [Expr], _: &Inputs<'a>, _: &mut Context<'_>) -> EvalResult<'a> {
    Ok(Ev::Own(Value::Double(std::f64::consts::PI)))
}
