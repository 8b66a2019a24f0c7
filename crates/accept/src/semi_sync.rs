//! Semi-synchronous replication with a replica that nobody here wrote.
//!
//! Purpose: with a MariaDB replica that acknowledges, nothing is told to a client that the replica lacks when the source
//! is killed (AFTER_SYNC); a replica that goes away stops nobody for longer than one time-out, and is waited for again
//! when it has come back.
//! Method: sysbench without and with (what that costs, `cargo xtask bench semi_sync` measures); the replica is stopped under
//! writers and started again; then the writers of `kills`, and `kill -9`: what they were told must be on the replica
//! before the source starts again, and both must be equal after that.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rig::clients::Vendor;
use rig::onelog::Config;
use rig::peer::Peer;
use rig::sysbench::Sysbench;
use rig::{Outcome, check, paths, until};

use crate::contents::status;
use crate::follows::{Way, begin, catch_up};
use crate::load::Load;
use crate::replicas::{ACCOUNT, await_equal, follow};
use crate::{Plan, acknowledged, contents, kills, sql};

const OPTIONS: [&str; 5] = [
    "--log-bin=binlog",
    "--gtid-mode=ON",
    "--enforce-gtid-consistency=ON",
    "--max-connections=200",
    "--rpl-semi-sync-source-timeout=60000",
];
/// So fast that the replica's own disk is not what is measured, and with what docs/replication.md advises: it writes down where
/// it is no more often than it is asked for an acknowledgement.
const MARIADB: [&str; 5] = [
    "--innodb-flush-log-at-trx-commit=0",
    "--rpl-semi-sync-slave-enabled=1",
    "--rpl-semi-sync-slave-delay-master=1",
    "--relay-log-recovery=1",
    "--slave-parallel-threads=4",
];
const CLIENTS: u32 = 64;
const PATIENCE: Duration = Duration::from_mins(1);

/// See the module.
pub fn run(plan: &Plan) -> Outcome {
    let dir = paths::fresh("accept/semi_sync")?;
    let config = Config::new(&dir.join("data"), &OPTIONS)?;
    let server = config.start()?;
    let port = server.port();
    sql::run(port, &ACCOUNT)?;
    kills::prepare(port)?;
    sql::run(port, &["CREATE DATABASE sbtest"])?;
    let replica = follow(&dir, Vendor::MariaDb, port, &MARIADB)?;
    until(PATIENCE, "the replica is known", || Ok(status(port, "Rpl_semi_sync_source_clients")? == "1"))?;
    acknowledges(plan, port)?;
    goes_and_comes(&replica, port)?;
    await_equal(&replica, port, &["d", "sbtest"])?;

    let load = Load::new();
    let clients = Arc::clone(&load);
    let writing = std::thread::spawn(move || kills::writers::write(port, [0; kills::WRITERS], &clients));
    load.await_begun(kills::WRITERS)?;
    std::thread::sleep(Duration::from_secs(if plan.full { 20 } else { 2 }));
    check(status(port, "Rpl_semi_sync_source_status")? == "ON", || "semi-sync went off".to_owned())?;
    load.expect_end()?;
    server.kill()?;
    let acknowledged = writing.join().map_err(|_| "a writer panicked")??;
    await_applied(&replica)?;
    kills::engine(replica.port, &acknowledged)?;
    println!(
        "kill -9: {} transactions were acknowledged, the replica has all of them",
        acknowledged.iter().sum::<u64>()
    );
    let server = config.start()?;
    kills::engine(port, &acknowledged)?;
    contents::query(replica.port, "mysql", "START SLAVE IO_THREAD")?;
    await_equal(&replica, port, &["d", "sbtest"])?;
    server.stop()?;
    of_its_own(&dir)
}

/// A replica that is onelog too.
fn of_its_own(dir: &Path) -> Outcome {
    let config = Config::new(&dir.join("source"), &OPTIONS)?;
    let source = config.start()?;
    sql::run(
        source.port(),
        &[
            "CREATE USER repl@'%' IDENTIFIED WITH mysql_native_password BY 'secret'",
            "GRANT REPLICATION SLAVE ON *.* TO repl@'%'",
        ],
    )?;
    let gtids = ["--server-id=2", "--gtid-mode=ON", "--enforce-gtid-consistency=ON"];
    let replica = Config::new(&dir.join("replica"), &gtids)?.start()?;
    let way = Way { name: "onelog by GTIDs", vendor: Vendor::Oracle, by_gtid: true };
    begin(replica.port(), source.port(), way, &config.datadir.join("ca.pem"))?;
    catch_up(source.port(), replica.port(), way)?;
    acknowledged::check_pair(source.port(), "source", replica.port())?;
    replica.stop()?;
    source.stop()
}

fn bench(port: u16, seconds: u32) -> Sysbench {
    Sysbench { table_size: 10_000, threads: CLIENTS, seconds, ..Sysbench::on(port, "oltp_update_non_index") }
}

/// Without, nobody is acknowledged; with, everybody is.
fn acknowledges(plan: &Plan, port: u16) -> Outcome {
    bench(port, 0).prepare()?;
    for on in [false, true] {
        sql::run(port, &[&format!("SET GLOBAL rpl_semi_sync_source_enabled = {}", u8::from(on))])?;
        let counters = || -> Outcome<[u64; 2]> {
            let yes = status(port, "Rpl_semi_sync_source_yes_tx")?.parse()?;
            Ok([yes, status(port, "Rpl_semi_sync_source_no_tx")?.parse()?])
        };
        let before = counters()?;
        let transactions = bench(port, if plan.full { 10 } else { 2 }).run()?.transactions;
        let after = counters()?;
        let [yes, no] = [0, 1].map(|which| after[which] - before[which]);
        check(if on { yes >= transactions && no == 0 } else { yes == 0 }, || {
            format!("enabled: {on}; of {transactions} transactions {yes} were acknowledged, {no} were not")
        })?;
        println!("{CLIENTS} clients, enabled: {on}: {yes} of {transactions} transactions were acknowledged");
    }
    Ok(())
}

/// The replica is stopped and started again.
fn goes_and_comes(replica: &Peer, port: u16) -> Outcome {
    // Each time that it was disabled counts as well.
    let before: u64 = status(port, "Rpl_semi_sync_source_no_times")?.parse()?;
    let full = bench(port, 2).run()?.tps;
    sql::run(port, &["SET GLOBAL rpl_semi_sync_source_timeout = 1000"])?;
    contents::query(replica.port, "mysql", "STOP SLAVE")?;
    let first = bench(port, 2).run()?.tps;
    check(status(port, "Rpl_semi_sync_source_status")? == "OFF", || "no time-out came".to_owned())?;
    let without = bench(port, 2).run()?.tps;
    let times = status(port, "Rpl_semi_sync_source_no_times")?.parse::<u64>()? - before;
    check(times == 1, || format!("{times} time-outs"))?;
    sql::run(port, &["SET GLOBAL rpl_semi_sync_source_timeout = 60000"])?;
    contents::query(replica.port, "mysql", "START SLAVE")?;
    sql::run(
        port,
        &[
            "UPDATE d.c SET n = n + 0",
            "INSERT INTO d.c VALUES (1000, 0)",
            "DELETE FROM d.c WHERE writer = 1000",
        ],
    )?;
    let begun = Instant::now();
    until(PATIENCE, "semi-sync comes back", || Ok(status(port, "Rpl_semi_sync_source_status")? == "ON"))?;
    println!(
        "{full:.0} trx/s semi-synchronous; the replica stops: {first:.0} in the 2 s with the time-out of 1 s, \
         {without:.0} after it; it comes back, and is waited for again after {} ms",
        begun.elapsed().as_millis()
    );
    Ok(())
}

/// Waits until a replica whose source is gone has applied what it has received; it receives nothing more.
fn await_applied(replica: &Peer) -> Outcome {
    contents::query(replica.port, "mysql", "STOP SLAVE IO_THREAD")?;
    let shown = contents::query(replica.port, "mysql", "SHOW SLAVE STATUS")?;
    let fields: Vec<&str> = shown.split('\t').collect();
    let [_, _, _, _, _, file, position, ..] = fields[..] else { return Err(shown.into()) };
    let wait = format!("SELECT MASTER_POS_WAIT('{file}', {position}, {}) >= 0", PATIENCE.as_secs());
    let waited = contents::query(replica.port, "mysql", &wait)?;
    check(waited.trim() == "1", || format!("the replica does not reach {file} {position}: {shown}"))
}
