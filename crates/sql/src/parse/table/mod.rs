//! CREATE TABLE, ALTER TABLE and their parts: columns, types, keys, options.

pub(super) mod alter;
pub(super) mod check;
pub(super) mod column;
pub(super) mod create;
pub(super) mod data_type;
pub(super) mod drop;
pub(super) mod foreign;
pub(super) mod index;
pub(super) mod key;
pub(super) mod option;

pub use alter::{AlterAction, AlterAlgorithm, AlterLock, AlterTable, Place};
pub use check::CheckSpec;
pub use column::{ColumnSpec, DefaultSpec, GeneratedSpec};
pub use create::{CreateQuery, CreateTable, CreateTableLike, Duplicates, ReplacedTable, TableElement};
pub use data_type::{TypeCharset, TypeName, TypeSpec};
pub use drop::DropTables;
pub use foreign::{ForeignKeySpec, References};
pub use key::{KeyKind, KeyPartSpec, KeySpec};
pub use option::{CharsetChoice, DatabaseOptions, TableOptions};
