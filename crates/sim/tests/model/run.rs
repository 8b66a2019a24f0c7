//! A run: statements for the server and the model alike.

use std::path::Path;
use std::sync::Arc;

use sim::{Answer, Conn, Options, World};
use vfs::Vfs;
use vfs::sim::SimDisk;

use crate::model::{Outcome, Row, Rows, Transaction, overlay};

/// Sessions at a time.
const SESSIONS: usize = 4;
/// Primary keys that each session changes.
const KEYS: i64 = 24;

/// See the module.
pub struct Run {
    seed: u64,
    random: u64,
    disk: Arc<dyn Vfs>,
    committed: Rows,
}

impl Run {
    pub fn new(seed: u64) -> Self {
        let disk: Arc<dyn Vfs> = Arc::new(SimDisk::new());
        let random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        Self { seed, random, disk, committed: Rows::new() }
    }

    /// Some runs of the server, with the data of the one before.
    pub fn steps(mut self, steps: u32) {
        let runs = 4;
        for run in 0..runs {
            let world = World::open(&self.disk, &Options::default()).unwrap();
            let mut conns: Vec<Conn<'_>> = (0..SESSIONS).map(|_| world.connect()).collect();
            if run == 0 {
                conns[0].ok("CREATE DATABASE d");
                conns[0].ok("CREATE TABLE d.t (id BIGINT PRIMARY KEY, a BIGINT NOT NULL, b VARCHAR(20), KEY (a), UNIQUE KEY (b))");
            }
            for conn in &mut conns {
                conn.ok("USE d");
            }
            let mut transactions: Vec<Transaction> = (0..SESSIONS).map(|_| Transaction::default()).collect();
            for step in 0..steps / runs {
                let session = self.index(SESSIONS);
                let context = format!("seed {} run {run} step {step} session {session}", self.seed);
                self.step(&world, &mut conns[session], &mut transactions[session], session as i64, &context);
            }
            // The process ends as it is: what was not committed is gone.
            drop(conns);
            world.dump().unwrap();
        }
        assert!(self.disk.exists(Path::new("/data/base.redb")).unwrap());
    }

    fn index(&mut self, bound: usize) -> usize {
        usize::try_from(self.below(bound as u64)).unwrap()
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % bound
    }

    fn step(
        &mut self,
        world: &World,
        conn: &mut Conn<'_>,
        trx: &mut Transaction,
        session: i64,
        context: &str,
    ) {
        match self.below(20) {
            0 if !trx.open => {
                trx.repeatable = self.below(2) == 0;
                let level = if trx.repeatable { "REPEATABLE READ" } else { "READ COMMITTED" };
                conn.ok(&format!("SET TRANSACTION ISOLATION LEVEL {level}"));
                conn.ok("BEGIN");
                trx.open = true;
            }
            0 | 1 if trx.open => self.end(conn, trx),
            2 => world.checkpoint().unwrap(),
            3 if trx.open => self.savepoint(conn, trx),
            0..=8 => self.read(conn, trx, context),
            _ => self.change(conn, trx, session, context),
        }
    }

    fn end(&mut self, conn: &mut Conn<'_>, trx: &mut Transaction) {
        let changes = if self.below(3) > 0 {
            conn.ok("COMMIT");
            trx.end()
        } else {
            conn.ok("ROLLBACK");
            trx.end();
            return;
        };
        self.committed = overlay(std::mem::take(&mut self.committed), &changes);
    }

    fn savepoint(&mut self, conn: &mut Conn<'_>, trx: &mut Transaction) {
        let name = ["s1", "s2", "s3"][self.index(3)].to_owned();
        let known = trx.savepoints.iter().position(|(known, _)| *known == name);
        if self.below(2) == 0
            && let Some(place) = known
        {
            conn.ok(&format!("ROLLBACK TO {name}"));
            trx.own = trx.savepoints[place].1.clone();
            trx.savepoints.truncate(place + 1);
        } else {
            conn.ok(&format!("SAVEPOINT {name}"));
            trx.savepoints.retain(|(known, _)| *known != name);
            trx.savepoints.push((name, trx.own.clone()));
        }
    }

    fn read(&mut self, conn: &mut Conn<'_>, trx: &mut Transaction, context: &str) {
        let rows = trx.sees(&self.committed);
        // What can hold for no row, or LIMIT 0, would read nothing and take no snapshot.
        let low = self.below(40) as i64;
        let high = low + self.below(40) as i64;
        let text = |(id, (a, b)): (&i64, &Row)| format!("{id}|{a}|{}", b.as_deref().unwrap_or("NULL"));
        let select = |wanted: &dyn Fn(i64, &Row) -> bool| -> Vec<String> {
            rows.iter().filter(|(id, row)| wanted(**id, row)).map(text).collect()
        };
        let by_a = |descending: bool| {
            let mut found: Vec<_> = rows.iter().filter(|(_, row)| (low..=high).contains(&row.0)).collect();
            found.sort_by_key(|(id, row)| (row.0, **id));
            if descending {
                found.reverse();
            }
            found.into_iter().map(text).collect::<Vec<_>>()
        };
        let (sql, expected) = match self.below(8) {
            0 => ("SELECT * FROM t ORDER BY id".to_owned(), select(&|_, _| true)),
            1 => {
                let sql = format!("SELECT * FROM t WHERE id BETWEEN {low} AND {high} ORDER BY id DESC");
                (sql, select(&|id, _| (low..=high).contains(&id)).into_iter().rev().collect())
            }
            2 => (format!("SELECT * FROM t WHERE a BETWEEN {low} AND {high} ORDER BY a, id"), by_a(false)),
            3 => (
                format!("SELECT * FROM t WHERE a BETWEEN {low} AND {high} ORDER BY a DESC, id DESC"),
                by_a(true),
            ),
            4 => (format!("SELECT * FROM t WHERE b = 'b{low}'"), {
                let b = Some(format!("b{low}"));
                select(&|_, row| row.1 == b)
            }),
            5 => (format!("SELECT * FROM t WHERE a = {low} ORDER BY id"), select(&|_, row| row.0 == low)),
            6 => ("SELECT COUNT(*), COUNT(b), SUM(a) FROM t".to_owned(), {
                let sum: i64 = rows.values().map(|row| row.0).sum();
                let sum = if rows.is_empty() { "NULL".to_owned() } else { sum.to_string() };
                let with_b = rows.values().filter(|row| row.1.is_some()).count();
                vec![format!("{}|{with_b}|{sum}", rows.len())]
            }),
            _ => {
                let limit = 1 + usize::try_from(low).unwrap() % 7;
                let mut found = select(&|id, _| id >= high);
                found.truncate(limit);
                (format!("SELECT * FROM t WHERE id >= {high} ORDER BY id LIMIT {limit}"), found)
            }
        };
        say(context, &sql);
        assert_eq!(conn.rows(&sql), expected, "{context}: {sql}");
    }

    fn change(&mut self, conn: &mut Conn<'_>, trx: &mut Transaction, session: i64, context: &str) {
        let mine = |number: u64| number as i64 * SESSIONS as i64 + session;
        let (id, a) = (mine(self.below(KEYS as u64)), self.below(50) as i64);
        let b = (self.below(3) > 0).then(|| format!("b{}", mine(self.below(12))));
        let literal = b.as_ref().map_or("NULL".to_owned(), |b| format!("'{b}'"));
        let row: Row = (a, b.clone());
        let other = mine(self.below(KEYS as u64));
        let committed = &self.committed;
        let (sql, outcome) = match self.random % 7 {
            0 | 1 => (format!("INSERT INTO t VALUES ({id}, {a}, {literal})"), trx.insert(committed, id, row)),
            2 => (format!("REPLACE INTO t VALUES ({id}, {a}, {literal})"), trx.replace(committed, id, row)),
            3 => (
                format!("UPDATE t SET a = {a}, b = {literal} WHERE id = {id}"),
                trx.update(committed, |key, _| key == id, |_| row.clone()),
            ),
            4 => (
                format!("UPDATE t SET a = a + 1 WHERE id IN ({id}, {other})"),
                trx.update(committed, |key, _| key == id || key == other, |old| (old.0 + 1, old.1.clone())),
            ),
            5 => (format!("DELETE FROM t WHERE id = {id}"), trx.delete(committed, |key, _| key == id)),
            _ => (
                format!("DELETE FROM t WHERE id IN ({id}, {other}) AND a < {a}"),
                trx.delete(committed, |key, old| (key == id || key == other) && old.0 < a),
            ),
        };
        say(context, &sql);
        match (conn.run(&sql), &outcome) {
            (Answer::Ok(affected, ..), Outcome::Changed(expected)) => {
                assert_eq!(affected, *expected, "{context}: {sql}");
            }
            (Answer::Error(1062, _), Outcome::Duplicate) => {}
            (answer, _) => panic!("{context}: {sql}: {answer:?}, the model says {outcome:?}"),
        }
        if !trx.open {
            let changes = trx.end();
            self.committed = overlay(std::mem::take(&mut self.committed), &changes);
        }
    }
}

/// Of one run, every statement is shown: the last one may be one that never ends.
fn say(context: &str, sql: &str) {
    if std::env::var_os("ONELOG_SEED").is_some() {
        eprintln!("{context}: {sql}");
    }
}
