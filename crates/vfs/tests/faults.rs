//! Purpose: operations fail where, when and how they are told to, and leave behind what such a failure
//! leaves.
//!
//! Requirements: `Fault`, `FaultKind`, `set_capacity`, `skip_sync` and the statistics of `SimDisk` as
//! documented.
//!
//! Method: one scenario a rule; the error is checked together with what readers see and what a power loss
//! leaves.
#![expect(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod common;

use std::path::Path;
use std::sync::Arc;

use common::{blocks, create, read, read_all};
use vfs::sim::{CrashMode, Fault, FaultKind, OpKind, SimDisk};
use vfs::{DURABLE_ALIGN, File, Open, Vfs, is_no_space, raw_os_error};

const EIO: i32 = 5;
const HERE: &str = "";

/// A disk with an empty, synced file `f`.
fn disk_and_file() -> (SimDisk, Arc<dyn File>) {
    let disk = SimDisk::new();
    let file = create(&disk, "f");
    disk.sync_dir(Path::new(HERE)).unwrap();
    (disk, file)
}

fn durable(disk: &SimDisk) -> Vec<u8> {
    read(&disk.crash(CrashMode::DropAll, 0), "f").unwrap()
}

#[test]
fn the_nth_operation_fails_and_the_next_one_works() {
    let (disk, file) = disk_and_file();
    disk.inject(Fault::new(FaultKind::Io).nth(3));
    file.write_at(b"1", 0).unwrap();
    file.sync_data().unwrap();
    let error = file.write_at(b"2", 1).unwrap_err();
    assert_eq!(raw_os_error(&error), Some(EIO));
    assert!(!is_no_space(&error));
    assert!(error.to_string().starts_with("write_at f: "), "{error}");
    file.write_at(b"3", 1).unwrap();
    assert_eq!(read_all(&*file), b"13");
    assert_eq!(disk.faults_fired(), 1);
}

#[test]
fn a_fault_may_be_for_one_kind_on_some_paths() {
    let (disk, file) = disk_and_file();
    let other = create(&disk, "redo.1");
    disk.inject(Fault::new(FaultKind::NoSpace).of(OpKind::Write).on("redo").nth(2));
    other.write_at(b"1", 0).unwrap();
    other.sync_all().unwrap();
    file.write_at(b"1", 0).unwrap();
    file.write_at(b"2", 0).unwrap();
    assert!(is_no_space(&other.write_at(b"2", 0).unwrap_err()));
    assert_eq!(read_all(&*other), b"1");
}

#[test]
fn a_lasting_fault_lasts_until_it_is_lifted() {
    let (disk, file) = disk_and_file();
    disk.inject(Fault::new(FaultKind::NoSpace).of(OpKind::Write).nth(2).lasting());
    file.write_at(b"1", 0).unwrap();
    for _ in 0..3 {
        assert!(is_no_space(&file.write_at(b"2", 1).unwrap_err()));
    }
    file.sync_data().unwrap();
    assert_eq!(disk.faults_fired(), 3);
    disk.lift_faults();
    file.write_at(b"2", 1).unwrap();
    assert_eq!(disk.faults_fired(), 3);
}

#[test]
fn every_kind_of_operation_can_fail_and_then_does_nothing() {
    let all = [
        OpKind::Create,
        OpKind::Write,
        OpKind::WriteDurable,
        OpKind::WriteUncached,
        OpKind::SetLen,
        OpKind::SyncData,
        OpKind::SyncAll,
        OpKind::Rename,
        OpKind::Remove,
        OpKind::SyncDir,
        OpKind::CreateDirs,
        OpKind::Read,
    ];
    for kind in all {
        let (disk, file) = disk_and_file();
        file.write_at(b"kept", 0).unwrap();
        let (contents, lost) = (disk.contents(), disk.crash(CrashMode::DropAll, 0).contents());
        disk.inject(Fault::new(FaultKind::Io).of(kind));
        let result = match kind {
            OpKind::Create => disk.open(Path::new("g"), Open::Create).map(drop),
            OpKind::Write => file.write_at(b"x", 0),
            OpKind::WriteDurable => file.write_durable_at(&blocks(1, 1), 0),
            OpKind::WriteUncached => file.write_uncached_at(&blocks(1, 1), 0),
            OpKind::SetLen => file.set_len(0),
            OpKind::SyncData => file.sync_data(),
            OpKind::SyncAll => file.sync_all(),
            OpKind::Rename => disk.rename(Path::new("f"), Path::new("g")),
            OpKind::Remove => disk.remove_file(Path::new("f")),
            OpKind::SyncDir => disk.sync_dir(Path::new(HERE)),
            OpKind::CreateDirs => disk.create_dir_all(Path::new("dir")),
            OpKind::Read => file.read_at(&mut [0], 0).map(drop),
            OpKind::DropCleanPages => unreachable!("only after a sync that lost pages"),
        };
        assert_eq!(raw_os_error(&result.unwrap_err()), Some(EIO), "{kind:?}");
        assert_eq!(disk.contents(), contents, "{kind:?}");
        assert_eq!(disk.crash(CrashMode::DropAll, 0).contents(), lost, "{kind:?}");
        assert!(!disk.exists(Path::new("dir")).unwrap());
        file.sync_data().unwrap();
        assert_eq!(
            durable(&disk),
            b"kept",
            "after a plain EIO of {kind:?}, what was pending is still pending"
        );
    }
}

#[test]
fn a_short_write_leaves_its_first_bytes_and_no_promise() {
    let (disk, file) = disk_and_file();
    disk.inject(Fault::new(FaultKind::ShortWrite { bytes: 3 }));
    assert_eq!(raw_os_error(&file.write_at(b"abcdef", 0).unwrap_err()), Some(EIO));
    assert_eq!(read_all(&*file), b"abc");

    disk.inject(Fault::new(FaultKind::ShortWrite { bytes: 512 }));
    assert!(file.write_durable_at(&blocks(1, 7), 0).is_err());
    assert_eq!(read_all(&*file), [7; 512]);
    assert_eq!(durable(&disk), b"");

    disk.inject(Fault::new(FaultKind::ShortWrite { bytes: 0 }));
    assert!(file.write_at(b"x", 0).is_err());
    assert_eq!(read_all(&*file), [7; 512]);
}

#[test]
fn after_lost_pages_a_later_sync_reports_success_and_saves_nothing() {
    for sync in [OpKind::SyncData, OpKind::SyncAll] {
        let (disk, file) = disk_and_file();
        file.write_at(b"good", 0).unwrap();
        file.sync_data().unwrap();
        file.write_at(b"lost", 4).unwrap();
        disk.inject(Fault::new(FaultKind::LostPages).of(sync));
        let failed = if sync == OpKind::SyncData { file.sync_data() } else { file.sync_all() };
        assert_eq!(raw_os_error(&failed.unwrap_err()), Some(EIO));
        file.sync_all().unwrap();
        assert_eq!(read_all(&*file), b"goodlost", "the page cache still shows it");
        assert_eq!(durable(&disk), b"good");
        assert_eq!(read(&disk.crash(CrashMode::KeepAll, 0), "f").unwrap(), b"good");
        let asked = disk.snapshot();
        let again = asked.open(Path::new("f"), Open::ReadWrite).unwrap();
        again.write_at(b"!", 1).unwrap();
        again.drop_clean_pages(6).unwrap();
        assert_eq!(read_all(&*again), b"g!odlo", "of what lies before, what the memory had");
        again.drop_clean_pages(0).unwrap();
        assert_eq!(read_all(&*again), b"g!od", "the disk's bytes, and what was written since");

        // What is written later is saved, behind a hole.
        file.write_at(b"next", 8).unwrap();
        file.sync_data().unwrap();
        assert_eq!(durable(&disk), b"good\0\0\0\0next");
        file.write_at(b"once more", 4).unwrap();
        file.sync_all().unwrap();
        assert_eq!(durable(&disk), b"goodonce more");
    }
}

#[test]
fn the_first_of_two_faults_decides() {
    let (disk, file) = disk_and_file();
    disk.inject(Fault::new(FaultKind::NoSpace));
    disk.inject(Fault::new(FaultKind::Io).lasting());
    assert!(is_no_space(&file.write_at(b"x", 0).unwrap_err()));
    assert!(!is_no_space(&file.write_at(b"x", 0).unwrap_err()));
}

#[test]
fn a_loop_over_all_faults_ends_when_none_fires() {
    let mut runs = 0;
    for nth in 1.. {
        let (disk, file) = disk_and_file();
        disk.inject(Fault::new(FaultKind::Io).nth(nth));
        let work = || {
            file.write_at(b"x", 0)?;
            file.sync_data()?;
            disk.rename(Path::new("f"), Path::new("g"))?;
            disk.sync_dir(Path::new(HERE))
        };
        runs = nth;
        assert_eq!(work().is_err(), disk.faults_fired() == 1);
        if disk.faults_fired() == 0 {
            break;
        }
    }
    assert_eq!(runs, 5);
}

#[test]
fn a_full_disk_takes_what_fits() {
    let (disk, file) = disk_and_file();
    let page = DURABLE_ALIGN as u64;
    disk.set_capacity(3 * page + 100);
    assert_eq!(disk.free_bytes(Path::new(HERE)).unwrap(), 3 * page + 100);
    file.write_at(&[1; 2 * DURABLE_ALIGN], 0).unwrap();
    assert_eq!(disk.free_bytes(Path::new(HERE)).unwrap(), page + 100);

    let error = file.write_at(&[2; 3 * DURABLE_ALIGN], page).unwrap_err();
    assert!(is_no_space(&error));
    assert_eq!(file.len().unwrap(), 3 * page, "a page in place, a new page, and no more");
    assert!(is_no_space(&file.write_durable_at(&blocks(1, 3), 3 * page).unwrap_err()));
    file.write_at(&[4; 3 * DURABLE_ALIGN], 0).unwrap();
    file.write_durable_at(&blocks(1, 5), 0).unwrap();
    file.set_len(100 * page).unwrap();
    assert!(is_no_space(&file.write_at(b"x", 50 * page).unwrap_err()), "a hole is not room");

    disk.set_capacity(4 * page);
    file.write_at(b"x", 50 * page).unwrap();
    disk.set_capacity(page);
    assert_eq!(disk.free_bytes(Path::new(HERE)).unwrap(), 0);
    file.set_len(0).unwrap();
    assert_eq!(disk.free_bytes(Path::new(HERE)).unwrap(), page);
}

#[test]
fn a_removed_file_takes_space_until_it_is_closed() {
    let (disk, file) = disk_and_file();
    disk.set_capacity(DURABLE_ALIGN as u64);
    file.write_at(b"x", 0).unwrap();
    disk.remove_file(Path::new("f")).unwrap();
    assert_eq!(disk.free_bytes(Path::new(HERE)).unwrap(), 0);
    drop(file);
    assert_eq!(disk.free_bytes(Path::new(HERE)).unwrap(), DURABLE_ALIGN as u64);
}

#[test]
fn a_removed_file_is_forgotten_when_nothing_can_bring_it_back() {
    let files = |disk: &SimDisk| format!("{disk:?}").split("files: ").nth(1).unwrap()[..1].to_owned();
    let (disk, file) = disk_and_file();
    disk.remove_file(Path::new("f")).unwrap();
    disk.sync_dir(Path::new(HERE)).unwrap();
    assert_eq!(files(&disk), "1", "it is open");
    drop(file);
    assert_eq!(files(&disk), "0");
    drop(create(&disk, "g"));
    disk.sync_dir(Path::new(HERE)).unwrap();
    disk.remove_file(Path::new("g")).unwrap();
    assert_eq!(files(&disk), "1", "its directory was not synced");
    disk.sync_dir(Path::new(HERE)).unwrap();
    assert_eq!(files(&disk), "0");
}

#[test]
fn the_capacity_stays_through_power_loss() {
    let (disk, file) = disk_and_file();
    file.write_durable_at(&blocks(1, 1), 0).unwrap();
    disk.set_capacity(2 * DURABLE_ALIGN as u64);
    for found in [disk.crash(CrashMode::DropAll, 0), disk.snapshot()] {
        assert_eq!(found.free_bytes(Path::new(HERE)).unwrap(), DURABLE_ALIGN as u64);
    }
}

#[test]
fn an_offset_beyond_all_reason_is_refused() {
    let (_, file) = disk_and_file();
    for offset in [1 << 36, u64::MAX] {
        assert!(file.write_at(b"x", offset).is_err());
        assert_eq!(file.read_at(&mut [0], offset).unwrap(), 0);
    }
    assert!(file.set_len((1 << 36) + 1).is_err());
    assert_eq!(file.len().unwrap(), 0);
    file.write_at(b"x", (1 << 36) - 1).unwrap();
    assert_eq!(file.len().unwrap(), 1 << 36);
}

#[test]
fn a_skipped_sync_succeeds_and_saves_nothing_on_its_paths() {
    let (disk, file) = disk_and_file();
    let other = create(&disk, "other");
    disk.sync_dir(Path::new(HERE)).unwrap();
    disk.skip_sync("f", OpKind::SyncData);
    disk.skip_sync("f", OpKind::WriteDurable);
    for file in [&file, &other] {
        file.write_at(b"data", 0).unwrap();
        file.sync_data().unwrap();
    }
    assert_eq!(durable(&disk), b"");
    assert_eq!(read(&disk.crash(CrashMode::DropAll, 0), "other").unwrap(), b"data");
    file.sync_all().unwrap();
    assert_eq!(durable(&disk), b"data", "another kind of sync is honest");
    file.write_durable_at(&blocks(1, 1), 0).unwrap();
    assert_eq!(durable(&disk), b"data");
    assert_eq!(read_all(&*file), [1; DURABLE_ALIGN]);
    disk.restore_syncs();
    file.sync_data().unwrap();
    assert_eq!(durable(&disk), [1; DURABLE_ALIGN]);
}

#[test]
fn a_skipped_sync_of_a_directory_loses_its_entries() {
    let disk = SimDisk::new();
    disk.create_dir_all(Path::new("data")).unwrap();
    disk.skip_sync("data", OpKind::SyncDir);
    create(&disk, "data/f").sync_all().unwrap();
    disk.sync_dir(Path::new("data")).unwrap();
    assert!(disk.crash(CrashMode::DropAll, 0).contents().is_empty());
}

#[test]
#[should_panic(expected = "promises no durability")]
fn only_syncs_can_be_skipped() {
    SimDisk::new().skip_sync("", OpKind::Write);
}

#[test]
fn operations_are_counted_by_kind_and_path() {
    let (disk, file) = disk_and_file();
    let ops = disk.ops();
    let other = create(&disk, "x");
    file.write_at(b"1", 0).unwrap();
    file.write_at(b"", 0).unwrap();
    file.sync_data().unwrap();
    file.sync_all().unwrap();
    file.write_durable_at(&blocks(1, 1), 0).unwrap();
    other.sync_data().unwrap();
    disk.inject(Fault::new(FaultKind::Io));
    file.sync_data().unwrap_err();
    read_all(&*file);
    assert_eq!(disk.ops() - ops, 7, "an empty write, opening and reading are no operations");
    assert_eq!(disk.count(OpKind::SyncData, ""), 3);
    assert_eq!(disk.count(OpKind::SyncData, "f"), 2, "a failed one counts");
    assert_eq!(disk.count(OpKind::Read, "f"), 1);
    assert_eq!(disk.syncs("f"), 4);
    assert_eq!(disk.syncs("x"), 1);
    assert_eq!(disk.syncs(""), 6, "with the one of the directory at the beginning");
}

#[test]
fn many_threads_may_use_one_disk() {
    let (disk, file) = disk_and_file();
    disk.start_journal();
    std::thread::scope(|scope| {
        for thread in 0..4_u8 {
            let (disk, file) = (disk.clone(), &file);
            scope.spawn(move || {
                let own = create(&disk, &format!("own{thread}"));
                for round in 0..100_u64 {
                    file.write_at(&[thread; 10], u64::from(thread) * 1000 + round * 10).unwrap();
                    own.write_at(&[thread; 10], round * 10).unwrap();
                    own.sync_data().unwrap();
                }
            });
        }
    });
    let journal = disk.stop_journal().unwrap();
    assert_eq!(journal.last_op() - journal.first_op(), 4 * 301);
    let mut replay = vfs::sim::Replay::new(&journal);
    replay.seek(journal.last_op());
    assert_eq!(replay.disk().contents(), disk.contents());
    for thread in 0..4_u8 {
        assert_eq!(read(&disk, &format!("own{thread}")).unwrap(), [thread; 1000]);
    }
}
