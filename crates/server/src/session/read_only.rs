//! `read_only` and `super_read_only`: who may write, and since when.
//!
//! A statement that writes is refused when it begins, and its transaction again when it commits: then its commit has been
//! admitted, and whoever makes the server read-only keeps new ones out and waits until none is under way. So when SET has
//! answered, nothing that a client wrote is on its way to the binlog any more, and another server may be made the source.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use types::error::SqlError;
use types::error::table::{ER_LOCK_OR_ACTIVE_TRANSACTION, ER_OPTION_PREVENTS_STATEMENT};

use super::Client;
use crate::accounts::Access;
use crate::variables::{Val, Variables};

type Result<T> = std::result::Result<T, SqlError>;

/// A client as one who writes.
#[derive(Debug)]
pub(crate) struct Writer {
    pub(crate) variables: Arc<Variables>,
    pub(crate) access: Arc<Access>,
}

impl Writer {
    /// Error 1290 while the server takes no changes of it.
    pub(crate) fn refuse(&self) -> Result<()> {
        let live = &self.variables.live;
        if live.super_read_only.load(Ordering::Relaxed) {
            return Err(ER_OPTION_PREVENTS_STATEMENT.error(&[&"--super-read-only"]));
        }
        if live.read_only.load(Ordering::Relaxed) && !self.access.is_admin() {
            return Err(ER_OPTION_PREVENTS_STATEMENT.error(&[&"--read-only"]));
        }
        Ok(())
    }
}

impl Client {
    /// Error 1290 while the server takes no changes of this session.
    pub(super) fn refuse_read_only(&self) -> Result<()> {
        self.transaction.writer.as_ref().map_or(Ok(()), Writer::refuse)
    }

    /// Error 1192 for such a variable in the midst of a transaction, or under LOCK TABLES. `super_read_only` can be switched
    /// off at any time.
    pub(super) fn may_set_read_only(&self, name: &str, val: &Val) -> Result<()> {
        let matters = name == "read_only" || name == "super_read_only" && val.is_on();
        if matters && (self.transaction.open || self.locked.is_some()) {
            return Err(ER_LOCK_OR_ACTIVE_TRANSACTION.error(&[]));
        }
        Ok(())
    }

    /// Before such a variable goes on, or `gtid_mode` changes: keeps commits out, by the global read lock, unless the session has that
    /// already. Returns whether it is to be given up again.
    pub(super) async fn keep_out_commits(&mut self, name: &str, val: &Val) -> Result<bool> {
        let live = &self.shared.variables.live;
        let turns_on = |is_on: &AtomicBool| val.is_on() && !is_on.load(Ordering::Relaxed);
        let changes = match name {
            "read_only" => turns_on(&live.read_only),
            "super_read_only" => turns_on(&live.super_read_only),
            "gtid_mode" => val.choice() != self.gtid_mode(),
            _ => false,
        };
        let begins = changes && self.global_lock.is_none();
        if begins {
            self.lock_globally().await?;
        }
        Ok(begins)
    }
}
