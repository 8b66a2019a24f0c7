//! Compares what a consumer wrote with what was done: every change once, in the order of commits, with the names of the
//! columns and the right values.
//!
//! The order of commits is known within one session, and between phases, which follow each other. Sessions of one phase
//! run beside each other: what one did must come in its order, and the server's own numbers of transactions (GTIDs or
//! positions) must grow over all of them.

use std::collections::BTreeMap;

use rig::{Outcome, check};
use serde_json::Value;

use super::model::{Change, DATABASE, Image, Trx};

/// What the sessions of a phase did, each in its order.
pub type Phase = Vec<Vec<Trx>>;

/// A change as a consumer wrote it.
#[derive(Clone, Debug)]
pub struct Line {
    /// The transaction: a GTID, or a file and a position in it; nothing for a row of a snapshot.
    pub trx: Option<String>,
    /// The change.
    pub change: Change,
}

/// What was compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Summary {
    /// Rows of the snapshot.
    pub reads: usize,
    /// Changes after it.
    pub changes: usize,
    /// Their transactions.
    pub transactions: usize,
}

/// Reads a line.
pub fn parse(line: &str) -> Outcome<Line> {
    let json: Value = serde_json::from_str(line).map_err(|error| format!("{error}: {line}"))?;
    let text = |name: &str| json[name].as_str().ok_or_else(|| format!("no {name}: {line}"));
    check(text("database")? == DATABASE, || format!("another database: {line}"))?;
    let trx = json["trx"].as_str().map(str::to_owned);
    let (before, after) = (image(&json["before"], line)?, image(&json["after"], line)?);
    let change = Change { op: text("op")?.to_owned(), table: text("table")?.to_owned(), before, after };
    Ok(Line { trx, change })
}

fn image(json: &Value, line: &str) -> Outcome<Option<Image>> {
    let Value::Object(columns) = json else {
        check(json.is_null(), || format!("no row: {line}"))?;
        return Ok(None);
    };
    let mut image = Image::new();
    for (name, val) in columns {
        let val = match val {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            _ => return Err(format!("{name} is neither text nor NULL: {line}").into()),
        };
        image.insert(name.clone(), val);
    }
    Ok(Some(image))
}

/// Compares. With a snapshot, the first phase had ended before it, and it was taken somewhere in the second, which has
/// one session.
pub fn compare(lines: &[Line], phases: &[Phase], snapshot: bool) -> Outcome<Summary> {
    let reads = lines.iter().take_while(|line| line.trx.is_none()).count();
    let mut phases = phases.to_vec();
    if snapshot {
        let seen = snapshot_place(&lines[..reads], &phases)?;
        phases.remove(0);
        phases[0][0].drain(..seen);
    } else {
        check(reads == 0, || "rows of a snapshot that nobody asked for".to_owned())?;
    }
    let groups = transactions(&lines[reads..])?;
    let mut stages = phases.iter();
    let mut sessions: Vec<&[Trx]> = Vec::new();
    for (nth, (trx, found)) in groups.iter().enumerate() {
        while sessions.iter().all(|session| session.is_empty()) {
            let next =
                stages.next().ok_or_else(|| format!("{trx}: beyond what was done: {}", shown(found)))?;
            sessions = next.iter().map(Vec::as_slice).collect();
        }
        let next = sessions.iter_mut().find(|session| session.first().is_some_and(|it| it == found));
        let Some(session) = next else {
            let wanted: Vec<&Trx> = sessions.iter().filter_map(|session| session.first()).collect();
            return Err(format!("transaction {nth} ({trx}): {}", difference(found, &wanted)).into());
        };
        *session = &session[1..];
    }
    let left = sessions.iter().map(|session| session.len()).sum::<usize>()
        + stages.flatten().map(Vec::len).sum::<usize>();
    check(left == 0, || format!("{left} transactions are missing at the end"))?;
    Ok(Summary { reads, changes: lines.len() - reads, transactions: groups.len() })
}

/// Lines by transaction; the numbers of these must grow.
fn transactions(lines: &[Line]) -> Outcome<Vec<(String, Trx)>> {
    let mut groups: Vec<(String, Trx)> = Vec::new();
    for line in lines {
        let trx = line.trx.as_ref().ok_or("a row of a snapshot among the changes")?;
        match groups.last_mut() {
            Some((last, changes)) if last == trx => changes.push(line.change.clone()),
            last => {
                let grows = last.is_none_or(|(last, _)| place(last) < place(trx));
                check(grows, || format!("{trx} does not come after {}", groups[groups.len() - 1].0))?;
                groups.push((trx.clone(), vec![line.change.clone()]));
            }
        }
    }
    Ok(groups)
}

/// What is before the last colon, and the number behind it.
fn place(trx: &str) -> (&str, u64) {
    let (of, number) = trx.rsplit_once(':').unwrap_or((trx, ""));
    (of, number.parse().unwrap_or(0))
}

/// How many transactions of the second phase the snapshot holds.
fn snapshot_place(reads: &[Line], phases: &[Phase]) -> Outcome<usize> {
    let mut found = BTreeMap::new();
    for read in reads {
        let change = &read.change;
        check(change.op == "read" && change.before.is_none(), || format!("no read: {change:?}"))?;
        count(&mut found, &change.table, change.after.as_ref(), 1);
    }
    let mut state = BTreeMap::new();
    phases[0].iter().flatten().for_each(|trx| apply(&mut state, trx));
    let mut nearest = (usize::MAX, String::new());
    for nth in 0..=phases[1][0].len() {
        if state == found {
            return Ok(nth);
        }
        let differs = |of: &State<'_>, from: &State<'_>| {
            of.iter()
                .filter(|(row, count)| from.get(*row) != Some(count))
                .map(|((_, row), _)| format!("{row:?}"))
                .collect()
        };
        let (more, less): (Vec<String>, Vec<String>) = (differs(&found, &state), differs(&state, &found));
        if more.len() + less.len() < nearest.0 {
            let example = |rows: &[String]| rows.first().cloned().unwrap_or_default();
            nearest = (more.len() + less.len(), format!("{}\n{}", example(&more), example(&less)));
        }
        if let Some(trx) = phases[1][0].get(nth) {
            apply(&mut state, trx);
        }
    }
    let rows = reads.len();
    Err(format!(
        "the snapshot ({rows} rows) is the state at no commit; {} rows apart: {}",
        nearest.0, nearest.1
    )
    .into())
}

/// How often there is which row; two rows may be equal where there is no key.
type State<'a> = BTreeMap<(&'a str, &'a Image), i64>;

fn apply<'a>(state: &mut State<'a>, trx: &'a Trx) {
    for change in trx {
        count(state, &change.table, change.before.as_ref(), -1);
        count(state, &change.table, change.after.as_ref(), 1);
    }
}

fn count<'a>(state: &mut State<'a>, table: &'a str, row: Option<&'a Image>, by: i64) {
    let Some(row) = row else { return };
    let rows = state.entry((table, row)).or_default();
    *rows += by;
    if *rows == 0 {
        state.remove(&(table, row));
    }
}

/// Says how a transaction differs from the nearest that could have come.
fn difference(found: &Trx, wanted: &[&Trx]) -> String {
    let same_table = |trx: &&&Trx| trx[0].table == found[0].table;
    let Some(wanted) = wanted.iter().find(same_table).or(wanted.first()) else {
        return format!("nothing was left to come, but {}", shown(found));
    };
    for (nth, (found, wanted)) in found.iter().zip(*wanted).enumerate() {
        if found != wanted {
            return format!(
                "change {nth} is\n  {}\ninstead of\n  {}",
                one(found, wanted),
                one(wanted, found)
            );
        }
    }
    format!("{} changes instead of {}", found.len(), wanted.len())
}

fn shown(trx: &Trx) -> String {
    format!("{} changes, the first: {}", trx.len(), one(&trx[0], &trx[0]))
}

/// A change: the row's number, and the first few columns in which another change differs.
fn one(change: &Change, other: &Change) -> String {
    const COLUMNS_MAX: usize = 4;
    let row = |row: &Option<Image>, other: &Option<Image>| {
        let Some(row) = row else { return "-".to_owned() };
        let differs = |(name, val): &(&String, &Option<String>)| {
            *name != "id" && other.as_ref().is_none_or(|other| other.get(*name) != Some(*val))
        };
        let number = row.get_key_value("id");
        let columns = number.into_iter().chain(row.iter().filter(differs).take(COLUMNS_MAX));
        let start = |val: &String| format!("{:?}", val.chars().take(60).collect::<String>());
        let shown = |val: &Option<String>| val.as_ref().map_or("NULL".to_owned(), start);
        columns.map(|(name, val)| format!("{name}={}", shown(val))).collect::<Vec<_>>().join(" ")
    };
    let (before, after) = (row(&change.before, &other.before), row(&change.after, &other.after));
    format!("{} {}: {before} => {after}", change.op, change.table)
}

#[cfg(test)]
mod tests;
