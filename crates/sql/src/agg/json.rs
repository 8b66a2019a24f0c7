//! JSON_ARRAYAGG and JSON_OBJECTAGG: a document of a group's values, `null` for NULL; NULL of no rows.

use types::context::Context;
use types::error::SqlError;
use types::json::Json;
use types::value::Value;

use crate::expr::Inputs;
use crate::func::json::{member_name, member_value};
use crate::plan::{Aggregate, AggregateKind};

/// The values of a group, in the order of its rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Document {
    /// Names of an object's members; none of an array's items.
    names: Vec<String>,
    values: Vec<Json>,
}

impl Document {
    /// Adds a row; returns the bytes that it keeps. Errors 3144 and 3158 for names that are none.
    pub(super) fn add(
        &mut self,
        aggregate: &Aggregate,
        inputs: &Inputs<'_>,
        context: &mut Context<'_>,
    ) -> Result<usize, SqlError> {
        let [names @ .., value] = &aggregate.args[..] else { return Ok(0) };
        let mut kept = 0;
        for name in names {
            let name = member_name(name, inputs, context)?;
            kept += size_of::<String>() + name.len();
            self.names.push(name);
        }
        let value = member_value(value, inputs, context)?;
        kept += size(&value);
        self.values.push(value);
        Ok(kept)
    }

    /// Of equal names the last one counts. Errors 3150, 3151 and 3157 for what cannot be stored.
    pub(super) fn finish(self, kind: AggregateKind) -> Result<Value, SqlError> {
        if self.values.is_empty() {
            return Ok(Value::Null);
        }
        Value::json(match kind {
            AggregateKind::JsonObjectAgg => Json::Object(self.names.into_iter().zip(self.values).collect()),
            _ => Json::Array(self.values),
        })
    }
}

/// The bytes that a JSON value takes.
fn size(json: &Json) -> usize {
    let inside = match json {
        Json::String(text) => text.len(),
        Json::Array(items) => items.iter().map(size).sum(),
        Json::Object(members) => members.iter().map(|(name, value)| name.len() + size(value)).sum(),
        _ => 0,
    };
    size_of::<Json>() + inside
}
