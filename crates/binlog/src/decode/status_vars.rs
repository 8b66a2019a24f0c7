//! Status variables of a QUERY event; the table of codes is beside their encoder.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::{Cursor, DecodeError};
use crate::event::{AutoIncrement, Charset, DBS_MANY, DBS_MAX, Invoker, StatusVars, code};

/// Decodes the variables. A code that is not known ends them, as it does for every reader: its length is unknown.
/// More databases than are ever named come out as more than [`DBS_MAX`] empty names.
pub(super) fn status_vars(bytes: &[u8]) -> Result<StatusVars<'_>, DecodeError> {
    let mut cursor = Cursor::new(bytes);
    let mut vars = StatusVars::default();
    while !cursor.is_empty() {
        let code = cursor.u8()?;
        if !older(code, &mut cursor, &mut vars)? && !newer(code, &mut cursor, &mut vars)? {
            break;
        }
    }
    Ok(vars)
}

fn older<'a>(code: u8, cursor: &mut Cursor<'a>, vars: &mut StatusVars<'a>) -> Result<bool, DecodeError> {
    match code {
        code::FLAGS2 => vars.flags2 = Some(cursor.u32()?),
        code::SQL_MODE => vars.sql_mode = Some(cursor.u64()?),
        code::CATALOG => vars.catalog = Some(cursor.short_bytes()?),
        code::AUTO_INCREMENT => {
            vars.auto_increment = Some(AutoIncrement { increment: cursor.u16()?, offset: cursor.u16()? });
        }
        code::CHARSET => {
            let charset = Charset { client: cursor.u16()?, connection: cursor.u16()?, server: cursor.u16()? };
            vars.charset = Some(charset);
        }
        code::TIME_ZONE => vars.time_zone = Some(cursor.short_bytes()?),
        code::LC_TIME_NAMES => vars.lc_time_names = Some(cursor.u16()?),
        code::CHARSET_DATABASE => vars.charset_database = Some(cursor.u16()?),
        code::TABLE_MAP_FOR_UPDATE => vars.table_map_for_update = Some(cursor.u64()?),
        _ => return Ok(false),
    }
    Ok(true)
}

fn newer<'a>(code: u8, cursor: &mut Cursor<'a>, vars: &mut StatusVars<'a>) -> Result<bool, DecodeError> {
    match code {
        code::INVOKER => {
            vars.invoker = Some(Invoker { user: cursor.short_bytes()?, host: cursor.short_bytes()? });
        }
        code::UPDATED_DBS => vars.updated_dbs = updated_dbs(cursor)?,
        code::MICROSECONDS | code::MARIADB_MICROSECONDS => {
            let [b0, b1, b2] = cursor.array()?;
            vars.microseconds = Some(u32::from_le_bytes([b0, b1, b2, 0]));
        }
        code::EXPLICIT_DEFAULTS_FOR_TIMESTAMP => {
            vars.explicit_defaults_for_timestamp = Some(cursor.u8()? != 0);
        }
        code::DDL_XID => vars.ddl_xid = Some(cursor.u64()?),
        code::MARIADB_XID => drop(cursor.u64()?),
        code::DEFAULT_COLLATION_FOR_UTF8MB4 => vars.default_collation_for_utf8mb4 = Some(cursor.u16()?),
        code::SQL_REQUIRE_PRIMARY_KEY => vars.sql_require_primary_key = Some(cursor.u8()? != 0),
        code::DEFAULT_TABLE_ENCRYPTION => vars.default_table_encryption = Some(cursor.u8()? != 0),
        _ => return Ok(false),
    }
    Ok(true)
}

fn updated_dbs<'a>(cursor: &mut Cursor<'a>) -> Result<Vec<&'a [u8]>, DecodeError> {
    match cursor.u8()? {
        DBS_MANY => Ok(vec![&[][..]; DBS_MAX.saturating_add(1)]),
        count => (0..count).map(|_| cursor.zero_ended()).collect(),
    }
}
