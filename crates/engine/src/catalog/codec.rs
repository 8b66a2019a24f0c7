//! How definitions lie in the catalog's index.
//!
//! Keys, behind the index's prefix: `d` and a database's name; `t` and a table's id (4 bytes, big-endian); `i` alone
//! for the highest ids used; `a` and an account's name for what the server keeps of accounts (opaque here).
//!
//! Values begin with a version byte: 1, that of a table with foreign keys 2, of one with CHECK constraints 3, of one with
//! generated columns or expressions as defaults 4, a view's 5, of a table with DESC in an index 6. Numbers are little-endian, texts
//! have a length of 2 bytes, lists a count of 2 bytes.
//!
//! ```text
//! d:  name, collation id (2)
//! i:  highest table id (4), highest index id (4)
//! t:  id (4), database, name, rows' index id (4), collation id (2), comment, created (4), AUTO_INCREMENT start (8),
//!     columns: name, flags (1: 1 nullable, 2 on update now, 4 auto increment), comment, default kind (1: 0 none,
//!              1 NULL, 2 stored, 3 now, 4 expression), stored default or expression (length 4), type (length 1; see types::column)
//!     indexes: id (4), name, kind (1: 0 primary, 1 unique, 2 plain, 3 plain and made for a foreign key), comment,
//!              parts: column (2), prefix (4, 0 = none)
//!     from version 2, foreign keys: name, parents' database, parents' table, on update (1), on delete (1: 0 no action,
//!              1 restrict, 2 cascade, 3 set null, 4 set default), pairs: column (2), the parent's column's name
//!     from version 3, checks: name, enforced (1), expression (length 4)
//!     from version 4, generated columns: column (2), stored (1), expression (length 4)
//!     version 5, of a view: query (length 4), flags (1: 1 names given, 2 invoker), algorithm (1: 0 undefined, 1 merge,
//!              2 temptable), check option (1: 0 none, 1 local, 2 cascaded), definer's user, definer's host, client's collation
//!              id (2), connection's collation id (2), depth (2)
//!     version 6, behind the lists of 2 to 4, parts of indexes that are DESC: the index's place (2), the part's (2)
//! ```

use types::collation::Collation;
use types::column::ColumnType;

use super::def::{
    CheckDef, CheckOption, ColumnDef, DatabaseDef, DefaultValue, ForeignKeyDef, GeneratedDef, IndexDef,
    IndexKind, IndexPart, ReferentialAction, TableDef, ViewAlgorithm, ViewDef,
};
use crate::EngineError;
use crate::ids::{IndexId, Key, TableId};

const VERSION: u8 = 1;
/// Of a table with foreign keys.
const WITH_FOREIGN_KEYS: u8 = 2;
/// Of a table with checks.
const WITH_CHECKS: u8 = 3;
/// Of a table with generated columns, or expressions as defaults.
const WITH_EXPRESSIONS: u8 = 4;
/// Of a view.
const VIEW: u8 = 5;
/// Of a table with an index that has a descending part.
const WITH_DESCENDING: u8 = 6;
/// The size of a type that takes more bytes: a u32 with its size follows.
const LONG_TYPE: u8 = 255;

/// The key of a database.
pub fn database_key(name: &str) -> Key {
    key(b'd', name.as_bytes())
}

/// The key of a table.
pub fn table_key(id: TableId) -> Key {
    key(b't', &id.0.to_be_bytes())
}

/// The key of an account.
pub fn account_key(name: &str) -> Key {
    key(b'a', name.as_bytes())
}

/// The key of the highest ids.
pub fn ids_key() -> Key {
    key(b'i', b"")
}

fn key(kind: u8, rest: &[u8]) -> Key {
    [&IndexId::CATALOG.prefix()[..], &[kind], rest].concat().into()
}

/// An entry of the catalog's index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A database.
    Database(DatabaseDef),
    /// A table.
    Table(Box<TableDef>),
    /// An account: its name and what the server keeps of it.
    Account(String, Vec<u8>),
    /// The highest table id and index id used.
    Ids(TableId, IndexId),
}

/// Decodes a key and its row.
pub fn decode(key: &[u8], row: &[u8]) -> Result<Entry, EngineError> {
    let corrupt = || EngineError::Corrupt { what: "the catalog".to_owned() };
    parse(key, row).ok_or_else(corrupt)
}

fn parse(key: &[u8], row: &[u8]) -> Option<Entry> {
    let (kind, name) = key.get(crate::ids::PREFIX_SIZE..)?.split_first()?;
    if *kind == b'a' {
        return Some(Entry::Account(String::from_utf8(name.to_vec()).ok()?, row.to_vec()));
    }
    let mut input = Input(row);
    let version = input.u8()?;
    if version != VERSION && (*kind != b't' || !(WITH_FOREIGN_KEYS..=WITH_DESCENDING).contains(&version)) {
        return None;
    }
    Some(match kind {
        b'd' => Entry::Database(DatabaseDef { name: input.text()?, collation: input.collation()? }),
        b'i' => Entry::Ids(TableId(input.u32()?), IndexId(input.u32()?)),
        b't' => Entry::Table(Box::new(input.table(version)?)),
        _ => return None,
    })
}

/// A database's row.
pub fn encode_database(database: &DatabaseDef) -> Vec<u8> {
    let mut out = vec![VERSION];
    put_text(&mut out, &database.name);
    put_collation(&mut out, database.collation);
    out
}

/// The row of the highest ids.
pub fn encode_ids(table: TableId, index: IndexId) -> Vec<u8> {
    let mut out = vec![VERSION];
    out.extend(table.0.to_le_bytes());
    out.extend(index.0.to_le_bytes());
    out
}

/// A table's row.
pub fn encode_table(table: &TableDef) -> Vec<u8> {
    let generated = table.columns.iter().enumerate();
    let generated: Vec<_> =
        generated.filter_map(|(place, column)| Some((place, column.generated.as_ref()?))).collect();
    let descending = descending_parts(table);
    let version = if table.view.is_some() {
        VIEW
    } else if !descending.is_empty() {
        WITH_DESCENDING
    } else if table.has_expressions() {
        WITH_EXPRESSIONS
    } else if !table.checks.is_empty() {
        WITH_CHECKS
    } else if !table.foreign_keys.is_empty() {
        WITH_FOREIGN_KEYS
    } else {
        VERSION
    };
    let mut out = vec![version];
    out.extend(table.id.0.to_le_bytes());
    put_text(&mut out, &table.db);
    put_text(&mut out, &table.name);
    out.extend(table.rows.0.to_le_bytes());
    put_collation(&mut out, table.collation);
    put_text(&mut out, &table.comment);
    out.extend(table.created_at.to_le_bytes());
    out.extend(table.auto_increment_start.to_le_bytes());
    put_count(&mut out, table.columns.len());
    for column in &table.columns {
        put_column(&mut out, column);
    }
    put_count(&mut out, table.indexes.len());
    for index in &table.indexes {
        put_index(&mut out, index);
    }
    if version >= WITH_FOREIGN_KEYS {
        put_count(&mut out, table.foreign_keys.len());
        for key in &table.foreign_keys {
            put_foreign_key(&mut out, key);
        }
    }
    if version >= WITH_CHECKS {
        put_count(&mut out, table.checks.len());
        for check in &table.checks {
            put_text(&mut out, &check.name);
            out.push(check.enforced.into());
            put_long(&mut out, check.expression.as_bytes());
        }
    }
    if version >= WITH_EXPRESSIONS {
        put_count(&mut out, generated.len());
        for (place, generated) in generated {
            put_count(&mut out, place);
            out.push(generated.stored.into());
            put_long(&mut out, generated.expression.as_bytes());
        }
    }
    if let Some(view) = &table.view {
        put_view(&mut out, view);
    }
    if version == WITH_DESCENDING {
        put_count(&mut out, descending.len());
        for (index, part) in descending {
            put_count(&mut out, index);
            put_count(&mut out, part);
        }
    }
    out
}

/// The places of indexes and of their parts that are descending.
fn descending_parts(table: &TableDef) -> Vec<(usize, usize)> {
    let parts = |(index, def): (usize, &IndexDef)| {
        let parts = def.parts.iter().enumerate().filter(|(_, part)| part.descending);
        parts.map(move |(part, _)| (index, part)).collect::<Vec<_>>()
    };
    table.indexes.iter().enumerate().flat_map(parts).collect()
}

fn put_view(out: &mut Vec<u8>, view: &ViewDef) {
    put_long(out, view.query.as_bytes());
    out.push(u8::from(view.names_given) | u8::from(view.invoker) << 1);
    out.push(view.algorithm as u8);
    out.push(view.check_option as u8);
    put_text(out, &view.definer.0);
    put_text(out, &view.definer.1);
    put_collation(out, view.client);
    put_collation(out, view.connection);
    out.extend(view.depth.to_le_bytes());
}

fn put_column(out: &mut Vec<u8>, column: &ColumnDef) {
    put_text(out, &column.name);
    let flag = |set: bool, bit: u8| if set { bit } else { 0 };
    out.push(flag(column.nullable, 1) | flag(column.on_update_now, 2) | flag(column.auto_increment, 4));
    put_text(out, &column.comment);
    let (kind, stored): (u8, &[u8]) = match &column.default {
        DefaultValue::None => (0, &[]),
        DefaultValue::Null => (1, &[]),
        DefaultValue::Stored(bytes) => (2, bytes),
        DefaultValue::Now => (3, &[]),
        DefaultValue::Expression(text) => (4, text.as_bytes()),
    };
    out.push(kind);
    put_long(out, stored);
    let mut ty = Vec::new();
    column.ty.serialise(&mut ty);
    match u8::try_from(ty.len()) {
        Ok(size) if size < LONG_TYPE => out.push(size),
        _ => {
            out.push(LONG_TYPE);
            out.extend(u32::try_from(ty.len()).expect("labels are below 64 MiB").to_le_bytes());
        }
    }
    out.extend(ty);
}

fn put_index(out: &mut Vec<u8>, index: &IndexDef) {
    out.extend(index.id.0.to_le_bytes());
    put_text(out, &index.name);
    out.push(match index.kind {
        IndexKind::Primary => 0,
        IndexKind::Unique => 1,
        IndexKind::Plain => 2 + u8::from(index.made),
    });
    put_text(out, &index.comment);
    put_count(out, index.parts.len());
    for part in &index.parts {
        out.extend(part.column.to_le_bytes());
        out.extend(part.prefix.unwrap_or(0).to_le_bytes());
    }
}

fn put_foreign_key(out: &mut Vec<u8>, key: &ForeignKeyDef) {
    put_text(out, &key.name);
    put_text(out, &key.parent_db);
    put_text(out, &key.parent_table);
    out.push(key.on_update as u8);
    out.push(key.on_delete as u8);
    put_count(out, key.columns.len());
    for (column, parent) in key.columns.iter().zip(&key.parent_columns) {
        out.extend(column.to_le_bytes());
        put_text(out, parent);
    }
}

fn put_long(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend(u32::try_from(bytes.len()).expect("it came in one statement").to_le_bytes());
    out.extend_from_slice(bytes);
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_count(out, text.len());
    out.extend_from_slice(text.as_bytes());
}

fn put_count(out: &mut Vec<u8>, count: usize) {
    out.extend(u16::try_from(count).expect("names, comments and lists are below 64 Ki").to_le_bytes());
}

fn put_collation(out: &mut Vec<u8>, collation: Collation) {
    out.extend(collation.id().to_le_bytes());
}

/// A checked cursor.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*bytes)
    }

    fn u8(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn bytes(&mut self, size: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(size)?;
        self.0 = rest;
        Some(bytes)
    }

    fn text(&mut self) -> Option<String> {
        let size = self.u16()?;
        String::from_utf8(self.bytes(size.into())?.to_vec()).ok()
    }

    fn collation(&mut self) -> Option<Collation> {
        Collation::from_id(self.u16()?)
    }

    fn long(&mut self) -> Option<&'a [u8]> {
        let size = self.u32()? as usize;
        self.bytes(size)
    }

    fn long_text(&mut self) -> Option<String> {
        String::from_utf8(self.long()?.to_vec()).ok()
    }

    fn table(&mut self, version: u8) -> Option<TableDef> {
        let mut table = TableDef {
            id: TableId(self.u32()?),
            db: self.text()?,
            name: self.text()?,
            rows: IndexId(self.u32()?),
            collation: self.collation()?,
            comment: self.text()?,
            created_at: self.u32()?,
            auto_increment_start: self.array().map(u64::from_le_bytes)?,
            columns: (0..self.u16()?).map(|_| self.column()).collect::<Option<_>>()?,
            indexes: (0..self.u16()?).map(|_| self.index()).collect::<Option<_>>()?,
            foreign_keys: Vec::new(),
            checks: Vec::new(),
            view: None,
        };
        if version >= WITH_FOREIGN_KEYS {
            table.foreign_keys = (0..self.u16()?).map(|_| self.foreign_key()).collect::<Option<_>>()?;
        }
        if version >= WITH_CHECKS {
            table.checks = (0..self.u16()?).map(|_| self.check()).collect::<Option<_>>()?;
        }
        if version >= WITH_EXPRESSIONS {
            for _ in 0..self.u16()? {
                let (place, stored) = (self.u16()?, self.u8()? != 0);
                let expression = self.long_text()?;
                table.columns.get_mut(usize::from(place))?.generated =
                    Some(GeneratedDef { expression, stored });
            }
        }
        if version == VIEW {
            table.view = Some(Box::new(self.view()?));
        }
        if version == WITH_DESCENDING {
            for _ in 0..self.u16()? {
                let (index, part) = (usize::from(self.u16()?), usize::from(self.u16()?));
                table.indexes.get_mut(index)?.parts.get_mut(part)?.descending = true;
            }
        }
        Some(table)
    }

    fn view(&mut self) -> Option<ViewDef> {
        let query = self.long_text()?;
        let flags = self.u8()?;
        Some(ViewDef {
            query,
            names_given: flags & 1 != 0,
            invoker: flags & 2 != 0,
            algorithm: *ViewAlgorithm::ALL.get(usize::from(self.u8()?))?,
            check_option: *CheckOption::ALL.get(usize::from(self.u8()?))?,
            definer: (self.text()?, self.text()?),
            client: self.collation()?,
            connection: self.collation()?,
            depth: self.u16()?,
        })
    }

    fn column(&mut self) -> Option<ColumnDef> {
        let name = self.text()?;
        let flags = self.u8()?;
        let comment = self.text()?;
        let kind = self.u8()?;
        let stored = self.long()?;
        let default = match kind {
            0 => DefaultValue::None,
            1 => DefaultValue::Null,
            2 => DefaultValue::Stored(stored.to_vec()),
            3 => DefaultValue::Now,
            4 => DefaultValue::Expression(String::from_utf8(stored.to_vec()).ok()?),
            _ => return None,
        };
        let size = match self.u8()? {
            LONG_TYPE => self.u32()? as usize,
            size => size.into(),
        };
        let (ty, _) = ColumnType::deserialise(self.bytes(size)?).ok()?;
        let (nullable, on_update_now, auto_increment) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0);
        let generated = None;
        Some(ColumnDef { name, ty, nullable, default, on_update_now, auto_increment, generated, comment })
    }

    fn index(&mut self) -> Option<IndexDef> {
        let (id, name) = (IndexId(self.u32()?), self.text()?);
        let number = self.u8()?;
        let kind = match number {
            0 => IndexKind::Primary,
            1 => IndexKind::Unique,
            2 | 3 => IndexKind::Plain,
            _ => return None,
        };
        let comment = self.text()?;
        let part = |input: &mut Self| {
            let (column, prefix) = (input.u16()?, input.u32()?);
            Some(IndexPart { column, prefix: (prefix > 0).then_some(prefix), descending: false })
        };
        let parts = (0..self.u16()?).map(|_| part(self)).collect::<Option<_>>()?;
        Some(IndexDef { id, name, kind, parts, comment, made: number == 3 })
    }

    fn foreign_key(&mut self) -> Option<ForeignKeyDef> {
        let (name, parent_db, parent_table) = (self.text()?, self.text()?, self.text()?);
        let action = |input: &mut Self| ReferentialAction::ALL.get(usize::from(input.u8()?)).copied();
        let (on_update, on_delete) = (action(self)?, action(self)?);
        let pair = |input: &mut Self| Some((input.u16()?, input.text()?));
        let pairs = (0..self.u16()?).map(|_| pair(self)).collect::<Option<Vec<_>>>()?;
        let (columns, parent_columns) = pairs.into_iter().unzip();
        Some(ForeignKeyDef { name, columns, parent_db, parent_table, parent_columns, on_update, on_delete })
    }

    fn check(&mut self) -> Option<CheckDef> {
        let (name, enforced) = (self.text()?, self.u8()? != 0);
        Some(CheckDef { name, expression: self.long_text()?, enforced })
    }
}

#[cfg(test)]
mod tests;
