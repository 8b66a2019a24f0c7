//! Procedures, functions, triggers and events: there are none.

use sql::parse::{DropStored, StoredKind};
use types::error::SqlError;
use types::error::table::{ER_EVENT_DOES_NOT_EXIST, ER_SP_DOES_NOT_EXIST, ER_TRG_DOES_NOT_EXIST};
use types::warning::Level;

use super::Client;

impl Client {
    /// DROP PROCEDURE and its like. Errors 1046, 1305, 1360, 1539.
    pub(super) fn drop_stored(&mut self, stored: &DropStored) -> Result<(), SqlError> {
        let name = &stored.name.name;
        // A function without a database may be a loadable one.
        let is_loadable =
            stored.kind == StoredKind::Function && stored.name.db.is_none() && self.sql.db.is_none();
        let full = if is_loadable {
            format!("(UDF) {name}")
        } else {
            format!("{}.{name}", self.database_of(stored.name.db.as_deref())?)
        };
        let missing = match stored.kind {
            StoredKind::Procedure => ER_SP_DOES_NOT_EXIST.error(&[&"PROCEDURE", &full]),
            StoredKind::Function => ER_SP_DOES_NOT_EXIST.error(&[&"FUNCTION", &full]),
            StoredKind::Trigger => ER_TRG_DOES_NOT_EXIST.error(&[]),
            StoredKind::Event if stored.if_exists => ER_SP_DOES_NOT_EXIST.error(&[&"Event", &name]),
            StoredKind::Event => ER_EVENT_DOES_NOT_EXIST.error(&[&name]),
        };
        if !stored.if_exists {
            return Err(missing);
        }
        self.warnings.push_error(Level::Note, &missing);
        Ok(())
    }
}
