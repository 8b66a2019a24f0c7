//! What the driver knows: tables with their rows, and the changes that statements make of them.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use rig::random::Random;

use super::values::{Datum, Kind};

/// The database that everything is in.
pub const DATABASE: &str = "cdc";

/// A row as consumers write it: text or NULL by the name of the column.
pub type Image = BTreeMap<String, Option<String>>;

/// A row's change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// `insert`, `update` or `delete`; `read` of a snapshot.
    pub op: String,
    /// The table.
    pub table: String,
    /// The row before, unless it was inserted.
    pub before: Option<Image>,
    /// The row after, unless it was deleted.
    pub after: Option<Image>,
}

/// The changes of a transaction, in order; never empty.
pub type Trx = Vec<Change>;

/// A column beside the first, which is the number of the row.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: Kind,
}

/// NULL or a value.
type Cell = Option<Datum>;

/// A table and what is in it. Its first column, `id`, tells rows apart.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Whether `id` is its primary key; it has none otherwise.
    pub keyed: bool,
    /// The other columns.
    pub columns: Vec<Column>,
    rows: BTreeMap<u64, Vec<Cell>>,
    next: u64,
}

impl Table {
    /// An empty table.
    pub fn new(name: &str, keyed: bool, columns: &[(&str, Kind)]) -> Self {
        let column = |(name, kind): &(&str, Kind)| Column { name: (*name).to_owned(), kind: *kind };
        let columns = columns.iter().map(column).collect();
        Self { name: name.to_owned(), keyed, columns, rows: BTreeMap::new(), next: 1 }
    }

    /// CREATE TABLE.
    pub fn create(&self) -> String {
        let mut columns = vec!["id BIGINT UNSIGNED NOT NULL".to_owned()];
        columns.extend(self.columns.iter().map(|column| format!("{} {}", column.name, column.kind.sql())));
        if self.keyed {
            columns.push("PRIMARY KEY (id)".to_owned());
        }
        let columns = columns.join(", ");
        format!("CREATE TABLE {DATABASE}.{} ({columns}) DEFAULT CHARSET=utf8mb4", self.name)
    }

    /// CREATE TABLE .. SELECT: another table with the same rows.
    pub fn copy_as(&self, name: &str) -> (Self, String, Vec<Change>) {
        let copy = Self { name: name.to_owned(), keyed: true, ..self.clone() };
        let changes = copy.rows.keys().map(|id| copy.change("insert", None, copy.image(*id))).collect();
        let sql = format!(
            "CREATE TABLE {DATABASE}.{name} (PRIMARY KEY (id)) SELECT * FROM {DATABASE}.{}",
            self.name
        );
        (copy, sql, changes)
    }

    /// How many rows it has.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// INSERT of rows with any values.
    pub fn insert(&mut self, count: usize, random: &mut Random) -> (String, Vec<Change>) {
        let rows: Vec<Vec<Cell>> = (0..count).map(|_| self.row(random)).collect();
        self.insert_rows(rows)
    }

    /// INSERT of a row of which one column has a value and the others are NULL.
    pub fn insert_one(&mut self, column: usize, val: Datum) -> (String, Vec<Change>) {
        let mut row = vec![None; self.columns.len()];
        row[column] = Some(val);
        self.insert_rows(vec![row])
    }

    fn insert_rows(&mut self, rows: Vec<Vec<Cell>>) -> (String, Vec<Change>) {
        let (mut tuples, mut changes) = (Vec::new(), Vec::new());
        for row in rows {
            let id = self.next;
            self.next += 1;
            let mut tuple = format!("({id}");
            for cell in &row {
                tuple += ", ";
                tuple += cell.as_ref().map_or("NULL", |datum| &datum.literal);
            }
            tuples.push(tuple + ")");
            self.rows.insert(id, row);
            changes.push(self.change("insert", None, self.image(id)));
        }
        (format!("INSERT INTO {DATABASE}.{} VALUES {}", self.name, tuples.join(", ")), changes)
    }

    /// UPDATE of some columns of some rows, each to one value for all of them. A row that stays the same is no change.
    pub fn update(
        &mut self,
        ids: &RangeInclusive<u64>,
        columns: &[usize],
        random: &mut Random,
    ) -> (String, Vec<Change>) {
        let set: Vec<(usize, Cell)> =
            columns.iter().map(|column| (*column, cell(self.columns[*column].kind, random))).collect();
        self.update_to(ids, &set)
    }

    /// UPDATE of one column of one row.
    pub fn update_one(&mut self, id: u64, column: usize, val: Datum) -> (String, Vec<Change>) {
        self.update_to(&(id..=id), &[(column, Some(val))])
    }

    fn update_to(&mut self, ids: &RangeInclusive<u64>, set: &[(usize, Cell)]) -> (String, Vec<Change>) {
        let mut changes = Vec::new();
        for id in self.ids(ids) {
            let before = self.image(id);
            let row = self.rows.get_mut(&id).expect("it was just found");
            for (column, cell) in set {
                row[*column].clone_from(cell);
            }
            let after = self.image(id);
            if before != after {
                changes.push(self.change("update", before, after));
            }
        }
        let literal = |cell: &Cell| cell.as_ref().map_or("NULL".to_owned(), |datum| datum.literal.clone());
        let set: Vec<String> = set
            .iter()
            .map(|(column, cell)| format!("{} = {}", self.columns[*column].name, literal(cell)))
            .collect();
        (format!("UPDATE {DATABASE}.{} SET {} WHERE {}", self.name, set.join(", "), within(ids)), changes)
    }

    /// DELETE of some rows.
    pub fn delete(&mut self, ids: &RangeInclusive<u64>) -> (String, Vec<Change>) {
        let mut changes = Vec::new();
        for id in self.ids(ids) {
            changes.push(self.change("delete", self.image(id), None));
            self.rows.remove(&id);
        }
        (format!("DELETE FROM {DATABASE}.{} WHERE {}", self.name, within(ids)), changes)
    }

    /// ALTER TABLE ADD COLUMN at a place (0: behind `id`), with a default for the rows that are there.
    pub fn add_column(&mut self, place: usize, name: &str, kind: Kind, default: &Datum) -> String {
        let after = place.checked_sub(1).map_or("id", |before| &self.columns[before].name).to_owned();
        self.columns.insert(place, Column { name: name.to_owned(), kind });
        for row in self.rows.values_mut() {
            row.insert(place, Some(default.clone()));
        }
        format!(
            "ALTER TABLE {DATABASE}.{} ADD COLUMN {name} {} DEFAULT {} AFTER {after}",
            self.name,
            kind.sql(),
            default.literal
        )
    }

    /// ALTER TABLE DROP COLUMN.
    pub fn drop_column(&mut self, place: usize) -> String {
        for row in self.rows.values_mut() {
            row.remove(place);
        }
        let column = self.columns.remove(place);
        format!("ALTER TABLE {DATABASE}.{} DROP COLUMN {}", self.name, column.name)
    }

    /// TRUNCATE TABLE, of which consumers are told no rows.
    pub fn truncate(&mut self) -> String {
        self.rows.clear();
        format!("TRUNCATE TABLE {DATABASE}.{}", self.name)
    }

    /// Some of its rows, a few at most; it must not be empty.
    pub fn some_rows(&self, random: &mut Random) -> RangeInclusive<u64> {
        let nth = usize::try_from(random.below(self.rows.len() as u64)).expect("a count of rows");
        let first = *self.rows.keys().nth(nth).expect("below the count");
        let more = if random.below(3) == 0 { random.below(5) } else { 0 };
        first..=first + more
    }

    fn row(&self, random: &mut Random) -> Vec<Cell> {
        self.columns.iter().map(|column| cell(column.kind, random)).collect()
    }

    fn ids(&self, within: &RangeInclusive<u64>) -> Vec<u64> {
        self.rows.range(within.clone()).map(|(id, _)| *id).collect()
    }

    fn image(&self, id: u64) -> Option<Image> {
        let row = self.rows.get(&id)?;
        let cells = row.iter().map(|cell| cell.as_ref().map(|datum| datum.text.clone()));
        let mut image: Image = self.columns.iter().map(|column| column.name.clone()).zip(cells).collect();
        image.insert("id".to_owned(), Some(id.to_string()));
        Some(image)
    }

    fn change(&self, op: &str, before: Option<Image>, after: Option<Image>) -> Change {
        Change { op: op.to_owned(), table: self.name.clone(), before, after }
    }
}

fn cell(kind: Kind, random: &mut Random) -> Cell {
    if random.below(6) == 0 { None } else { Some(kind.random(random)) }
}

fn within(ids: &RangeInclusive<u64>) -> String {
    let (first, last) = (ids.start(), ids.end());
    if first == last { format!("id = {first}") } else { format!("id BETWEEN {first} AND {last}") }
}

#[cfg(test)]
mod tests {
    use super::super::values::number;
    use super::*;

    #[test]
    fn statements_and_changes_say_the_same() {
        let mut random = Random::new(1);
        let mut table = Table::new("t", true, &[("n", Kind::Int { bits: 64, unsigned: true })]);
        let (sql, changes) = table.insert_one(0, number(7));
        assert_eq!(sql, "INSERT INTO cdc.t VALUES (1, 7)");
        assert_eq!(changes[0].after.as_ref().unwrap()["n"], Some("7".to_owned()));
        assert!(table.update_one(1, 0, number(7)).1.is_empty(), "nothing changed");
        let (sql, changes) = table.update_one(1, 0, number(8));
        assert_eq!(sql, "UPDATE cdc.t SET n = 8 WHERE id = 1");
        assert_eq!(changes[0].before.as_ref().unwrap()["n"], Some("7".to_owned()));
        let sql = table.add_column(0, "m", Kind::Date, &number(3));
        assert_eq!(sql, "ALTER TABLE cdc.t ADD COLUMN m DATE DEFAULT 3 AFTER id");
        assert_eq!(table.insert(2, &mut random).1.len(), 2);
        let (sql, changes) = table.delete(&(1..=2));
        assert_eq!((&*sql, changes.len(), table.len()), ("DELETE FROM cdc.t WHERE id BETWEEN 1 AND 2", 2, 1));
        assert_eq!(changes[0].before.as_ref().unwrap()["m"], Some("3".to_owned()));
    }
}
