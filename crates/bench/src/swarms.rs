//! Swarms of several sizes that take turns at one server.
//!
//! What a transaction costs with thousands of connections is set against what it costs with a hundred, and that by few percent.
//! Where a machine's speed changes by 20 % for seconds at a time, rounds of seconds compare moments; and two processes of one
//! binary differ too. So all swarms are connected to one server, and each lets it work for [`SLICE`] at a time, forwards and
//! backwards; those whose turn it is not are stopped, their connections idle. Each round has a server of its own.
//!
//! A turn ends when what its swarm has sent is done: of 4,000 clients that is as much as a fifth of the turn's transactions. Both
//! processors are busy with it, only that the swarm is stopped then. A checkpoint falls into whoever's turn it is: rounds should
//! have many.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use rig::command::{self, Process};
use rig::{Outcome, say, usage};

use crate::contest::{Contest, Ground, LEASH};
use crate::disk;
use crate::large::median;
use crate::plan::Plan;
use crate::spec::Spec;
use crate::swarm::SCRIPT;
use crate::table;
use crate::turns::{FOREVER, SLICE, ratios};

/// How long nothing may happen until a swarm's transactions are taken to be done.
const QUIET: Duration = Duration::from_millis(20);

/// Measures; returns the page.
pub fn measure(plan: &Plan, ground: &Ground) -> Outcome<String> {
    let disk = disk::sync_latency(&ground.dir)?;
    let mut rounds = vec![Vec::new(); plan.servers.len()];
    let mut preface = table::preface(plan, &[], disk).trim_end().to_owned();
    for number in 0..plan.repeat {
        for (spec, rounds) in plan.servers.iter().zip(&mut rounds) {
            let mut server = Contest::start(spec, ground, &[])?;
            if number == 0 {
                preface += &table::settings_line(&server);
            }
            server.make_tables(SCRIPT)?;
            rounds.push(round(plan, &mut server)?);
            server.end()?;
        }
    }
    Ok(preface + &page(plan, &rounds))
}

/// A swarm, stopped but for its turns, and what came of these.
struct Swarm {
    clients: u32,
    process: Process,
    sum: Sum,
}

/// What was seen in a swarm's turns.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    commits: u64,
    ran: Duration,
    server: Duration,
    client: Duration,
}

impl Sum {
    fn tps(&self) -> f64 {
        self.commits as f64 / self.ran.as_secs_f64()
    }

    /// Processor microseconds a transaction.
    fn us(&self, used: Duration) -> f64 {
        used.as_secs_f64() * 1e6 / self.commits.max(1) as f64
    }
}

impl Swarm {
    /// Starts it, and stops it once all are connected and warm.
    fn start(plan: &Plan, server: &Contest, clients: u32) -> Outcome<Self> {
        let swarm = server.swarm(clients, FOREVER, plan.warm_up).command()?;
        let mut command = command::wrapped(&LEASH, swarm);
        let mut process = Process(command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?);
        let out = process.0.stdout.as_mut().ok_or("no pipe")?;
        let is_warm = |line: Result<String, _>| line.is_ok_and(|line| line.starts_with("SQL statistics"));
        if !BufReader::new(out).lines().any(is_warm) {
            return Err(format!("{clients} clients of {} have ended", server.spec.name).into());
        }
        command::suspend(process.0.id())?;
        Ok(Self { clients, process, sum: Sum::default() })
    }

    fn turn(&mut self, server: &mut Contest) -> Outcome {
        let (pid, commits) = (self.process.0.id(), server.commits()?);
        let used = (usage::cpu(server.pid())?, usage::cpu(pid)?);
        let begun = Instant::now();
        command::resume(pid)?;
        thread::sleep(SLICE);
        command::suspend(pid)?;
        let (all, ended) = until_quiet(server)?;
        self.sum.ran += ended.duration_since(begun);
        self.sum.server += usage::cpu(server.pid())?.saturating_sub(used.0);
        self.sum.client += usage::cpu(pid)?.saturating_sub(used.1);
        let made = all.saturating_sub(commits);
        self.sum.commits += made;
        if made > 0 { Ok(()) } else { Err(format!("{} clients have done nothing", self.clients).into()) }
    }
}

/// Waits until nothing is committed any more. Returns all commits, and when the last ones were seen.
fn until_quiet(server: &mut Contest) -> Outcome<(u64, Instant)> {
    let (mut commits, mut seen) = (server.commits()?, Instant::now());
    while seen.elapsed() < QUIET {
        thread::sleep(QUIET / 10);
        let now = server.commits()?;
        if now > commits {
            (commits, seen) = (now, Instant::now());
        }
    }
    Ok((commits, seen))
}

/// What each size does in one round.
fn round(plan: &Plan, server: &mut Contest) -> Outcome<Vec<Sum>> {
    let start = |clients: &u32| Swarm::start(plan, server, *clients);
    let mut swarms = plan.threads.iter().map(start).collect::<Outcome<Vec<_>>>()?;
    until_quiet(server)?;
    let turns = u128::from(plan.seconds) * 1000 / SLICE.as_millis();
    for _ in 0..turns.max(1) {
        swarms.iter_mut().try_for_each(|swarm| swarm.turn(server))?;
        swarms.reverse();
    }
    swarms.sort_by_key(|swarm| plan.threads.iter().position(|clients| *clients == swarm.clients));
    for Swarm { clients, sum, .. } in &swarms {
        let (tps, us) = (sum.tps(), sum.us(sum.server));
        say(&format!("{clients} clients, {}: {tps:.0} trx/s, {us:.1} us of the server", server.spec.name));
    }
    Ok(swarms.iter().map(|swarm| swarm.sum).collect())
}

fn page(plan: &Plan, rounds: &[Vec<Vec<Sum>>]) -> String {
    let mut page = format!(
        "\n\nMedians of {} rounds, each with a server that is started for it, at which swarms of all sizes work for {} s each in turns of \
         {} ms; 4 tables of {} rows. Behind a ratio, to {} clients of the same round: the lowest and the highest round's.\n\n\
         ### {SCRIPT}\n\n\
         | server | clients | trx/s | server CPU us/trx | client CPU us/trx | trx/s, ratio | server CPU, ratio |\n\
         | --- |{}\n",
        plan.repeat,
        plan.seconds,
        SLICE.as_millis(),
        plan.table_size,
        plan.threads[0],
        " ---: |".repeat(6),
    );
    for (spec, rounds) in plan.servers.iter().zip(rounds) {
        rows(&mut page, plan, spec, rounds);
    }
    page
}

fn rows(page: &mut String, plan: &Plan, spec: &Spec, rounds: &[Vec<Sum>]) {
    for (place, clients) in plan.threads.iter().enumerate() {
        let middle = |value: fn(&Sum) -> f64| median(rounds.iter().map(|round| value(&round[place])));
        let ratio = |value: fn(&Sum) -> f64| {
            ratios(rounds.iter().map(|round| value(&round[place]) / value(&round[0])))
        };
        let server_us = |sum: &Sum| sum.us(sum.server);
        let _ = writeln!(
            page,
            "| {} | {clients} | {:.0} | {:.1} | {:.1} | {} | {} |",
            spec.name,
            middle(Sum::tps),
            middle(server_us),
            middle(|sum| sum.us(sum.client)),
            ratio(Sum::tps),
            ratio(server_us),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_to_the_first_size_of_the_same_round() {
        let line = "turns --swarm --scripts oltp_update_non_index --servers onelog --threads 100,4000";
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let plan = Plan::read(&words).unwrap().unwrap();
        let sum = |commits, server_ms| Sum {
            commits,
            ran: Duration::from_secs(1),
            server: Duration::from_millis(server_ms),
            client: Duration::from_millis(100),
        };
        let rounds = [[sum(10_000, 200), sum(9_000, 225)], [sum(20_000, 300), sum(16_000, 288)]];
        let page = page(&plan, &[rounds.iter().map(|round| round.to_vec()).collect()]);
        assert!(page.contains("| onelog | 100 | 20000 | 20.0 | 10.0 | 1.00 (1.00 to 1.00) |"), "{page}");
        assert!(page.contains("| 0.90 (0.80 to 0.90) | 1.25 (1.20 to 1.25) |"), "{page}");
    }
}
