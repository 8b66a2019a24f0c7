//! Definitions: what the catalog stores of databases and tables.

use types::collation::Collation;
use types::column::ColumnType;

use crate::ids::{IndexId, TableId};

/// A database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseDef {
    /// Its name.
    pub name: String,
    /// Default of its tables.
    pub collation: Collation,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableDef {
    /// Its id. A table that is rebuilt or truncated gets a new one.
    pub id: TableId,
    /// Its database.
    pub db: String,
    /// Its name.
    pub name: String,
    /// Its columns, in order.
    pub columns: Vec<ColumnDef>,
    /// Where its rows are: the primary key's index, or one by hidden row ids.
    pub rows: IndexId,
    /// Its indexes; the primary key, if there is one, is the first.
    pub indexes: Vec<IndexDef>,
    /// Default of its columns.
    pub collation: Collation,
    /// COMMENT.
    pub comment: String,
    /// When it was created, seconds since 1970.
    pub created_at: u32,
    /// AUTO_INCREMENT as given at CREATE or ALTER; the counter itself is not here.
    pub auto_increment_start: u64,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnDef {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub ty: ColumnType,
    /// Whether it takes NULL.
    pub nullable: bool,
    /// What a row gets that names no value.
    pub default: DefaultValue,
    /// ON UPDATE CURRENT_TIMESTAMP.
    pub on_update_now: bool,
    /// AUTO_INCREMENT.
    pub auto_increment: bool,
    /// COMMENT.
    pub comment: String,
}

/// A column's default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DefaultValue {
    /// There is none.
    None,
    /// NULL.
    Null,
    /// A constant: the column's bytes as a row stores them.
    Stored(Vec<u8>),
    /// CURRENT_TIMESTAMP.
    Now,
}

/// An index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexDef {
    /// Its id; that of the rows for the primary key.
    pub id: IndexId,
    /// Its name; `PRIMARY` for the primary key.
    pub name: String,
    /// What it guarantees.
    pub kind: IndexKind,
    /// Its columns.
    pub parts: Vec<IndexPart>,
    /// COMMENT.
    pub comment: String,
}

/// What an index guarantees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexKind {
    /// No two rows with equal keys, no NULLs.
    Primary,
    /// No two rows with equal keys without NULLs.
    Unique,
    /// Nothing.
    Plain,
}

impl IndexKind {
    /// Whether equal keys are refused.
    pub fn is_unique(self) -> bool {
        self != Self::Plain
    }
}

/// A column of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexPart {
    /// The column's place in the table.
    pub column: u16,
    /// Characters, or bytes of a binary type, of a prefix part.
    pub prefix: Option<u32>,
}

impl TableDef {
    /// The place of a column. Names are compared without regard to case.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name.eq_ignore_ascii_case(name))
    }

    /// The primary key.
    pub fn primary(&self) -> Option<&IndexDef> {
        self.indexes.first().filter(|index| index.kind == IndexKind::Primary)
    }

    /// The place of an index. Names are compared without regard to case.
    pub fn index(&self, name: &str) -> Option<usize> {
        self.indexes.iter().position(|index| index.name.eq_ignore_ascii_case(name))
    }

    /// The place of the AUTO_INCREMENT column.
    pub fn auto_increment(&self) -> Option<usize> {
        self.columns.iter().position(|column| column.auto_increment)
    }
}
