//! The publisher: moves `visible_seq` forward and with it everything that goes by it.
//!
//! One tuple is published: `visible_seq`, the binlog file and position that end with it, and the GTIDs up to it. So a
//! snapshot taken under the tuple's lock knows its exact place in the binlog, and no reader of the binlog gets what
//! is not durable.

use std::sync::Arc;

use binlog::GtidSet;
use engine::ids::CommitSeq;
use engine::view::{Published, Snapshot};
use sync::Mutex;

use crate::pending::{Batch, Ticket};
use crate::record::BinlogPlace;
use crate::sequencer::BinlogEnd;
use crate::slots::Slots;

/// What is true of the visible state.
#[derive(Clone, Debug)]
pub struct Tuple {
    /// The last visible transaction.
    pub visible: CommitSeq,
    /// Where its events end, if there is a binlog.
    pub binlog: Option<BinlogEnd>,
    /// The GTIDs of everything up to it.
    pub gtid_executed: GtidSet,
}

/// See the module.
#[derive(Debug)]
pub struct Publisher {
    /// Rank: after the sequencer, before slots.
    tuple: Mutex<Tuple>,
    published: Arc<Published>,
}

impl Publisher {
    pub(crate) fn new(tuple: Tuple, published: Arc<Published>) -> Self {
        Self { tuple: Mutex::new(tuple), published }
    }

    /// Makes transactions visible that have met their demand: the next ones in commit order. Drains `done`.
    ///
    /// # Panics
    /// If they are not the next ones.
    pub(crate) fn publish(&self, slots: &Slots, done: &mut Batch) {
        let mut tuple = self.tuple.lock();
        for pending in done.drain(..) {
            let seq = pending.ticket().seq;
            assert_eq!(seq, tuple.visible.next(), "transactions become visible in commit order");
            tuple.advance(pending.ticket());
            slots.put_done(seq, pending);
        }
        self.published.set_visible(tuple.visible);
    }

    /// The binlog was begun anew and there are no GTIDs. Nothing is under way.
    pub(crate) fn reset(&self, binlog: Option<BinlogEnd>) {
        let mut tuple = self.tuple.lock();
        (tuple.binlog, tuple.gtid_executed) = (binlog, GtidSet::new());
    }

    /// These were executed elsewhere. Nothing is under way.
    pub(crate) fn add_gtids(&self, gtids: &GtidSet) {
        self.tuple.lock().gtid_executed.add_set(gtids);
    }

    /// The published tuple.
    pub fn tuple(&self) -> Tuple {
        self.tuple.lock().clone()
    }

    /// The published end of the binlog, if there is one.
    pub fn binlog_end(&self) -> Option<BinlogPlace> {
        let tuple = self.tuple.lock();
        tuple.binlog.as_ref().map(BinlogEnd::place)
    }

    /// A snapshot and the tuple that belongs to it.
    pub fn snapshot(&self) -> (Snapshot, Tuple) {
        let tuple = self.tuple.lock();
        let snapshot = self.published.snapshot();
        assert_eq!(snapshot.visible, tuple.visible, "the tuple's lock is held");
        (snapshot, tuple.clone())
    }
}

impl Tuple {
    fn advance(&mut self, ticket: &Ticket) {
        self.visible = ticket.seq;
        let Some(end) = &mut self.binlog else { return };
        if let Some(range) = &ticket.binlog {
            end.position = range.end;
            if let Some(gtid) = range.gtid {
                self.gtid_executed.add(gtid);
            }
        }
        if let Some(rotation) = &ticket.rotation {
            end.file = rotation.new_file;
            end.position = rotation.header.len() as u64;
            end.checksum = rotation.checksum;
        }
    }
}
