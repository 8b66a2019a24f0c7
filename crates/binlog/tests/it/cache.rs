//! Purpose: a transaction cache holds what was appended, in memory or in a file, and forgets what was rolled back.
//!
//! Requirements: contents are independent of when events spill; savepoints and failed statements cut exactly; bounds are
//! errors that leave the cache usable; an I/O error of the spill loses nothing; nothing is left on disk.
//!
//! Method: random statements, savepoints and limits against a `Vec` per event as the model; boundary cases by hand; the
//! simulated disk for faults.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use binlog::event::{Query, Row, RowsKind, RowsQuery};
use binlog::{CacheLimits, Encode, Error, Limit, Mark, TrxCache};
use proptest::prelude::*;
use vfs::sim::{Fault, FaultKind, OpKind, SimDisk};
use vfs::{File, LockGuard, Open, Vfs};

use crate::support::{ORIGIN, cache, cache_with, fill, image, spec, status};

const PATH: &str = "binlog_cache_1";

fn limits(memory_bytes: usize) -> CacheLimits {
    CacheLimits { memory_bytes, ..CacheLimits::default() }
}

/// Everything in a cache, read in pieces of `step` bytes.
fn contents(cache: &TrxCache, step: usize) -> Vec<u8> {
    let mut all = Vec::new();
    let mut piece = vec![0; step];
    loop {
        let len = cache.read_at(&mut piece, all.len() as u64).unwrap();
        all.extend_from_slice(&piece[..len]);
        if len < step {
            assert_eq!(all.len() as u64, cache.len());
            return all;
        }
    }
}

fn text(len: usize) -> Vec<u8> {
    vec![b'x'; len]
}

fn append(cache: &mut TrxCache, len: usize) -> binlog::Result<()> {
    cache.append(ORIGIN, &RowsQuery { sql: &text(len) })
}

/// An event of [`append`] takes so much more than its text.
const OVERHEAD: usize = 20;

#[test]
fn a_cache_spills_only_when_it_must() {
    let mut cache = cache_with(limits(1000));
    append(&mut cache, 500 - OVERHEAD).unwrap();
    append(&mut cache, 500 - OVERHEAD).unwrap();
    assert!(!cache.spilled() && cache.memory().is_some(), "exactly full");
    append(&mut cache, 1).unwrap();
    assert!(cache.spilled() && cache.memory().is_none());
    assert_eq!(cache.events(), 3);
    assert_eq!(cache.len(), 1000 + 1 + OVERHEAD as u64);
}

#[test]
fn the_total_is_bounded_and_the_cache_stays_usable_at_the_bound() {
    let mut cache =
        cache_with(CacheLimits { memory_bytes: 100, total_bytes_max: 300, ..CacheLimits::default() });
    append(&mut cache, 280 - OVERHEAD).unwrap();
    let before = contents(&cache, 64);
    let error = append(&mut cache, 1).unwrap_err();
    assert!(matches!(error, Error::Limit { what: Limit::Cache, limit_bytes: 300 }), "{error}");
    assert_eq!((contents(&cache, 64), cache.events()), (before, 1));
    append(&mut cache, 0).unwrap();
    assert_eq!(cache.len(), 300, "the bound itself is allowed");
    cache.reset();
    append(&mut cache, 100).unwrap();
}

#[test]
fn rows_are_bounded_too() {
    let mut cache = cache_with(CacheLimits { total_bytes_max: 200, ..CacheLimits::default() });
    let row = image(1, "abcdefgh", Some(1));
    let mark = cache.mark();
    let error =
        (0..10).find_map(|_| cache.append_row(ORIGIN, &spec(RowsKind::Write), &Row::Write(&row)).err());
    assert!(matches!(error, Some(Error::Limit { what: Limit::Cache, .. })));
    assert!(cache.len() <= 200);
    cache.truncate_to(mark);
    assert!(cache.is_empty(), "the failed statement is gone");
    cache.append_row(ORIGIN, &spec(RowsKind::Write), &Row::Write(&row)).unwrap();
}

#[test]
fn spilled_events_come_back_for_the_commit() {
    let mut plain = cache();
    fill(&mut plain, 50);
    let mut cache = cache_with(limits(256));
    fill(&mut cache, 50);
    assert!(cache.spilled() && cache.memory().is_none());
    let error = cache.load(100).unwrap_err();
    assert!(matches!(error, Error::Limit { what: Limit::Load, limit_bytes: 100 }), "{error}");
    cache.load(cache.len()).unwrap();
    assert_eq!(cache.memory(), plain.memory());
    assert_eq!(cache.events(), plain.events());
    assert!(cache.spilled(), "it still counts as one that used the disk");
}

#[test]
fn the_first_event_can_be_another_one_while_it_is_in_memory() {
    let mut cache = cache_with(limits(1000));
    for len in [10, 20, 30] {
        append(&mut cache, len).unwrap();
    }
    let behind = cache.memory().unwrap()[10 + OVERHEAD..].to_vec();
    assert!(cache.replace_first(&RowsQuery { sql: &text(200) }));
    let mut first = Vec::new();
    RowsQuery { sql: &text(200) }.append_to(ORIGIN, &mut first);
    assert_eq!(cache.memory().unwrap(), [first, behind].concat());
    assert_eq!(cache.events(), 3);
    while !cache.spilled() {
        append(&mut cache, 300).unwrap();
    }
    let before = contents(&cache, 100);
    assert!(!cache.replace_first(&RowsQuery { sql: b"" }));
    assert_eq!(contents(&cache, 100), before);
}

#[test]
fn the_temporary_file_has_no_name() {
    let disk = SimDisk::new();
    let mut cache = TrxCache::new(Arc::new(disk.clone()), PathBuf::from(PATH), limits(64));
    append(&mut cache, 200).unwrap();
    append(&mut cache, 200).unwrap();
    assert!(cache.spilled());
    assert!(!disk.exists(Path::new(PATH)).unwrap());
    assert_eq!(disk.syncs(""), 0, "what is worth nothing after a crash is not synced");
}

#[test]
fn a_failed_spill_loses_nothing() {
    let disk = SimDisk::new();
    let mut cache = TrxCache::new(Arc::new(disk.clone()), PathBuf::from(PATH), limits(300));
    append(&mut cache, 200).unwrap();
    let before = contents(&cache, 1000);
    disk.inject(Fault::new(FaultKind::NoSpace).of(OpKind::Write));
    assert!(matches!(append(&mut cache, 200).unwrap_err(), Error::Io(_)));
    assert_eq!(disk.faults_fired(), 1);
    assert_eq!((contents(&cache, 1000), cache.events()), (before, 1));
    append(&mut cache, 200).unwrap();
    assert_eq!(cache.events(), 2);
}

/// A disk that gives back other bytes than were written.
#[derive(Debug)]
struct Liar(SimDisk);

#[derive(Debug)]
struct LiarFile(Arc<dyn File>);

impl Vfs for Liar {
    fn open(&self, path: &Path, how: Open) -> io::Result<Arc<dyn File>> {
        Ok(Arc::new(LiarFile(self.0.open(path, how)?)))
    }
    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.0.remove_file(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.rename(from, to)
    }
    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.0.create_dir_all(path)
    }
    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        self.0.list(dir)
    }
    fn exists(&self, path: &Path) -> io::Result<bool> {
        self.0.exists(path)
    }
    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.0.canonical(path)
    }
    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        self.0.sync_dir(dir)
    }
    fn free_bytes(&self, path: &Path) -> io::Result<u64> {
        self.0.free_bytes(path)
    }
    fn lock(&self, path: &Path) -> io::Result<Box<dyn LockGuard>> {
        self.0.lock(path)
    }
}

impl File for LiarFile {
    /// Changes the size field of the first event.
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let count = self.0.read_at(buf, offset)?;
        if let Some(size) = usize::try_from(9_u64.wrapping_sub(offset)).ok().and_then(|at| buf.get_mut(at)) {
            *size ^= 1;
        }
        Ok(count)
    }
    fn write_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.0.write_at(data, offset)
    }
    fn write_durable_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.0.write_durable_at(data, offset)
    }
    fn write_uncached_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.0.write_uncached_at(data, offset)
    }
    fn sync_data(&self) -> io::Result<()> {
        self.0.sync_data()
    }
    fn sync_all(&self) -> io::Result<()> {
        self.0.sync_all()
    }
    fn drop_clean_pages(&self, start: u64) -> io::Result<()> {
        self.0.drop_clean_pages(start)
    }
    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }
}

#[test]
fn a_cache_file_that_was_damaged_is_noticed_before_the_ticket() {
    let mut cache = TrxCache::new(Arc::new(Liar(SimDisk::new())), PathBuf::from(PATH), limits(64));
    append(&mut cache, 200).unwrap();
    append(&mut cache, 200).unwrap();
    let is_damage =
        |error: Error| matches!(error, Error::Io(error) if error.kind() == io::ErrorKind::InvalidData);
    assert!(is_damage(cache.read_at(&mut [0; 500], 0).unwrap_err()), "as larger caches are read");
    assert!(is_damage(cache.load(u64::MAX).unwrap_err()));
}

#[test]
fn a_reset_cache_is_empty() {
    let mut cache = cache_with(limits(1 << 10));
    append(&mut cache, 1 << 20).unwrap();
    cache.reset();
    assert!(cache.is_empty() && !cache.spilled());
    assert_eq!(cache.memory(), Some(&[][..]));
}

/// What a session does with its cache.
#[derive(Clone, Debug)]
enum Step {
    /// A statement with rows of these sizes, of which the given part is rolled back.
    Statement {
        kinds: Vec<(u8, u16)>,
        fails: bool,
    },
    Text(u16),
    Savepoint,
    RollbackTo(prop::sample::Index),
}

fn step() -> impl Strategy<Value = Step> {
    let rows = prop::collection::vec((0_u8..3, 0_u16..300), 0..12);
    prop_oneof![
        4 => (rows, prop::bool::weighted(0.2)).prop_map(|(kinds, fails)| Step::Statement { kinds, fails }),
        1 => (0_u16..2000).prop_map(Step::Text),
        1 => Just(Step::Savepoint),
        1 => any::<prop::sample::Index>().prop_map(Step::RollbackTo),
    ]
}

/// Runs the steps on a cache that spills and on one that never does; they must agree all the time.
fn run(steps: &[Step], memory_bytes: usize, rows_event_size: usize) {
    let small = CacheLimits { memory_bytes, rows_event_size, ..CacheLimits::default() };
    let large = CacheLimits { memory_bytes: usize::MAX, ..small };
    let (mut cache, mut model) = (cache_with(small), cache_with(large));
    let mut savepoints: Vec<(Mark, Vec<u8>, u64)> = Vec::new();
    for step in steps {
        match step {
            Step::Statement { kinds, fails } => {
                let mark = cache.mark();
                assert_eq!(mark, model.mark());
                for both in [&mut cache, &mut model] {
                    statement(both, kinds);
                    if *fails {
                        both.truncate_to(mark);
                    } else {
                        both.end_statement();
                    }
                }
            }
            Step::Text(len) => {
                for both in [&mut cache, &mut model] {
                    append(both, usize::from(*len)).unwrap();
                }
            }
            Step::Savepoint => savepoints.push((cache.mark(), contents(&cache, 77), cache.events())),
            Step::RollbackTo(index) if !savepoints.is_empty() => {
                let kept = index.index(savepoints.len());
                savepoints.truncate(kept + 1);
                let (mark, bytes, events) = &savepoints[kept];
                cache.truncate_to(*mark);
                model.truncate_to(*mark);
                assert_eq!((&contents(&cache, 501), cache.events()), (bytes, *events));
            }
            Step::RollbackTo(_) => {}
        }
        assert_eq!(cache.len(), model.len());
        assert_eq!(cache.events(), model.events());
        assert_eq!(contents(&cache, 333), model.memory().unwrap());
    }
    cache.load(u64::MAX).unwrap();
    assert_eq!(cache.memory(), model.memory());
}

fn statement(cache: &mut TrxCache, kinds: &[(u8, u16)]) {
    let query = Query::begin(1, status(), b"db");
    cache.append(ORIGIN, &query).unwrap();
    for (kind, len) in kinds {
        let image = text(usize::from(*len) + 1);
        let (kind, row) = match kind {
            0 => (RowsKind::Write, Row::Write(&image)),
            1 => (RowsKind::Update, Row::Update(&image, &image)),
            _ => (RowsKind::Delete, Row::Delete(&image)),
        };
        cache.append_row(ORIGIN, &spec(kind), &row).unwrap();
    }
}

proptest! {
    #[test]
    fn when_events_spill_changes_nothing(
        steps in prop::collection::vec(step(), 1..25),
        memory_bytes in prop_oneof![0_usize..200, 200_usize..5000],
        rows_event_size in prop_oneof![Just(8192_usize), 0_usize..600],
    ) {
        run(&steps, memory_bytes, rows_event_size);
    }
}
