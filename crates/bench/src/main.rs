//! Speed beside other servers, measured in one run.
//!
//! A machine's speed drifts by 20 to 50 % within minutes, so absolute figures mean little and servers take turns: for
//! each script and number of clients every server has a short round, and that several times; what is reported is the
//! median of each server's rounds. Only the server whose turn it is runs, the others are stopped meanwhile. All are at
//! settings under which an acknowledged commit survives power loss, unless `--relaxed` says otherwise. Beside throughput
//! stand the server's processor time and the disks' flushes for each transaction: a server that shows no flushes is not
//! syncing. `docs/BENCHMARKS.md` says more.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "drives real processes on the real disk in real time, and says what it does"
)]

mod apply;
mod chart;
mod console;
mod contest;
mod counters;
mod disk;
mod dumps;
mod figures;
mod followers;
mod large;
mod pace;
mod plan;
mod rounds;
mod semi_sync;
mod slow;
mod spec;
mod swarm;
mod swarms;
mod syncs;
mod table;
mod trace;
mod turns;

use std::fs;
use std::process::ExitCode;

use contest::{Contest, Ground};
use followers::Followers;
use plan::{HELP, Mode, Plan};
use rig::{Outcome, install, paths, usage};
use swarm::Swarm;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some((word, rest)) = arguments.split_first()
        && word == swarm::WORD
    {
        return ended(Swarm::read(rest).and_then(Swarm::run));
    }
    if let Some((word, rest)) = arguments.split_first()
        && word == followers::WORD
    {
        return ended(Followers::read(rest).and_then(Followers::run));
    }
    ended(Plan::read(&arguments).and_then(|plan| plan.map_or_else(help, |plan| run(&plan))))
}

fn ended(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("bench: {what}");
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "one of two things that main does")]
fn help() -> Outcome {
    print!("{HELP}");
    Ok(())
}

fn run(plan: &Plan) -> Outcome {
    install::all()?;
    usage::raise_file_limit(20_000)?;
    let ground = Ground::prepare(plan, paths::fresh(&plan.folder)?)?;
    let page = match plan.mode {
        Mode::Speed => speed(plan, &ground)?,
        Mode::Syncs => syncs::measure(plan, &ground)?,
        Mode::Large => large::measure(plan, &ground)?,
        Mode::Apply => apply::measure(plan, &ground)?,
        Mode::Dumps => dumps::measure(plan, &ground)?,
        Mode::SemiSync => semi_sync::measure(plan, &ground)?,
        Mode::Turns if plan.swarm => swarms::measure(plan, &ground)?,
        Mode::Turns => turns::measure(plan, &ground)?,
    };
    println!("{page}");
    Ok(fs::write(ground.dir.join("result.md"), page)?)
}

fn speed(plan: &Plan, ground: &Ground) -> Outcome<String> {
    let disk = disk::sync_latency(&ground.dir)?;
    let mut servers =
        plan.servers.iter().map(|spec| Contest::start(spec, ground, &[])).collect::<Outcome<Vec<_>>>()?;
    let points = rounds::measure(plan, &mut servers, &ground.dir)?;
    let page = table::preface(plan, &servers, disk) + "\n" + &table::page(plan, &points);
    servers.into_iter().try_for_each(Contest::end)?;
    fs::write(ground.dir.join("result.tsv"), table::medians(plan, &points))?;
    fs::write(ground.dir.join("result.svg"), chart::draw(plan, &points))?;
    Ok(page)
}
