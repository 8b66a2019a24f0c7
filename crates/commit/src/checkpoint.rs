//! Checkpoints: carry what was committed into the base, so that redo can be recycled and recovery stays short.
//!
//! 1. [`Pipeline::begin_checkpoint`] seals the active delta at a ticket: M is the last transaction in it.
//! 2. Once M is visible, redo and binlog are synced through M, whatever the settings: from here on the base may hold
//!    what only the logs hold so far.
//! 3. The delta's newest versions go into the base in slices, each an atomic commit; the facts move with the last.
//!    A crash in between leaves a base that is ahead of its facts in some keys: replaying redo from the old facts
//!    puts the same or newer versions over them.
//! 4. The new base is published, the delta dropped, redo below the new facts recycled.

use engine::base::{Base, Slice, WhenFull};
use engine::ids::{Change, CommitSeq, CounterHigh, Key};
use parking_lot::{ArcMutexGuard, MutexGuard, RawMutex};

use crate::facts::Facts;
use crate::sequencer::Sealed;
use crate::stats::add;
use crate::{FatalError, Pipeline};

/// The slice that the facts move with is smaller than this: on a full disk it uses the ballast.
const LAST_SLICE: Slicing = Slicing { keys_max: 64, bytes_max: 64 << 10, when_full: WhenFull::UseBallast };

/// How a delta is carried.
#[derive(Clone, Copy, Debug)]
pub struct Slicing {
    /// Keys of a slice: each may dirty a page of its own.
    pub keys_max: usize,
    /// Bytes of keys and rows of a slice.
    pub bytes_max: usize,
    /// What slices do that find no room.
    pub when_full: WhenFull,
}

impl Default for Slicing {
    fn default() -> Self {
        Self { keys_max: 8192, bytes_max: 8 << 20, when_full: WhenFull::UseBallast }
    }
}

/// A checkpoint that has sealed its delta.
#[must_use = "a sealed delta stays in memory until its checkpoint has run"]
pub struct Checkpoint {
    sealed: Sealed,
    one_at_a_time: OneAtATime,
}

impl std::fmt::Debug for Checkpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checkpoint").field("sealed", &self.sealed).finish_non_exhaustive()
    }
}

/// No other checkpoint begins while this lives.
pub(crate) type OneAtATime = ArcMutexGuard<RawMutex, ()>;

impl Checkpoint {
    /// The last transaction that it covers. It may run once this one is visible.
    pub fn through(&self) -> CommitSeq {
        self.sealed.through
    }
}

impl Pipeline {
    /// Seals the active delta. One checkpoint at a time: waits for the one that is under way.
    pub fn begin_checkpoint(&self) -> Checkpoint {
        let one_at_a_time = self.checkpointing.lock_arc();
        self.room.checkpoint_begins();
        let sealed = self.sequencer.seal(|through| self.published.seal(through));
        Checkpoint { sealed, one_at_a_time }
    }

    /// Carries a sealed delta into the base. `counters` are the tables' current ones; `pace` is called between
    /// slices, to sleep. Any error is fatal.
    ///
    /// # Panics
    /// If the checkpoint's last transaction is not visible yet.
    pub fn run_checkpoint(
        &self,
        checkpoint: Checkpoint,
        base: &Base,
        counters: Vec<CounterHigh>,
        slicing: Slicing,
        mut pace: impl FnMut(),
    ) -> Result<(), FatalError> {
        self.carry(checkpoint, base, counters, slicing, &mut pace).map(drop)
    }

    /// The same; no other checkpoint begins as long as what it returns lives.
    pub(crate) fn carry(
        &self,
        checkpoint: Checkpoint,
        base: &Base,
        counters: Vec<CounterHigh>,
        slicing: Slicing,
        pace: &mut dyn FnMut(),
    ) -> Result<OneAtATime, FatalError> {
        let Checkpoint { sealed, one_at_a_time } = checkpoint;
        let Sealed { through, redo, store, gtid_executed, binlog, delta } = sealed;
        assert!(self.published.visible() >= through, "a checkpoint waits until its delta is complete");
        let begun = self.clock.monotonic_ns();
        self.make_durable()?;
        let mut slice = SliceBuilder { base, slicing, changes: Vec::new(), bytes: 0 };
        delta.for_each_newest(|key, change| {
            if slice.push(key, change)? {
                add(&self.stats.checkpoint_slices, 1);
                pace();
            }
            add(&self.stats.checkpoint_keys, 1);
            Ok::<_, FatalError>(())
        })?;
        if slice.exceeds(LAST_SLICE) {
            slice.commit()?;
            add(&self.stats.checkpoint_slices, 1);
        }
        if slicing.when_full == WhenFull::Wait {
            // The last slice may need the ballast.
            base.ballast().with_patience(|| Ok(()))?;
        }
        let changing = self.changing_facts.lock();
        let changed = self.change_facts(&changing, base, &slice.changes, |facts| {
            facts.through = through;
            facts.redo_start = redo.needed_from;
            // A store that was begun since the seal is needed whole.
            if store.is_some() || self.store().is_none() {
                facts.store.need_from(store.map(|mark| mark.needed_from));
            }
            // What `gtid_purged` was set to since the seal is executed too.
            facts.gtid_executed = gtid_executed;
            facts.settle_gtids();
            // While the binlog is off it ends where recovery has left it, and redo no longer says so.
            facts.binlog = binlog.map(|end| end.place()).or(self.left_binlog).or(facts.binlog);
            facts.counters = counters;
            facts.forget_old_epochs();
            Ok(())
        });
        changed??;
        drop(changing);
        self.published.replace_base(base.generation(through)?);
        self.redo.retire_below(redo.needed_from);
        if let (Some(log), Some(mark)) = (self.store(), store) {
            log.retire_below(mark.needed_from);
        }
        *self.passed.lock() = (redo.drawn, store.map(|mark| mark.drawn).unwrap_or_default());
        add(&self.stats.checkpoint_slices, 1);
        add(&self.stats.checkpoints, 1);
        add(&self.stats.checkpoint_ns, self.clock.monotonic_ns().saturating_sub(begun));
        Ok(one_at_a_time)
    }

    /// Changes the facts, in the base and then for everybody, with changes of data that become true with them. Whoever looks at
    /// them does not wait for that, for the base may wait for room on the disk. What `change` fails with comes back, and the
    /// facts are what they were. `_changing` is [`Pipeline::changing_facts`], held as long as others must not change what goes with
    /// them.
    pub(crate) fn change_facts<T>(
        &self,
        _changing: &MutexGuard<'_, ()>,
        base: &Base,
        data: &[(Key, Change)],
        change: impl FnOnce(&mut Facts) -> Result<T, FatalError>,
    ) -> Result<Result<T, FatalError>, FatalError> {
        let mut facts = self.facts.lock().clone();
        let done = change(&mut facts);
        if done.is_ok() {
            facts.keep(base, data)?;
            *self.facts.lock() = facts;
        }
        Ok(done)
    }

    /// The first binlog file that is still needed: those before it end below the last checkpoint.
    pub fn first_needed_binlog(&self) -> Option<u32> {
        self.facts.lock().binlog.map(|place| place.file)
    }
}

/// Collects changes and commits them piece by piece.
struct SliceBuilder<'a> {
    base: &'a Base,
    slicing: Slicing,
    changes: Vec<(Key, Change)>,
    bytes: usize,
}

impl SliceBuilder<'_> {
    /// Adds a change; returns whether that filled a slice, which is in the base then.
    fn push(&mut self, key: &Key, change: &Change) -> Result<bool, FatalError> {
        self.changes.push((key.clone(), change.clone()));
        self.bytes += key.len() + change.row_size();
        let full = self.exceeds(self.slicing);
        if full {
            self.commit()?;
        }
        Ok(full)
    }

    fn exceeds(&self, slicing: Slicing) -> bool {
        self.changes.len() >= slicing.keys_max || self.bytes >= slicing.bytes_max
    }

    fn commit(&mut self) -> Result<(), FatalError> {
        self.base.commit(&Slice { changes: &self.changes, facts: &[] }, self.slicing.when_full)?;
        self.changes.clear();
        self.bytes = 0;
        Ok(())
    }
}
