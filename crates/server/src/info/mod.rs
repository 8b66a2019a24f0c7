//! Tables that are made when they are read: `information_schema` and the like.

use std::sync::Arc;

use sql::virtual_table::VirtualTable;

/// The virtual table of a name.
pub fn virtual_table(_db: &str, _name: &str) -> Option<Arc<dyn VirtualTable>> {
    None
}

/// Whether a database has virtual tables.
pub fn is_virtual_database(db: &str) -> bool {
    db.eq_ignore_ascii_case("information_schema")
}
