//! Replicas that nobody here wrote.
//!
//! Purpose: a MariaDB replica by file and position and a MySQL replica by GTIDs follow through sysbench, DDL of every kind,
//! rotations, strategies that change, restarts of their own and `kill -9` of the server: without an error, and with equal
//! tables at the end;
//! the MySQL replica with equal GTIDs. Oracle's `mysqlbinlog --raw --stop-never` makes the same files.
//! Method: both follow from the first event on. The writers are those of `kills`, so that what the server keeps is
//! checked as well. A replica that lost the server comes back by itself, after a second. The last run ends cleanly, and
//! what `mysqlbinlog` has received by then is compared byte for byte.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rig::clients::Vendor;
use rig::command::Process;
use rig::onelog::Config;
use rig::peer::Peer;
use rig::sysbench::Sysbench;
use rig::{Outcome, check, paths, until};

use crate::load::Load;
use crate::{Plan, binlogs, contents, kills, sql, xa};

const OPTIONS: [&str; 6] = [
    "--log-bin=binlog",
    "--gtid-mode=ON",
    "--enforce-gtid-consistency=ON",
    "--max-binlog-size=1M",
    "--onelog-delta-size=2M",
    "--max-connections=200",
];
/// MySQL's server is another one to MariaDB's: that it is called 3 comes last.
const MYSQL: [&str; 5] = [
    "--server-id=3",
    "--gtid-mode=ON",
    "--enforce-gtid-consistency=ON",
    "--sync-binlog=0",
    "--innodb-flush-log-at-trx-commit=0",
];
/// MariaDB's JSON is text: it cannot follow MySQL's.
const MARIADB: [&str; 2] = ["--innodb-flush-log-at-trx-commit=0", "--replicate-ignore-db=documents"];
const STRATEGIES: [&str; 4] = ["in_redo", "group", "enhanced", "serial"];
const DATABASES: [&str; 7] = ["d", "ddl", "types", "relations", "computed", "views", "sbtest"];

/// The replica's account, without a password; MySQL 9 knows the plugin only as a client, so it must not be replicated.
pub const ACCOUNT: [&str; 4] = [
    "SET sql_log_bin = 0",
    "CREATE USER repl@'%' IDENTIFIED WITH mysql_native_password",
    "GRANT REPLICATION SLAVE ON *.* TO repl@'%'",
    "SET sql_log_bin = 1",
];
/// DDL of every kind; leaves one table more each time.
const DDL: [&str; 26] = [
    "CREATE DATABASE IF NOT EXISTS ddl",
    "CREATE TABLE ddl.t (id INT AUTO_INCREMENT PRIMARY KEY, a VARCHAR(20), b DATETIME DEFAULT CURRENT_TIMESTAMP)",
    "INSERT INTO ddl.t (a) VALUES ('one'), ('two'), ('')",
    "ALTER TABLE ddl.t ADD COLUMN c DECIMAL(10,2) NOT NULL DEFAULT 1.5, ADD INDEX (a)",
    "UPDATE ddl.t SET c = id * 2.25 WHERE id > 1",
    "CREATE UNIQUE INDEX u ON ddl.t (c, id)",
    "ALTER TABLE ddl.t MODIFY a VARCHAR(60) NOT NULL DEFAULT 'x', DROP COLUMN b",
    "DROP INDEX u ON ddl.t",
    "CREATE TABLE ddl.l LIKE ddl.t",
    "INSERT INTO ddl.l SELECT * FROM ddl.t",
    "TRUNCATE TABLE ddl.l",
    "INSERT INTO ddl.l SELECT * FROM ddl.t",
    "CREATE DATABASE gone",
    "DROP DATABASE gone",
    "DELETE FROM ddl.t WHERE id = 2",
    "UPDATE ddl.t JOIN ddl.l ON l.id = t.id SET t.a = CONCAT(t.a, l.id), l.c = t.c + 1",
    "DELETE ddl.t, ddl.l FROM ddl.t JOIN ddl.l ON l.id = t.id WHERE t.id = 1",
    "DROP TABLE ddl.l",
    "CREATE TABLE ddl.s_ROUND (k BIGINT PRIMARY KEY) SELECT id AS k, a, c, 'first' AS d FROM ddl.t",
    "INSERT INTO ddl.s_ROUND SELECT k + 10, a, c, 'again' FROM ddl.s_ROUND",
    "CREATE OR REPLACE SQL SECURITY INVOKER VIEW ddl.v AS SELECT * FROM ddl.s_ROUND WHERE k > 2",
    "CREATE VIEW ddl.v_ROUND (x, y) AS SELECT k DIV 2, COUNT(*) FROM ddl.s_ROUND s GROUP BY k DIV 2",
    "ALTER VIEW ddl.v_ROUND AS SELECT k, a AS y FROM ddl.s_ROUND UNION ALL SELECT 0, 'z'",
    "RENAME TABLE ddl.v_ROUND TO ddl.w_ROUND",
    "CREATE TABLE ddl.e_ROUND SELECT a FROM ddl.t WHERE id < 0",
    "RENAME TABLE ddl.t TO ddl.t_ROUND",
];

/// What sysbench's updates change.
const SUM: &str = "SELECT SUM(k), COUNT(*) FROM sbtest1";

/// How long a replica may be behind.
const PATIENCE_S: u64 = 600;

/// See the module.
pub fn run(plan: &Plan) -> Outcome {
    let dir = paths::fresh("accept/replicas")?;
    let config = Config::new(&dir.join("data"), &OPTIONS)?;
    let mut server = config.start()?;
    let port = server.port();
    sql::run(port, &ACCOUNT)?;
    let mut replicas =
        [follow(&dir, Vendor::MariaDb, port, &MARIADB)?, follow(&dir, Vendor::Oracle, port, &MYSQL)?];
    kills::prepare(port)?;
    sql::run(port, &["CREATE DATABASE sbtest"])?;
    sysbench(port).prepare()?;
    for name in ["types", "relations", "computed", "views", "documents"] {
        binlogs::load(port, name)?;
    }
    let mut ledger = [0; kills::WRITERS];
    let rounds: usize = if plan.full { 60 } else { 4 };
    for round in 0..rounds {
        let load = Load::new();
        let clients = Arc::clone(&load);
        let writing = std::thread::spawn(move || kills::writers::write(port, ledger, &clients));
        let before = contents::query(port, "sbtest", SUM)?;
        // It ends with the server.
        let mut sysbench =
            Process(sysbench(port).command("run").stdout(Stdio::null()).stderr(Stdio::null()).spawn()?);
        let strategy = STRATEGIES[round % STRATEGIES.len()];
        sql::run(port, &[&format!("SET GLOBAL onelog_commit_strategy = '{strategy}'")])?;
        for statement in DDL {
            sql::run(port, &[&statement.replace("ROUND", &round.to_string())])?;
        }
        // As MySQL's, its sessions go on behind XA PREPARE.
        xa::round(port, Vendor::Oracle, round)?;
        sql::run(port, &["FLUSH BINARY LOGS"])?;
        if round % 2 == 1 {
            restart(&mut replicas[round / 2 % 2], &dir)?;
        }
        std::thread::sleep(Duration::from_millis(if plan.full { 8_000 } else { 500 }));
        load.await_begun(kills::WRITERS)?;
        until(Duration::from_secs(PATIENCE_S), "sysbench changes something", || {
            Ok(contents::query(port, "sbtest", SUM)? != before)
        })?;
        check(sysbench.0.try_wait()?.is_none(), || "sysbench has ended by itself".to_owned())?;
        load.expect_end()?;
        server.kill()?;
        sysbench.0.wait()?;
        let acknowledged = writing.join().map_err(|_| "a writer panicked")??;
        server = config.start()?;
        ledger = kills::engine(port, &acknowledged)?;
    }
    println!("{rounds} kills, {} transactions of writers", ledger.iter().sum::<u64>());
    let raw = Raw::start(&dir, port)?;
    // What MySQL's Python client begins with; MariaDB 10.11 does not know the collation.
    let names = "SET NAMES utf8mb4 COLLATE utf8mb4_0900_ai_ci";
    let later = xa::end_later(rounds - 1);
    let last = [&later, "FLUSH BINARY LOGS", "UPDATE d.c SET n = n + 0", "DELETE FROM d.a WHERE n % 2 = 0"];
    sql::run(port, &[&[names][..], &last].concat())?;
    for replica in &replicas {
        await_equal(replica, port, &DATABASES)?;
    }
    compressed(port)?;
    await_equal(&replicas[1], port, &["documents", "d", "compressed"])?;
    raw.check(&config.datadir)?;
    server.stop()
}

/// Compressed transactions of every size and strategy, which MariaDB's replicas do not read.
fn compressed(port: u16) -> Outcome {
    let table = "CREATE TABLE compressed.t (id INT AUTO_INCREMENT PRIMARY KEY, v LONGBLOB, j JSON)";
    sql::run(port, &["CREATE DATABASE compressed", table])?;
    let random =
        (0..12).map(|part| format!("UNHEX(SHA2(CONCAT(i, {part}, RAND()), 512))")).collect::<Vec<_>>();
    let numbers = "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 1000)";
    let large = format!("CONCAT({}, REPEAT('x', 500))", random.join(", "));
    for strategy in STRATEGIES {
        sql::run(
            port,
            &[
                &format!("SET GLOBAL onelog_commit_strategy = '{strategy}'"),
                "SET binlog_transaction_compression = ON",
                "INSERT INTO compressed.t (v, j) VALUES (REPEAT('a', 300), '{\"a\": [1, 2]}'), ('', NULL)",
                "UPDATE compressed.t SET v = CONCAT(v, 'b'), j = JSON_SET(j, '$.b', id)",
                &format!("INSERT INTO compressed.t (v) {numbers} SELECT {large} FROM n"),
                &format!("INSERT INTO compressed.t (v) {numbers} SELECT REPEAT('large', 300) FROM n"),
                "DELETE FROM compressed.t WHERE id % 2 = 0",
                "XA START 'compressed'",
                "INSERT INTO compressed.t (v) VALUES (REPEAT('xa', 300))",
                "XA END 'compressed'",
                "XA PREPARE 'compressed'",
                "XA COMMIT 'compressed'",
            ],
        )?;
    }
    Ok(())
}

fn sysbench(port: u16) -> Sysbench {
    Sysbench {
        table_size: 2_000,
        threads: 4,
        seconds: 600,
        rand_type: "uniform",
        ..Sysbench::on(port, "oltp_read_write")
    }
}

/// Ends a replica and starts it again; it goes on by itself.
fn restart(replica: &mut Peer, dir: &Path) -> Outcome {
    let (vendor, port) = (replica.vendor, replica.port);
    replica.stop()?;
    let options = if vendor == Vendor::MariaDb { &MARIADB[..] } else { &MYSQL[..] };
    *replica = Peer::start_again(vendor, &dir.join(format!("{vendor:?}")), port, options)?;
    Ok(())
}

/// A replica that follows from the first event on.
pub fn follow(dir: &Path, vendor: Vendor, port: u16, options: &[&str]) -> Outcome<Peer> {
    let dir = dir.join(format!("{vendor:?}"));
    fs::create_dir_all(&dir)?;
    let follow = match vendor {
        Vendor::MariaDb => format!(
            "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT={port}, MASTER_USER='repl', \
             MASTER_LOG_FILE='binlog.000001', MASTER_LOG_POS=4, MASTER_CONNECT_RETRY=1; START SLAVE"
        ),
        Vendor::Oracle => format!(
            "CHANGE REPLICATION SOURCE TO SOURCE_HOST='127.0.0.1', SOURCE_PORT={port}, SOURCE_USER='repl', \
             SOURCE_SSL=0, SOURCE_AUTO_POSITION=1, SOURCE_CONNECT_RETRY=1, SOURCE_RETRY_COUNT=1000, \
             SOURCE_COMPRESSION_ALGORITHMS='zlib'; START REPLICA"
        ),
    };
    let peer = Peer::start(vendor, &dir, options)?;
    if vendor == Vendor::Oracle {
        // What its own start has logged is no part of what it follows.
        contents::query(peer.port, "mysql", "RESET BINARY LOGS AND GTIDS")?;
    }
    contents::query(peer.port, "mysql", &follow)?;
    Ok(peer)
}

/// Waits until a replica has everything, and compares.
pub fn await_equal(replica: &Peer, port: u16, databases: &[&str]) -> Outcome {
    let place = contents::query(port, "d", "SHOW MASTER STATUS")?;
    let fields: Vec<&str> = place.trim_end().split('\t').collect();
    let [file, position, .., gtids] = fields[..] else {
        return Err(format!("SHOW MASTER STATUS says {place}").into());
    };
    let (wait, expected) = match replica.vendor {
        Vendor::MariaDb => (format!("SELECT MASTER_POS_WAIT('{file}', {position}, {PATIENCE_S}) >= 0"), "1"),
        Vendor::Oracle => (format!("SELECT WAIT_FOR_EXECUTED_GTID_SET('{gtids}', {PATIENCE_S})"), "0"),
    };
    let waited = contents::query(replica.port, "mysql", &wait)?;
    check(waited.trim() == expected, || {
        let status = contents::query(replica.port, "mysql", "SHOW REPLICA STATUS").unwrap_or_default();
        format!("{:?} does not reach {file} {position} {gtids}: {status}", replica.vendor)
    })?;
    if replica.vendor == Vendor::Oracle {
        let executed = contents::query(replica.port, "mysql", "SELECT @@gtid_executed")?;
        check(executed.trim() == gtids, || format!("GTIDs are {executed}, the source has {gtids}"))?;
    }
    for database in databases {
        let what = format!("{database} on {:?}", replica.vendor);
        contents::check_equal(&what, &contents::of(port, database)?, &contents::of(replica.port, database)?)?;
    }
    Ok(())
}

/// `mysqlbinlog --raw --stop-never` from the first file on.
struct Raw {
    dir: PathBuf,
    _process: Process,
}

impl Raw {
    fn start(dir: &Path, port: u16) -> Outcome<Self> {
        let dir = dir.join("raw");
        fs::create_dir_all(&dir)?;
        let mut reader = Vendor::Oracle.binlog()?;
        reader
            .args(["--read-from-remote-server", "--raw", "--stop-never", "--host=127.0.0.1", "--user=root"])
            .args([format!("--port={port}"), format!("--result-file={}/", dir.display())])
            .arg("binlog.000001")
            .stdin(Stdio::null());
        let process = Process(reader.spawn()?);
        Ok(Self { dir, _process: process })
    }

    /// All files of the server are here, byte for byte; only the last one is still in use there.
    fn check(&self, datadir: &Path) -> Outcome {
        let files = binlogs::files(datadir)?;
        let begun = Instant::now();
        loop {
            let odd = files.iter().find_map(|file| self.differs(file).transpose()).transpose()?;
            let Some(odd) = odd else { break };
            check(begun.elapsed() < Duration::from_secs(PATIENCE_S), || odd)?;
            std::thread::sleep(Duration::from_millis(50));
        }
        println!("{} files received by mysqlbinlog are the server's", files.len());
        Ok(())
    }

    /// What is wrong with a file, if anything is.
    fn differs(&self, file: &Path) -> Outcome<Option<String>> {
        /// Where FORMAT_DESCRIPTION says whether the file is in use.
        const IN_USE: usize = 4 + 17;
        let copy = self.dir.join(file.file_name().ok_or("no file")?);
        let Ok(received) = fs::read(&copy) else { return Ok(Some(format!("no {}", copy.display()))) };
        let mut stored = fs::read(file)?;
        stored[IN_USE] &= !1;
        let wrong = || format!("{}: {} bytes, {} received", file.display(), stored.len(), received.len());
        Ok((stored != received).then(wrong))
    }
}
