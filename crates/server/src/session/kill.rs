//! KILL: how one session stops another.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU8, Ordering};

use tokio::sync::Notify;
use types::error::SqlError;
use types::error::table::ER_QUERY_INTERRUPTED;

const NONE: u8 = 0;
const QUERY: u8 = 1;
const CONNECTION: u8 = 2;

/// Shared by a session and those who may stop it.
#[derive(Debug, Default)]
pub struct KillSwitch {
    /// What was asked for. Relaxed order: `Notify` carries the news.
    asked: AtomicU8,
    notify: Notify,
}

impl KillSwitch {
    /// KILL QUERY: stops the statement that runs now, if one does.
    pub fn kill_query(&self) {
        self.asked.fetch_max(QUERY, Ordering::Relaxed);
        self.notify.notify_waiters();
    }

    /// KILL: stops the statement and ends the connection.
    pub fn kill_connection(&self) {
        self.asked.fetch_max(CONNECTION, Ordering::Relaxed);
        self.notify.notify_waiters();
    }

    /// Whether the connection has to end.
    pub fn is_connection_killed(&self) -> bool {
        self.asked.load(Ordering::Relaxed) == CONNECTION
    }

    /// Whether anything is to stop.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed) != NONE
    }

    /// Resolves when anything is to stop.
    pub async fn asked_any(&self) {
        self.asked(QUERY).await;
    }

    /// Resolves when the connection has to end.
    pub async fn connection_killed(&self) {
        self.asked(CONNECTION).await;
    }

    /// A command begins: what was asked of the one before does not concern it.
    pub fn command_begins(&self) {
        let _ = self.asked.compare_exchange(QUERY, NONE, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Runs a statement until it is done or killed (1317). What it did so far is the caller's to undo. The work is pinned by
    /// the caller: passed on by value, each layer would keep room for it twice.
    pub(super) async fn unless_killed<T>(
        &self,
        work: Pin<&mut impl Future<Output = Result<T, SqlError>>>,
    ) -> Result<T, SqlError> {
        tokio::select! {
            biased;
            done = work => done,
            () = self.asked(QUERY) => Err(ER_QUERY_INTERRUPTED.error(&[])),
        }
    }

    async fn asked(&self, at_least: u8) {
        loop {
            let notified = self.notify.notified();
            tokio::pin!(notified);
            // Registered before the look, so that nothing is missed in between.
            notified.as_mut().enable();
            if self.asked.load(Ordering::Relaxed) >= at_least {
                return;
            }
            notified.await;
        }
    }
}
