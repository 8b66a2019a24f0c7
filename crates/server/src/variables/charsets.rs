//! The character set of a login.

use sql::session::Session;
use types::collation::{Collation, Known, known_by_id};

use super::session::SessionVariables;

/// What a client asked for at its login: the id of a collation. An unknown one gets the server's default, and
/// `utf8mb4_0900_ai_ci` is what clients of MySQL 8 send to ask for `utf8mb4`: they get that set's default, which
/// replicas of other makers know too.
pub fn begin_with(sql: &mut Session, own: &mut SessionVariables, id: u16) {
    let collation = match known_by_id(id).map(Known::or_default) {
        Some(Collation::Utf8mb40900AiCi) => sql.default_collation_for_utf8mb4,
        Some(collation) => collation,
        None => own.collation_server,
    };
    own.client = collation.charset();
    sql.collation_connection = collation;
    sql.results = Some(collation.charset());
}
