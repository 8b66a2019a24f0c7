//! Purpose: a server that was killed and started again starts after a power loss too, whatever it did first.
//!
//! Requirements: R1. a run's binlog file that has nothing but its header yet is missed by nobody; R2. what was acknowledged
//! is there; R3. a binlog that lacks what a sync had been promised for refuses the start and names the file.
//!
//! Method: one run, killed; a second that executes a few statements; a power loss after each disk operation of both. A byte
//! of a file that is changed while no server runs.

use std::path::Path;
use std::sync::Arc;

use commit::StrategyKind;
use sim::{Options, World};
use vfs::sim::{CrashMode, Replay, SimDisk, every};
use vfs::{Open, Vfs};

/// What the second run does. Definitions begin with ids that no binlog knows of.
const SECOND: [&[&str]; 4] = [
    &["INSERT INTO d.t VALUES (2)"],
    &["CREATE TABLE d.u (a INT)", "INSERT INTO d.t VALUES (2)"],
    &["SET sql_log_bin = 0", "INSERT INTO d.t VALUES (3)", "INSERT INTO d.t VALUES (2)"],
    &["CREATE TABLE d.u SELECT 1 AS a", "SET sql_log_bin = 0", "INSERT INTO d.t VALUES (2)"],
];
const STRATEGIES: [StrategyKind; 4] =
    [StrategyKind::InRedo, StrategyKind::Group, StrategyKind::Enhanced, StrategyKind::Serial];

#[test]
fn a_run_that_has_logged_nothing_yet_is_recovered() {
    for (strategy, second) in
        STRATEGIES.into_iter().flat_map(|strategy| SECOND.map(|second| (strategy, second)))
    {
        let options = Options { strategy, ..Options::default() };
        let disk = SimDisk::new();
        let vfs: Arc<dyn Vfs> = Arc::new(disk.clone());
        disk.start_journal();
        let world = World::open(&vfs, &options).unwrap();
        for statement in ["CREATE DATABASE d", "CREATE TABLE d.t (a INT)", "INSERT INTO d.t VALUES (1)"] {
            world.connect().ok(statement);
        }
        let first = disk.ops();
        drop(world);
        let world = World::open(&vfs, &options).unwrap();
        let mut conn = world.connect();
        for statement in second {
            conn.ok(statement);
        }
        let last = disk.ops();
        drop(conn);
        drop(world);
        let journal = disk.stop_journal().unwrap();
        let mut replay = Replay::new(&journal);
        for op in (journal.first_op()..=journal.last_op()).filter(|op| op.is_multiple_of(every(2))) {
            replay.seek(op);
            for mode in [CrashMode::KeepAll, CrashMode::DropAll, CrashMode::Torn512] {
                let at = format!("{strategy:?}, {second:?}: power lost after operation {op}, {mode:?}");
                let vfs: Arc<dyn Vfs> = Arc::new(replay.crash(mode, op));
                let world = World::open(&vfs, &options).unwrap_or_else(|why| panic!("{at}: {why}"));
                let rows = |a: u32| world.connect().rows(&format!("SELECT a FROM d.t WHERE a = {a}")).len();
                assert!(op < first || rows(1) == 1, "{at}");
                assert!(op < last || rows(2) == 1, "{at}");
            }
        }
    }
}

#[test]
fn a_binlog_that_lacks_what_was_promised_refuses_the_start() {
    for strategy in [StrategyKind::Group, StrategyKind::Serial] {
        let options = Options { strategy, ..Options::default() };
        let vfs: Arc<dyn Vfs> = Arc::new(SimDisk::new());
        let world = World::open(&vfs, &options).unwrap();
        let mut conn = world.connect();
        conn.ok("CREATE DATABASE d");
        conn.ok("CREATE TABLE d.t (a VARCHAR(20))");
        for text in ["damaged", "behind it"] {
            conn.ok(&format!("INSERT INTO d.t VALUES ('{text}')"));
        }
        drop(conn);
        drop(world);
        let file = vfs.open(Path::new("/data/binlog.000001"), Open::ReadWrite).unwrap();
        let mut bytes = vec![0; usize::try_from(file.len().unwrap()).unwrap()];
        file.read_exact_at(&mut bytes, 0).unwrap();
        let place = bytes.windows(7).position(|bytes| bytes == b"damaged").unwrap();
        file.write_at(b"D", place as u64).unwrap();
        let why = World::open(&vfs, &options).expect_err("it was promised").to_string();
        assert!(why.contains("/data/binlog.000001 is damaged or cut at position"), "{strategy:?}: {why}");
        // The file as it was is what is asked for.
        file.write_at(b"d", place as u64).unwrap();
        let world = World::open(&vfs, &options).unwrap();
        assert_eq!(world.connect().rows("SELECT a FROM d.t").len(), 2);
    }
}
