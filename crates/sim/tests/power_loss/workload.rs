//! What is done: statements of several sessions, checkpoints in between.

use std::sync::Arc;

use binlog::{BinlogName, ChecksumAlg};
use commit::{FatalError, StrategyKind};
use engine::ids::CommitSeq;
use sim::{Answer, Conn, Options, World};
use vfs::Vfs;
use vfs::sim::{CrashMode, Journal, OpKind, Rng, SimDisk};

/// A step of a workload.
#[derive(Clone, Debug)]
pub enum Step {
    /// A session, by its number, executes one statement.
    Say(usize, String),
    /// Each text is executed in a session of its own, all at once. Each commits once, or ends with ROLLBACK.
    Together(Vec<String>),
    /// The same, and a checkpoint meanwhile.
    TogetherWithCheckpoint(Vec<String>),
    /// A checkpoint.
    Checkpoint,
    /// PURGE BINARY LOGS of half of the files.
    PurgeHalf,
}

/// Sessions that live as long as the workload.
const SESSIONS: usize = 3;

/// What was promised when.
#[derive(Clone, Debug, Default)]
pub struct Done {
    /// Number of the disk's last operation, and the commit that was acknowledged or visible then.
    pub acked: Vec<(u64, CommitSeq)>,
    /// The same of what survives a power loss: at relaxed settings, what a checkpoint covers.
    pub durable: Vec<(u64, CommitSeq)>,
    /// For each [`Step::Together`], its texts in the order of their commits.
    pub orders: Vec<Vec<usize>>,
    /// What answered an error.
    pub errors: Vec<String>,
    /// Why the server died before the end.
    pub died: Option<String>,
    /// The disk's operations.
    pub ops: u64,
    /// PURGE BINARY LOGS.
    pub purges: Vec<Purge>,
}

/// What is lost in a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// What is not durable.
    Power,
    /// What is in the memory of the process.
    Process,
}

impl Loss {
    pub fn of(mode: CrashMode) -> Self {
        if mode == CrashMode::KeepAll { Self::Process } else { Self::Power }
    }
}

/// A purge of the files below number `target`, between two of the disk's operations.
#[derive(Clone, Copy, Debug)]
pub struct Purge {
    pub begun: u64,
    pub ended: u64,
    pub target: u64,
    /// It answered an error: it may have removed some.
    pub failed: bool,
}

/// How the server is run.
#[derive(Clone, Debug)]
pub struct Variant {
    pub name: &'static str,
    pub options: Options,
    /// SET GLOBAL. Those that make small things large come first.
    pub settings: &'static [&'static str],
    /// What is acknowledged may be lost until a checkpoint: a suffix of the commit order, from both logs.
    pub is_relaxed: bool,
    /// `onelog_commit_strategy`, one after another between steps.
    pub switches: &'static [&'static str],
    /// Decides how sessions meet.
    pub seed: u64,
}

/// All settings are safe, and there is everything that can be.
pub const SAFE: Variant = Variant {
    name: "safe, GTIDs",
    options: Options {
        binlog: true,
        gtid: true,
        checksum: ChecksumAlg::Crc32,
        segment_size: 16 * 4096,
        ballast_size: 0,
        strategy: StrategyKind::Group,
        own_store: false,
    },
    settings: &["binlog_cache_size = 4096", "max_binlog_size = 16384", "sync_binlog_interval = 100"],
    is_relaxed: false,
    switches: &[],
    seed: 42,
};

/// The operating system decides when what is committed reaches the disk.
pub const RELAXED: Variant = Variant {
    name: "relaxed",
    settings: &[
        "binlog_cache_size = 4096",
        "max_binlog_size = 16384",
        "innodb_flush_log_at_trx_commit = 2",
        "sync_binlog = 0",
    ],
    is_relaxed: true,
    seed: 9,
    ..SAFE
};

/// All variants.
pub fn variants() -> Vec<Variant> {
    let anonymous = Options {
        binlog: true,
        gtid: false,
        checksum: ChecksumAlg::None,
        segment_size: 8 * 4096,
        ballast_size: 0,
        strategy: StrategyKind::Group,
        own_store: false,
    };
    let with = |strategy| Options { strategy, ..SAFE.options };
    let without_binlog = Options { binlog: false, ..anonymous.clone() };
    vec![
        SAFE,
        Variant { name: "safe, anonymous, no checksums", options: anonymous, seed: 7, ..SAFE },
        Variant { name: "no binlog", options: without_binlog, seed: 8, ..SAFE },
        RELAXED,
        Variant {
            name: "sync_binlog = 3",
            settings: &["binlog_cache_size = 4096", "max_binlog_size = 16384", "sync_binlog = 3"],
            is_relaxed: true,
            seed: 10,
            ..SAFE
        },
        Variant { name: "in_redo", options: with(StrategyKind::InRedo), seed: 11, ..SAFE },
        Variant { name: "enhanced", options: with(StrategyKind::Enhanced), seed: 12, ..SAFE },
        Variant {
            name: "enhanced, files of its own",
            options: Options { own_store: true, ..with(StrategyKind::Enhanced) },
            seed: 12,
            ..SAFE
        },
        Variant { name: "serial", options: with(StrategyKind::Serial), seed: 13, ..SAFE },
        Variant { name: "parallel", options: with(StrategyKind::Parallel), seed: 14, ..RELAXED },
        Variant {
            name: "in_redo, relaxed",
            options: with(StrategyKind::InRedo),
            settings: &[
                "binlog_cache_size = 4096",
                "max_binlog_size = 16384",
                "innodb_flush_log_at_trx_commit = 2",
                "wait_binlog_flush = ON",
            ],
            seed: 15,
            ..SAFE
        },
        Variant {
            name: "strategies change",
            switches: &["enhanced", "in_redo", "group", "in_redo", "serial", "enhanced"],
            seed: 16,
            ..SAFE
        },
    ]
}

impl Variant {
    /// Opens the server.
    pub fn open(&self, disk: &SimDisk) -> Result<World, FatalError> {
        let vfs: Arc<dyn Vfs> = Arc::new(disk.clone());
        let world = World::open(&vfs, &self.options)?;
        let mut conn = world.connect();
        self.settings.iter().for_each(|setting| conn.ok(&format!("SET GLOBAL {setting}")));
        drop(conn);
        world.shuffle_roles(self.seed);
        Ok(world)
    }
}

/// Executes steps on a live server, until it dies. `before` is called before each.
pub fn run(
    disk: &SimDisk,
    world: &World,
    variant: &Variant,
    steps: &[Step],
    mut before: impl FnMut(&World, &Step),
) -> Done {
    let begun = vec![(disk.ops(), CommitSeq(0))];
    let mut done = Done { acked: begun.clone(), durable: begun, ..Done::default() };
    watch(disk, world);
    done.died = go(disk, world, variant, steps, &mut before, &mut done).err().map(|error| error.to_string());
    done.ops = disk.ops();
    // Even if a step has failed meanwhile: it may have been read.
    done.acked.push((done.ops, world.pipeline.published().visible()));
    if !variant.is_relaxed {
        done.durable.extend_from_slice(&done.acked);
    }
    done
}

/// Has the journal know what was visible before each operation.
pub fn watch(disk: &SimDisk, world: &World) {
    let pipeline = Arc::downgrade(&world.pipeline);
    disk.watch(move || pipeline.upgrade().map_or(0, |pipeline| pipeline.published().visible().0));
}

/// What others could read, and be told, before each operation of a journal.
fn seen(journal: &Journal) -> impl Iterator<Item = (u64, CommitSeq)> + '_ {
    let mut last = 0;
    let ops = journal.first_op()..journal.last_op();
    ops.filter_map(move |op| {
        let seen = journal.record(op + 1)?.seen();
        (std::mem::replace(&mut last, seen) != seen).then_some((op, CommitSeq(seen)))
    })
}

fn go(
    disk: &SimDisk,
    world: &World,
    variant: &Variant,
    steps: &[Step],
    before: &mut dyn FnMut(&World, &Step),
    done: &mut Done,
) -> Result<(), FatalError> {
    let mut conns: Vec<Conn<'_>> = (0..SESSIONS).map(|_| world.connect()).collect();
    let mut rng = Rng::new(variant.seed);
    let mut switches = variant.switches.iter().cycle();
    for step in steps {
        before(world, step);
        world.tend()?;
        if let Some(strategy) = switches.next() {
            conns[0].run_all(&format!("SET GLOBAL onelog_commit_strategy = '{strategy}'"))?;
        }
        let begun = disk.ops();
        match step {
            Step::Say(session, sql) => {
                let conn = &mut conns[*session];
                let answers = conn.run_all(sql)?;
                done.acked.push((disk.ops(), conn.last_commit()));
                done.note_errors(sql, &answers);
            }
            Step::PurgeHalf => {
                let Some(target) = half_of_the_files(world) else { continue };
                let sql = format!("PURGE BINARY LOGS TO '{target}'");
                done.purges.push(Purge { begun, ended: u64::MAX, target: target.number(), failed: true });
                let answers = conns[0].run_all(&sql)?;
                let failed = done.note_errors(&sql, &answers);
                let purge = done.purges.last_mut().unwrap();
                (purge.ended, purge.failed) = (disk.ops(), failed);
            }
            Step::Together(texts) | Step::TogetherWithCheckpoint(texts) => {
                let mut commits: Vec<(CommitSeq, usize)> = Vec::new();
                let checkpoint = matches!(step, Step::TogetherWithCheckpoint(_));
                let answers = world.run_together(texts, checkpoint, &mut rng, |place, seq| {
                    done.acked.push((disk.ops(), seq));
                    commits.push((seq, place));
                })?;
                for (text, answers) in texts.iter().zip(&answers) {
                    done.note_errors(text, answers);
                }
                commits.sort_by_key(|(seq, place)| (texts[*place].ends_with("ROLLBACK"), *seq));
                done.orders.push(commits.into_iter().map(|(_, place)| place).collect());
            }
            Step::Checkpoint => {
                let last = world.pipeline.last_drawn();
                world.checkpoint()?;
                done.durable.push((disk.ops(), last));
            }
        }
    }
    Ok(())
}

impl Done {
    /// Takes what a journal says was visible for acknowledged: inside of one step, too.
    pub fn note_visible(&mut self, journal: &Journal, variant: &Variant) {
        self.acked.extend(seen(journal));
        if !variant.is_relaxed {
            self.durable.extend(seen(journal));
        }
    }

    /// Whether there was one.
    fn note_errors(&mut self, sql: &str, answers: &[Answer]) -> bool {
        let failed = answers.iter().find(|answer| matches!(answer, Answer::Error(..)));
        self.errors.extend(failed.map(|error| format!("{sql:.60}: {error:?}")));
        failed.is_some()
    }

    /// Panics unless everything went well.
    pub fn expect_success(self) -> Self {
        assert!(self.errors.is_empty() && self.died.is_none(), "{:?}, {:?}", self.errors, self.died);
        self
    }
}

fn half_of_the_files(world: &World) -> Option<BinlogName> {
    let index = world.pipeline.binlog()?.index();
    Some(index.names()[index.names().len() / 2].clone())
}

fn say(sql: &str) -> Step {
    Step::Say(0, sql.to_owned())
}

fn together(texts: &[&str]) -> Step {
    Step::Together(texts.iter().map(|text| (*text).to_owned()).collect())
}

/// The fixed workload.
pub fn main_steps() -> Vec<Step> {
    [tables(), groups(), xa(), schema_changes(), large_transactions(), after_the_purge()].concat()
}

pub fn tables() -> Vec<Step> {
    [
        "CREATE DATABASE d",
        "USE d",
        "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, k INT NOT NULL, c VARCHAR(40), KEY (k))",
        "CREATE TABLE u (a INT, b TEXT, KEY (a))",
        "CREATE TABLE n (id INT PRIMARY KEY, v BIGINT, UNIQUE KEY (v))",
        "INSERT INTO t (k, c) VALUES (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four')",
        "INSERT INTO n VALUES (1, 10), (2, 20), (3, 30), (4, 40), (5, 50), (6, 60)",
        "INSERT INTO u VALUES (1, 'x'), (1, 'x'), (2, NULL)",
    ]
    .map(say)
    .to_vec()
}

/// Sessions that meet in groups, wait for each other's rows, mark, roll back; an open transaction across a checkpoint.
fn groups() -> Vec<Step> {
    let first = together(&[
        "INSERT INTO d.t (k, c) VALUES (10, 'ten')",
        "UPDATE d.n SET v = v + 1000 WHERE id = 1",
        "BEGIN; INSERT INTO d.u VALUES (3, 'y'); UPDATE d.n SET v = v + 7 WHERE id = 1; DELETE FROM d.n WHERE id = 2; COMMIT",
        "BEGIN; DELETE FROM d.u WHERE a = 1; ROLLBACK",
        "UPDATE d.n SET v = v + 5000 WHERE id = 1",
        "DELETE FROM d.t WHERE id = 3",
    ]);
    let second = together(&[
        "INSERT INTO d.t (k, c) VALUES (11, 'eleven'), (12, 'twelve')",
        "BEGIN; UPDATE d.t SET k = k + 1 WHERE k < 5; SAVEPOINT s; DELETE FROM d.t; ROLLBACK TO s; COMMIT",
        "SET binlog_transaction_compression = @@GLOBAL.gtid_mode = 'ON'; UPDATE d.n SET v = v + 1 WHERE id IN (4, 5)",
        "SET binlog_transaction_compression = @@GLOBAL.gtid_mode = 'ON'; INSERT INTO d.u VALUES (9, REPEAT('c', 3000))",
        "REPLACE INTO d.n VALUES (6, 61)",
    ]);
    vec![
        first,
        Step::Checkpoint,
        Step::Say(1, "BEGIN".to_owned()),
        Step::Say(1, "INSERT INTO d.n VALUES (100, 100)".to_owned()),
        second,
        Step::Checkpoint,
        Step::Say(1, "INSERT INTO d.n VALUES (101, 101)".to_owned()),
        say("BEGIN"),
        say("SAVEPOINT a"),
        say("INSERT INTO u VALUES (7, 'kept')"),
        say("SAVEPOINT b"),
        say("UPDATE u SET b = 'lost' WHERE a = 7"),
        say("ROLLBACK TO b"),
        say("COMMIT"),
        Step::Say(1, "COMMIT".to_owned()),
        say("FLUSH BINARY LOGS"),
        together(&["UPDATE d.n SET v = v - 1 WHERE id = 100", "INSERT INTO d.u VALUES (8, 'z')"]),
    ]
}

/// XA transactions that are prepared across checkpoints, rotations and others' commits, ended by other sessions, and larger than
/// one row of their image, but no larger than the ballast can carry into the base. What they lock, nobody else wants: one that could not be ended would keep it.
fn xa() -> Vec<Step> {
    let in_xa = |name: &str, sql: &str, end: &str| {
        [format!("XA START {name}"), sql.to_owned(), format!("XA END {name}"), format!("XA {end}")]
            .map(|sql| say(&sql))
    };
    let other = |sql: &str| Step::Say(2, sql.to_owned());
    let mut steps = vec![
        say("SET binlog_transaction_compression = @@GLOBAL.gtid_mode = 'ON'"),
        say("CREATE DATABASE x"),
        say("CREATE TABLE x.t (id INT PRIMARY KEY, v INT, UNIQUE KEY (v))"),
        say("CREATE TABLE x.large (id INT PRIMARY KEY, b MEDIUMTEXT)"),
        say("INSERT INTO x.t VALUES (1, 1), (2, 2), (3, 3)"),
    ];
    steps.extend(in_xa("'a'", "UPDATE x.t SET v = v + 10 WHERE id < 3", "PREPARE 'a'"));
    steps.extend([
        together(&[
            "INSERT INTO d.t (k, c) VALUES (51, 'beside')",
            "XA START 'b', 'x', 7; INSERT INTO x.t VALUES (60, 60); XA END 'b', 'x', 7; XA PREPARE 'b', 'x', 7",
            "UPDATE d.n SET v = v + 1 WHERE id = 4",
        ]),
        Step::Checkpoint,
        say("FLUSH BINARY LOGS"),
        other("XA COMMIT 'a'"),
        say("INSERT INTO x.t VALUES (4, 4)"),
        other("XA ROLLBACK 'b', 'x', 7"),
    ]);
    steps.extend(in_xa("'c'", "INSERT INTO x.t VALUES (61, 61)", "COMMIT 'c' ONE PHASE"));
    let large = "INSERT INTO x.large VALUES (1, REPEAT('a', 90000)), (2, REPEAT('b', 90000))";
    steps.extend(in_xa("'l'", large, "PREPARE 'l'"));
    steps.extend([Step::Checkpoint, other("XA COMMIT 'l'")]);
    steps.extend(in_xa("'stays'", "INSERT INTO x.t VALUES (62, 62)", "PREPARE 'stays'"));
    steps.push(say("SET binlog_transaction_compression = OFF"));
    steps
}

fn schema_changes() -> Vec<Step> {
    let mut steps = [
        "ALTER TABLE t ADD COLUMN e INT DEFAULT 5, ADD INDEX (c)",
        "UPDATE t SET e = 6 WHERE c = 'two'",
        "CREATE UNIQUE INDEX vi ON n (v, id)",
        "RENAME TABLE n TO m",
        "ALTER TABLE m DROP INDEX v",
        "INSERT INTO m VALUES (7, 10)",
        "CREATE DATABASE e",
        "CREATE TABLE e.x LIKE d.t",
        "INSERT INTO e.x (id, k, c) VALUES (5, 5, 'five')",
        "CREATE USER a IDENTIFIED WITH mysql_native_password AS '*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19'",
        "GRANT SELECT, INSERT ON d.* TO a",
        "FLUSH BINARY LOGS",
        "TRUNCATE TABLE u",
        "INSERT INTO u VALUES (9, 'after')",
    ]
    .map(say)
    .to_vec();
    steps.push(together(&[
        "INSERT INTO e.x (k, c) VALUES (6, 'six')",
        "UPDATE d.m SET v = v + 1",
        "INSERT INTO d.t (k, c) VALUES (20, 'twenty')",
    ]));
    steps.extend([say("DROP DATABASE e"), Step::PurgeHalf, Step::Checkpoint]);
    steps
}

/// Events beyond `binlog_cache_size`, a write set beyond what one redo record holds, a file beyond `max_binlog_size`.
fn large_transactions() -> Vec<Step> {
    vec![
        say("INSERT INTO u VALUES (20, REPEAT('spill', 2000))"),
        together(&[
            "INSERT INTO d.u VALUES (21, REPEAT('a', 6000))",
            "INSERT INTO d.m VALUES (200, 200)",
            "SET binlog_transaction_compression = @@GLOBAL.gtid_mode = 'ON'; INSERT INTO d.u VALUES (22, REPEAT('b', 6000))",
            "UPDATE d.t SET k = 21 WHERE k = 20",
        ]),
        say("CREATE TABLE big (id INT PRIMARY KEY, b MEDIUMTEXT)"),
        say(
            "INSERT INTO big VALUES (1, REPEAT('c', 200000)), (2, REPEAT('d', 200000)), (3, REPEAT('e', 200000))",
        ),
        Step::TogetherWithCheckpoint(vec![
            // Fills the ring: its first chunks are written while it still waits for room.
            "UPDATE d.big SET b = REPEAT('f', 450000)".to_owned(),
            "INSERT INTO d.m VALUES (201, 201)".to_owned(),
            "UPDATE d.t SET k = 22 WHERE k = 21".to_owned(),
            "INSERT INTO d.m VALUES (202, 202)".to_owned(),
        ]),
        say("DELETE FROM u WHERE a BETWEEN 20 AND 21"),
        say("DROP TABLE big"),
        Step::Checkpoint,
    ]
}

fn after_the_purge() -> Vec<Step> {
    vec![
        say("INSERT INTO t (k, c) VALUES (30, 'thirty')"),
        Step::PurgeHalf,
        say("DROP USER a"),
        together(&[
            "UPDATE d.m SET v = v + 2 WHERE id = 100",
            "UPDATE d.m SET v = v + 3 WHERE id = 100",
            "UPDATE d.m SET v = v + 4 WHERE id = 100",
            "INSERT INTO d.t (k, c) VALUES (31, 'thirty-one')",
            "DELETE FROM d.u",
        ]),
        say("INSERT INTO t (k, c) VALUES (32, 'thirty-two')"),
        say("CREATE TABLE w LIKE t"),
        say("INSERT INTO w (k, c) SELECT k, c FROM t"),
        say("ALTER TABLE w MODIFY c VARCHAR(80) NOT NULL DEFAULT '', DROP INDEX k"),
        say("UPDATE w SET c = CONCAT(c, c) WHERE id > 1"),
        Step::Checkpoint,
        together(&[
            "UPDATE d.w SET k = k + 1",
            "INSERT INTO d.u VALUES (40, REPEAT('f', 5000))",
            "UPDATE d.w SET k = k + 2 WHERE id = 2",
            "BEGIN; INSERT INTO d.u VALUES (41, NULL); DELETE FROM d.u WHERE a = 41; INSERT INTO d.u VALUES (42, ''); COMMIT",
        ]),
        say("DROP TABLE w, m"),
        Step::Checkpoint,
        say("UPDATE t SET k = 0 WHERE id = 1"),
    ]
}

/// What the workload does.
#[derive(Debug)]
pub struct Measured {
    pub checkpoints: u64,
    /// Binlog files that there were.
    pub files: u64,
    pub purges: usize,
    /// The largest group.
    pub groups: u64,
    /// Transactions whose events spilled.
    pub spills: u64,
    /// XA transactions that are prepared at the end.
    pub prepared: usize,
}

pub fn measure() -> Measured {
    let disk = SimDisk::new();
    let world = SAFE.open(&disk).unwrap();
    let done = run(&disk, &world, &SAFE, &main_steps(), |_, _| {}).expect_success();
    let stats = &world.pipeline.stats;
    let binlog = world.pipeline.binlog().unwrap();
    Measured {
        checkpoints: stats.checkpoints.load(std::sync::atomic::Ordering::Relaxed),
        files: binlog.index().last().unwrap().number(),
        purges: done.purges.len(),
        groups: stats.group_size.quantile(1.0),
        spills: disk.count(OpKind::Create, "/tmp/"),
        prepared: world.connect().rows("XA RECOVER").len(),
    }
}
