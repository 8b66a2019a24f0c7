//! Strategies and settings that change under full load.
//!
//! Purpose: no client notices, and the binlog stays one gap-free sequence that says what the tables hold.
//! Method: sysbench writes while the strategy changes every 200 ms, and `sync_binlog`, `innodb_flush_log_at_trx_commit`,
//! `binlog_checksum`, `wait_binlog_flush` and the group commit delays with it. Then both readers verify every file, each
//! GTID stands there once and in order, and a replay into MariaDB gives equal tables.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mysql_async::prelude::Queryable;
use rig::clients::Vendor;
use rig::onelog::Config;
use rig::peer::Peer;
use rig::random::Random;
use rig::sysbench::Sysbench;
use rig::{Outcome, check, command, paths};

use crate::{Plan, binlogs, contents, sql};

const STRATEGIES: [&str; 5] = ["serial", "group", "parallel", "in_redo", "enhanced"];
const SETTINGS: [&str; 11] = [
    "sync_binlog = 1000",
    "sync_binlog = 100",
    "innodb_flush_log_at_trx_commit = 0",
    "innodb_flush_log_at_trx_commit = 1",
    "innodb_flush_log_at_trx_commit = 2",
    "binlog_checksum = 'NONE'",
    "binlog_checksum = 'CRC32'",
    "wait_binlog_flush = ON",
    "wait_binlog_flush = OFF",
    "binlog_group_commit_sync_delay = 500",
    "binlog_group_commit_sync_delay = 0",
];

/// See the module.
pub fn run(plan: &Plan) -> Outcome {
    let dir = paths::fresh("accept/switches")?;
    let options = [
        "--log-bin=binlog",
        "--gtid-mode=ON",
        "--enforce-gtid-consistency=ON",
        "--sync-binlog=1000",
        "--max-binlog-size=16M",
        "--onelog-delta-size=16M",
        "--max-connections=200",
    ];
    let config = Config::new(&dir.join("data"), &options)?;
    let server = config.start()?;
    let port = server.port();
    sql::run(port, &["CREATE DATABASE sbtest"])?;
    let bench = Sysbench {
        table_size: if plan.full { 100_000 } else { 5_000 },
        threads: 64,
        seconds: if plan.full { 300 } else { 4 },
        ..Sysbench::on(port, "oltp_write_only")
    };
    bench.prepare()?;
    let over = AtomicBool::new(false);
    let (report, switches) = std::thread::scope(|scope| {
        let switching = scope.spawn(|| switch_until(port, plan.seed, &over));
        let report = bench.run();
        over.store(true, Ordering::Relaxed);
        (report, switching.join())
    });
    let (report, switches) = (report?, switches.map_err(|_| "the switching thread panicked")??);
    println!("{switches} switches: {:.0} trx/s, {} deadlocks retried", report.tps, report.ignored_errors);
    let before = contents::of(port, "sbtest")?;
    server.stop()?;
    binlogs::verify(&config.datadir)?;
    check_gtids(&config.datadir)?;
    replay(&dir, &config.datadir, &before)
}

/// Changes strategy and a setting every 200 ms. Returns how often.
fn switch_until(port: u16, seed: u64, over: &AtomicBool) -> Outcome<u64> {
    let mut random = Random::new(seed);
    sql::block_on(async {
        let mut root = sql::root(port).await?;
        let mut count = 0;
        while !over.load(Ordering::Relaxed) {
            let (strategy, setting) = (*random.pick(&STRATEGIES), *random.pick(&SETTINGS));
            for set in [format!("onelog_commit_strategy = '{strategy}'"), setting.to_owned()] {
                let statement = format!("SET GLOBAL {set}");
                root.query_drop(&*statement).await.map_err(|error| format!("{statement}: {error}"))?;
            }
            let active = sql::value(&mut root, "SELECT @@onelog_commit_strategy").await?;
            check(active == strategy, || format!("{strategy} was asked for, {active} is active"))?;
            count += 1;
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        root.disconnect().await?;
        Ok(count)
    })
}

/// Each GTID of the server stands in the files once, and in order.
fn check_gtids(datadir: &Path) -> Outcome {
    let mut last = 0_u64;
    for file in binlogs::files(datadir)? {
        let said = command::run(Vendor::Oracle.binlog()?.arg(&file))?;
        for line in said.lines().filter_map(|line| line.strip_prefix("SET @@SESSION.GTID_NEXT= '")) {
            let Some((_, number)) = line.split_once(':') else { continue };
            let number: u64 = number.trim_end_matches(|c: char| !c.is_ascii_digit()).parse()?;
            check(number == last + 1, || format!("{}: GTID {number} after {last}", file.display()))?;
            last = number;
        }
    }
    println!("{last} GTIDs, each once and in order");
    check(last > 0, || "there is no GTID in the files".to_owned())
}

fn replay(dir: &Path, datadir: &Path, before: &BTreeMap<String, contents::Table>) -> Outcome {
    let peer_dir = dir.join("replay");
    fs::create_dir_all(&peer_dir)?;
    let peer =
        Peer::start(Vendor::MariaDb, &peer_dir, &["--skip-log-bin", "--innodb-flush-log-at-trx-commit=0"])?;
    let mut reader = Vendor::MariaDb.binlog()?;
    reader.arg("--verify-binlog-checksum").args(binlogs::files(datadir)?);
    command::pipe(&mut reader, Vendor::MariaDb.root(peer.port)?.arg("--binary-mode"))?;
    let found = contents::of(peer.port, "sbtest")?;
    contents::check_equal("sbtest replayed into MariaDB", before, &found)
}
