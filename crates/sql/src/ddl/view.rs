//! Views: what the catalog keeps of CREATE VIEW, and how it is shown.

use std::ops::Range;

use engine::catalog::def::{CheckOption, TableDef, ViewDef};
use types::error::table::ER_WRONG_OBJECT;

use super::{Quoting, Result};
use crate::lex::{Kind, Lexer, Token, unescape};
use crate::parse::{Mode, Quoted, hex, unsupported};

/// The text of a view's query: tokens of a statement, as MySQL's default mode reads them, without comments. `changes` are
/// tokens and what takes their place, in order. Error 1235 for what means something else in the default mode.
pub fn view_text(
    sql: &[u8],
    mode: Mode,
    (first, end): (usize, usize),
    changes: &[(Range<usize>, String)],
) -> Result<String> {
    let mut lexer = Lexer::new(sql, mode.quoting);
    let tokens: Vec<Token> = std::iter::from_fn(|| lexer.next_token()).collect();
    let mut changes = changes.iter().peekable();
    let mut out = String::new();
    let mut place = first;
    while place < end {
        if place > first && tokens[place - 1].end < tokens[place].start {
            out.push(' ');
        }
        if let Some((replaced, text)) = changes.next_if(|(replaced, _)| replaced.start == place) {
            // `TABLE t` was read as `SELECT * FROM t`.
            let is_table =
                !replaced.is_empty() && lexer.text_of(tokens[place]).eq_ignore_ascii_case(b"TABLE");
            let (before, behind) = if is_table { ("SELECT ", " FROM") } else { ("", "") };
            out.extend([before, text, behind]);
            place = replaced.end;
            if !replaced.is_empty() {
                continue;
            }
        }
        out.push_str(&token_text(&lexer, tokens[place], mode)?);
        place += 1;
    }
    Ok(out)
}

/// A token in the default mode.
fn token_text(lexer: &Lexer<'_>, token: Token, mode: Mode) -> Result<String> {
    let bytes = lexer.text_of(token);
    let text = || String::from_utf8_lossy(bytes).into_owned();
    Ok(match token.kind {
        Kind::Quoted => Quoted(&String::from_utf8_lossy(&unescape(bytes, true))).to_string(),
        Kind::Text if mode.quoting.no_backslash_escapes || std::str::from_utf8(bytes).is_err() => {
            match String::from_utf8(unescape(bytes, mode.quoting.no_backslash_escapes)) {
                Ok(text) => Quoting::default().text(&text),
                Err(error) => format!("x'{}'", hex(error.as_bytes())),
            }
        }
        Kind::Symbol if mode.pipes_as_concat && bytes == b"||" => {
            return Err(unsupported("|| for CONCAT in a view"));
        }
        Kind::Word if mode.high_not_precedence && bytes.eq_ignore_ascii_case(b"NOT") => {
            return Err(unsupported("NOT of HIGH_NOT_PRECEDENCE in a view"));
        }
        _ => text(),
    })
}

/// SHOW CREATE VIEW. The names that are quoted need no database where it is the default one.
pub fn show_create_view(table: &TableDef, current_db: Option<&str>, quoting: Quoting) -> String {
    let db =
        if current_db == Some(&table.db) { String::new() } else { format!("{}.", quoting.name(&table.db)) };
    let name = format!("{db}{}", quoting.name(&table.name));
    let (head, tail) = around_query(table, &name, quoting);
    format!("CREATE {head}{}{tail}", definition(table).query)
}

/// What the binary log keeps of CREATE VIEW: the statement with all that was left to the server. `verb` is CREATE, CREATE OR
/// REPLACE or ALTER; the query stays as it was sent, since it is read with the same settings again.
pub fn view_to_log(
    verb: &str,
    table: &TableDef,
    sql: &[u8],
    mode: Mode,
    (first, end): (usize, usize),
) -> Vec<u8> {
    let quoting = Quoting::default();
    let name = format!("{}.{}", quoting.name(&table.db), quoting.name(&table.name));
    let (head, tail) = around_query(table, &name, quoting);
    let mut lexer = Lexer::new(sql, mode.quoting);
    let tokens: Vec<Token> = std::iter::from_fn(|| lexer.next_token()).collect();
    let query = lexer.between(tokens[first].start, tokens[end - 1].end);
    [format!("{verb} {head}").as_bytes(), query, tail.as_bytes()].concat()
}

/// What stands in front of a view's query and behind it.
fn around_query(table: &TableDef, name: &str, quoting: Quoting) -> (String, String) {
    let view = definition(table);
    let security = if view.invoker { "INVOKER" } else { "DEFINER" };
    let columns = if view.names_given {
        let names: Vec<String> = table.columns.iter().map(|column| quoting.name(&column.name)).collect();
        format!(" ({})", names.join(","))
    } else {
        String::new()
    };
    let check = match view.check_option {
        CheckOption::None => String::new(),
        option => format!(" WITH {} CHECK OPTION", option.as_str()),
    };
    let head = format!(
        "ALGORITHM={} DEFINER={}@{} SQL SECURITY {security} VIEW {name}{columns} AS ",
        view.algorithm.as_str(),
        quoting.name(&view.definer.0),
        quoting.name(&view.definer.1),
    );
    (head, check)
}

fn definition(table: &TableDef) -> &ViewDef {
    table.view.as_ref().expect("only views are shown as such")
}

/// The names of a view's columns: those of its query, but that one which no table could have is called after its place.
pub fn view_column_names(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let names = names.into_iter().enumerate();
    names
        .map(|(place, name)| if is_column_name(&name) { name } else { format!("Name_exp_{}", place + 1) })
        .collect()
}

fn is_column_name(name: &str) -> bool {
    super::selected::check_name(name).is_ok()
}

/// Error 1347 for a view where a table is asked for.
pub fn refuse_view(table: &TableDef) -> Result<()> {
    if table.view.is_none() {
        return Ok(());
    }
    Err(ER_WRONG_OBJECT.error(&[&table.db, &table.name, &"BASE TABLE"]))
}
