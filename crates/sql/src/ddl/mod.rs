//! From parsed definitions to the catalog's, and back to SQL.
//!
//! [`create_table`] and [`alter_table`] make table definitions; [`show_create_table`] prints them. Nothing here reads
//! or changes data: what a change of a table needs done is described by [`Change`], and the caller does it.
//!
//! Invariant: a definition that comes out of here is one that MySQL accepts too, and its SHOW CREATE TABLE loads into
//! MySQL and MariaDB unchanged.

mod alter;
mod charset;
mod check;
mod column;
mod column_type;
mod computed;
mod create;
mod database;
mod default;
mod draft;
mod engine;
mod expression;
mod finish;
mod foreign;
mod ids;
mod key;
mod resolve;
mod selected;
mod show_create;
mod table_changes;
mod view;

use ::engine::catalog::def::TableDef;
use types::context::Context;
use types::error::SqlError;
use types::error::table::ER_TABLE_WITHOUT_PK;

pub use alter::{Alteration, Change, ColumnSource, alter_table};
pub use create::{create_like, create_table, truncated};
pub use database::{alter_database, create_database, show_create_database};
pub use default::default_text;
pub(crate) use default::default_value;
pub use foreign::name_after_rename;
pub use ids::fill_ids;
pub use resolve::{DdlScope, Step, database_of, resolve, touched};
pub use selected::selected_columns;
pub use show_create::{
    Quoting, START_TRANSACTION, create_table_to_log, foreign_key_text, key_parts_text, now_text,
    show_create_table,
};
pub use table_changes::{Rules, TableChanges, Version};
pub use view::{refuse_view, show_create_view, view_column_names, view_text, view_to_log};

type Result<T> = std::result::Result<T, SqlError>;

/// What definitions depend on beside themselves.
#[derive(Debug)]
pub struct DdlEnv<'e, 'c> {
    /// SQL mode, time zone, warnings.
    pub context: &'e mut Context<'c>,
    /// The collation of the table's database.
    pub database_collation: types::collation::Collation,
    /// When the statement began, seconds since 1970.
    pub now: u32,
    /// `foreign_key_checks`
    pub foreign_key_checks: bool,
    /// `sql_require_primary_key`
    pub needs_primary_key: bool,
    /// The statement goes to the binary log.
    pub logged: bool,
}

impl DdlEnv<'_, '_> {
    /// Error 3750 for a table without a key that identifies its rows, or whose primary key is not kept, if there has to be one.
    fn check_identity(&self, table: &TableDef, is_kept: bool) -> Result<()> {
        if self.needs_primary_key && !(is_kept && table.identity().is_some()) {
            return Err(ER_TABLE_WITHOUT_PK.error(&[]));
        }
        Ok(())
    }
}
