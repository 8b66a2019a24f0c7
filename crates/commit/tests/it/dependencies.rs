//! Purpose: no replica may run a transaction beside or before one that it depends on.
//!
//! Requirements: R1. if two logged transactions of a file write the same row, the later one's `last_committed` is not
//! below the earlier one's `sequence_number`, whatever is set and switched meanwhile; R2. with WRITESET, transactions
//! without common rows do not depend on each other although they ran one after another; with COMMIT_ORDER they do.
//!
//! Method: threads that lock rows, commit through the real pipeline and release; then the stamps are read from the
//! files.

use std::collections::HashMap;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::thread;

use binlog::decode::Event;
use commit::{EventsKind, Participant};
use engine::delta::Delta;
use engine::ids::{CommitSeq, TrxId};
use engine::writeset::WriteSet;
use vfs::sim::SimDisk;

use super::power_loss::WITH_BINLOG;
use super::world::{World, poll};

const ROWS: usize = 24;
const SESSIONS: u64 = 8;
const COMMITS: u64 = 1500;

/// A transaction that holds its rows' locks.
struct Locked<'a> {
    writes: WriteSet,
    rows: Vec<MutexGuard<'a, ()>>,
}

impl Participant for Locked<'_> {
    fn apply(&mut self, seq: CommitSeq, delta: &Delta) {
        self.writes.apply(seq, delta);
    }
    fn release_locks(&mut self, _: CommitSeq) {
        self.rows.clear();
    }
}

/// As a session's task: others drive as well.
fn wait<T>(world: &World, future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Some(value) = poll(future.as_mut()) {
            return value;
        }
        world.drive();
        thread::yield_now();
    }
}

/// A generator good enough to pick rows.
fn next(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 40) as usize
}

fn run_session(world: &World, locks: &[Mutex<()>], number: u64, ids: &AtomicU64) {
    let pipeline = &world.pipeline;
    let mut pending = world.session();
    let mut random = number;
    for _ in 0..COMMITS {
        let mut keys: Vec<u8> =
            (0..=next(&mut random) % 3).map(|_| (next(&mut random) % ROWS).to_le_bytes()[0]).collect();
        keys.sort_unstable();
        keys.dedup();
        let rows = keys.iter().map(|key| locks[usize::from(*key)].lock().unwrap()).collect();
        pending.kind = EventsKind::Transaction;
        let changes = keys.iter().map(|key| (*key, Some(vec![*key]))).collect();
        let mut trx = Locked { writes: World::record(&mut pending, &changes), rows };
        let id = TrxId(ids.fetch_add(1, Ordering::Relaxed));
        wait(world, pipeline.reserve(id, &mut pending, &trx.writes)).unwrap();
        let committing = pipeline.submit(id, pending, &mut trx).unwrap();
        let ack;
        (ack, pending) = wait(world, committing);
        // Locks are still held if they are not released early.
        pipeline.locks_go(&pending);
        drop((ack, trx));
        pending = World::next(pending);
    }
}

/// A transaction's stamps and rows.
struct Stamped {
    file: usize,
    last_committed: u64,
    sequence_number: u64,
    rows: Vec<u8>,
}

fn stamped(world: &World) -> Vec<Stamped> {
    let mut found: Vec<Stamped> = Vec::new();
    world.each_event(|file, event| match event {
        Event::Gtid(gtid) => found.push(Stamped {
            file,
            last_committed: gtid.last_committed,
            sequence_number: gtid.sequence_number,
            rows: Vec::new(),
        }),
        Event::RowsQuery(text) => found.last_mut().unwrap().rows.push(text.sql[0]),
        _ => {}
    });
    found
}

/// R1. Returns how many of the transactions could begin before the one before them ended.
fn check(all: &[Stamped]) -> usize {
    let mut last_writer: HashMap<(usize, u8), u64> = HashMap::new();
    let mut overlapping = 0;
    let mut before = (0, 0);
    for Stamped { file, last_committed, sequence_number, rows } in all {
        let expected = if *file == before.0 { before.1 + 1 } else { 1 };
        assert_eq!(*sequence_number, expected, "each file counts from 1");
        assert!(last_committed < sequence_number, "{last_committed} of {sequence_number} in file {file}");
        for row in rows {
            let earlier = last_writer.insert((*file, *row), *sequence_number).unwrap_or(0);
            assert!(
                *last_committed >= earlier,
                "file {file}: {sequence_number} depends on {earlier} and says {last_committed}"
            );
        }
        overlapping += usize::from(*last_committed + 1 < *sequence_number);
        before = (*file, *sequence_number);
    }
    overlapping
}

fn run(tracking: u8, early_lock_release: bool, meanwhile: impl Fn(&World, u64) + Sync) -> usize {
    let world = World::open(&SimDisk::new(), WITH_BINLOG).unwrap();
    let settings = &world.pipeline.settings;
    settings.dependency_tracking.store(tracking, Ordering::Relaxed);
    settings.early_lock_release.store(early_lock_release, Ordering::Relaxed);
    settings.max_binlog_size.store(200_000, Ordering::Relaxed);
    let locks: Vec<_> = (0..ROWS).map(|_| Mutex::new(())).collect();
    let ids = AtomicU64::new(1);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let sessions: Vec<_> = (0..SESSIONS)
            .map(|number| {
                let (world, locks, ids) = (&world, &locks, &ids);
                scope.spawn(move || run_session(world, locks, number, ids))
            })
            .collect();
        let other = scope.spawn(|| {
            for round in 0.. {
                if done.load(Ordering::Relaxed) {
                    break;
                }
                meanwhile(&world, round);
                thread::yield_now();
            }
        });
        let ended: Vec<_> = sessions.into_iter().map(thread::ScopedJoinHandle::join).collect();
        done.store(true, Ordering::Relaxed);
        other.join().unwrap();
        for ended in ended {
            ended.unwrap();
        }
    });
    let all = stamped(&world);
    assert_eq!(all.len() as u64, SESSIONS * COMMITS);
    check(&all)
}

#[test]
fn no_stamp_lets_a_transaction_run_beside_one_that_it_depends_on() {
    for early_lock_release in [true, false] {
        for tracking in 0..3 {
            run(tracking, early_lock_release, |_, _| {});
        }
    }
}

/// A worker goes on before its commit is durable if the locks went at the ticket, and only then.
#[test]
fn nor_does_a_change_of_when_locks_go() {
    for (first, later) in [(true, false), (false, true), (true, true), (false, false)] {
        let mut world = World::open(&SimDisk::new(), WITH_BINLOG).unwrap();
        let pipeline = std::sync::Arc::clone(&world.pipeline);
        let mut under_way = Vec::new();
        for value in 0..3 {
            pipeline.settings.early_lock_release.store(first, Ordering::Relaxed);
            let committing = world.submit(&vec![(1, Some(vec![value]))]);
            pipeline.settings.early_lock_release.store(later, Ordering::Relaxed);
            assert_eq!(committing.has_released(), first);
            if committing.has_released() {
                under_way.push(committing);
            } else {
                let (_ack, pending) = world.block_on(committing);
                pipeline.locks_go(&pending);
            }
        }
        for committing in under_way {
            drop(world.block_on(committing));
        }
        let stamps = stamped(&world).iter().map(|trx| trx.last_committed).collect::<Vec<_>>();
        assert_eq!(stamps, [0, 1, 2], "first {first}, then {later}");
    }
}

#[test]
fn nor_does_switching_and_resizing() {
    run(0, true, |world, round| {
        let settings = &world.pipeline.settings;
        settings.dependency_tracking.store((round % 3).to_le_bytes()[0], Ordering::Relaxed);
        settings.dependency_history_size.store(1 << (round % 7), Ordering::Relaxed);
        world.pipeline.resize_dependency_history();
    });
}

#[test]
fn one_after_another_overlap_with_writeset_only_if_they_have_no_row_in_common() {
    let stamps = |tracking| {
        let mut world = World::open(&SimDisk::new(), WITH_BINLOG).unwrap();
        world.pipeline.settings.dependency_tracking.store(tracking, Ordering::Relaxed);
        let mut session = world.session();
        for key in [1, 2, 3, 2, 4] {
            let committing = world.submit_by(session, &vec![(key, Some(vec![key]))]);
            session = world.block_on(committing).1;
        }
        stamped(&world).iter().map(|trx| trx.last_committed).collect::<Vec<_>>()
    };
    assert_eq!(stamps(0), [0, 1, 2, 3, 4]);
    assert_eq!(stamps(1), [0, 0, 0, 2, 0]);
    assert_eq!(stamps(2), [0, 1, 2, 3, 4], "one session");
}
