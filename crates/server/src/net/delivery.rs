//! An answer that waits for a commit and is sent by whoever finds that done: the session has no turn for it.
//!
//! ```text
//! the session                                  whoever wakes the delivery, mostly the pipeline's sweep
//! hand_over: DELIVERING                        polls the commit
//! waits for the next command                   done: the connection rests, the bytes go out,
//! it is there: AWAITED, waits           <----- DELIVERING goes; wakes the session if it is wanted
//! the socket is full: sends the rest    <----- STUCK
//! ```
//! With thousands of sessions, what one of them touches is in no cache any more when its commit is done. So everything that it
//! has to do behind a commit it does before, and what is left to be done needs a few lines of the connection and of its socket.
//! With a hundred it has a turn of its own: the processors share those better than one task's writes.
//!
//! **Order:** DELIVERING, AWAITED and STUCK are marks of the connection, beside those that others leave: whoever changes one sees
//! all that were left before, so that nothing is asked of a session that nobody wakes for it.
//!
//! Rejected: the sweep polls the sessions' own futures (each behind a lock then; as dear as their turns).

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Wake, Waker};

use parking_lot::Mutex;
use smallvec::SmallVec;

use super::connection::{AtRest, Connection};
use super::stream::WriteSocket;
use crate::clock;

/// What an answer waits for: a commit.
pub struct Held {
    commit: Pin<Box<dyn Future<Output = ()> + Send>>,
    crowded: bool,
}

impl Held {
    /// Waits for this commit. If it is `crowded`, so many others commit that what its session touches will be in no cache when it is
    /// done: the answer is then sent without the session.
    pub fn by(commit: impl Future<Output = ()> + Send + 'static, crowded: bool) -> Self {
        Self { commit: Box::pin(commit), crowded }
    }

    pub(super) fn is_crowded(&self) -> bool {
        self.crowded
    }
}

impl std::fmt::Debug for Held {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Held")
    }
}

impl Future for Held {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.commit.as_mut().poll(context)
    }
}

/// Bytes of an answer that is handed over. An OK packet has 11 to 27, and that of UPDATE some 45 more that say what it did.
pub(super) const SIZE_MAX: usize = 96;

/// See the module. One for each answer: it is in a cache, which what each of thousands of connections keeps is not.
pub(super) struct Delivery {
    connection: Arc<Connection>,
    /// A session that is lost closes it, and is not answered.
    socket: Weak<WriteSocket>,
    bytes: SmallVec<[u8; SIZE_MAX]>,
    at_rest: AtRest,
    /// `None` once it is done. Rank: before the pipeline's slots.
    held: Mutex<Option<Held>>,
}

impl Delivery {
    /// Hands an answer over.
    pub(super) fn begin(connection: &Arc<Connection>, socket: Weak<WriteSocket>, held: Held, bytes: &[u8]) {
        connection.begin_delivery();
        let delivery = Self {
            connection: Arc::clone(connection),
            socket,
            bytes: bytes.into(),
            at_rest: connection.at_rest(),
            held: Mutex::new(Some(held)),
        };
        Arc::new(delivery).wake();
    }

    /// Sends what the socket takes.
    fn send(&self) {
        // First: who has the answer finds the connection at rest.
        self.connection.rest(clock::monotonic_ms(), self.at_rest);
        // What is wrong with the socket, the session meets itself.
        let sent = self.socket.upgrade().map_or(0, |socket| socket.try_write(&self.bytes).unwrap_or(0));
        self.connection.end_delivery(&self.bytes[sent..]);
    }
}

impl Wake for Delivery {
    fn wake(self: Arc<Self>) {
        let waker = Waker::from(Arc::clone(&self));
        let mut held = self.held.lock();
        let Some(commit) = &mut *held else { return };
        if Pin::new(commit).poll(&mut Context::from_waker(&waker)) == Poll::Ready(()) {
            *held = None;
            drop(held);
            self.send();
        }
    }
}
