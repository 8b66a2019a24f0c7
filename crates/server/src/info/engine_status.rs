//! SHOW ENGINE INNODB STATUS: InnoDB's sections, as far as what they say has a meaning here, and one of our own.

use std::collections::HashMap;
use std::fmt::Write as _;

use sql::session::Scope;
use types::temporal::DateTime;
use types::value::Value;

use super::Result;
use super::cell::Row;
use super::locks;
use super::look::Look;
use super::server;

/// The text.
pub(super) fn text(look: &Look<'_>) -> Result<String> {
    let rows = server::status(look, Scope::Global, |_| true);
    let status: Vec<(String, String)> = rows.iter().map(|row| (shown(&row[0]), shown(&row[1]))).collect();
    let by_name: HashMap<&str, &str> = status.iter().map(|(name, value)| (&**name, &**value)).collect();
    let number = |name: &str| by_name.get(name).copied().unwrap_or("0");
    let now_s = u32::try_from(crate::clock::unix_s()).unwrap_or(u32::MAX);
    let now = look.local_time(now_s).unwrap_or(DateTime::ZERO);
    let mut text = String::from("\n");
    section(&mut text, '=', &format!("{now} 0 INNODB MONITOR OUTPUT"));
    section(&mut text, '-', "TRANSACTIONS");
    text.push_str("LIST OF TRANSACTIONS FOR EACH SESSION:\n");
    for row in locks::transactions(look)? {
        transaction(&mut text, &row, now);
    }
    section(&mut text, '-', "FILE I/O");
    let [reads, writes, syncs] =
        ["Innodb_data_reads", "Innodb_data_writes", "Innodb_data_fsyncs"].map(number);
    line(&mut text, &format!("{reads} OS file reads, {writes} OS file writes, {syncs} OS fsyncs"));
    section(&mut text, '-', "LOG");
    for (what, name) in [
        ("Log sequence number          ", "Innodb_redo_log_current_lsn"),
        ("Log flushed up to            ", "Innodb_redo_log_flushed_to_disk_lsn"),
        ("Last checkpoint at           ", "Innodb_redo_log_checkpoint_lsn"),
    ] {
        line(&mut text, &format!("{what}{}", number(name)));
    }
    line(&mut text, &format!("{} log i/o's done", number("Innodb_log_writes")));
    section(&mut text, '-', "ROW OPERATIONS");
    // Nobody waits to be let in.
    line(&mut text, "0 queries inside InnoDB, 0 queries in queue");
    let [inserted, updated, deleted, read] =
        ["inserted", "updated", "deleted", "read"].map(|what| number(&format!("Innodb_rows_{what}")));
    let rows =
        format!("Number of rows inserted {inserted}, updated {updated}, deleted {deleted}, read {read}");
    line(&mut text, &rows);
    section(&mut text, '-', "ONELOG");
    for (name, value) in status.iter().filter(|(name, _)| name.starts_with("Onelog_")) {
        line(&mut text, &format!("{name}\t{value}"));
    }
    text.push_str(
        "----------------------------\nEND OF INNODB MONITOR OUTPUT\n============================\n",
    );
    Ok(text)
}

fn shown(cell: &Value) -> String {
    let mut text = Vec::new();
    cell.as_ref().write_text(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

fn line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// A heading between two rules of its length.
fn section(text: &mut String, rule: char, name: &str) {
    let rule: String = std::iter::repeat_n(rule, name.chars().count()).collect();
    // Writing into a String cannot fail.
    let _ = write!(text, "{rule}\n{name}\n{rule}\n");
}

/// A row of `INNODB_TRX`, as InnoDB's monitor has it.
fn transaction(text: &mut String, row: &Row, now: DateTime) {
    let [id, state, owner, query, locks, changes] = [0, 1, 6, 7, 11, 14].map(|place| shown(&row[place]));
    let started = if let Value::DateTime(started) = row[2] { started } else { now };
    let seconds = now.to_unix_seconds().zip(started.to_unix_seconds());
    let age_s = seconds.map_or(0, |(now, started)| (now - started).max(0));
    let waits = if state == "LOCK WAIT" { "LOCK WAIT " } else { "" };
    line(text, &format!("---TRANSACTION {id}, ACTIVE {age_s} sec"));
    line(text, &format!("{waits}{locks} lock struct(s), {locks} row lock(s), undo log entries {changes}"));
    line(text, &format!("MySQL thread id {owner}"));
    if !query.is_empty() {
        line(text, &query);
    }
}
