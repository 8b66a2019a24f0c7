//! The thread of those who are sent the binlog.
//!
//! A commit may wait for a replica's acknowledgement, and hundreds of followers may have to be told of a commit. Among the
//! sessions' tasks a sender would wait for its turn behind all who run, at each hand-over, and they behind the senders. So
//! senders have a runtime of their own, with one thread, which the operating system lets run when there is something to send.

use std::future::Future;

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// See the module. The tasks end with it.
#[derive(Debug)]
pub struct Streams(Option<Runtime>);

impl Streams {
    /// Starts the thread.
    pub fn start() -> std::io::Result<Self> {
        crate::run::try_thread()?;
        let runtime =
            Builder::new_multi_thread().worker_threads(1).thread_name("dumps").enable_all().build()?;
        Ok(Self(Some(runtime)))
    }

    /// Runs a task there.
    pub fn spawn<F>(&self, task: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        self.0.as_ref().expect("it is there until the end").spawn(task)
    }
}

impl Drop for Streams {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
