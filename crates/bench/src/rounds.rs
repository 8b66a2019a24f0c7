//! The rounds.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rig::command::{self, Process};
use rig::sysbench::parse;
use rig::{Outcome, say, usage};

use crate::contest::Contest;
use crate::counters::{Counters, Own};
use crate::figures::{Figures, Points, summary};
use crate::plan::Plan;
use crate::table;

/// How long servers may go on with what they have begun before a point's first round.
const REST: Duration = Duration::from_secs(2);

/// How often a round is tried in which the client does not report after its warm-up.
const TRIES: u32 = 3;

/// Where each round is written down at once.
struct Logs {
    rounds: File,
    status: File,
}

/// Measures everything.
pub fn measure(plan: &Plan, servers: &mut [Contest], dir: &Path) -> Outcome<Points> {
    let mut logs =
        Logs { rounds: File::create(dir.join("rounds.tsv"))?, status: File::create(dir.join("status.tsv"))? };
    writeln!(logs.rounds, "{}", table::ROUND_HEAD)?;
    writeln!(logs.status, "script\tthreads\tserver\tround\tcounter\tbegin\tend")?;
    let mut points = Points::new();
    let count = plan.scripts.len() * plan.threads.len();
    let turns = count as u64 * servers.len() as u64 * u64::from(plan.repeat);
    let minutes = (turns * u64::from(plan.seconds + plan.warm_up)).div_ceil(60);
    say(&format!("{count} points, {turns} rounds: at least {minutes} minutes"));
    for script in &plan.scripts {
        for server in &mut *servers {
            say(&format!("{script}: making tables of {}", server.spec.name));
            server.make_tables(script)?;
        }
        for threads in &plan.threads {
            say(&format!(
                "{script}, {threads} clients: point {} of {count}",
                points.len() / servers.len() + 1
            ));
            point(plan, servers, script, *threads, &mut points, &mut logs)?;
        }
    }
    Ok(points)
}

/// The rounds of all servers at one point. Only the server whose turn it is runs: the others are stopped, so that what
/// they left undone is theirs to do in their own next round. The order turns round with each round.
fn point(
    plan: &Plan,
    servers: &mut [Contest],
    script: &str,
    threads: u32,
    points: &mut Points,
    logs: &mut Logs,
) -> Outcome {
    servers.iter_mut().try_for_each(Contest::remove_binlogs)?;
    std::thread::sleep(REST);
    servers.iter().try_for_each(Contest::suspend)?;
    let mut found = vec![Vec::new(); servers.len()];
    for number in 0..plan.repeat {
        let mut order: Vec<usize> = (0..servers.len()).collect();
        if number % 2 == 1 {
            order.reverse();
        }
        for index in order {
            let server = &mut servers[index];
            server.resume()?;
            let (figures, status) = whole_round(plan, server, (script, threads), &mut logs.rounds)?;
            server.suspend()?;
            let line = table::round_line(script, threads, &server.spec.name, &figures);
            say(&line);
            writeln!(logs.rounds, "{line}")?;
            for (counter, end) in &status.1.0 {
                let (name, begin) = (&server.spec.name, status.0.get(counter));
                writeln!(logs.status, "{script}\t{threads}\t{name}\t{number}\t{counter}\t{begin}\t{end}")?;
            }
            found[index].push(figures);
        }
    }
    servers.iter().try_for_each(Contest::resume)?;
    for (server, rounds) in servers.iter().zip(&found) {
        points.insert((script.to_owned(), threads, server.spec.name.clone()), summary(rounds));
    }
    Ok(())
}

/// What a round found, and the server's counters at its two ends.
type Round = (Figures, (Counters, Counters));

/// A round, tried again where the client was too late to report after its warm-up, as happens with hundreds of clients
/// on few cores. Those that are left out stand in the file of rounds.
fn whole_round(
    plan: &Plan,
    server: &mut Contest,
    (script, threads): (&str, u32),
    rounds: &mut File,
) -> Outcome<Round> {
    for _ in 0..TRIES {
        if let Some(round) = round(plan, server, script, threads)? {
            return Ok(round);
        }
        writeln!(rounds, "{}", table::left_out_line(script, threads, &server.spec.name))?;
        say(&format!("{script}, {threads} clients, {}: no report after the warm-up", server.spec.name));
    }
    Err(format!(
        "{script}, {threads} clients, {}: in {TRIES} rounds no report after the warm-up",
        server.spec.name
    )
    .into())
}

/// One round. The client reports once after the warm-up and once at its end; processor time, flushes and counters are
/// read at the same two moments. `None` if the first report is missing.
fn round(plan: &Plan, server: &mut Contest, script: &str, threads: u32) -> Outcome<Option<Round>> {
    let mut command = if plan.swarm {
        server.swarm(threads, plan.seconds, plan.warm_up).command()?
    } else {
        let mut sysbench = server.sysbench(script, threads, plan.seconds + plan.warm_up).command("run");
        sysbench.arg(format!("--report-checkpoints={}", plan.warm_up));
        // Without it sysbench's output arrives when it ends.
        command::wrapped(&["stdbuf", "-oL"], sysbench)
    };
    let mut process = Process(command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?);
    let client = process.0.id();
    let out = process.0.stdout.take().ok_or("no pipe")?;
    let (mut marks, mut said) = (Vec::new(), String::new());
    for line in BufReader::new(out).lines() {
        let line = line?;
        if line.starts_with("SQL statistics") {
            let used = (usage::cpu(server.pid())?, usage::cpu(client)?, usage::flushes()?);
            marks.push((used, server.counters()?));
            said.clear();
        }
        said += &line;
        said.push('\n');
    }
    let report = parse(&said)
        .filter(|_| process.0.wait().is_ok_and(|status| status.success()))
        .ok_or_else(|| format!("{script}, {threads} clients, {}: {said}", server.spec.name))?;
    let Ok([(begin, first), (end, last)]) = <[_; 2]>::try_from(marks) else { return Ok(None) };
    let count = report.transactions.max(1) as f64;
    let each = |used: Duration| used.as_secs_f64() * 1e6 / count;
    let figures = Figures {
        tps: report.tps,
        p95_ms: report.p95_ms,
        server_us: each(end.0.saturating_sub(begin.0)),
        client_us: each(end.1.saturating_sub(begin.1)),
        flushes: end.2.saturating_sub(begin.2) as f64 / count,
        own: server.spec.is_onelog().then(|| Own::between(&first, &last)),
    };
    Ok(Some((figures, (first, last))))
}
