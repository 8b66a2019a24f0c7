//! Locked rows are those of one moment.
//!
//! A statement that locks what it finds reads the newest state, and others commit meanwhile: it might see one half of a
//! commit and not the other, and find neither of two rows that a value moves between. So it goes over its rows as they were
//! at a moment ([`engine::view::Published::newest_snapshot`]), and locks them. If none was changed between that moment and its lock,
//! they are what fulfils the conditions at the moment. If one was, it goes over them again at the next moment, and keeps its
//! locks: only another commit that changes what it has not locked yet can send it on another pass. Where there is no end of
//! those, a long statement takes what its last pass has found: rows that each fulfil the conditions under their locks.

use std::collections::HashMap;

use engine::ids::CommitSeq;
use engine::trx::Trx;
use engine::view::Snapshot;
use types::error::table::ER_TABLE_DEF_CHANGED;
use types::value::Value;
use types::warning::Warnings;

use super::{Exec, Result, give_way};

/// How often a moment may be given up before a pass over it ends, as old snapshots are.
const EXPIRED_MAX: u32 = 3;

/// So many passes are made at most,
const PASSES_MAX: u32 = 100;

/// and none begins when so many rows have been looked at since the first one ended.
const ROWS_AGAIN_MAX: u32 = 100_000;

/// The passes of a statement.
pub(super) struct Passes {
    made: u32,
    expired: u32,
    /// The rows that the statement had looked at when the first one ended.
    turns: u32,
    /// As they were before the first one.
    warnings: Warnings,
    variables: HashMap<String, Value>,
}

impl Exec<'_> {
    /// Passes over rows begin.
    pub(super) fn passes(&self) -> Passes {
        let variables = self.session.user_variables.lock().clone();
        Passes { made: 0, expired: 0, turns: 0, warnings: self.warnings.clone(), variables }
    }

    /// The newest moment. It has all that the transaction has seen and what came before its locks: who made that may have
    /// overtaken others, which are about to be through.
    pub(super) async fn moment(&mut self) -> Snapshot {
        newest_moment(self.trx).await
    }

    /// A pass has ended, and met this change of a row since its moment. Whether there is to be another one, which
    /// what this one has found is forgotten for.
    pub(super) fn passes_again(
        &mut self,
        passes: &mut Passes,
        done: Result<Option<CommitSeq>>,
    ) -> Result<bool> {
        passes.made += 1;
        if passes.made == 1 {
            passes.turns = self.turns.count();
        }
        let looked_at = self.turns.count().wrapping_sub(passes.turns);
        let is_last = passes.made == PASSES_MAX || looked_at > ROWS_AGAIN_MAX;
        match done {
            // What was changed is part of what the transaction has seen: the next moment has it.
            Ok(changed) if changed.is_none() || is_last => return Ok(false),
            Ok(_) => {}
            Err(error) if error.is(&ER_TABLE_DEF_CHANGED) && passes.expired < EXPIRED_MAX => {
                passes.expired += 1;
                // What was being read when the snapshot was lost is not all.
                self.lookups.forget();
            }
            Err(error) => return Err(error),
        }
        self.warnings.clone_from(&passes.warnings);
        self.session.user_variables.lock().clone_from(&passes.variables);
        Ok(true)
    }
}

/// [`Exec::moment`]
pub(super) async fn newest_moment(trx: &Trx) -> Snapshot {
    while trx.store().published().all_applied() < trx.horizon() {
        give_way().await;
    }
    trx.newest_snapshot()
}
