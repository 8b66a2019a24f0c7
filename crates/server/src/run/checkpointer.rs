//! The thread that takes checkpoints: when the delta or redo has grown, or when somebody asks. In between it removes the data of
//! dropped tables.
//!
//! While old views live, each checkpoint costs room that it does not give back, so checkpoints get rarer; and before one
//! begins, old views that keep more than `onelog_view_retention_limit` are expired.
//!
//! On a full disk none is begun, and one that is under way waits for room: the ballast is for what has its place in the
//! commit order. A server that stops waits no more.

use std::fmt::Display;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use commit::checkpoint::Slicing;
use commit::{FatalError, Pipeline};
use engine::base::{Base, WhenFull};
use parking_lot::{Condvar, Mutex};
use sql::exec::BoxFuture;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use types::error::SqlError;
use types::error::table::{ER_DISK_FULL, ER_SERVER_SHUTDOWN};

use super::fatal::die;
use super::housekeeper::redo_capacity;
use super::log_threads::spawn;
use crate::ddl::Checkpoints;
use crate::session::Shared;

/// How often the sizes are looked at.
const LOOK: Duration = Duration::from_millis(100);

/// While old views live, a checkpoint begins at so many times `onelog_delta_size`, unless redo asks for one.
const RARER: u64 = 2;

/// Between slices of a checkpoint while there is no hurry, and of what is removed.
const PACE: Duration = Duration::from_millis(2);

/// See the module.
#[derive(Debug)]
pub(super) struct Checkpointer {
    pipeline: Arc<Pipeline>,
    base: Arc<Base>,
    /// Set once the server's parts are put together.
    shared: OnceLock<Weak<Shared>>,
    /// Rank: last.
    state: Mutex<State>,
    asked: Condvar,
    done: Notify,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// Bytes that the logs got while the last checkpoint was taken; `u64::MAX` before the first.
    during: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    /// Checkpoints that were asked for.
    asked: u64,
    /// How many of those requests were answered by a checkpoint.
    answered: u64,
    stopping: bool,
    /// Why nothing comes into the base any more.
    failed: Option<FatalError>,
}

impl State {
    /// Whether a checkpoint was asked for.
    fn is_asked(&self) -> bool {
        self.asked > self.answered
    }
}

impl Checkpointer {
    pub(super) fn new(pipeline: Arc<Pipeline>, base: Arc<Base>) -> Arc<Self> {
        Arc::new(Self {
            pipeline,
            base,
            shared: OnceLock::new(),
            state: Mutex::default(),
            asked: Condvar::new(),
            done: Notify::new(),
            thread: Mutex::default(),
            during: AtomicU64::new(u64::MAX),
        })
    }

    /// Begins to take checkpoints.
    pub(super) fn start(self: &Arc<Self>, shared: &Arc<Shared>, runtime: Handle) -> std::io::Result<()> {
        self.shared.set(Arc::downgrade(shared)).expect("a server is put together once");
        let this = Arc::clone(self);
        *self.thread.lock() = Some(spawn("checkpoint".to_owned(), move || this.run(&runtime))?);
        Ok(())
    }

    /// Ends after the checkpoint that is under way. Returns why it failed, if it did: the base cannot be used then.
    pub(super) fn stop(&self) -> Result<(), FatalError> {
        self.state.lock().stopping = true;
        self.asked.notify_all();
        self.base.ballast().end_patience();
        if let Some(thread) = self.thread.lock().take() {
            let _ = thread.join();
        }
        self.done.notify_waiters();
        self.state.lock().failed.take().map_or(Ok(()), Err)
    }

    fn run(&self, runtime: &Handle) {
        let mut has_garbage = false;
        while let Some(shared) = self.shared.get().and_then(Weak::upgrade) {
            let is_full = self.base.ballast().disk_is_full();
            let asked = {
                let mut state = self.state.lock();
                if state.stopping {
                    return;
                }
                if is_full || !state.is_asked() {
                    let removes = has_garbage && !is_full;
                    self.asked.wait_for(&mut state, if removes { PACE } else { LOOK });
                }
                state.asked
            };
            if is_full {
                continue;
            }
            if self.is_asked() || self.is_due(&shared) || self.is_base_rewritten(&shared) {
                if let Err(error) = self.take_one(&shared, runtime) {
                    return self.give_up("a checkpoint", error);
                }
                self.state.lock().answered = asked;
                self.done.notify_waiters();
                has_garbage = true;
            }
            // Also behind each checkpoint, so that it ends under any load.
            if has_garbage {
                has_garbage = match shared.schema.collect_garbage(WhenFull::Wait) {
                    Ok(is_left) => is_left,
                    Err(error) => return self.give_up("removing the data of dropped tables", error.into()),
                };
            }
        }
    }

    /// Nothing comes into the base any more. A server that stops says so at its end.
    fn give_up(&self, what: &str, error: FatalError) {
        let mut state = self.state.lock();
        if !state.stopping {
            die(what, &error);
        }
        tracing::error!(
            "{what} failed: what redo has is not in the table store yet; the next start recovers it"
        );
        state.failed = Some(error);
    }

    /// Whether a checkpoint was asked for.
    fn is_asked(&self) -> bool {
        self.state.lock().is_asked()
    }

    /// Whether the delta, redo or the binlog store has grown enough, or one of the logs has no room.
    fn is_due(&self, shared: &Shared) -> bool {
        let live = &shared.variables.live;
        let published = self.pipeline.published();
        let delta = published.view().active.bytes() as u64;
        let logs = self.pipeline.needed_log_bytes();
        let capacity = redo_capacity(shared);
        let limit =
            if delta > 0 { log_limit(capacity, self.during.load(Ordering::Relaxed)) } else { capacity };
        let times = if published.retired.bytes() > 0 { RARER } else { 1 };
        self.pipeline.room.is_short()
            || delta > 0 && self.pipeline.redo_is_short()
            || delta >= times * live.delta_size.load(Ordering::Relaxed)
            || logs >= limit
    }

    /// Whether builds have rewritten so much that the current generation keeps too many pages.
    fn is_base_rewritten(&self, shared: &Shared) -> bool {
        let limit = shared.variables.live.view_retention_limit.load(Ordering::Relaxed);
        self.pipeline.published().view().base.bytes_since() >= limit
    }

    /// Takes from old views what they keep beyond the limit.
    fn expire_views(&self, shared: &Shared) {
        let limit = shared.variables.live.view_retention_limit.load(Ordering::Relaxed);
        let expired = self.pipeline.published().retired.expire_beyond(limit);
        if expired > 0 {
            tracing::warn!(
                expired,
                limit,
                "old snapshots were given up: they kept more than onelog_view_retention_limit"
            );
        }
    }

    fn take_one(&self, shared: &Arc<Shared>, runtime: &Handle) -> Result<(), FatalError> {
        self.expire_views(shared);
        let checkpoint = self.pipeline.begin_checkpoint();
        let through = checkpoint.through();
        let _ack = runtime.block_on(self.pipeline.wait_visible(through));
        let pace = || {
            if !self.is_asked() && !self.is_due(shared) {
                pause(PACE);
            }
        };
        let (counters, catalog) = (shared.store.counters(), shared.store.catalog());
        let slicing = Slicing { when_full: WhenFull::Wait, ..Slicing::default() };
        self.pipeline.run_checkpoint(checkpoint, &self.base, counters, slicing, pace)?;
        self.during.store(self.pipeline.needed_log_bytes(), Ordering::Relaxed);
        Ok(shared.schema.note_checkpoint(through, &catalog)?)
    }
}

impl Checkpoints for Checkpointer {
    fn take(&self) -> BoxFuture<'_, Result<(), SqlError>> {
        Box::pin(async move {
            let wanted = {
                let mut state = self.state.lock();
                state.asked += 1;
                state.asked
            };
            self.asked.notify_all();
            loop {
                let done = self.done.notified();
                tokio::pin!(done);
                done.as_mut().enable();
                {
                    let state = self.state.lock();
                    if state.answered >= wanted {
                        return Ok(());
                    }
                    if state.stopping {
                        return Err(ER_SERVER_SHUTDOWN.error(&[]));
                    }
                }
                if self.base.ballast().disk_is_full() {
                    let full = [&"the table store" as &dyn Display, &28, &"No space left on device"];
                    return Err(ER_DISK_FULL.error(&full));
                }
                // The disk may be full before it is done.
                let _ = tokio::time::timeout(LOOK, done).await;
            }
        })
    }
}

/// Bytes of the logs at which a checkpoint begins. It leaves room for twice of what they got `during` the last one, for commits
/// must not wait for it, but a quarter to a half of all: checkpoints should be few.
fn log_limit(capacity: u64, during: u64) -> u64 {
    capacity - during.saturating_mul(2).clamp(capacity / 4, capacity / 2)
}

#[expect(clippy::disallowed_methods, reason = "a thread of its own that paces its writes")]
fn pause(duration: Duration) {
    std::thread::sleep(duration);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_begins_as_late_as_the_last_one_allows() {
        assert_eq!(log_limit(100, 0), 75, "some room is left in any case");
        assert_eq!(log_limit(100, 5), 75);
        assert_eq!(log_limit(100, 20), 60);
        assert_eq!(log_limit(100, 90), 50);
        assert_eq!(log_limit(100, u64::MAX), 50, "before the first one");
    }
}
