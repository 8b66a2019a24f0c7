//! Columns of tables.

use engine::catalog::def::{ColumnDef, DefaultValue, IndexDef, IndexKind, TableDef};
use sql::ddl::{default_text, now_text};
use types::column::ColumnType;

use super::cell::{NULL, Row, row};
use super::look::{AnyTable, Look};
use crate::accounts::Privileges;

/// `COLUMNS`
pub(super) fn rows(look: &Look<'_>) -> Vec<Row> {
    let row = |table: &AnyTable| {
        let def = table.def();
        let privileges = privileges(look, def);
        let row = |(place, column): (usize, &ColumnDef)| column_row(look, table, place, column, &privileges);
        def.columns.iter().enumerate().map(row).collect::<Vec<_>>()
    };
    // A view that cannot be bound any more is shown as it was.
    look.tables().flat_map(|table| row(&look.refreshed(table.clone()).unwrap_or(table))).collect()
}

fn column_row(look: &Look<'_>, table: &AnyTable, place: usize, column: &ColumnDef, privileges: &str) -> Row {
    let def = table.def();
    let ty = column.ty;
    let (precision, scale) = precision(ty);
    let collation = ty.collation();
    row![
        "def",
        &def.db,
        &def.name,
        &column.name,
        place as u64 + 1,
        default(look, table, column),
        yes_no(column.nullable),
        ty.data_type(),
        ty.text_size().map(|(chars, _)| u64::from(chars)),
        ty.text_size().map(|(_, bytes)| u64::from(bytes)),
        precision,
        scale,
        ty.fsp().filter(|_| ty != ColumnType::Date).map(u64::from),
        collation.map(|collation| collation.charset().name()),
        collation.map(types::collation::Collation::name),
        ty.column_type(),
        key(def, place),
        extra(column),
        privileges,
        &column.comment,
        column.generated.as_ref().map_or_else(String::new, |generated| super::escaped(&generated.expression)),
        NULL,
    ]
}

/// SHOW COLUMNS; with collation, privileges and comment if it is FULL.
pub(super) fn show(look: &Look<'_>, table: &AnyTable, full: bool) -> Vec<Row> {
    let def = table.def();
    let privileges = privileges(look, def);
    let row = |(place, column): (usize, &ColumnDef)| {
        let (null, key) = (yes_no(column.nullable), key(def, place));
        let (default, extra) = (default(look, table, column), extra(column));
        let ty = column.ty.column_type();
        if !full {
            return row![&column.name, ty, null, key, default, extra];
        }
        let collation = column.ty.collation().map(types::collation::Collation::name);
        row![&column.name, ty, collation, null, key, default, extra, &*privileges, &column.comment]
    };
    def.columns.iter().enumerate().map(row).collect()
}

pub(super) fn yes_no(yes: bool) -> &'static str {
    if yes { "YES" } else { "NO" }
}

/// What the session may do with columns of a table.
fn privileges(look: &Look<'_>, def: &TableDef) -> String {
    if let Some("information_schema" | "performance_schema") = super::database_name(&def.db) {
        return "select".to_owned();
    }
    let account = look.access.account();
    let has = account.global.union(account.on_database(&def.db)).union(account.on_table(&def.db, &def.name));
    let known = [
        (Privileges::SELECT, "select"),
        (Privileges::INSERT, "insert"),
        (Privileges::UPDATE, "update"),
        (Privileges::REFERENCES, "references"),
    ];
    let names = known.into_iter().filter(|(privilege, _)| has.contains(*privilege)).map(|(_, name)| name);
    names.collect::<Vec<_>>().join(",")
}

fn default(look: &Look<'_>, table: &AnyTable, column: &ColumnDef) -> Option<String> {
    if matches!(table, AnyTable::Virtual(_))
        && super::database_name(&table.def().db) == Some("information_schema")
    {
        return Some(String::new());
    }
    match &column.default {
        _ if column.auto_increment => None,
        DefaultValue::None | DefaultValue::Null => None,
        DefaultValue::Now => Some(now_text(column.ty)),
        DefaultValue::Expression(text) => Some(super::escaped(text)),
        DefaultValue::Stored(stored) => {
            let mut text = default_text(column.ty, stored, look.session.time_zone());
            if let ColumnType::Binary { .. } = column.ty {
                let end = text.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
                text.truncate(end);
            }
            Some(match column.ty {
                ColumnType::Binary { .. } | ColumnType::Varbinary { .. } => {
                    text.iter().fold("0x".to_owned(), |digits, byte| digits + &format!("{byte:02X}"))
                }
                _ => String::from_utf8_lossy(&text).into_owned(),
            })
        }
    }
}

fn extra(column: &ColumnDef) -> String {
    let mut words = Vec::new();
    if column.auto_increment {
        words.push("auto_increment".to_owned());
    }
    if matches!(column.default, DefaultValue::Now | DefaultValue::Expression(_)) {
        words.push("DEFAULT_GENERATED".to_owned());
    }
    if column.on_update_now {
        words.push(format!("on update {}", now_text(column.ty)));
    }
    if let Some(generated) = &column.generated {
        words.push(format!("{} GENERATED", if generated.stored { "STORED" } else { "VIRTUAL" }));
    }
    words.join(" ")
}

/// PRI, UNI, MUL or nothing.
fn key(def: &TableDef, place: usize) -> &'static str {
    let is_part = |index: &IndexDef| index.parts.iter().any(|part| usize::from(part.column) == place);
    let is_first =
        |index: &IndexDef| index.parts.first().is_some_and(|part| usize::from(part.column) == place);
    if def.identity().is_some_and(is_part) {
        return "PRI";
    }
    let mut found = "";
    for index in def.indexes.iter().filter(|index| is_first(index)) {
        if index.kind == IndexKind::Unique && index.parts.len() == 1 {
            return "UNI";
        }
        found = "MUL";
    }
    found
}

/// `NUMERIC_PRECISION` and `NUMERIC_SCALE`.
fn precision(ty: ColumnType) -> (Option<u64>, Option<u64>) {
    match ty {
        ColumnType::Int(int) => (Some(int.precision().into()), Some(0)),
        ColumnType::Decimal { precision, scale, .. } => (Some(precision.into()), Some(scale.into())),
        ColumnType::Float(float) | ColumnType::Double(float) => match float.digits {
            Some((precision, scale)) => (Some(precision.into()), Some(scale.into())),
            None => (Some(if matches!(ty, ColumnType::Float(_)) { 12 } else { 22 }), None),
        },
        ColumnType::Bit { bits } => (Some(bits.into()), None),
        _ => (None, None),
    }
}
