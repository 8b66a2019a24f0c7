//! Purpose: what happens in narrow windows loses nothing and keeps the server going.
//!
//! Requirements: R1. Commits that ask nothing of redo do not use up its ring. R2. A sync that fails in a rotation fails for everybody.
//! R3. A change of the strategy leaves nothing behind that redo is kept for. R4. Binlog files without their index are refused, not
//! removed. R5. Files expire by when they were begun, whatever time sessions choose. R6. Rows that look like redo are rows.
//! R7. Credits come back from whoever stops waiting. R8. A sync that was begun before a RESET promises nothing behind it.
//! R9. Damage that redo can mend takes nothing else away, and a refused start leaves no file shorter. R10. A commit is part
//! of a moment when all its changes are in the store, and before its locks go.
//!
//! Method: steps are taken by hand, in the order in which they hurt.

use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use binlog::event::RowsQuery;
use commit::{Admission, Clock as _, Credits, EventsKind, Need, Participant, Quiet, Role, StrategyKind};
use engine::delta::Delta;
use engine::ids::{CommitSeq, TrxId};
use engine::view::Published;
use engine::writeset::WriteSet;
use vfs::Vfs as _;
use vfs::sim::{CrashMode, Fault, FaultKind, OpKind, SimDisk};

use crate::power_loss::WITH_BINLOG;
use crate::world::{ORIGIN, Options, World, poll};

const IN_REDO: Options = Options { strategy: StrategyKind::InRedo, ..WITH_BINLOG };

struct Apply<'a>(&'a mut WriteSet);

impl Participant for Apply<'_> {
    fn apply(&mut self, seq: CommitSeq, delta: &Delta) {
        self.0.apply(seq, delta);
    }
    fn release_locks(&mut self, _: CommitSeq) {}
}

/// Asks what is part of a moment at each step.
struct Watched<'a>(&'a mut WriteSet, Arc<Published>);

impl Participant for Watched<'_> {
    fn apply(&mut self, seq: CommitSeq, delta: &Delta) {
        self.0.apply(seq, delta);
        assert!(self.1.all_applied() < seq, "there may be more to come");
    }
    fn release_locks(&mut self, seq: CommitSeq) {
        assert!(self.1.all_applied() >= seq, "who gets the lock finds it");
    }
}

#[test]
fn a_commit_is_part_of_a_moment_between_its_changes_and_its_locks() {
    let mut world = World::open(&SimDisk::new(), WITH_BINLOG).unwrap();
    commit(&mut world, 1, vec![1]);
    let pipeline = Arc::clone(&world.pipeline);
    for key in 2..200 {
        let mut pending = world.session();
        let mut writes = World::record(&mut pending, &vec![(key, Some(vec![1]))]);
        pending.kind = EventsKind::Transaction;
        world.block_on(pipeline.reserve(TrxId(1000), &mut pending, &writes)).unwrap();
        let watched = &mut Watched(&mut writes, Arc::clone(pipeline.published()));
        let committing = pipeline.submit(TrxId(1000), pending, watched).unwrap();
        drop(world.block_on(committing));
    }
}

fn commit(world: &mut World, key: u8, row: Vec<u8>) {
    let committing = world.submit(&vec![(key, Some(row))]);
    drop(world.block_on(committing));
}

#[test]
fn commits_that_ask_nothing_of_redo_do_not_use_up_its_ring() {
    let options = Options { flush: 0, sync_binlog: 0, ..WITH_BINLOG };
    let mut world = World::open(&SimDisk::new(), options).unwrap();
    for _ in 0..1000 {
        commit(&mut world, 1, vec![1]);
    }
}

#[test]
fn a_sync_beside_a_rotation_whose_sync_has_failed_fails() {
    let disk = SimDisk::new();
    let mut world = World::open(&disk, WITH_BINLOG).unwrap();
    commit(&mut world, 1, vec![1]);
    let mut second = Box::pin(world.submit(&vec![(2, Some(vec![2]))]));
    world.pipeline.step(Role::Flush).unwrap();
    assert!(poll(second.as_mut()).is_none());
    let pipeline = Arc::clone(&world.pipeline);
    let mut rotating = Box::pin(pipeline.rotate(TrxId(0), world.session(), None));
    let rotating = poll(rotating.as_mut()).unwrap().unwrap();
    disk.inject(Fault::new(FaultKind::LostPages).of(OpKind::SyncAll).on("/data/binlog.000001"));
    world.pipeline.step(Role::Flush).unwrap_err();
    world.pipeline.step(Role::Sync).unwrap_err();
    world.pipeline.sweep();
    assert!(poll(second.as_mut()).is_none(), "it is not acknowledged");
    drop((second, rotating));
    World::open(&disk.crash(CrashMode::DropAll, 1), WITH_BINLOG).map(drop).unwrap();
}

#[test]
fn what_a_large_transaction_has_written_is_not_kept_for_it_when_the_strategy_has_changed() {
    let mut world = World::open(&SimDisk::new(), IN_REDO).unwrap();
    let pipeline = Arc::clone(&world.pipeline);
    let quiet = world.block_on(Quiet::take(&pipeline));
    let mut pending = world.session();
    for _ in 0..3 {
        pending.cache.append(ORIGIN, &RowsQuery { sql: &vec![7; 300_000] }).unwrap();
    }
    let mut writes = World::record(&mut pending, &vec![(1, Some(vec![1]))]);
    pending.kind = EventsKind::Transaction;
    {
        let mut reserving = pin!(pipeline.reserve(TrxId(1000), &mut pending, &writes));
        for _ in 0..10 {
            assert!(poll(reserving.as_mut()).is_none());
            world.drive();
        }
        quiet.switch(StrategyKind::Group, &world.base).unwrap();
        drop(quiet);
        world.block_on(reserving).unwrap();
    }
    let committing = pipeline.submit(TrxId(1000), pending, &mut Apply(&mut writes)).unwrap();
    drop(world.block_on(committing));
    let mut live = Vec::new();
    for _ in 0..5 {
        world.checkpoint();
        live.push(world.pipeline.redo().live_bytes());
        for key in 0..20 {
            commit(&mut world, key, vec![key; 10_000]);
        }
    }
    assert!(live[4] <= live[1] + 65_536, "redo is recycled: {live:?}");
}

fn binlog_files(disk: &SimDisk) -> Vec<(String, u64)> {
    let names = disk.list(Path::new("/data")).unwrap();
    let len = |name: &str| disk.open(&Path::new("/data").join(name), vfs::Open::Read).unwrap().len().unwrap();
    names
        .into_iter()
        .filter(|name| name.starts_with("binlog."))
        .map(|name| (name.clone(), len(&name)))
        .collect()
}

#[test]
fn binlog_files_without_their_index_are_refused_and_stay() {
    for (clean, options) in [(true, WITH_BINLOG), (false, WITH_BINLOG), (false, IN_REDO)] {
        let disk = SimDisk::new();
        let mut world = World::open(&disk, options).unwrap();
        for key in 0..4 {
            commit(&mut world, key, vec![key]);
            world.rotate();
        }
        world.checkpoint();
        commit(&mut world, 9, vec![9]);
        if clean {
            world.pipeline.finish(&world.base, Vec::new()).unwrap();
        }
        drop(world);
        let index = Path::new("/data/binlog.index");
        let mut listed =
            vec![0; usize::try_from(disk.open(index, vfs::Open::Read).unwrap().len().unwrap()).unwrap()];
        disk.open(index, vfs::Open::Read).unwrap().read_exact_at(&mut listed, 0).unwrap();
        disk.remove_file(index).unwrap();
        let before = binlog_files(&disk);
        let refused = World::open(&disk, options).map(drop).unwrap_err().to_string();
        assert!(refused.contains("binlog.000001 to binlog.000005 are there; restore it"), "{refused}");
        assert_eq!(
            binlog_files(&disk)
                .iter()
                .filter(|(name, _)| name != "binlog.index")
                .cloned()
                .collect::<Vec<_>>(),
            before
        );
        let restored = disk.open(index, vfs::Open::Create).unwrap();
        restored.write_at(&listed, 0).unwrap();
        restored.sync_all().unwrap();
        let world = World::open(&disk, options).unwrap();
        assert_eq!(world.rows().1.len(), 5, "clean: {clean}");
    }
}

/// Changes a bit of the row that consists of this value, in the first binlog file. Twice is never.
fn flip(disk: &SimDisk, value: u8) {
    let file = disk.open(Path::new("/data/binlog.000001"), vfs::Open::ReadWrite).unwrap();
    let mut bytes = vec![0; usize::try_from(file.len().unwrap()).unwrap()];
    file.read_exact_at(&mut bytes, 0).unwrap();
    let at =
        bytes.windows(30).position(|window| window.iter().all(|byte| *byte | 0x80 == value | 0x80)).unwrap();
    file.write_at(&[bytes[at] ^ 0x80], at as u64).unwrap();
    file.sync_all().unwrap();
}

/// Rows 1 to 3 are in redo and in the file, those above in the file alone.
fn world_that_changed_to_group(disk: &SimDisk, last: u8) {
    let mut world = World::open(disk, IN_REDO).unwrap();
    for key in 1..=last {
        if key == 4 {
            world.switch(StrategyKind::Group);
        }
        commit(&mut world, key, vec![key; 50]);
    }
}

#[test]
fn damage_that_redo_mends_takes_nothing_away_that_is_behind_it() {
    let disk = SimDisk::new();
    world_that_changed_to_group(&disk, 4);
    flip(&disk, 2);
    let world = World::open(&disk, IN_REDO).unwrap();
    assert_eq!(world.rows().1.keys().copied().collect::<Vec<_>>(), [1, 2, 3, 4]);
    let changes = (1..=4).map(|key| (CommitSeq(u64::from(key)), vec![(key, Some(vec![key; 50]))]));
    let logged = world.binlog_transactions();
    assert_eq!(
        logged.into_iter().filter(|(_, changes)| !changes.is_empty()).collect::<Vec<_>>(),
        changes.collect::<Vec<_>>()
    );
}

#[test]
fn a_refused_start_leaves_no_file_shorter() {
    let disk = SimDisk::new();
    world_that_changed_to_group(&disk, 7);
    let before = binlog_files(&disk);
    flip(&disk, 2);
    flip(&disk, 5);
    let refused = World::open(&disk, IN_REDO).map(drop).unwrap_err().to_string();
    assert!(refused.contains("restore the file"), "{refused}");
    assert_eq!(binlog_files(&disk), before);
    flip(&disk, 5);
    assert_eq!(World::open(&disk, IN_REDO).unwrap().rows().1.len(), 7);
}

#[test]
fn files_expire_by_when_they_were_begun() {
    // A right one; SET timestamp = 1, or a worker that applies an old transaction; SET timestamp = 2^32 - 1.
    for stamp in [1_700_003_610, 1, u32::MAX] {
        let mut world = World::open(&SimDisk::new(), WITH_BINLOG).unwrap();
        commit(&mut world, 1, vec![1]);
        world.clock.sleep_us(3_610_000);
        let mut pending = world.session();
        pending.origin.timestamp = stamp;
        let pipeline = Arc::clone(&world.pipeline);
        let committing = world.block_on(pipeline.rotate(TrxId(0), pending, None)).unwrap();
        drop(world.block_on(committing));
        world.checkpoint();
        let begun = u32::try_from(world.clock.unix_us() / 1_000_000).unwrap();
        for (moment, expected) in [(begun - 2, "binlog.000001"), (begun + 86_400, "binlog.000002")] {
            let target = pipeline.last_binlog_begun_by(moment).unwrap().map(|name| name.to_string());
            assert_eq!(target.as_deref(), Some(expected), "stamp {stamp}, at {moment}, begun at {begun}");
        }
    }
}

/// A block of a run, as who knows everything but its salt would make it, that says that a sync was promised far ahead; 41 bytes
/// are coprime to any alignment.
fn forged() -> Vec<u8> {
    let mut block = vec![0; 41];
    block[0..4].copy_from_slice(b"OLRB");
    block[8..16].copy_from_slice(&1_000_000_u64.to_le_bytes());
    block[16..24].copy_from_slice(&1_u64.to_le_bytes());
    block[24..32].copy_from_slice(&1_000_000_u64.to_le_bytes());
    block[32..36].copy_from_slice(&1_u32.to_le_bytes());
    let crc = crc32c::crc32c(&block[8..]);
    block[4..8].copy_from_slice(&crc.to_le_bytes());
    block
}

#[test]
fn rows_that_look_like_redo_are_rows() {
    for pad in 0..41 {
        let disk = SimDisk::new();
        let mut world = World::open(&disk, IN_REDO).unwrap();
        let row = [vec![0; pad], forged().repeat(1400)].concat();
        for _ in 0..6 {
            commit(&mut world, 1, row.clone());
            world.checkpoint();
        }
        for value in 0..12 {
            commit(&mut world, 2, vec![value]);
        }
        drop(world);
        World::open(&disk, IN_REDO).map_or_else(|error| panic!("{pad}: {error}"), drop);
    }
}

#[test]
fn who_stops_waiting_at_the_grant_gives_the_credits_back() {
    const ROUNDS: u64 = 30_000;
    let all = Credits { ring_bytes: 100, slots: 1, ..Credits::default() };
    let need = Need { credits: all, writes: true, has_chunks: false };
    let (round, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let slot = std::sync::Mutex::new(Arc::new(Admission::new(all)));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 1..=ROUNDS {
                while round.load(Ordering::Acquire) < number {
                    std::thread::yield_now();
                }
                let admission = Arc::clone(&slot.lock().unwrap());
                admission.give_back(all);
                done.store(number, Ordering::Release);
            }
        });
        for number in 1..=ROUNDS {
            let admission = Arc::new(Admission::new(all));
            *slot.lock().unwrap() = Arc::clone(&admission);
            assert!(poll(pin!(admission.admit(need))).is_some());
            let mut waiting = Box::pin(admission.admit(need));
            assert!(poll(waiting.as_mut()).is_none());
            round.store(number, Ordering::Release);
            for _ in 0..number % 400 {
                std::hint::spin_loop();
            }
            drop(waiting);
            while done.load(Ordering::Acquire) < number {
                std::thread::yield_now();
            }
            assert!(poll(pin!(admission.admit(need))).is_some(), "round {number}: credits are gone for ever");
        }
    });
}

#[test]
#[expect(clippy::disallowed_methods, reason = "nothing says that a slow sync has begun")]
fn a_sync_that_was_begun_before_a_reset_promises_nothing_behind_it() {
    let (disk, delay) = (SimDisk::new(), vfs::SyncDelay::from_us(0));
    let slow = vfs::SlowSync::new(Arc::new(disk.clone()), delay.clone());
    let mut world = World::open_on(Arc::new(slow), IN_REDO).unwrap();
    for _ in 0..5 {
        world.rotate();
    }
    let committing = world.submit(&vec![(1, Some(vec![1]))]);
    world.pipeline.step(Role::Redo).unwrap();
    world.pipeline.step(Role::Files).unwrap();
    world.pipeline.sweep();
    drop(world.block_on(committing));
    world.clock.sleep_us(1_000_000);
    delay.set_us(600_000);
    let pipeline = Arc::clone(&world.pipeline);
    std::thread::scope(|scope| {
        let step = scope.spawn(move || pipeline.step(Role::Sync));
        std::thread::sleep(Duration::from_millis(200));
        delay.set_us(0);
        world.reset(1);
        step.join().unwrap().unwrap();
    });
    for value in 0..5 {
        commit(&mut world, 2, vec![value]);
    }
    world.checkpoint();
    commit(&mut world, 3, vec![3]);
    drop(world);
    World::open(&disk.crash(CrashMode::DropAll, 1), IN_REDO).map(drop).unwrap();
}
