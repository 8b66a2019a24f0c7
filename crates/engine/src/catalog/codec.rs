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
mod tests {
    use proptest::prelude::*;
    use types::column::{IntSize, Sign};

    use super::*;

    fn table() -> TableDef {
        let column = |name: &str, default| ColumnDef {
            name: name.to_owned(),
            ty: ColumnType::int(name, IntSize::Int, Sign::Signed, None).unwrap(),
            nullable: default == DefaultValue::Null,
            default,
            on_update_now: false,
            auto_increment: name == "id",
            generated: None,
            comment: String::new(),
        };
        TableDef {
            id: TableId(7),
            db: "test".to_owned(),
            name: "t".to_owned(),
            columns: vec![
                column("id", DefaultValue::None),
                column("k", DefaultValue::Stored(vec![0; 4])),
                column("n", DefaultValue::Null),
            ],
            rows: IndexId(20),
            indexes: vec![
                IndexDef {
                    id: IndexId(20),
                    name: "PRIMARY".to_owned(),
                    kind: IndexKind::Primary,
                    parts: vec![IndexPart { column: 0, prefix: None, descending: false }],
                    comment: String::new(),
                    made: false,
                },
                IndexDef {
                    id: IndexId(21),
                    name: "k".to_owned(),
                    kind: IndexKind::Plain,
                    parts: vec![IndexPart { column: 1, prefix: Some(3), descending: false }],
                    comment: "c".to_owned(),
                    made: true,
                },
            ],
            foreign_keys: Vec::new(),
            checks: Vec::new(),
            collation: Collation::Utf8mb4GeneralCi,
            comment: "a table".to_owned(),
            created_at: 5,
            auto_increment_start: 1,
            view: None,
        }
    }

    fn view() -> TableDef {
        let view = ViewDef {
            query: "select 1".to_owned(),
            names_given: true,
            algorithm: ViewAlgorithm::TempTable,
            definer: ("u".to_owned(), "%".to_owned()),
            invoker: true,
            check_option: CheckOption::Cascaded,
            client: Collation::Latin1Bin,
            connection: Collation::Utf8mb4GeneralCi,
            depth: 3,
        };
        TableDef { indexes: Vec::new(), view: Some(Box::new(view)), ..table() }
    }

    fn child() -> TableDef {
        let key = |name: &str, on_update, on_delete| ForeignKeyDef {
            name: name.to_owned(),
            columns: vec![1, 2],
            parent_db: "other".to_owned(),
            parent_table: "p".to_owned(),
            parent_columns: vec!["a".to_owned(), "b".to_owned()],
            on_update,
            on_delete,
        };
        let keys = vec![
            key("t_ibfk_1", ReferentialAction::NoAction, ReferentialAction::SetNull),
            key("f", ReferentialAction::Cascade, ReferentialAction::Restrict),
        ];
        TableDef { foreign_keys: keys, ..table() }
    }

    fn checked(table: TableDef) -> TableDef {
        let check = |name: &str, size, enforced| CheckDef {
            name: name.to_owned(),
            expression: "x".repeat(size),
            enforced,
        };
        TableDef { checks: vec![check("t_chk_1", 3, true), check("long", 70_000, false)], ..table }
    }

    fn generated(mut table: TableDef) -> TableDef {
        for (place, stored) in [(1, true), (2, false)] {
            table.columns[place].generated =
                Some(GeneratedDef { expression: "(`id` + 1)".to_owned(), stored });
        }
        table.columns[0].default = DefaultValue::Expression("uuid()".to_owned());
        table
    }

    fn descending(mut table: TableDef) -> TableDef {
        for index in &mut table.indexes {
            index.parts[0].descending = true;
        }
        table
    }

    #[test]
    fn entries_round_trip() {
        let database = DatabaseDef { name: "test".to_owned(), collation: Collation::Latin1Bin };
        let read = decode(&database_key("test"), &encode_database(&database)).unwrap();
        assert_eq!(read, Entry::Database(database));
        let with_all = generated(checked(child()));
        let tables = [
            table(),
            child(),
            checked(table()),
            checked(child()),
            generated(table()),
            view(),
            descending(table()),
            descending(with_all.clone()),
            with_all,
        ];
        for table in tables {
            let read = decode(&table_key(TableId(7)), &encode_table(&table)).unwrap();
            assert_eq!(read, Entry::Table(Box::new(table)));
        }
        let read = decode(&ids_key(), &encode_ids(TableId(3), IndexId(9))).unwrap();
        assert_eq!(read, Entry::Ids(TableId(3), IndexId(9)));
    }

    /// The rows of [`table`] and of [`child`] behind their version, as they have always been.
    const TABLE: &str = "07000000040074657374010074140000002d00070061207461626c6505000000010000000000000003000200696404000000 \
         0000000005010103000b01006b00000002040000000000000005010103000b01006e010000010000000005010103000b0200 \
         1400000007005052494d41525900000001000000000000001500000001006b030100630100010003000000";
    const FOREIGN_KEYS: &str = "02000800745f6962666b5f3105006f74686572010070000302000100010061020001006201006605006f7468657201007002 \
         01020001000100610200010062";

    fn from_hex(hex: &str) -> Vec<u8> {
        let digits: Vec<char> = hex.chars().filter(|digit| !digit.is_whitespace()).collect();
        let byte = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap();
        digits.chunks(2).map(byte).collect()
    }

    #[test]
    fn data_directories_of_earlier_versions_are_read_and_rows_are_what_they_were() {
        for (table, row) in [
            (table(), format!("01 {TABLE}")),
            (child(), format!("02 {TABLE} {FOREIGN_KEYS}")),
            (descending(child()), format!("06 {TABLE} {FOREIGN_KEYS} 0000 0000 0200 0000 0000 0100 0000")),
        ] {
            let row = from_hex(&row);
            assert_eq!(encode_table(&table), row);
            assert_eq!(decode(&table_key(TableId(7)), &row).unwrap(), Entry::Table(Box::new(table)));
        }
    }

    #[test]
    fn every_cut_row_is_refused() {
        let small = |mut table: TableDef| {
            table.checks.pop();
            table
        };
        let with_all = generated(small(checked(child())));
        let with_all = [with_all.clone(), descending(with_all)];
        let others = [table(), child(), small(checked(table())), small(checked(child())), view()];
        for table in others.into_iter().chain(with_all) {
            let row = encode_table(&table);
            for size in 0..row.len() {
                assert!(decode(&table_key(TableId(7)), &row[..size]).is_err(), "{size} bytes");
            }
        }
    }

    proptest! {
        #[test]
        fn decoding_any_bytes_ends_without_a_panic(kind in any::<u8>(), row in proptest::collection::vec(any::<u8>(), 0..99)) {
            let _ = decode(&key(kind, b"x"), &row);
            let _ = decode(&key(b't', b"x"), &[&[VERSION], &row[..]].concat());
            let _ = decode(&key(b't', b"x"), &[&[WITH_FOREIGN_KEYS], &row[..]].concat());
            let _ = decode(&key(b't', b"x"), &[&[WITH_CHECKS], &row[..]].concat());
            let _ = decode(&key(b't', b"x"), &[&[VIEW], &row[..]].concat());
            let _ = decode(&key(b't', b"x"), &[&[WITH_DESCENDING], &row[..]].concat());
        }
    }
}
