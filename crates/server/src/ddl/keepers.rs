//! Who keeps definitions as they are: LOCK INSTANCE FOR BACKUP, FLUSH TABLES WITH READ LOCK.
//!
//! Definitions are what DDL and statements about accounts change. Any number of sessions may keep them at a time, and
//! any number may change them, but not both. A change holds one metadata lock shared until it ends. A keeper is counted
//! and then takes that lock exclusively, for a moment. So
//!
//! - a keeper waits for the changes that are under way, and comes before those behind it;
//! - it waits in the lock manager, because a change may wait for a table that the keeper's transaction has used: who
//!   closes the circle is told so (1213), as in MySQL;
//! - a change that finds keepers gives the lock back and waits without it: it holds nothing that they might wait for.
//!
//! A keeper itself may change definitions if it is the only one. FLUSH TABLES WITH READ LOCK is a keeper so that no
//! change begins that cannot commit: LOCK INSTANCE of the same session would wait for it, and it for the session.
//!
//! Binlog files are not removed during a backup: see [`Keepers::remove_binlogs`].
//!
//! Rejected: a mode of the lock manager for changes, compatible with itself alone. What one session keeps and changes
//! would have to be one transaction's, and every lock would pay for it.

use std::sync::Arc;

use engine::EngineError;
use engine::lock::{LockId, Mode};
use engine::trx::Trx;
use tokio::sync::{Mutex, MutexGuard, watch};

/// See the module.
#[derive(Debug, Default)]
pub struct Keepers {
    kept: watch::Sender<Kept>,
    /// Held while binlog files are removed.
    removal: Mutex<()>,
}

/// Who keeps definitions, or is about to.
#[derive(Debug, Default)]
struct Kept(Vec<Owner>);

impl Kept {
    fn has_backups(&self) -> bool {
        self.0.iter().any(|owner| owner.purpose == Purpose::Backup)
    }

    fn place(&self, connection: u32, purpose: Purpose) -> usize {
        let is_it = |owner: &Owner| owner.connection == connection && owner.purpose == purpose;
        self.0.iter().position(is_it).expect("it was counted")
    }
}

/// A connection that keeps definitions, or is about to.
#[derive(Clone, Copy, Debug)]
pub struct Owner {
    /// The connection.
    pub connection: u32,
    /// What for.
    pub purpose: Purpose,
    /// How far it is.
    pub has: Has,
}

/// What a keeper has by now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Has {
    /// It waits for changes that are under way.
    Nothing,
    /// Nobody changes definitions.
    Definitions,
    /// And nobody commits: FLUSH TABLES WITH READ LOCK.
    Commits,
}

/// What definitions are kept for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// LOCK INSTANCE FOR BACKUP.
    Backup,
    /// FLUSH TABLES WITH READ LOCK.
    Reading,
}

/// Definitions stay as they are while it lives.
#[derive(Debug)]
pub struct Keep {
    keepers: Arc<Keepers>,
    connection: u32,
    purpose: Purpose,
}

impl Keep {
    /// Says how far it is.
    pub fn set(&self, has: Has) {
        self.keepers.kept.send_modify(|kept| {
            let place = kept.place(self.connection, self.purpose);
            kept.0[place].has = has;
        });
    }
}

impl Drop for Keep {
    fn drop(&mut self) {
        self.keepers.kept.send_modify(|kept| {
            kept.0.swap_remove(kept.place(self.connection, self.purpose));
        });
    }
}

impl Keepers {
    /// Keeps definitions, once the changes under way have ended. `trx` waits, and holds nothing of it afterwards.
    ///
    /// # Errors
    /// A time-out; a deadlock.
    pub async fn keep(
        self: &Arc<Self>,
        connection: u32,
        purpose: Purpose,
        trx: &mut Trx,
    ) -> Result<Keep, EngineError> {
        self.kept.send_modify(|kept| kept.0.push(Owner { connection, purpose, has: Has::Nothing }));
        let keep = Keep { keepers: Arc::clone(self), connection, purpose };
        if purpose == Purpose::Backup {
            drop(self.removal.lock().await);
        }
        trx.lock_metadata(changes(), Mode::Exclusive).await?;
        trx.unlock(changes());
        keep.set(Has::Definitions);
        Ok(keep)
    }

    /// Lets a change of definitions begin, once nobody keeps them but its own session, `own` times. `trx` holds the
    /// change's lock then.
    ///
    /// # Errors
    /// A time-out; a deadlock.
    pub async fn begin_change(&self, own: usize, trx: &mut Trx) -> Result<(), EngineError> {
        let mut kept = self.kept.subscribe();
        loop {
            trx.lock_metadata(changes(), Mode::Shared).await?;
            if kept.borrow().0.len() == own {
                return Ok(());
            }
            trx.unlock(changes());
            let free = kept.wait_for(|kept| kept.0.len() == own);
            let free = tokio::time::timeout(trx.table_wait, free).await.map(drop);
            free.map_err(|_| EngineError::LockWaitTimeout)?;
        }
    }

    /// Who keeps definitions, or is about to.
    pub fn owners(&self) -> Vec<Owner> {
        self.kept.borrow().0.clone()
    }

    /// What is held while binlog files are removed; a backup waits for it. `None` during backups.
    pub async fn remove_binlogs(&self) -> Option<MutexGuard<'_, ()>> {
        let removal = self.removal.lock().await;
        (!self.kept.borrow().has_backups()).then_some(removal)
    }

    /// The same for whoever may come back later: `None` also if somebody removes files now.
    pub fn try_remove_binlogs(&self) -> Option<MutexGuard<'_, ()>> {
        let removal = self.removal.try_lock().ok()?;
        (!self.kept.borrow().has_backups()).then_some(removal)
    }
}

/// The lock of whoever changes definitions.
pub(crate) fn changes() -> LockId {
    LockId::of(&[b"definitions"])
}
