//! The character set of a login.

use sql::session::Session;
use types::collation::{Known, known_by_id};

use super::session::SessionVariables;

/// What a client asked for at its login: the id of a collation. An unknown one gets the server's default.
pub fn begin_with(sql: &mut Session, own: &mut SessionVariables, id: u16) {
    let collation = known_by_id(id).map_or(own.collation_server, Known::or_default);
    own.client = collation.charset();
    sql.collation_connection = collation;
    sql.results = Some(collation.charset());
}
