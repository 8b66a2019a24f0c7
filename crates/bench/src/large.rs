//! What a large transaction's commit costs everybody else.
//!
//! A swarm updates single rows, each update timed; beside it one session changes 25,000 rows of 1,000 bytes, 50 MiB of
//! events, and commits when the swarm's warm-up is over. The slowest update of the warm-up, while the large transaction
//! runs, stands beside the slowest one of as long a time in which it commits, and beside the time in which the disk
//! alone writes as many bytes.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rig::command::Process;
use rig::{Outcome, check, say};

use crate::contest::{Contest, Ground};
use crate::plan::Plan;
use crate::swarm::SCRIPT;

const ROWS: u32 = 25_000;
const EVENTS_SIZE: usize = 50 << 20;
/// How long the large transaction may take to run.
const RUNS: u32 = 10;
/// How long the swarm goes on after it has begun to commit: as long, for a longer time has a slower slowest one.
const SECONDS: u32 = RUNS;

/// One round of a server.
#[derive(Debug)]
struct Round {
    commit: Duration,
    /// Slowest small transaction, milliseconds: before, and meanwhile.
    slowest_ms: [f64; 2],
    /// 95 of 100 took at most so long, milliseconds: likewise.
    p95_ms: [f64; 2],
}

/// Measures; returns the page.
pub fn measure(plan: &Plan, ground: &Ground) -> Outcome<String> {
    let disk = (0..plan.repeat).map(|_| write_time(&ground.dir)).collect::<Outcome<Vec<_>>>()?;
    let mut page = format!(
        "{}. One transaction of 50 MiB of events beside clients that update single rows; medians of {} rounds. The disk \
         alone appends 50 MiB and syncs in {:.0} ms.\n\n| server | clients | commit ms | others' slowest ms, before | \
         meanwhile | others' p95 ms, before | meanwhile |\n|{}\n",
        plan.safety(),
        plan.repeat,
        median(disk.iter().map(|time| time.as_secs_f64() * 1e3)),
        " ---: |".repeat(7)
    );
    for spec in &plan.servers {
        let mut server = Contest::start(spec, ground, &[])?;
        server.make_tables(SCRIPT)?;
        server.ask(&format!(
            "CREATE TABLE sbtest.large (id INT PRIMARY KEY, pad VARCHAR(1000) CHARACTER SET latin1); \
             INSERT INTO sbtest.large SELECT a.id, REPEAT('a', 1000) FROM sbtest.sbtest1 a WHERE a.id <= {ROWS}"
        ))?;
        for threads in &plan.threads {
            let mut rounds = Vec::new();
            for number in 0..plan.repeat {
                rounds.push(round(&mut server, *threads, number)?);
                say(&format!("{}, {threads} clients: {:?}", spec.name, rounds.last()));
            }
            let of = |value: fn(&Round) -> f64| median(rounds.iter().map(value));
            let _ = writeln!(
                page,
                "| {} | {threads} | {:.0} | {:.1} | {:.1} | {:.2} | {:.2} |",
                spec.name,
                of(|round| round.commit.as_secs_f64() * 1e3),
                of(|round| round.slowest_ms[0]),
                of(|round| round.slowest_ms[1]),
                of(|round| round.p95_ms[0]),
                of(|round| round.p95_ms[1]),
            );
        }
        server.end()?;
    }
    Ok(page)
}

fn round(server: &mut Contest, threads: u32, number: u32) -> Outcome<Round> {
    let mut swarm = server.swarm(threads, SECONDS, RUNS).command()?;
    let mut swarm = Process(swarm.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?);
    let lines = BufReader::new(swarm.0.stdout.take().ok_or("no pipe")?).lines();
    let letter = char::from(b'b' + u8::try_from(number % 20)?);
    let begun = Instant::now();
    server.ask(&format!("BEGIN; UPDATE sbtest.large SET pad = REPEAT('{letter}', 1000)"))?;
    let ran = begun.elapsed();
    check(ran < Duration::from_secs(RUNS.into()), || {
        format!("the large transaction runs {} s: there is no time in which it commits", ran.as_secs())
    })?;
    let (mut commit, mut slowest_ms, mut p95_ms) = (None, Vec::new(), Vec::new());
    for line in lines {
        let line = line?;
        let line = line.trim();
        if let Some(ms) = line.strip_prefix("max:") {
            slowest_ms.push(ms.trim().parse()?);
        }
        if let Some(ms) = line.strip_prefix("95th percentile:") {
            p95_ms.push(ms.trim().parse()?);
            if commit.is_none() {
                let begun = Instant::now();
                server.ask("COMMIT")?;
                commit = Some(begun.elapsed());
            }
        }
    }
    let both = |values: Vec<f64>| <[f64; 2]>::try_from(values).map_err(|_| "the swarm ended early");
    Ok(Round {
        commit: commit.ok_or("the swarm said nothing")?,
        slowest_ms: both(slowest_ms)?,
        p95_ms: both(p95_ms)?,
    })
}

/// How long the disk takes to append as many bytes, and to sync them.
fn write_time(dir: &Path) -> Outcome<Duration> {
    let path = dir.join("bandwidth");
    let mut file = File::create(&path)?;
    let piece = vec![1; 1 << 20];
    let begun = Instant::now();
    for _ in 0..EVENTS_SIZE >> 20 {
        file.write_all(&piece)?;
    }
    file.sync_data()?;
    let time = begun.elapsed();
    fs::remove_file(path)?;
    Ok(time)
}

/// The one in the middle.
pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
