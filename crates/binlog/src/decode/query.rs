//! QUERY; the byte table is beside its encoder.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::status_vars::status_vars;
use super::{Cursor, DecodeError};
use crate::event::Query;

/// Decodes a body; `flags` are the header's.
pub(crate) fn query(body: &[u8], flags: u16) -> Result<Query<'_>, DecodeError> {
    let mut cursor = Cursor::new(body);
    let thread_id = cursor.u32()?;
    let exec_time_s = cursor.u32()?;
    let db_len = cursor.u8()?;
    let error_code = cursor.u16()?;
    let status_len = cursor.u16()?;
    let status = status_vars(cursor.take(usize::from(status_len))?)?;
    let db = cursor.take(usize::from(db_len))?;
    if cursor.u8()? != 0 {
        return Err(DecodeError("no zero behind the database's name"));
    }
    Ok(Query { flags, thread_id, exec_time_s, error_code, status, db, sql: cursor.rest() })
}
