//! AliSQL's Binlog Parallel Flush: everybody finalises and checksums his own events at once; what remains in line is
//! one write of everybody's bytes.
//!
//! | who | does |
//! | --- | --- |
//! | session | ticket, apply; finalises its own events into its range of the binlog buffer; fills its redo record |
//! | REDO | carries redo by its setting, once for the group |
//! | FILES | writes the contiguous prefix of the buffer to the binlog file; publishes |
//! | SYNC | syncs the file each second, or each `sync_binlog_interval` if that is set |
//!
//! `binlog_buffer_size` bounds the bytes that wait in the buffer. Power loss may take up to an interval of commits, from
//! both logs together: so it is refused with `sync_binlog=1`.

use engine::ids::CommitSeq;
use parking_lot::Mutex;

use super::{Form, Harvest, Strategy, StrategyKind, finalise, has_redo, leave};
use crate::file_maker::Finalised;
use crate::fill::RecordEvents;
use crate::pending::Pending;
use crate::{FatalError, Pipeline, Role};

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Parallel {
    /// Held by whoever plays REDO.
    stage: Mutex<Harvest>,
}

impl Strategy for Parallel {
    fn kind(&self) -> StrategyKind {
        StrategyKind::Parallel
    }

    fn form(&self) -> Form {
        Form::Buffered
    }

    fn fill(&self, pipeline: &Pipeline, pending: &mut Pending) -> Result<(), FatalError> {
        let events = finalise(pipeline, pending);
        let crc = events.as_ref().map(Finalised::crc32c).transpose()?;
        pipeline.fill_record(pending, crc.map(RecordEvents::Named));
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
                let demand = || pipeline.settings.redo_demand();
                pipeline.redo_by(demand())?;
                let done = stage.take(pipeline, |pending| has_redo(pipeline, demand(), pending));
                pipeline.leave_to_files(done, true);
                Ok(())
            }
            Role::Files => {
                pipeline.write_files()?;
                pipeline.roles.want_next(Role::Sync);
                Ok(())
            }
            Role::Sync => pipeline.sync_files_if_due(),
            Role::Flush | Role::Store => Ok(()),
        }
    }

    fn begin(&self, last: CommitSeq) {
        self.stage.lock().begin(last);
    }
}
