//! The binlog is off: the line against which its cost is measured.
//!
//! Sessions fill their own records; one step writes and syncs everything filled, and publishes what that reached.

use engine::ids::CommitSeq;
use parking_lot::Mutex;
use redo::{Durability, Lsn};

use super::Strategy;
use crate::pending::{Batch, Pending};
use crate::record::BinlogPlace;
use crate::{FatalError, Pipeline, Role};

/// See the module.
#[derive(Debug)]
pub(crate) struct RedoOnly {
    /// Held by whoever plays the role.
    stage: Mutex<Stage>,
}

#[derive(Debug)]
struct Stage {
    /// The transaction that is published next.
    next: CommitSeq,
    done: Batch,
}

impl RedoOnly {
    pub(crate) fn new(last: CommitSeq) -> Self {
        Self { stage: Mutex::new(Stage { next: last.next(), done: Vec::new() }) }
    }
}

impl Strategy for RedoOnly {
    fn name(&self) -> &'static str {
        "none"
    }

    fn fill(&self, pipeline: &Pipeline, pending: &mut Pending) {
        pipeline.fill_record(pending, 0, BinlogPlace::default());
    }

    fn first_role(&self) -> Role {
        Role::Redo
    }

    fn step(&self, pipeline: &Pipeline, role: Role) -> Result<(), FatalError> {
        assert_eq!(role, Role::Redo, "there is no binlog to play for");
        let mut stage = self.stage.lock();
        let stage = &mut *stage;
        let demand = pipeline.settings.redo_demand();
        pipeline.redo_by(demand)?;
        let reached = match demand {
            None => Lsn(u64::MAX),
            Some(Durability::Written) => pipeline.redo.written(),
            Some(Durability::Synced) => pipeline.redo.synced(),
        };
        let is_durable = |pending: &Pending| pending.ticket().redo_end <= reached;
        while let Some(pending) = pipeline.slots.take_ready(stage.next, is_durable) {
            stage.next = stage.next.next();
            stage.done.push(pending);
        }
        pipeline.publish(&mut stage.done);
        Ok(())
    }

    fn close(&self, _stop: &[u8]) -> Result<(), FatalError> {
        Ok(())
    }
}
