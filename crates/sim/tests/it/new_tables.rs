//! Purpose: CREATE TABLE .. SELECT makes a table and its rows together or not at all, whatever the disk does.
//!
//! Requirements: R1. after a power loss at any operation the table is there with all rows and stands in the binlog, or is in
//! neither, and its name is free; R2. once it was acknowledged it is there; R3. a full disk is an error (1026 of the events'
//! spill, 1021 of the commit), leaves nothing, and the statement succeeds when there is room.
//!
//! Method: a power loss after each disk operation of a statement, small and so large that it goes to redo in chunks; a disk
//! of limited capacity.

use std::sync::Arc;

use commit::StrategyKind;
use sim::{Answer, Options, World};
use vfs::Vfs;
use vfs::sim::{CrashMode, Replay, SimDisk, every};

const ROWS: usize = 40;
const STRATEGIES: [StrategyKind; 4] =
    [StrategyKind::InRedo, StrategyKind::Group, StrategyKind::Enhanced, StrategyKind::Serial];
const MODES: [CrashMode; 3] = [CrashMode::DropAll, CrashMode::RandomSubset, CrashMode::Torn512];

fn options(strategy: StrategyKind) -> Options {
    Options { strategy, ..Options::default() }
}

fn open(disk: &SimDisk, options: &Options) -> World {
    let vfs: Arc<dyn Vfs> = Arc::new(disk.clone());
    World::open(&vfs, options).unwrap()
}

/// A disk with a table `d.t`, whose server has ended.
fn disk(options: &Options) -> SimDisk {
    let disk = SimDisk::new();
    let world = open(&disk, options);
    let mut conn = world.connect();
    conn.ok("CREATE DATABASE d");
    conn.ok("CREATE TABLE d.t (id INT PRIMARY KEY)");
    let rows: Vec<String> = (0..ROWS).map(|id| format!("({id})")).collect();
    conn.ok(&format!("INSERT INTO d.t VALUES {}", rows.join(", ")));
    drop(conn);
    drop(world);
    disk
}

/// Each row has so many bytes.
fn statement(row_size: usize) -> String {
    format!(
        "CREATE TABLE d.n (PRIMARY KEY (id), KEY (a)) SELECT id, id % 3 AS a, REPEAT('x', {row_size}) AS s FROM d.t"
    )
}

/// How often the binlog says that the table was made.
fn logged(world: &World) -> usize {
    let mut conn = world.connect();
    let files = conn.rows("SHOW BINARY LOGS");
    let names = files.iter().map(|file| file.split('|').next().unwrap().to_owned());
    let mut events =
        names.flat_map(|name| conn.rows(&format!("SHOW BINLOG EVENTS IN '{name}'"))).collect::<Vec<_>>();
    events.retain(|event| event.contains("CREATE TABLE `d`.`n`"));
    events.len()
}

/// Whether the table is there, with everything that belongs to it.
fn is_whole(world: &World, at: &str) -> bool {
    world.dump().unwrap_or_else(|why| panic!("{at}: {why}"));
    let mut conn = world.connect();
    match conn.run("SELECT COUNT(*), COUNT(DISTINCT id) FROM d.n WHERE s LIKE 'x%'") {
        Answer::Rows(_, rows) => {
            let count = Some(ROWS.to_string());
            assert_eq!(rows, [[count.clone(), count]], "{at}");
            assert_eq!(conn.rows("SELECT id FROM d.n WHERE a = 1").len(), ROWS / 3, "{at}");
            assert_eq!(logged(world), 1, "{at}");
            true
        }
        Answer::Error(1146, _) => {
            assert_eq!(logged(world), 0, "{at}");
            conn.ok("CREATE TABLE d.n (id INT PRIMARY KEY, s TEXT, KEY (id))");
            assert_eq!(conn.rows("SELECT * FROM d.n"), [""; 0], "{at}");
            false
        }
        other => panic!("{at}: {other:?}"),
    }
}

#[test]
fn a_power_loss_leaves_all_or_nothing() {
    for (strategy, row_size) in
        STRATEGIES.into_iter().flat_map(|strategy| [(strategy, 10), (strategy, 30_000)])
    {
        let options = options(strategy);
        let disk = disk(&options);
        let world = open(&disk, &options);
        disk.start_journal();
        world.connect().ok(&statement(row_size));
        let acknowledged = disk.ops();
        world.checkpoint().unwrap();
        drop(world);
        let journal = disk.stop_journal().unwrap();
        let mut replay = Replay::new(&journal);
        let (mut whole, mut absent) = (0, 0);
        for op in (journal.first_op()..=journal.last_op()).filter(|op| op.is_multiple_of(every(2))) {
            replay.seek(op);
            // Large rows take their time: one way for each operation.
            let turn = op / every(2) % MODES.len() as u64;
            let looked_at = (0..).zip(MODES).filter(|(nth, _)| row_size <= 10 || *nth == turn);
            for (_, mode) in looked_at {
                let at =
                    format!("{strategy:?}, rows of {row_size}: power lost after operation {op}, {mode:?}");
                let vfs: Arc<dyn Vfs> = Arc::new(replay.crash(mode, op));
                let world = World::open(&vfs, &options);
                let world = world.unwrap_or_else(|why| panic!("{at}: {why}"));
                let is_whole = is_whole(&world, &at);
                assert!(is_whole || op < acknowledged, "{at}: it was acknowledged");
                if is_whole { whole += 1 } else { absent += 1 }
            }
        }
        assert!(whole > 0 && absent > 0, "{strategy:?}: {whole} times whole, {absent} absent");
    }
}

#[test]
fn a_full_disk_leaves_nothing() {
    // There is no room for the events, which spill; there is none for the commit.
    let cases = [(30_000, 300 << 10, 1026), (10, 0, 1021)];
    for (strategy, (row_size, room, error)) in
        STRATEGIES.into_iter().flat_map(|strategy| cases.map(|case| (strategy, case)))
    {
        let options = Options { ballast_size: 256 << 10, ..options(strategy) };
        let disk = disk(&options);
        let world = open(&disk, &options);
        let used = u64::MAX - Vfs::free_bytes(&disk, "/data".as_ref()).unwrap();
        disk.set_capacity(used + room);
        let mut conn = world.connect();
        let answer = conn.run(&statement(row_size));
        assert!(matches!(answer, Answer::Error(code, _) if code == error), "{strategy:?}: {answer:?}");
        assert!(matches!(conn.run("SELECT * FROM d.n"), Answer::Error(1146, _)), "{strategy:?}");
        disk.set_capacity(1 << 30);
        world.tend().unwrap();
        conn.ok(&statement(row_size));
        drop(conn);
        assert!(is_whole(&world, "with room again"));
    }
}
