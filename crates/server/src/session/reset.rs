//! RESET, and `gtid_purged` set: a server forgets, or is told, what was executed.

use std::future::pending;
use std::pin::pin;
use std::sync::Arc;

use commit::{AbortOnUnwind, CommitAck, CommitError, FatalError, Quiet};
use engine::base::Base;
use sql::parse::Reset;
use types::error::SqlError;
use types::error::table::{
    ER_CANT_SET_GTID_PURGED_DUE_SETS_CONSTRAINTS, ER_LOCK_OR_ACTIVE_TRANSACTION, ER_QUERY_INTERRUPTED,
    ER_RESET_SOURCE_TO_VALUE_OUT_OF_RANGE,
};

use super::Client;
use super::dispatch::unsupported;
use super::transaction::commit_error;
use crate::accounts::Privileges;
use crate::variables::{Val, parse_gtid_purged};

type Result<T> = std::result::Result<T, SqlError>;

/// The highest number that RESET BINARY LOGS AND GTIDS TO takes.
const FIRST_MAX: u32 = 2_000_000_000;

impl Client {
    /// RESET.
    pub(super) async fn forget(&mut self, what: Vec<Reset>) -> Result<Option<CommitAck>> {
        if what.iter().any(|what| matches!(what, Reset::Persist { .. })) {
            return Err(unsupported("RESET PERSIST"));
        }
        self.access.require(Privileges::RELOAD, "", "RELOAD")?;
        if self.locked.is_some() && what.iter().any(|what| matches!(what, Reset::BinaryLogs(_))) {
            return Err(ER_LOCK_OR_ACTIVE_TRANSACTION.error(&[]));
        }
        let ack = self.end_transaction().await?;
        self.spend_gtid().await?;
        for what in what {
            match what {
                Reset::BinaryLogs(first) => self.reset_binlog(first).await?,
                Reset::Replica { all } => self.reset_replica(all).await?,
                Reset::Persist { .. } => unreachable!("it was refused"),
            }
        }
        Ok(Some(ack))
    }

    /// RESET BINARY LOGS AND GTIDS. Unlike a purge, and as in MySQL, it does not care for LOCK INSTANCE FOR BACKUP.
    async fn reset_binlog(&mut self, first: Option<u64>) -> Result<()> {
        let wanted = first.unwrap_or(1);
        let number = u32::try_from(wanted).ok().filter(|number| (1..=FIRST_MAX).contains(number));
        let out_of_range = || ER_RESET_SOURCE_TO_VALUE_OUT_OF_RANGE.error(&[&wanted, &FIRST_MAX]);
        let number = number.ok_or_else(out_of_range)?;
        // The one that is taken while nobody commits has little left to carry then.
        self.shared.schema.take_checkpoint().await?;
        let store = Arc::clone(&self.shared.store);
        self.while_quiet("RESET BINARY LOGS AND GTIDS", move |quiet, base| {
            quiet.reset_binlog(number, base, store.counters())
        })
        .await?;
        tracing::info!(first = number, "the binary log was begun anew, all GTIDs are forgotten");
        Ok(())
    }

    /// `gtid_purged` is set. Error 3546.
    pub(super) async fn set_gtid_purged(&mut self, val: &Val) -> Result<()> {
        let (gtids, beside) = parse_gtid_purged(val.as_text())?;
        let refused =
            |what: &dyn std::fmt::Display| ER_CANT_SET_GTID_PURGED_DUE_SETS_CONSTRAINTS.error(&[what]);
        let (shared, asked) = (Arc::clone(&self.shared), gtids.clone());
        let is_set = self.while_quiet("setting gtid_purged", move |quiet, base| {
            if shared.pipeline.owns_one_of(&asked) {
                return Ok(None);
            }
            quiet.set_purged_gtids(&asked, beside, base).map(Some)
        });
        match is_set.await? {
            Some(Ok(())) => {
                tracing::info!(%gtids, beside, "gtid_purged was set");
                Ok(())
            }
            Some(Err(why)) => Err(refused(&why)),
            None => Err(refused(&"the added gtid set must not overlap with @@GLOBAL.GTID_OWNED")),
        }
    }

    /// Does something that writes, which `what` names, while no commit is under way. It may block. Nothing is begun while the disk
    /// is full.
    pub(super) async fn while_quiet<T: Send + 'static>(
        &self,
        what: &'static str,
        work: impl FnOnce(&Quiet, &Base) -> std::result::Result<T, FatalError> + Send + 'static,
    ) -> Result<T> {
        let pipeline = Arc::clone(&self.shared.pipeline);
        let quiet = self.kill.unless_killed(pin!(async { Ok(Quiet::take(&pipeline).await) })).await?;
        if pipeline.room.disk_is_full() {
            return Err(commit_error(CommitError::DiskFull));
        }
        let base = Arc::clone(self.shared.schema.base());
        let done = tokio::task::spawn_blocking(move || {
            let _guard = AbortOnUnwind;
            quiet.carry_out(what, |quiet| work(quiet, &base))
        });
        match done.await.map_err(|_| ER_QUERY_INTERRUPTED.error(&[]))? {
            Some(done) => Ok(done),
            None => pending().await,
        }
    }
}
