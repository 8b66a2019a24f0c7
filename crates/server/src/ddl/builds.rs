//! Builds under way: work over whole tables and files, on threads of its own. A thread outlives the future that waits for it. So
//! whoever drops that future tells the thread to end, and a server that stops waits for all of them: most write into the base.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Condvar, Mutex};
use types::error::SqlError;
use types::error::table::{ER_QUERY_INTERRUPTED, ER_SERVER_SHUTDOWN, ER_UNKNOWN_ERROR};

type Result<T> = std::result::Result<T, SqlError>;

/// All of a server's.
#[derive(Debug, Default)]
pub struct Builds(Arc<UnderWay>);

#[derive(Debug, Default)]
struct UnderWay {
    /// How many. Rank: last.
    count: Mutex<usize>,
    one_has_ended: Condvar,
    /// The server stops. Changes under the lock, so that none begins behind it. Relaxed order: nothing else is read by it.
    closed: AtomicBool,
}

impl Builds {
    /// Does it on another thread, which is told to end when this future is dropped. Error 1053 at a server that stops.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Build) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let build = self.begin()?;
        let _waits = Waits(Arc::clone(&build.alone));
        let done = tokio::task::spawn_blocking(move || work(&build)).await;
        done.map_err(|error| SqlError::with_message(&ER_UNKNOWN_ERROR, error.to_string()))?
    }

    fn begin(&self) -> Result<Build> {
        let mut count = self.0.count.lock();
        if self.0.closed.load(Ordering::Relaxed) {
            return Err(ER_SERVER_SHUTDOWN.error(&[]));
        }
        *count += 1;
        Ok(Build { all: Arc::clone(&self.0), alone: Arc::default() })
    }

    /// How many are under way.
    pub fn count(&self) -> usize {
        *self.0.count.lock()
    }

    /// Ends all of them, and lets none begin any more. Blocks until the last one has ended.
    pub fn close(&self) {
        let mut count = self.0.count.lock();
        self.0.closed.store(true, Ordering::Relaxed);
        while *count > 0 {
            self.0.one_has_ended.wait(&mut count);
        }
    }
}

/// One of them; its thread has it.
#[derive(Debug)]
pub(crate) struct Build {
    all: Arc<UnderWay>,
    /// Nobody waits for it. Relaxed order: as above.
    alone: Arc<AtomicBool>,
}

impl Build {
    /// For each row: whether it goes on. Errors 1317 and 1053.
    pub(crate) fn is_wanted(&self) -> Result<()> {
        if self.all.closed.load(Ordering::Relaxed) {
            return Err(ER_SERVER_SHUTDOWN.error(&[]));
        }
        if self.alone.load(Ordering::Relaxed) { Err(ER_QUERY_INTERRUPTED.error(&[])) } else { Ok(()) }
    }
}

impl Drop for Build {
    fn drop(&mut self) {
        *self.all.count.lock() -= 1;
        self.all.one_has_ended.notify_all();
    }
}

/// Somebody waits for a build.
struct Waits(Arc<AtomicBool>);

impl Drop for Waits {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Goes on until it is told to end, which it tells.
    fn endless(told: &mpsc::Sender<u16>) -> impl FnOnce(&Build) -> Result<()> + Send + 'static {
        let told = told.clone();
        move |build| {
            told.send(0).unwrap();
            loop {
                if let Err(error) = build.is_wanted() {
                    told.send(error.code).unwrap();
                    return Err(error);
                }
                std::thread::yield_now();
            }
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_build_that_nobody_waits_for_ends() {
        let builds = Arc::<Builds>::default();
        let (told, hears) = mpsc::channel();
        let work = endless(&told);
        let of = Arc::clone(&builds);
        let waiting = tokio::spawn(async move { of.run(work).await });
        assert_eq!(hears.recv(), Ok(0), "it has begun");
        assert_eq!(builds.count(), 1);
        waiting.abort();
        assert_eq!(hears.recv(), Ok(1317));
        builds.close();
        assert_eq!(builds.count(), 0);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_stop_ends_builds_and_waits_for_them() {
        let builds = Arc::<Builds>::default();
        assert_eq!(builds.run(|_| Ok(7)).await.unwrap(), 7);
        let (told, hears) = mpsc::channel();
        let work = endless(&told);
        let of = Arc::clone(&builds);
        let waiting = tokio::spawn(async move { of.run(work).await });
        assert_eq!(hears.recv(), Ok(0), "it has begun");
        builds.close();
        assert_eq!(hears.try_recv(), Ok(1053), "it has ended before");
        assert_eq!(waiting.await.unwrap().unwrap_err().code, 1053);
        assert_eq!(builds.run(|_| Ok(())).await.unwrap_err().code, 1053, "none begins any more");
    }
}
