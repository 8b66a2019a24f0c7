//! What one server did at one point, and what several rounds of that amount to.

use std::collections::BTreeMap;

use crate::counters::Own;

/// One round.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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
    /// What onelog says about itself.
    pub own: Option<Own>,
}

/// Several rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    /// The round with the median throughput (of an even number, the faster one of the two in the middle).
    pub median: Figures,
    /// Transactions a second of the slowest round.
    pub tps_min: f64,
    /// Of the fastest.
    pub tps_max: f64,
}

/// Script, clients, server.
pub type Point = (String, u32, String);

/// All points.
pub type Points = BTreeMap<Point, Summary>;

/// Sums rounds up.
pub fn summary(rounds: &[Figures]) -> Summary {
    let mut sorted = rounds.to_vec();
    sorted.sort_by(|a, b| a.tps.total_cmp(&b.tps));
    let tps = |figures: Option<&Figures>| figures.map_or(0.0, |figures| figures.tps);
    Summary {
        median: sorted.get(sorted.len() / 2).copied().unwrap_or_default(),
        tps_min: tps(sorted.first()),
        tps_max: tps(sorted.last()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_round_is_reported_with_the_spread() {
        let round = |tps, p95_ms| Figures { tps, p95_ms, ..Figures::default() };
        let sum = summary(&[round(30.0, 1.0), round(10.0, 2.0), round(20.0, 3.0)]);
        assert_eq!((sum.median, sum.tps_min, sum.tps_max), (round(20.0, 3.0), 10.0, 30.0));
        assert_eq!(summary(&[round(5.0, 1.0), round(6.0, 2.0)]).median, round(6.0, 2.0));
        assert_eq!(summary(&[]), Summary::default());
    }
}
