//! Workloads that a seed makes: what nobody thought of.

use vfs::sim::Rng;

use crate::workload::{Step, tables};

/// Steps of a workload.
const STEPS: usize = 28;

/// The workload of a seed. Every statement succeeds, and a transaction does the same whatever others do at the same time.
pub fn steps(seed: u64) -> Vec<Step> {
    let mut random = Random { rng: Rng::new(seed), fresh: 1_000_000, made: Vec::new() };
    let mut steps = tables();
    steps.extend((0..STEPS).map(|_| random.step()));
    steps
}

struct Random {
    rng: Rng,
    /// The next number that no row has.
    fresh: u64,
    /// Tables that were made.
    made: Vec<String>,
}

impl Random {
    fn step(&mut self) -> Step {
        match self.rng.below(16) {
            0..7 => Step::Together(self.texts()),
            7 => Step::TogetherWithCheckpoint(self.texts()),
            8 | 9 => Step::Checkpoint,
            10 => say("FLUSH BINARY LOGS"),
            11 => Step::PurgeHalf,
            12 => Step::Say(0, self.large()),
            _ => Step::Say(0, self.definition()),
        }
    }

    fn texts(&mut self) -> Vec<String> {
        let count = 1 + self.rng.below(6);
        let text = |_| {
            let text = self.transaction();
            let compresses = self.rng.chance(1, 4);
            if compresses {
                format!("SET binlog_transaction_compression = @@GLOBAL.gtid_mode = 'ON'; {text}")
            } else {
                text
            }
        };
        (0..count).map(text).collect()
    }

    fn transaction(&mut self) -> String {
        if self.rng.chance(2, 3) {
            return self.change();
        }
        let mut parts = vec!["BEGIN".to_owned()];
        parts.extend((0..=self.rng.below(3)).map(|_| self.change()));
        if self.rng.coin() {
            parts.push("SAVEPOINT s".to_owned());
            parts.push(self.change());
            parts.push("ROLLBACK TO s".to_owned());
        }
        // A row that nobody else knows: there is always something to commit.
        parts.push(format!("INSERT INTO d.u (a, b) VALUES ({}, 'last')", self.fresh()));
        parts.push(if self.rng.chance(1, 4) { "ROLLBACK" } else { "COMMIT" }.to_owned());
        parts.join("; ")
    }

    /// A change of rows that nobody else knows, or of one that everybody changes: as it is the only one, nobody waits in a
    /// circle.
    fn change(&mut self) -> String {
        let fresh = self.fresh();
        let size = if self.rng.chance(1, 8) { 5000 } else { self.rng.below(60) };
        match self.rng.below(5) {
            0 => format!("INSERT INTO d.u (a, b) VALUES ({fresh}, REPEAT('q', {size}))"),
            1 => format!("INSERT INTO d.n (id, v) VALUES ({fresh}, {fresh})"),
            2 => format!("INSERT INTO d.u (a) VALUES ({fresh}), ({fresh}), (NULL)"),
            3 => format!("UPDATE d.n SET v = {fresh} WHERE id = 1"),
            _ => "UPDATE d.n SET v = v + 1000000000 WHERE id = 1".to_owned(),
        }
    }

    fn large(&mut self) -> String {
        match self.rng.below(4) {
            0 => format!("INSERT INTO d.u (a, b) VALUES ({}, REPEAT('l', 60000))", self.fresh()),
            1 => "UPDATE d.u SET b = 'short' WHERE LENGTH(b) > 1000".to_owned(),
            2 => "DELETE FROM d.u WHERE a IS NULL".to_owned(),
            _ => "UPDATE d.n SET v = v + 10000000000000 ORDER BY v DESC".to_owned(),
        }
    }

    fn definition(&mut self) -> String {
        let fresh = self.fresh();
        match (self.rng.below(8), self.made.pop()) {
            (0, _) => format!("ALTER TABLE d.u ADD COLUMN c{fresh} INT DEFAULT {fresh}"),
            (1, _) => format!("CREATE INDEX i{fresh} ON d.u (b(10), a)"),
            (2, _) => "TRUNCATE TABLE d.u".to_owned(),
            (3, Some(made)) => format!("DROP TABLE {made}"),
            (4, Some(made)) => {
                self.made.push(format!("d.r{fresh}"));
                format!("RENAME TABLE {made} TO d.r{fresh}")
            }
            (5, Some(made)) => {
                let sql = format!("INSERT INTO {made} (k, c) VALUES ({fresh}, 'made'), (1, NULL)");
                self.made.push(made);
                sql
            }
            (6, made) => {
                self.made.extend(made);
                format!("INSERT INTO d.t (k, c) VALUES ({fresh}, 'a'), ({fresh}, 'b')")
            }
            (_, made) => {
                self.made.extend(made);
                self.made.push(format!("d.x{fresh}"));
                format!("CREATE TABLE d.x{fresh} LIKE d.t")
            }
        }
    }

    fn fresh(&mut self) -> u64 {
        self.fresh += 1;
        self.fresh
    }
}

fn say(sql: &str) -> Step {
    Step::Say(0, sql.to_owned())
}
