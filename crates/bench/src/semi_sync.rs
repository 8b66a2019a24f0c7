//! What it costs that a commit waits for a replica.
//!
//! A MariaDB 10.11 replica on the same machine follows a source; sysbench writes with semi-synchronous replication off and
//! on, in turn. Before each round the replica has applied everything: what the last one has left would take the processor
//! from this one. A round in which a transaction was not acknowledged is an error, as is one without acknowledgements.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use rig::clients::Vendor;
use rig::peer::Peer;
use rig::{Outcome, check, say, until, usage};

use crate::apply::await_applied;
use crate::console::Console;
use crate::contest::{Contest, Ground};
use crate::large::median;
use crate::plan::Plan;

/// Milliseconds: a replica that does not answer for so long fails the bench.
const TIMEOUT_MS: u32 = 60_000;

/// Measures; returns the page.
pub fn measure(plan: &Plan, ground: &Ground) -> Outcome<String> {
    let mut page = format!(
        "Source: {}; replica: MariaDB 10.11 on the same machine, `innodb_flush_log_at_trx_commit=0`, no binlog. Medians of {} \
         rounds of {} s each.\n\n| source | script | clients | trx/s, asynchronous | semi-synchronous | ratio | source CPU \
         us/trx | us/trx | replica CPU us/trx | us/trx | transactions an acknowledgement |\n|{}\n",
        plan.safety(),
        plan.repeat,
        plan.seconds,
        " ---: |".repeat(11)
    );
    for spec in &plan.servers {
        let mut source = Contest::start(spec, ground, &[])?;
        let mut replica = follow(&mut source, &ground.dir.join("replica"))?;
        source.ask(&format!("SET GLOBAL rpl_semi_sync_master_timeout = {TIMEOUT_MS}"))?;
        for script in &plan.scripts {
            source.make_tables(script)?;
            for threads in &plan.threads {
                let mut rounds = [Vec::new(), Vec::new()];
                for number in 0..2 * plan.repeat {
                    let waits = number % 2 == 1;
                    let round = round(&mut source, &mut replica, (script, *threads, plan.seconds), waits)?;
                    say(&format!("{}, {script}, {threads} clients, waits: {waits}: {round:?}", spec.name));
                    rounds[usize::from(waits)].push(round);
                }
                let of = |waits: usize, value: fn(&Round) -> f64| median(rounds[waits].iter().map(value));
                let [without, with] = [0, 1].map(|waits| of(waits, |round| round.tps));
                let [source_without, source_with] = [0, 1].map(|waits| of(waits, |round| round.source_us));
                let [replica_without, replica_with] = [0, 1].map(|waits| of(waits, |round| round.replica_us));
                let _ = writeln!(
                    page,
                    "| {} | {script} | {threads} | {without:.0} | {with:.0} | {:.2} | {source_without:.1} | {source_with:.1} \
                     | {replica_without:.1} | {replica_with:.1} | {:.1} |",
                    spec.name,
                    with / without,
                    of(1, |round| round.share),
                );
            }
        }
        drop(replica);
        std::fs::remove_dir_all(ground.dir.join("replica"))?;
        source.end()?;
    }
    Ok(page)
}

#[derive(Debug)]
struct Round {
    tps: f64,
    /// Processor microseconds a transaction.
    source_us: f64,
    /// Likewise, until the round ends: asynchronously it has not applied everything then.
    replica_us: f64,
    /// Transactions that one acknowledgement released.
    share: f64,
}

fn round(
    source: &mut Contest,
    replica: &mut Replica,
    (script, threads, seconds): (&str, u32, u32),
    waits: bool,
) -> Outcome<Round> {
    let end = source.ask("SHOW MASTER STATUS")?.pop().ok_or("no binlog")?;
    await_applied(&mut replica.console, &end)?;
    source.ask(&format!("SET GLOBAL rpl_semi_sync_master_enabled = {}", u8::from(waits)))?;
    let pids = [source.pid(), replica.server.pid()];
    let before = (pids.map(usage::cpu), acknowledged(source)?);
    let report = source.sysbench(script, threads, seconds).run()?;
    let after = (pids.map(usage::cpu), acknowledged(source)?);
    let [yes, no, packets] =
        [0, 1, 2].map(|counter| after.1[counter].saturating_sub(before.1[counter]) as f64);
    let is_as_said = if waits { no == 0.0 && packets > 0.0 } else { yes == 0.0 };
    check(is_as_said, || format!("waits: {waits}, but {yes} were acknowledged and {no} were not"))?;
    let us = |begun: Outcome<Duration>, ended: Outcome<Duration>| -> Outcome<f64> {
        Ok(ended?.saturating_sub(begun?).as_secs_f64() * 1e6 / report.transactions as f64)
    };
    let ([source_before, replica_before], [source_after, replica_after]) = (before.0, after.0);
    Ok(Round {
        tps: report.tps,
        source_us: us(source_before, source_after)?,
        replica_us: us(replica_before, replica_after)?,
        share: yes / packets.max(1.0),
    })
}

/// Transactions that were acknowledged, those that were not, and packets that asked for it.
fn acknowledged(source: &mut Contest) -> Outcome<[u64; 3]> {
    let rows = source.ask("SHOW GLOBAL STATUS LIKE 'Rpl\\_semi\\_sync\\_%'")?;
    let counter = |what: &str| -> Outcome<u64> {
        let row = rows.iter().find(|row| row[0].ends_with(what)).ok_or_else(|| format!("no {what}"))?;
        Ok(row[1].parse()?)
    };
    Ok([counter("_yes_tx")?, counter("_no_tx")?, counter("_net_waits")?])
}

struct Replica {
    console: Console,
    server: Peer,
}

/// A replica from here on.
fn follow(source: &mut Contest, dir: &Path) -> Outcome<Replica> {
    std::fs::create_dir_all(dir)?;
    let options = [
        "--innodb-flush-log-at-trx-commit=0",
        "--rpl-semi-sync-slave-enabled=1",
        "--slave-parallel-threads=4",
        "--server-id=9",
    ];
    let server = Peer::start(Vendor::MariaDb, dir, &options)?;
    let mut console = Console::open(server.port)?;
    let with = if source.spec.is_onelog() { "WITH mysql_native_password" } else { "" };
    source.ask(&format!(
        "CREATE USER repl@'%' IDENTIFIED {with} BY 'secret'; GRANT REPLICATION SLAVE ON *.* TO repl@'%'"
    ))?;
    let end = source.ask("SHOW MASTER STATUS")?.pop().ok_or("no binlog")?;
    console.ask(&format!(
        "CREATE DATABASE sbtest; CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT={}, MASTER_USER='repl', MASTER_PASSWORD='secret', \
         MASTER_LOG_FILE='{}', MASTER_LOG_POS={}; START SLAVE",
        source.port(),
        end[0],
        end[1]
    ))?;
    until(Duration::from_mins(1), "the replica is known", || {
        let clients = source.ask("SHOW GLOBAL STATUS LIKE 'Rpl\\_semi\\_sync\\_%\\_clients'")?;
        Ok(clients.iter().any(|row| row[1] == "1"))
    })?;
    Ok(Replica { console, server })
}
