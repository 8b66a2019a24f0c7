//! Who waits for the server's logs in a function.
//!
//! Each keeps its thread, as MySQL's does, but sleeps: one task looks for all, as long as there are any.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use binlog::GtidSet;
use parking_lot::Mutex;
use tokio::sync::oneshot;
use types::error::SqlError;
use types::error::table::ER_CANT_CREATE_THREAD;

use super::Shared;

/// How often the task looks, for each so many who wait.
const LOOK: Duration = Duration::from_millis(3);
const WAITING_A_LOOK: usize = 256;

/// Threads that may wait at a time. Where the operating system has no more (systemd's limit for a service is about
/// 4,900 on a small machine), whoever waits would take one from those who do not.
pub(crate) const THREADS_MAX: usize = 4000;

/// What somebody waits for.
#[derive(Debug)]
pub(super) enum Wanted {
    /// These are executed.
    Set(GtidSet),
    /// This position of the source is applied, or the replica has stopped.
    Position { file: u64, position: u64 },
}

/// See the module.
#[derive(Debug, Default)]
pub struct Waits {
    /// Never empty while the task looks. Rank: before the replica's.
    waiting: Mutex<Vec<Waiting>>,
    threads: AtomicUsize,
    /// Held for moments by who is about to wait, see [`super::standby`]. Rank: first.
    pub(super) turns: Mutex<()>,
}

/// A thread that waits, as long as this lives.
#[derive(Debug)]
pub(super) struct Thread<'w>(&'w AtomicUsize);

impl Drop for Thread<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[derive(Debug)]
struct Waiting {
    wanted: Wanted,
    is_there: oneshot::Sender<()>,
}

impl Waits {
    /// Before a thread waits. Error 1135.
    pub(super) fn take_thread(&self) -> Result<Thread<'_>, SqlError> {
        // Made before the look: it gives the count back if there are too many.
        let others = self.threads.fetch_add(1, Ordering::Relaxed);
        let thread = Thread(&self.threads);
        if others >= THREADS_MAX {
            return Err(ER_CANT_CREATE_THREAD.error(&[&rustix::io::Errno::AGAIN.raw_os_error()]));
        }
        Ok(thread)
    }

    /// Resolves once what is wanted is there. Whoever has waited long enough drops it.
    pub(super) fn wait_for(shared: &Arc<Shared>, wanted: Wanted) -> oneshot::Receiver<()> {
        let (is_there, receiver) = oneshot::channel();
        if wanted.is_there(shared, &shared.pipeline.publisher().tuple().gtid_executed) {
            is_there.send(()).expect("its receiver is here");
            return receiver;
        }
        let mut waiting = shared.common.waits.waiting.lock();
        waiting.push(Waiting { wanted, is_there });
        if let [_] = waiting[..] {
            tokio::spawn(look(Arc::clone(shared)));
        }
        receiver
    }

    /// Tells those whose wait is over. Returns how many still wait.
    fn tell(&self, shared: &Shared) -> usize {
        let executed = shared.pipeline.publisher().tuple().gtid_executed;
        let mut waiting = self.waiting.lock();
        let is_over = |waiting: &mut Waiting| {
            waiting.is_there.is_closed() || waiting.wanted.is_there(shared, &executed)
        };
        for over in waiting.extract_if(.., is_over) {
            // Its receiver may be gone.
            let _ = over.is_there.send(());
        }
        waiting.len()
    }
}

async fn look(shared: Arc<Shared>) {
    loop {
        let count = shared.common.waits.tell(&shared);
        if count == 0 {
            return;
        }
        let looks = u32::try_from(1 + count / WAITING_A_LOOK).unwrap_or(u32::MAX);
        tokio::time::sleep(LOOK * looks).await;
    }
}

impl Wanted {
    fn is_there(&self, shared: &Shared, executed: &GtidSet) -> bool {
        match self {
            Self::Set(set) => set.is_subset(executed),
            Self::Position { file, position } => {
                let replica = &shared.common.replica;
                !replica.is_running() || replica.has_applied(*file, *position)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_would_be_one_too_many_is_told() {
        let waits = Waits::default();
        let mut threads: Vec<_> = (0..THREADS_MAX).map(|_| waits.take_thread().unwrap()).collect();
        for _ in 0..2 {
            let error = waits.take_thread().unwrap_err();
            assert!(error.is(&ER_CANT_CREATE_THREAD) && error.message.contains("(errno 11)"), "{error:?}");
        }
        threads.pop();
        threads.push(waits.take_thread().unwrap());
        assert!(waits.take_thread().is_err());
    }
}
