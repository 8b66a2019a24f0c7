//! Purpose: a full disk stops what is new, and nothing else.
//!
//! Requirements: R1. a checkpoint that finds no room waits for some, though there is a ballast; R2. meanwhile commits, and whoever
//! asks for a checkpoint, are answered 1021; reads go on; R3. once there is room all of them go on, without a restart; R4. a
//! server stops while its checkpoint waits; R5. nothing acknowledged is lost; R6. redo that would fill its disk before it has reached its
//! capacity has a checkpoint begin.
//!
//! Method: whole servers on simulated disks that lose their room before a checkpoint. Who waits at the gate then is a test of
//! `commit::admission`, who may use the ballast one of `vfs::ballast`.

use vfs::Vfs as _;
use vfs::sim::{CrashMode, SimDisk};

use crate::client::Client;
use crate::whole::{World, ok, rows, send, until};

const DISK_FULL: u16 = 1021;
const ROWS: usize = 400;

/// Rows of 16 KiB that only the delta and redo have.
fn fill(client: &mut Client) {
    ok(client, "CREATE TABLE d.t (a INT AUTO_INCREMENT PRIMARY KEY, b MEDIUMTEXT)");
    for _ in 0..ROWS / 8 {
        let row = "(REPEAT('x', 16384))";
        ok(client, &format!("INSERT INTO d.t (b) VALUES {}", [row; 8].join(", ")));
    }
}

/// Leaves so much room on a disk that had no limit. Returns its capacity now.
fn leave(disk: &SimDisk, free: u64) -> u64 {
    let used = u64::MAX - disk.free_bytes("/data".as_ref()).unwrap();
    disk.set_capacity(used + free);
    used + free
}

fn code(client: &mut Client, sql: &str) -> u16 {
    client.query(sql).map(|_| ()).expect_err(sql).code()
}

/// A server whose checkpoint waits for room, and the disk's capacity.
fn waiting(disk: &SimDisk) -> (World, Client, u64) {
    let world = World::start_on(disk, &[]);
    let mut client = world.root();
    fill(&mut client);
    ok(&mut client, "FLUSH BINARY LOGS");
    let capacity = leave(disk, 1 << 20);
    let newest = rows(&mut client, "SHOW BINARY LOGS").pop().unwrap();
    let purge = format!("PURGE BINARY LOGS TO '{}'", newest.split('|').next().unwrap());
    assert_eq!(code(&mut client, &purge), DISK_FULL);
    assert!(world.shared().pipeline.room.disk_is_full());
    (world, client, capacity)
}

const INSERT: &str = "INSERT INTO d.t (b) VALUES ('')";
const COUNT: &str = "SELECT COUNT(*), SUM(LENGTH(b)) FROM d.t";

fn counted(more: usize) -> String {
    format!("{}|{}", ROWS + more, ROWS * 16384)
}

#[test]
fn a_checkpoint_waits_for_room_and_nobody_waits_for_it() {
    let disk = SimDisk::new();
    let (world, mut client, capacity) = waiting(&disk);
    assert_eq!(code(&mut client, INSERT), DISK_FULL);
    assert_eq!(code(&mut client, "SET GLOBAL onelog_commit_strategy = enhanced"), DISK_FULL);
    assert_eq!(code(&mut client, "ALTER TABLE d.t ADD KEY (b(10))"), DISK_FULL);
    assert_eq!(code(&mut client, "FLUSH BINARY LOGS"), DISK_FULL);
    assert_eq!(rows(&mut client, COUNT), [counted(0)]);
    // A little more, as somebody gives it back bit by bit.
    disk.set_capacity(capacity + (100 << 10));
    assert_eq!(rows(&mut client, COUNT), [counted(0)]);
    let found = disk.crash(CrashMode::DropAll, 1);
    disk.set_capacity(u64::MAX);
    while client.query(INSERT).is_err() {}
    ok(&mut client, "ALTER TABLE d.t ADD KEY (b(10))");
    let newest = rows(&mut client, "SHOW BINARY LOGS").pop().unwrap();
    ok(&mut client, &format!("PURGE BINARY LOGS TO '{}'", newest.split('|').next().unwrap()));
    assert_eq!(rows(&mut client, COUNT), [counted(1)]);
    assert!(!world.shared().pipeline.room.disk_is_full());
    world.stop();
    for (disk, more) in [(found, 0), (disk.crash(CrashMode::DropAll, 2), 1)] {
        disk.set_capacity(u64::MAX);
        let world = World::open(&disk);
        assert_eq!(rows(&mut world.root(), COUNT), [counted(more)]);
        world.stop();
    }
}

#[test]
fn sessions_that_fill_a_disk_are_answered() {
    let disk = SimDisk::new();
    let world = World::start_on(&disk, &["--innodb-redo-log-capacity=8M"]);
    let mut client = world.root();
    fill(&mut client);
    let mut others: Vec<Client> = (0..4).map(|_| world.root()).collect();
    leave(&disk, 2 << 20);
    // They fill redo, or the disk but for less than one of them takes, whichever comes first; small ones the rest.
    for _ in 0..20 {
        for other in &mut others {
            send(other, "INSERT INTO d.t (b) VALUES (REPEAT('y', 300000))");
        }
        for other in &mut others {
            let _ = other.answer();
        }
    }
    let refused = (0..1000).find_map(|_| client.query(INSERT).err());
    assert_eq!(refused.expect("the disk is full").code(), DISK_FULL);
    let gate = "SELECT variable_value FROM performance_schema.global_status WHERE variable_name = 'Onelog_commit_gate'";
    until(&mut client, gate, &["FULL"]);
    disk.set_capacity(u64::MAX);
    while client.query(INSERT).is_err() {}
    until(&mut client, gate, &["OPEN"]);
    world.stop();
}

#[test]
fn redo_that_would_fill_its_disk_has_a_checkpoint_begin() {
    let disk = SimDisk::new();
    let world = World::start_on(&disk, &["--innodb-redo-log-capacity=96M", "--skip-log-bin"]);
    let mut client = world.root();
    ok(&mut client, "CREATE TABLE d.h (a INT PRIMARY KEY, b MEDIUMTEXT)");
    ok(&mut client, "INSERT INTO d.h VALUES (1, '')");
    leave(&disk, 28 << 20);
    // 45 MB of redo, of one row.
    for digit in (0..150).map(|round| round % 10) {
        let update = format!("UPDATE d.h SET b = REPEAT('{digit}', 300000)");
        while client.query(&update).is_err() {}
    }
    assert_eq!(rows(&mut client, "SELECT LENGTH(b), LEFT(b, 1) FROM d.h"), ["300000|9"]);
    world.stop();
}

#[test]
fn a_server_stops_while_its_checkpoint_waits() {
    let disk = SimDisk::new();
    let (world, client, _) = waiting(&disk);
    drop(client);
    world.stop();
    disk.set_capacity(u64::MAX);
    let world = World::open(&disk);
    let mut client = world.root();
    until(&mut client, COUNT, &[&counted(0)]);
    ok(&mut client, INSERT);
    world.stop();
}
