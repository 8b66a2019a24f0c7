//! Databases.

use engine::catalog::def::DatabaseDef;
use types::collation::Collation;
use types::context::Context;

use super::show_create::{Quoting, charset_clauses};
use super::{Result, charset};
use crate::parse::table::DatabaseOptions;

/// The definition that CREATE DATABASE asks for; `server` is `collation_server`.
pub fn create_database(
    name: &str,
    options: &DatabaseOptions,
    server: Collation,
    context: &mut Context<'_>,
) -> Result<DatabaseDef> {
    let collation = charset::choose(&options.charset, server, server, context)?;
    Ok(DatabaseDef { name: name.to_owned(), collation })
}

/// The definition that ALTER DATABASE asks for.
pub fn alter_database(
    old: &DatabaseDef,
    options: &DatabaseOptions,
    server: Collation,
    context: &mut Context<'_>,
) -> Result<DatabaseDef> {
    let collation = charset::choose(&options.charset, old.collation, server, context)?;
    Ok(DatabaseDef { name: old.name.clone(), collation })
}

/// SHOW CREATE DATABASE.
pub fn show_create_database(database: &DatabaseDef, if_not_exists: bool, quoting: Quoting) -> String {
    let exists = if if_not_exists { "/*!32312 IF NOT EXISTS*/ " } else { "" };
    let name = quoting.name(&database.name);
    let clauses = charset_clauses(database.collation, " COLLATE ");
    format!(
        "CREATE DATABASE {exists}{name} /*!40100 DEFAULT CHARACTER SET {clauses} */ /*!80016 DEFAULT ENCRYPTION='N' */"
    )
}
