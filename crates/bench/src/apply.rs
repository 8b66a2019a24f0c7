//! How fast replicas apply a source's backlog.
//!
//! onelog and MariaDB, with as many workers and at the same safe settings, follow a MariaDB 10.11 source. In each round both
//! are stopped, sysbench runs on the source, and then first one and then the other is started: what is timed is from START
//! to the end of the source's binlog. The source does nothing meanwhile, and neither does the other replica.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use rig::clients::Vendor;
use rig::onelog::{Config, Onelog};
use rig::peer::Peer;
use rig::sysbench::Sysbench;
use rig::{Outcome, check, say};

use crate::console::Console;
use crate::contest::Ground;
use crate::large::median;
use crate::plan::Plan;

const WORKERS: u32 = 4;
/// What a replica may take to apply a round.
pub const PATIENCE: Duration = Duration::from_mins(10);
/// Columns of SHOW REPLICA STATUS: the file and the position of the source that are applied.
const APPLIED: [usize; 2] = [9, 21];

/// Measures; returns the page.
pub fn measure(plan: &Plan, ground: &Ground) -> Outcome<String> {
    let mut page = format!(
        "Safe settings. Transactions a second that a replica with {WORKERS} workers applies of a MariaDB 10.11 source's \
         backlog of {} s; medians of {} rounds.\n\n| script | clients | transactions | onelog | MariaDB 10.11 | ratio |\n|{}\n",
        plan.seconds,
        plan.repeat,
        " ---: |".repeat(6)
    );
    let source = source(&ground.dir.join("source"))?;
    let mut replicas = [onelog(ground, source.port)?, mariadb(&ground.dir.join("replica"), source.port)?];
    for script in &plan.scripts {
        for threads in &plan.threads {
            let bench = Sysbench {
                port: source.port,
                user: "root".to_owned(),
                script: script.clone(),
                tables: 4,
                table_size: plan.table_size,
                threads: *threads,
                seconds: plan.seconds,
                events: 0,
                ps_mode: "auto",
                rand_type: "uniform",
            };
            bench.prepare()?;
            let (mut rates, mut total) = ([Vec::new(), Vec::new()], 0);
            for round in 0..plan.repeat {
                // Everybody has the tables, and what the last round has left.
                replicas.iter_mut().try_for_each(|replica| replica.follow(source.port).map(drop))?;
                let transactions = bench.run()?.transactions;
                total += transactions;
                let order = if round % 2 == 0 { [0, 1] } else { [1, 0] };
                for who in order {
                    let time = replicas[who].follow(source.port)?;
                    rates[who].push(transactions as f64 / time.as_secs_f64());
                    say(&format!("{script}, {}: {transactions} in {time:.2?}", replicas[who].name));
                }
            }
            let [onelog, mariadb] = rates.map(|rates| median(rates.into_iter()));
            let _ = writeln!(
                page,
                "| {script} | {threads} | {total} | {onelog:.0} | {mariadb:.0} | {:.2} |",
                onelog / mariadb
            );
            bench.cleanup()?;
        }
    }
    Ok(page)
}

fn source(dir: &Path) -> Outcome<Peer> {
    std::fs::create_dir_all(dir)?;
    let options = [
        "--log-bin=binlog",
        "--binlog-format=ROW",
        "--sync-binlog=0",
        "--innodb-flush-log-at-trx-commit=0",
        "--server-id=1",
    ];
    let server = Peer::start(Vendor::MariaDb, dir, &options)?;
    Console::open(server.port)?.ask(
        "CREATE USER repl IDENTIFIED BY 'secret'; GRANT REPLICATION SLAVE ON *.* TO repl; RESET MASTER; \
         CREATE DATABASE sbtest",
    )?;
    Ok(server)
}

#[expect(dead_code, reason = "they run as long as this lives")]
enum Server {
    Onelog(Onelog),
    Peer(Peer),
}

struct Replica {
    name: &'static str,
    console: Console,
    _server: Server,
}

impl Replica {
    /// Follows to the end of the source's binlog. Returns how long that took.
    fn follow(&mut self, source: u16) -> Outcome<Duration> {
        let end = Console::open(source)?.row("SHOW MASTER STATUS")?;
        let begun = Instant::now();
        self.console.ask("START REPLICA")?;
        await_applied(&mut self.console, &end)?;
        let time = begun.elapsed();
        self.console.ask("STOP REPLICA")?;
        Ok(time)
    }
}

/// Whether a replica has applied everything up to `end`, which SHOW MASTER STATUS of its source has said. `status` is what
/// SHOW REPLICA STATUS says.
pub fn is_applied(status: &[String], end: &[String]) -> bool {
    APPLIED.map(|column| status.get(column)) == [end.first(), end.get(1)]
}

fn await_applied(replica: &mut Console, end: &[String]) -> Outcome {
    let begun = Instant::now();
    loop {
        let row = replica.row("SHOW REPLICA STATUS")?;
        if is_applied(&row, end) {
            return Ok(());
        }
        check(begun.elapsed() < PATIENCE, || format!("the replica stands still: {row:?}"))?;
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn onelog(ground: &Ground, source: u16) -> Outcome<Replica> {
    let workers = format!("--replica-parallel-workers={WORKERS}");
    let options = ["--log-bin=binlog", "--server-id=3", &workers];
    let server = Config::of_binary(ground.binary(), &ground.dir.join("data"), &options)?.start()?;
    let mut console = Console::open(server.port())?;
    console.ask(&format!(
        "CHANGE REPLICATION SOURCE TO SOURCE_HOST='127.0.0.1', SOURCE_PORT={source}, SOURCE_USER='repl', \
         SOURCE_PASSWORD='secret', SOURCE_LOG_FILE='binlog.000001', SOURCE_LOG_POS=4"
    ))?;
    Ok(Replica { name: "onelog", console, _server: Server::Onelog(server) })
}

fn mariadb(dir: &Path, source: u16) -> Outcome<Replica> {
    std::fs::create_dir_all(dir)?;
    let workers = format!("--slave-parallel-threads={WORKERS}");
    let options = [
        "--log-bin=binlog",
        "--log-slave-updates",
        "--sync-binlog=1",
        "--innodb-flush-log-at-trx-commit=1",
        "--server-id=4",
        "--slave-parallel-mode=optimistic",
        &workers,
    ];
    let server = Peer::start(Vendor::MariaDb, dir, &options)?;
    let mut console = Console::open(server.port)?;
    console.ask(&format!(
        "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT={source}, MASTER_USER='repl', MASTER_PASSWORD='secret', \
         MASTER_LOG_FILE='binlog.000001', MASTER_LOG_POS=4"
    ))?;
    Ok(Replica { name: "MariaDB", console, _server: Server::Peer(server) })
}
