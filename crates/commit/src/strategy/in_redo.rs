//! AliSQL's Binlog in Redo: the redo record carries the final events, so one sync makes a commit durable in both logs.
//!
//! | who | does |
//! | --- | --- |
//! | session | ticket, apply; finalises its own events; fills one redo record with write set and events, and the binlog buffer |
//! | REDO | writes and syncs everything filled; publishes what that reached; leaves the events to the file maker |
//! | FILES | writes events to the binlog file, once redo that carries them is synced |
//! | SYNC | syncs the binlog file each `sync_binlog_interval` |
//!
//! The file is behind redo by what is in the backlog, at most `binlog_buffer_size`. Recovery writes what the file lacks
//! from the same records. With `wait_binlog_flush` a commit is published when its events are in the file. Unlike the
//! original: no limit to a transaction's size, visibility in binlog order, and no holes.

use std::sync::atomic::Ordering;

use engine::ids::CommitSeq;
use parking_lot::Mutex;

use super::{Form, Harvest, Strategy, StrategyKind, finalise, has_redo, leave, redo_demand};
use crate::fill::RecordEvents;
use crate::pending::Pending;
use crate::{FatalError, Pipeline, Role};

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct InRedo {
    /// Held by whoever plays REDO.
    stage: Mutex<Harvest>,
}

impl Strategy for InRedo {
    fn kind(&self) -> StrategyKind {
        StrategyKind::InRedo
    }

    fn form(&self) -> Form {
        Form::Carried
    }

    fn fill(&self, pipeline: &Pipeline, pending: &mut Pending) -> Result<(), FatalError> {
        let events = finalise(pipeline, pending);
        let carried = events.as_ref().map(|events| {
            let (head, tail) = events.edges();
            RecordEvents::Carried { head, tail }
        });
        pipeline.fill_record(pending, carried);
        leave(pipeline, pending, events);
        Ok(())
    }

    fn first_roles(&self, _: &Pipeline) -> &'static [Role] {
        &[Role::Redo]
    }

    fn step(&self, pipeline: &Pipeline, role: Role) -> Result<(), FatalError> {
        match role {
            Role::Redo => {
                let mut stage = self.stage.lock();
                stage.gather(pipeline);
                pipeline.redo_by(redo_demand(pipeline))?;
                let done = stage.take(pipeline, |pending| has_redo(pipeline, redo_demand(pipeline), pending));
                let waits = pipeline.settings.wait_binlog_flush.load(Ordering::Relaxed);
                pipeline.leave_to_files(done, waits);
                Ok(())
            }
            Role::Files => pipeline.write_files(),
            Role::Sync => pipeline.sync_files_if_due(),
            Role::Flush | Role::Store => Ok(()),
        }
    }

    fn begin(&self, last: CommitSeq) {
        self.stage.lock().begin(last);
    }
}
