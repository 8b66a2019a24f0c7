//! Purpose: where the binlog's files or the binlog store are on a device of their own, that one is asked for room, too; the
//! store's own superfluous segments are room, and a checkpoint is wanted that makes some.
//!
//! Method: a disk that says of the binlog's directory, and of the store's, whatever it is told.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use commit::{CommitError, EventsKind, Gate, RotateError, StrategyKind};
use engine::ids::TrxId;
use vfs::sim::SimDisk;
use vfs::{File, LockGuard, Open, Vfs};

use crate::power_loss::{OWN_STORE, WITH_BINLOG, WITHOUT_BINLOG};
use crate::world::{DIR, Options, World};

#[derive(Clone, Debug)]
struct TwoDevices {
    disk: SimDisk,
    binlog_free: Arc<AtomicU64>,
    store_free: Arc<AtomicU64>,
}

impl TwoDevices {
    fn new() -> Self {
        let lots = || Arc::new(AtomicU64::new(1 << 30));
        Self { disk: SimDisk::new(), binlog_free: lots(), store_free: lots() }
    }
}

impl Vfs for TwoDevices {
    fn open(&self, path: &Path, how: Open) -> io::Result<Arc<dyn File>> {
        self.disk.open(path, how)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.disk.rename(from, to)
    }
    fn remove_file(&self, path: &Path) -> io::Result<()> {
        if path.starts_with(Path::new(DIR).join("enhanced_binlog")) {
            self.store_free.fetch_add(1 << 16, Ordering::Relaxed);
        }
        self.disk.remove_file(path)
    }
    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.disk.create_dir_all(path)
    }
    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        self.disk.list(dir)
    }
    fn exists(&self, path: &Path) -> io::Result<bool> {
        self.disk.exists(path)
    }
    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.disk.canonical(path)
    }
    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        self.disk.sync_dir(dir)
    }
    fn free_bytes(&self, path: &Path) -> io::Result<u64> {
        if path == Path::new(DIR) {
            return Ok(self.binlog_free.load(Ordering::Relaxed));
        }
        if path == Path::new(DIR).join("enhanced_binlog") {
            return Ok(self.store_free.load(Ordering::Relaxed));
        }
        self.disk.free_bytes(path)
    }
    fn lock(&self, path: &Path) -> io::Result<Box<dyn LockGuard>> {
        self.disk.lock(path)
    }
}

/// How many transactions are let in of a hundred that each log 10,000 bytes.
fn commits(world: &mut World) -> usize {
    let row = vec![7; 10_000];
    for done in 0..100 {
        let mut pending = world.session();
        let mut writes = World::record(&mut pending, &vec![(1, Some(row.clone()))]);
        pending.kind = EventsKind::Transaction;
        let trx = TrxId(1000 + done);
        let pipeline = Arc::clone(&world.pipeline);
        match world.block_on(pipeline.reserve(trx, &mut pending, &writes)) {
            Ok(()) => drop(world.commit_reserved(trx, pending, &mut writes)),
            Err(refused) => {
                assert_eq!(refused, CommitError::DiskFull);
                pipeline.forget(trx, &mut pending);
                return usize::try_from(done).unwrap();
            }
        }
    }
    100
}

#[test]
fn a_commit_is_refused_where_the_binlogs_own_device_is_full() {
    for strategy in StrategyKind::WITH_BINLOG {
        let sync_binlog = if strategy == StrategyKind::Parallel { 1000 } else { 1 };
        let devices = TwoDevices::new();
        let options = Options { strategy, sync_binlog, ..WITH_BINLOG };
        devices.binlog_free.store(2 << 20, Ordering::Relaxed);
        let mut world = World::open_on(Arc::new(devices.clone()), options).unwrap();
        assert_eq!(commits(&mut world), 100, "{strategy:?}");
        devices.binlog_free.store(1 << 20, Ordering::Relaxed);
        assert_eq!(world.pipeline.gate(), Gate::Full, "{strategy:?}");
        assert!(commits(&mut world) < 100, "{strategy:?}: half of what was free is used up");
        assert_eq!(commits(&mut world), 0, "{strategy:?}");
        devices.binlog_free.store(1 << 30, Ordering::Relaxed);
        assert_eq!(world.pipeline.gate(), Gate::Open, "{strategy:?}");
        assert_eq!(commits(&mut world), 100, "{strategy:?}: there is room again");
    }
}

#[test]
fn a_store_whose_device_is_full_goes_on_with_the_segments_that_a_checkpoint_frees() {
    let devices = TwoDevices::new();
    let mut world = World::open_on(Arc::new(devices.clone()), OWN_STORE).unwrap();
    // A few segments of 64 KiB.
    assert_eq!(commits(&mut world), 100);
    devices.store_free.store(0, Ordering::Relaxed);
    while commits(&mut world) > 0 {}
    assert!(world.pipeline.room.is_short(), "a checkpoint is wanted");
    let live = |world: &World| world.pipeline.store().unwrap().live_bytes();
    assert!(live(&world) >= 10 << 16);
    world.checkpoint();
    assert!(!world.pipeline.room.is_short());
    assert_eq!(live(&world), 1 << 16);
    assert!(commits(&mut world) > 0, "what the checkpoint has freed is room");
}

#[test]
fn redo_that_fills_its_device_asks_for_a_checkpoint_first() {
    let disk = SimDisk::new();
    let mut world = World::open_on(Arc::new(disk.clone()), WITHOUT_BINLOG).unwrap();
    disk.set_capacity(1 << 30);
    let used = (1 << 30) - disk.free_bytes(Path::new(DIR)).unwrap();
    disk.set_capacity(used + (76 << 16));
    let mut done = 0;
    while !world.pipeline.redo_is_short() {
        assert_eq!(commits(&mut world), 100, "nobody is refused before");
        done += 100;
    }
    assert_eq!(done, 300, "they take 60 segments, three quarters of what there is");
    while commits(&mut world) > 0 {}
    world.checkpoint();
    assert!(!world.pipeline.redo_is_short());
    assert_eq!(commits(&mut world), 100, "what the checkpoint has freed is room");
}

#[test]
fn flush_is_refused_before_the_binlogs_device_is_full() {
    let devices = TwoDevices::new();
    let mut world = World::open_on(Arc::new(devices.clone()), WITH_BINLOG).unwrap();
    let flush = |world: &World| {
        let (pending, pipeline) = (world.session(), Arc::clone(&world.pipeline));
        let committing = world.block_on(pipeline.rotate(TrxId(0), pending, None));
        committing.map(|committing| drop(world.block_on(committing)))
    };
    // Commits are refused here, also behind a FLUSH, which has half of what they leave.
    devices.binlog_free.store(900 << 10, Ordering::Relaxed);
    flush(&world).unwrap();
    assert_eq!(commits(&mut world), 0);
    devices.binlog_free.store(400 << 10, Ordering::Relaxed);
    let refused = flush(&world).expect_err("there is an end");
    assert!(matches!(refused, RotateError::Refused(CommitError::DiskFull)), "{refused}");
    devices.binlog_free.store(1 << 30, Ordering::Relaxed);
    flush(&world).unwrap();
}
