//! SHOW CREATE TABLE, as MySQL 8.0 prints it.

use std::fmt::{self, Write};

use engine::catalog::def::{
    CheckDef, ColumnDef, DefaultValue, ForeignKeyDef, GeneratedDef, IndexDef, IndexKind, ReferentialAction,
    TableDef,
};
use types::charset::Charset;
use types::collation::Collation;
use types::column::ColumnType;
use types::temporal::TimeZone;

use super::default::default_text;
use super::engine::ENGINE;

/// How names and texts are quoted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quoting {
    /// Names are in double quotes: ANSI_QUOTES.
    pub ansi_quotes: bool,
    /// `\` in texts is a backslash: NO_BACKSLASH_ESCAPES.
    pub no_backslash_escapes: bool,
}

impl Quoting {
    /// A name in quotes.
    pub fn name(self, name: &str) -> String {
        let quote = if self.ansi_quotes { "\"" } else { "`" };
        format!("{quote}{}{quote}", name.replace(quote, &quote.repeat(2)))
    }

    /// A text in quotes.
    pub fn text(self, text: &str) -> String {
        let mut out = String::from("'");
        for c in text.chars() {
            match c {
                '\'' => out.push_str("''"),
                '\\' if !self.no_backslash_escapes => out.push_str("\\\\"),
                '\0' if !self.no_backslash_escapes => out.push_str("\\0"),
                '\n' if !self.no_backslash_escapes => out.push_str("\\n"),
                '\r' if !self.no_backslash_escapes => out.push_str("\\r"),
                other => out.push(other),
            }
        }
        out.push('\'');
        out
    }
}

/// SHOW CREATE TABLE. `auto_increment` is the next value of the counter; TIMESTAMP defaults are shown in `time_zone`.
pub fn show_create_table(
    table: &TableDef,
    auto_increment: u64,
    quoting: Quoting,
    time_zone: &TimeZone,
) -> String {
    let temporary = if table.rows.is_temporary() { " TEMPORARY" } else { "" };
    let mut text = format!(
        "CREATE{temporary} TABLE {} (\n{}\n) ENGINE={ENGINE}",
        quoting.name(&table.name),
        lines(table, quoting, time_zone)
    );
    if table.auto_increment().is_some() && auto_increment > 1 {
        append(&mut text, format_args!(" AUTO_INCREMENT={auto_increment}"));
    }
    append(&mut text, format_args!(" DEFAULT CHARSET={}", charset_clauses(table.collation, " COLLATE=")));
    append_comment(&mut text, table, quoting);
    text
}

/// The text of CREATE TABLE for who reads the binlog and could make nothing of the statement: CREATE TABLE .. SELECT, and what
/// is made like a temporary table. A character set stands there only if `charset` says so, as in the texts of other statements.
pub fn create_table_to_log(
    table: &TableDef,
    charset: bool,
    quoting: Quoting,
    time_zone: &TimeZone,
) -> String {
    let mut text = format!(
        "CREATE TABLE {}.{} (\n{}\n)",
        quoting.name(&table.db),
        quoting.name(&table.name),
        lines(table, quoting, time_zone)
    );
    if table.auto_increment_start > 1 {
        append(&mut text, format_args!(" AUTO_INCREMENT={}", table.auto_increment_start));
    }
    if charset {
        append(&mut text, format_args!(" DEFAULT CHARSET={}", charset_clauses(table.collation, " COLLATE=")));
    }
    append_comment(&mut text, table, quoting);
    text
}

/// Behind CREATE TABLE where the first rows follow in the same transaction: in a comment that MySQL from 8.0.21 on reads and
/// MariaDB, which would not know the words, does not.
pub const START_TRANSACTION: &str = " /*!80021 START TRANSACTION */";

/// What stands in the parentheses.
fn lines(table: &TableDef, quoting: Quoting, time_zone: &TimeZone) -> String {
    let columns = table.columns.iter().map(|column| column_line(column, table.collation, quoting, time_zone));
    let indexes = table.indexes.iter().map(|index| index_line(index, table, quoting));
    let foreign_keys = table.foreign_keys.iter().map(|key| foreign_key_text(key, table, quoting));
    let checks = table.checks.iter().map(|check| check_text(check, quoting));
    let lines = columns.chain(indexes).chain(foreign_keys).chain(checks);
    let lines: Vec<String> = lines.map(|line| format!("  {line}")).collect();
    lines.join(",\n")
}

fn append_comment(text: &mut String, table: &TableDef, quoting: Quoting) {
    if !table.comment.is_empty() {
        append(text, format_args!(" COMMENT={}", quoting.text(&table.comment)));
    }
}

fn check_text(check: &CheckDef, quoting: Quoting) -> String {
    let enforced = if check.enforced { "" } else { " /*!80016 NOT ENFORCED */" };
    format!("CONSTRAINT {} CHECK ({}){enforced}", quoting.name(&check.name), check.expression)
}

/// The character set, and the collation unless it is the set's default in MySQL.
pub(super) fn charset_clauses(collation: Collation, collate: &str) -> String {
    let set = collation.charset().name();
    if is_mysql_default(collation) { set.to_owned() } else { format!("{set}{collate}{}", collation.name()) }
}

/// Whether MySQL takes this collation if only its character set is named. For `utf8mb4` that depends on a variable.
fn is_mysql_default(collation: Collation) -> bool {
    collation.charset() != Charset::Utf8mb4 && collation == collation.charset().default_collation()
}

fn column_line(column: &ColumnDef, table: Collation, quoting: Quoting, time_zone: &TimeZone) -> String {
    let mut line = format!("{} {}", quoting.name(&column.name), column.ty.column_type());
    if let Some(collation) = column.ty.collation() {
        if collation != table {
            append(
                &mut line,
                format_args!(" CHARACTER SET {} COLLATE {}", collation.charset().name(), collation.name()),
            );
        } else if !is_mysql_default(collation) && collation != Collation::Utf8mb40900AiCi {
            append(&mut line, format_args!(" COLLATE {}", collation.name()));
        }
    }
    if let Some(GeneratedDef { expression, stored }) = &column.generated {
        let kind = if *stored { "STORED" } else { "VIRTUAL" };
        append(&mut line, format_args!(" GENERATED ALWAYS AS ({expression}) {kind}"));
    }
    if !column.nullable {
        line.push_str(" NOT NULL");
    } else if matches!(column.ty, ColumnType::Timestamp { .. }) {
        // Without it, TIMESTAMP was NOT NULL in older servers.
        line.push_str(" NULL");
    }
    line.push_str(&default_clause(column, quoting, time_zone));
    if column.on_update_now {
        append(&mut line, format_args!(" ON UPDATE {}", now_text(column.ty)));
    }
    if column.auto_increment {
        line.push_str(" AUTO_INCREMENT");
    }
    if !column.comment.is_empty() {
        append(&mut line, format_args!(" COMMENT {}", quoting.text(&column.comment)));
    }
    line
}

fn append(text: &mut String, what: fmt::Arguments<'_>) {
    // Writing into a String cannot fail.
    let _ = text.write_fmt(what);
}

fn default_clause(column: &ColumnDef, quoting: Quoting, time_zone: &TimeZone) -> String {
    match &column.default {
        DefaultValue::None => String::new(),
        _ if column.auto_increment || column.generated.is_some() => String::new(),
        DefaultValue::Null if column.ty.is_lob() && column.ty != ColumnType::Json => String::new(),
        DefaultValue::Null => " DEFAULT NULL".to_owned(),
        DefaultValue::Now => format!(" DEFAULT {}", now_text(column.ty)),
        DefaultValue::Expression(text) => format!(" DEFAULT ({text})"),
        DefaultValue::Stored(stored) => match String::from_utf8(default_text(column.ty, stored, time_zone)) {
            Ok(bits) if matches!(column.ty, ColumnType::Bit { .. }) => format!(" DEFAULT {bits}"),
            Ok(text) => format!(" DEFAULT {}", quoting.text(&text)),
            Err(error) => {
                let mut text = " DEFAULT 0x".to_owned();
                error.as_bytes().iter().for_each(|byte| append(&mut text, format_args!("{byte:02X}")));
                text
            }
        },
    }
}

/// `CURRENT_TIMESTAMP`, with the column's digits of fraction.
pub fn now_text(ty: ColumnType) -> String {
    match ty.fsp() {
        Some(fsp) if fsp > 0 => format!("CURRENT_TIMESTAMP({fsp})"),
        _ => "CURRENT_TIMESTAMP".to_owned(),
    }
}

fn index_line(index: &IndexDef, table: &TableDef, quoting: Quoting) -> String {
    let parts = key_parts_text(index, table, quoting);
    let mut line = match index.kind {
        IndexKind::Primary => format!("PRIMARY KEY ({parts})"),
        IndexKind::Unique => format!("UNIQUE KEY {} ({parts})", quoting.name(&index.name)),
        IndexKind::Plain => format!("KEY {} ({parts})", quoting.name(&index.name)),
    };
    if !index.comment.is_empty() {
        append(&mut line, format_args!(" COMMENT {}", quoting.text(&index.comment)));
    }
    line
}

/// The constraint of a foreign key, as SHOW CREATE TABLE and errors have it.
pub fn foreign_key_text(key: &ForeignKeyDef, table: &TableDef, quoting: Quoting) -> String {
    let names = |names: &mut dyn Iterator<Item = &String>| {
        names.map(|name| quoting.name(name)).collect::<Vec<_>>().join(", ")
    };
    let columns = names(&mut key.columns.iter().map(|&column| &table.columns[usize::from(column)].name));
    let mut text = format!("CONSTRAINT {} FOREIGN KEY ({columns}) REFERENCES ", quoting.name(&key.name));
    if key.parent_db != table.db {
        append(&mut text, format_args!("{}.", quoting.name(&key.parent_db)));
    }
    let parent_columns = names(&mut key.parent_columns.iter());
    append(&mut text, format_args!("{} ({parent_columns})", quoting.name(&key.parent_table)));
    for (event, action) in [("DELETE", key.on_delete), ("UPDATE", key.on_update)] {
        if action != ReferentialAction::NoAction {
            append(&mut text, format_args!(" ON {event} {}", action.as_str()));
        }
    }
    text
}

/// The columns of an index, with prefixes and DESC.
pub fn key_parts_text(index: &IndexDef, table: &TableDef, quoting: Quoting) -> String {
    let part = |part: &engine::catalog::def::IndexPart| {
        let name = quoting.name(&table.columns[usize::from(part.column)].name);
        let name = part.prefix.map_or(name.clone(), |prefix| format!("{name}({prefix})"));
        if part.descending { name + " DESC" } else { name }
    };
    index.parts.iter().map(part).collect::<Vec<_>>().join(",")
}
