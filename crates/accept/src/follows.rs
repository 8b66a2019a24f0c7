//! onelog as a replica of servers that nobody here wrote.
//!
//! Purpose: a source's history arrives whole, in order and once, with all workers, whatever happens to the replica.
//! Method: sysbench and DDL of every kind run on a source (MySQL by GTIDs, MySQL by position, MariaDB) that rotates its
//! binlog; the replica is killed with `kill -9` again and again, and told to stop and start between. At the end it has
//! reached the source's position without an error, tables and GTID sets are equal, and its own binlog is sound.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mysql_async::Row;
use mysql_async::prelude::Queryable;
use rig::clients::Vendor;
use rig::onelog::{Config, Onelog};
use rig::peer::Peer;
use rig::random::Random;
use rig::sysbench::Sysbench;
use rig::{Outcome, check, paths};

use crate::{Plan, acknowledged, binlogs, contents, sql, xa};

/// How a source is followed.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// For people.
    pub name: &'static str,
    /// Whose the source is.
    pub vendor: Vendor,
    /// By GTIDs, else by position.
    pub by_gtid: bool,
}

/// All of them.
pub const WAYS: [Way; 3] = [
    Way { name: "MySQL by GTIDs", vendor: Vendor::Oracle, by_gtid: true },
    Way { name: "MySQL by position", vendor: Vendor::Oracle, by_gtid: false },
    Way { name: "MariaDB by position", vendor: Vendor::MariaDb, by_gtid: false },
];

/// How long the replica may take to catch up.
const PATIENCE: Duration = Duration::from_mins(10);

/// What DDL does to a table of its own, again and again.
const DDL: [&str; 21] = [
    "CREATE TABLE ddl.t# (id INT AUTO_INCREMENT PRIMARY KEY, a TINYINT, b SMALLINT UNSIGNED, c MEDIUMINT, d BIGINT \
     UNSIGNED, e DECIMAL(30,10), f FLOAT, g DOUBLE, h CHAR(20), i VARCHAR(400), j BINARY(9), k VARBINARY(300), l \
     MEDIUMTEXT, m LONGBLOB, n DATE, o TIME(3), p DATETIME(6), q TIMESTAMP(2) NULL, r ENUM('x', 'it''s', 'z'), s SET('a', 'b', 'c') NOT NULL DEFAULT '', \
     t YEAR, u BIT(11) NOT NULL DEFAULT b'101')",
    "INSERT INTO ddl.t# (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, s) VALUES (-1, 65535, -8388608, \
     18446744073709551615, -12345678901234567890.0123456789, 1.5, -2.25e300, 'char  ', REPEAT('v', 400), 'a\\0b', \
     REPEAT('\\0', 300), REPEAT('t', 70000), REPEAT('b', 300000), '2024-02-29', '-838:59:58.999', '9999-12-31 \
     23:59:59.999999', '2038-01-19 03:14:07.25', '')",
    "INSERT INTO ddl.t# (a, r, s, t, u) VALUES (NULL, NULL, '', NULL, 0), (1, 'it''s', 'c,a', 1999, 2047), (2, 3, 7, 0, 5)",
    "UPDATE ddl.t# SET b = 7, l = NULL, i = 'shorter', r = 'x', s = 'b', t = 2155, u = u + 1 WHERE id < 3",
    "ALTER TABLE ddl.t# ADD COLUMN z VARCHAR(10) NOT NULL DEFAULT 'new', ADD INDEX (i(20)), DROP COLUMN f",
    "DELETE FROM ddl.t# WHERE id = 3",
    "CREATE UNIQUE INDEX u ON ddl.t# (id, a)",
    "CREATE TABLE ddl.n# (x INT, y VARCHAR(20))",
    "INSERT INTO ddl.n# VALUES (1, 'a'), (1, 'a'), (2, NULL), (3, 'c'), (3, 'c')",
    "UPDATE ddl.n# SET x = x + 1",
    "DELETE FROM ddl.n# WHERE x = 4 LIMIT 1",
    "UPDATE ddl.t# t JOIN ddl.n# n ON n.x = t.id + 1 SET t.d = n.x, n.y = 'joined'",
    "DELETE ddl.n#, ddl.t# FROM ddl.t# JOIN ddl.n# ON n#.x = t#.id + 2 WHERE t#.id < 3",
    "RENAME TABLE ddl.n# TO ddl.r#",
    "DROP TABLE IF EXISTS ddl.missing#",
    "CREATE TABLE ddl.s# (PRIMARY KEY (id)) SELECT id, a, i, e, s, 'first' AS w FROM ddl.t#",
    "INSERT INTO ddl.s# SELECT id + 10, a, i, e, s, 'again' FROM ddl.s#",
    "CREATE OR REPLACE ALGORITHM=MERGE VIEW ddl.v AS SELECT * FROM ddl.s# WHERE id > 2",
    "CREATE VIEW ddl.w# (x, y) AS SELECT a, COUNT(*) FROM ddl.s# GROUP BY a",
    "DROP VIEW IF EXISTS ddl.v, ddl.missing#",
    "CREATE TABLE ddl.e# SELECT h, n FROM ddl.t# WHERE id < 0",
];

/// What MariaDB has beside that.
const DDL_OF_MARIADB: [&str; 7] = [
    "CREATE OR REPLACE TABLE ddl.o# (id INT PRIMARY KEY, v INT)",
    "INSERT INTO ddl.o# VALUES (1, 2)",
    "CREATE OR REPLACE /* once more */ TABLE ddl.o# (id INT PRIMARY KEY, w VARCHAR(9))",
    "INSERT INTO ddl.o# VALUES (1, 'w')",
    "CREATE OR REPLACE TABLE ddl.p# LIKE ddl.t#",
    "CREATE OR REPLACE TABLE ddl.p# (PRIMARY KEY (id)) SELECT id, a, 'replaced' AS w FROM ddl.t#",
    "INSERT INTO ddl.p# SELECT id + 10, a, 'again' FROM ddl.p#",
];

/// See the module.
pub fn run(plan: &Plan) -> Outcome {
    let dir = paths::fresh("accept/follows")?;
    let mut random = Random::new(plan.seed);
    println!("seed {}", plan.seed);
    for (number, way) in WAYS.iter().enumerate() {
        let dir = dir.join(format!("{number}"));
        std::fs::create_dir_all(&dir)?;
        follow(plan, *way, &dir, &mut random)?;
    }
    Ok(())
}

fn follow(plan: &Plan, way: Way, dir: &Path, random: &mut Random) -> Outcome {
    let gtids = ["--gtid-mode=ON", "--enforce-gtid-consistency=ON"];
    let mut options = vec![
        "--log-bin=binlog",
        "--binlog-format=ROW",
        "--max-binlog-size=4M",
        "--sync-binlog=0",
        "--innodb-flush-log-at-trx-commit=0",
    ];
    let mut own = vec!["--server-id=3", "--max-binlog-size=4M", "--onelog-delta-size=4M"];
    if way.by_gtid {
        options.push("--binlog-transaction-compression=ON");
        options.extend(gtids);
        own.extend(gtids);
    }
    let source = Peer::start(way.vendor, dir, &options)?;
    prepare(source.port)?;
    let config = Config::new(&dir.join("replica"), &own)?;
    let replica = config.start()?;
    begin(replica.port(), source.port, way, &dir.join("data/ca.pem"))?;
    let kills = if plan.full { 50 } else { 2 };
    let bench = Sysbench {
        table_size: 5_000,
        threads: 8,
        seconds: if plan.full { 600 } else { 6 },
        rand_type: "uniform",
        ..Sysbench::on(source.port, "oltp_read_write")
    };
    let over = AtomicBool::new(false);
    let pause = Duration::from_secs(bench.seconds.into()) / (kills + 1);
    let (report, tables, replica) = std::thread::scope(|scope| {
        let defining = scope.spawn(|| define_until(source.port, way, &over));
        let disturbing = scope.spawn(|| disturb(replica, &config, kills, pause, random));
        let report = bench.prepare().and_then(|()| bench.run());
        over.store(true, Ordering::Relaxed);
        (report, defining.join(), disturbing.join())
    });
    let (report, tables) = (report?, tables.map_err(|_| "DDL panicked")??);
    let replica = replica.map_err(|_| "the kills panicked")??;
    let waited = catch_up(source.port, replica.port(), way)?;
    println!(
        "{}: {} transactions, {tables} rounds of DDL, {kills} kills; caught up after {:.1} s",
        way.name,
        report.transactions,
        waited.as_secs_f64()
    );
    for database in ["sbtest", "ddl"] {
        let (expected, found) =
            (contents::of(source.port, database)?, contents::of(replica.port(), database)?);
        contents::check_equal(&format!("{}: {database}", way.name), &expected, &found)?;
    }
    let mut scripts = ["relations", "computed", "views"].into_iter();
    scripts.try_for_each(|script| relay(&replica, source.port, way, script))?;
    let side = match way.vendor {
        Vendor::Oracle => {
            let install = "INSTALL PLUGIN rpl_semi_sync_source SONAME 'semisync_source.so'";
            sql::run(source.port, &[install])?;
            "source"
        }
        Vendor::MariaDb => "master",
    };
    acknowledged::check_pair(source.port, side, replica.port())?;
    replica.stop()?;
    binlogs::verify(&config.datadir)?;
    if way.vendor == Vendor::MariaDb {
        return Ok(());
    }
    // MySQL's JSON, which MariaDB's reader of binlogs does not know: after everything else.
    let replica = config.start()?;
    relay(&replica, source.port, way, "documents")?;
    refuse(&replica, source.port, way)?;
    replica.stop_after("Check constraint 'here' is violated")
}

/// A row that a check refuses which only the replica has stops it, and nothing of it stays.
fn refuse(replica: &Onelog, source: u16, way: Way) -> Outcome {
    let add = "ALTER TABLE relations.checked ADD CONSTRAINT here CHECK (n <> 66)";
    sql::run(replica.port(), &["SET sql_log_bin = 0", add])?;
    sql::run(source, &["INSERT INTO relations.checked VALUES (8, 65, ''), (9, 66, '')"])?;
    let stopped = catch_up(source, replica.port(), way).err().map(|error| error.to_string());
    check(stopped.as_ref().is_some_and(|error| error.contains("Last_SQL_Errno 3819")), || {
        format!("{}: a check of the replica alone: {stopped:?}", way.name)
    })?;
    let drop = "ALTER TABLE relations.checked DROP CONSTRAINT here";
    sql::run(replica.port(), &["SET sql_log_bin = 0", drop, "START REPLICA SQL_THREAD"])?;
    catch_up(source, replica.port(), way)?;
    let (expected, found) = (contents::of(source, "relations")?, contents::of(replica.port(), "relations")?);
    contents::check_equal(&format!("{}: a row that was refused", way.name), &expected, &found)
}

/// A script of the source arrives.
fn relay(replica: &Onelog, source: u16, way: Way, script: &str) -> Outcome {
    binlogs::load(source, script)?;
    catch_up(source, replica.port(), way)?;
    let (expected, found) = (contents::of(source, script)?, contents::of(replica.port(), script)?);
    contents::check_equal(&format!("{}: {script}", way.name), &expected, &found)
}

fn prepare(port: u16) -> Outcome {
    sql::run(
        port,
        &[
            "CREATE DATABASE sbtest",
            "CREATE DATABASE ddl",
            "CREATE USER repl IDENTIFIED BY 'secret'",
            "GRANT REPLICATION SLAVE ON *.* TO repl",
        ],
    )
}

/// Has a replica follow a source: by GTIDs under TLS, which the account asks for then, with the source's authority `ca`.
pub fn begin(replica: u16, source: u16, way: Way, ca: &Path) -> Outcome {
    let place = if way.by_gtid {
        sql::run(source, &["ALTER USER repl REQUIRE SSL"])?;
        format!("SOURCE_AUTO_POSITION = 1, SOURCE_SSL = 1, SOURCE_SSL_CA = '{}'", ca.display())
    } else {
        "SOURCE_LOG_FILE = 'binlog.000001', SOURCE_LOG_POS = 4, GET_SOURCE_PUBLIC_KEY = 1".to_owned()
    };
    let change = format!(
        "CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = {source}, SOURCE_USER = 'repl', \
         SOURCE_PASSWORD = 'secret', SOURCE_CONNECT_RETRY = 1, {place}"
    );
    sql::run(replica, &[&change, "START REPLICA"])
}

/// DDL on the source, and rotations, until it is over. Returns how many rounds.
fn define_until(port: u16, way: Way, over: &AtomicBool) -> Outcome<usize> {
    let mut round = 0;
    while !over.load(Ordering::Relaxed) {
        let more: &[&str] = if way.vendor == Vendor::MariaDb { &DDL_OF_MARIADB } else { &[] };
        let statements = DDL.iter().chain(more);
        let mut statements: Vec<String> =
            statements.map(|statement| statement.replace('#', &round.to_string())).collect();
        match round % 5 {
            1 => statements.push(format!("TRUNCATE TABLE ddl.r{round}")),
            2 => statements.push(format!("DROP TABLE ddl.t{}, ddl.r{}", round - 1, round - 1)),
            3 => statements.push("FLUSH BINARY LOGS".to_owned()),
            _ => statements.push("BEGIN".to_owned()),
        }
        statements.push(format!("INSERT INTO ddl.t{round} (id) VALUES (1000)"));
        statements.push("COMMIT".to_owned());
        let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
        sql::run(port, &statements)?;
        xa::round(port, way.vendor, round)?;
        round += 1;
        std::thread::sleep(Duration::from_millis(100));
    }
    if way.vendor == Vendor::Oracle && round > 0 {
        sql::run(port, &[&xa::end_later(round - 1)])?;
    }
    Ok(round)
}

/// Kills the replica, and stops and starts it in between.
fn disturb(
    mut replica: Onelog,
    config: &Config,
    kills: u32,
    pause: Duration,
    random: &mut Random,
) -> Outcome<Onelog> {
    for kill in 0..kills {
        std::thread::sleep(pause / 2 + pause.mul_f64(0.001 * random.below(1000) as f64));
        if kill % 3 == 1 {
            sql::run(
                replica.port(),
                &["STOP REPLICA SQL_THREAD", "START REPLICA", "STOP REPLICA", "START REPLICA"],
            )?;
        }
        replica.kill()?;
        replica = config.start()?;
    }
    Ok(replica)
}

/// Waits until the replica is where the source is.
pub fn catch_up(source: u16, replica: u16, way: Way) -> Outcome<Duration> {
    let begun = Instant::now();
    sql::block_on(async {
        let (mut source, mut replica) = (sql::root(source).await?, sql::root(replica).await?);
        let query =
            if way.vendor == Vendor::Oracle { "SHOW BINARY LOG STATUS" } else { "SHOW MASTER STATUS" };
        loop {
            // MariaDB moves on by itself: it writes an event when its storage engine has a file's transactions.
            let end: Option<Row> = source.query_first(query).await?;
            let end = end.ok_or("the source has no binlog")?;
            let end: (String, u64) = (end.get(0).ok_or("no file")?, end.get(1).ok_or("no position")?);
            let row: Option<Row> = replica.query_first("SHOW REPLICA STATUS").await?;
            let row = row.ok_or("there is no replica")?;
            let text = |name: &str| row.get::<String, _>(name).unwrap_or_default();
            let number = |name: &str| row.get::<u64, _>(name).unwrap_or_default();
            for part in ["IO", "SQL"] {
                let (errno, error) =
                    (number(&format!("Last_{part}_Errno")), text(&format!("Last_{part}_Error")));
                check(errno == 0, || format!("{}: Last_{part}_Errno {errno}: {error}", way.name))?;
            }
            if (text("Relay_Source_Log_File"), number("Exec_Source_Log_Pos")) == end {
                break;
            }
            check(begun.elapsed() < PATIENCE, || format!("{}: the replica does not catch up", way.name))?;
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        if way.by_gtid {
            let gtids = "SELECT @@GLOBAL.gtid_executed";
            let (there, here) =
                (sql::value(&mut source, gtids).await?, sql::value(&mut replica, gtids).await?);
            check(there == here, || format!("{}: GTIDs {there} became {here}", way.name))?;
        }
        source.disconnect().await?;
        replica.disconnect().await?;
        Ok(begun.elapsed())
    })
}
