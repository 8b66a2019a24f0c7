//! JSON_SET and its kin: documents with something changed at a path. NULL of a document or a path is NULL; NULL of a
//! value is `null`.

use types::context::Context;
use types::error::SqlError;
use types::error::table::{ER_INVALID_JSON_PATH_ARRAY_CELL, ER_JSON_VACUOUS_PATH};
use types::json::{self, Json, NESTING_MAX, Path};
use types::value::Value;

use super::args::Call;
use crate::expr::{Ev, Expr, Inputs, ResultType};
use crate::func::args::or_null;
use crate::func::{EvalResult, Function, MANY};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("json_set", (3, MANY), set, |_| Ok(ResultType::json())).pairs_from(1),
    Function::new("json_insert", (3, MANY), insert, |_| Ok(ResultType::json())).pairs_from(1),
    Function::new("json_replace", (3, MANY), replace, |_| Ok(ResultType::json())).pairs_from(1),
    Function::new("json_array_append", (3, MANY), array_append, |_| Ok(ResultType::json())).pairs_from(1),
    Function::new("json_array_insert", (3, MANY), array_insert, |_| Ok(ResultType::json())).pairs_from(1),
    Function::new("json_remove", (2, MANY), remove, |_| Ok(ResultType::json())),
];

type Change = fn(&mut Json, &Path, Json);

fn set<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    changed(&Call::new("json_set", args, inputs), json::set, any_path, context)
}

fn insert<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    changed(&Call::new("json_insert", args, inputs), json::insert, any_path, context)
}

fn replace<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    changed(&Call::new("json_replace", args, inputs), json::replace, any_path, context)
}

fn array_append<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    changed(&Call::new("json_array_append", args, inputs), json::array_append, any_path, context)
}

fn array_insert<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    changed(&Call::new("json_array_insert", args, inputs), json::array_insert, cell_path, context)
}

fn any_path(_: &Path) -> Result<(), SqlError> {
    Ok(())
}

fn cell_path(path: &Path) -> Result<(), SqlError> {
    if path.is_array_cell() { Ok(()) } else { Err(ER_INVALID_JSON_PATH_ARRAY_CELL.error(&[])) }
}

/// A document with a change for each path and value.
fn changed<'a>(
    call: &Call<'_, 'a>,
    change: Change,
    check: fn(&Path) -> Result<(), SqlError>,
    context: &mut Context<'_>,
) -> EvalResult<'a> {
    let mut document = or_null!(call.document(0, context)?);
    let (mut nesting, mut size) = (document.nesting(), document.size());
    for at in (1..call.args.len()).step_by(2) {
        let path = or_null!(call.plain_path(at, context)?);
        check(&path)?;
        let value = call.value(at + 1, context)?;
        // No deeper and no larger than that, so that the truth need not be asked for each time.
        nesting += value.nesting() + 1;
        size += value.size();
        change(&mut document, &path, value);
        if nesting > NESTING_MAX {
            document = document.bounded()?;
            nesting = document.nesting();
        }
        if size > context.result_size_max {
            size = document.size();
            if context.is_too_large(size, call.name)? {
                return Ok(Ev::NULL);
            }
        }
    }
    Value::json(document).map(Ev::Own)
}

/// All paths are looked at before `$` is refused.
fn remove<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    let call = Call::new("json_remove", args, inputs);
    let mut document = or_null!(call.document(0, context)?);
    let paths = (1..args.len()).map(|at| call.plain_path(at, context));
    let paths: Vec<Path> = or_null!(paths.collect::<Result<Option<_>, SqlError>>()?);
    if paths.iter().any(Path::is_root) {
        return Err(ER_JSON_VACUOUS_PATH.error(&[]));
    }
    for path in &paths {
        json::remove(&mut document, path);
    }
    Value::json(document).map(Ev::Own)
}
