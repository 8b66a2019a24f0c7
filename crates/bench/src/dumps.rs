//! What dump connections on the live end cost the writers.
//!
//! Two servers with the same settings, one with the followers: a swarm for each writes at a fixed rate in turns of a fraction of a
//! second ([`pace`]), for a disk's slow moments would otherwise fall to one of them. An update that could not begin in time
//! counts from when it should have. Then some of the followers stop reading while a swarm writes as fast as it can, and the
//! server's memory is read.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use rig::command::Process;
use rig::{Outcome, say};

use crate::contest::{Contest, Ground};
use crate::followers::Followers;
use crate::large::median;
use crate::pace;
use crate::plan::Plan;
use crate::swarm::SCRIPT;
use crate::turns::ratios;

/// Transactions a second.
const RATE: u32 = 500;
/// Dump connections, and those that stop reading.
const FOLLOWERS: u32 = 200;
const DEAF: u32 = 50;

/// Measures; returns the page.
pub fn measure(plan: &Plan, ground: &Ground) -> Outcome<String> {
    let mut page = format!(
        "{}. Two servers in turns of {} ms, {} ms apart; writers held at {RATE} transactions a second; beside one of them \
         {FOLLOWERS} dump connections on the live end. Medians of {} rounds, in each of which both write for {} s, pauses \
         included; behind the ratio the lowest and the highest round's. Of two figures: nobody follows, {FOLLOWERS} do. Processor \
         time: of a core. Memory: MiB after {} s of as many updates as there can be.\n\n\
         | server | clients | p99 ms | ratio | p50 ms | ratio | server CPU | memory, all read | memory, {DEAF} of them do \
         not |\n|{}\n",
        plan.safety(),
        pace::SLICE.as_millis(),
        pace::REST.as_millis(),
        plan.repeat,
        plan.seconds,
        plan.seconds + plan.warm_up,
        " ---: |".repeat(9)
    );
    for spec in &plan.servers {
        let mut servers = Vec::new();
        for who in ["nobody follows", "followed"] {
            let mut spec = spec.clone();
            spec.name = format!("{}, {who}", spec.name);
            let mut server = Contest::start(&spec, ground, &[])?;
            server.make_tables(SCRIPT)?;
            servers.push(server);
        }
        for threads in &plan.threads {
            let following = follow(&mut servers[1], 0)?;
            let mut rounds = Vec::new();
            for number in 1..=plan.repeat {
                let pair = round(&servers, *threads, plan)?;
                say(&format!("{}, round {number}: {pair:?}", spec.name));
                rounds.push(pair);
            }
            check_followed(&mut servers[1])?;
            drop(following);
            let [read, deaf] = [0, DEAF].map(|deaf| memory(&mut servers[1], *threads, plan, deaf));
            let _ = writeln!(
                page,
                "| {} | {threads} | {} | {} | {} | {:.0} | {:.0} |",
                spec.name,
                both(&rounds, |round| round.p99_ms),
                both(&rounds, |round| round.p50_ms),
                median_of(&rounds, |round| round.cpu).join(", "),
                read?,
                deaf?,
            );
        }
        servers.into_iter().try_for_each(Contest::end)?;
    }
    Ok(page)
}

/// What one server's writers saw.
#[derive(Debug)]
struct Round {
    p50_ms: f64,
    p99_ms: f64,
    /// Seconds of the server's processor time a second of its turns, pauses included.
    cpu: f64,
}

/// The medians of either server.
fn median_of(rounds: &[[Round; 2]], value: fn(&Round) -> f64) -> [String; 2] {
    [0, 1].map(|which| format!("{:.2}", median(rounds.iter().map(|pair| value(&pair[which])))))
}

/// The medians, and the ratio.
fn both(rounds: &[[Round; 2]], value: fn(&Round) -> f64) -> String {
    let ratios = ratios(rounds.iter().map(|[alone, beside]| value(beside) / value(alone)));
    format!("{} | {ratios}", median_of(rounds, value).join(", "))
}

fn follow(server: &mut Contest, deaf: u32) -> Outcome<Process> {
    let place = server.ask("SHOW BINARY LOGS")?;
    let [file, size, ..] = &place.last().ok_or("no binlog")?[..] else { return Err("no binlog".into()) };
    let followers = Followers {
        port: server.port(),
        count: FOLLOWERS,
        deaf,
        file: file.clone(),
        position: size.parse()?,
    };
    let mut process = Process(followers.command()?.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?);
    let mut said = String::new();
    BufReader::new(process.0.stdout.as_mut().ok_or("no pipe")?).read_line(&mut said)?;
    rig::check(said.trim() == "following", || "the followers did not begin".to_owned())?;
    Ok(process)
}

/// An error if one of those who should have read all the time has gone.
fn check_followed(server: &mut Contest) -> Outcome {
    let dumps = "SELECT COUNT(*) FROM information_schema.processlist WHERE command = 'Binlog Dump'";
    let found = server.ask(dumps)?.concat().concat();
    rig::check(found == FOLLOWERS.to_string(), || format!("{found} of {FOLLOWERS} followers are left"))
}

/// Both write in turns.
fn round(servers: &[Contest], threads: u32, plan: &Plan) -> Outcome<[Round; 2]> {
    let mut running = Vec::new();
    for (turn, server) in (0..).zip(servers) {
        let mut swarm = server.swarm(threads, 2 * plan.seconds, plan.warm_up);
        (swarm.rate, swarm.turn) = (RATE, Some(turn));
        let before = rig::usage::cpu(server.pid())?;
        running
            .push((Process(swarm.command()?.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?), before));
    }
    let mut rounds = Vec::new();
    for (server, (mut swarm, before)) in servers.iter().zip(running) {
        let mut said = String::new();
        swarm.0.stdout.take().ok_or("no pipe")?.read_to_string(&mut said)?;
        let cpu = rig::usage::cpu(server.pid())?.saturating_sub(before).as_secs_f64();
        let number = |what: &str| -> Outcome<f64> {
            let line = said.lines().rev().find_map(|line| line.trim().strip_prefix(what));
            Ok(line.ok_or_else(|| format!("the swarm said {said}"))?.trim().parse()?)
        };
        let own = f64::from(2 * plan.seconds + plan.warm_up) / 2.0;
        rounds.push(Round {
            p50_ms: number("median:")?,
            p99_ms: number("99th percentile:")?,
            cpu: cpu / own,
        });
    }
    rounds.try_into().map_err(|_| "two servers".into())
}

/// MiB of a server that is followed, after writes without pause; some of the followers read nothing.
fn memory(server: &mut Contest, threads: u32, plan: &Plan, deaf: u32) -> Outcome<f64> {
    let _following = follow(server, deaf)?;
    rig::command::run(&mut server.swarm(threads, plan.seconds, plan.warm_up).command()?)?;
    Ok(rig::usage::resident(server.pid())? as f64 / f64::from(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_of_the_same_round() {
        let round = |p99_ms| Round { p50_ms: p99_ms / 2.0, p99_ms, cpu: 0.1 };
        let rounds = [[1.0, 1.1], [20.0, 10.0], [2.0, 3.0]].map(|pair| pair.map(round));
        assert_eq!(both(&rounds, |round| round.p99_ms), "2.00, 3.00 | 1.10 (0.50 to 1.50)");
    }
}
