//! Acceptance: the real binary against real clients and servers, black box. See `docs/TESTING.md`.
//!
//! Purpose: show that what the README promises holds for software that nobody here wrote.
//! Requirements: Debian 12, root (to install what is missing), the release build.
//! Method: each part starts servers of its own in `target/accept/PART`, on free ports, and ends at the first thing that
//! is not as it should be. A missing peer is a failure. Randomised parts print their seed. What a part leaves is kept
//! only if it fails.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "drives real processes on the real disk in real time, and says what it does"
)]

mod acknowledged;
mod binlogs;
mod clients;
mod connections;
mod contents;
mod copies;
mod dumps;
mod follows;
mod hot_row;
mod interop;
mod kills;
mod load;
mod packets;
mod refusals;
mod replicas;
mod semi_sync;
mod sql;
mod switches;
mod sysbench;
mod xa;

use std::num::NonZero;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use interop::Source;
use rig::{Outcome, install, paths, usage};

/// Bytes that the parts running at one time may need on the disk, each: small, and with `--full`.
const ROOM: [u64; 2] = [2 << 30, 16 << 30];

/// What a part is told.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The numbers of the acceptance list instead of small ones.
    pub full: bool,
    /// Parts at a time.
    pub jobs: usize,
    /// What randomised parts begin with.
    pub seed: u64,
    /// The server that is followed, where a part follows one.
    pub source: Source,
}

type Part = (&'static str, fn(&Plan) -> Outcome, &'static str);

const PARTS: [Part; 18] = [
    ("follows", follows::run, "a replica of MySQL and of MariaDB that is killed again and again"),
    ("sysbench", sysbench::run, "the eleven stock scripts, prepared and plain, binlog on and off"),
    (
        "replicas",
        replicas::run,
        "MariaDB and MySQL replicas and mysqlbinlog --stop-never, through kills and DDL",
    ),
    ("copies", copies::run, "replicas that begin with a dump, of onelog and of others, taken under load"),
    ("dumps", dumps::run, "mariadb-dump and mysqldump, dumped and reloaded unchanged"),
    ("binlogs", binlogs::run, "binlog files read, verified and replayed into MariaDB, MySQL and onelog"),
    (
        "semi_sync",
        semi_sync::run,
        "a MariaDB replica that acknowledges: what it costs, that it goes and comes, kill -9",
    ),
    (
        "debezium",
        interop::debezium,
        "Debezium's embedded engine sees every change once: snapshot, then stream",
    ),
    ("clients", clients::run, "five clients, both authentication plugins"),
    ("connections", connections::run, "thousands of clients; max_connections"),
    ("kills", kills::run, "kill -9 under 32 writers"),
    ("hot_row", hot_row::run, "kill -9 under 256 clients that update one row"),
    ("switches", switches::run, "strategies and settings that change under 64 writers"),
    ("packets", packets::run, "malformed packets beside a healthy client"),
    ("refusals", refusals::run, "options, directories and logs that must be refused"),
    ("pymysqlreplication", interop::pymysqlreplication, "python-mysql-replication sees every change once"),
    ("canal", interop::canal, "go-mysql's canal sees every change once"),
    ("mysqlbinlog", interop::mysqlbinlog, "mysqlbinlog --raw --stop-never copies the files"),
];

const HELP: &str = "\
accept [--full] [--jobs N] [--seed N] [--source mysql97] [--list] [PART...]
accept peers

Runs the named parts, or all.
--full takes the numbers of the acceptance list (hours).
--jobs runs so many parts at a time (1).
--source mysql97 lets MySQL be followed instead of onelog, to tell whose mistake something is.
peers installs the foreign clients and servers and ends.
";

fn main() -> ExitCode {
    match arguments() {
        Ok(Some((plan, parts))) => run(&plan, &parts),
        Ok(None) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("accept: {what}\n{HELP}");
            ExitCode::FAILURE
        }
    }
}

fn arguments() -> Outcome<Option<(Plan, Vec<Part>)>> {
    let mut plan = Plan { full: false, jobs: 1, seed: 1, source: Source::default() };
    let mut parts = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match &*argument {
            "--full" => plan.full = true,
            "--jobs" => {
                let jobs = arguments.next().ok_or("--jobs needs a number")?.parse::<NonZero<usize>>()?;
                plan.jobs = jobs.get();
            }
            "--seed" => plan.seed = arguments.next().ok_or("--seed needs a number")?.parse()?,
            "--source" => plan.source = Source::named(&arguments.next().unwrap_or_default())?,
            "--list" => {
                for (name, _, what) in PARTS {
                    println!("{name:18} {what}");
                }
                return Ok(None);
            }
            "--help" => {
                print!("{HELP}");
                return Ok(None);
            }
            "peers" => {
                install::all()?;
                interop::install()?;
                return Ok(None);
            }
            name => {
                let part = PARTS.iter().find(|(it, ..)| *it == name);
                parts.push(*part.ok_or_else(|| format!("{name} is no part"))?);
            }
        }
    }
    if parts.is_empty() {
        parts = PARTS.to_vec();
    }
    Ok(Some((plan, parts)))
}

fn run(plan: &Plan, parts: &[Part]) -> ExitCode {
    let room = ROOM[usize::from(plan.full)] * plan.jobs.min(parts.len()) as u64;
    let ready =
        usage::need_room(room).and_then(|()| install::all()).and_then(|()| usage::raise_file_limit(20_000));
    if let Err(what) = ready {
        eprintln!("accept: {what}");
        return ExitCode::FAILURE;
    }
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            if !passes(plan, *part) {
                failed.lock().unwrap_or_else(PoisonError::into_inner).push(part.0);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs {
            scope.spawn(work);
        }
    });
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    if failed.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("accept: failed: {}", failed.join(", "));
    ExitCode::FAILURE
}

/// Runs a part, and says how that ended. What a part that fails leaves is kept.
fn passes(plan: &Plan, (name, part, what): Part) -> bool {
    println!("== {name}: {what}");
    let begun = Instant::now();
    let result = part(plan).and_then(|()| paths::remove(&format!("accept/{name}")));
    let seconds = begun.elapsed().as_secs_f64();
    match &result {
        Ok(()) => println!("== {name}: passed in {seconds:.1} s"),
        Err(what) => println!("== {name}: FAILED after {seconds:.1} s: {what}"),
    }
    result.is_ok()
}
