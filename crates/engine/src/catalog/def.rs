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
    /// Its foreign keys, in the order in which they were defined.
    pub foreign_keys: Vec<ForeignKeyDef>,
    /// Its CHECK constraints, by name as MySQL shows them.
    pub checks: Vec<CheckDef>,
    /// Default of its columns.
    pub collation: Collation,
    /// COMMENT.
    pub comment: String,
    /// When it was created, seconds since 1970.
    pub created_at: u32,
    /// AUTO_INCREMENT as given at CREATE or ALTER; the counter itself is not here.
    pub auto_increment_start: u64,
    /// Of a view: what its rows are. It has columns, and neither rows of its own nor indexes, keys and checks.
    pub view: Option<Box<ViewDef>>,
}

/// A view: a query that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewDef {
    /// The query, in MySQL's default mode. Tables without a database are of the view's.
    pub query: String,
    /// The names of the columns were given: they are not those of the query's.
    pub names_given: bool,
    /// ALGORITHM.
    pub algorithm: ViewAlgorithm,
    /// DEFINER: user and host.
    pub definer: (String, String),
    /// SQL SECURITY INVOKER: whoever reads it needs the privileges on what it reads, not its definer.
    pub invoker: bool,
    /// WITH CHECK OPTION.
    pub check_option: CheckOption,
    /// The character set of its client's statements when it was made, by its default collation.
    pub client: Collation,
    /// `collation_connection` then: that of its texts.
    pub connection: Collation,
    /// How deep queries stand in one another in it.
    pub depth: u16,
}

/// ALGORITHM of a view: kept, and without consequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ViewAlgorithm {
    /// The server chooses.
    #[default]
    Undefined,
    /// The query becomes a part of the one that names the view.
    Merge,
    /// The rows are made first.
    TempTable,
}

impl ViewAlgorithm {
    /// All, by their numbers in the catalog.
    pub const ALL: [Self; 3] = [Self::Undefined, Self::Merge, Self::TempTable];

    /// As SQL has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Undefined => "UNDEFINED",
            Self::Merge => "MERGE",
            Self::TempTable => "TEMPTABLE",
        }
    }
}

/// WITH CHECK OPTION of a view: kept, and without consequence while views change no rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CheckOption {
    /// There is none.
    #[default]
    None,
    /// LOCAL.
    Local,
    /// CASCADED.
    Cascaded,
}

impl CheckOption {
    /// All, by their numbers in the catalog.
    pub const ALL: [Self; 3] = [Self::None, Self::Local, Self::Cascaded];

    /// As SQL has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::Local => "LOCAL",
            Self::Cascaded => "CASCADED",
        }
    }
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
    /// What a generated column holds. It has no default.
    pub generated: Option<GeneratedDef>,
    /// COMMENT.
    pub comment: String,
}

/// GENERATED ALWAYS AS: what a column holds is computed from columns before it, and from others that are not generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedDef {
    /// The expression as MySQL prints it; its texts carry their character sets.
    pub expression: String,
    /// STORED, not VIRTUAL. Rows have the values of both.
    pub stored: bool,
}

impl ColumnDef {
    /// Whether it is generated and VIRTUAL.
    pub fn is_virtual(&self) -> bool {
        self.generated.as_ref().is_some_and(|generated| !generated.stored)
    }
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
    /// An expression, as MySQL prints it.
    Expression(String),
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
    /// It was made for a foreign key: it goes when another index serves as well.
    pub made: bool,
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
    /// DESC. Entries are in ascending order all the same: indexes are read in both directions.
    pub descending: bool,
}

/// A foreign key: each row of its table without NULLs in these columns has a parent, a row of another table, or of the
/// same one, with the same values in its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignKeyDef {
    /// Its name, unique in the database of its table.
    pub name: String,
    /// Its columns, by their places.
    pub columns: Vec<u16>,
    /// The database of the parents.
    pub parent_db: String,
    /// The table of the parents. With `foreign_key_checks=0` it may not exist yet.
    pub parent_table: String,
    /// The parents' columns, by name, as many as `columns`.
    pub parent_columns: Vec<String>,
    /// What happens to a row if its parent gets other values.
    pub on_update: ReferentialAction,
    /// What happens to a row if its parent is removed.
    pub on_delete: ReferentialAction,
}

/// A CHECK constraint: no row of its table makes the expression false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckDef {
    /// Its name, unique in the database of its table.
    pub name: String,
    /// The expression as MySQL prints it; its texts carry their character sets.
    pub expression: String,
    /// Whether rows are looked at: not with NOT ENFORCED.
    pub enforced: bool,
}

/// What happens to rows whose parent changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReferentialAction {
    /// The change is refused, which no clause says.
    #[default]
    NoAction,
    /// The change is refused, which a clause says.
    Restrict,
    /// They change likewise, or are removed.
    Cascade,
    /// Their columns become NULL.
    SetNull,
    /// The change is refused, as MySQL's storage engine has no such action.
    SetDefault,
}

impl ReferentialAction {
    /// All, by their numbers in the catalog.
    pub const ALL: [Self; 5] =
        [Self::NoAction, Self::Restrict, Self::Cascade, Self::SetNull, Self::SetDefault];

    /// Whether the parent's change is refused.
    pub fn refuses(self) -> bool {
        !matches!(self, Self::Cascade | Self::SetNull)
    }

    /// As SQL has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoAction => "NO ACTION",
            Self::Restrict => "RESTRICT",
            Self::Cascade => "CASCADE",
            Self::SetNull => "SET NULL",
            Self::SetDefault => "SET DEFAULT",
        }
    }
}

impl ForeignKeyDef {
    /// Whether its parents are rows of this table.
    pub fn refers_to(&self, db: &str, table: &str) -> bool {
        self.parent_db == db && self.parent_table == table
    }
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

    /// The key that identifies rows to others: the primary key, or the first unique key without NULLs and prefixes, which
    /// MySQL takes for one.
    pub fn identity(&self) -> Option<&IndexDef> {
        let is_whole =
            |part: &IndexPart| part.prefix.is_none() && !self.columns[usize::from(part.column)].nullable;
        let stands_for =
            |index: &&IndexDef| index.kind == IndexKind::Unique && index.parts.iter().all(is_whole);
        self.primary().or_else(|| self.indexes.iter().find(stands_for))
    }

    /// The place of an index. Names are compared without regard to case.
    pub fn index(&self, name: &str) -> Option<usize> {
        self.indexes.iter().position(|index| index.name.eq_ignore_ascii_case(name))
    }

    /// An index that finds rows by these columns: they are its first ones, in this order, whole.
    pub fn index_on(&self, columns: &[u16]) -> Option<&IndexDef> {
        let begins_so = |index: &&IndexDef| {
            let parts = index.parts.get(..columns.len());
            parts.is_some_and(|parts| {
                parts
                    .iter()
                    .zip(columns)
                    .all(|(part, column)| part.column == *column && part.prefix.is_none())
            })
        };
        self.indexes.iter().find(begins_so)
    }

    /// A unique index of exactly these columns, whole and in this order.
    pub fn unique_on(&self, columns: &[String]) -> Option<&IndexDef> {
        let is_it = |part: &IndexPart, name: &String| {
            part.prefix.is_none() && self.columns[usize::from(part.column)].name.eq_ignore_ascii_case(name)
        };
        self.indexes.iter().find(|index| {
            index.kind.is_unique()
                && index.parts.len() == columns.len()
                && index.parts.iter().zip(columns).all(|(part, name)| is_it(part, name))
        })
    }

    /// Whether a row's values depend on each other: a column is generated, or has an expression as its default.
    pub fn has_expressions(&self) -> bool {
        let has = |column: &ColumnDef| {
            column.generated.is_some() || matches!(column.default, DefaultValue::Expression(_))
        };
        self.columns.iter().any(has)
    }

    /// Whether `time_zone` may decide what its definition means, or what its rows are when they are converted to it or from it.
    pub fn depends_on_time_zone(&self) -> bool {
        // The text of a moment may name its distance from UTC.
        let depends = |column: &ColumnDef| {
            let is_moment = matches!(column.ty, ColumnType::DateTime { .. });
            matches!(column.ty, ColumnType::Timestamp { .. })
                || matches!(column.default, DefaultValue::Now)
                || is_moment && matches!(column.default, DefaultValue::Stored(_))
        };
        self.columns.iter().any(depends) || self.has_expressions() || !self.checks.is_empty()
    }

    /// The places of the generated columns.
    pub fn generated(&self) -> impl Iterator<Item = u16> {
        (0..).zip(&self.columns).filter(|(_, column)| column.generated.is_some()).map(|(place, _)| place)
    }

    /// The place of the AUTO_INCREMENT column.
    pub fn auto_increment(&self) -> Option<usize> {
        self.columns.iter().position(|column| column.auto_increment)
    }
}
