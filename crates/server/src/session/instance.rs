//! Locks of the whole server: LOCK INSTANCE FOR BACKUP, FLUSH TABLES WITH READ LOCK.

use std::pin::pin;
use std::sync::Arc;

use commit::ReadLock;
use engine::trx::Trx;
use sql::exec::engine_error;
use types::error::SqlError;
use types::error::table::ER_CANT_UPDATE_WITH_READLOCK;

use super::Client;
use crate::accounts::Privileges;
use crate::ddl::keepers::{Has, Keep, Purpose};
use crate::status::Waits;

type Result<T> = std::result::Result<T, SqlError>;

/// FLUSH TABLES WITH READ LOCK: definitions are kept, and nothing is committed.
#[derive(Debug)]
pub(super) struct GlobalLock {
    _definitions: Keep,
    _commits: ReadLock,
}

impl Client {
    /// LOCK INSTANCE FOR BACKUP: nobody else changes definitions, and nobody removes binlog files. The transaction goes
    /// on.
    pub(super) async fn lock_instance(&mut self) -> Result<()> {
        self.permit_backup()?;
        if self.backup_lock.is_none() {
            self.backup_lock = Some(self.keep_definitions(Purpose::Backup).await?);
        }
        Ok(())
    }

    /// UNLOCK INSTANCE.
    pub(super) fn unlock_instance(&mut self) -> Result<()> {
        self.permit_backup()?;
        self.backup_lock = None;
        Ok(())
    }

    fn permit_backup(&self) -> Result<()> {
        self.access.require(Privileges::NONE, "BACKUP_ADMIN", "BACKUP_ADMIN")
    }

    /// FLUSH TABLES WITH READ LOCK.
    pub(super) async fn lock_globally(&mut self) -> Result<()> {
        if self.global_lock.is_some() {
            return Ok(());
        }
        let definitions = self.keep_definitions(Purpose::Reading).await?;
        let take = async { Ok(ReadLock::take(&self.shared.pipeline).await) };
        self.view.counters().set_waits(Waits::ToCommit);
        let commits = self.kill.unless_killed(pin!(take)).await;
        self.view.counters().set_waits(Waits::ForNothing);
        let commits = commits?;
        definitions.set(Has::Commits);
        self.global_lock = Some(GlobalLock { _definitions: definitions, _commits: commits });
        Ok(())
    }

    async fn keep_definitions(&mut self, purpose: Purpose) -> Result<Keep> {
        let keepers = Arc::clone(&self.shared.common.keepers);
        // Whoever holds the session's tables waits: what changes definitions may wait for them.
        let trx = match &mut self.locked {
            Some(locked) => locked.trx(),
            None => &mut self.transaction.trx,
        };
        let id = self.sql.connection_id;
        let keep = async { keepers.keep(id, purpose, trx).await.map_err(engine_error) };
        self.kill.unless_killed(pin!(keep)).await
    }

    /// A transaction for the locks of a change of definitions, which may begin.
    pub(super) async fn begin_change(&self) -> Result<Trx> {
        let mut trx = Trx::of(Arc::clone(&self.shared.store), self.sql.connection_id);
        trx.table_wait = self.transaction.trx.table_wait;
        let own = usize::from(self.backup_lock.is_some());
        let begin = self.shared.common.keepers.begin_change(own, &mut trx);
        let counters = self.view.counters();
        counters.set_waits(Waits::ToDefine);
        let begun = self.kill.unless_killed(pin!(async { begin.await.map_err(engine_error) })).await;
        counters.set_waits(Waits::ForNothing);
        begun.map(|()| trx)
    }

    /// Error 1223 for a change under one's own FLUSH TABLES WITH READ LOCK, which would wait for itself.
    pub(super) fn refuse_under_read_lock(&self) -> Result<()> {
        if self.global_lock.is_none() {
            return Ok(());
        }
        Err(ER_CANT_UPDATE_WITH_READLOCK.error(&[]))
    }
}
