//! A server without a server: base, pipeline, and a test that plays the log threads.

use std::collections::BTreeMap;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use binlog::decode::Event;
use binlog::event::RowsQuery;
use binlog::{BinlogIndex, CacheLimits, ChecksumAlg, EventReader, Gtid, GtidPlan, Origin, TrxCache, Uuid};
use commit::checkpoint::{Checkpoint, Slicing};
use commit::record::BinlogPlace;
use commit::recovery::{self, BinlogConfig, Config};
use commit::{
    BinlogReader, Clock, Committing, Die, EventsKind, FatalError, FileContext, Participant, Pending,
    Pipeline, Quiet, Settings, StrategyKind, Switched,
};
use engine::base::Base;
use engine::delta::Delta;
use engine::ids::{Change, CommitSeq, IndexId, Key, TrxId};
use engine::lock::LockId;
use engine::scan::{Direction, KeyRange, Scan};
use engine::writeset::WriteSet;
use vfs::sim::SimDisk;
use vfs::{Open, Vfs};

pub const DIR: &str = "/data";
const INDEX: IndexId = IndexId(20);
pub const ORIGIN: Origin = Origin { timestamp: 1_700_000_000, server_id: 1 };

/// The thread that a clock can hold up.
pub const HELD: &str = "held";

/// A clock that moves when it is asked or slept on, and can hold one thread up that does so.
#[derive(Debug)]
pub struct StepClock {
    now_ns: AtomicU64,
    /// Answers that the thread [`HELD`] gets before it has to wait.
    pub answers: AtomicUsize,
    /// It waits.
    holds: AtomicBool,
}

impl Default for StepClock {
    fn default() -> Self {
        Self {
            now_ns: AtomicU64::new(0),
            answers: AtomicUsize::new(usize::MAX),
            holds: AtomicBool::new(false),
        }
    }
}

impl StepClock {
    /// Returns when the thread [`HELD`] has had its answers and waits for more.
    pub fn wait_until_it_holds(&self) {
        while !self.holds.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
    }

    /// Lets the thread go.
    pub fn let_go(&self) {
        self.answers.store(usize::MAX, Ordering::Relaxed);
    }

    fn hold(&self) {
        let one_less = |left: usize| left.checked_sub(1);
        while std::thread::current().name() == Some(HELD)
            && self.answers.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_err()
        {
            self.holds.store(true, Ordering::Release);
            std::thread::yield_now();
        }
    }
}

impl Clock for StepClock {
    fn unix_us(&self) -> u64 {
        1_700_000_000_000_000 + self.now_ns.fetch_add(1, Ordering::Relaxed)
    }
    fn monotonic_ns(&self) -> u64 {
        self.hold();
        self.now_ns.fetch_add(1000, Ordering::Relaxed)
    }
    fn sleep_us(&self, us: u64) {
        self.hold();
        self.now_ns.fetch_add(us * 1000, Ordering::Relaxed);
    }
}

/// The rows of the one index, by key.
pub type Rows = BTreeMap<u8, Vec<u8>>;
/// What a transaction does: keys and new rows.
pub type Changes = Vec<(u8, Option<Vec<u8>>)>;

struct Apply<'a>(&'a mut WriteSet);

impl Participant for Apply<'_> {
    fn apply(&mut self, seq: CommitSeq, delta: &Delta) {
        self.0.apply(seq, delta);
    }
    fn release_locks(&mut self, _: CommitSeq) {}
}

/// Bytes of the I/O cache. Readers may find half as many before they are in the file.
pub const IO_CACHE_SIZE: usize = 256 << 10;

#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub binlog: bool,
    pub gtid: bool,
    pub checksum: ChecksumAlg,
    pub strategy: StrategyKind,
    pub sync_binlog: u32,
    pub flush: u8,
    /// The binlog store has files of its own.
    pub own_store: bool,
    /// Bytes of a segment.
    pub segment_size: u64,
}

impl Options {
    /// Whether an acknowledged transaction outlives a power loss.
    pub fn is_safe(&self) -> bool {
        self.flush == 1
            && match self.strategy {
                StrategyKind::None | StrategyKind::InRedo => true,
                StrategyKind::Enhanced if !self.own_store => true,
                StrategyKind::Serial | StrategyKind::Group | StrategyKind::Enhanced => self.sync_binlog == 1,
                StrategyKind::Parallel => false,
            }
    }
}

pub struct World {
    pub pipeline: Arc<Pipeline>,
    pub base: Base,
    pub clock: Arc<StepClock>,
    options: Options,
    vfs: Arc<dyn Vfs>,
    next_trx: u64,
    replica: Option<Replica>,
}

/// Somebody who reads all that he may.
struct Replica {
    reader: BinlogReader,
    disk: SimDisk,
    /// What he has, and after how many operations of the disk.
    has: Mutex<Vec<(u64, BinlogPlace)>>,
}

impl World {
    pub fn open(disk: &SimDisk, options: Options) -> Result<Self, FatalError> {
        Self::open_on(Arc::new(disk.clone()), options)
    }

    /// On a disk of any kind.
    pub fn open_on(vfs: Arc<dyn Vfs>, options: Options) -> Result<Self, FatalError> {
        Self::open_at(vfs, options, Path::new(DIR), Path::new("/data/binlog"))
    }

    /// With its data in a directory and its binlog at a path.
    pub fn open_at(vfs: Arc<dyn Vfs>, options: Options, dir: &Path, path: &Path) -> Result<Self, FatalError> {
        vfs.create_dir_all(dir)?;
        let base = Base::open(&vfs, dir, 1 << 20, 0)?;
        let redo = redo::Options {
            dir: dir.join("redo"),
            segment_size: options.segment_size,
            ring_size: 4 << 20,
            ring_slots: 256,
            spares: 1,
            segments_kept: 3,
            salt: 0x5A17,
        };
        let config = Config {
            store: options
                .own_store
                .then(|| redo::Options { dir: dir.join("enhanced_binlog"), ..redo.clone() }),
            redo,
            strategy: options.strategy,
            binlog_buffer_size: 1 << 20,
            binlog: options.binlog.then_some(BinlogConfig {
                path: path.to_owned(),
                checksum: options.checksum,
                io_cache_size: IO_CACHE_SIZE,
            }),
            commit_slots: 64,
            settings: Settings::default(),
            files: FileContext {
                base: "binlog".into(),
                server_version: "8.0.46-onelog".into(),
                server_id: 1,
            },
            die: Die(Box::new(|what, error| panic!("{what}: {error}"))),
        };
        let settings = &config.settings;
        settings.gtid_mode.store(options.gtid, Ordering::Relaxed);
        settings.sync_binlog.store(options.sync_binlog, Ordering::Relaxed);
        settings.flush_log_at_trx_commit.store(options.flush, Ordering::Relaxed);
        // Some steps of the clock.
        settings.sync_binlog_interval_us.store(100, Ordering::Relaxed);
        let clock = Arc::<StepClock>::default();
        let recovered = recovery::open(&vfs, &base, config, Arc::<StepClock>::clone(&clock))?;
        let pipeline = recovered.pipeline;
        Ok(Self { pipeline, base, clock, options, vfs, next_trx: 1, replica: None })
    }

    /// Reserve and submit by a new session; the caller drives.
    pub fn submit(&mut self, changes: &Changes) -> Committing {
        let pending = self.session();
        self.submit_by(pending, changes)
    }

    /// What a new session hands over, empty.
    pub fn session(&self) -> Box<Pending> {
        let limits = CacheLimits { memory_bytes: 4096, total_bytes_max: 1 << 30, ..CacheLimits::default() };
        let path = PathBuf::from(DIR).join(format!("cache.{}", self.next_trx));
        let cache = TrxCache::new(Arc::clone(&self.vfs), path, limits);
        let sid = self.options.gtid.then_some(Uuid([7; 16]));
        let plan = GtidPlan {
            sid,
            may_have_statements: false,
            original_commit_timestamp_us: None,
            immediate_server_version: 80046,
            original_server_version: None,
        };
        Box::new(Pending::new(cache, commit::Recent::default(), plan, ORIGIN))
    }

    /// What the session that had this before hands over next, empty.
    pub fn next(before: Box<Pending>) -> Box<Pending> {
        let (plan, recent) = (before.plan, before.recent());
        let mut cache = before.into_cache();
        cache.reset();
        Box::new(Pending::new(cache, recent, plan, ORIGIN))
    }

    /// Reserve and submit of a transaction that has this GTID; the caller drives.
    pub fn submit_given(&mut self, gtid: Gtid, changes: &Changes) -> Committing {
        let mut pending = self.session();
        pending.plan.sid = Some(gtid.sid);
        pending.gno = Some(gtid.gno);
        self.submit_prepared(pending, changes)
    }

    /// Reserve and submit by the session that had this before; the caller drives.
    pub fn submit_by(&mut self, before: Box<Pending>, changes: &Changes) -> Committing {
        self.submit_prepared(Self::next(before), changes)
    }

    /// A new session's whole commit, to be polled beside others.
    pub fn begin(&mut self, changes: &Changes) -> Pin<Box<dyn Future<Output = CommitSeq>>> {
        let pending = self.session();
        self.begin_prepared(pending, changes)
    }

    /// The same with what `pending` has already.
    pub fn begin_prepared(
        &mut self,
        mut pending: Box<Pending>,
        changes: &Changes,
    ) -> Pin<Box<dyn Future<Output = CommitSeq>>> {
        let trx = TrxId(self.next_trx);
        self.next_trx += 1;
        let mut writes = Self::record(&mut pending, changes);
        pending.kind = EventsKind::Transaction;
        let pipeline = Arc::clone(&self.pipeline);
        Box::pin(async move {
            pipeline.reserve(trx, &mut pending, &writes).await.unwrap();
            pipeline.submit(trx, pending, &mut Apply(&mut writes)).unwrap().await.0.seq()
        })
    }

    /// RESET BINARY LOGS AND GTIDS.
    pub fn reset(&self, first: u32) {
        let quiet = self.block_on(Quiet::take(&self.pipeline));
        quiet.reset_binlog(first, &self.base, Vec::new()).unwrap();
    }

    /// The same with what `pending` has already.
    pub fn submit_prepared(&mut self, mut pending: Box<Pending>, changes: &Changes) -> Committing {
        let trx = TrxId(self.next_trx);
        self.next_trx += 1;
        let mut writes = Self::record(&mut pending, changes);
        pending.kind = EventsKind::Transaction;
        let pipeline = Arc::clone(&self.pipeline);
        self.block_on(pipeline.reserve(trx, &mut pending, &writes)).unwrap();
        self.pipeline.submit(trx, pending, &mut Apply(&mut writes)).unwrap()
    }

    /// Submits what was granted, and waits for it.
    pub fn commit_reserved(&self, trx: TrxId, pending: Box<Pending>, writes: &mut WriteSet) -> CommitSeq {
        let committing = self.pipeline.submit(trx, pending, &mut Apply(writes)).unwrap();
        self.block_on(committing).0.seq()
    }

    /// What a session does before it commits: a write set, and events in `pending`.
    pub fn record(pending: &mut Pending, changes: &Changes) -> WriteSet {
        let mut writes = WriteSet::default();
        for (key, row) in changes {
            let change = row.as_ref().map_or(Change::Remove, |row| Change::Put(row.as_slice().into()));
            writes.row_hashes.note(LockId::of_key(&full_key(*key)));
            writes.put(full_key(*key), change);
            let text = [&[*key][..], row.as_deref().unwrap_or_default()].concat();
            pending.cache.append(ORIGIN, &RowsQuery { sql: &text }).unwrap();
        }
        writes
    }

    /// FLUSH BINARY LOGS, to its end.
    pub fn rotate(&mut self) {
        let pending = self.session();
        let pipeline = Arc::clone(&self.pipeline);
        let committing = self.block_on(pipeline.rotate(TrxId(0), pending, None)).unwrap();
        drop(self.block_on(committing));
    }

    /// Another strategy.
    pub fn switch(&mut self, kind: StrategyKind) -> Switched {
        let pipeline = Arc::clone(&self.pipeline);
        let quiet = self.block_on(Quiet::take(&pipeline));
        quiet.switch(kind, &self.base).unwrap()
    }

    /// Plays the housekeeper, as far as it is about binlog files, and the log threads until nothing is wanted.
    pub fn drive(&self) {
        self.pipeline.tend_files();
        self.drive_log_threads();
    }

    /// Plays the log threads until nothing is wanted.
    pub fn drive_log_threads(&self) {
        while let Some(role) = self.pipeline.roles.take() {
            self.pipeline.step(role).unwrap();
            self.pipeline.roles.done(role);
            self.send();
        }
        self.pipeline.sweep();
    }

    /// A replica begins to follow.
    pub fn attach_replica(&mut self, disk: &SimDisk) {
        let reader = self.pipeline.follow_binlog(false).unwrap();
        self.replica = Some(Replica { reader, disk: disk.clone(), has: Mutex::default() });
    }

    /// It has gone; what it had, and after how many operations of the disk.
    pub fn detach_replica(&mut self) -> Vec<(u64, BinlogPlace)> {
        self.replica.take().map_or(Vec::new(), |replica| replica.has.into_inner().unwrap())
    }

    fn send(&self) {
        let Some(replica) = &self.replica else { return };
        self.pipeline.wake_readers();
        let (end, mut has) = (replica.reader.end(), replica.has.lock().unwrap());
        if has.last().is_none_or(|(_, had)| *had < end) {
            has.push((replica.disk.ops(), end));
        }
    }

    /// The bytes of every binlog file, by number.
    pub fn binlog_bytes(&self) -> BTreeMap<u64, Vec<u8>> {
        let index = BinlogIndex::open(&*self.vfs, Path::new(DIR), "binlog").unwrap();
        index.names().iter().map(|name| (name.number(), self.file_bytes(&index.path_of(name)))).collect()
    }

    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        let mut future = Box::pin(future);
        for _ in 0..1000 {
            if let Some(value) = poll(future.as_mut()) {
                return value;
            }
            self.drive();
        }
        panic!("nothing moves any more")
    }

    pub fn checkpoint(&self) {
        self.run_checkpoint(self.begin_checkpoint());
    }

    /// Seals, and waits until it may run.
    pub fn begin_checkpoint(&self) -> Checkpoint {
        let checkpoint = self.pipeline.begin_checkpoint();
        self.drive();
        checkpoint
    }

    pub fn run_checkpoint(&self, checkpoint: Checkpoint) {
        let size = Slicing { keys_max: 3, bytes_max: 1 << 20, ..Slicing::default() };
        self.pipeline.run_checkpoint(checkpoint, &self.base, Vec::new(), size, || {}).unwrap();
        self.tend();
    }

    /// Plays the housekeeper.
    pub fn tend(&self) {
        for log in std::iter::once(self.pipeline.redo()).chain(self.pipeline.store()) {
            while log.tend().unwrap() {}
        }
    }

    /// What a snapshot reads.
    pub fn rows(&self) -> (CommitSeq, Rows) {
        let snapshot = self.pipeline.published().snapshot();
        let range = KeyRange::prefix(&INDEX.prefix());
        let mut scan = Scan::new(&snapshot.view, snapshot.visible, None, &range, Direction::Forward).unwrap();
        let mut rows = Rows::new();
        while let Some(entry) = scan.next_row().unwrap() {
            rows.insert(entry.key[4], entry.row.unwrap().to_vec());
        }
        (snapshot.visible, rows)
    }

    /// The transactions in the binlog, as changes, by XID; those of purged files are missing.
    pub fn binlog_transactions(&self) -> Vec<(CommitSeq, Changes)> {
        let mut found = Vec::new();
        let mut changes = Changes::new();
        self.each_event(|_, event| match event {
            Event::RowsQuery(text) => {
                let (key, row) = text.sql.split_first().unwrap();
                changes.push((*key, (!row.is_empty()).then(|| row.to_vec())));
            }
            Event::Xid(xid) => found.push((CommitSeq(xid.0), std::mem::take(&mut changes))),
            Event::Gtid(_) => assert!(changes.is_empty(), "a transaction has no end"),
            _ => {}
        });
        assert!(changes.is_empty(), "the last file ends in the middle of a transaction");
        found
    }

    /// A binlog file's bytes, as on disk.
    pub fn file_bytes(&self, path: &Path) -> Vec<u8> {
        let file = self.vfs.open(path, Open::Read).unwrap();
        let mut bytes = vec![0; usize::try_from(file.len().unwrap()).unwrap()];
        file.read_exact_at(&mut bytes, 0).unwrap();
        bytes
    }

    /// Calls `each` for every event in the binlog, with its file's place in the index.
    pub fn each_event(&self, mut each: impl FnMut(usize, Event<'_>)) {
        let index = BinlogIndex::open(&*self.vfs, Path::new(DIR), "binlog").unwrap();
        for (place, name) in index.names().iter().enumerate() {
            let file = self.vfs.open(&index.path_of(name), Open::Read).unwrap();
            let mut reader = EventReader::open(file).unwrap();
            while let Some(event) = reader.next_event().unwrap_or_else(|error| panic!("{name}: {error}")) {
                each(place, event.decode().unwrap());
            }
        }
    }
}

pub fn poll<T>(future: Pin<&mut (impl Future<Output = T> + ?Sized)>) -> Option<T> {
    match future.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

fn full_key(key: u8) -> Key {
    [&INDEX.prefix()[..], &[key]].concat().into()
}

pub fn apply(rows: &mut Rows, changes: &Changes) {
    for (key, row) in changes {
        match row {
            Some(row) => rows.insert(*key, row.clone()),
            None => rows.remove(key),
        };
    }
}
