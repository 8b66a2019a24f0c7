//! Servers that take turns of a fraction of a second.
//!
//! Where a machine's speed changes by a factor of two within half a minute, rounds of seconds compare moments, not servers:
//! two servers of one binary with the same settings differ by 5 to 15 % then. Here all have their clients from the beginning of
//! a point to its end, and each runs, its clients with it, for [`SLICE`] at a time while the others and theirs are stopped.
//! What changes over seconds meets all alike. What a process keeps as long as it lives, such as the memory that it got, makes
//! equal servers differ too, by up to 7 %: so each round has servers of its own.
//!
//! onelog only: transactions are what the server has counted, for a client's report knows nothing of the time in which it
//! was stopped.

use std::fmt::Write as _;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use rig::command::{self, Process};
use rig::{Outcome, check, say, usage};

use crate::contest::{Contest, Ground, LEASH};
use crate::counters::{Counters, Own};
use crate::disk;
use crate::large::median;
use crate::plan::{Plan, Ratio};
use crate::table;

/// How long a turn is.
pub const SLICE: Duration = Duration::from_millis(400);

/// How long servers may go on with what they have begun before a point's first turn.
const REST: Duration = Duration::from_secs(2);

/// Seconds after which a client would end by itself.
pub const FOREVER: u32 = 1_000_000;

/// Measures; returns the page.
pub fn measure(plan: &Plan, ground: &Ground) -> Outcome<String> {
    let disk = disk::sync_latency(&ground.dir)?;
    let mut preface = None;
    let mut page = String::new();
    for script in &plan.scripts {
        let mut rounds = vec![vec![Vec::new(); plan.servers.len()]; plan.threads.len()];
        for round in 0..plan.repeat {
            let mut servers = start(plan, ground, round)?;
            preface.get_or_insert_with(|| table::preface(plan, &servers, disk));
            for server in &mut servers {
                say(&format!("{script}, round {}: making tables of {}", round + 1, server.spec.name));
                server.make_tables(script)?;
            }
            for (threads, rounds) in plan.threads.iter().zip(&mut rounds) {
                let found = point(plan, &mut servers, (script, *threads))?;
                rounds.iter_mut().zip(found).for_each(|(rounds, turns)| rounds.push(turns));
            }
            servers.into_iter().try_for_each(Contest::end)?;
        }
        let mut parts = Parts::begin(script, plan);
        plan.threads.iter().zip(&rounds).for_each(|(threads, rounds)| parts.add(plan, *threads, rounds));
        page += &parts.end();
    }
    let mut preface = preface.unwrap_or_default();
    let _ = writeln!(
        preface,
        "\nMedians of {} rounds, each with servers that are started for it, which run for {} s in turns of {} ms at each point; \
         4 tables of {} rows. Behind a ratio: the lowest and the highest round's.",
        plan.repeat,
        plan.seconds,
        SLICE.as_millis(),
        plan.table_size
    );
    Ok(preface + &page)
}

/// Starts the servers of a round, now the first one first, now the last one: nobody always gets what memory is left. In the
/// plan's order.
fn start(plan: &Plan, ground: &Ground, round: u32) -> Outcome<Vec<Contest>> {
    let start = |spec| Contest::start(spec, ground, &[]);
    if round.is_multiple_of(2) {
        return plan.servers.iter().map(start).collect();
    }
    let mut servers = plan.servers.iter().rev().map(start).collect::<Outcome<Vec<_>>>()?;
    servers.reverse();
    Ok(servers)
}

/// What a server did in its turns of a round.
#[derive(Clone, Copy, Debug)]
struct Turns {
    /// Transactions a second of its own time.
    tps: f64,
    /// Processor microseconds a transaction.
    server_us: f64,
    client_us: f64,
    /// Those that nobody used.
    idle_us: f64,
    own: Own,
}

/// Processes that run together, and are stopped but for their turns.
#[derive(Debug)]
pub struct Team {
    /// Clients last: they are stopped first, and what is under way is answered or waits for the next turn.
    pids: Vec<u32>,
    /// Its turns so far.
    ran: Duration,
    /// Processor time that nobody used in them.
    idle: Duration,
}

/// What a team has used of its turns so far.
#[derive(Clone, Debug)]
pub struct Used {
    ran: Duration,
    idle: Duration,
    /// Processor time of each process, also outside of turns.
    cpu: Vec<Duration>,
}

impl Used {
    /// What was used since an earlier moment, in seconds: of turns, of nobody's processor time, of each process.
    pub fn since(&self, earlier: &Self) -> (f64, f64, Vec<f64>) {
        let seconds = |now: &Duration, then: &Duration| now.saturating_sub(*then).as_secs_f64();
        let cpu = self.cpu.iter().zip(&earlier.cpu).map(|(now, then)| seconds(now, then)).collect();
        (seconds(&self.ran, &earlier.ran), seconds(&self.idle, &earlier.idle), cpu)
    }
}

impl Team {
    /// Processes, clients last, all stopped.
    pub const fn new(pids: Vec<u32>) -> Self {
        Self { pids, ran: Duration::ZERO, idle: Duration::ZERO }
    }

    fn turn(&mut self) -> Outcome {
        let (begun, idle) = (Instant::now(), usage::idle()?);
        self.pids.iter().copied().try_for_each(command::resume)?;
        thread::sleep(SLICE);
        self.pids.iter().rev().copied().try_for_each(command::suspend)?;
        self.ran += begun.elapsed();
        self.idle += usage::idle()?.saturating_sub(idle);
        Ok(())
    }

    /// So far.
    pub fn used(&self) -> Outcome<Used> {
        let cpu = self.pids.iter().map(|pid| usage::cpu(*pid)).collect::<Outcome<_>>()?;
        Ok(Used { ran: self.ran, idle: self.idle, cpu })
    }
}

/// Lets each team run for so many seconds, forwards and backwards: nobody always follows the same one.
pub fn take<'a>(teams: impl IntoIterator<Item = &'a mut Team>, seconds: u32) -> Outcome {
    let mut teams: Vec<&mut Team> = teams.into_iter().collect();
    let turns = u128::from(seconds) * 1000 / SLICE.as_millis();
    for _ in 0..turns.max(1) {
        teams.iter_mut().try_for_each(|team| team.turn())?;
        teams.reverse();
    }
    Ok(())
}

/// Clients that write until they are killed, or this process ends.
pub fn clients(server: &Contest, script: &str, threads: u32) -> Outcome<Process> {
    let sysbench = server.sysbench(script, threads, FOREVER).command("run");
    let mut command = command::wrapped(&LEASH, sysbench);
    Ok(Process(command.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?))
}

/// An error if a server's clients have ended.
pub fn check_alive(server: &Contest, client: &mut Process) -> Outcome {
    let ended = client.0.try_wait()?;
    check(ended.is_none(), || format!("{}: the clients have ended: {ended:?}", server.spec.name))
}

/// A server and its clients.
struct Player<'a> {
    server: &'a mut Contest,
    client: Process,
    team: Team,
}

impl Player<'_> {
    fn mark(&mut self) -> Outcome<Mark> {
        check_alive(self.server, &mut self.client)?;
        self.server.resume()?;
        let counters = self.server.counters();
        self.server.suspend()?;
        Ok(Mark { counters: counters?, used: self.team.used()? })
    }
}

/// The state of a player between two rounds.
struct Mark {
    counters: Counters,
    /// Of the server, and of its clients.
    used: Used,
}

impl Mark {
    fn until(&self, later: &Self) -> Turns {
        let own = Own::between(&self.counters, &later.counters);
        let (ran, idle, cpu) = later.used.since(&self.used);
        let us = |seconds: f64| seconds * 1e6 / own.commits.max(1) as f64;
        let tps = own.commits as f64 / ran;
        Turns { tps, server_us: us(cpu[0]), client_us: us(cpu[1]), idle_us: us(idle), own }
    }
}

/// What each server does at one point of a round.
fn point(plan: &Plan, servers: &mut [Contest], (script, threads): (&str, u32)) -> Outcome<Vec<Turns>> {
    servers.iter_mut().try_for_each(Contest::remove_binlogs)?;
    thread::sleep(REST);
    servers.iter().try_for_each(Contest::suspend)?;
    let mut players = Vec::new();
    for server in &mut *servers {
        server.resume()?;
        let client = clients(server, script, threads)?;
        thread::sleep(Duration::from_secs(plan.warm_up.into()));
        command::suspend(client.0.id())?;
        server.suspend()?;
        let team = Team::new(vec![server.pid(), client.0.id()]);
        players.push(Player { server, client, team });
    }
    let begin = players.iter_mut().map(Player::mark).collect::<Outcome<Vec<_>>>()?;
    take(players.iter_mut().map(|player| &mut player.team), plan.seconds)?;
    let mut found = Vec::new();
    for (player, begin) in players.iter_mut().zip(&begin) {
        let turns = begin.until(&player.mark()?);
        say(&format!("{script}, {threads} clients, {}: {:.0} trx/s", player.server.spec.name, turns.tps));
        found.push(turns);
    }
    drop(players);
    servers.iter().try_for_each(Contest::resume)?;
    Ok(found)
}

/// The median of rounds' ratios, with the lowest and the highest.
pub fn ratios(rounds: impl Iterator<Item = f64>) -> String {
    let rounds: Vec<f64> = rounds.collect();
    let least = rounds.iter().copied().fold(f64::INFINITY, f64::min);
    let most = rounds.iter().copied().fold(0.0, f64::max);
    format!("{:.2} ({least:.2} to {most:.2})", median(rounds.into_iter()))
}

/// A script's two tables.
struct Parts {
    ratios: String,
    details: String,
}

impl Parts {
    fn begin(script: &str, plan: &Plan) -> Self {
        let mut ratios = format!("\n### {script}\n\n| clients |");
        for Ratio { of, to } in &plan.ratios {
            let _ = write!(ratios, " {of} / {} |", to.join(", "));
        }
        let _ = writeln!(ratios, "\n|{}", " ---: |".repeat(plan.ratios.len() + 1));
        let details = format!(
            "\n| clients | server | trx/s | server CPU us/trx | client CPU us/trx | idle us/trx | group | log syncs/trx \
             |\n|{}\n",
            " ---: |".repeat(8)
        );
        Self { ratios, details }
    }

    fn add(&mut self, plan: &Plan, threads: u32, rounds: &[Vec<Turns>]) {
        let of = |server: &String| plan.servers.iter().position(|spec| spec.name == *server).unwrap_or(0);
        let _ = write!(self.ratios, "| {threads} |");
        for Ratio { of: one, to } in &plan.ratios {
            let ratio = |round: usize| {
                let best = to.iter().map(|server| rounds[of(server)][round].tps).fold(0.0, f64::max);
                rounds[of(one)][round].tps / best
            };
            let _ = write!(self.ratios, " {} |", ratios((0..rounds[0].len()).map(ratio)));
        }
        self.ratios.push('\n');
        for (spec, rounds) in plan.servers.iter().zip(rounds) {
            let middle = |value: fn(&Turns) -> f64| median(rounds.iter().map(value));
            let _ = writeln!(
                self.details,
                "| {threads} | {} | {:.0} | {:.1} | {:.1} | {:.1} | {:.2} | {:.3} |",
                spec.name,
                middle(|turns| turns.tps),
                middle(|turns| turns.server_us),
                middle(|turns| turns.client_us),
                middle(|turns| turns.idle_us),
                middle(|turns| turns.own.group),
                middle(|turns| turns.own.log_syncs),
            );
        }
    }

    fn end(self) -> String {
        self.ratios + &self.details
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(tps: f64) -> Turns {
        Turns { tps, server_us: 40.0, client_us: 25.0, idle_us: 3.5, own: Own::default() }
    }

    #[test]
    fn only_a_servers_own_time_counts() {
        let mark = |commits: u64, ms: [u64; 4]| Mark {
            counters: Counters([("commits".to_owned(), commits)].into()),
            used: {
                let [ran, idle, cpu @ ..] = ms.map(Duration::from_millis);
                Used { ran, idle, cpu: cpu.to_vec() }
            },
        };
        let found = mark(1000, [400, 700, 100, 50]).until(&mark(3000, [1400, 760, 600, 250]));
        assert_eq!(found.own.commits, 2000);
        let figures = [found.tps, found.server_us, found.client_us, found.idle_us];
        assert_eq!(figures.map(|figure| format!("{figure:.1}")), ["2000.0", "250.0", "100.0", "30.0"]);
    }

    #[test]
    fn a_ratio_is_of_the_same_round() {
        let words = ["turns", "--servers", "onelog-in_redo,onelog-nobin"].map(str::to_owned);
        let plan = Plan::read(&words).unwrap().unwrap();
        let mut parts = Parts::begin("oltp_insert", &plan);
        parts.add(
            &plan,
            8,
            &[vec![turns(90.0), turns(380.0), turns(96.0)], vec![turns(100.0), turns(400.0), turns(100.0)]],
        );
        let page = parts.end();
        assert!(
            page.contains(
                "| clients | onelog-in_redo / onelog-nobin |\n| ---: | ---: |\n| 8 | 0.95 (0.90 to 0.96) |"
            ),
            "{page}"
        );
        assert!(page.contains("| 8 | onelog-in_redo | 96 | 40.0 | 25.0 | 3.5 | 0.00 | 0.000 |"), "{page}");
    }
}
