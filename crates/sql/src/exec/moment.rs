//! Locked rows are those of one moment.
//!
//! A statement that locks what it finds reads the newest state, and others commit meanwhile: it might see one half of a
//! commit and not the other, and find neither of two rows that a value moves between. So it goes over its rows as they were
//! at a moment ([`engine::view::Published::newest_snapshot`]), and locks them. If none was changed between that moment and its lock,
//! they are what fulfils the conditions at the moment. If one was, it goes over them again at the next moment, and keeps its
//! locks: only another commit that changes what it has not locked yet can send it on another pass.

use engine::ids::CommitSeq;
use types::error::table::ER_TABLE_DEF_CHANGED;
use types::warning::Warnings;

use super::{Exec, Result, give_way};

/// How often a moment may be given up before a pass over it ends, as old snapshots are.
const EXPIRED_MAX: u32 = 3;

/// What is the same for all passes of a statement.
pub(super) struct Passes {
    expired: u32,
    /// As they were before the first one.
    warnings: Warnings,
}

impl Exec<'_> {
    /// Passes over rows begin.
    pub(super) fn passes(&self) -> Passes {
        Passes { expired: 0, warnings: self.warnings.clone() }
    }

    /// A pass has ended, and met this change of a row since its moment. Whether there is to be another one, which
    /// what this one has found is forgotten for.
    pub(super) async fn passes_again(
        &mut self,
        passes: &mut Passes,
        done: Result<Option<CommitSeq>>,
    ) -> Result<bool> {
        match done {
            Ok(None) => return Ok(false),
            Ok(Some(changed)) => {
                // Who changed it may have overtaken others, which are about to be through.
                while self.trx.store().published().all_applied() < changed {
                    give_way().await;
                }
            }
            Err(error) if error.is(&ER_TABLE_DEF_CHANGED) && passes.expired < EXPIRED_MAX => {
                passes.expired += 1;
            }
            Err(error) => return Err(error),
        }
        self.warnings.clone_from(&passes.warnings);
        Ok(true)
    }
}
