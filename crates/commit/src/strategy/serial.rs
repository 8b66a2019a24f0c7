//! MySQL 5.5's two-phase commit under `prepare_commit_mutex`: the baseline, as it was.
//!
//! | who | does |
//! | --- | --- |
//! | session | Reserve: the write set goes to redo as a chunk, and the session waits until that is synced. This first sync is shared by all who prepare at that time. Then ticket and apply |
//! | FLUSH | one transaction at a time: events finalised, written, and synced by `sync_binlog`; then its redo record is drawn and filled |
//! | REDO | syncs redo: for those who prepare, and for all whose record is filled. This third sync is shared too; publishes |
//!
//! In the original the mutex is held from after the first sync to before the third; here that section is a transaction's
//! time on FLUSH. The order is the ticket's, drawn when the section is entered there and when its queue is entered here.

use std::sync::atomic::Ordering;

use engine::ids::CommitSeq;
use parking_lot::Mutex;

use super::group::FinalEvents;
use super::{Form, Harvest, Strategy, StrategyKind, carry_redo};
use crate::fill::RecordEvents;
use crate::pending::{Batch, Pending};
use crate::{FatalError, Pipeline, Role};

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Serial {
    /// Held by whoever plays FLUSH.
    section: Mutex<Section>,
    /// From FLUSH to REDO. Rank: after both.
    logged: Mutex<Batch>,
    /// Held by whoever plays REDO: those whose third sync is under way.
    last: Mutex<Batch>,
}

#[derive(Debug, Default)]
struct Section {
    queue: Harvest,
    events: FinalEvents,
    /// Transactions since the last sync.
    unsynced: u32,
}

impl Serial {
    /// The section under the mutex, for everybody who waits for it, one after another.
    fn pass(&self, pipeline: &Pipeline) -> Result<(), FatalError> {
        let mut section = self.section.lock();
        let Section { queue, events, unsynced } = &mut *section;
        queue.take(pipeline, |_| true);
        pipeline.crowd.carries(pipeline.last_drawn());
        for mut pending in queue.done.drain(..) {
            let begun = pipeline.clock.monotonic_ns();
            let crc = pipeline.in_line(|| {
                events.begin(pipeline);
                let crc = events.finalise(&pending)?;
                events.write(pipeline, std::slice::from_ref(&pending))?;
                Ok::<_, FatalError>(crc)
            })?;
            let every = pipeline.settings.sync_binlog.load(Ordering::Relaxed);
            *unsynced += 1;
            if every > 0 && *unsynced >= every {
                *unsynced = 0;
                pipeline.sync_files()?;
            }
            pipeline.draw_record(&mut pending);
            pipeline.fill_record(&mut pending, Some(RecordEvents::Named(crc)));
            pipeline.stats.flush_ns.record(pipeline.clock.monotonic_ns().saturating_sub(begun));
            self.logged.lock().push(pending);
            pipeline.roles.want(Role::Redo);
        }
        Ok(())
    }

    fn finish(&self, pipeline: &Pipeline) -> Result<(), FatalError> {
        let mut last = self.last.lock();
        last.append(&mut self.logged.lock());
        let reached = carry_redo(pipeline, pipeline.settings.redo_demand())?;
        // Behind a chunk that is not filled yet nothing is written: whoever fills it wants this role again.
        let count = last.iter().take_while(|pending| pending.ticket().redo_end <= reached).count();
        let mut done = last.drain(..count).collect();
        pipeline.publish(&mut done);
        Ok(())
    }
}

impl Strategy for Serial {
    fn kind(&self) -> StrategyKind {
        StrategyKind::Serial
    }

    fn form(&self) -> Form {
        Form::Later
    }

    fn fill(&self, _pipeline: &Pipeline, _pending: &mut Pending) -> Result<(), FatalError> {
        // The section does it.
        Ok(())
    }

    fn gathers(&self) -> bool {
        false
    }

    fn first_roles(&self, _: &Pipeline) -> &'static [Role] {
        &[Role::Flush]
    }

    fn step(&self, pipeline: &Pipeline, role: Role) -> Result<(), FatalError> {
        match role {
            Role::Flush => self.pass(pipeline),
            Role::Redo => self.finish(pipeline),
            Role::Files | Role::Store | Role::Sync => Ok(()),
        }
    }

    fn begin(&self, last: CommitSeq) {
        self.section.lock().queue.begin(last);
    }
}
