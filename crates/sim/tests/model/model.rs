//! The model: maps.

use std::collections::BTreeMap;

/// A row without its primary key: `a` and `b`.
pub type Row = (i64, Option<String>);

/// Rows by primary key.
pub type Rows = BTreeMap<i64, Row>;

/// What a transaction has changed: `None` for a row that it has removed.
pub type Changes = BTreeMap<i64, Option<Row>>;

/// What a statement answers.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Affected rows.
    Changed(u64),
    /// Error 1062.
    Duplicate,
}

/// A session's transaction.
#[derive(Debug, Default)]
pub struct Transaction {
    pub open: bool,
    /// REPEATABLE READ; else READ COMMITTED.
    pub repeatable: bool,
    pub snapshot: Option<Rows>,
    pub own: Changes,
    pub savepoints: Vec<(String, Changes)>,
}

impl Transaction {
    /// The rows that a plain read sees; it takes the snapshot if there is none yet.
    pub fn sees(&mut self, committed: &Rows) -> Rows {
        let base = if self.open && self.repeatable {
            self.snapshot.get_or_insert_with(|| committed.clone()).clone()
        } else {
            committed.clone()
        };
        overlay(base, &self.own)
    }

    /// The rows that a change works on.
    pub fn newest(&self, committed: &Rows) -> Rows {
        overlay(committed.clone(), &self.own)
    }

    /// INSERT of one row.
    pub fn insert(&mut self, committed: &Rows, id: i64, row: Row) -> Outcome {
        let rows = self.newest(committed);
        if rows.contains_key(&id) || has_b(&rows, id, &row) {
            return Outcome::Duplicate;
        }
        self.own.insert(id, Some(row));
        Outcome::Changed(1)
    }

    /// REPLACE of one row: removes what is in its way.
    pub fn replace(&mut self, committed: &Rows, id: i64, row: Row) -> Outcome {
        let rows = self.newest(committed);
        let in_the_way: Vec<i64> =
            rows.iter().filter(|(key, old)| **key == id || same_b(old, &row)).map(|(key, _)| *key).collect();
        for key in &in_the_way {
            self.own.insert(*key, None);
        }
        self.own.insert(id, Some(row));
        Outcome::Changed(1 + in_the_way.len() as u64)
    }

    /// UPDATE of some rows, one after another by primary key; all or nothing.
    pub fn update(
        &mut self,
        committed: &Rows,
        wanted: impl Fn(i64, &Row) -> bool,
        new: impl Fn(&Row) -> Row,
    ) -> Outcome {
        let mut rows = self.newest(committed);
        let mut changes = Changes::new();
        let ids: Vec<i64> = rows.iter().filter(|(id, row)| wanted(**id, row)).map(|(id, _)| *id).collect();
        // The world's clients ask for the rows that were found, not for those that became others.
        let count = ids.len() as u64;
        for id in ids {
            let row = new(&rows[&id]);
            if row == rows[&id] {
                continue;
            }
            if has_b(&rows, id, &row) {
                return Outcome::Duplicate;
            }
            rows.insert(id, row.clone());
            changes.insert(id, Some(row));
        }
        self.own.extend(changes);
        Outcome::Changed(count)
    }

    /// DELETE of some rows.
    pub fn delete(&mut self, committed: &Rows, wanted: impl Fn(i64, &Row) -> bool) -> Outcome {
        let rows = self.newest(committed);
        let ids: Vec<i64> = rows.iter().filter(|(id, row)| wanted(**id, row)).map(|(id, _)| *id).collect();
        self.own.extend(ids.iter().map(|id| (*id, None)));
        Outcome::Changed(ids.len() as u64)
    }

    /// The end: what it changed, if it is a commit.
    pub fn end(&mut self) -> Changes {
        std::mem::take(self).own
    }
}

/// Puts changes over rows.
pub fn overlay(mut rows: Rows, changes: &Changes) -> Rows {
    for (id, row) in changes {
        match row {
            Some(row) => rows.insert(*id, row.clone()),
            None => rows.remove(id),
        };
    }
    rows
}

fn same_b(a: &Row, b: &Row) -> bool {
    a.1.is_some() && a.1 == b.1
}

fn has_b(rows: &Rows, id: i64, row: &Row) -> bool {
    rows.iter().any(|(key, other)| *key != id && same_b(other, row))
}
