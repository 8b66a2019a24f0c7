//! Recovery, which is also how every server run begins.
//!
//! 1. The base has the last checkpoint's facts, atomically with its data. The binlog that this run writes is locked.
//! 2. Redo is read from there to its torn tail, the binlog from the checkpoint's position: never from a file's start.
//! 3. [`replay`] finds the longest complete prefix and puts it into a delta.
//! 4. Both logs are cut there; what redo says of the binlog and the disk lacks is rebuilt.
//! 5. Everything kept is synced: it may have been in the page cache alone. Then the new run's first redo segment is
//!    made, and its epoch and start go into the base.
//! 6. A new binlog file is begun, as mysqld does at every start.
//!
//! A crash at any step recovers to the same state: until the epoch is in the base nothing has changed but cut tails,
//! synced files, and bytes of the binlog that redo says. A start that is refused has cut nothing.

mod binlog_tail;
mod known_file;
mod recorded_log;
mod replay;
mod store_tail;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use binlog::{BinlogIndex, BinlogName, ChecksumAlg, GtidSet, IoCache};
use engine::base::Base;
use engine::ids::CounterHigh;
use engine::view::Published;
use parking_lot::Mutex;
use redo::{Cursor, EpochStart, LiveSegment, Lsn, Reader, RedoLog, Start, Stream};
use vfs::{LockGuard, Open, Vfs, WithBallast};

use crate::admission::{Admission, Credits};
use crate::binlog_files::{Appender, BinlogFiles};
use crate::checkpoint::Slicing;
use crate::clock::Clock;
use crate::dependencies::Dependencies;
use crate::error::Die;
use crate::facts::{self, Facts};
use crate::file_maker::FileMaker;
use crate::log_waiters::LogWaiters;
use crate::pipeline::INLINE_MAX;
use crate::publisher::{Publisher, Tuple};
use crate::readers::Readers;
use crate::roles::Roles;
use crate::room::{Dirs, Room};
use crate::semi_sync::SemiSync;
use crate::sequencer::{BinlogEnd, Drawn, FileContext, Origins, Sequencer};
use crate::settings::Settings;
use crate::signal::Signal;
use crate::slots::Slots;
use crate::stats::Stats;
use crate::store::{self, Place, Store};
use crate::strategy::{Crowd, Strategies};
use crate::sweep::Sweep;
use crate::{FatalError, Pipeline, StrategyKind};
use binlog_tail::BinlogTail;
use recorded_log::RecordedLog;
use replay::{Kept, Replay};
use store_tail::{KeptStore, StoreTail};

/// What a server run is told.
#[derive(Debug)]
pub struct Config {
    /// The redo log's directory and sizes.
    pub redo: redo::Options,
    /// The binlog's, unless it is off.
    pub binlog: Option<BinlogConfig>,
    /// The binlog store's directory and sizes, if it is to have files of its own. One of which something is needed at the start
    /// goes on where it is: in redo's files, or in its own, which are here, or else in the directory of earlier versions.
    pub store: Option<redo::Options>,
    /// Commits that may be under way at a time.
    pub commit_slots: usize,
    /// `binlog_buffer_size`: bytes of events that may wait to be written to the binlog file behind their log.
    pub binlog_buffer_size: usize,
    /// The strategy to begin with; without a binlog there is only [`StrategyKind::None`].
    pub strategy: StrategyKind,
    /// Settings to begin with.
    pub settings: Settings,
    /// What names and describes binlog files.
    pub files: FileContext,
    /// Ends the process.
    pub die: Die,
}

impl Config {
    /// The directory in which redo's lies.
    fn data_dir(&self) -> &Path {
        self.redo.dir.parent().unwrap_or(Path::new(""))
    }

    /// Where the store's own files are, if it has some.
    fn own_store_dir(&self) -> PathBuf {
        self.store.as_ref().map_or_else(|| self.data_dir().join(store::FORMER_DIR), |own| own.dir.clone())
    }
}

/// Where the binlog is, and how its files begin.
#[derive(Debug)]
pub struct BinlogConfig {
    /// Directory and base name, for example `/data/binlog`.
    pub path: PathBuf,
    /// How events end.
    pub checksum: ChecksumAlg,
    /// `onelog_binlog_io_cache_size`: bytes of memory for what was appended last; 0 = none.
    pub io_cache_size: usize,
}

impl Config {
    fn dirs(&self) -> Dirs {
        let (redo, store) = (self.redo.dir.clone(), self.own_store_dir());
        let binlog = self.binlog.as_ref().and_then(|binlog| binlog.path.parent());
        Dirs { binlog: binlog.map_or_else(|| redo.clone(), Path::to_owned), redo, store }
    }
}

/// What recovery did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Milliseconds from the start to an open server (`Onelog_recovery_ms`).
    pub ms: u64,
    /// Bytes read from both logs (`Onelog_recovery_bytes_read`).
    pub bytes_read: u64,
    /// Transactions put into the delta (`Onelog_recovery_trx_replayed`).
    pub trx_replayed: u64,
    /// Transactions cut.
    pub trx_cut: u64,
    /// Bytes cut from the binlog.
    pub binlog_bytes_cut: u64,
    /// Bytes written to the binlog that redo named.
    pub binlog_bytes_rebuilt: u64,
}

/// A server run that is ready to commit.
#[derive(Debug)]
pub struct Recovered {
    /// The pipeline; its view holds everything that was committed.
    pub pipeline: Arc<Pipeline>,
    /// The highest values of all counters.
    pub counters: Vec<CounterHigh>,
    /// What was done.
    pub report: Report,
}

/// Recovers and begins a server run. Both logs share the base's ballast: what has a ticket is written even if the disk
/// is full then.
pub fn open(
    vfs: &Arc<dyn Vfs>,
    base: &Base,
    config: Config,
    clock: Arc<dyn Clock>,
) -> Result<Recovered, FatalError> {
    let begun = clock.monotonic_ns();
    let ballast = base.ballast();
    let room = Room::new(Arc::clone(vfs), config.dirs(), Arc::clone(ballast), config.redo.segment_size);
    let vfs: &Arc<dyn Vfs> = &(Arc::new(WithBallast::new(Arc::clone(vfs), Arc::clone(ballast))) as _);
    vfs.create_dir_all(&config.redo.dir)?;
    let lock = config.binlog.as_ref().map(|binlog| recorded_log::lock(&**vfs, &binlog.path)).transpose()?;
    let mut facts = match base.fact(facts::NAME)? {
        Some(bytes) => Facts::decode(&bytes)?,
        None => Facts::default(),
    };
    let published = Arc::new(Published::new(base.generation(facts.through)?, config.commit_slots));
    let mut report = Report::default();
    let Restored { kept, segments, store } = restore(vfs, &config, &facts, &published, &mut report)?;
    let Begun { redo, store } = begin_logs(vfs, &config, &mut facts, kept.redo_end, &segments, store)?;
    facts.gtid_purged.add_set(&missing_gtids(vfs, &config, &facts, &kept)?);
    facts.keep(base, &[])?;
    let log = begin_binlog(vfs, &config, lock, &kept, facts.reset_to, &*clock)?;
    if let (Some((_, _, end)), Some(_)) = (&log, facts.reset_to) {
        (facts.binlog, facts.reset_to) = (Some(end.place()), None);
        facts.keep(base, &[])?;
    }
    let binlog = config.binlog.as_ref();
    let name = binlog.map(|binlog| recorded_log::recorded(&**vfs, config.data_dir(), &binlog.path));
    let counters = kept.counters.clone();
    let strategy = config.strategy;
    let pipeline = assemble(vfs, config, facts, kept, published, redo, log, (room, clock));
    if let Some((store, cursor, drawn)) = store {
        pipeline.adopt_store(store, cursor, drawn);
    }
    if let Some(error) = pipeline.prepare_for(strategy, base)? {
        return Err(error);
    }
    pipeline.begin_with(strategy);
    if let Some(name) = name {
        pipeline.adopt_binlog_path(name, base, &counters)?;
    }
    let dying = Arc::downgrade(&pipeline);
    base.on_failure(move |error| {
        if let Some(pipeline) = dying.upgrade() {
            (pipeline.die.0)(
                "the table store's file",
                io::Error::new(error.kind(), error.to_string()).into(),
            );
        }
    });
    report.ms = pipeline.clock.monotonic_ns().saturating_sub(begun) / 1_000_000;
    Ok(Recovered { pipeline, counters, report })
}

/// The logs that a run writes, and the ends of what is drawn of them; of the store also what was drawn of it before.
struct Begun {
    redo: (RedoLog, Cursor),
    store: Option<(Store, Cursor, Drawn)>,
}

/// Begins to write redo, and the store if something of it is needed, behind what is kept.
fn begin_logs(
    vfs: &Arc<dyn Vfs>,
    config: &Config,
    facts: &mut Facts,
    redo_end: Lsn,
    segments: &[LiveSegment],
    store: Option<KeptStore>,
) -> Result<Begun, FatalError> {
    let epoch = facts.epochs.last().map_or(1, |last| last.epoch + 1);
    let start = Start { epoch, lsn: redo_end };
    let (redo, cursor, segment) = RedoLog::begin(Arc::clone(vfs), &config.redo, start, segments)?;
    // Of a run that left nothing no segment is kept: it must not be looked for.
    facts.epochs.retain(|run| run.lsn < redo_end);
    facts.epochs.push(EpochStart { epoch, lsn: redo_end, segment });
    let Some(KeptStore { end, segments: kept, drawn, own }) = store.filter(KeptStore::has_records) else {
        facts.store.need_from(None);
        return Ok(Begun { redo: (redo, cursor), store: None });
    };
    let options;
    let place = match own {
        None => Place::Redo(&redo),
        Some((dir, lock)) => {
            options = redo::Options { dir, ..config.redo.clone() };
            Place::Own { options: &options, kept: &kept, lock }
        }
    };
    let (store, store_cursor) = Store::begin(vfs, place, &mut facts.store, end)?;
    Ok(Begun { redo: (redo, cursor), store: Some((store, store_cursor, drawn)) })
}

/// Steps 2 to 5: reads both logs, decides, cuts, rebuilds and syncs. Returns what is kept and the redo segments that
/// hold it.
fn restore(
    vfs: &Arc<dyn Vfs>,
    config: &Config,
    facts: &Facts,
    published: &Published,
    report: &mut Report,
) -> Result<Restored, FatalError> {
    let current = config.binlog.as_ref().map(|binlog| &*binlog.path);
    let mut log = RecordedLog::new(vfs, facts, config.data_dir(), current)?;
    let mut store = StoreTail::open(vfs, &config.redo.dir, &config.own_store_dir(), &facts.store)?;
    let view = published.view();
    let replay = Replay::new(facts, &view.active, &mut log, store.as_mut());
    if facts.epochs.is_empty() {
        return Ok(Restored { kept: replay.into_kept(), segments: Vec::new(), store: None });
    }
    let mut reader =
        Reader::open(Arc::clone(vfs), &config.redo.dir, Stream::First, &facts.epochs, facts.redo_start)?;
    let kept = replay.run(&mut reader)?;
    if let Some(tail) = log.opened() {
        tail.restore(&kept, facts.binlog)?;
    }
    let mut segments = reader.kept_below(kept.redo_end);
    reader.sync(&segments)?;
    published.set_visible(kept.last);
    report.trx_replayed = kept.replayed;
    report.trx_cut = kept.cut;
    report.bytes_read = reader.bytes_read() + store.as_ref().map_or(0, StoreTail::bytes_read);
    let store = store.map(StoreTail::sync).transpose()?;
    if let Some(KeptStore { own: None, segments: of_store, .. }) = &store {
        // Nothing that was read is used again before this start is made durable: one stream may need what is older than all that
        // is kept of the other.
        segments = redo::merged(reader.visited(), of_store);
    }
    if let Some(tail) = log.opened() {
        report.bytes_read += tail.bytes_read;
        report.binlog_bytes_cut = tail.bytes_cut;
        report.binlog_bytes_rebuilt = tail.bytes_rebuilt;
    }
    Ok(Restored { kept, segments, store })
}

/// GTIDs that no file of the log has which this run goes on with: of transactions that were logged elsewhere, under another
/// `--log-bin`, since its last file ended. Who follows by GTIDs and lacks them cannot get them here.
fn missing_gtids(
    vfs: &Arc<dyn Vfs>,
    config: &Config,
    facts: &Facts,
    kept: &Kept,
) -> Result<GtidSet, FatalError> {
    let Some(BinlogConfig { path, .. }) = &config.binlog else { return Ok(GtidSet::new()) };
    let is_same = recorded_log::is_that(&**vfs, facts, config.data_dir(), path);
    if is_same || kept.gtid_executed == GtidSet::new() {
        return Ok(GtidSet::new());
    }
    let index = BinlogTail::open(Arc::clone(vfs), path)?.index;
    for name in index.names().iter().rev() {
        match vfs.open(&index.path_of(name), Open::Read) {
            Ok(file) => {
                let mut missing = kept.gtid_executed.clone();
                missing.subtract(&binlog::executed_by(file)?);
                return Ok(missing);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
    }
    // The first file says them.
    Ok(GtidSet::new())
}

/// What is kept, the redo segments that hold it, and the same of the binlog store, if it was in use.
struct Restored {
    kept: Kept,
    segments: Vec<LiveSegment>,
    store: Option<KeptStore>,
}

/// The highest number of a file that a run begins with. So many are left for its rotations that none finds no number behind its
/// ticket; RESET begins with two thousand million at most.
const FILE_MAX: u32 = 2_100_000_000;

type OpenBinlog = (BinlogFiles, Appender, BinlogEnd);

/// A new binlog file after the last one that is listed, or the first of a log that a RESET begins anew.
fn begin_binlog(
    vfs: &Arc<dyn Vfs>,
    config: &Config,
    lock: Option<Box<dyn LockGuard>>,
    kept: &Kept,
    reset_to: Option<u32>,
    clock: &dyn Clock,
) -> Result<Option<OpenBinlog>, FatalError> {
    let Some(BinlogConfig { path, checksum, io_cache_size }) = &config.binlog else { return Ok(None) };
    let mut index = BinlogTail::open(Arc::clone(vfs), path)?.index;
    settle_removal(&**vfs, &index)?;
    let exhausted = || FatalError::Corrupt("the numbers of binlog files are used up".to_owned());
    let name = match reset_to {
        Some(number) if index.names().is_empty() => config.files.name(number),
        _ => index.next_name().ok_or_else(exhausted)?,
    };
    let number =
        u32::try_from(name.number()).ok().filter(|number| *number <= FILE_MAX).ok_or_else(exhausted)?;
    let now = u32::try_from(clock.unix_us() / 1_000_000).unwrap_or(u32::MAX);
    let header = config.files.header(now, now, *checksum, &kept.gtid_executed);
    refuse_strays(&**vfs, &index, &name, header.len() as u64)?;
    let file = binlog::rotate::begin_file(&**vfs, &mut index, name, &header)?;
    let end = BinlogEnd { file: number, position: header.len() as u64, checksum: *checksum };
    let (files, appender) =
        BinlogFiles::new(Arc::clone(vfs), lock, index, file, number, Arc::new(IoCache::new(*io_cache_size)));
    Ok(Some((files, appender, end)))
}

/// Refuses files that the index does not list from the one that is to be begun on, but what an interrupted start or rotation may have left:
/// a file without a transaction, or, if it is torn, no more than the `header_size` bytes that a file begins with.
fn refuse_strays(
    vfs: &dyn Vfs,
    index: &BinlogIndex,
    next: &BinlogName,
    header_size: u64,
) -> Result<(), FatalError> {
    for name in index.unlisted(vfs)?.iter().filter(|name| *name >= next) {
        let file = vfs.open(&index.path_of(name), Open::Read)?;
        let len = file.len()?;
        let begun = binlog::read_head(file).map_or(header_size, |head| head.first_transaction);
        if len > begun {
            return Err(binlog_tail::no_stray_of_ours(&index.path_of(name)));
        }
    }
    Ok(())
}

/// Removes what a purge that was interrupted has left. Other files of the log that are not listed are left alone, as are those
/// that cannot be removed: they are in nobody's way.
fn settle_removal(vfs: &dyn Vfs, index: &BinlogIndex) -> Result<(), FatalError> {
    if let Err(error) = index.finish_removal(vfs) {
        tracing::warn!(%error, "a purged binary log could not be removed; PURGE tries again");
    }
    let strays = index.unlisted(vfs)?;
    if let (Some(first), Some(last)) = (strays.first(), strays.last()) {
        tracing::warn!(%first, %last, "binary logs that the index does not list are left alone");
    }
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "everything that a run is made of comes together here")]
fn assemble(
    vfs: &Arc<dyn Vfs>,
    config: Config,
    facts: Facts,
    kept: Kept,
    published: Arc<Published>,
    (redo, cursor): (RedoLog, Cursor),
    log: Option<OpenBinlog>,
    (room, clock): (Room, Arc<dyn Clock>),
) -> Arc<Pipeline> {
    let start = cursor.lsn();
    // Rotations of few GTIDs draw without asking admission, and sets grow from one rotation to the next: half of the ring is
    // theirs.
    let ring_credit = redo.ring().capacity() / 2;
    assert!(ring_credit >= 3 * INLINE_MAX, "the ring holds the largest record");
    assert!(redo.ring().slots() >= 4 * config.commit_slots, "reservations never run out before commit slots");
    let credits = Credits {
        ring_bytes: Credits::bytes(ring_credit),
        store_bytes: Credits::bytes(redo.ring().capacity()),
        backlog_bytes: Credits::bytes(config.binlog_buffer_size),
        slots: Credits::bytes(config.commit_slots),
    };
    let (binlog, appender, end) = match log {
        Some((files, appender, end)) => (Some(files), Some(appender), Some(end)),
        None => (None, None, None),
    };
    let delta = Arc::clone(&published.view().active);
    let gtid_executed = kept.gtid_executed.clone();
    let redo_end = (cursor, kept.drawn);
    let (maker, buffer) = FileMaker::new(appender, config.binlog_buffer_size);
    let origins =
        Origins { last: kept.last, redo: redo_end, binlog: end.clone(), buffer, gtid_executed, delta };
    let tuple = Tuple { visible: kept.last, binlog: end, gtid_executed: kept.gtid_executed };
    let history_size = config.settings.dependency_history_size.load(Ordering::Relaxed);
    Arc::new(Pipeline {
        settings: config.settings,
        die: config.die,
        stats: Stats::default(),
        roles: Roles::default(),
        admission: Admission::new(credits),
        room,
        slots: Slots::new(config.commit_slots, kept.last),
        sequencer: Sequencer::new(origins, config.files),
        publisher: Publisher::new(tuple, Arc::clone(&published)),
        redo,
        strategies: Strategies::new(binlog.is_some(), kept.last),
        binlog,
        maker,
        switching: Mutex::new(()),
        vfs: Arc::clone(vfs),
        store: OnceLock::new(),
        store_options: config.store,
        redo_waiters: LogWaiters::default(),
        readers: Readers::default(),
        semi_sync: SemiSync::default(),
        clock,
        sweep: Sweep::new(kept.last),
        kick: Signal::default(),
        has_kicker: AtomicBool::new(false),
        published,
        dependencies: Dependencies::new(history_size),
        recent_sync_ns: AtomicU64::new(0),
        crowd: Crowd::default(),
        recent_step_ns: AtomicU64::new(0),
        ring_returned: Mutex::new(start),
        checkpointing: Arc::default(),
        passed: Mutex::default(),
        left_binlog: kept.binlog,
        changing_facts: Mutex::new(()),
        facts: Mutex::new(facts),
    })
}

impl Pipeline {
    /// If the binlog is another one than the facts speak of, a checkpoint leaves nothing in redo that speaks of the
    /// old one.
    fn adopt_binlog_path(
        &self,
        path: String,
        base: &Base,
        counters: &[CounterHigh],
    ) -> Result<(), FatalError> {
        if self.facts.lock().binlog_path == path {
            return Ok(());
        }
        let checkpoint = self.begin_checkpoint();
        self.facts.lock().binlog_path = path;
        self.run_checkpoint(checkpoint, base, counters.to_vec(), Slicing::default(), || {})
    }
}
