//! Threads that stand by before one waits.
//!
//! Tokio's `block_in_place` puts a worker's work (tasks, timers, sockets) into the queue of the pool of blocking threads and
//! asks for a thread there. If the operating system has none, it says nothing: the work stays there until any thread of the
//! pool is free, which may be for ever. To try before whether a thread can be made does not help alone: another may take
//! the last one in between.
//!
//! So two threads of that very pool are held first, and let go when the work is in the queue. What holds: every work that is
//! queued brings a thread that looks into the queue next, so each work gets one, whoever else wants threads. The second
//! one is for what must not wait for those who do: the digest of a password, a file that is read. One session at a time gets
//! the two: else the next one's would be those that the one before has just let go, with its work still in the queue. When
//! a thread has been idle for so long that the pool ends it, another can be made: nobody waits in its place.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use types::error::SqlError;
use types::error::table::ER_CANT_CREATE_THREAD;

/// One for the work of the thread that waits, one for others.
const THREADS: usize = 2;

/// After this the operating system is asked whether it has threads.
const LOOK: Duration = Duration::from_millis(1);

/// If it has, and none comes, as often as this: a second.
const LOOKS_MAX: usize = 500;

/// See the module. They are let go when this is dropped, and then the next session's turn comes.
#[derive(Debug)]
pub(super) struct Standby<'t> {
    _hold: Vec<Sender<()>>,
    _turn: MutexGuard<'t, ()>,
}

impl<'t> Standby<'t> {
    /// Waits for moments until the threads are there. Error 1135.
    pub(super) fn get(turns: &'t Mutex<()>) -> Result<Self, SqlError> {
        let turn = turns.lock();
        let (here, arrivals) = channel();
        let hold = |_| {
            let (hold, held) = channel::<()>();
            let here = here.clone();
            tokio::task::spawn_blocking(move || {
                // Whoever called may have given up.
                let _ = here.send(());
                let _ = held.recv();
            });
            hold
        };
        let standby = Self { _hold: (0..THREADS).map(hold).collect(), _turn: turn };
        (0..THREADS).try_for_each(|_| arrive(&arrivals))?;
        Ok(standby)
    }
}

/// One more thread is there.
fn arrive(arrivals: &Receiver<()>) -> Result<(), SqlError> {
    let refused = |errno: i32| ER_CANT_CREATE_THREAD.error(&[&errno]);
    let again = rustix::io::Errno::AGAIN.raw_os_error();
    let is_here = || arrivals.recv_timeout(LOOK).is_ok();
    for _ in 0..LOOKS_MAX {
        if is_here() {
            return Ok(());
        }
        // The pool, which may have been refused a thread, tries again. Not next to the probe: that may be the last thread.
        tokio::task::spawn_blocking(|| {});
        if is_here() {
            return Ok(());
        }
        crate::run::try_thread().map_err(|error| refused(error.raw_os_error().unwrap_or(again)))?;
    }
    Err(refused(again))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::Notify;

    use super::*;

    /// Waits as sessions do.
    fn wait(turns: &Mutex<()>, told: &Notify) -> Result<(), SqlError> {
        let standby = Standby::get(turns)?;
        tokio::task::block_in_place(|| {
            drop(standby);
            tokio::runtime::Handle::current().block_on(told.notified());
        });
        Ok(())
    }

    #[test]
    fn who_gets_no_thread_is_told_and_others_have_theirs() {
        // A pool that makes no more threads says as little as one that gets none.
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .max_blocking_threads(3)
            .enable_all()
            .build()
            .unwrap();
        let (turns, told) = (Arc::<Mutex<()>>::default(), Arc::<Notify>::default());
        runtime.block_on(async {
            let (refusals, mut refused) = tokio::sync::mpsc::unbounded_channel();
            for _ in 0..4 {
                let (turns, told, refusals) = (Arc::clone(&turns), Arc::clone(&told), refusals.clone());
                tokio::spawn(async move { wait(&turns, &told).map_err(|error| refusals.send(error)) });
            }
            for _ in 0..2 {
                assert!(refused.recv().await.unwrap().is(&ER_CANT_CREATE_THREAD));
            }
            // The worker's work goes on, and there is a thread for what blocks.
            tokio::time::sleep(Duration::from_millis(1)).await;
            assert_eq!(tokio::task::spawn_blocking(|| 7).await.unwrap(), 7);
            assert_eq!(tokio::spawn(async { 8 }).await.unwrap(), 8);
            told.notify_waiters();
        });
    }
}
