//! Acknowledgement: what a client may be told, and when.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use engine::ids::CommitSeq;
use engine::view::Published;

use crate::Pipeline;
use crate::pending::{Pending, Recent};
use crate::slots::Slots;

/// Proof that everything a client is about to be told is durable and visible. Only the pipeline makes one, and
/// without one no reply that ends a transaction is sent.
#[derive(Debug)]
#[must_use = "the acknowledgement belongs into the reply"]
pub struct CommitAck {
    seq: CommitSeq,
}

impl CommitAck {
    /// The transaction that is acknowledged, or the newest one that was read.
    pub fn seq(&self) -> CommitSeq {
        self.seq
    }
}

/// Resolves when everything up to a transaction is visible: the wait of whoever has read more than that.
#[derive(Debug)]
#[must_use = "nothing is waited for until this is awaited"]
pub struct Visible {
    pipeline: Arc<Pipeline>,
    seq: CommitSeq,
}

impl Visible {
    pub(crate) fn new(pipeline: Arc<Pipeline>, seq: CommitSeq) -> Self {
        Self { pipeline, seq }
    }
}

impl Future for Visible {
    type Output = CommitAck;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<CommitAck> {
        let Self { pipeline, seq } = &*self;
        poll_visible(&pipeline.slots, pipeline.published(), *seq, context.waker())
            .map(|()| CommitAck { seq: *seq })
    }
}

/// Ready once everything up to `seq` is visible. The sweep wakes whoever is told to wait.
pub(crate) fn poll_visible(slots: &Slots, published: &Published, seq: CommitSeq, waker: &Waker) -> Poll<()> {
    let is_visible = || published.visible() >= seq;
    if is_visible() || slots.wait(seq, waker, is_visible) { Poll::Ready(()) } else { Poll::Pending }
}

/// A commit that the pipeline owns. Resolves when it is durable and visible, with what the session handed over.
/// Dropping it changes nothing for the commit: nobody will be told, that is all.
#[derive(Debug)]
#[must_use = "a commit is acknowledged only when this resolves"]
pub struct Committing {
    visible: Visible,
    recent: Recent,
    released: bool,
    collected: bool,
}

impl Committing {
    pub(crate) fn new(pipeline: Arc<Pipeline>, recent: Recent, released: bool) -> Self {
        Self { visible: Visible::new(pipeline, recent.seq), recent, released, collected: false }
    }

    /// What its session keeps for the next one.
    pub fn recent(&self) -> Recent {
        self.recent
    }

    /// Whether its row locks went at its ticket. If not, [`Pipeline::locks_go`] comes between this and their release: what
    /// the setting says now may be another thing.
    pub fn has_released(&self) -> bool {
        self.released
    }

    /// Its place in the commit order.
    pub fn seq(&self) -> CommitSeq {
        self.visible.seq
    }
}

impl Future for Committing {
    type Output = (CommitAck, Box<Pending>);

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match Pin::new(&mut self.visible).poll(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(ack) => {
                if self.visible.pipeline.semi_sync.poll_answer(ack.seq, context).is_pending() {
                    return Poll::Pending;
                }
                let pending = self.visible.pipeline.collect(ack.seq);
                self.collected = true;
                Poll::Ready((ack, pending))
            }
        }
    }
}

impl Drop for Committing {
    fn drop(&mut self) {
        if !self.collected {
            self.visible.pipeline.abandon(self.visible.seq);
        }
    }
}
