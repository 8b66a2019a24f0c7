//! Purpose: whoever may is sent the binlog, until one of both sides ends it.
//!
//! Requirements: R1. what is committed before and after the dump begins comes, in order; R2. privileges; R3. an idle replica
//! hears heartbeats; R4. a dump ends by KILL, by the replica's next dump, by the end of the server, and at the log's end
//! for a tool; R5. SHOW REPLICAS and SHOW PROCESSLIST; R6. PURGE leaves what is read;
//! R7. RESET begins the log anew, and ends dumps; `gtid_purged` can be set; R8. what a replica says wrongly is
//! logged once.
//!
//! Method: a whole server on a simulated disk, and a client that speaks the protocol's bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use binlog::GtidSet;

use crate::client::{Client, Failure};
use crate::whole::{World, ok, rows, send};

const ROTATE: u8 = 4;
const FORMAT: u8 = 15;
const GTID: u8 = 33;
const HEARTBEAT: u8 = 27;
const EOF: [u8; 5] = [0xFE, 0, 0, 0, 0];

impl World {
    /// A dump from the first event on.
    pub fn dump(&self, server_id: u32, flags: u16, settings: &str) -> Client {
        let mut client = self.client("repl");
        client.query("SET @source_binlog_checksum = 'CRC32'").unwrap();
        if !settings.is_empty() {
            client.query(settings).unwrap();
        }
        client.command(&dump_command(server_id, flags)).unwrap();
        client
    }

    /// A dump for a semi-synchronous replica that has these.
    fn dump_without(&self, known: &GtidSet) -> Client {
        let mut set = Vec::new();
        known.encode(&mut set);
        let mut dump = self.client("repl");
        dump.query("SET @source_binlog_checksum = 'CRC32'").unwrap();
        dump.query("SET @rpl_semi_sync_replica = 1").unwrap();
        let size = u32::try_from(set.len()).unwrap().to_le_bytes();
        let head = [0x1E, 4, 0, 7, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0];
        dump.command(&[&head[..], &size, &set].concat()).unwrap();
        dump
    }
}

fn dump_command(server_id: u32, flags: u16) -> Vec<u8> {
    [&[0x12, 4, 0, 0, 0][..], &flags.to_le_bytes(), &server_id.to_le_bytes()].concat()
}

/// Types of events until one of this type, this many times.
fn events_until(client: &mut Client, last: u8, count: usize) -> Vec<u8> {
    let mut types = Vec::new();
    let mut left = count;
    while left > 0 {
        let packet = client.packet().unwrap();
        assert_eq!(packet[0], 0, "an event, not {packet:?}");
        left -= usize::from(packet[5] == last);
        types.push(packet[5]);
    }
    types
}

/// The packet behind all events.
fn end(client: &mut Client) -> Vec<u8> {
    loop {
        let packet = client.packet().unwrap();
        if packet[0] != 0 {
            return packet;
        }
    }
}

fn refused(done: crate::client::Result<crate::client::Answer>) -> Failure {
    done.unwrap_err()
}

#[test]
fn what_is_committed_comes_before_and_after_the_dump_begins() {
    let world = World::start();
    let mut root = world.root();
    let mut dump = world.dump(7, 0, "");
    let types = events_until(&mut dump, GTID, 4);
    assert_eq!(types[..3], [ROTATE, FORMAT, 35]);
    for round in 0..20 {
        root.query(&format!("CREATE TABLE d.t{round} (id INT)")).unwrap();
        assert_eq!(events_until(&mut dump, GTID, 1).last(), Some(&GTID));
        if round % 5 == 4 {
            root.query("FLUSH BINARY LOGS").unwrap();
            assert_eq!(events_until(&mut dump, FORMAT, 1)[1..], [ROTATE, ROTATE, FORMAT]);
        }
    }
    let shown = root.query("SHOW PROCESSLIST").unwrap().rows;
    let of_dump = shown.iter().find(|row| row[4].as_deref() == Some("Binlog Dump")).unwrap();
    assert!(of_dump[6].as_deref().unwrap().contains("binlog"), "{of_dump:?}");
    root.query("PURGE BINARY LOGS TO 'binlog.000005'").unwrap();
    assert_eq!(root.query("SHOW BINARY LOGS").unwrap().rows.len(), 1, "the dump is behind all of them");
    world.stop();
    assert_eq!(end(&mut dump), EOF);
}

#[test]
fn who_may_not_is_refused() {
    let world = World::start();
    let mut nobody = world.client("nobody");
    let register = [&[0x15, 9, 0, 0, 0, 0, 0, 0][..], &[0; 10]].concat();
    nobody.command(&register).unwrap();
    assert_eq!(refused(nobody.answer()).code(), 1045);
    nobody.command(&dump_command(9, 0)).unwrap();
    assert_eq!(refused(nobody.answer()).code(), 1227);
    assert!(nobody.ping().unwrap_err().is_gone());
    let mut repl = world.client("repl");
    repl.command(&register).unwrap();
    repl.answer().unwrap();
    let mut root = world.root();
    let rows = root.query("SHOW REPLICAS").unwrap().rows;
    assert_eq!((rows.len(), rows[0][0].as_deref()), (1, Some("9")));
    repl.command(&dump_command(9, 0)).unwrap();
    let unaware = refused(repl.answer_behind_events());
    assert!(unaware.message().starts_with("Replica can not handle replication events"), "{unaware:?}");
    assert!(repl.ping().is_err());
    while !root.query("SHOW REPLICAS").unwrap().rows.is_empty() {}
    world.stop();
}

#[test]
fn an_idle_replica_hears_heartbeats() {
    let world = World::start();
    let mut dump = world.dump(7, 0, "SET @master_heartbeat_period = 20000000");
    let gtids = events_until(&mut dump, HEARTBEAT, 3).into_iter().filter(|it| *it == GTID);
    assert_eq!(gtids.count(), 4);
    world.stop();
}

#[test]
fn a_dump_ends_when_it_is_told_to() {
    let world = World::start();
    let mut tool = world.dump(7, 1, "");
    assert_eq!(end(&mut tool), EOF, "it did not want to wait");
    assert!(tool.ping().unwrap_err().is_gone());
    assert_eq!(end(&mut world.dump(0, 0, "")), EOF, "nor do tools without a server id");
    let mut root = world.root();
    let mut killed = world.dump(7, 0, "");
    events_until(&mut killed, GTID, 4);
    root.query(&format!("KILL {}", killed.connection_id)).unwrap();
    assert_eq!(end(&mut killed), EOF);
    let mut first = world.dump(7, 0, "SET @replica_uuid = 'u'");
    events_until(&mut first, GTID, 4);
    let mut second = world.dump(8, 0, "SET @slave_uuid = 'u'");
    events_until(&mut second, GTID, 4);
    let replaced = end(&mut first);
    let text = String::from_utf8_lossy(&replaced[9..]);
    assert_eq!(replaced[..3], [0xFF, 0xD4, 0x04]);
    assert!(
        text.starts_with("A replica with the same server_uuid/server_id as this replica has connected"),
        "{text}"
    );
    drop(second);
    while root.query("SHOW PROCESSLIST").unwrap().rows.len() > 1 {
        std::thread::yield_now();
    }
    world.stop();
}

#[test]
fn a_file_that_is_read_is_not_purged() {
    let world = World::start();
    let mut root = world.root();
    // More than the sockets hold: the dump stays in the first file.
    root.query("CREATE TABLE d.t (id INT PRIMARY KEY, pad LONGTEXT)").unwrap();
    for id in 0..40 {
        root.query(&format!("INSERT INTO d.t VALUES ({id}, REPEAT('x', 500000))")).unwrap();
    }
    root.query("FLUSH BINARY LOGS").unwrap();
    root.query("FLUSH BINARY LOGS").unwrap();
    let mut dump = world.dump(7, 0, "");
    events_until(&mut dump, FORMAT, 1);
    let purged = root.query("PURGE BINARY LOGS TO 'binlog.000003'").unwrap();
    assert_eq!(purged.warnings, 1);
    let warning = root.query("SHOW WARNINGS").unwrap().rows.remove(0);
    let text = "file binlog.000001 was not purged because it was being read by 1 thread(s), purged only 0 out of 2 files.";
    assert_eq!((warning[1].as_deref(), warning[2].as_deref()), (Some("1867"), Some(text)));
    drop(dump);
    while root.query("PURGE BINARY LOGS TO 'binlog.000003'").unwrap().warnings > 0 {}
    assert_eq!(root.query("SHOW BINARY LOGS").unwrap().rows.len(), 1);
    world.stop();
}

/// COM_BINLOG_DUMP_GTID of somebody who has nothing, and says so as python-mysql-replication does.
fn gtid_dump_command() -> Vec<u8> {
    let mut command = vec![0x1E, 0, 0, 7, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0];
    command.extend(4_u64.to_le_bytes());
    command.extend(8_u32.to_le_bytes());
    command.extend(0_u64.to_le_bytes());
    command
}

#[test]
fn zeroes_name_no_file() {
    let world = World::start();
    let mut dump = world.client("repl");
    dump.query("SET @source_binlog_checksum = 'CRC32'").unwrap();
    dump.command(&gtid_dump_command()).unwrap();
    assert_eq!(events_until(&mut dump, GTID, 4)[..3], [ROTATE, FORMAT, 35]);
    world.stop();
}

/// The end of the next event that asks for an acknowledgement.
pub fn asked(dump: &mut Client) -> u64 {
    loop {
        let packet = dump.packet().unwrap();
        assert_eq!(packet[..2], [0, 0xEF], "every event to such a replica says whether it asks");
        if packet[2] == 1 {
            return u32::from_le_bytes(packet[16..20].try_into().unwrap()).into();
        }
    }
}

#[test]
fn a_commit_waits_for_a_replica_that_acknowledges() {
    let world = World::start();
    let mut root = world.root();
    root.query("CREATE TABLE d.t (id INT PRIMARY KEY)").unwrap();
    let mut dump = world.dump(7, 0, "SET @rpl_semi_sync_replica = 1");
    root.query("SET GLOBAL rpl_semi_sync_master_timeout = 600000").unwrap();
    root.query("SET GLOBAL rpl_semi_sync_source_enabled = ON").unwrap();
    let mut writer = world.root();
    writer.command(b"\x03INSERT INTO d.t VALUES (1)").unwrap();
    let position = asked(&mut dump);
    assert!(root.query("SELECT * FROM d.t").unwrap().rows.is_empty(), "AFTER_SYNC");
    dump.acknowledge("binlog.000001", position).unwrap();
    writer.answer().unwrap();
    assert_eq!(root.query("SELECT * FROM d.t").unwrap().rows.len(), 1);
    writer.command(b"\x03INSERT INTO d.t VALUES (2)").unwrap();
    let next = asked(&mut dump);
    assert!(next > position);
    let shown = root.query("SHOW STATUS LIKE 'Rpl_semi_sync_source_wait_sessions'").unwrap().rows;
    assert_eq!(shown[0][1].as_deref(), Some("1"));
    root.query("SET GLOBAL rpl_semi_sync_source_timeout = 1").unwrap();
    writer.answer().unwrap();
    let shown = root.query("SHOW STATUS LIKE 'Rpl_semi_sync_master_status'").unwrap().rows;
    assert_eq!(shown[0][1].as_deref(), Some("OFF"), "one time-out is everybody's");
    dump.acknowledge("binlog.000001", next).unwrap();
    while root.query("SHOW STATUS LIKE 'Rpl_semi_sync_source_status'").unwrap().rows[0][1].as_deref()
        == Some("OFF")
    {}
    drop(dump);
    world.stop();
}

/// Counts the warnings that a connection has sent what is no acknowledgement.
struct Strays {
    connection: u32,
    count: Arc<AtomicU32>,
}

impl tracing::Subscriber for Strays {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() == tracing::Level::WARN
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let Fields { connection, message } = fields;
        if connection == u64::from(self.connection) && message.contains("no acknowledgement") {
            self.count.fetch_add(1, Ordering::SeqCst);
        }
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

#[derive(Default)]
struct Fields {
    connection: u64,
    message: String,
}

impl tracing::field::Visit for Fields {
    fn record_u64(&mut self, field: &tracing::field::Field, value: u64) {
        if field.name() == "connection" {
            self.connection = value;
        }
    }
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        }
    }
}

#[test]
fn what_a_replica_says_wrongly_is_logged_once() {
    let world = World::start();
    let mut root = world.root();
    root.query("CREATE TABLE d.t (id INT PRIMARY KEY)").unwrap();
    root.query("SET GLOBAL rpl_semi_sync_source_timeout = 600000").unwrap();
    root.query("SET GLOBAL rpl_semi_sync_source_enabled = ON").unwrap();
    // A number that no connection of another test has.
    while world.root().connection_id < 200 {}
    let mut dump = world.dump(7, 0, "SET @rpl_semi_sync_replica = 1");
    let count = Arc::<AtomicU32>::default();
    let strays = Strays { connection: dump.connection_id, count: Arc::clone(&count) };
    tracing::subscriber::set_global_default(strays).unwrap();
    for _ in 0..1000 {
        dump.command(b"no acknowledgement").unwrap();
    }
    root.command(b"\x03INSERT INTO d.t VALUES (1)").unwrap();
    let position = asked(&mut dump);
    dump.acknowledge("binlog.000001", position).unwrap();
    root.answer().unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 1);
    drop(dump);
    world.stop();
}

#[test]
fn a_replica_that_comes_back_with_what_a_commit_waits_for_is_not_asked_for_it() {
    let world = World::start();
    let mut root = world.root();
    root.query("CREATE TABLE d.t (id INT PRIMARY KEY)").unwrap();
    let mut dump = world.dump(7, 0, "SET @rpl_semi_sync_replica = 1");
    root.query("SET GLOBAL rpl_semi_sync_source_timeout = 600000").unwrap();
    root.query("SET GLOBAL rpl_semi_sync_source_enabled = ON").unwrap();
    let executed = root.query("SELECT @@GLOBAL.gtid_executed").unwrap().rows.remove(0).remove(0).unwrap();
    let (before, last) = executed.rsplit_once('-').unwrap();
    let mut writer = world.root();
    writer.command(b"\x03INSERT INTO d.t VALUES (1)").unwrap();
    asked(&mut dump);
    drop(dump);
    let known: GtidSet = format!("{before}-{}", last.parse::<u64>().unwrap() + 1).parse().unwrap();
    let _dump = world.dump_without(&known);
    writer.answer().unwrap();
    assert_eq!(root.query("SELECT * FROM d.t").unwrap().rows.len(), 1);
    world.stop();
}

#[test]
fn what_is_passed_over_behind_what_was_sent_is_acknowledged_by_what_says_so() {
    let world = World::start();
    let (mut root, mut writer) = (world.root(), world.root());
    root.query("CREATE TABLE d.t (id INT PRIMARY KEY)").unwrap();
    let other = "aaaaaaaa-0000-0000-0000-000000000001:1";
    let executed = root.query("SELECT @@GLOBAL.gtid_executed").unwrap().rows.remove(0).remove(0).unwrap();
    let mut dump = world.dump_without(&format!("{executed},{other}").parse().unwrap());
    root.query("SET GLOBAL rpl_semi_sync_source_timeout = 600000").unwrap();
    root.query("SET GLOBAL rpl_semi_sync_source_enabled = ON").unwrap();
    for sql in ["INSERT INTO d.t VALUES (1)", "SET gtid_next", "INSERT INTO d.t VALUES (2)"] {
        if sql == "SET gtid_next" {
            writer.query(&format!("SET gtid_next = '{other}'")).unwrap();
            continue;
        }
        writer.command(&[&[3], sql.as_bytes()].concat()).unwrap();
        let position = asked(&mut dump);
        dump.acknowledge("binlog.000001", position).unwrap();
        writer.answer().unwrap();
    }
    let shown = root.query("SHOW STATUS LIKE 'Rpl_semi_sync_source_status'").unwrap().rows;
    assert_eq!(shown[0][1].as_deref(), Some("ON"));
    world.stop();
}

#[test]
fn whoever_waits_for_gtids_is_told_when_they_are_there() {
    let world = World::start();
    let (mut root, mut waiter) = (world.root(), world.root());
    let executed = root.query("SELECT @@GLOBAL.gtid_executed").unwrap().rows.remove(0).remove(0).unwrap();
    let (uuid, last) = (&executed[..36], executed.rsplit(['-', ':']).next().unwrap().parse::<u64>().unwrap());
    let wait =
        |next: u64, seconds: &str| format!("SELECT WAIT_FOR_EXECUTED_GTID_SET('{uuid}:1-{next}', {seconds})");
    let one = |client: &mut Client, sql: &str| client.query(sql).unwrap().rows.remove(0).remove(0);
    assert_eq!(one(&mut root, &wait(last, "0")).as_deref(), Some("0"));
    assert_eq!(one(&mut root, &wait(last + 1, "0.01")).as_deref(), Some("1"));
    let unbounded = wait(last + 1, "0");
    waiter.command(&[&[3], unbounded.as_bytes()].concat()).unwrap();
    root.query("CREATE TABLE d.waited (id INT)").unwrap();
    assert_eq!(waiter.answer().unwrap().rows[0][0].as_deref(), Some("0"));
    waiter.command(&[&[3], wait(last + 100, "0").as_bytes()].concat()).unwrap();
    // A KILL that comes before the statement has begun does not concern it.
    let (kill, killed) = (format!("KILL QUERY {}", waiter.connection_id), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !killed.load(Ordering::Relaxed) {
                root.query(&kill).unwrap();
            }
        });
        let answer = waiter.answer();
        killed.store(true, Ordering::Relaxed);
        assert_eq!(refused(answer).code(), 1317);
    });
    assert_eq!(one(&mut root, "SELECT SOURCE_POS_WAIT('binlog.000001', 4, 1)"), None, "it follows nobody");
    world.stop();
}

/// The GTIDs that the server says, without its own UUID.
fn gtids(client: &mut Client, name: &str) -> String {
    let shown = client.query(&format!("SELECT REPLACE(@@GLOBAL.{name}, @@server_uuid, 'own')")).unwrap();
    shown.rows[0][0].clone().unwrap()
}

/// The only binlog file that is listed.
fn only_file(client: &mut Client) -> String {
    let listed = client.query("SHOW BINARY LOGS").unwrap().rows;
    assert_eq!(listed.len(), 1);
    listed[0][0].clone().unwrap()
}

fn error_number(refused: Result<impl std::fmt::Debug, Failure>) -> u16 {
    refused.unwrap_err().code()
}

#[test]
fn a_reset_begins_the_log_anew() {
    let world = World::start();
    let mut root = world.root();
    let mut dump = world.dump(7, 0, "");
    // It has begun, and follows the log that is about to end.
    events_until(&mut dump, GTID, 1);
    for statement in ["CREATE TABLE d.t (id INT PRIMARY KEY)", "FLUSH LOGS", "INSERT INTO d.t VALUES (1)"] {
        root.query(statement).unwrap();
    }
    root.query("RESET BINARY LOGS AND GTIDS").unwrap();
    let ended = end(&mut dump);
    assert!(String::from_utf8_lossy(&ended).ends_with("could not find next log"), "{ended:?}");
    assert_eq!(only_file(&mut root), "binlog.000001");
    assert_eq!((gtids(&mut root, "gtid_executed"), gtids(&mut root, "gtid_purged")), <_>::default());
    root.query("INSERT INTO d.t VALUES (2)").unwrap();
    assert_eq!(gtids(&mut root, "gtid_executed"), "own:1");
    let mut dump = world.dump(7, 1, "");
    let mut types = events_until(&mut dump, 16, 1);
    types.retain(|kind| *kind == GTID);
    assert_eq!(types, [GTID]);
    root.query("RESET MASTER TO 12").unwrap();
    assert_eq!(only_file(&mut root), "binlog.000012");
    assert_eq!(error_number(root.query("RESET MASTER TO 0")), 3567);
    assert_eq!(error_number(root.query("RESET MASTER TO 2000000001")), 3567);
    root.query("LOCK TABLES d.t READ").unwrap();
    assert_eq!(error_number(root.query("RESET MASTER")), 1192);
    root.query("UNLOCK TABLES").unwrap();
    for lock in ["LOCK INSTANCE FOR BACKUP", "FLUSH TABLES WITH READ LOCK"] {
        root.query(lock).unwrap();
        root.query("RESET MASTER").unwrap();
    }
    root.query("UNLOCK TABLES").unwrap();
    assert_eq!(error_number(world.client("nobody").query("RESET MASTER")), 1227);
    world.stop();
}

#[test]
fn gtid_purged_can_be_set() {
    let world = World::start();
    let mut root = world.root();
    root.query("RESET MASTER").unwrap();
    let other = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
    let set = |client: &mut Client, value: &str| client.query(&format!("SET @@GLOBAL.gtid_purged = {value}"));
    set(&mut root, &format!("'{other}:1-5'")).unwrap();
    assert_eq!(gtids(&mut root, "gtid_executed"), format!("{other}:1-5"));
    // As mysqldump writes it.
    set(&mut root, &format!("/*!80000 '+'*/ '{other}:8'")).unwrap();
    assert_eq!(gtids(&mut root, "gtid_purged"), format!("{other}:1-5:8"));
    let table = "SELECT CONCAT_WS(' ', source_uuid, interval_start, interval_end) FROM mysql.gtid_executed";
    assert_eq!(rows(&mut root, table), [format!("{other} 1 5"), format!("{other} 8 8")]);
    assert_eq!(error_number(world.client("nobody").query(table)), 1142);
    assert_eq!(error_number(set(&mut root, &format!("'+{other}:3'"))), 3546);
    assert_eq!(error_number(set(&mut root, &format!("'{other}:1-4'"))), 3546);
    assert_eq!(error_number(set(&mut root, "'nonsense'")), 1772);
    assert_eq!(error_number(set(&mut root, "DEFAULT")), 1230);
    let mut owner = world.root();
    owner.query(&format!("SET gtid_next = '{other}:20'")).unwrap();
    assert_eq!(error_number(set(&mut root, &format!("'+{other}:20'"))), 3546);
    root.query("BEGIN").unwrap();
    assert_eq!(error_number(set(&mut root, &format!("'+{other}:30'"))), 1766);
    assert_eq!(error_number(set(&mut world.client("nobody"), "''")), 1227);
    world.stop();
}

#[test]
fn rows_come_with_the_time_of_their_statement() {
    const ROWS: u8 = 30;
    let world = World::start();
    let mut root = world.root();
    for sql in [
        "CREATE DATABASE e",
        "CREATE TABLE d.t (id INT PRIMARY KEY, at TIMESTAMP DEFAULT CURRENT_TIMESTAMP)",
        "USE d",
        "PREPARE s FROM 'INSERT INTO t (id) VALUES (?)'",
        "USE e",
        "ALTER TABLE d.t COMMENT = 'another version'",
        "SET @id = 3",
    ] {
        ok(&mut root, sql);
    }
    send(&mut root, "INSERT INTO d.t (id) VALUES (1); DO SLEEP(1.1); INSERT INTO d.t (id) VALUES (2)");
    (0..3).for_each(|_| drop(root.answer().unwrap()));
    // It is planned anew, in the other database.
    ok(&mut root, "EXECUTE s USING @id");
    let inserted = rows(&mut root, "SELECT UNIX_TIMESTAMP(at) FROM d.t ORDER BY id");
    assert!(inserted[0] < inserted[1], "{inserted:?}");
    let (mut dump, mut logged) = (world.dump(7, 1, ""), Vec::new());
    loop {
        let packet = dump.packet().unwrap();
        if packet[0] != 0 {
            break;
        }
        if packet[5] == ROWS {
            logged.push(u32::from_le_bytes(packet[1..5].try_into().unwrap()).to_string());
        }
    }
    assert_eq!(logged, inserted);
    world.stop();
}
