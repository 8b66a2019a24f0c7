//! LOAD DATA.

#![expect(clippy::disallowed_methods, reason = "the files are none of the server's")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use server::options::Options;
use server::run;
use vfs::Vfs;
use vfs::sim::SimDisk;

use crate::client::{Client, LOCAL_FILES, Login};
use crate::whole::{World, answers_as_recorded, ok, rows, send, until};

#[test]
fn files_are_read_as_by_mysql() {
    answers_as_recorded(include_str!("../data/load-9.7.4.txt"), 200);
}

/// A client that sends files.
fn sender(world: &World, user: &str) -> Client {
    let login = Login { flags: LOCAL_FILES, ..Login::new(user, "") };
    Client::connect(&world.address(), &login).unwrap()
}

/// A directory with a file of some rows, and the rest of its name.
fn directory(world: &World, what: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("onelog-{what}-{}-{}", std::process::id(), world.port()));
    std::fs::create_dir(&dir).unwrap();
    std::fs::write(dir.join("rows"), "1\n2\n3\n").unwrap();
    dir
}

#[test]
fn both_sides_must_let_clients_send_files() {
    let world = World::start();
    let (mut root, mut plain) = (sender(&world, "root"), world.root());
    ok(&mut root, "CREATE TABLE d.t (a INT)");
    let load = "LOAD DATA LOCAL INFILE '/nowhere' INTO TABLE d.t";
    assert_eq!(root.query(load).unwrap_err().code(), 3948);
    ok(&mut root, "SET GLOBAL local_infile = ON");
    assert_eq!(plain.query(load).unwrap_err().code(), 3948);
    // What its client does not find, it sends nothing of.
    assert_eq!(root.query(load).unwrap().affected, 0);
    // Nobody is asked for a file that could not be loaded.
    ok(&mut root, "GRANT SELECT ON d.t TO nobody@'%'");
    assert_eq!(sender(&world, "nobody").query(load).unwrap_err().code(), 1142);
    assert_eq!(rows(&mut root, "SHOW GLOBAL STATUS LIKE 'Com_load'"), ["Com_load|4"]);
    world.stop();
}

#[test]
fn files_of_the_server_are_read_where_they_may_be() {
    let outside = World::start();
    let dir = directory(&outside, "load");
    let file = dir.join("rows");
    let load = format!("LOAD DATA INFILE '{}' INTO TABLE d.t", file.display());
    let mut root = outside.root();
    ok(&mut root, "CREATE TABLE d.t (a INT)");
    // NULL is the default: from nowhere.
    assert_eq!(root.query(&load).unwrap_err().code(), 1290);
    assert_eq!(rows(&mut root, "SELECT @@secure_file_priv IS NULL"), ["1"]);
    outside.stop();

    let inside = dir.join("inside");
    std::fs::create_dir(&inside).unwrap();
    std::fs::write(inside.join("rows"), "4\n").unwrap();
    std::os::unix::fs::symlink(&file, inside.join("link")).unwrap();
    let world = World::start_with(&[&format!("--secure-file-priv={}", inside.display())]);
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (a INT)");
    let from = |name: &str| format!("LOAD DATA INFILE '{}/{name}' INTO TABLE d.t", inside.display());
    assert_eq!(root.query(&from("rows")).unwrap().affected, 1);
    for outside in ["../rows", "link", "../none", "../../../etc/passwd"] {
        assert_eq!(root.query(&from(outside)).unwrap_err().code(), 1290, "{outside}");
    }
    assert_eq!(root.query(&from("none")).unwrap_err().code(), 13);
    assert_eq!(root.query(&from("../inside")).unwrap_err().code(), 1085);
    ok(&mut root, "GRANT INSERT ON d.t TO nobody@'%'");
    let refused = world.client("nobody").query(&from("rows")).unwrap_err();
    assert_eq!(refused.code(), 1045);
    ok(&mut root, "GRANT FILE ON *.* TO nobody@'%'");
    ok(&mut world.client("nobody"), &from("rows"));
    assert_eq!(rows(&mut root, "SELECT a FROM d.t"), ["4", "4"]);
    world.stop();
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn a_directory_that_is_not_there_stops_the_start() {
    let vfs: Arc<dyn Vfs> = Arc::new(SimDisk::new());
    vfs.create_dir_all(Path::new("/data")).unwrap();
    let options = ["--no-defaults", "--port=0", "--secure-file-priv=/no/such/place"].map(str::to_owned);
    let options = Options::read(&*vfs, &options).unwrap();
    let data_dir = run::take_data_dir(&*vfs, Path::new("/data"), &options).unwrap();
    let runtime = run::runtime().unwrap();
    let started = runtime.block_on(run::start(Arc::clone(&vfs), &data_dir, options));
    let error = started.map(drop).unwrap_err().to_string();
    assert!(error.contains("--secure-file-priv") && error.ends_with("/no/such/place"), "{error}");
}

#[test]
fn statements_stand_behind_and_beside_a_file() {
    let world = World::start_with(&["--local-infile"]);
    let dir = directory(&world, "several");
    let mut client = sender(&world, "root");
    ok(&mut client, "CREATE TABLE d.t (a INT PRIMARY KEY)");
    let load = format!("LOAD DATA LOCAL INFILE '{}/rows' INTO TABLE d.t", dir.display());
    send(&mut client, &format!("SELECT 7; {load}; SELECT COUNT(*) FROM d.t; {load}; {load}"));
    assert_eq!(client.answer().unwrap().rows, [[Some("7".to_owned())]]);
    let loaded = client.answer().unwrap();
    assert_eq!((loaded.affected, loaded.status & 8), (3, 8), "another result follows");
    assert_eq!(client.answer().unwrap().rows, [[Some("3".to_owned())]]);
    assert_eq!(client.answer().unwrap().affected, 0);
    let last = client.answer().unwrap();
    assert_eq!((last.warnings, last.status & 8), (3, 0));
    // Within a transaction.
    ok(&mut client, "BEGIN");
    ok(&mut client, "DELETE FROM d.t");
    assert_eq!(client.query(&load).unwrap().affected, 3);
    ok(&mut client, "ROLLBACK");
    ok(&mut client, "BEGIN");
    ok(&mut client, "DELETE FROM d.t WHERE a > 1");
    assert_eq!(client.query(&load).unwrap().affected, 2);
    ok(&mut client, "COMMIT");
    assert_eq!(rows(&mut client, "SELECT COUNT(*) FROM d.t"), ["3"]);
    world.stop();
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn a_file_is_read_to_its_end_whatever_becomes_of_it() {
    let world =
        World::start_with(&["--local-infile", "--innodb-lock-wait-timeout=1", "--max-allowed-packet=1M"]);
    let (mut client, mut other) = (sender(&world, "root"), world.root());
    ok(&mut client, "CREATE TABLE d.t (a INT PRIMARY KEY, b LONGTEXT)");
    ok(&mut other, "BEGIN");
    ok(&mut other, "INSERT INTO d.t VALUES (5, '')");
    let load = "LOAD DATA LOCAL INFILE 'x' INTO TABLE d.t";
    let many = (1..=2000).map(|row| format!("{row}\tx\n")).collect::<Vec<_>>().concat();
    // A row is locked.
    send(&mut client, load);
    client.packet().unwrap();
    client.send_file(many.as_bytes(), 500).unwrap();
    assert_eq!(client.answer().unwrap_err().code(), 1205);
    assert_eq!(rows(&mut client, "SELECT COUNT(*) FROM d.t"), ["0"]);
    // Somebody stops it while the client is sending.
    let id = client.connection_id;
    send(&mut client, load);
    client.packet().unwrap();
    client.send(b"1\tx\n2\tx\n").unwrap();
    until(
        &mut other,
        &format!("SELECT COMMAND FROM information_schema.PROCESSLIST WHERE ID = {id}"),
        &["Query"],
    );
    ok(&mut other, &format!("KILL QUERY {id}"));
    client.send_file(many.as_bytes(), 5000).unwrap();
    assert_eq!(client.answer().unwrap_err().code(), 1317);
    ok(&mut other, "ROLLBACK");
    // A row that does not fit into memory's bound.
    send(&mut client, load);
    client.packet().unwrap();
    client.send_file(&vec![b'1'; 3 << 20], 100_000).unwrap();
    assert_eq!(client.answer().unwrap_err().code(), 1153);
    assert_eq!(rows(&mut client, "SELECT COUNT(*) FROM d.t"), ["0"]);
    // A change of the table waits for it.
    send(&mut client, load);
    client.packet().unwrap();
    client.send(b"1\tx\n").unwrap();
    let uses = "SELECT COUNT(*) FROM performance_schema.metadata_locks WHERE OBJECT_NAME = 't'";
    until(&mut other, uses, &["1"]);
    let waits = "SELECT COUNT(*) FROM performance_schema.metadata_locks WHERE LOCK_STATUS = 'PENDING'";
    send(&mut other, "ALTER TABLE d.t ADD c INT DEFAULT 6");
    until(&mut world.root(), waits, &["1"]);
    client.send_file(b"2\ty\n", 3).unwrap();
    assert_eq!(client.answer().unwrap().affected, 2);
    other.answer().unwrap();
    client.query(load).unwrap();
    assert_eq!(rows(&mut client, "SELECT a, b, c FROM d.t"), ["1|x|6", "2|y|6"]);
    world.stop();
}

#[test]
fn who_sends_no_file_loses_the_connection_and_nothing_else() {
    let world = World::start_with(&["--local-infile", "--net-read-timeout=1"]);
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (a INT PRIMARY KEY)");
    let begin = || {
        let mut client = sender(&world, "root");
        ok(&mut client, "SET SESSION net_read_timeout = 1");
        send(&mut client, "LOAD DATA LOCAL INFILE 'x' INTO TABLE d.t");
        client.packet().unwrap();
        client.send(b"1\n2\n").unwrap();
        client
    };
    // One that is silent, one that goes, one that sends a command instead.
    let mut silent = begin();
    assert!(silent.packet().unwrap_err().is_gone());
    drop(begin());
    let mut rude = begin();
    send(&mut rude, "SELECT 1");
    assert!(rude.packet().unwrap_err().is_gone());
    let running = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = 'root'";
    until(&mut root, running, &["1"]);
    assert_eq!(rows(&mut root, "SELECT * FROM d.t"), Vec::<String>::new());
    ok(&mut root, "INSERT INTO d.t VALUES (1), (2)");
    world.stop();
}

#[test]
fn selects_write_what_mysql_writes() {
    answers_as_recorded(include_str!("../data/out-file-9.7.4.txt"), 80);
}

#[test]
fn a_select_writes_where_it_may_and_leaves_no_file_if_it_fails() {
    let dir = std::env::temp_dir().join(format!("onelog-written-{}", std::process::id()));
    std::fs::create_dir(&dir).unwrap();
    let world = World::start_with(&[&format!("--secure-file-priv={}", dir.display())]);
    let (mut root, mut nobody) = (world.root(), world.client("nobody"));
    ok(&mut root, "CREATE TABLE d.t (a INT PRIMARY KEY)");
    ok(&mut root, "INSERT INTO d.t VALUES (1), (400)");
    ok(&mut root, "GRANT SELECT ON d.* TO nobody@'%'");
    let into =
        |what: &str, file: &str| format!("SELECT {what} FROM d.t INTO OUTFILE '{}/{file}'", dir.display());
    let code = |client: &mut Client, sql: &str| {
        client.query(sql).map(drop).map_or_else(|error| error.code(), |()| 0)
    };
    assert_eq!(code(&mut nobody, &into("a", "x")), 1045);
    for outside in ["../x", "missing/../../x"] {
        assert_eq!(code(&mut root, &into("a", outside)), 1290, "{outside}");
    }
    assert_eq!(code(&mut root, "SELECT 1 INTO DUMPFILE '/etc/onelog'"), 1290);
    assert_eq!(code(&mut root, &into("POW(10, a)", "x")), 1690);
    assert_eq!(code(&mut root, &format!("SELECT a FROM d.t INTO DUMPFILE '{}/x'", dir.display())), 1172);
    assert!(!dir.join("x").exists(), "it is gone with the statement");
    assert_eq!(code(&mut root, &into("a", "x")), 0);
    assert_eq!(code(&mut root, &into("a", "x")), 1086);
    std::fs::remove_dir_all(&dir).unwrap();
    world.stop();
}
