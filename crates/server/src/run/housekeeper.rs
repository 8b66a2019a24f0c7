//! What has to be looked after all the time: syncs of relaxed settings, spare redo segments, gates, old binlogs.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use commit::{Gate, Purged};
use engine::base::Base;
use parking_lot::{Condvar, Mutex};

use super::fatal::die;
use super::log_threads::spawn;
use crate::clock;
use crate::session::Shared;

/// Segments are prepared for so long in a round, milliseconds, or one.
const TEND_MS: u64 = 100;

/// How often it looks.
const LOOK: Duration = Duration::from_millis(50);

/// Redo is synced this often at any setting, milliseconds.
const SYNC_EVERY_MS: u64 = 1000;

/// Binlogs that have expired are looked for this often, milliseconds.
const EXPIRE_EVERY_MS: u64 = 60_000;

/// The least redo capacity, segments.
const SEGMENTS_MIN: u64 = 4;

/// Commits wait while deltas are beyond so many times `onelog_delta_size`.
const DELTAS_MAX: u64 = 4;

/// See the module.
#[derive(Debug)]
pub(super) struct Housekeeper {
    stop: Arc<(Mutex<bool>, Condvar)>,
    thread: JoinHandle<()>,
}

impl Housekeeper {
    pub(super) fn start(shared: &Arc<Shared>, base: &Arc<Base>, data_dir: PathBuf) -> std::io::Result<Self> {
        let stop = Arc::<(Mutex<bool>, Condvar)>::default();
        let mut rounds = Rounds {
            shared: Arc::downgrade(shared),
            base: Arc::clone(base),
            data_dir,
            disk_full: false,
            synced_ms: 0,
            expired_ms: clock::monotonic_ms(),
        };
        let stopped = Arc::clone(&stop);
        let thread = spawn("housekeeper".to_owned(), move || {
            let (stopping, told) = &*stopped;
            let mut stopping = stopping.lock();
            while !*stopping {
                parking_lot::MutexGuard::unlocked(&mut stopping, || rounds.make());
                told.wait_for(&mut stopping, LOOK);
            }
        })?;
        Ok(Self { stop, thread })
    }

    pub(super) fn stop(self) {
        *self.stop.0.lock() = true;
        self.stop.1.notify_all();
        let _ = self.thread.join();
    }
}

struct Rounds {
    shared: Weak<Shared>,
    base: Arc<Base>,
    data_dir: PathBuf,
    disk_full: bool,
    synced_ms: u64,
    expired_ms: u64,
}

impl Rounds {
    fn make(&mut self) {
        let Some(shared) = self.shared.upgrade() else { return };
        tend(&shared);
        shared.pipeline.tend_files();
        set_gate(&shared);
        let now_ms = clock::monotonic_ms();
        if now_ms - self.synced_ms >= SYNC_EVERY_MS {
            self.synced_ms = now_ms;
            if let Err(error) = shared.pipeline.sync_logs() {
                die("syncing the redo log", &error);
            }
            self.restore_ballast();
        }
        if now_ms - self.expired_ms >= EXPIRE_EVERY_MS {
            self.expired_ms = now_ms;
            expire(&shared);
        }
    }

    /// Takes back the room that was given up when the disk was full, once there is room again.
    fn restore_ballast(&mut self) {
        let ballast = self.base.ballast();
        let was_full = std::mem::replace(&mut self.disk_full, ballast.disk_is_full());
        match (was_full, self.disk_full) {
            (false, true) => {
                tracing::error!(dir = %self.data_dir.display(), "the disk is full: commits fail until there is room");
            }
            (true, false) => tracing::info!("there is room on the disk again: commits go on"),
            _ => {}
        }
        if let Err(error) = ballast.restore() {
            tracing::warn!(%error, "the ballast file cannot be made");
        }
    }
}

/// `binlog_expire_logs_seconds`: removes files that ended longer ago, as far as a checkpoint covers them. Not during a
/// backup.
fn expire(shared: &Shared) {
    let live = &shared.variables.live;
    let age_s = u64::from(live.binlog_expire_logs_s.load(Ordering::Relaxed));
    if age_s == 0 || !live.binlog_auto_purge.load(Ordering::Relaxed) {
        return;
    }
    let Some(_removal) = shared.common.keepers.try_remove_binlogs() else { return };
    let begun_by = u32::try_from(clock::unix_s().saturating_sub(age_s)).unwrap_or(u32::MAX);
    let purged = shared.pipeline.last_binlog_begun_by(begun_by).and_then(|target| match target {
        Some(target) => shared.pipeline.purge_to(&target),
        None => Ok(Purged::default()),
    });
    match purged {
        Ok(Purged { gone, .. }) if !gone.is_empty() => {
            tracing::info!(files = gone.len(), "expired binary logs purged");
        }
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "expired binary logs could not be purged"),
    }
}

/// Makes spare redo segments, removes superfluous ones; goes on in the next round where that takes long.
fn tend(shared: &Shared) {
    let end_ms = clock::monotonic_ms() + TEND_MS;
    for log in std::iter::once(shared.pipeline.redo()).chain(shared.pipeline.store()) {
        let tend = || log.tend().unwrap_or_else(|error| die("preparing log segments", &error));
        while tend() && clock::monotonic_ms() < end_ms {}
    }
}

/// `innodb_redo_log_capacity`, but not less than some segments: the one that is written is never given back, and its size is
/// that of this run's start.
pub(crate) fn redo_capacity(shared: &Shared) -> u64 {
    let least = SEGMENTS_MIN * shared.pipeline.redo().segment_size();
    shared.variables.live.redo_log_capacity.load(Ordering::Relaxed).max(least)
}

/// Whether deltas or redo have outgrown their limits: commits wait for a checkpoint.
fn is_behind(shared: &Shared) -> bool {
    let delta_size = shared.variables.live.delta_size.load(Ordering::Relaxed);
    let deltas = shared.pipeline.published().view().delta_bytes() as u64;
    deltas > DELTAS_MAX * delta_size || shared.pipeline.needed_record_bytes() > redo_capacity(shared)
}

/// Lets commits wait while checkpoints have fallen behind, and fail while the disk is full.
fn set_gate(shared: &Shared) {
    let admission = &shared.pipeline.admission;
    let capacity = redo_capacity(shared);
    let gate = if shared.pipeline.room.disk_is_full() {
        Gate::Full
    } else if is_behind(shared) {
        Gate::Behind
    } else if shared.pipeline.needed_log_bytes() > capacity {
        Gate::Crowded
    } else {
        Gate::Open
    };
    if gate != admission.gate() {
        admission.set_gate(gate);
    }
}
