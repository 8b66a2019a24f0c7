//! What onelog counts about itself: its `Onelog_` status variables, as it has them.

use std::collections::BTreeMap;

use rig::Outcome;

use crate::console::Console;

/// Numbers by name, without `Onelog_`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters(pub BTreeMap<String, u64>);

/// Where log syncs are counted.
pub const LOGS: [&str; 3] = ["redo_syncs", "binlog_syncs", "store_syncs"];

impl Counters {
    /// Reads them all.
    pub fn read(console: &mut Console) -> Outcome<Self> {
        let rows = console.ask("SHOW GLOBAL STATUS LIKE 'Onelog\\_%'")?;
        let number = |row: Vec<String>| match &row[..] {
            [name, val] => Some((name.strip_prefix("Onelog_")?.to_owned(), val.parse().ok()?)),
            _ => None,
        };
        Ok(Self(rows.into_iter().filter_map(number).collect()))
    }

    /// One of them; 0 if the server does not have it.
    pub fn get(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }

    /// What was counted since an earlier reading.
    pub fn since(&self, earlier: &Self, name: &str) -> u64 {
        self.get(name).saturating_sub(earlier.get(name))
    }
}

/// What two readings say about the commits between them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Own {
    /// Transactions.
    pub commits: u64,
    /// Transactions of a commit group, on average.
    pub group: f64,
    /// Syncs of all logs for a transaction.
    pub log_syncs: f64,
    /// Processor nanoseconds of what one thread at a time does with a transaction's events, on average. None where the server
    /// does not count that.
    pub serial_ns: Option<u64>,
    /// The ticket's critical section in nanoseconds, half of them and 99 of 100; the quantiles are since the server's
    /// start. None where the server does not have them.
    pub ticket_ns: Option<(u64, u64)>,
}

impl Own {
    /// Compares.
    pub fn between(begin: &Counters, end: &Counters) -> Self {
        let of = |name| end.since(begin, name);
        let commits = of("commits");
        let syncs: u64 = LOGS.into_iter().map(of).sum();
        let quantile = |name: &str| end.0.get(name).copied();
        Self {
            commits,
            group: commits as f64 / of("commit_groups").max(1) as f64,
            log_syncs: syncs as f64 / commits.max(1) as f64,
            serial_ns: end.0.contains_key("serial_ns").then(|| of("serial_ns") / commits.max(1)),
            ticket_ns: quantile("ticket_ns_p50").zip(quantile("ticket_ns_p99")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counters(numbers: &[(&str, u64)]) -> Counters {
        Counters(numbers.iter().map(|(name, number)| ((*name).to_owned(), *number)).collect())
    }

    #[test]
    fn groups_and_syncs_are_those_between_two_readings() {
        let begin =
            counters(&[("commits", 100), ("commit_groups", 50), ("redo_syncs", 60), ("binlog_syncs", 50)]);
        let end = counters(&[
            ("commits", 300),
            ("commit_groups", 100),
            ("redo_syncs", 110),
            ("binlog_syncs", 100),
            ("store_syncs", 100),
            ("serial_ns", 100_000),
            ("ticket_ns_p50", 120),
            ("ticket_ns_p99", 900),
        ]);
        let own = Own::between(&begin, &end);
        assert!((own.group - 4.0).abs() < 1e-9 && (own.log_syncs - 1.0).abs() < 1e-9);
        assert_eq!((own.commits, own.serial_ns, own.ticket_ns), (200, Some(500), Some((120, 900))));
        assert_eq!(Own::between(&end, &end).ticket_ns, Some((120, 900)));
        assert_eq!(Own::between(&begin, &begin), Own::default());
    }
}
