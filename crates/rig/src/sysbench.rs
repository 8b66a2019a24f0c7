//! Debian's sysbench with its own scripts.

use std::path::Path;
use std::process::Command;

use crate::{Outcome, check, command};

/// The scripts that come with sysbench and concern databases.
pub const SCRIPTS: [&str; 11] = [
    "oltp_point_select",
    "oltp_read_only",
    "oltp_read_write",
    "oltp_write_only",
    "oltp_update_index",
    "oltp_update_non_index",
    "oltp_insert",
    "oltp_delete",
    "bulk_insert",
    "select_random_points",
    "select_random_ranges",
];

/// A run's parameters.
#[derive(Clone, Debug)]
pub struct Sysbench {
    /// The server's port on 127.0.0.1.
    pub port: u16,
    /// The account, without a password.
    pub user: String,
    /// The script: the name of one that comes with sysbench, or the path (`..lua`) of one that does not and has no
    /// options for tables.
    pub script: String,
    /// Tables.
    pub tables: u32,
    /// Rows of each.
    pub table_size: u32,
    /// Clients.
    pub threads: u32,
    /// Length in seconds, warm-up apart.
    pub seconds: u32,
    /// Transactions after which a run ends early; 0 = none.
    pub events: u32,
    /// Prepared statements: `auto` or `disable`.
    pub ps_mode: &'static str,
    /// Which rows: `special` (what sysbench does unasked) or `uniform`.
    pub rand_type: &'static str,
}

/// What sysbench reported.
#[derive(Clone, Copy, Debug, Default)]
pub struct Report {
    /// Transactions.
    pub transactions: u64,
    /// Transactions a second.
    pub tps: f64,
    /// Errors that sysbench passed over: deadlocks and lock wait time-outs.
    pub ignored_errors: u64,
    /// 95 of 100 took at most so many milliseconds.
    pub p95_ms: f64,
}

impl Sysbench {
    /// A script against a server, as root, on four small tables; a second of one client, unless the caller says more.
    pub fn on(port: u16, script: &str) -> Self {
        Self {
            port,
            user: "root".to_owned(),
            script: script.to_owned(),
            tables: 4,
            table_size: 1_000,
            threads: 1,
            seconds: 1,
            events: 0,
            ps_mode: "auto",
            rand_type: "special",
        }
    }

    /// sysbench's command line; `step` is `prepare`, `run` or `cleanup`.
    pub fn command(&self, step: &str) -> Command {
        let mut command = Command::new("sysbench");
        command
            .arg(&self.script)
            .args(["--db-driver=mysql", "--mysql-host=127.0.0.1", "--mysql-db=sbtest", "--percentile=95"])
            .arg(format!("--rand-type={}", self.rand_type))
            .arg(format!("--mysql-port={}", self.port))
            .arg(format!("--mysql-user={}", self.user))
            .arg(format!("--threads={}", self.threads))
            .arg(format!("--time={}", self.seconds))
            .arg(format!("--events={}", self.events))
            .arg(format!("--db-ps-mode={}", self.ps_mode));
        if self.script != "bulk_insert" && Path::new(&self.script).extension().is_none() {
            command.arg(format!("--tables={}", self.tables)).arg(format!("--table-size={}", self.table_size));
        }
        command.arg(step);
        command
    }

    /// Makes the tables.
    pub fn prepare(&self) -> Outcome {
        // Several threads prepare several tables; bulk_insert has a table a thread.
        let threads = if self.script == "bulk_insert" { self.threads } else { self.threads.min(self.tables) };
        command::run(&mut Self { threads, ..self.clone() }.command("prepare")).map(drop)
    }

    /// Runs the script. An error that sysbench does not pass over is a failure, and so is a reconnect.
    pub fn run(&self) -> Outcome<Report> {
        let said = command::run(&mut self.command("run"))?;
        let report = parse(&said).ok_or_else(|| format!("sysbench said: {said}"))?;
        check(!said.contains("FATAL") && !said.contains("ALERT"), || said.clone())?;
        check(number_of(&said, "reconnects:") == Some(0.0), || format!("a client had to reconnect: {said}"))?;
        Ok(report)
    }

    /// Removes the tables.
    pub fn cleanup(&self) -> Outcome {
        command::run(&mut self.command("cleanup")).map(drop)
    }
}

/// Reads what sysbench reports at its end.
#[expect(clippy::cast_possible_truncation, reason = "counts are whole and small")]
pub fn parse(said: &str) -> Option<Report> {
    let transactions = number_of(said, "transactions:")? as u64;
    let line = said.lines().find(|line| line.contains("transactions:"))?;
    let tps = line.split('(').nth(1)?.split_whitespace().next()?.parse().ok()?;
    let ignored_errors = number_of(said, "ignored errors:")? as u64;
    Some(Report { transactions, tps, ignored_errors, p95_ms: number_of(said, "95th percentile:")? })
}

fn number_of(said: &str, what: &str) -> Option<f64> {
    said.lines().find_map(|line| line.trim().strip_prefix(what)?.split_whitespace().next()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read() {
        let said = "SQL statistics:\n    transactions:                        100    (50.25 per sec.)\n    ignored errors:                      2      (0.03 per sec.)\n    reconnects:                          0      (0.00 per sec.)\n         95th percentile:                        3.25\n";
        let report = parse(said).unwrap();
        assert_eq!((report.transactions, report.ignored_errors), (100, 2));
        assert!((report.tps - 50.25).abs() < 1e-9 && (report.p95_ms - 3.25).abs() < 1e-9);
        assert!(parse("FATAL: unable to connect").is_none());
    }
}
