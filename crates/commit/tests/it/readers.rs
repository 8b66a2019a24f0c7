//! Purpose: whoever follows the binlog may read what is published and at hand, and is told when there is more.
//!
//! Requirements: R1. with every strategy the readable end is not beyond what is published, reaches it, and all before it
//! can be read and is what the files have later; R2. a reader that waits is woken; R3. files that are read are not purged;
//! R4. many readers are woken a few at a time, in turn, and those for whom commits wait with every few;
//! R5. a reader is told of a transaction whose events were in the file before it was published; R6. what somebody waits for
//! or is about to read goes through the operating system's cache, what nobody wants goes past it; R7. who follows at the live end
//! reads events before they are in the file, unless they are large, many or behind such, and has the file written no sooner.
//!
//! Method: commits and rotations on the simulated disk; readers are polled by hand.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use binlog::ReadAt;
use commit::record::BinlogPlace;
use commit::{BinlogReader, Role, StrategyKind};
use vfs::sim::{Fault, FaultKind, OpKind, SimDisk};

use super::power_loss::{ENHANCED, IN_REDO, OWN_STORE, WITH_BINLOG};
use super::world::{HELD, IO_CACHE_SIZE, Options, World};

fn published(world: &World) -> BinlogPlace {
    let end = world.pipeline.publisher().tuple().binlog.unwrap();
    BinlogPlace { file: end.file, position: end.position }
}

fn commit(world: &mut World, round: u8) {
    let committing = world.submit(&vec![(round % 4, Some(vec![round; 300]))]);
    drop(world.block_on(committing));
}

/// Commits of a row of that size, in one group, before the housekeeper comes.
fn commit_many(world: &mut World, count: u8, size: usize) {
    let all: Vec<_> = (0..count).map(|key| world.submit(&vec![(key, Some(vec![key; size]))])).collect();
    world.drive_log_threads();
    for committing in all {
        drop(world.block_on(committing));
    }
}

/// The bytes of the file in which the readable end lies, up to there, and its number.
fn readable(world: &World, reader: &BinlogReader) -> (u64, Vec<u8>) {
    let (files, end) = (world.pipeline.binlog().unwrap(), reader.end());
    let names = files.index().names().to_vec();
    let name = names.iter().find(|name| name.number() == u64::from(end.file)).expect("it is listed");
    let file = files.open(name).unwrap();
    let mut bytes = vec![0; usize::try_from(end.position).unwrap()];
    let mut done = 0;
    while done < bytes.len() {
        match file.read_at(&mut bytes[done..], done as u64).unwrap() {
            0 => panic!("{name} ends at {done}, {end:?} may be read"),
            count => done += count,
        }
    }
    (name.number(), bytes)
}

/// What was read stands in the files.
fn check_read(world: &World, read: &[(u64, Vec<u8>)], what: &str) {
    let files = world.binlog_bytes();
    for (number, bytes) in read {
        // The flag IN_USE was cleared if the file was closed since.
        assert!(
            files[number][25..].starts_with(&bytes[25..]),
            "{what}: file {number}, {} bytes",
            bytes.len()
        );
    }
}

#[test]
fn the_readable_end_is_published_and_can_be_read() {
    for strategy in StrategyKind::WITH_BINLOG {
        let sync_binlog = if strategy == StrategyKind::Parallel { 1000 } else { 1 };
        let mut world =
            World::open(&SimDisk::new(), Options { strategy, sync_binlog, ..WITH_BINLOG }).unwrap();
        let reader = world.pipeline.follow_binlog(false).unwrap();
        let mut read = Vec::new();
        for round in 0..12 {
            commit(&mut world, round);
            if round % 5 == 4 {
                world.rotate();
            }
            world.pipeline.wake_readers();
            let end = reader.end();
            assert!(end <= published(&world), "{strategy:?}");
            read.push(readable(&world, &reader));
            world.pipeline.catch_up().unwrap();
            world.pipeline.wake_readers();
            assert_eq!(reader.end(), published(&world), "{strategy:?}");
            read.push(readable(&world, &reader));
        }
        check_read(&world, &read, &format!("{strategy:?}"));
    }
}

#[test]
fn events_are_read_before_they_are_in_the_file() {
    for options in [IN_REDO, ENHANCED, OWN_STORE] {
        let mut world = World::open(&SimDisk::new(), options).unwrap();
        let reader = world.pipeline.follow_binlog(false).unwrap();
        let files_end = |world: &World| {
            let (number, bytes) = world.binlog_bytes().pop_last().unwrap();
            BinlogPlace { file: u32::try_from(number).unwrap(), position: bytes.len() as u64 }
        };
        let mut read = Vec::new();
        // Says whether what may be read is in the file.
        let mut look = |world: &World| {
            world.pipeline.wake_readers();
            assert_eq!(reader.end(), published(world), "{options:?}");
            read.push(readable(world, &reader));
            reader.end() <= files_end(world)
        };
        commit_many(&mut world, 1, 100);
        assert!(!look(&world), "{options:?}");
        commit_many(&mut world, 20, 1000);
        assert!(!look(&world), "{options:?}");
        commit_many(&mut world, 1, 600_000);
        assert!(look(&world), "{options:?}: a large one");
        commit_many(&mut world, 3, 100);
        assert!(!look(&world), "{options:?}");
        world.rotate();
        assert!(look(&world), "{options:?}: a rotation");
        commit_many(&mut world, 1, 100);
        assert!(!look(&world), "{options:?}");
        commit_many(&mut world, 60, IO_CACHE_SIZE / 2 / 60);
        assert!(look(&world), "{options:?}: more than half of the cache");
        commit_many(&mut world, 1, 100);
        assert!(!look(&world), "{options:?}");
        // What is written makes room again.
        for _ in 0..5 {
            world.pipeline.catch_up().unwrap();
            assert!(look(&world), "{options:?}");
            commit_many(&mut world, 20, IO_CACHE_SIZE / 2 / 30);
            assert!(!look(&world), "{options:?}");
        }
        world.pipeline.catch_up().unwrap();
        check_read(&world, &read, &format!("{options:?}"));
    }
}

#[test]
fn what_is_behind_a_large_transaction_is_read_behind_it() {
    for options in [IN_REDO, ENHANCED, OWN_STORE] {
        let mut world = World::open(&SimDisk::new(), options).unwrap();
        let reader = world.pipeline.follow_binlog(false).unwrap();
        let before = reader.end();
        for size in [600_000, 100] {
            let committing = world.submit(&vec![(1, Some(vec![7; size]))]);
            // The files' turn does not come.
            while world.pipeline.published().visible() < committing.seq() {
                let role = world.pipeline.roles.take().expect("a step is wanted");
                assert_ne!(role, Role::Files, "{options:?}");
                world.pipeline.step(role).unwrap();
                world.pipeline.roles.done(role);
            }
            drop(committing);
            world.pipeline.wake_readers();
            assert_eq!(reader.end(), before, "{options:?}");
        }
        world.drive_log_threads();
        world.pipeline.wake_readers();
        assert_eq!(reader.end(), published(&world), "{options:?}");
        let read = [readable(&world, &reader)];
        world.pipeline.catch_up().unwrap();
        check_read(&world, &read, &format!("{options:?}"));
    }
}

#[test]
fn only_what_nobody_wants_passes_by_the_cache() {
    for options in [IN_REDO, ENHANCED, OWN_STORE] {
        let disk = SimDisk::new();
        let mut world = World::open(&disk, options).unwrap();
        let commit = |world: &mut World| {
            let committing = world.submit(&vec![(1, Some(vec![1; 100_000]))]);
            drop(world.block_on(committing));
        };
        let refuse = || disk.inject(Fault::new(FaultKind::Io).of(OpKind::WriteUncached));
        refuse();
        let reader = world.pipeline.follow_binlog(false).unwrap();
        commit(&mut world);
        world.pipeline.catch_up().expect("it is read");
        commit_many(&mut world, 40, 2000);
        world.pipeline.wake_readers();
        world.pipeline.catch_up().expect("it was read, but who knows from where he goes on");
        assert!(reader.is_at_hand(reader.end()));
        assert!(!reader.is_at_hand(BinlogPlace { position: 4, ..reader.end() }));
        commit_many(&mut world, 40, 2000);
        world.pipeline.wake_readers();
        world.pipeline.catch_up().expect("he reads what was logged long ago");
        drop(reader);
        world.pipeline.settings.wait_binlog_flush.store(true, Ordering::Relaxed);
        commit(&mut world);
        world.pipeline.catch_up().expect("it was waited for");
        world.pipeline.settings.wait_binlog_flush.store(false, Ordering::Relaxed);
        disk.lift_faults();
        commit(&mut world);
        refuse();
        world.pipeline.catch_up().expect_err("nobody wants it");
    }
}

#[test]
fn what_a_reader_has_from_memory_passes_by_the_cache() {
    for options in [IN_REDO, ENHANCED, OWN_STORE] {
        let disk = SimDisk::new();
        let mut world = World::open(&disk, options).unwrap();
        let reader = world.pipeline.follow_binlog(false).unwrap();
        assert!(reader.is_at_hand(reader.end()));
        commit_many(&mut world, 40, 2000);
        world.pipeline.wake_readers();
        disk.inject(Fault::new(FaultKind::Io).of(OpKind::WriteUncached));
        world.pipeline.catch_up().expect_err("nobody reads it again");
    }
}

#[test]
fn a_reader_that_waits_is_woken() {
    let mut world = World::open(&SimDisk::new(), WITH_BINLOG).unwrap();
    let reader = world.pipeline.follow_binlog(false).unwrap();
    let place = reader.end();
    let mut waits = pin!(reader.beyond(place));
    let mut context = Context::from_waker(Waker::noop());
    assert!(waits.as_mut().poll(&mut context).is_pending());
    commit(&mut world, 1);
    world.pipeline.catch_up().unwrap();
    world.pipeline.wake_readers();
    assert!(waits.as_mut().poll(&mut context).is_ready());
    assert!(world.pipeline.follow_binlog(false).unwrap().end() > place, "who comes later begins there");
}

#[test]
fn files_that_are_read_are_not_purged() {
    let mut world = World::open(&SimDisk::new(), WITH_BINLOG).unwrap();
    for round in 0..4 {
        commit(&mut world, round);
        world.rotate();
    }
    world.checkpoint();
    let files = world.pipeline.binlog().unwrap();
    let names = files.index().names().to_vec();
    let second = files.open_in_use(&names[1]).unwrap().unwrap();
    let again = files.open_in_use(&names[1]).unwrap().unwrap();
    let purged = world.pipeline.purge_to(&names[3]).unwrap();
    assert_eq!(purged.gone, names[..1]);
    assert_eq!(purged.in_use, Some((names[1].clone(), 2, 3)));
    drop(second);
    assert_eq!(world.pipeline.purge_to(&names[1]).unwrap().in_use, None, "nothing was to go");
    assert!(world.pipeline.purge_to(&names[3]).unwrap().gone.is_empty());
    drop(again);
    assert_eq!(world.pipeline.purge_to(&names[3]).unwrap().gone, names[1..3]);
    assert!(files.open_in_use(&names[1]).unwrap().is_none());
}

/// A pause that ends when the task is polled again.
fn pause() -> impl Future<Output = ()> {
    let mut first = true;
    poll_fn(move |_| if std::mem::take(&mut first) { Poll::Pending } else { Poll::Ready(()) })
}

/// Counts how often it is woken.
#[derive(Default)]
struct Counter(AtomicUsize);

impl Wake for Counter {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn many_readers_are_woken_in_turn_and_those_who_are_awaited_with_every_few() {
    let mut world = World::open(&SimDisk::new(), WITH_BINLOG).unwrap();
    let pipeline = Arc::clone(&world.pipeline);
    let readers: Vec<_> = (0..11).map(|number| pipeline.follow_binlog(number == 7).unwrap()).collect();
    let counters: Vec<Arc<Counter>> = readers.iter().map(|_| Arc::default()).collect();
    let wait = |number: usize| {
        let mut beyond = pin!(readers[number].beyond(readers[number].end()));
        let waker = Waker::from(Arc::clone(&counters[number]));
        assert!(beyond.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    };
    let woken = || counters.iter().map(|counter| counter.0.load(Ordering::Relaxed)).collect::<Vec<_>>();
    (0..11).for_each(wait);
    let mut task = pin!(Arc::clone(&pipeline).wake_readers_forever(pause));
    let mut poll_task = || assert!(task.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    commit(&mut world, 1);
    pipeline.catch_up().unwrap();
    poll_task();
    assert_eq!(woken(), [1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0]);
    (0..4).chain([7]).for_each(wait);
    commit(&mut world, 2);
    pipeline.catch_up().unwrap();
    poll_task();
    assert_eq!(woken(), [1, 1, 1, 1, 1, 1, 1, 2, 1, 0, 0], "the next ones, and the one who is awaited again");
    poll_task();
    assert_eq!(woken(), [2, 2, 1, 1, 1, 1, 1, 2, 1, 1, 1], "those who have waited longer come first");
    poll_task();
    assert_eq!(woken(), [2, 2, 2, 2, 1, 1, 1, 2, 1, 1, 1]);
}

/// Who plays REDO is held between leaving the events to the file maker and publishing the transaction: at what
/// semi-synchronous replication asks of the clock.
#[test]
fn who_publishes_behind_the_file_maker_has_readers_told() {
    for (options, replicas_hold) in
        [IN_REDO, ENHANCED, OWN_STORE].into_iter().flat_map(|options| [(options, false), (options, true)])
    {
        let mut world = World::open(&SimDisk::new(), options).unwrap();
        let pipeline = Arc::clone(&world.pipeline);
        pipeline.settings.semi_sync_enabled.store(true, Ordering::Relaxed);
        pipeline.settings.semi_sync_wait_no_replica.store(replicas_hold, Ordering::Relaxed);
        pipeline.settle_semi_sync();
        let reader = pipeline.follow_binlog(true).unwrap();
        let before = reader.end();
        let committing = world.submit(&vec![(1, Some(vec![1; 300]))]);
        pipeline.step(Role::Store).unwrap();
        let mut task = pin!(Arc::clone(&pipeline).wake_readers_forever(pause));
        let mut poll_task =
            || assert!(task.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        poll_task();
        // The step's beginning, the log's, and its end.
        world.clock.answers.store(3, Ordering::Relaxed);
        thread::scope(|scope| {
            let step = || pipeline.step(Role::Redo).unwrap();
            let step = thread::Builder::new().name(HELD.to_owned()).spawn_scoped(scope, step).unwrap();
            world.clock.wait_until_it_holds();
            let files = pipeline.binlog().unwrap();
            pipeline.step(Role::Files).unwrap();
            poll_task();
            assert_eq!(published(&world), before, "{options:?}");
            let name = files.index().last().unwrap().clone();
            assert!(world.file_bytes(&files.path_of(&name)).len() as u64 > before.position, "{options:?}");
            world.clock.let_go();
            step.join().unwrap();
        });
        world.drive();
        poll_task();
        let mut beyond = pin!(reader.beyond(before));
        let is_told = beyond.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready();
        assert!(is_told, "{options:?}, replicas hold: {replicas_hold}");
        drop(committing);
    }
}
