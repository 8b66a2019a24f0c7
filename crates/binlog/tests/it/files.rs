//! Purpose: the files of a log are whole, in order and listed, whenever power is lost.
//!
//! Requirements: what was synced is there after a crash; whatever the index lists exists and begins with a whole header;
//! every file but the newest ends with its ROTATE and is closed; closing touches two bytes, which nobody needs; cutting leaves exactly what is
//! asked for.
//!
//! Method: a run of transactions, syncs and rotations on a journalled simulated disk, with a power loss after and during
//! every operation in every mode; disks that lie about one kind of sync must be found out.

use std::path::Path;

use binlog::event::Rotate;
use binlog::finalise::append_final;
use binlog::rotate::begin_file;
use binlog::{
    BinlogIndex, BinlogName, Boundaries, ChecksumAlg, EventReader, GtidSet, LogFile, Placement, read_head,
    rotate,
};
use vfs::sim::{CrashMode, Fault, FaultKind, Journal, OpKind, Replay, SimDisk};
use vfs::{Open, Vfs};

use crate::support::{ORIGIN, SID, append_ddl, header};

const DIR: &str = "/log";
const CRC: ChecksumAlg = ChecksumAlg::Crc32;

fn disk() -> SimDisk {
    let disk = SimDisk::new();
    disk.create_dir_all(Path::new(DIR)).unwrap();
    disk
}

fn open_index(disk: &SimDisk) -> BinlogIndex {
    BinlogIndex::open(disk, Path::new(DIR), "binlog").unwrap()
}

fn bytes_of(disk: &SimDisk, name: &BinlogName) -> Vec<u8> {
    disk.contents()[&Path::new(DIR).join(name.to_string())].clone()
}

/// The bytes of a DDL statement at a position.
fn ddl(position: u64, number: u64) -> Vec<u8> {
    let mut file = vec![0; usize::try_from(position).unwrap()];
    append_ddl(&mut file, "create table x (a int)", CRC, number);
    file.split_off(usize::try_from(position).unwrap())
}

fn rotate_event(position: u64, next: &BinlogName) -> Vec<u8> {
    let mut bytes = Vec::new();
    let next = next.to_string();
    let event = Rotate { position: 4, file: next.as_bytes() };
    append_final(&mut bytes, &event, ORIGIN, Placement::At(position), CRC);
    bytes
}

fn previous(count: u64) -> GtidSet {
    (1..=count).map(|gno| binlog::Gtid { sid: SID, gno }).collect()
}

#[test]
fn closing_a_file_clears_its_flag_and_nothing_else() {
    let disk = disk();
    let path = Path::new("/log/binlog.000001");
    let head = header(CRC, &GtidSet::new());
    let log = LogFile::create(&disk, path, &head).unwrap();
    assert_eq!(log.position(), head.len() as u64);
    assert!(read_head(log.file().clone()).unwrap().in_use);
    log.close().unwrap();
    let closed = disk.contents()[path].clone();
    assert_eq!(closed.iter().zip(&head).filter(|(a, b)| a != b).count(), 1);
    let log = LogFile::open(&disk, path).unwrap();
    assert!(!read_head(log.file().clone()).unwrap().in_use);
}

#[test]
fn cutting_leaves_what_was_asked_for_even_after_a_crash() {
    let disk = disk();
    let path = Path::new("/log/binlog.000001");
    let head = header(CRC, &GtidSet::new());
    let mut log = LogFile::create(&disk, path, &head).unwrap();
    disk.sync_dir(Path::new(DIR)).unwrap();
    let first = ddl(log.position(), 1);
    log.append(&first).unwrap();
    let kept = log.position();
    log.append(&ddl(kept, 2)).unwrap();
    log.sync_data().unwrap();
    let mut log = LogFile::open(&disk, path).unwrap();
    log.truncate(kept).unwrap();
    assert_eq!(log.position(), kept);
    let found = disk.crash(CrashMode::DropAll, 1);
    assert_eq!(found.contents()[path], [head, first].concat());
}

#[test]
fn a_file_that_a_crash_left_is_emptied() {
    let disk = disk();
    let path = Path::new("/log/binlog.000002");
    disk.open(path, Open::Create).unwrap().write_at(&[7; 4096], 0).unwrap();
    let head = header(CRC, &GtidSet::new());
    LogFile::create(&disk, path, &head).unwrap();
    assert_eq!(disk.contents()[path], head);
}

#[test]
fn a_file_is_the_same_whether_its_bytes_pass_by_the_cache_or_not() {
    let disk = disk();
    let path = Path::new("/log/binlog.000001");
    let mut expected = header(CRC, &GtidSet::new());
    let mut log = LogFile::create(&disk, path, &expected).unwrap();
    disk.inject(Fault::new(FaultKind::Io).of(OpKind::WriteUncached));
    let many = |size, salt| (0..=250).cycle().skip(salt).take(size).collect::<Vec<u8>>();
    for (turn, size) in [1, 4095, 65_535, 70_000, 1, 65_536, 3_000_001, 1 << 20, 0].into_iter().enumerate() {
        let bytes = many(size, turn);
        // The first that passes by it fails, and has not moved the position past what was written.
        if log.append_uncached(&bytes).is_err() {
            assert_eq!((turn, log.position() % 4096), (3, 0), "up to the first block");
            let written = usize::try_from(log.position()).unwrap() - expected.len();
            log.append_uncached(&bytes[written..]).unwrap();
        }
        expected.extend_from_slice(&bytes);
        assert_eq!(log.position(), expected.len() as u64);
        assert!(disk.contents()[path] == expected, "turn {turn}");
    }
    assert_eq!(disk.faults_fired(), 1);
    log.sync_data().unwrap();
    disk.sync_dir(Path::new(DIR)).unwrap();
    assert!(disk.crash(CrashMode::DropAll, 1).contents()[path] == expected, "a sync is enough for both");
}

#[test]
fn an_error_of_the_disk_is_the_callers() {
    for kind in [OpKind::Write, OpKind::SyncAll, OpKind::Create] {
        let disk = disk();
        disk.inject(Fault::new(FaultKind::Io).of(kind));
        let created = LogFile::create(&disk, Path::new("/log/binlog.000001"), b"header");
        assert!(matches!(created, Err(binlog::Error::Io(_))), "{kind:?}");
    }
}

#[test]
fn a_rotation_syncs_five_times_in_its_order() {
    let disk = disk();
    let mut index = open_index(&disk);
    let first = index.next_name().unwrap();
    let mut log = begin_file(&disk, &mut index, first, &header(CRC, &GtidSet::new())).unwrap();
    let next = index.next_name().unwrap();
    log.append(&rotate_event(log.position(), &next)).unwrap();
    disk.start_journal();
    let before = disk.syncs("");
    rotate(&disk, &mut index, log, next, &header(CRC, &GtidSet::new())).unwrap();
    assert_eq!(disk.syncs("") - before, 5);
    let journal = disk.stop_journal().unwrap();
    let syncs: Vec<_> = (journal.first_op() + 1..=journal.last_op())
        .filter_map(|op| journal.record(op))
        .filter(|record| record.kind().is_sync())
        .map(|record| (record.kind(), record.path().to_owned()))
        .collect();
    let all = OpKind::SyncAll;
    let expected = [
        (all, "/log/binlog.000001"),
        (all, "/log/binlog.000002"),
        (OpKind::SyncDir, "/log"),
        (all, "/log/binlog.index_crash_safe"),
        (OpKind::SyncDir, "/log"),
    ];
    assert!(syncs.iter().map(|(kind, path)| (*kind, path.as_str())).eq(expected), "{syncs:?}");
}

/// What had been promised when an operation of the disk had happened: the number of files, and of the newest one the
/// bytes that were synced.
#[derive(Clone, Debug)]
struct Promise {
    op: u64,
    files: usize,
    synced: Vec<u8>,
}

/// Three files with two statements each, the first of them synced.
fn run(lie: Option<OpKind>) -> (Vec<Promise>, Journal) {
    let disk = disk();
    if let Some(kind) = lie {
        disk.skip_sync("", kind);
    }
    disk.start_journal();
    let mut promises = vec![Promise { op: disk.ops(), files: 0, synced: Vec::new() }];
    let mut index = open_index(&disk);
    let mut number = 0;
    let mut old: Option<LogFile> = None;
    for files in 1..=3 {
        let head = header(CRC, &previous(number));
        let name = index.next_name().unwrap();
        let mut log = match old.take() {
            None => begin_file(&disk, &mut index, name, &head).unwrap(),
            Some(old) => rotate(&disk, &mut index, old, name, &head).unwrap(),
        };
        let promise = |synced: &[u8]| Promise { op: disk.ops(), files, synced: synced.to_vec() };
        promises.push(promise(&head));
        number += 1;
        log.append(&ddl(log.position(), number)).unwrap();
        log.sync_data().unwrap();
        promises.push(promise(&bytes_of(&disk, index.last().unwrap())));
        number += 1;
        log.append(&ddl(log.position(), number)).unwrap();
        let next = index.next_name().unwrap();
        log.append(&rotate_event(log.position(), &next)).unwrap();
        old = Some(log);
    }
    (promises, disk.stop_journal().unwrap())
}

/// Holds a disk that was found to what had been promised.
fn check(found: &SimDisk, promise: &Promise) -> Result<(), String> {
    let index = BinlogIndex::open(found, Path::new(DIR), "binlog").map_err(|error| error.to_string())?;
    let names = index.names();
    if names.len() < promise.files {
        return Err(format!("{} files instead of {}", names.len(), promise.files));
    }
    for name in names {
        let file = found.open(&index.path_of(name), Open::Read).map_err(|error| error.to_string())?;
        let head = read_head(file).map_err(|error| format!("{name}: {error}"))?;
        if names.last() != Some(name) {
            if head.in_use {
                return Err(format!("{name} is not closed"));
            }
            check_whole(&bytes_of(found, name)).map_err(|what| format!("{name}: {what}"))?;
        }
    }
    if let Some(name) = promise.files.checked_sub(1).map(|newest| &names[newest]) {
        let mut bytes = bytes_of(found, name);
        // The flags are written in place when the file is closed; everything else that was synced stays.
        bytes[21..23].copy_from_slice(&[1, 0]);
        if !bytes.starts_with(&promise.synced) {
            return Err(format!("{name} lost synced bytes"));
        }
    }
    let last = index.last().map_or(0, BinlogName::number);
    match index.unlisted(found).map_err(|error| error.to_string())? {
        unlisted if unlisted.iter().all(|name| name.number() == last + 1) => Ok(()),
        unlisted => Err(format!("{unlisted:?} are not listed")),
    }
}

fn check_whole(bytes: &[u8]) -> Result<(), String> {
    let mut reader = EventReader::open(crate::support::file_of(bytes)).map_err(|error| error.to_string())?;
    let mut boundaries = Boundaries::new(4);
    let mut last = None;
    while let Some(event) = reader.next_event().map_err(|error| error.to_string())? {
        boundaries.step(&event).map_err(|error| error.to_string())?;
        last = Some(event.header.event_type.name());
    }
    if last == Some("Rotate") { Ok(()) } else { Err(format!("ends with {last:?}")) }
}

fn judge((promises, journal): &(Vec<Promise>, Journal)) -> Result<(), String> {
    let mut replay = Replay::new(journal);
    for op in journal.first_op()..=journal.last_op() {
        replay.seek(op);
        let promise = promises.iter().rfind(|promise| promise.op <= op).unwrap();
        for mode in CrashMode::ALL {
            for seed in 0..4 {
                let found = [Some(replay.crash(mode, seed)), replay.crash_during_next(mode, seed)];
                for found in found.iter().flatten() {
                    check(found, promise)
                        .map_err(|what| format!("operation {op}, {mode:?}, seed {seed}: {what}"))?;
                }
            }
        }
    }
    Ok(())
}

#[test]
fn a_crash_at_any_operation_of_a_rotation_leaves_a_log() {
    if let Err(what) = judge(&run(None)) {
        panic!("{what}");
    }
}

#[test]
fn a_sync_that_lies_is_found_out() {
    for kind in [OpKind::SyncAll, OpKind::SyncData, OpKind::SyncDir] {
        assert!(judge(&run(Some(kind))).is_err(), "nobody noticed that {kind:?} did nothing");
    }
}
