//! Log syncs for each transaction, counted from outside.
//!
//! A server runs under `strace` from its start. What is counted lies between the moment before sysbench connects and the
//! one after it has ended, so that transactions and syncs are those of exactly the same time; sysbench reports the
//! transactions, and onelog's counters are read at the same two moments. Servers run one after another.

use std::fmt::Write;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::Path;
use std::time::Duration;

use rig::{Outcome, say};

use crate::contest::{Contest, Ground};
use crate::counters::{Counters, LOGS, Own};
use crate::plan::Plan;
use crate::spec::Spec;
use crate::trace::{Syncs, Trace, WRAPPER};

/// One server at one number of clients.
#[derive(Debug)]
struct Count {
    script: String,
    threads: u32,
    server: String,
    trx: u64,
    tps: f64,
    outside: Syncs,
    /// What onelog says: commits and groups, and syncs of each log.
    own: Option<(Own, [u64; 3])>,
}

/// Columns of the table.
const HEAD: [&str; 15] = [
    "script",
    "clients",
    "server",
    "trx",
    "trx/s",
    "redo",
    "binlog",
    "store",
    "other",
    "trx/log sync",
    "trx/redo sync",
    "own redo",
    "own binlog",
    "own store",
    "own group",
];

/// How long `strace` may take to write down what has happened.
const SETTLE: Duration = Duration::from_millis(200);

/// Counts; returns the page.
pub fn measure(plan: &Plan, ground: &Ground) -> Outcome<String> {
    let mut page = format!(
        "{}. Syncs of {} s at each point, counted by strace; own: by onelog itself.\n\n| {} |\n|{}\n",
        plan.safety(),
        plan.seconds,
        HEAD.join(" | "),
        " ---: |".repeat(HEAD.len())
    );
    let mut lines = HEAD.join("\t") + "\n";
    say(&lines);
    for spec in &plan.servers {
        for count in server(plan, ground, spec)? {
            let columns = count.columns();
            let _ = writeln!(page, "| {} |", columns.join(" | "));
            let _ = writeln!(lines, "{}", columns.join("\t"));
            fs::write(ground.dir.join("syncs.tsv"), &lines)?;
        }
    }
    Ok(page)
}

fn server(plan: &Plan, ground: &Ground, spec: &Spec) -> Outcome<Vec<Count>> {
    let output = ground.dir.join(format!("{}.strace", spec.name.replace('/', "-")));
    let path = output.display().to_string();
    let mut server = Contest::start(spec, ground, &[&WRAPPER[..], &[&*path]].concat())?;
    let mut reader = Reader { trace: Trace::default(), place: 0 };
    let mut counts = Vec::new();
    for script in &plan.scripts {
        server.make_tables(script)?;
        for threads in &plan.threads {
            let before = (server.counters()?, reader.read(&output)?);
            let report = server.sysbench(script, *threads, plan.seconds).run()?;
            let after = (server.counters()?, reader.read(&output)?);
            let own = |begin: &Counters, end: &Counters| {
                (Own::between(begin, end), LOGS.map(|log| end.since(begin, log)))
            };
            let count = Count {
                script: script.clone(),
                threads: *threads,
                server: spec.name.clone(),
                trx: report.transactions,
                tps: report.tps,
                outside: after.1.since(before.1),
                own: spec.is_onelog().then(|| own(&before.0, &after.0)),
            };
            say(&count.columns().join("\t"));
            counts.push(count);
        }
    }
    server.end()?;
    fs::remove_file(output)?;
    Ok(counts)
}

impl Count {
    fn columns(&self) -> [String; 15] {
        let Self { script, threads, server, trx, tps, outside, own } = self;
        let whole = |number: Option<u64>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
        let of = |syncs: u64| format!("{:.2}", *trx as f64 / syncs.max(1) as f64);
        let own_syncs = |index: usize| whole(own.as_ref().and_then(|(_, syncs)| syncs.get(index).copied()));
        [
            script.clone(),
            threads.to_string(),
            server.clone(),
            trx.to_string(),
            format!("{tps:.0}"),
            outside.redo.to_string(),
            outside.binlog.to_string(),
            outside.store.to_string(),
            outside.other.to_string(),
            of(outside.logs()),
            of(outside.redo),
            own_syncs(0),
            own_syncs(1),
            own_syncs(2),
            own.as_ref().map_or_else(|| "-".to_owned(), |(own, _)| format!("{:.2}", own.group)),
        ]
    }
}

/// Reads on in a trace that grows.
struct Reader {
    trace: Trace,
    place: u64,
}

impl Reader {
    /// Everything up to now.
    fn read(&mut self, path: &Path) -> Outcome<Syncs> {
        std::thread::sleep(SETTLE);
        let mut file = BufReader::new(File::open(path)?);
        file.seek(SeekFrom::Start(self.place))?;
        let mut line = Vec::new();
        while file.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
            self.trace.line(String::from_utf8_lossy(&line).trim_end());
            self.place += line.len() as u64;
            line.clear();
        }
        Ok(self.trace.syncs)
    }
}
