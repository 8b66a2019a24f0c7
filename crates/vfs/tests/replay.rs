//! Purpose: a journal replayed is the disk that was; a power loss made from a replay is the one that would
//! have happened there and then.
//!
//! Requirements: `Replay` and `Journal` as documented; determinism; a disk made by a power loss can be
//! journalled and lose power again (crash, recover, crash in the recovery).
//!
//! Method: a workload in the shape of a log with a checkpoint runs twice, once live with a crash after each
//! operation, once journalled and replayed; all disks must agree, in every mode.
#![expect(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use common::{blocks, create, read, read_all};
use vfs::sim::{CrashMode, Fault, FaultKind, Journal, OpKind, Replay, Rng, SimDisk};
use vfs::{DURABLE_ALIGN, Open, Vfs};

const ALIGN: u64 = DURABLE_ALIGN as u64;

type Contents = BTreeMap<PathBuf, Vec<u8>>;

/// Calls `after` once a step, with the number of the operation that the step was.
fn workload(disk: &SimDisk, seed: u64, mut after: impl FnMut()) {
    let mut rng = Rng::new(seed);
    let mut step = |ok: bool| {
        assert!(ok);
        after();
    };
    step(disk.create_dir_all(Path::new("log/old")).is_ok());
    let log = create(disk, "log/1");
    step(true);
    for round in 0..12_u8 {
        step(log.write_durable_at(&blocks(1 + rng.index(3), round), ALIGN * rng.below(8)).is_ok());
        let table = disk.open(Path::new("table.new"), Open::CreateNew).unwrap();
        step(true);
        step(table.write_at(&vec![round; 1 + rng.index(9000)], rng.below(3000)).is_ok());
        step(table.set_len(1 + rng.below(12_000)).is_ok());
        step(if rng.coin() { table.sync_data() } else { table.sync_all() }.is_ok());
        step(disk.rename(Path::new("table.new"), Path::new("table")).is_ok());
        step(disk.sync_dir(Path::new("")).is_ok());
        if round == 6 {
            disk.inject(Fault::new(FaultKind::LostPages).of(OpKind::SyncAll));
            step(log.write_at(b"lost", 5).is_ok());
            step(log.sync_all().is_err());
            step(disk.rename(Path::new("log/1"), Path::new("log/old/1")).is_ok());
            step(disk.remove_file(Path::new("table")).is_ok());
        }
    }
    step(disk.sync_dir(Path::new("log")).is_ok());
}

fn journalled(seed: u64) -> (SimDisk, Journal) {
    let disk = SimDisk::new();
    disk.start_journal();
    workload(&disk, seed, || {});
    let journal = disk.stop_journal().unwrap();
    (disk, journal)
}

#[test]
fn a_power_loss_in_the_replay_is_the_one_that_the_live_disk_would_have_had() {
    for seed in 0..8 {
        let disk = SimDisk::new();
        let mut live: Vec<(u64, Vec<Contents>)> = Vec::new();
        let crashes = |disk: &SimDisk| CrashMode::ALL.map(|mode| disk.crash(mode, seed).contents()).to_vec();
        workload(&disk, seed, || live.push((disk.ops(), crashes(&disk))));

        let (_, journal) = journalled(seed);
        assert_eq!(journal.last_op(), live.len() as u64, "each step is one operation");
        let mut replay = Replay::new(&journal);
        for (op, expected) in live {
            replay.seek(op);
            assert_eq!(replay.op(), op);
            for (mode, expected) in CrashMode::ALL.into_iter().zip(expected) {
                assert!(replay.crash(mode, seed).contents() == expected, "seed {seed} {mode:?} at {op}");
            }
        }
        assert!(replay.disk().contents() == disk.contents());
    }
}

#[test]
fn a_journal_may_begin_in_the_middle_and_a_replay_may_go_back() {
    let disk = SimDisk::new();
    let file = create(&disk, "f");
    file.write_at(b"before", 0).unwrap();
    disk.start_journal();
    file.write_at(b"after!", 0).unwrap();
    disk.sync_dir(Path::new("")).unwrap();
    let journal = disk.stop_journal().unwrap();
    assert!(disk.stop_journal().is_none());
    assert_eq!((journal.first_op(), journal.last_op()), (2, 4));
    let record = journal.record(3).unwrap();
    assert_eq!((record.kind(), record.path(), record.byte_count()), (OpKind::Write, "f", 6));
    assert!(journal.record(2).is_none() && journal.record(5).is_none());

    let mut replay = Replay::new(&journal);
    for (op, bytes) in [(4, b"after!"), (2, b"before"), (3, b"after!")] {
        replay.seek(op);
        assert_eq!(read(&replay.disk(), "f").unwrap(), bytes);
    }
    assert_eq!(replay.next_record().unwrap().kind(), OpKind::SyncDir);
    assert_eq!(replay.crash(CrashMode::DropAll, 0).contents(), BTreeMap::new());
    replay.seek(4);
    assert_eq!(replay.crash(CrashMode::DropAll, 0).contents(), BTreeMap::from([("f".into(), Vec::new())]));
    assert!(replay.next_record().is_none());
}

#[test]
#[should_panic(expected = "not in the journal")]
fn a_replay_does_not_leave_its_journal() {
    let (_, journal) = journalled(0);
    Replay::new(&journal).seek(journal.last_op() + 1);
}

#[test]
fn during_a_sync_nothing_is_promised_yet() {
    let disk = SimDisk::new();
    let file = create(&disk, "f");
    disk.sync_dir(Path::new("")).unwrap();
    file.write_at(b"x", 0).unwrap();
    disk.start_journal();
    file.sync_all().unwrap();
    let journal = disk.stop_journal().unwrap();
    let replay = Replay::new(&journal);
    for mode in CrashMode::ALL {
        for seed in 0..32 {
            let during = replay.crash_during_next(mode, seed).unwrap().contents();
            assert_eq!(during, replay.crash(mode, seed).contents(), "{mode:?} {seed}");
        }
    }
}

#[test]
fn during_a_durable_write_any_part_of_it_may_have_arrived() {
    let disk = SimDisk::new();
    let file = create(&disk, "f");
    file.write_at(&[1; 2 * DURABLE_ALIGN], 0).unwrap();
    file.sync_all().unwrap();
    disk.sync_dir(Path::new("")).unwrap();
    disk.start_journal();
    file.write_durable_at(&blocks(2, 2), 0).unwrap();
    let journal = disk.stop_journal().unwrap();
    let replay = Replay::new(&journal);
    let sectors = |mode, seed| {
        let bytes = read(&replay.crash_during_next(mode, seed).unwrap(), "f").unwrap();
        bytes.chunks(512).filter(|sector| sector.iter().all(|&b| b == 2)).count()
    };
    assert_eq!(sectors(CrashMode::DropAll, 0), 0);
    assert_eq!(sectors(CrashMode::KeepAll, 0), 16);
    let arrived: Vec<usize> = (0..64).map(|seed| sectors(CrashMode::Torn512, seed)).collect();
    assert!(arrived.iter().any(|&count| count > 0 && count < 16), "{arrived:?}");
}

#[test]
fn directories_are_made_one_after_the_other() {
    let disk = SimDisk::new();
    disk.start_journal();
    disk.create_dir_all(Path::new("a/b/c")).unwrap();
    let journal = disk.stop_journal().unwrap();
    let replay = Replay::new(&journal);
    let made = |seed| {
        let disk = replay.crash_during_next(CrashMode::DropAll, seed).unwrap();
        ["a", "a/b", "a/b/c"].map(|dir| disk.exists(Path::new(dir)).unwrap())
    };
    let mut all: Vec<_> = (0..64).map(made).collect();
    all.sort_unstable();
    all.dedup();
    let prefixes = [[false, false, false], [true, false, false], [true, true, false], [true, true, true]];
    assert_eq!(all, prefixes);
}

#[test]
fn the_same_run_gives_the_same_journal_and_the_same_crashes() {
    for seed in 0..4 {
        let ((one, first), (two, second)) = (journalled(seed), journalled(seed));
        assert!(one.contents() == two.contents());
        assert_eq!(first.last_op(), second.last_op());
        let (mut a, mut b) = (Replay::new(&first), Replay::new(&second));
        for op in first.first_op()..=first.last_op() {
            let show = |journal: &Journal| journal.record(op).map(|record| format!("{record:?}"));
            assert_eq!(show(&first), show(&second));
            a.seek(op);
            b.seek(op);
            for mode in CrashMode::ALL {
                assert!(a.crash(mode, op).contents() == b.crash(mode, op).contents());
                let during = |replay: &Replay| replay.crash_during_next(mode, op).map(|disk| disk.contents());
                assert!(during(&a) == during(&b));
            }
        }
    }
}

/// A log whose recovery writes: power is lost at every step of the run, and again at every step of each
/// recovery. What was appended and synced is in the log in the end, whole, once.
#[test]
fn power_can_be_lost_again_while_recovering_from_a_power_loss() {
    const RECORDS: u8 = 6;
    let append = |disk: &SimDisk, value: u8| {
        let log = disk.open(Path::new("log"), Open::ReadWrite).unwrap();
        let end = log.len().unwrap();
        log.write_at(&[value; 700], end).unwrap();
        log.sync_data().unwrap();
    };
    // Keeps the records that are whole and in order, in a new file that replaces the old one.
    let recover = |disk: &SimDisk| -> usize {
        let bytes = read(disk, "log").unwrap();
        let whole = |(value, record): &(u8, &[u8])| record.len() == 700 && record.iter().all(|b| b == value);
        let kept = (1..=RECORDS).zip(bytes.chunks(700)).take_while(whole).count();
        let new = disk.open(Path::new("log.new"), Open::Create).unwrap();
        new.set_len(0).unwrap();
        new.write_at(&bytes[..700 * kept], 0).unwrap();
        new.sync_all().unwrap();
        disk.rename(Path::new("log.new"), Path::new("log")).unwrap();
        disk.sync_dir(Path::new("")).unwrap();
        kept
    };

    let disk = SimDisk::new();
    create(&disk, "log");
    disk.sync_dir(Path::new("")).unwrap();
    disk.start_journal();
    let mut promised: Vec<u64> = Vec::new();
    for value in 1..=RECORDS {
        append(&disk, value);
        promised.push(disk.ops());
    }
    let journal = disk.stop_journal().unwrap();
    let mut replay = Replay::new(&journal);
    let mut recoveries = 0;
    for op in journal.first_op()..=journal.last_op() {
        replay.seek(op);
        let due = promised.iter().filter(|&&at| at <= op).count();
        for mode in CrashMode::ALL {
            let found = replay.crash(mode, op);
            found.start_journal();
            let kept = recover(&found);
            assert!(kept >= due, "{mode:?} at {op}: {kept} records of {due}");
            let recovery = found.stop_journal().unwrap();
            let mut again = Replay::new(&recovery);
            for step in recovery.first_op()..=recovery.last_op() {
                again.seek(step);
                for second in CrashMode::ALL {
                    assert_eq!(
                        recover(&again.crash(second, step)),
                        kept,
                        "{mode:?} at {op}, {second:?} at {step}"
                    );
                    recoveries += 1;
                }
            }
        }
    }
    assert!(recoveries > 5000, "{recoveries}");
}

#[test]
fn a_handle_from_before_the_power_loss_writes_to_the_disk_from_before() {
    let disk = SimDisk::new();
    let file = create(&disk, "f");
    disk.sync_dir(Path::new("")).unwrap();
    let found = disk.crash(CrashMode::KeepAll, 0);
    file.write_at(b"ghost", 0).unwrap();
    assert!(read_all(&*found.open(Path::new("f"), Open::Read).unwrap()).is_empty());
    assert_eq!(found.ops(), 0);
}
