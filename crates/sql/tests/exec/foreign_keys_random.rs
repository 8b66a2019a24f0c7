//! R5: random changes of three tables with random foreign keys leave what a simple model says, and no orphans.

use std::collections::BTreeMap;

use engine::catalog::def::ReferentialAction;
use vfs::sim::Rng;

use crate::db::{Conn, Db};
use crate::foreign_keys::{create, key};

/// `id`, `a`, `b`
type Row = [Option<i64>; 3];
const COLUMNS: [&str; 3] = ["id", "a", "b"];
/// How many values there are: few, so that many rows are related.
const VALUES: u64 = 12;
const TABLES: [&str; 3] = ["t0", "t1", "t2"];

/// `table.column` refers to `parent.parent_column`.
#[derive(Clone, Debug)]
struct Key {
    table: usize,
    column: usize,
    parent: usize,
    parent_column: usize,
    on_delete: ReferentialAction,
    on_update: ReferentialAction,
}

#[derive(Clone, Debug)]
struct Model {
    keys: Vec<Key>,
    tables: [BTreeMap<i64, Row>; 3],
}

type Done = Result<(), u16>;

impl Model {
    fn check(&self, table: usize, old: Option<Row>, new: Row) -> Done {
        for key in self.keys.iter().filter(|key| key.table == table) {
            let Some(value) = new[key.column] else { continue };
            if old.is_some_and(|old| old[key.column] == Some(value)) {
                continue;
            }
            let is_self = |row: &Row| key.parent == table && old.is_some_and(|old| old[0] == row[0]);
            let parents = self.tables[key.parent].values().filter(|row| !is_self(row));
            let own = (key.parent == table).then_some(&new);
            if !parents.chain(own).any(|row| row[key.parent_column] == Some(value)) {
                return Err(1452);
            }
        }
        Ok(())
    }

    /// The keys to a table in the order in which they are looked at, each with what it does and the value that goes.
    fn children(
        &self,
        table: usize,
        before: Row,
        after: Option<Row>,
        updated: &[usize],
    ) -> Vec<(Key, ReferentialAction, i64)> {
        let mut keys: Vec<_> = self.keys.iter().filter(|key| key.parent == table).cloned().collect();
        keys.sort_by_key(|key| (!(key.on_delete.refuses() && key.on_update.refuses()), key.table));
        let lost = |key: &Key| {
            let value = before[key.parent_column]?;
            (after.is_none_or(|after| after[key.parent_column] != Some(value))).then_some(value)
        };
        let found = keys.into_iter().filter_map(|key| Some((key.clone(), lost(&key)?)));
        found
            .map(|(key, value)| {
                let action = if after.is_some() { key.on_update } else { key.on_delete };
                let updates = after.is_some() || action == ReferentialAction::SetNull;
                let back = updates && updated.contains(&key.table);
                let action = if back { ReferentialAction::Restrict } else { action };
                (key, action, value)
            })
            .collect()
    }

    /// Changes a row, and what depends on it. `chain` are the changes that led here; `updated` their tables.
    fn change(
        &mut self,
        table: usize,
        before: Row,
        after: Option<Row>,
        (depth, updated): (usize, &[usize]),
    ) -> Done {
        let mut updated = updated.to_vec();
        if let Some(after) = after {
            self.check(table, Some(before), after)?;
            updated.push(table);
        }
        let rows_of = |model: &Self, key: &Key, value| -> Vec<Row> {
            let rows = model.tables[key.table].values();
            rows.filter(|row| row[key.column] == Some(value)).copied().collect()
        };
        for (key, action, value) in self.children(table, before, after, &updated) {
            if action.refuses() && !rows_of(self, &key, value).is_empty() {
                return Err(1451);
            }
        }
        self.tables[table].remove(&before[0].unwrap());
        if let Some(after) = after
            && self.tables[table].insert(after[0].unwrap(), after).is_some()
        {
            return Err(if depth == 1 { 1062 } else { 1761 });
        }
        for (key, action, value) in self.children(table, before, after, &updated) {
            if action.refuses() {
                continue;
            }
            for row in rows_of(self, &key, value) {
                if self.tables[key.table].get(&row[0].unwrap()) != Some(&row) {
                    let now = self.tables[key.table].get(&row[0].unwrap());
                    if now.is_none_or(|now| now[key.column] != Some(value)) {
                        continue;
                    }
                }
                let row = self.tables[key.table][&row[0].unwrap()];
                if depth >= 15 {
                    return Err(3008);
                }
                let next = match (action, after) {
                    (ReferentialAction::Cascade, None) => None,
                    (ReferentialAction::Cascade, Some(after)) => {
                        Some(with(row, key.column, after[key.parent_column]))
                    }
                    _ => Some(with(row, key.column, None)),
                };
                if next.is_some_and(|next| next[0].is_none()) {
                    return Err(1451);
                }
                self.change(key.table, row, next, (depth + 1, &updated))?;
            }
        }
        Ok(())
    }

    fn insert(&mut self, table: usize, row: Row) -> Done {
        self.check(table, None, row)?;
        if self.tables[table].contains_key(&row[0].unwrap()) {
            return Err(1062);
        }
        self.tables[table].insert(row[0].unwrap(), row);
        Ok(())
    }

    /// Does something for each of some rows. Returns how many it was done for.
    fn each(
        &mut self,
        ignore: bool,
        rows: &[Row],
        mut one: impl FnMut(&mut Self, Row) -> Done,
    ) -> Result<u64, u16> {
        let (begun, mut count) = (self.tables.clone(), 0);
        for row in rows {
            let before = self.tables.clone();
            match one(self, *row) {
                Ok(()) => count += 1,
                Err(1062 | 1451 | 1452) if ignore => self.tables = before,
                Err(error) => {
                    self.tables = begun;
                    return Err(error);
                }
            }
        }
        Ok(count)
    }

    fn orphans(&self) -> usize {
        let has_parent = |key: &Key, value| {
            let mut parents = self.tables[key.parent].values();
            parents.any(|row| row[key.parent_column] == Some(value))
        };
        let values = self
            .keys
            .iter()
            .flat_map(|key| self.tables[key.table].values().map(move |row| (key, row[key.column])));
        values.filter(|(key, value)| value.is_some_and(|value| !has_parent(key, value))).count()
    }
}

fn with(mut row: Row, column: usize, value: Option<i64>) -> Row {
    row[column] = value;
    row
}

fn text(value: Option<i64>) -> String {
    value.map_or("NULL".to_owned(), |value| value.to_string())
}

/// A value for a column, mostly one that has a parent if it needs one.
fn value(rng: &mut Rng, model: &Model, table: usize, column: usize) -> Option<i64> {
    let key = model.keys.iter().find(|key| (key.table, key.column) == (table, column));
    if let Some(key) = key
        && rng.chance(9, 10)
    {
        let parents: Vec<_> =
            model.tables[key.parent].values().filter_map(|row| row[key.parent_column]).collect();
        if !parents.is_empty() {
            return Some(parents[rng.index(parents.len())]);
        }
        return (column == 0).then_some(0);
    }
    (column == 0 || !rng.chance(1, 3)).then(|| rng.below(VALUES).cast_signed())
}

fn random_key(rng: &mut Rng) -> Key {
    let mut action = || ReferentialAction::ALL[rng.index(4)];
    let (on_delete, on_update) = (action(), action());
    let column = if rng.chance(1, 3) { 0 } else { 1 + rng.index(2) };
    let parent_column = if rng.coin() { 2 } else { 0 };
    Key { table: rng.index(3), column, parent: rng.index(3), parent_column, on_delete, on_update }
}

fn database(keys: &[Key]) -> (Db, Conn) {
    let mut db = Db::new();
    for name in TABLES {
        create(&mut db, name);
    }
    for (number, of) in keys.iter().enumerate() {
        let parent = (TABLES[of.parent], &[COLUMNS[of.parent_column]][..]);
        let column = u16::try_from(of.column).unwrap();
        let key = key(&format!("k{number}"), &[column], parent, (of.on_delete, of.on_update));
        db.refer(TABLES[of.table], &key);
    }
    let conn = db.connect();
    (db, conn)
}

/// A random statement, and what the model makes of it.
fn statement(rng: &mut Rng, model: &mut Model) -> (String, Result<u64, u16>) {
    let table = rng.index(3);
    let (name, ignore) = (TABLES[table], rng.chance(1, 4));
    let word = if ignore { "IGNORE" } else { "" };
    if rng.chance(1, 2) {
        let rows: Vec<Row> =
            (0..=rng.index(2)).map(|_| [0, 1, 2].map(|column| value(rng, model, table, column))).collect();
        let values: Vec<String> = rows.iter().map(|row| format!("({})", row.map(text).join(", "))).collect();
        let sql = format!("INSERT {word} INTO {name} VALUES {}", values.join(", "));
        return (sql, model.each(ignore, &rows, |model, row| model.insert(table, row)));
    }
    let rows: Vec<i64> = model.tables[table].keys().copied().collect();
    let low = if rows.is_empty() { 0 } else { rows[rng.index(rows.len())] };
    let size = if rng.chance(1, 4) { 3 } else { 0 };
    let rows: Vec<Row> = model.tables[table].range(low..=low + size).map(|(_, row)| *row).collect();
    let filter = format!("WHERE id BETWEEN {low} AND {} ORDER BY id", low + size);
    let still = move |model: &Model, row: Row| {
        let now = model.tables[table].get(&row[0].unwrap()).copied();
        now.filter(|now| now[0].is_some_and(|id| (low..=low + size).contains(&id)))
    };
    if rng.chance(1, 3) {
        // A row that an earlier one's cascade has removed is not counted.
        let mut gone = 0;
        let done = model.each(ignore, &rows, |model, row| {
            if let Some(row) = still(model, row) {
                return model.change(table, row, None, (1, &[]));
            }
            gone += 1;
            Ok(())
        });
        return (format!("DELETE {word} FROM {name} {filter}"), done.map(|count| count - gone));
    }
    let column = rng.index(3);
    let new = value(rng, model, table, column);
    let mut same = 0;
    let done = model.each(ignore, &rows, |model, row| {
        let changed = still(model, row).map(|row| (row, with(row, column, new)));
        if let Some((row, after)) = changed.filter(|(row, after)| row != after) {
            return model.change(table, row, Some(after), (1, &[]));
        }
        same += 1;
        Ok(())
    });
    let sql = format!("UPDATE {word} {name} SET {} = {} {filter}", COLUMNS[column], text(new));
    (sql, done.map(|count| count - same))
}

/// Counts what came out by error codes, and under 1 the rows that changed for others.
fn run(seed: u64, counts: &mut BTreeMap<u16, usize>) {
    let mut rng = Rng::new(seed);
    let keys: Vec<Key> = (0..2 + rng.index(4)).map(|_| random_key(&mut rng)).collect();
    let mut model = Model { keys, tables: Default::default() };
    let (_db, mut conn) = database(&model.keys);
    for step in 0..80 {
        let before = model.tables.clone();
        let (sql, expected) = statement(&mut rng, &mut model);
        let got = conn.attempt(&sql).map(|changed| changed.affected).map_err(|error| error.code);
        let context = format!("seed {seed}, step {step}: {sql}\n{:#?}\nbefore: {before:?}", model.keys);
        assert_eq!(got, expected, "{context}");
        *counts.entry(got.err().unwrap_or(0)).or_default() += 1;
        for (table, name) in TABLES.iter().enumerate() {
            let rows = conn.rows(&format!("SELECT * FROM {name} ORDER BY id"));
            let wanted: Vec<String> =
                model.tables[table].values().map(|row| row.map(text).join("|")).collect();
            assert_eq!(rows, wanted, "{name}; {context}");
        }
        assert_eq!(model.orphans(), 0, "{context}");
    }
    let cascaded = conn.log.events.iter().filter(|event| event.ends_with("cascaded")).count();
    *counts.entry(1).or_default() += cascaded;
}

#[test]
fn random_changes_leave_what_a_model_says_and_no_orphans() {
    let mut counts = BTreeMap::new();
    (0..500).for_each(|seed| run(seed, &mut counts));
    for code in [0, 1, 1062, 1451, 1452, 1761] {
        assert!(counts.get(&code).is_some_and(|count| *count > 2), "{code} is too rare: {counts:?}");
    }
}
