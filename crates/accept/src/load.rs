//! Clients that work until the server is killed, and whoever kills it: what they know of each other.
//!
//! A connection that ends before the kill is a failure, however it ends; and the server is not killed before every client
//! has had an answer, so that what is checked afterwards is about something.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rig::{Outcome, until};

/// How long it may take until every client has had an answer.
const PATIENCE: Duration = Duration::from_mins(2);

/// See the module.
#[derive(Debug, Default)]
pub struct Load {
    /// Clients that have had a commit acknowledged. Relaxed order: nothing else is told by it.
    begun: AtomicUsize,
    /// Relaxed order: who kills sets it first, and a connection that ends of it ends later.
    is_killed: AtomicBool,
    /// Why the first client ended too early.
    failed: OnceLock<String>,
}

impl Load {
    /// Of no client yet.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// A client has had its first commit acknowledged.
    pub fn begin(&self) {
        self.begun.fetch_add(1, Ordering::Relaxed);
    }

    /// A client's connection has ended, or did not come about.
    pub fn end(&self, error: &impl Display) -> Outcome {
        if self.is_killed.load(Ordering::Relaxed) {
            return Ok(());
        }
        Err(self.fail(format!("a connection ended before the server was killed: {error}")).into())
    }

    /// A client has failed: nobody need wait for it.
    pub fn fail(&self, what: String) -> String {
        self.failed.get_or_init(|| what.clone());
        what
    }

    /// Waits until so many clients have had a commit acknowledged.
    pub fn await_begun(&self, clients: usize) -> Outcome {
        until(PATIENCE, "a commit of every client is acknowledged", || {
            self.check()?;
            Ok(self.begun.load(Ordering::Relaxed) >= clients)
        })
    }

    /// From here on connections may end.
    pub fn expect_end(&self) -> Outcome {
        self.is_killed.store(true, Ordering::Relaxed);
        self.check()
    }

    /// Whether no client has failed.
    fn check(&self) -> Outcome {
        self.failed.get().map_or(Ok(()), |what| Err(what.clone().into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_that_ends_before_the_kill_is_a_failure() {
        let load = Load::default();
        load.begin();
        assert!(load.await_begun(1).is_ok());
        assert!(load.end(&"hung up").is_err());
        assert!(load.await_begun(2).is_err(), "nobody waits for it");
        assert!(load.expect_end().is_err());

        let load = Load::default();
        assert!(load.expect_end().is_ok());
        assert!(load.end(&"hung up").is_ok());
    }
}
