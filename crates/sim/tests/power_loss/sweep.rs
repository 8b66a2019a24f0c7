//! Every operation times every mode.

use std::cell::Cell;
use std::sync::Once;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use engine::ids::CommitSeq;
use vfs::sim::{CrashMode, Journal, OpKind, Replay, SimDisk, is_full_sweep};

use crate::model::{self, History};
use crate::random;
use crate::verdict::check;
use crate::workload::{self, Loss, Variant};

/// Power losses of a sample.
const SAMPLE: u64 = 330;
/// Power losses of a workload that a seed makes.
const RANDOM_SAMPLE: u64 = 110;
const RANDOM_FULL: u64 = 4000;
/// Power losses that the whole sweep must consist of at least.
const FULL_MIN: u64 = 20_000;
/// Cores that are used.
const THREADS: u64 = 2;
/// Kinds of losses at one operation: every mode, after it and during the next.
pub const KINDS: u64 = 2 * CrashMode::ALL.len() as u64;

/// What moves the sample, and everything else that is random.
pub fn seed() -> u64 {
    std::env::var("ONELOG_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1)
}

/// How many variants are passed over, so that a long sweep can be gone on with.
pub fn first_variant() -> usize {
    std::env::var("ONELOG_FROM").ok().and_then(|from| from.parse().ok()).unwrap_or(0)
}

/// A run and how much of it is tried.
pub struct Sweep {
    pub history: History,
    pub journal: Journal,
    /// One in so many is tried.
    pub every: u64,
}

/// Where a promise was broken.
#[derive(Debug)]
pub struct Violation {
    pub op: u64,
    pub mode: CrashMode,
    pub during: bool,
    pub what: String,
}

impl Sweep {
    /// Of the fixed workload, with syncs that do nothing.
    pub fn of(variant: &Variant, skip: &[(&str, OpKind)]) -> Self {
        let (history, journal) = model::journalled(variant, &workload::main_steps(), skip);
        let sweep = Self { history, journal, every: 1 };
        let losses = sweep.losses();
        assert!(losses >= FULL_MIN, "the workload became too small: {losses} power losses");
        let every = if is_full_sweep() && skip.is_empty() { 1 } else { stride(losses, SAMPLE) };
        Self { every, ..sweep }
    }

    /// Of a workload that a seed makes.
    pub fn of_random(variant: &Variant, seed: u64) -> Self {
        let variant = Variant { seed, ..variant.clone() };
        let (history, journal) = model::journalled(&variant, &random::steps(seed), &[]);
        let sweep = Self { history, journal, every: 1 };
        let every = stride(sweep.losses(), if is_full_sweep() { RANDOM_FULL } else { RANDOM_SAMPLE });
        Self { every, ..sweep }
    }

    /// How many there are.
    fn losses(&self) -> u64 {
        all_losses(&self.journal)
    }

    /// Tries all; panics at the first violation. Returns how many it were.
    pub fn expect_clean(&self) -> u64 {
        let (progress, violations) = self.run(1);
        let first = violations.first().map(|violation| self.describe(violation));
        assert!(violations.is_empty(), "{}", first.unwrap_or_default());
        assert!(progress.had_all_kinds(), "a sample without some mode, after or during an operation");
        progress.count()
    }

    /// Violations, losses, and the first violation.
    pub fn violations(&self) -> (usize, u64, String) {
        let (progress, violations) = self.run(usize::MAX);
        (violations.len(), progress.count(), violations.first().map(|v| self.describe(v)).unwrap_or_default())
    }

    /// Loses all that was pending in front of each operation that made more durable, and wants that more. Says how often it was
    /// missing, and how often it was wanted.
    pub fn lost_in_front_of_what_was_promised(&self) -> (usize, usize) {
        let mut replay = Replay::new(&self.journal);
        let mut durable: Vec<_> = self.history.done.durable.clone();
        durable.dedup_by_key(|(_, seq)| *seq);
        durable.retain(|(op, _)| *op > self.journal.first_op());
        let _quiet = Quiet::begin();
        let is_missing = |(op, _): &&(u64, CommitSeq)| {
            replay.seek(op - 1);
            check(&replay.crash(CrashMode::DropAll, *op), &self.history, *op, Loss::Power).is_err()
        };
        (durable.iter().filter(is_missing).count(), durable.len())
    }

    fn describe(&self, violation: &Violation) -> String {
        let Violation { op, mode, during, what } = violation;
        let when = if *during { "during the next of" } else { "after" };
        format!(
            "{}: power lost {when} operation {op} ({:?}, next {:?}), {mode:?}, seed {}: {what}",
            self.history.variant.name,
            self.journal.record(*op),
            self.journal.record(op + 1),
            seed(),
        )
    }

    /// Stops when there are so many violations.
    fn run(&self, violations_max: usize) -> (Progress, Vec<Violation>) {
        let progress = Progress::new(self.losses() / self.every);
        let run = |thread: u64| {
            let _quiet = Quiet::begin();
            let mut violations = Vec::new();
            let mut each = |op: u64, mode: CrashMode, during: bool, disk: &SimDisk| {
                progress.one(mode, during);
                if let Err(what) = check(disk, &self.history, op, Loss::of(mode)) {
                    violations.push(Violation { op, mode, during, what });
                }
                violations.len() < violations_max
            };
            losses(&self.journal, self.every * THREADS, self.every * thread + seed() % self.every, &mut each);
            violations
        };
        let mut violations = std::thread::scope(|scope| {
            let others: Vec<_> = (1..THREADS).map(|thread| scope.spawn(move || run(thread))).collect();
            let mut violations = run(0);
            for other in others {
                violations.extend(other.join().unwrap());
            }
            violations
        });
        violations.sort_by_key(|violation| violation.op);
        (progress, violations)
    }
}

/// How many losses a journal has.
pub fn all_losses(journal: &Journal) -> u64 {
    (journal.last_op() - journal.first_op()) * KINDS
}

/// One loss in how many is tried, for about `wanted` of `all`: no multiple of 2 or 3, for then every kind has its turn.
pub fn stride(all: u64, wanted: u64) -> u64 {
    const { assert!(KINDS == 24, "2 and 3 are all that divides it") };
    let enough = all.div_ceil(wanted).max(1);
    (enough..enough + 4).find(|stride| stride % 2 != 0 && stride % 3 != 0).expect("one of four is none")
}

/// Calls `each` with one power loss in `every`, beginning with number `first`, until it says no.
pub fn losses(
    journal: &Journal,
    every: u64,
    first: u64,
    each: &mut dyn FnMut(u64, CrashMode, bool, &SimDisk) -> bool,
) {
    let mut replay = Replay::new(journal);
    let mut number = 0;
    for op in journal.first_op()..=journal.last_op() {
        for mode in CrashMode::ALL {
            for during in [false, true] {
                number += 1;
                if number % every != first % every {
                    continue;
                }
                replay.seek(op);
                let seed = op ^ seed() << 32;
                let disk = if during {
                    replay.crash_during_next(mode, seed)
                } else {
                    Some(replay.crash(mode, seed))
                };
                if disk.is_some_and(|disk| !each(op, mode, during, &disk)) {
                    return;
                }
            }
        }
    }
}

/// Counts, and says how far it is.
pub struct Progress {
    total: u64,
    count: AtomicU64,
    /// A bit for each kind of loss that there was.
    kinds: AtomicU32,
}

impl Progress {
    pub fn new(total: u64) -> Self {
        Self { total, count: AtomicU64::new(0), kinds: AtomicU32::new(0) }
    }

    #[expect(clippy::print_stdout, reason = "whoever runs it wants to know how far it is")]
    pub fn one(&self, mode: CrashMode, during: bool) {
        let place = CrashMode::ALL.iter().position(|of_all| *of_all == mode).expect("one of all");
        self.kinds.fetch_or(1 << (2 * place + usize::from(during)), Ordering::Relaxed);
        let count = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        if count.is_multiple_of(1000) {
            println!("{count} of about {} power losses", self.total);
        }
    }

    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Whether there was a loss of every kind.
    pub fn had_all_kinds(&self) -> bool {
        u64::from(self.kinds.load(Ordering::Relaxed).count_ones()) == KINDS
    }
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// As long as it lives, panics of this thread print nothing: they are violations and counted.
pub struct Quiet(());

impl Quiet {
    pub fn begin() -> Self {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let hook = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                if !QUIET.get() {
                    hook(info);
                }
            }));
        });
        QUIET.set(true);
        Self(())
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        QUIET.set(false);
    }
}
