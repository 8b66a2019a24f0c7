//! JSON_EXTRACT of NULL.
//!
//! There is no JSON here: of anything but NULL it is error 1235. It exists because `mysqldump` of MySQL 8.0 reads the
//! histograms in `information_schema.COLUMN_STATISTICS` with it, of which there are none.

use types::context::Context;

use crate::bind::unsupported;
use crate::expr::{Ev, Expr, Inputs};
use crate::func::{EvalResult, Function, MANY};

pub(super) const FUNCTIONS: &[Function] =
    &[Function::new("json_extract", (2, MANY), json_extract, |call| Ok(call.ascii(u32::MAX).or_null()))];

fn json_extract<'a>(args: &'a [Expr], inputs: &Inputs<'a>, context: &mut Context<'_>) -> EvalResult<'a> {
    for arg in args {
        if arg.eval(inputs, context)?.as_ref().is_null() {
            return Ok(Ev::NULL);
        }
    }
    Err(unsupported("JSON"))
}
