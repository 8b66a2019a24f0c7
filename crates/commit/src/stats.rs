//! Counters and histograms of the pipeline, for SHOW STATUS.

use std::sync::atomic::{AtomicU64, Ordering};

/// Monotone counters, added to with relaxed order.
#[derive(Debug, Default)]
pub struct Stats {
    /// Transactions that became visible (`Onelog_commits`).
    pub commits: AtomicU64,
    /// Groups in which they did (`Onelog_commit_groups`).
    pub groups: AtomicU64,
    /// Transactions written to the binlog (`Binlog_commits`).
    pub binlog_commits: AtomicU64,
    /// Groups in which they were (`Binlog_group_commits`).
    pub binlog_groups: AtomicU64,
    /// Syncs of binlog files (`Onelog_binlog_syncs`).
    pub binlog_syncs: AtomicU64,
    /// Bytes written to binlog files (`Onelog_binlog_bytes_written`).
    pub binlog_bytes: AtomicU64,
    /// Transactions a group.
    pub group_size: Histogram,
    /// The FLUSH stage, nanoseconds.
    pub flush_ns: Histogram,
    /// The redo write and sync within it or by itself, nanoseconds.
    pub redo_ns: Histogram,
    /// The binlog store's write and sync, nanoseconds.
    pub store_ns: Histogram,
    /// The ticket's critical section, nanoseconds (`Onelog_ticket_ns`).
    pub ticket_ns: Histogram,
    /// Processor time of what one thread at a time does with transactions' events, nanoseconds (`Onelog_serial_ns`).
    pub serial_ns: AtomicU64,
    /// The SYNC stage, nanoseconds.
    pub sync_ns: Histogram,
    /// Checkpoints finished.
    pub checkpoints: AtomicU64,
    /// Keys that they carried into the base.
    pub checkpoint_keys: AtomicU64,
    /// Their slices.
    pub checkpoint_slices: AtomicU64,
    /// Nanoseconds that they took.
    pub checkpoint_ns: AtomicU64,
}

/// Adds to a counter.
pub(crate) fn add(counter: &AtomicU64, amount: u64) {
    counter.fetch_add(amount, Ordering::Relaxed);
}

/// Buckets from one power of two to the next, a power of two itself: how exact a quantile is.
const BUCKETS_A_DOUBLING: usize = 8;
/// Up to 2^40: of nanoseconds, 18 minutes.
const BUCKETS: usize = 38 * BUCKETS_A_DOUBLING;

/// Counts values by buckets of equal size between one power of two and the next; those below eight have one each.
#[derive(Debug)]
pub struct Histogram {
    buckets: [AtomicU64; BUCKETS],
    sum: AtomicU64,
    max: AtomicU64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            buckets: [const { AtomicU64::new(0) }; BUCKETS],
            sum: AtomicU64::new(0),
            max: AtomicU64::new(0),
        }
    }
}

impl Histogram {
    /// Counts a value.
    pub fn record(&self, value: u64) {
        // First, for quantiles are limited to it.
        if value > self.max() {
            self.max.fetch_max(value, Ordering::Relaxed);
        }
        add(&self.buckets[bucket_of(value).min(BUCKETS - 1)], 1);
        add(&self.sum, value);
    }

    /// The largest value.
    pub fn max(&self) -> u64 {
        self.max.load(Ordering::Relaxed)
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed)).sum()
    }

    /// Sum of the values.
    pub fn sum(&self) -> u64 {
        self.sum.load(Ordering::Relaxed)
    }

    /// An upper bound of the value below which `part` of 1 lies; at most an eighth above the true value.
    pub fn quantile(&self, part: f64) -> u64 {
        let counts = self.buckets.each_ref().map(|bucket| bucket.load(Ordering::Relaxed));
        let total: u64 = counts.iter().sum();
        let mut seen = 0;
        for (bucket, count) in counts.into_iter().enumerate() {
            seen += count;
            if count > 0 && seen as f64 >= part * total as f64 {
                return last_of(bucket).min(self.max());
            }
        }
        0
    }
}

/// The first four bits of a value and how many follow say where it belongs.
fn bucket_of(value: u64) -> usize {
    let shift = (value / BUCKETS_A_DOUBLING as u64).checked_ilog2().map_or(0, |log| log as usize);
    let first_bits = usize::try_from(value >> shift).expect("four bits");
    shift * BUCKETS_A_DOUBLING + first_bits
}

/// The largest value in a bucket.
fn last_of(bucket: usize) -> u64 {
    let shift = (bucket / BUCKETS_A_DOUBLING).saturating_sub(1);
    let first_bits = bucket - shift * BUCKETS_A_DOUBLING;
    ((first_bits as u64 + 1) << shift) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_an_eighth_too_large_at_most() {
        let histogram = Histogram::default();
        assert_eq!(histogram.quantile(0.5), 0);
        for value in [0, 1, 5, 6, 7, 900] {
            histogram.record(value);
        }
        assert_eq!((histogram.count(), histogram.sum()), (6, 919));
        assert_eq!(histogram.quantile(0.5), 5);
        assert_eq!((histogram.quantile(1.0), histogram.max()), (900, 900));
    }

    #[test]
    fn each_value_lies_in_one_bucket_and_buckets_follow_each_other() {
        for value in (0..5000).chain((12..40).map(|bits| (1 << bits) + 12_345 % (1 << bits))) {
            let bucket = bucket_of(value);
            assert!(value <= last_of(bucket) && last_of(bucket) <= value + value / 8, "{value}");
            assert!(bucket == 0 || last_of(bucket - 1) < value, "{value}");
        }
        assert_eq!(bucket_of((1 << 40) - 1), BUCKETS - 1);
    }
}
