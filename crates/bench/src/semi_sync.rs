//! What it costs that a commit waits for a replica.
//!
//! Two sources with the same settings, each with a MariaDB 10.11 replica on the same machine: the commits of one wait, those
//! of the other do not. Both have their clients from the beginning to the end and take turns ([`turns`]). Between
//! rounds each replica applies everything, without clients: what an asynchronous one has left would otherwise grow. A round in
//! which a transaction was not acknowledged is an error, as is one without acknowledgements.

use std::fmt::Write as _;
use std::path::Path;
use std::thread;
use std::time::Duration;

use rig::clients::Vendor;
use rig::command::{self, Process};
use rig::peer::{How, Peer};
use rig::{Outcome, check, say, until};

use crate::apply::{PATIENCE, is_applied};
use crate::console::Console;
use crate::contest::{Contest, Ground, LEASH};
use crate::large::median;
use crate::plan::Plan;
use crate::turns::{self, Team, Used};

/// Milliseconds: a replica that does not answer for so long fails the bench. Sources that are stopped count on.
const TIMEOUT_MS: u32 = 600_000;

/// What a replica is started with.
const REPLICA: [&str; 4] = [
    "--innodb-flush-log-at-trx-commit=0",
    "--rpl-semi-sync-slave-enabled=1",
    "--slave-parallel-threads=4",
    "--server-id=9",
];

/// How replicas differ: a name, and what they have beside [`REPLICA`].
const KINDS: [(&str, &[&str]); 2] = [
    ("as it is", &[]),
    ("as docs/replication.md has it", &["--rpl-semi-sync-slave-delay-master=1", "--relay-log-recovery=1"]),
];

/// Measures; returns the page.
pub fn measure(plan: &Plan, ground: &Ground) -> Outcome<String> {
    let mut page = format!(
        "Sources: {}; replicas: MariaDB 10.11 on the same machine, `{}`, no binlog; as docs/replication.md has it: also `{}`. \
         Medians of {} rounds, in each of which both run for {} s in turns of {} ms; behind a ratio the lowest and the highest \
         round's. Of two figures: asynchronous, semi-synchronous; of processor times: microseconds a transaction.\n\n\
         | source | replica | script | clients | trx/s | ratio | source CPU | replica CPU | client CPU | idle | transactions \
         an acknowledgement |\n|{}\n",
        plan.safety(),
        REPLICA.join(" "),
        KINDS[1].1.join(" "),
        plan.repeat,
        plan.seconds,
        turns::SLICE.as_millis(),
        " ---: |".repeat(11)
    );
    for spec in &plan.servers {
        for (kind, options) in KINDS {
            let mut pair = Vec::new();
            for waits in [false, true] {
                let mut spec = spec.clone();
                spec.name = format!("{}, replica {kind}, waits: {waits}", spec.name);
                pair.push(Pair::start(Contest::start(&spec, ground, &[])?, &ground.dir, waits, options)?);
            }
            for script in &plan.scripts {
                pair.iter_mut().try_for_each(|pair| pair.source.make_tables(script))?;
                for threads in &plan.threads {
                    let rounds = point(plan, &mut pair, (script, *threads))?;
                    let _ =
                        writeln!(page, "| {} | {kind} | {script} | {threads} |{}", spec.name, row(&rounds));
                }
            }
            pair.into_iter().try_for_each(Pair::end)?;
        }
    }
    Ok(page)
}

/// The columns behind the number of clients, of the rounds without and with.
fn row(rounds: &[Vec<Round>; 2]) -> String {
    let of = |value: fn(&Round) -> f64| rounds.each_ref().map(|rounds| median(rounds.iter().map(value)));
    let ratios =
        turns::ratios(rounds[0].iter().zip(&rounds[1]).map(|(without, with)| with.tps / without.tps));
    let [without, with] = of(|round| round.tps);
    let mut row = format!(" {without:.0}, {with:.0} | {ratios} |");
    let times: [fn(&Round) -> f64; 4] =
        [|round| round.source_us, |round| round.replica_us, |round| round.client_us, |round| round.idle_us];
    for value in times {
        let [without, with] = of(value);
        let _ = write!(row, " {without:.1}, {with:.1} |");
    }
    let _ = write!(row, " {:.1} |", of(|round| round.share)[1]);
    row
}

#[derive(Clone, Copy, Debug)]
struct Round {
    tps: f64,
    /// Processor microseconds a transaction.
    source_us: f64,
    /// Likewise; what an asynchronous replica has not applied at the end of a round is not in it.
    replica_us: f64,
    client_us: f64,
    /// What nobody used.
    idle_us: f64,
    /// Transactions that one acknowledgement released.
    share: f64,
}

/// The rounds at one point, without and with.
fn point(plan: &Plan, pair: &mut [Pair], (script, threads): (&str, u32)) -> Outcome<[Vec<Round>; 2]> {
    let mut clients = Vec::new();
    for one in &mut *pair {
        one.source.remove_binlogs()?;
        one.catch_up()?;
        clients.push(turns::clients(&one.source, script, threads)?);
        thread::sleep(Duration::from_secs(plan.warm_up.into()));
        command::suspend(clients[clients.len() - 1].0.id())?;
        one.suspend()?;
    }
    let mut teams: Vec<Team> = pair
        .iter()
        .zip(&clients)
        .map(|(pair, client)| Team::new(vec![pair.replica.server.pid(), pair.source.pid(), client.0.id()]))
        .collect();
    let mut rounds = [Vec::new(), Vec::new()];
    for _ in 0..plan.repeat {
        // Nothing is left to do, and nobody is at work, when a round begins.
        pair.iter_mut().try_for_each(Pair::catch_up_alone)?;
        let begin = marks(pair, &mut clients, &teams)?;
        turns::take(&mut teams, plan.seconds)?;
        let end = marks(pair, &mut clients, &teams)?;
        for (index, one) in pair.iter().enumerate() {
            let round = begin[index].until(&end[index], one.waits)?;
            say(&format!("{}, {script}, {threads} clients: {round:?}", one.source.spec.name));
            rounds[index].push(round);
        }
    }
    drop(clients);
    pair.iter().try_for_each(Pair::resume)?;
    Ok(rounds)
}

/// The state of a pair and its clients between two rounds.
struct Mark {
    commits: u64,
    acknowledged: [u64; 3],
    /// Of replica, source, clients.
    used: Used,
}

fn marks(pair: &mut [Pair], clients: &mut [Process], teams: &[Team]) -> Outcome<Vec<Mark>> {
    let mut marks = Vec::new();
    for ((pair, client), team) in pair.iter_mut().zip(clients).zip(teams) {
        turns::check_alive(&pair.source, client)?;
        let used = team.used()?;
        pair.source.resume()?;
        let counted = pair.source.commits().and_then(|commits| Ok((commits, pair.acknowledged()?)));
        pair.source.suspend()?;
        let (commits, acknowledged) = counted?;
        marks.push(Mark { commits, acknowledged, used });
    }
    Ok(marks)
}

impl Mark {
    fn until(&self, later: &Self, waits: bool) -> Outcome<Round> {
        let share = share(self.acknowledged, later.acknowledged, waits)?;
        let commits = later.commits.saturating_sub(self.commits);
        check(commits > 0, || "no transactions".to_owned())?;
        let (ran, idle, cpu) = later.used.since(&self.used);
        let us = |seconds: f64| seconds * 1e6 / commits as f64;
        Ok(Round {
            tps: commits as f64 / ran,
            replica_us: us(cpu[0]),
            source_us: us(cpu[1]),
            client_us: us(cpu[2]),
            idle_us: us(idle),
            share,
        })
    }
}

/// Transactions that one acknowledgement released. An error if one was not acknowledged where all wait, or one was where none
/// does.
fn share(begin: [u64; 3], end: [u64; 3], waits: bool) -> Outcome<f64> {
    let [yes, no, packets] = [0, 1, 2].map(|at| end[at].saturating_sub(begin[at]));
    let is_as_said = if waits { no == 0 && packets > 0 } else { yes == 0 };
    check(is_as_said, || format!("waits: {waits}, but {yes} were acknowledged and {no} were not"))?;
    Ok(yes as f64 / packets.max(1) as f64)
}

/// A source and its replica.
struct Pair {
    source: Contest,
    replica: Replica,
    /// Commits wait for the replica.
    waits: bool,
}

struct Replica {
    console: Console,
    server: Peer,
}

impl Pair {
    fn start(mut source: Contest, dir: &Path, waits: bool, options: &[&str]) -> Outcome<Self> {
        let replica = follow(&mut source, &dir.join(format!("replica-{waits}")), options)?;
        source.ask(&format!(
            "SET GLOBAL rpl_semi_sync_master_timeout = {TIMEOUT_MS}; \
             SET GLOBAL rpl_semi_sync_master_enabled = {}",
            u8::from(waits)
        ))?;
        Ok(Self { source, replica, waits })
    }

    fn resume(&self) -> Outcome {
        self.source.resume()?;
        command::resume(self.replica.server.pid())
    }

    fn suspend(&self) -> Outcome {
        self.source.suspend()?;
        command::suspend(self.replica.server.pid())
    }

    /// Waits until the replica has applied everything, and what was under way as well.
    fn catch_up(&mut self) -> Outcome {
        until(PATIENCE, "the replica has applied everything", || {
            let end = self.source.ask("SHOW MASTER STATUS")?.pop().ok_or("no binlog")?;
            Ok(is_applied(&self.replica.console.row("SHOW REPLICA STATUS")?, &end))
        })
    }

    /// The same of a pair that is stopped, and is stopped again.
    fn catch_up_alone(&mut self) -> Outcome {
        self.resume()?;
        self.catch_up()?;
        self.suspend()
    }

    /// Transactions that were acknowledged, those that were not, and packets that asked for it.
    fn acknowledged(&mut self) -> Outcome<[u64; 3]> {
        let rows = self.source.ask("SHOW GLOBAL STATUS LIKE 'Rpl\\_semi\\_sync\\_%'")?;
        let counter = |what: &str| -> Outcome<u64> {
            let row = rows.iter().find(|row| row[0].ends_with(what)).ok_or_else(|| format!("no {what}"))?;
            Ok(row[1].parse()?)
        };
        Ok([counter("_yes_tx")?, counter("_no_tx")?, counter("_net_waits")?])
    }

    fn end(self) -> Outcome {
        let Self { source, replica, waits: _ } = self;
        drop(replica);
        source.end()
    }
}

/// A replica from here on.
fn follow(source: &mut Contest, dir: &Path, options: &[&str]) -> Outcome<Replica> {
    // The last one may have left something.
    let _ = std::fs::remove_dir_all(dir);
    std::fs::create_dir_all(dir)?;
    let options = [&REPLICA[..], options].concat();
    let how = How { environment: &[], wrapper: &LEASH };
    let server = Peer::start_as(Vendor::MariaDb.into(), dir, &options, how)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_what_they_are_said_to_be() {
        let share = |waits, end| share([100; 3], end, waits);
        assert_eq!(format!("{:.1}", share(true, [300, 100, 110]).unwrap()), "20.0");
        assert!(share(false, [100, 300, 100]).is_ok());
        for (waits, end) in [(true, [299, 101, 110]), (true, [100; 3]), (false, [101, 100, 101])] {
            assert!(share(waits, end).is_err(), "{waits} {end:?}");
        }
    }

    #[test]
    fn a_ratio_is_of_the_same_round() {
        let round = |tps| Round {
            tps,
            source_us: 40.0,
            replica_us: 50.0,
            client_us: 25.0,
            idle_us: 3.5,
            share: 24.0,
        };
        let rounds = [[100.0, 200.0, 400.0].map(round).to_vec(), [85.0, 180.0, 320.0].map(round).to_vec()];
        let row = row(&rounds);
        assert!(row.starts_with(" 200, 180 | 0.85 (0.80 to 0.90) | 40.0, 40.0 |"), "{row}");
    }
}
