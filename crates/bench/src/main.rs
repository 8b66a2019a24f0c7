//! Speed beside other servers, measured in one run.
//!
//! A machine's speed drifts by 20 to 50 % within minutes, so absolute figures mean little and servers take turns: for
//! each script and number of clients every server has a short round, and that several times; what is reported is the
//! median of each server's rounds. All servers are up all the time, all at settings under which an acknowledged commit
//! survives power loss, unless `--relaxed` says otherwise. Beside throughput stand the server's processor time and the
//! disks' flushes for each transaction: a server that shows no flushes is not syncing.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "drives real processes on the real disk in real time, and says what it does"
)]

mod chart;
mod contest;
mod rounds;
mod table;

use std::fs;
use std::process::ExitCode;

use contest::Contest;
use rig::{Outcome, install, paths, usage};
use rounds::Rounds;

const HELP: &str = "\
bench [OPTION...]

  --servers LIST   of onelog, onelog-nobin, mariadb, mysql (default: onelog,mariadb,mysql)
  --scripts LIST   sysbench's (default: oltp_update_non_index,oltp_insert,oltp_write_only)
  --threads LIST   clients (default: 1,8,32,128,512)
  --rounds N       of each server at each point (default: 3)
  --seconds N      of a round, warm-up apart (default: 6)
  --warm-up N      seconds (default: 1)
  --size N         rows of each of the 4 tables (default: 100000)
  --profile NAME   of the onelog binary (default: dist)
  --relaxed        sync_binlog=1000, innodb_flush_log_at_trx_commit=2

Results: target/bench/result.md, result.svg, rounds.tsv.
";

fn main() -> ExitCode {
    match arguments().and_then(|rounds| rounds.map_or(Ok(()), |rounds| run(&rounds))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("bench: {what}");
            ExitCode::FAILURE
        }
    }
}

fn arguments() -> Outcome<Option<Rounds>> {
    let mut rounds = Rounds::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--help" {
            print!("{HELP}");
            return Ok(None);
        }
        if argument == "--relaxed" {
            rounds.relaxed = true;
            continue;
        }
        let value = arguments.next().ok_or_else(|| format!("{argument} needs a value"))?;
        let list = || value.split(',').map(str::to_owned).collect();
        match &*argument {
            "--servers" => rounds.servers = list(),
            "--scripts" => rounds.scripts = list(),
            "--threads" => rounds.threads = value.split(',').map(str::parse).collect::<Result<_, _>>()?,
            "--rounds" => rounds.repeat = value.parse()?,
            "--seconds" => rounds.seconds = value.parse()?,
            "--warm-up" => rounds.warm_up = value.parse()?,
            "--size" => rounds.table_size = value.parse()?,
            "--profile" => rounds.profile = value,
            _ => return Err(format!("{argument} is unknown\n{HELP}").into()),
        }
    }
    Ok(Some(rounds))
}

fn run(rounds: &Rounds) -> Outcome {
    install::all()?;
    usage::raise_file_limit(20_000)?;
    let dir = paths::fresh("bench")?;
    let servers =
        rounds.servers.iter().map(|name| Contest::start(name, rounds, &dir)).collect::<Outcome<Vec<_>>>()?;
    let points = rounds.measure(&servers, &dir.join("rounds.tsv"))?;
    let page = table::page(rounds, &points);
    println!("{page}");
    fs::write(dir.join("result.md"), page)?;
    fs::write(dir.join("result.svg"), chart::draw(rounds, &points))?;
    Ok(())
}
