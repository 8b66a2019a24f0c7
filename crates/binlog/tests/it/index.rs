//! Purpose: the index file is always a whole list, whenever power is lost, and is understood as people write it.
//!
//! Requirements: after a crash anywhere in a change, the list is the one before or the one after; what a call returned is
//! never undone; MySQL's index files are read; damage is named with file and line; numbers go on past 999999.
//!
//! Method: a run of all kinds of changes on a journalled simulated disk, with a power loss after and during every
//! operation in every mode; the same run on disks that lie about one kind of sync must be found out. Tables of lines.

use std::path::Path;

use binlog::{BinlogIndex, BinlogName, Error};
use vfs::sim::{CrashMode, Journal, OpKind, Replay, SimDisk};
use vfs::{Open, Vfs};

use crate::support::golden;

const DIR: &str = "/log";

fn dir() -> &'static Path {
    Path::new(DIR)
}

fn disk() -> SimDisk {
    let disk = SimDisk::new();
    disk.create_dir_all(dir()).unwrap();
    disk
}

fn name(number: u64) -> BinlogName {
    BinlogName::new("binlog", number)
}

fn open(disk: &SimDisk) -> binlog::Result<BinlogIndex> {
    BinlogIndex::open(disk, dir(), "binlog")
}

fn disk_with(text: &[u8]) -> SimDisk {
    let disk = disk();
    disk.open(&dir().join("binlog.index"), Open::Create).unwrap().write_at(text, 0).unwrap();
    disk
}

fn numbers(index: &BinlogIndex) -> Vec<u64> {
    index.names().iter().map(BinlogName::number).collect()
}

#[test]
fn names_count_up_and_grow_past_six_digits() {
    assert_eq!(name(1).to_string(), "binlog.000001");
    assert_eq!(name(999_999).next().unwrap().to_string(), "binlog.1000000");
    assert!(name(999_999) < name(1_000_000), "numbers, not texts");
    assert_eq!(BinlogName::new("x", 0x7fff_ffff).next(), None);
    for good in ["binlog.000001", "binlog.1000000", "my.log.000007", "b.2147483647"] {
        assert_eq!(BinlogName::parse(good).unwrap().to_string(), good);
    }
    for bad in [
        "binlog",
        "binlog.",
        ".000001",
        "binlog.1",
        "binlog.0000001",
        "binlog.000000",
        "binlog.00000a",
        "binlog.2147483648",
        "binlog.+00001",
        "a/b.000001",
        "binlog.index",
        "binlog.99999999999999999999999",
    ] {
        assert_eq!(BinlogName::parse(bad), None, "{bad}");
    }
}

#[test]
fn an_index_of_mysql_is_read() {
    let index = open(&disk_with(&golden("mysql80.index"))).unwrap();
    assert_eq!(numbers(&index), [1, 2, 3, 4, 5, 6]);
    assert_eq!(index.next_name(), Some(name(7)));
    assert_eq!(index.path_of(&name(7)), dir().join("binlog.000007"));
}

#[test]
fn an_index_is_written_as_mysql_writes_it() {
    let disk = disk();
    let mut index = open(&disk).unwrap();
    assert_eq!(index.next_name(), Some(name(1)));
    for number in 1..=6 {
        index.add(&disk, name(number)).unwrap();
    }
    assert_eq!(disk.contents()[&dir().join("binlog.index")], golden("mysql80.index"));
    assert_eq!(disk.contents().len(), 1, "no temporary file is left");
}

#[test]
fn what_people_do_to_an_index_is_tolerated() {
    for text in [
        "./binlog.000003\n./binlog.000004\n",
        "binlog.000003\nbinlog.000004",
        "\n\n  ./binlog.000003 \r\n/log/binlog.000004\r\n\r\n",
        "/log/binlog.000003\n\t./binlog.000004\n",
    ] {
        let index = open(&disk_with(text.as_bytes())).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(numbers(&index), [3, 4], "{text:?}");
    }
    assert_eq!(numbers(&open(&disk_with(b"")).unwrap()), [0; 0]);
    assert_eq!(numbers(&open(&disk()).unwrap()), [0; 0], "no index is an empty one");
    let gap = open(&disk_with(b"./binlog.000003\n./binlog.000007\n")).unwrap();
    assert_eq!(numbers(&gap), [3, 7], "files that somebody removed are missed when they are read");
}

#[test]
fn damage_is_named_with_file_and_line() {
    let cases: [(&[u8], usize, &str); 8] = [
        (b"./binlog.000001\n\nfoo\n", 3, "not a binlog file's name"),
        (b"./other.000001\n", 1, "the file belongs to another log"),
        (b"/elsewhere/binlog.000001\n", 1, "the file is in another directory"),
        (b"./binlog.000002\n./binlog.000002\n", 2, "the file's number is not above the one before"),
        (b"./binlog.000002\n./binlog.000001\n", 2, "the file's number is not above the one before"),
        (b"./binlog.000001\n\xff\n", 2, "not UTF-8"),
        (b"./binlog.000001\n./binlog.0000", 2, "not a binlog file's name"),
        (b"..\n", 1, "not a file's name"),
    ];
    for (text, line, what) in cases {
        let error = open(&disk_with(text)).unwrap_err();
        assert_eq!(error.to_string(), format!("index /log/binlog.index, line {line}: {what}"));
        assert!(matches!(error, Error::Index { .. }));
    }
}

#[test]
fn purging_keeps_the_newest_file() {
    let disk = disk();
    let mut index = open(&disk).unwrap();
    for number in 1..=5 {
        index.add(&disk, name(number)).unwrap();
    }
    assert_eq!(index.purge_below(&disk, &name(3)).unwrap(), [name(1), name(2)]);
    assert_eq!(index.purge_below(&disk, &name(3)).unwrap(), []);
    assert_eq!(index.cut_above(&disk, &name(4)).unwrap(), [name(5)]);
    assert_eq!(index.cut_above(&disk, &name(4)).unwrap(), []);
    assert_eq!(index.purge_below(&disk, &name(100)).unwrap(), [name(3)], "the newest stays");
    index.remove_all(&disk).unwrap();
    assert_eq!(index.names(), []);
    assert_eq!(index.next_name(), Some(name(1)));
}

#[test]
fn files_are_removed_after_the_index_forgot_them() {
    let disk = disk();
    let mut index = open(&disk).unwrap();
    for number in 1..=4 {
        disk.open(&index.path_of(&name(number)), Open::Create).unwrap();
        index.add(&disk, name(number)).unwrap();
    }
    for foreign in ["binlog.000009x", "other.000001", "binlog.index~"] {
        disk.open(&dir().join(foreign), Open::Create).unwrap();
    }
    disk.open(&index.path_of(&name(5)), Open::Create).unwrap();
    let gone = index.purge_below(&disk, &name(3)).unwrap();
    assert_eq!(index.unlisted(&disk).unwrap(), [name(1), name(2), name(5)], "what a crash would leave here");
    index.remove_files(&disk, &gone).unwrap();
    index.remove_files(&disk, &gone).unwrap();
    assert_eq!(index.unlisted(&disk).unwrap(), [name(5)]);
}

#[test]
fn a_repeated_rotation_adds_its_file_once() {
    let disk = disk();
    let mut index = open(&disk).unwrap();
    index.add(&disk, name(1)).unwrap();
    let ops = disk.ops();
    index.add(&disk, name(1)).unwrap();
    assert_eq!((numbers(&index), disk.ops()), (vec![1], ops));
}

#[test]
#[should_panic(expected = "files are added in ascending order")]
fn a_file_below_the_newest_is_refused() {
    let disk = disk();
    let mut index = open(&disk).unwrap();
    index.add(&disk, name(2)).unwrap();
    let _ = index.add(&disk, name(1));
}

/// A run of changes: after which operation of the disk each list was promised.
struct Run {
    promised: Vec<(u64, Vec<u64>)>,
    journal: Journal,
}

fn run(lie: Option<OpKind>) -> Run {
    let disk = disk();
    if let Some(kind) = lie {
        disk.skip_sync("", kind);
    }
    disk.start_journal();
    let mut promised = vec![(disk.ops(), Vec::new())];
    let mut index = open(&disk).unwrap();
    for step in 1..=12 {
        match step {
            4 => drop(index.purge_below(&disk, &name(2)).unwrap()),
            7 => drop(index.cut_above(&disk, &name(5)).unwrap()),
            9 => index.remove_all(&disk).unwrap(),
            10 => index = open(&disk).unwrap(),
            _ => index.add(&disk, name(step)).unwrap(),
        }
        promised.push((disk.ops(), numbers(&index)));
    }
    Run { promised, journal: disk.stop_journal().unwrap() }
}

/// Loses power at every operation; the first list that is neither the last promised one nor the next.
fn judge(run: &Run) -> Result<(), String> {
    let mut replay = Replay::new(&run.journal);
    for op in run.journal.first_op()..=run.journal.last_op() {
        replay.seek(op);
        check_next_crash(&replay.disk());
        for mode in CrashMode::ALL {
            for seed in 0..4 {
                let found = [Some(replay.crash(mode, seed)), replay.crash_during_next(mode, seed)];
                for found in found.iter().flatten() {
                    let last = run.promised.iter().rposition(|(promised, _)| *promised <= op).unwrap();
                    let allowed: Vec<_> =
                        run.promised.iter().skip(last).take(2).map(|(_, list)| list).collect();
                    let list = match open(found) {
                        Ok(index) => numbers(&index),
                        Err(error) => return Err(format!("operation {op}, {mode:?}, seed {seed}: {error}")),
                    };
                    if !allowed.contains(&&list) {
                        return Err(format!(
                            "operation {op}, {mode:?}, seed {seed}: {list:?}, not {allowed:?}"
                        ));
                    }
                    check_next_crash(found);
                }
            }
        }
    }
    Ok(())
}

/// What is read after a process died, or power was lost, is not lost with the next power loss.
fn check_next_crash(found: &SimDisk) {
    let Ok(index) = open(found) else { return };
    let again = found.crash(CrashMode::DropAll, 0);
    assert_eq!(numbers(&open(&again).unwrap()), numbers(&index));
    assert!(!again.contents().keys().any(|path| path.ends_with("binlog.index_crash_safe")));
}

#[test]
fn a_crash_at_any_operation_leaves_the_old_list_or_the_new() {
    if let Err(what) = judge(&run(None)) {
        panic!("{what}");
    }
}

#[test]
fn a_sync_that_lies_is_found_out() {
    for kind in [OpKind::SyncAll, OpKind::SyncDir] {
        assert!(judge(&run(Some(kind))).is_err(), "nobody noticed that {kind:?} did nothing");
    }
}
