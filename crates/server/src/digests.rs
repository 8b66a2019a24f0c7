//! Statement digests: what statements of one kind have done, `performance_schema.events_statements_summary_by_digest`.
//!
//! Collected where `performance_schema` is ON. A statement is known by its digest text ([`sql::lex::digest_text`]) and its default
//! database. There are `performance_schema_digests_size` of them; what comes beyond is counted together.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::sync::atomic::{AtomicU64, Ordering};

use commit::Histogram;
use parking_lot::Mutex;
use sql::exec::Work;

/// Parts of the map, so that sessions seldom meet.
const SHARDS: usize = 16;

/// What one execution did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Execution {
    /// When it ended, microseconds since 1970.
    pub(crate) ended_us: u64,
    /// How long it took, microseconds.
    pub(crate) took_us: u64,
    /// How long it waited for locks, microseconds.
    pub(crate) locked_us: u64,
    /// It ended with an error.
    pub(crate) failed: bool,
    /// Warnings.
    pub(crate) warnings: u64,
    /// Rows that it changed.
    pub(crate) affected: u64,
    /// Rows that the client was sent.
    pub(crate) sent: u64,
    /// What it read and sorted.
    pub(crate) work: Work,
    /// It read all rows of a table.
    pub(crate) without_index: bool,
}

/// What all executions of one kind did; times in microseconds.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    /// Their times.
    pub(crate) times: Histogram,
    pub(crate) count: u64,
    pub(crate) shortest_us: u64,
    pub(crate) locked_us: u64,
    pub(crate) errors: u64,
    pub(crate) warnings: u64,
    pub(crate) affected: u64,
    pub(crate) sent: u64,
    pub(crate) work: Work,
    pub(crate) without_index: u64,
    /// When the first one ended, and the last one, microseconds since 1970.
    pub(crate) seen_us: (u64, u64),
    /// The text of the longest one, when it ended and what it took.
    pub(crate) sample: (Vec<u8>, u64, u64),
}

impl Summary {
    fn add(&mut self, execution: &Execution, sample: impl FnOnce() -> Vec<u8>) {
        let Execution { ended_us, took_us, .. } = *execution;
        if self.count == 0 || took_us > self.times.max() {
            self.sample = (sample(), ended_us, took_us);
        }
        if self.count == 0 {
            (self.shortest_us, self.seen_us.0) = (took_us, ended_us);
        }
        self.times.record(took_us);
        self.count += 1;
        self.shortest_us = self.shortest_us.min(took_us);
        self.locked_us += execution.locked_us;
        self.errors += u64::from(execution.failed);
        self.warnings += execution.warnings;
        self.affected += execution.affected;
        self.sent += execution.sent;
        self.work.add(&execution.work);
        self.without_index += u64::from(execution.without_index);
        self.seen_us.1 = self.seen_us.1.max(ended_us);
    }
}

/// Summaries by digest text, and then by default database; that of none is `""`.
type Kinds = HashMap<Box<str>, HashMap<Box<str>, Summary>>;

/// See the module.
#[derive(Debug, Default)]
pub struct Digests {
    hasher: RandomState,
    /// Rank: last, one at a time.
    shards: [Mutex<Kinds>; SHARDS],
    /// How many kinds there are. Changed with a shard held; relaxed, for the bound may be missed by as many as there are shards.
    kinds: AtomicU64,
    /// What came when there was no more room. Rank: last.
    others: Mutex<Summary>,
}

impl Digests {
    /// Counts an execution of a database and a digest text; `kinds_max` is `performance_schema_digests_size`, and `sample` says what
    /// was sent.
    pub(crate) fn add(
        &self,
        (db, text): (Option<&str>, &str),
        kinds_max: u64,
        execution: &Execution,
        sample: impl FnOnce() -> Vec<u8>,
    ) {
        let db = db.unwrap_or_default();
        let place = self.hasher.hash_one(text) % SHARDS as u64;
        let mut shard = self.shards[usize::try_from(place).expect("a shard's")].lock();
        if let Some(summary) = shard.get_mut(text).and_then(|of_text| of_text.get_mut(db)) {
            return summary.add(execution, sample);
        }
        if self.kinds.load(Ordering::Relaxed) < kinds_max {
            self.kinds.fetch_add(1, Ordering::Relaxed);
            let of_text = shard.entry(text.into()).or_default();
            return of_text.entry(db.into()).or_default().add(execution, sample);
        }
        drop(shard);
        self.others.lock().add(execution, sample);
    }

    /// A row of each kind, the one that was seen first first, and one without a name of what had no room.
    pub(crate) fn rows<T>(&self, row: impl Fn(Option<(Option<&str>, &str)>, &Summary) -> T) -> Vec<T> {
        let mut rows = Vec::new();
        for shard in &self.shards {
            for (text, of_text) in &*shard.lock() {
                for (db, summary) in of_text {
                    let db = Some(&**db).filter(|db| !db.is_empty());
                    rows.push((summary.seen_us.0, row(Some((db, text)), summary)));
                }
            }
        }
        rows.sort_by_key(|(seen_us, _)| *seen_us);
        let mut rows: Vec<T> = rows.into_iter().map(|(_, row)| row).collect();
        let others = self.others.lock();
        if others.count > 0 {
            rows.push(row(None, &others));
        }
        rows
    }

    /// TRUNCATE TABLE.
    pub(crate) fn forget(&self) {
        for shard in &self.shards {
            let mut shard = shard.lock();
            let kinds: usize = shard.drain().map(|(_, of_text)| of_text.len()).sum();
            self.kinds.fetch_sub(kinds as u64, Ordering::Relaxed);
        }
        *self.others.lock() = Summary::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(digests: &Digests, text: &str, took_us: u64) {
        let execution =
            Execution { ended_us: took_us, took_us, failed: took_us == 7, ..Execution::default() };
        digests.add((None, text), 2, &execution, || format!("{text} {took_us}").into_bytes());
    }

    fn seen(digests: &Digests) -> Vec<(String, u64, u64, u64)> {
        digests.rows(|name, of| {
            let name = name.map_or("", |(_, text)| text);
            assert_eq!(of.sample.2, of.times.max());
            (name.to_owned(), of.count, of.times.sum(), of.errors)
        })
    }

    #[test]
    fn executions_are_summed_and_what_has_no_room_is_counted_together() {
        let digests = Digests::default();
        for (text, took_us) in [("a", 5), ("b", 7), ("a", 9), ("c", 1), ("d", 2)] {
            add(&digests, text, took_us);
        }
        let rows = [("a".to_owned(), 2, 14, 0), ("b".to_owned(), 1, 7, 1), (String::new(), 2, 3, 0)];
        assert_eq!(seen(&digests), rows);
        digests.forget();
        assert!(seen(&digests).is_empty());
        add(&digests, "c", 4);
        assert_eq!(seen(&digests), [("c".to_owned(), 1, 4, 0)]);
    }
}
