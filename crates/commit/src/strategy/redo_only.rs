//! The binlog is off: the line against which its cost is measured.
//!
//! Sessions fill their own records; one step writes and syncs everything filled, and publishes what that reached.

use engine::ids::CommitSeq;
use parking_lot::Mutex;

use super::{Form, Harvest, Strategy, StrategyKind, has_redo};
use crate::pending::Pending;
use crate::{FatalError, Pipeline, Role};

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct RedoOnly {
    /// Held by whoever plays the role.
    stage: Mutex<Harvest>,
}

impl Strategy for RedoOnly {
    fn kind(&self) -> StrategyKind {
        StrategyKind::None
    }

    fn form(&self) -> Form {
        Form::Named
    }

    fn fill(&self, pipeline: &Pipeline, pending: &mut Pending) -> Result<(), FatalError> {
        pipeline.fill_record(pending, None);
        pending.free_buffers();
        Ok(())
    }

    fn first_roles(&self, _: &Pipeline) -> &'static [Role] {
        &[Role::Redo]
    }

    fn step(&self, pipeline: &Pipeline, role: Role) -> Result<(), FatalError> {
        if role == Role::Redo {
            let mut stage = self.stage.lock();
            stage.gather(pipeline);
            let demand = || pipeline.settings.redo_demand();
            pipeline.redo_by(demand())?;
            pipeline.publish(stage.take(pipeline, |pending| has_redo(pipeline, demand(), pending)));
        }
        Ok(())
    }

    fn begin(&self, last: CommitSeq) {
        self.stage.lock().begin(last);
    }
}
