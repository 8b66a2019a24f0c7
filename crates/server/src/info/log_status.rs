//! `performance_schema.log_status`: one moment of all logs, for who copies the server's files.

use types::error::SqlError;
use types::json::{Json, Object, encode};
use types::value::Value;

use super::cell::{Row, row};
use super::logs;
use super::look::Look;
use crate::accounts::Privileges;

/// Its row. Error 1227 without BACKUP_ADMIN.
pub(super) fn rows(look: &Look<'_>) -> Result<Vec<Row>, SqlError> {
    look.access.require(Privileges::NONE, "BACKUP_ADMIN", "BACKUP_ADMIN")?;
    let pipeline = &look.shared.pipeline;
    let place = logs::place(look);
    // Read behind the place: at safe settings what is in the binlog up to there is in redo.
    let redo = pipeline.redo();
    let mut local = vec![("gtid_executed", Json::String(place.gtid_executed))];
    if let Some((file, position)) = place.end {
        local.push(("binary_log_file", Json::String(file)));
        local.push(("binary_log_position", Json::UInt(position)));
    }
    let engine =
        [("LSN", Json::UInt(redo.written().0)), ("LSN_checkpoint", Json::UInt(redo.needed_from().0))];
    // There are no relay logs.
    let replication = object([("channels", Json::Array(Vec::new()))]);
    Ok(vec![row![
        look.shared.uuid.to_string(),
        json(&object(local))?,
        json(&replication)?,
        json(&object([("InnoDB", object(engine))]))?,
    ]])
}

fn object(members: impl IntoIterator<Item = (&'static str, Json)>) -> Json {
    let mut object = Object::default();
    for (name, value) in members {
        object.insert(name.to_owned(), value);
    }
    Json::Object(object)
}

fn json(json: &Json) -> Result<Value, SqlError> {
    let mut bytes = Vec::new();
    encode(json, &mut bytes)?;
    Ok(Value::Json(bytes))
}
