//! Purpose: whatever people do to the places and files of the logs between two starts, nothing that is there is lost.
//!
//! Requirements: R1. no log is put where the server removes what it finds; R2. a binlog store is one server's; R3. GTIDs that were
//! logged under another `--log-bin` are purged ones here; R4. a start removes no file that its index does not list, but what a
//! rotation or a purge has left; R5. a file that somebody has removed is in the way of nobody who does not need it; R6. a start that
//! cannot listen leaves nothing.
//!
//! Method: a whole server on a simulated disk, its files changed while it is down.

use std::path::Path;
use std::sync::Arc;

use vfs::sim::SimDisk;
use vfs::{Open, Vfs};

use crate::whole::{World, ok, rows};

fn write(disk: &SimDisk, path: &str, text: &str) {
    let file = disk.open(Path::new(path), Open::Create).unwrap();
    file.set_len(0).unwrap();
    file.write_at(text.as_bytes(), 0).unwrap();
}

fn exists(disk: &SimDisk, path: &str) -> bool {
    disk.exists(Path::new(path)).unwrap()
}

/// A server that has logged three transactions, each in a file of its own, and was stopped.
fn three_files(disk: &SimDisk) -> SimDisk {
    let world = World::start_on(disk, &[]);
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    for number in 1..=3 {
        ok(&mut root, &format!("INSERT INTO d.t VALUES ({number})"));
        ok(&mut root, "FLUSH BINARY LOGS");
    }
    world.stop();
    disk.clone()
}

#[test]
fn no_log_lies_in_a_directory_that_is_the_server_s_own() {
    let disk = three_files(&SimDisk::new());
    for option in ["--log-bin=tmp/binlog", "--log-bin=redo/redo", "--log-bin=/data/redo/../tmp/x"] {
        assert!(World::refused(&disk, "/data", &[option]).contains("log_bin"), "{option}");
    }
    for dir in ["redo", "tmp", "tmp/store", "/data/redo"] {
        let option = format!("--enhanced-binlog-dir={dir}");
        assert!(World::refused(&disk, "/data", &[&option]).contains("enhanced_binlog_dir"), "{option}");
    }
    World::refused(&disk, "/data", &["--log-bin=/logs/redo", "--enhanced-binlog-dir=/logs"]);
    let world = World::open(&disk);
    assert_eq!(rows(&mut world.root(), "SELECT COUNT(*) FROM d.t"), ["3"]);
    world.stop();
}

#[test]
fn a_binlog_store_is_one_server_s() {
    const STORE: [&str; 2] = ["--enhanced-binlog-dir=/store", "--onelog-commit-strategy=enhanced"];
    let disk = SimDisk::new();
    let first = World::start_on(&disk, &STORE);
    let mut root = first.root();
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    assert!(World::refused(&disk, "/other", &STORE).contains("another server uses the binlog store"));
    let vfs: Arc<dyn Vfs> = Arc::new(disk.clone());
    let second = World::try_on(Arc::clone(&vfs), "/other", &STORE[..1]).unwrap();
    let switch = "SET GLOBAL onelog_commit_strategy = 'enhanced'";
    let mut other = second.root();
    assert!(format!("{:?}", other.query(switch).unwrap_err()).contains("another server uses"));
    ok(&mut root, "INSERT INTO d.t VALUES (1)");
    first.stop();
    // Nobody uses it now, but what is there is not this server's.
    assert!(format!("{:?}", other.query(switch).unwrap_err()).contains("was written by another server"));
    ok(&mut other, "CREATE DATABASE d");
    second.stop();
    let first = World::try_on(vfs, "/data", &STORE).unwrap();
    assert_eq!(rows(&mut first.root(), "SELECT COUNT(*) FROM d.t"), ["1"]);
    first.stop();
}

#[test]
fn what_was_logged_elsewhere_is_purged_here() {
    let disk = three_files(&SimDisk::new());
    let vfs: Arc<dyn Vfs> = Arc::new(disk.clone());
    let elsewhere = World::try_on(Arc::clone(&vfs), "/data", &["--log-bin=other"]).unwrap();
    let mut root = elsewhere.root();
    let before = rows(&mut root, "SELECT @@global.gtid_executed")[0].clone();
    ok(&mut root, "INSERT INTO d.t VALUES (4)");
    elsewhere.stop();
    let world = World::open(&disk);
    let mut root = world.root();
    let missing = format!("SELECT GTID_SUBTRACT(@@global.gtid_executed, '{before}') = @@global.gtid_purged");
    assert_eq!(rows(&mut root, &missing), ["1"]);
    ok(&mut root, "INSERT INTO d.t VALUES (5)");
    let purged = rows(&mut root, "SELECT @@global.gtid_purged");
    let world = world.restart();
    assert_eq!(rows(&mut world.root(), "SELECT @@global.gtid_purged"), purged);
    world.stop();
}

#[test]
fn a_start_leaves_files_alone_that_its_index_does_not_list() {
    let disk = three_files(&SimDisk::new());
    write(&disk, "/data/binlog.index", "./binlog.000003\n./binlog.000004\n");
    let world = World::open(&disk);
    assert_eq!(rows(&mut world.root(), "SHOW BINARY LOGS").len(), 3);
    ok(&mut world.root(), "PURGE BINARY LOGS TO 'binlog.000004'");
    world.stop();
    assert!(exists(&disk, "/data/binlog.000001") && exists(&disk, "/data/binlog.000002"));
    assert!(!exists(&disk, "/data/binlog.000003"));
    // What a purge has named is removed, at a later start if it was not at once.
    write(&disk, "/data/binlog.~rec~", "./binlog.000002\n./binlog.000005\n./binlog.00000");
    World::open(&disk).stop();
    assert!(exists(&disk, "/data/binlog.000001") && !exists(&disk, "/data/binlog.000002"));
    assert!(exists(&disk, "/data/binlog.000005") && !exists(&disk, "/data/binlog.~rec~"));
    write(&disk, "/data/binlog.000099", "precious");
    assert!(World::refused(&disk, "/data", &[]).contains("binlog.000099"));
    assert!(exists(&disk, "/data/binlog.000099"));
    // At another place, too.
    disk.create_dir_all(Path::new("/archive")).unwrap();
    write(&disk, "/archive/binlog.000001", &"precious ".repeat(99));
    disk.remove_file(Path::new("/data/binlog.000099")).unwrap();
    assert!(
        World::refused(&disk, "/data", &["--log-bin=/archive/binlog"]).contains("/archive/binlog.000001")
    );
    assert_eq!(disk.contents()[Path::new("/archive/binlog.000001")].len(), 99 * 9);
    World::open(&disk).stop();
}

#[test]
fn a_file_that_somebody_has_removed_is_in_nobody_s_way() {
    let disk = three_files(&SimDisk::new());
    disk.remove_file(Path::new("/data/binlog.000001")).unwrap();
    let world = World::open(&disk);
    let mut root = world.root();
    assert_ne!(rows(&mut root, "SELECT @@global.gtid_purged"), [""]);
    ok(&mut root, "PURGE BINARY LOGS BEFORE '2100-01-01'");
    assert_eq!(rows(&mut root, "SHOW BINARY LOGS").len(), 1);
    world.stop();
}

#[test]
fn who_holds_the_read_lock_forgets_a_source() {
    let world = World::start();
    let (mut root, mut other) = (world.root(), world.root());
    ok(&mut root, "FLUSH TABLES WITH READ LOCK");
    ok(&mut root, "CHANGE REPLICATION SOURCE TO SOURCE_HOST = 'x'");
    ok(&mut other, "RESET REPLICA ALL");
    ok(&mut root, "UNLOCK TABLES");
    ok(&mut other, "CREATE TABLE d.t (id INT PRIMARY KEY)");
    world.stop();
}

/// Copies a data directory as a snapshot of its file system would.
fn snapshot(from: &SimDisk, to: &SimDisk, dir: &Path, copy: &Path) {
    for inside in ["", "redo", "tmp", "enhanced_binlog"] {
        let (dir, copy) = (dir.join(inside), copy.join(inside));
        to.create_dir_all(&copy).unwrap();
        for name in from.list(&dir).unwrap_or_default() {
            let file = from.open(&dir.join(&name), Open::Read).unwrap();
            let mut bytes = vec![0; usize::try_from(file.len().unwrap()).unwrap()];
            file.read_exact_at(&mut bytes, 0).unwrap();
            to.open(&copy.join(&name), Open::Create).unwrap().write_at(&bytes, 0).unwrap();
        }
    }
}

/// What was copied with the directory is the copy's log, wherever it lies: also where redo still needs it.
#[test]
fn a_snapshot_starts_at_another_place() {
    for strategy in ["group", "in_redo", "enhanced"] {
        let (disk, elsewhere) = (SimDisk::new(), SimDisk::new());
        let world = World::start_on(&disk, &[&format!("--onelog-commit-strategy={strategy}")]);
        let mut root = world.root();
        ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY)");
        ok(&mut root, "FLUSH BINARY LOGS");
        ok(&mut root, "INSERT INTO d.t VALUES (1), (2)");
        let executed = rows(&mut root, "SELECT @@global.gtid_executed");
        snapshot(&disk, &elsewhere, Path::new("/data"), Path::new("/backup/data"));
        ok(&mut root, "INSERT INTO d.t VALUES (3)");
        let vfs: Arc<dyn Vfs> = Arc::new(elsewhere.clone());
        let copy = World::try_on(vfs, "/backup/data", &[]).unwrap();
        let mut copied = copy.root();
        assert_eq!(rows(&mut copied, "SELECT * FROM d.t"), ["1", "2"], "{strategy}");
        assert_eq!(rows(&mut copied, "SELECT @@global.gtid_executed"), executed, "{strategy}");
        assert_eq!(rows(&mut copied, "SELECT @@global.gtid_purged"), [""], "{strategy}");
        ok(&mut copied, "INSERT INTO d.t VALUES (4)");
        copy.stop();
        world.stop();
    }
}

#[test]
fn starts_that_find_their_port_taken_leave_nothing() {
    let disk = three_files(&SimDisk::new());
    let files = || ["/data", "/data/redo"].map(|dir| disk.list(Path::new(dir)).unwrap());
    let (before, taken) = (files(), std::net::TcpListener::bind("127.0.0.1:0").unwrap());
    let port = format!("--port={}", taken.local_addr().unwrap().port());
    for _ in 0..5 {
        let refusal = World::refused(&disk, "/data", &[&port, "--bind-address=127.0.0.1"]);
        assert!(refusal.starts_with("Can't start server: Bind on "), "{refusal}");
    }
    assert_eq!(files(), before);
    World::open(&disk).stop();
}
