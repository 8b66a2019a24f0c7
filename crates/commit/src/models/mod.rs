//! Purpose: nobody sleeps for ever, and nobody sees what is not there yet, whatever the interleaving.
//! Requirements: a commit that is ready is published; whoever waits for it is woken; a role has one holder; every slot
//! comes back. A lost wake-up is a deadlock, which loom reports. A moment has all of its commits.
//! Method: loom, `cargo xtask loom`, on the real slots, publisher, sweep and roles. A model makes known mistakes on
//! request, and must fail then; so must it with any memory order of the covered files weakened.
#![expect(clippy::unwrap_used, reason = "test helpers")]

mod moments;
mod roles;
mod waiters;

use std::future::poll_fn;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use binlog::{CacheLimits, GtidPlan, GtidSet, Origin, TrxCache};
use engine::base::Base;
use engine::delta::Delta;
use engine::ids::CommitSeq;
use engine::view::Published;
use redo::Lsn;
use sync::loom::cell::UnsafeCell;
use sync::loom::future::block_on;
use vfs::Vfs;
use vfs::sim::SimDisk;

use crate::ack::poll_visible;
use crate::pending::{Pending, Recent, Ticket};
use crate::publisher::{Publisher, Tuple};
use crate::slots::Slots;
use crate::sweep::Sweep;

/// What all interleavings share, and loom does not see.
static SHARED: LazyLock<(Arc<dyn Vfs>, Base, Arc<Delta>)> = LazyLock::new(|| {
    let vfs: Arc<dyn Vfs> = Arc::new(SimDisk::new());
    vfs.create_dir_all("/data".as_ref()).unwrap();
    let base = Base::open(&vfs, "/data".as_ref(), 1 << 16, 0).unwrap();
    (vfs, base, Arc::default())
});

/// The part of the pipeline between a ticket and its acknowledgement, before the first commit.
#[derive(Debug)]
struct Line {
    slots: Slots,
    publisher: Publisher,
    published: Arc<Published>,
    sweep: Sweep,
}

impl Line {
    fn new(slots: usize) -> Self {
        let start = CommitSeq(0);
        let published = Arc::new(Published::new(SHARED.1.generation(start).unwrap(), slots));
        let tuple = Tuple { visible: start, binlog: None, gtid_executed: GtidSet::default() };
        Self {
            slots: Slots::new(slots, start),
            publisher: Publisher::new(tuple, Arc::clone(&published)),
            published,
            sweep: Sweep::new(start),
        }
    }

    /// Waits as sessions and readers do.
    fn wait(&self, seq: CommitSeq) {
        block_on(poll_fn(|context| poll_visible(&self.slots, &self.published, seq, context.waker())));
    }
}

/// What the code under test must keep apart: loom panics if two threads reach it without an order between them.
struct Guarded<T>(UnsafeCell<T>);

// SAFETY: loom checks every access.
unsafe impl<T> Sync for Guarded<T> {}
// SAFETY: only values without thread affinity are put in.
unsafe impl<T> Send for Guarded<T> {}

impl<T> Guarded<T> {
    fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    fn read<R>(&self, reader: impl FnOnce(&T) -> R) -> R {
        // SAFETY: loom has checked that nobody writes.
        self.0.with(|value| reader(unsafe { &*value }))
    }

    fn write<R>(&self, writer: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: loom has checked that nobody else reaches it.
        self.0.with_mut(|value| writer(unsafe { &mut *value }))
    }
}

/// A transaction that is ready.
fn pending(seq: CommitSeq) -> Box<Pending> {
    let (vfs, _, delta) = &*SHARED;
    let cache = TrxCache::new(Arc::clone(vfs), PathBuf::new(), CacheLimits::default());
    let plan = GtidPlan {
        sid: None,
        may_have_statements: false,
        original_commit_timestamp_us: None,
        immediate_server_version: 0,
        original_server_version: None,
    };
    let mut pending = Pending::new(cache, Recent::default(), plan, Origin { timestamp: 0, server_id: 1 });
    pending.set_ticket(Ticket {
        seq,
        redo: None,
        rotation_redo: None,
        redo_end: Lsn(0),
        store: None,
        store_end: Lsn(0),
        binlog: None,
        buffer: None,
        clock: 0,
        delta: Arc::clone(delta),
        rotation: None,
    });
    Box::new(pending)
}
