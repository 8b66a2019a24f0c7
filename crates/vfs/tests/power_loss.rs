//! Purpose: the simulated disk forgets what it must be able to forget, and nothing else.
//!
//! Requirements: the durability promises of `Vfs` and `File`; the sentence that documents each `CrashMode`; a
//! disk found after a power loss is a disk.
//!
//! Method: one small scenario a promise, looked at through every mode and some dozens of seeds; the set of
//! things found is compared with the set of things that may be found. Random scenarios are in
//! `crash_properties.rs`.
#![expect(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod common;

use std::collections::BTreeSet;
use std::path::Path;

use common::{blocks, create, read, read_all};
use vfs::sim::{CrashMode, Rng, SimDisk};
use vfs::{DURABLE_ALIGN, Open, Vfs};

const SEEDS: u64 = 64;
const ALIGN: u64 = DURABLE_ALIGN as u64;

/// A disk with the directories `d` and `e`.
fn disk() -> SimDisk {
    let disk = SimDisk::new();
    disk.create_dir_all(Path::new("d")).unwrap();
    disk.create_dir_all(Path::new("e")).unwrap();
    disk
}

/// A disk on which `d/f` holds `bytes` for good.
fn disk_with(bytes: &[u8]) -> SimDisk {
    let disk = disk();
    let file = create(&disk, "d/f");
    file.write_at(bytes, 0).unwrap();
    file.sync_all().unwrap();
    disk.sync_dir(Path::new("d")).unwrap();
    disk
}

fn rename(disk: &SimDisk, from: &str, to: &str) {
    disk.rename(Path::new(from), Path::new(to)).unwrap();
}

/// All that can be found under a name after a power loss in one of `modes`.
fn found(disk: &SimDisk, modes: &[CrashMode], path: &str) -> BTreeSet<Option<Vec<u8>>> {
    let all = modes.iter().flat_map(|&mode| (0..SEEDS).map(move |seed| (mode, seed)));
    all.map(|(mode, seed)| read(&disk.crash(mode, seed), path)).collect()
}

/// The combinations of what can be found under several names.
fn found_together(disk: &SimDisk, mode: CrashMode, paths: &[&str]) -> BTreeSet<Vec<Option<Vec<u8>>>> {
    let look = |disk: SimDisk| paths.iter().map(|path| read(&disk, path)).collect();
    (0..SEEDS).map(|seed| look(disk.crash(mode, seed))).collect()
}

fn only(bytes: &[u8]) -> BTreeSet<Option<Vec<u8>>> {
    BTreeSet::from([Some(bytes.to_vec())])
}

#[expect(clippy::unnecessary_wraps, reason = "it stands beside what is missing")]
fn some(bytes: &[u8]) -> Option<Vec<u8>> {
    Some(bytes.to_vec())
}

#[test]
fn what_was_synced_survives_in_every_mode() {
    let disk = disk_with(b"synced");
    assert_eq!(found(&disk, &CrashMode::ALL, "d/f"), only(b"synced"));
    // Nor does what happens elsewhere in the file touch it.
    let file = create(&disk, "d/f");
    file.write_at(&[0xaa; 9000], 6).unwrap();
    file.set_len(20_000).unwrap();
    for bytes in found(&disk, &CrashMode::ALL, "d/f") {
        assert_eq!(bytes.unwrap()[..6], *b"synced");
    }
}

#[test]
fn sync_data_covers_the_length_that_the_data_needs() {
    let disk = disk_with(b"");
    let file = create(&disk, "d/f");
    file.write_at(&[1; 5000], 100).unwrap();
    file.sync_data().unwrap();
    let expected = [vec![0; 100], vec![1; 5000]].concat();
    assert!(found(&disk, &CrashMode::ALL, "d/f") == only(&expected));
}

#[test]
fn sync_data_does_not_cover_a_length_that_no_data_needs() {
    let disk = disk_with(&[1; 100]);
    let file = create(&disk, "d/f");
    file.set_len(10).unwrap();
    file.sync_data().unwrap();
    let both = BTreeSet::from([some(&[1; 10]), some(&[1; 100])]);
    assert_eq!(found(&disk, &CrashMode::ALL, "d/f"), both, "the cut may come undone");
    // Data beyond the cut needs it: there is one length for all.
    file.write_at(&[2; 5], 20).unwrap();
    file.sync_data().unwrap();
    let expected = [vec![1; 10], vec![0; 10], vec![2; 5]].concat();
    assert_eq!(found(&disk, &CrashMode::ALL, "d/f"), only(&expected));

    file.set_len(3).unwrap();
    file.sync_all().unwrap();
    assert_eq!(found(&disk, &CrashMode::ALL, "d/f"), only(&[1; 3]), "sync_all covers every length");
}

#[test]
fn a_durable_write_survives_and_nothing_else_does_for_its_sake() {
    let disk = disk_with(&[]);
    let file = create(&disk, "d/f");
    file.write_at(&[1; 3 * DURABLE_ALIGN], 0).unwrap();
    file.write_durable_at(&blocks(1, 2), ALIGN).unwrap();
    file.write_at(&[3; DURABLE_ALIGN], 2 * ALIGN).unwrap();
    let mut seen_first = BTreeSet::new();
    for bytes in found(&disk, &CrashMode::ALL, "d/f") {
        let bytes = bytes.unwrap();
        assert!(bytes[DURABLE_ALIGN..2 * DURABLE_ALIGN].iter().all(|&b| b == 2), "no older write comes back");
        seen_first.insert(bytes[0]);
    }
    assert!(seen_first.contains(&0) && seen_first.contains(&1), "other writes are still pending");
    assert_eq!(found(&disk, &[CrashMode::DropAll], "d/f").first().unwrap().as_ref().unwrap().len(), 8192);
}

#[test]
fn a_durable_write_takes_the_length_that_it_needs_from_a_pending_cut() {
    let disk = disk_with(&[9; 10_000]);
    let file = create(&disk, "d/f");
    file.set_len(0).unwrap();
    file.write_durable_at(&blocks(1, 2), ALIGN).unwrap();
    let expected = [vec![0; DURABLE_ALIGN], vec![2; DURABLE_ALIGN]].concat();
    assert!(found(&disk, &CrashMode::ALL, "d/f") == only(&expected));
}

#[test]
fn unsynced_bytes_can_be_lost_kept_or_torn_by_the_sector() {
    let disk = disk_with(&[1; 2 * DURABLE_ALIGN]);
    create(&disk, "d/f").write_at(&[2; 2 * DURABLE_ALIGN], 0).unwrap();
    let old = some(&[1; 2 * DURABLE_ALIGN]);
    let new = some(&[2; 2 * DURABLE_ALIGN]);
    assert!(found(&disk, &[CrashMode::KeepAll], "d/f") == BTreeSet::from([new.clone()]));
    assert!(found(&disk, &[CrashMode::DropAll], "d/f") == BTreeSet::from([old.clone()]));
    for mode in [CrashMode::PrefixOfOps, CrashMode::RandomSubset] {
        assert!(found(&disk, &[mode], "d/f") == BTreeSet::from([old.clone(), new.clone()]), "{mode:?}");
    }
    for (mode, sector) in [(CrashMode::Torn512, 512), (CrashMode::Torn4096, 4096)] {
        let torn = found(&disk, &[mode], "d/f");
        assert!(torn.len() > 3 && torn.contains(&new) && torn.contains(&old), "{mode:?}");
        for bytes in torn.iter().flatten() {
            for sector in bytes.chunks(sector) {
                assert!(sector.iter().all(|&b| b == sector[0]), "{mode:?} tears between sectors only");
            }
        }
    }
}

#[test]
fn a_torn_write_tears_at_the_sectors_of_the_file() {
    let disk = disk_with(&[1; 2048]);
    create(&disk, "d/f").write_at(&[2; 600], 500).unwrap();
    let torn = found(&disk, &[CrashMode::Torn512], "d/f");
    let parts =
        |bytes: &Vec<u8>| [bytes[500..512].to_vec(), bytes[512..1024].to_vec(), bytes[1024..1100].to_vec()];
    let mut combinations = BTreeSet::new();
    for bytes in torn.iter().flatten() {
        assert!(
            bytes[..500].iter().chain(&bytes[1100..]).all(|&b| b == 1),
            "outside of the write nothing changes"
        );
        let parts = parts(bytes);
        assert!(parts.iter().all(|part| part.iter().all(|&b| b == part[0])));
        combinations.insert(parts.map(|part| part[0]));
    }
    assert_eq!(combinations.len(), 8, "every subset of three sectors");
}

#[test]
fn garbage_appears_in_unsynced_sectors_and_nowhere_else() {
    let disk = disk_with(&[1; 2048]);
    create(&disk, "d/f").write_at(&[2; 700], 600).unwrap();
    let mut garbage = 0;
    for bytes in found(&disk, &[CrashMode::Garbage512], "d/f").iter().flatten() {
        assert!(bytes[..600].iter().chain(&bytes[1300..]).all(|&b| b == 1));
        garbage += bytes[600..1300].iter().filter(|&&b| b > 2).count();
    }
    assert!(garbage > 1000, "only {garbage} bytes");
}

#[test]
fn lengths_can_survive_without_their_data() {
    let disk = disk_with(&[1; 100]);
    let file = create(&disk, "d/f");
    file.write_at(&[2; 10], 50).unwrap();
    file.write_at(&[3; 5000], 100).unwrap();
    let expected = [vec![1; 100], vec![0; 5000]].concat();
    assert!(found(&disk, &[CrashMode::ZeroExtend], "d/f") == only(&expected));
}

#[test]
fn new_space_can_show_what_another_file_once_held() {
    let disk = disk_with(&[1; 100]);
    let secret = create(&disk, "d/secret");
    secret.write_at(&[7; 4 * DURABLE_ALIGN], 0).unwrap();
    drop(secret);
    disk.remove_file(Path::new("d/secret")).unwrap();
    disk.sync_dir(Path::new("d")).unwrap();
    create(&disk, "d/f").write_at(&[2; 3 * DURABLE_ALIGN], 0).unwrap();
    let files = found(&disk, &[CrashMode::OldBytes], "d/f");
    let mut seen = BTreeSet::new();
    for bytes in files.iter().flatten() {
        assert_eq!(bytes.len(), 3 * DURABLE_ALIGN);
        assert!(bytes[..100].iter().all(|&b| b == 1), "synced bytes are no new space");
        seen.extend(bytes[DURABLE_ALIGN..].iter().copied());
    }
    assert!(seen.contains(&7) && seen.contains(&2), "{seen:?}");
}

#[test]
fn a_new_file_needs_its_directory_to_be_synced() {
    let disk = disk();
    let file = create(&disk, "d/f");
    file.write_at(b"x", 0).unwrap();
    file.sync_all().unwrap();
    assert_eq!(found(&disk, &CrashMode::ALL, "d/f"), BTreeSet::from([None, some(b"x")]));
    for mode in [CrashMode::DropAll, CrashMode::DirEntriesLost] {
        assert_eq!(found(&disk, &[mode], "d/f"), BTreeSet::from([None]), "{mode:?}");
    }
    disk.sync_dir(Path::new("e")).unwrap();
    assert!(found(&disk, &CrashMode::ALL, "d/f").contains(&None), "another directory does not help");
    disk.sync_dir(Path::new("d")).unwrap();
    assert_eq!(found(&disk, &CrashMode::ALL, "d/f"), only(b"x"));
}

#[test]
fn a_synced_entry_says_nothing_about_the_bytes() {
    let disk = disk();
    create(&disk, "d/f").write_at(b"x", 0).unwrap();
    disk.sync_dir(Path::new("d")).unwrap();
    assert_eq!(found(&disk, &[CrashMode::DropAll, CrashMode::RenameBeforeData], "d/f"), only(b""));
}

#[test]
fn a_removed_file_can_come_back_until_its_directory_is_synced() {
    let disk = disk_with(b"x");
    disk.remove_file(Path::new("d/f")).unwrap();
    assert_eq!(found(&disk, &CrashMode::ALL, "d/f"), BTreeSet::from([None, some(b"x")]));
    disk.sync_dir(Path::new("d")).unwrap();
    assert_eq!(found(&disk, &CrashMode::ALL, "d/f"), BTreeSet::from([None]));
}

#[test]
fn a_rename_over_a_file_leaves_the_old_or_the_new_one() {
    let disk = disk_with(b"old");
    let new = create(&disk, "d/new");
    new.write_at(b"new", 0).unwrap();
    disk.sync_dir(Path::new("d")).unwrap();
    rename(&disk, "d/new", "d/f");
    let names = found_together(&disk, CrashMode::RandomEntries, &["d/f", "d/new"]);
    let expected = [vec![some(b"old"), some(b"new")], vec![some(b"new"), None]];
    assert_eq!(names, BTreeSet::from(expected), "both halves or none");
    // The bytes were never synced: the name can arrive before them.
    assert_eq!(found(&disk, &[CrashMode::RenameBeforeData], "d/f"), only(b""));
    new.sync_data().unwrap();
    disk.sync_dir(Path::new("d")).unwrap();
    assert_eq!(found(&disk, &CrashMode::ALL, "d/f"), only(b"new"));
}

#[test]
fn a_name_that_is_used_again_does_not_lose_its_first_file() {
    let disk = disk_with(b"first");
    rename(&disk, "d/f", "d/g");
    create(&disk, "d/f").write_at(b"second", 0).unwrap();
    for mode in CrashMode::ALL {
        for names in found_together(&disk, mode, &["d/f", "d/g"]) {
            assert!(names.contains(&some(b"first")), "{mode:?}: {names:?}");
        }
    }
}

#[test]
fn a_rename_across_directories_never_loses_the_file() {
    let paths = ["d/f", "e/f"];
    let (old, new) = (vec![some(b"x"), None], vec![None, some(b"x")]);
    let both = vec![some(b"x"), some(b"x")];
    let moved = || {
        let disk = disk_with(b"x");
        rename(&disk, "d/f", "e/f");
        disk
    };
    let all = |disk: &SimDisk| -> BTreeSet<_> {
        CrashMode::ALL.iter().flat_map(|&mode| found_together(disk, mode, &paths)).collect()
    };

    let disk = moved();
    assert_eq!(all(&disk), BTreeSet::from([old.clone(), new.clone(), both.clone()]), "nothing synced");
    disk.sync_dir(Path::new("e")).unwrap();
    assert_eq!(all(&disk), BTreeSet::from([new.clone(), both.clone()]), "the arrival synced");
    disk.sync_dir(Path::new("d")).unwrap();
    assert_eq!(all(&disk), BTreeSet::from([new.clone()]), "both synced");

    let disk = moved();
    disk.sync_dir(Path::new("d")).unwrap();
    assert_eq!(all(&disk), BTreeSet::from([old, new.clone(), both]), "a departure without arrival is none");
    disk.sync_dir(Path::new("e")).unwrap();
    assert_eq!(all(&disk), BTreeSet::from([new]), "both synced, the other way round");
}

#[test]
fn a_file_moved_there_and_back_keeps_its_name() {
    let disk = disk_with(b"x");
    rename(&disk, "d/f", "e/f");
    rename(&disk, "e/f", "d/f");
    disk.sync_dir(Path::new("d")).unwrap();
    assert_eq!(found(&disk, &CrashMode::ALL, "d/f"), only(b"x"));
    disk.sync_dir(Path::new("e")).unwrap();
    assert_eq!(found(&disk, &CrashMode::ALL, "d/f"), only(b"x"));
    assert_eq!(found(&disk, &CrashMode::ALL, "e/f"), BTreeSet::from([None]));
}

#[test]
fn directories_survive_at_once() {
    let disk = SimDisk::new();
    disk.create_dir_all(Path::new("/a/b/c")).unwrap();
    for mode in CrashMode::ALL {
        assert!(disk.crash(mode, 0).exists(Path::new("/a/b/c")).unwrap());
    }
}

#[test]
fn operations_on_all_files_survive_up_to_one_of_them() {
    const FILES: usize = 6;
    let disk = disk();
    let mut expected = BTreeSet::from([[false; FILES]]);
    for file in 0..FILES {
        create(&disk, &format!("d/{file}"));
        expected.insert(std::array::from_fn(|other| other <= file));
    }
    let look = |disk: SimDisk| std::array::from_fn(|file| read(&disk, &format!("d/{file}")).is_some());
    let found: BTreeSet<_> = (0..SEEDS).map(|seed| look(disk.crash(CrashMode::PrefixOfOps, seed))).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_disk_goes_on_after_power_loss_and_can_lose_power_again() {
    let disk = disk_with(b"one");
    let file = create(&disk, "d/f");
    file.write_at(b"two", 3).unwrap();
    let found_once = disk.crash(CrashMode::KeepAll, 0);
    assert_eq!(found(&found_once, &CrashMode::ALL, "d/f"), only(b"onetwo"), "what is found is durable");

    let again = create(&found_once, "d/f");
    again.write_at(b"three", 6).unwrap();
    assert_eq!(found(&found_once, &[CrashMode::DropAll], "d/f"), only(b"onetwo"));
    again.sync_data().unwrap();
    let found_twice = found_once.crash(CrashMode::DropAll, 0);
    assert_eq!(read(&found_twice, "d/f"), some(b"onetwothree"));

    // The first disk never heard of it.
    assert_eq!(read_all(&*file), b"onetwo");
    assert_eq!(found(&disk, &[CrashMode::DropAll], "d/f"), only(b"one"));
}

#[test]
fn process_death_alone_loses_nothing_but_leaves_it_unsynced() {
    let disk = disk_with(b"one");
    create(&disk, "d/f").write_at(b"two", 3).unwrap();
    // All handles are gone: the process is dead. The next one reads it and must not rely on it.
    assert_eq!(read(&disk, "d/f"), some(b"onetwo"));
    assert_eq!(found(&disk, &[CrashMode::DropAll], "d/f"), only(b"one"));
    create(&disk, "d/f").sync_data().unwrap();
    assert_eq!(found(&disk, &[CrashMode::DropAll], "d/f"), only(b"onetwo"));
}

#[test]
fn the_same_seed_finds_the_same_bytes_and_others_find_others() {
    let make = || {
        let disk = disk_with(&[1; 5000]);
        let mut rng = Rng::new(9);
        for file in 0..10 {
            let file = create(&disk, &format!("d/{file}"));
            let mut data = vec![0; 3000];
            rng.fill(&mut data);
            file.write_at(&data, rng.below(9000)).unwrap();
        }
        disk
    };
    let (one, two) = (make(), make());
    for mode in CrashMode::ALL {
        let mut different = BTreeSet::new();
        for seed in 0..SEEDS {
            let contents = one.crash(mode, seed).contents();
            assert!(contents == two.crash(mode, seed).contents(), "{mode:?} seed {seed}");
            different.insert(contents);
        }
        let fixed = [
            CrashMode::KeepAll,
            CrashMode::DropAll,
            CrashMode::ZeroExtend,
            CrashMode::DirEntriesLost,
            CrashMode::RenameBeforeData,
        ];
        assert_eq!(different.len() == 1, fixed.contains(&mode), "{mode:?}: {}", different.len());
    }
}

#[test]
fn a_snapshot_is_another_disk_with_the_same_pending_writes() {
    let disk = disk_with(b"one");
    let file = create(&disk, "d/f");
    file.write_at(b"two", 3).unwrap();
    let _lock = disk.lock(Path::new("d/lock")).unwrap();
    let copy = disk.snapshot();
    file.sync_data().unwrap();
    assert_eq!(found(&copy, &[CrashMode::DropAll], "d/f"), only(b"one"));
    assert_eq!(found(&copy, &[CrashMode::KeepAll], "d/f"), only(b"onetwo"));
    copy.open(Path::new("d/f"), Open::ReadWrite).unwrap().set_len(0).unwrap();
    assert_eq!(read_all(&*file), b"onetwo");
    let _own_lock = copy.lock(Path::new("d/lock")).unwrap();
}
