//! Changing the strategy of a running server.
//!
//! No new ticket is drawn, those under way are finished, the binlog files are completed, both logs are synced: then the
//! other strategy goes on from there. What a session has prepared for the old strategy it prepares again. The sequence of
//! binlog files has no gap, because every strategy draws places in it from the same sequencer.

use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use engine::base::Base;
use parking_lot::MutexGuard;
use redo::Cursor;

use crate::sequencer::Drawn;
use crate::store::{self, Place, Store};
use crate::{FatalError, Pipeline, StrategyKind};

/// No ticket is under way, and none is drawn while this lives.
#[derive(Debug)]
#[must_use = "commits go on when this is dropped"]
pub struct Quiet(Arc<Pipeline>);

impl Quiet {
    /// Keeps new tickets out, and resolves when none is under way.
    pub async fn take(pipeline: &Arc<Pipeline>) -> Self {
        // Made first: dropped while it waits, it lets tickets in again.
        let quiet = Self(Arc::clone(pipeline));
        pipeline.admission.quiesce().await;
        quiet
    }

    /// Does something that cannot be left half done, which `what` names, and lets commits go on. If it fails they never do: the
    /// process ends. `None` where it is a simulation's.
    pub fn carry_out<T>(
        self,
        what: &'static str,
        work: impl FnOnce(&Self) -> Result<T, FatalError>,
    ) -> Option<T> {
        let quiet = ManuallyDrop::new(self);
        match work(&quiet) {
            Ok(done) => {
                drop(ManuallyDrop::into_inner(quiet));
                Some(done)
            }
            Err(error) => {
                (quiet.0.die.0)(what, error);
                None
            }
        }
    }

    pub(crate) fn pipeline(&self) -> &Pipeline {
        &self.0
    }

    /// Makes `kind` the active strategy. Blocks for some syncs.
    pub fn switch(&self, kind: StrategyKind, base: &Base) -> Result<Switched, FatalError> {
        let pipeline = self.pipeline();
        let _one_at_a_time = pipeline.switching.lock();
        if pipeline.strategy_kind() == kind {
            return Ok(Switched::Done);
        }
        if !kind.can_sync_binlog(pipeline.settings.sync_binlog.load(Ordering::Relaxed)) {
            return Ok(Switched::NeedsRelaxedSync);
        }
        pipeline.catch_up()?;
        pipeline.sync_files()?;
        if let Some(error) = pipeline.prepare_for(kind, base)? {
            return Ok(Switched::NoStore(error.to_string()));
        }
        Ok(if pipeline.begin_with(kind) { Switched::Done } else { Switched::NoSuchStrategy })
    }
}

/// What came of a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Switched {
    /// The strategy is active.
    Done,
    /// This server run has a binlog and the strategy is for none, or the other way round.
    NoSuchStrategy,
    /// The strategy cannot keep `sync_binlog` = 1.
    NeedsRelaxedSync,
    /// The binlog store cannot be opened, and why.
    NoStore(String),
}

impl Drop for Quiet {
    fn drop(&mut self) {
        self.0.admission.go_on();
    }
}

impl Pipeline {
    /// Makes `kind` the active strategy while no ticket is under way. Returns whether there is such a one.
    pub(crate) fn begin_with(&self, kind: StrategyKind) -> bool {
        self.strategies.switch(kind, self.last_drawn())
    }

    /// Opens what a strategy needs: the binlog store. Returns why that cannot be opened; nothing has changed then.
    pub(crate) fn prepare_for(
        &self,
        kind: StrategyKind,
        base: &Base,
    ) -> Result<Option<FatalError>, FatalError> {
        if kind != StrategyKind::Enhanced || self.binlog.is_none() || self.store.get().is_some() {
            return Ok(None);
        }
        // Until the store is there, too: a checkpoint that knows of none says so in the facts.
        let changing = self.changing_facts.lock();
        let opened = self.change_facts(&changing, base, &[], |facts| {
            // Nothing of it is needed: it would have been opened at the start.
            facts.store.need_from(None);
            let start = facts.store.start;
            let place = match &self.store_options {
                None => Place::Redo(&self.redo),
                Some(options) => {
                    Place::Own { options, kept: &[], lock: store::lock(&*self.vfs, &options.dir)? }
                }
            };
            Store::begin(&self.vfs, place, &mut facts.store, start)
        })?;
        match opened {
            Ok((store, cursor)) => {
                self.adopt_store(store, cursor, Drawn::default());
                Ok(None)
            }
            // Its first segment would have been redo's next.
            Err(error) if self.redo.has_failed() => Err(error),
            Err(error) => Ok(Some(error)),
        }
    }

    /// Keeps the strategy as it is while this lives: for whoever changes a setting that has to fit it. `None` while it is
    /// being switched, or the log begun anew, which may take a checkpoint: no runtime's thread is to wait for that.
    pub fn try_keep_strategy(&self) -> Option<MutexGuard<'_, ()>> {
        self.switching.try_lock()
    }

    /// The store is there, with so much in it, and its beginning is in the facts.
    pub(crate) fn adopt_store(&self, store: Store, cursor: Cursor, drawn: Drawn) {
        self.sequencer.begin_store(cursor, drawn);
        assert!(self.store.set(store).is_ok(), "a store is opened once");
    }
}
