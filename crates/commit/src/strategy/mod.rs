//! Strategies: how a ticket's bytes reach both logs, and what an acknowledgement waits for.
//!
//! A strategy is one file and one line in [`Strategies::new`]. What several of them do is here and in
//! [`crate::file_maker`].

mod enhanced;
mod gather;
mod group;
mod in_redo;
mod parallel;
mod redo_only;
mod serial;

use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering};

use binlog::{TrxStamps, scratch};
use engine::ids::CommitSeq;
use parking_lot::RwLock;
use redo::{Durability, Lsn};

pub(crate) use gather::Crowd;
use gather::Gather;

use crate::file_maker::{Finalised, LargeEvents};
use crate::pending::{Batch, BinlogRange, Pending};
use crate::{FatalError, Pipeline, Role};

/// The strategies by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrategyKind {
    /// The binlog is off.
    None,
    /// MySQL 5.5: one after another.
    Serial,
    /// MySQL 5.6: group commit.
    Group,
    /// AliSQL's Binlog Parallel Flush.
    Parallel,
    /// AliSQL's Binlog in Redo.
    InRedo,
    /// Aurora's enhanced binlog.
    Enhanced,
}

impl StrategyKind {
    /// As `onelog_commit_strategy` says it.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Serial => "serial",
            Self::Group => "group",
            Self::Parallel => "parallel",
            Self::InRedo => "in_redo",
            Self::Enhanced => "enhanced",
        }
    }
}

impl StrategyKind {
    /// All that need a binlog.
    pub const WITH_BINLOG: [Self; 5] =
        [Self::Serial, Self::Group, Self::Parallel, Self::InRedo, Self::Enhanced];

    /// Whether it can be used with this `sync_binlog`.
    pub fn can_sync_binlog(self, groups: u32) -> bool {
        self != Self::Parallel || groups != 1
    }
}

/// What a ticket takes of the logs for a strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A redo record that names the place of the events in the binlog file.
    Named,
    /// The same; the events go through the file maker before the commit is acknowledged.
    Buffered,
    /// As the first, but it is drawn later, by the strategy.
    Later,
    /// A redo record that carries the events.
    Carried,
    /// A redo record that names a record in the binlog store.
    Stored,
}

/// See the module.
pub(crate) trait Strategy: Debug + Send + Sync {
    /// Which one it is.
    fn kind(&self) -> StrategyKind;

    /// What its tickets take.
    fn form(&self) -> Form;

    /// The part of filling that sessions do themselves, right after the ticket.
    fn fill(&self, pipeline: &Pipeline, pending: &mut Pending) -> Result<(), FatalError>;

    /// Whether a step waits for those who are about to come, where a sync takes long ([`gather`]). The originals of `serial`
    /// and `group` do not.
    fn gathers(&self) -> bool {
        true
    }

    /// The roles that take transactions which are ready.
    fn first_roles(&self, pipeline: &Pipeline) -> &'static [Role];

    /// Plays a role, which another strategy may have wanted. An error is fatal.
    fn step(&self, pipeline: &Pipeline, role: Role) -> Result<(), FatalError>;

    /// The next transaction is the one after `last`; nothing is under way.
    fn begin(&self, last: CommitSeq);
}

/// All strategies of a server run, one of them active.
#[derive(Debug)]
pub(crate) struct Strategies {
    all: Vec<Box<dyn Strategy>>,
    /// Changed while no commit and no step is under way.
    active: AtomicUsize,
    /// Held by steps, and alone by whoever changes the strategy: a step that was begun for the old one would take the
    /// first transactions of the new one. Rank: before the strategies' own.
    steps: RwLock<()>,
}

impl Form {
    /// Whether events wait for the file maker.
    pub(crate) fn has_backlog(self) -> bool {
        matches!(self, Self::Buffered | Self::Carried | Self::Stored)
    }
}

impl Strategies {
    /// Those for a server run with or without a binlog. The next transaction is the one after `last`.
    pub(crate) fn new(with_binlog: bool, last: CommitSeq) -> Self {
        let all: Vec<Box<dyn Strategy>> = if with_binlog {
            vec![
                Box::new(group::Group::default()),
                Box::new(serial::Serial::default()),
                Box::new(parallel::Parallel::default()),
                Box::new(in_redo::InRedo::default()),
                Box::new(enhanced::Enhanced::default()),
            ]
        } else {
            vec![Box::new(redo_only::RedoOnly::default())]
        };
        all[0].begin(last);
        Self { all, active: AtomicUsize::new(0), steps: RwLock::default() }
    }

    pub(crate) fn active(&self) -> &dyn Strategy {
        &*self.all[self.active.load(Ordering::Acquire)]
    }

    /// Plays a role of the active strategy.
    pub(crate) fn step(&self, pipeline: &Pipeline, role: Role) -> Result<(), FatalError> {
        let _same = self.steps.read();
        self.active().step(pipeline, role)
    }

    /// Makes another strategy the active one, which goes on after `last`. No commit is under way; a step may be. Returns
    /// whether there is such a strategy.
    pub(crate) fn switch(&self, kind: StrategyKind, last: CommitSeq) -> bool {
        let _alone = self.steps.write();
        let Some(place) = self.all.iter().position(|strategy| strategy.kind() == kind) else { return false };
        self.all[place].begin(last);
        self.active.store(place, Ordering::Release);
        true
    }
}

/// Takes transactions in ticket order as soon as they are durable.
#[derive(Debug)]
struct Harvest {
    /// The transaction that is taken next.
    next: CommitSeq,
    done: Batch,
    gather: Gather,
}

impl Default for Harvest {
    fn default() -> Self {
        Self { next: CommitSeq(u64::MAX), done: Vec::new(), gather: Gather::default() }
    }
}

impl Harvest {
    fn begin(&mut self, last: CommitSeq) {
        (self.next, self.gather) = (last.next(), Gather::default());
    }

    /// Before a sync: waits for those who are about to come, if that is worth it.
    fn gather(&mut self, pipeline: &Pipeline) {
        self.gather.wait(pipeline, self.next);
    }

    /// Those that are durable now. `is_durable` is asked of a transaction that is ready, after its session has put it there.
    fn take(&mut self, pipeline: &Pipeline, is_durable: impl Fn(&Pending) -> bool) -> &mut Batch {
        while let Some(pending) = pipeline.slots.take_ready(self.next, &is_durable) {
            self.next = self.next.next();
            self.done.push(pending);
        }
        self.gather.note(pipeline, &self.done, self.next);
        &mut self.done
    }
}

/// How far redo is carried before a commit is acknowledged. Its events go to the file only when redo is synced: so
/// whoever waits for the file waits for the sync.
fn redo_demand(pipeline: &Pipeline) -> Option<Durability> {
    if pipeline.settings.wait_binlog_flush.load(Ordering::Relaxed) {
        return Some(Durability::Synced);
    }
    pipeline.settings.redo_demand()
}

/// Up to where commits that demand so much can rely on redo.
fn redo_reached(pipeline: &Pipeline, demand: Option<Durability>) -> Lsn {
    match demand {
        None => Lsn(u64::MAX),
        Some(Durability::Written) => pipeline.redo.written(),
        Some(Durability::Synced) => pipeline.redo.synced(),
    }
}

/// Whether redo has a transaction as durable as demanded. To be asked of one that is ready, with the demand as it is then:
/// whoever has begun to commit after a SET GLOBAL had returned is not answered by what was demanded before.
fn has_redo(pipeline: &Pipeline, demand: Option<Durability>, pending: &Pending) -> bool {
    pending.ticket().redo_end <= redo_reached(pipeline, demand)
}

/// Carries redo as far as `demand` says, and says up to where that is.
fn carry_redo(pipeline: &Pipeline, demand: Option<Durability>) -> Result<Lsn, FatalError> {
    pipeline.redo_by(demand)?;
    Ok(redo_reached(pipeline, demand))
}

/// Carries redo as far as `demand` says, and not less far than `end`, where everything of the caller's is filled. Behind a
/// chunk that a session is copying into the ring at this moment nothing is written; that is over in a moment.
fn carry_redo_through(pipeline: &Pipeline, demand: Option<Durability>, end: Lsn) -> Result<(), FatalError> {
    while carry_redo(pipeline, demand)? < end {
        pipeline.clock.sleep_us(1);
    }
    Ok(())
}

fn stamps(seq: CommitSeq, range: &BinlogRange, now_us: u64) -> TrxStamps {
    TrxStamps {
        position: range.start,
        gno: range.gtid.map_or(0, |gtid| gtid.gno),
        last_committed: range.last_committed,
        sequence_number: range.sequence_number,
        immediate_commit_timestamp_us: now_us,
        xid: seq.0,
    }
}

/// Finalises a session's own events, for strategies that leave this to sessions. `None` if it has none.
fn finalise(pipeline: &Pipeline, pending: &mut Pending) -> Option<Finalised> {
    let range = pending.ticket().binlog?;
    let stamps = stamps(pending.ticket().seq, &range, pipeline.clock.unix_us());
    let events = pending.events().expect("it has a place in the binlog");
    if pending.has_large_events() {
        let (head, tail) = events.edges(range.checksum, &stamps);
        return Some(Finalised::Large(Box::new(LargeEvents {
            range,
            head,
            cache: pending.cache.take(),
            tail,
        })));
    }
    let mut bytes = scratch::take();
    events.write_into(range.checksum, &stamps, &mut bytes);
    Some(Finalised::Whole(bytes))
}

/// Ends what a session does for its transaction's logs, when its records are filled: leaves its events to the file maker.
fn leave(pipeline: &Pipeline, pending: &mut Pending, events: Option<Finalised>) {
    if let Some(events) = events {
        pipeline.maker.keep(pending, events);
    }
    pending.free_buffers();
}
