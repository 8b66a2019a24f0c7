//! The rounds, and what came of them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rig::command::Process;
use rig::sysbench::parse;
use rig::{Outcome, say, usage};

use crate::contest::Contest;

/// What is measured.
#[derive(Clone, Debug)]
pub struct Rounds {
    /// Names of the servers.
    pub servers: Vec<String>,
    /// sysbench's scripts.
    pub scripts: Vec<String>,
    /// Numbers of clients.
    pub threads: Vec<u32>,
    /// Rounds of each server at each point.
    pub repeat: u32,
    /// Seconds of a round.
    pub seconds: u32,
    /// Seconds before that.
    pub warm_up: u32,
    /// Rows of each table.
    pub table_size: u32,
    /// The profile that the onelog binary was built with.
    pub profile: String,
    /// Whether commits may be lost at a power loss.
    pub relaxed: bool,
}

impl Default for Rounds {
    fn default() -> Self {
        let list = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        Self {
            servers: list(&["onelog", "mariadb", "mysql"]),
            scripts: list(&["oltp_update_non_index", "oltp_insert", "oltp_write_only"]),
            threads: vec![1, 8, 32, 128, 512],
            repeat: 3,
            seconds: 6,
            warm_up: 1,
            table_size: 100_000,
            profile: "dist".to_owned(),
            relaxed: false,
        }
    }
}

/// What one server did at one point.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    /// Transactions a second.
    pub tps: f64,
    /// 95 of 100 took at most so many milliseconds.
    pub p95_ms: f64,
    /// The server's processor time for a transaction, microseconds.
    pub server_us: f64,
    /// sysbench's.
    pub client_us: f64,
    /// Flushes of all disks for a transaction.
    pub flushes: f64,
}

/// Script, clients, server.
pub type Point = (String, u32, String);

impl Rounds {
    /// Measures everything; returns medians. Each round is appended to a file at once.
    pub fn measure(&self, servers: &[Contest], log: &Path) -> Outcome<BTreeMap<Point, Figures>> {
        let mut log = File::create(log)?;
        writeln!(
            log,
            "script\tthreads\tserver\ttps\tp95_ms\tserver_us_per_trx\tsysbench_us_per_trx\tflushes_per_trx"
        )?;
        let mut points = BTreeMap::new();
        for script in &self.scripts {
            for threads in &self.threads {
                let mut figures = vec![Vec::new(); servers.len()];
                for _ in 0..self.repeat {
                    for (server, figures) in servers.iter().zip(&mut figures) {
                        let found = self.round(server, script, *threads)?;
                        let Figures { tps, p95_ms, server_us, client_us, flushes } = found;
                        let line = format!(
                            "{script}\t{threads}\t{}\t{tps:.0}\t{p95_ms:.2}\t{server_us:.0}\t{client_us:.0}\t{flushes:.3}",
                            server.name
                        );
                        say(&line);
                        writeln!(log, "{line}")?;
                        figures.push(found);
                    }
                }
                for (server, figures) in servers.iter().zip(&figures) {
                    points.insert((script.clone(), *threads, server.name.clone()), median(figures));
                }
            }
        }
        Ok(points)
    }

    /// One round. sysbench reports once after the warm-up and once at its end; processor time and flushes are read at
    /// the same two moments.
    fn round(&self, server: &Contest, script: &str, threads: u32) -> Outcome<Figures> {
        let mut command = server.sysbench(self, script, threads).command("run");
        command.arg(format!("--report-checkpoints={}", self.warm_up));
        // Without it sysbench's output arrives when it ends.
        let mut unbuffered = std::process::Command::new("stdbuf");
        unbuffered.arg("-oL").arg(command.get_program()).args(command.get_args());
        let mut process = Process(unbuffered.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?);
        let client = process.0.id();
        let out = process.0.stdout.take().ok_or("no pipe")?;
        let (mut marks, mut said) = (Vec::new(), String::new());
        for line in BufReader::new(out).lines() {
            let line = line?;
            if line.starts_with("SQL statistics") {
                marks.push((usage::cpu(server.pid())?, usage::cpu(client)?, usage::flushes()?));
                said.clear();
            }
            said += &line;
            said.push('\n');
        }
        let failed = || format!("{script}, {threads} clients, {}: {said}", server.name);
        let report = parse(&said).filter(|_| process.0.wait().is_ok_and(|status| status.success()));
        let (Some(report), [begin, end]) = (report, &marks[..]) else { return Err(failed().into()) };
        let count = report.transactions.max(1) as f64;
        let each = |used: Duration| used.as_secs_f64() * 1e6 / count;
        Ok(Figures {
            tps: report.tps,
            p95_ms: report.p95_ms,
            server_us: each(end.0.saturating_sub(begin.0)),
            client_us: each(end.1.saturating_sub(begin.1)),
            flushes: end.2.saturating_sub(begin.2) as f64 / count,
        })
    }
}

/// The round with the median throughput.
fn median(figures: &[Figures]) -> Figures {
    let mut sorted = figures.to_vec();
    sorted.sort_by(|a, b| a.tps.total_cmp(&b.tps));
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}
