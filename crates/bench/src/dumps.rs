//! What dump connections on the live end cost the writers.
//!
//! A swarm writes at a fixed rate, with the followers and without, in turn; an update that could not begin in time counts
//! from when it should have. Then some of the followers stop reading while the swarm writes as fast as it can, and the
//! server's memory is read.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use rig::command::Process;
use rig::{Outcome, say};

use crate::contest::{Contest, Ground};
use crate::followers::Followers;
use crate::large::median;
use crate::plan::Plan;
use crate::swarm::SCRIPT;

/// Transactions a second.
const RATE: u32 = 500;
/// Dump connections, and those that stop reading.
const FOLLOWERS: u32 = 200;
const DEAF: u32 = 50;

/// Measures; returns the page.
pub fn measure(plan: &Plan, ground: &Ground) -> Outcome<String> {
    let mut page = format!(
        "{}. Writers held at {RATE} transactions a second; {FOLLOWERS} dump connections on the live end; medians of {} \
         rounds of {} s.\n\n| server | clients | p99 ms, nobody follows | {FOLLOWERS} follow | ratio | p50 ms | p50 ms | \
         server CPU of a core | server CPU of a core | MiB, {FOLLOWERS} read | MiB, {DEAF} of them do not |\n|{}\n",
        plan.safety(),
        plan.repeat,
        plan.seconds,
        " ---: |".repeat(11)
    );
    for spec in &plan.servers {
        let mut server = Contest::start(spec, ground, &[])?;
        server.make_tables(SCRIPT)?;
        for threads in &plan.threads {
            let mut rounds = [Vec::new(), Vec::new()];
            for number in 0..2 * plan.repeat {
                let follows = number % 2 == 1;
                let following = follows.then(|| follow(&mut server, 0)).transpose()?;
                rounds[usize::from(follows)].push(round(&server, *threads, plan, RATE)?);
                drop(following);
                say(&format!("{}: {} {:?}", spec.name, follows, rounds[usize::from(follows)].last()));
            }
            let following = follow(&mut server, 0)?;
            round(&server, *threads, plan, 0)?;
            let read = resident_mib(&server)?;
            drop(following);
            let following = follow(&mut server, DEAF)?;
            round(&server, *threads, plan, 0)?;
            let deaf = resident_mib(&server)?;
            drop(following);
            let of = |which: usize, value: fn(&Round) -> f64| median(rounds[which].iter().map(value));
            let (alone, beside) = (of(0, |round| round.p99_ms), of(1, |round| round.p99_ms));
            let _ = writeln!(
                page,
                "| {} | {threads} | {alone:.2} | {beside:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {read:.0} | {deaf:.0} |",
                spec.name,
                beside / alone,
                of(0, |round| round.p50_ms),
                of(1, |round| round.p50_ms),
                of(0, |round| round.cpu),
                of(1, |round| round.cpu),
            );
        }
        server.end()?;
    }
    Ok(page)
}

#[derive(Debug)]
struct Round {
    p50_ms: f64,
    p99_ms: f64,
    /// Seconds of the processor a second.
    cpu: f64,
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

fn round(server: &Contest, threads: u32, plan: &Plan, rate: u32) -> Outcome<Round> {
    let mut swarm = server.swarm(threads, plan.seconds, plan.warm_up);
    swarm.rate = rate;
    let before = rig::usage::cpu(server.pid())?;
    let said = rig::command::run(&mut swarm.command()?)?;
    let cpu = rig::usage::cpu(server.pid())?.saturating_sub(before).as_secs_f64();
    let number = |what: &str| -> Outcome<f64> {
        let line = said.lines().rev().find_map(|line| line.trim().strip_prefix(what));
        Ok(line.ok_or_else(|| format!("the swarm said {said}"))?.trim().parse()?)
    };
    let seconds = f64::from(plan.seconds + plan.warm_up);
    Ok(Round { p50_ms: number("median:")?, p99_ms: number("99th percentile:")?, cpu: cpu / seconds })
}

fn resident_mib(server: &Contest) -> Outcome<f64> {
    Ok(rig::usage::resident(server.pid())? as f64 / f64::from(1 << 20))
}
