//! A table's definition while a statement works on it: keys still name their columns, and columns remember where they
//! came from.

use engine::catalog::def::{ColumnDef, IndexDef, IndexKind, TableDef};
use engine::ids::IndexId;

use super::check::DraftCheck;
use super::foreign::{self, DraftForeignKey};
use super::{Result, column, key};
use crate::parse::table::{ColumnSpec, ForeignKeySpec, KeySpec};
use crate::parse::unsupported;
use types::collation::Collation;
use types::column::{Column, ColumnType};
use types::context::Context;
use types::error::SqlError;
use types::warning::Level;

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    /// What is neither column nor key.
    pub(super) table: TableDef,
    /// Its columns.
    pub(super) columns: Vec<DraftColumn>,
    /// Its keys, in the order in which they were defined.
    pub(super) keys: Vec<DraftKey>,
    /// Its foreign keys, in the order in which they were defined.
    pub(super) foreign_keys: Vec<DraftForeignKey>,
    /// Its checks, in the order in which they were defined.
    pub(super) checks: Vec<DraftCheck>,
}

/// A column.
#[derive(Clone, Debug)]
pub(super) struct DraftColumn {
    /// As it is going to be.
    pub(super) def: ColumnDef,
    /// NULL or DEFAULT NULL was written: then it cannot be part of a primary key.
    pub(super) says_null: bool,
    /// Its place in the old table.
    pub(super) old: Option<usize>,
}

/// A key.
#[derive(Clone, Debug)]
pub(super) struct DraftKey {
    /// What it guarantees.
    pub(super) kind: IndexKind,
    /// Its name; `None` = one is to be found.
    pub(super) name: Option<String>,
    /// Its columns.
    pub(super) parts: Vec<DraftPart>,
    /// COMMENT.
    pub(super) comment: String,
    /// The index that it was.
    pub(super) old: Option<IndexId>,
    /// It is made for a foreign key.
    pub(super) made: bool,
}

/// A column of a key.
#[derive(Clone, Debug)]
pub(super) struct DraftPart {
    /// The column's name.
    pub(super) column: String,
    /// Characters or bytes of a prefix part.
    pub(super) prefix: Option<u32>,
    /// DESC.
    pub(super) descending: bool,
}

impl DraftPart {
    /// A whole column.
    pub(super) fn whole(column: &str) -> Self {
        Self { column: column.to_owned(), prefix: None, descending: false }
    }
}

impl Draft {
    /// One without columns.
    pub(super) fn new(table: TableDef) -> Self {
        let (columns, keys, foreign_keys, checks) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { table, columns, keys, foreign_keys, checks }
    }

    /// Adds a column at the end, and the keys and checks that it brings.
    pub(super) fn add_column(&mut self, spec: &ColumnSpec, context: &mut Context<'_>) -> Result<()> {
        let column = column::column(spec, self.table.collation, context)?;
        self.columns.push(column);
        self.add_keys_of(spec)
    }

    /// Adds the columns of a query behind those that it does not have. Those that it has are as they were defined, but for
    /// their comment, as in MySQL.
    pub(super) fn add_selected(&mut self, selected: Vec<ColumnDef>) {
        let mut defined = std::mem::take(&mut self.columns);
        let mut columns = Vec::new();
        for def in selected {
            let place = defined.iter().position(|column| same_name(&column.def.name, &def.name));
            columns.push(match place {
                Some(place) => {
                    let mut column = defined.remove(place);
                    column.def.comment = def.comment;
                    column
                }
                None => DraftColumn { def, says_null: false, old: None },
            });
        }
        defined.append(&mut columns);
        self.columns = defined;
    }

    /// Adds the keys and checks that are attributes of a column.
    pub(super) fn add_keys_of(&mut self, spec: &ColumnSpec) -> Result<()> {
        let key = |kind| DraftKey {
            kind,
            name: None,
            parts: vec![DraftPart::whole(&spec.name)],
            comment: String::new(),
            old: None,
            made: false,
        };
        if column::brings_unique(spec) {
            self.keys.push(key(IndexKind::Unique));
        }
        if spec.primary {
            self.keys.push(key(IndexKind::Primary));
        }
        self.foreign_keys.extend(foreign::of_column(spec, &self.table.db)?);
        let checks = spec.checks.iter().cloned();
        self.checks.extend(checks.map(|check| DraftCheck::New(check, Some(spec.name.clone()))));
        Ok(())
    }

    /// Adds a foreign key.
    pub(super) fn add_foreign_key(&mut self, spec: &ForeignKeySpec) -> Result<()> {
        self.foreign_keys.push(foreign::draft(spec, &self.table.db)?);
        Ok(())
    }

    /// Adds a key.
    pub(super) fn add_key(&mut self, spec: &KeySpec, context: &mut Context<'_>) -> Result<()> {
        if spec.hash {
            // ER_UNSUPPORTED_INDEX_ALGORITHM
            let message = "This storage engine does not support the HASH index algorithm, storage engine default was \
                           used instead.";
            let note = SqlError { code: 3502, sqlstate: *b"HY000", message: message.to_owned() };
            context.warnings.push_error(Level::Note, &note);
        }
        self.keys.push(key::draft(spec)?);
        Ok(())
    }

    /// The place of a column. Names are compared without regard to case.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| same_name(&column.def.name, name))
    }
}

/// Whether two names of columns or keys are the same.
pub(super) fn same_name(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b) || a.to_lowercase() == b.to_lowercase()
}

/// A key of a table that is being altered.
pub(super) fn of_index(index: &IndexDef, columns: &[ColumnDef]) -> DraftKey {
    let part = |part: &engine::catalog::def::IndexPart| DraftPart {
        column: columns[usize::from(part.column)].name.clone(),
        prefix: part.prefix,
        descending: part.descending,
    };
    DraftKey {
        kind: index.kind,
        name: Some(index.name.clone()),
        parts: index.parts.iter().map(part).collect(),
        comment: index.comment.clone(),
        old: Some(index.id),
        made: index.made,
    }
}

/// A column as `types` knows it.
pub(super) fn typed(def: &ColumnDef) -> Column {
    Column { table: String::new(), name: def.name.clone(), ty: def.ty, nullable: def.nullable }
}

/// The same type in another collation, as CONVERT TO CHARACTER SET makes it: a TEXT grows if its characters do.
/// Error 1074 if a VARCHAR grows beyond its limit.
pub(super) fn recollated(name: &str, ty: ColumnType, to: Collation) -> Result<ColumnType> {
    Ok(match ty {
        ColumnType::Char { chars, .. } => ColumnType::char(name, chars.into(), to)?,
        ColumnType::Varchar { chars, .. } => ColumnType::varchar(name, chars.into(), to)?,
        ColumnType::Text { size, collation } => {
            let grows = to.charset().char_size_max() > collation.charset().char_size_max();
            if !grows || to == Collation::Binary {
                return Ok(super::column_type::lob(size, to));
            }
            ColumnType::text_for(size.bytes_max().into(), to)
        }
        other => other.with_collation(to),
    })
}

/// Error 1235 for a name that cannot be shown in quotes.
pub(super) fn check_name(name: &str) -> Result<()> {
    if name.contains('\0') { Err(unsupported("zero bytes in names")) } else { Ok(()) }
}
