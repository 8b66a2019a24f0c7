//! SET NAMES, SET CHARACTER SET, and the character set of a login.

use sql::session::Session;
use types::charset::Charset;
use types::collation::{Collation, Known, known_by_id, known_by_name};
use types::error::SqlError;
use types::error::table::{ER_COLLATION_CHARSET_MISMATCH, ER_UNKNOWN_CHARACTER_SET, ER_UNKNOWN_COLLATION};

use super::session::SessionVariables;

/// SET NAMES charset [COLLATE collation]; `None` is DEFAULT. Errors 1115, 1273, 1253.
pub fn set_names(
    sql: &mut Session,
    own: &mut SessionVariables,
    charset: Option<&str>,
    collation: Option<&str>,
) -> Result<(), SqlError> {
    let charset = match charset {
        Some(name) => Charset::from_name(name).ok_or_else(|| ER_UNKNOWN_CHARACTER_SET.error(&[&name]))?,
        None => Charset::Utf8mb4,
    };
    let collation = match collation {
        Some(name) => {
            let known = known_by_name(name).ok_or_else(|| ER_UNKNOWN_COLLATION.error(&[&name]))?;
            let collation = known.or_default();
            if collation.charset() != charset {
                return Err(ER_COLLATION_CHARSET_MISMATCH.error(&[&name, &charset.name()]));
            }
            collation
        }
        None => charset.default_collation(),
    };
    apply(sql, own, collation);
    Ok(())
}

/// SET CHARACTER SET: results and client as asked, literals as the default database has them. Error 1115.
pub fn set_character_set(
    sql: &mut Session,
    own: &mut SessionVariables,
    charset: Option<&str>,
) -> Result<(), SqlError> {
    set_names(sql, own, charset, None)?;
    sql.collation_connection = own.collation_database;
    Ok(())
}

/// What a client asked for at its login: the id of a collation. An unknown one gets the server's default.
pub fn begin_with(sql: &mut Session, own: &mut SessionVariables, id: u16) {
    let collation = known_by_id(id).map_or(own.collation_server, Known::or_default);
    apply(sql, own, collation);
}

fn apply(sql: &mut Session, own: &mut SessionVariables, collation: Collation) {
    own.client = collation.charset();
    sql.collation_connection = collation;
    sql.results = Some(collation.charset());
}
