//! Those who follow the binlog's end: dump connections.
//!
//! What they may read is what is durable **and** in the files or in the I/O cache: so nothing leaves that a crash could take back,
//! and whatever may be read can be. It is visible too, unless it waits for replicas ([`crate::semi_sync`]). A commit that moves
//! this end requests one task, which brings new events into the cache ([`crate::file_maker`]) and wakes all who wait for them; nothing
//! at all happens in the commit path while nobody follows.
//!
//! The task wakes a [`BATCH`] at a time and pauses in between: hundreds of senders on the live end take a bounded share
//! of the processors and never run all at once in front of a commit. Those for whom commits wait are woken with every one.

use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Poll, Waker};

use parking_lot::Mutex;

use crate::record::BinlogPlace;
use crate::signal::Signal;
use crate::{BinlogFiles, Pipeline};

/// Readers that are woken at a time: with 200 of them each hears of the log some 20 times a second, and gets all that came
/// since with one packet.
const BATCH: usize = 4;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Readers {
    /// How many follow. Relaxed order: one that has just come asks for the end itself.
    count: AtomicUsize,
    /// How many of them read files, as far as is known: what they read was logged too long ago to be in the I/O cache.
    /// Relaxed order: what is written is read again by them, or not.
    reading_files: AtomicUsize,
    /// Requests the task.
    signal: Signal,
    /// Rank: last. Wakers run with nothing held.
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    end: BinlogPlace,
    /// How often the log was begun anew.
    resets: u64,
    last_id: u64,
    waiting: BTreeMap<u64, Waiting>,
    /// Who was woken last of those for whom nobody waits: the next one's turn comes first.
    last_woken: u64,
}

/// A reader who has read everything before a place.
#[derive(Debug)]
struct Waiting {
    place: BinlogPlace,
    /// Commits wait for him.
    awaited: bool,
    waker: Waker,
}

/// Somebody who follows the binlog's end.
#[derive(Debug)]
pub struct BinlogReader {
    pipeline: Arc<Pipeline>,
    id: u64,
    awaited: bool,
    /// He is one of [`Readers::reading_files`].
    reads_files: AtomicBool,
    /// How often the log had been begun anew before.
    pub(crate) resets: u64,
}

impl Readers {
    /// Whether anybody follows.
    pub(crate) fn are_there(&self) -> bool {
        self.count.load(Ordering::Relaxed) > 0
    }

    /// Whether anybody reads what is not in the I/O cache.
    pub(crate) fn read_files(&self) -> bool {
        self.reading_files.load(Ordering::Relaxed) > 0
    }
}

impl Pipeline {
    /// Begins to follow the binlog's end. Commits wait for those who are `awaited`: they hear of it first. `None` while the
    /// binlog is off.
    pub fn follow_binlog(self: &Arc<Self>, awaited: bool) -> Option<BinlogReader> {
        self.binlog.as_ref()?;
        self.readers.count.fetch_add(1, Ordering::Relaxed);
        self.readers.reading_files.fetch_add(1, Ordering::Relaxed);
        let (id, resets) = {
            let mut state = self.readers.state.lock();
            state.last_id += 1;
            (state.last_id, state.resets)
        };
        self.move_end();
        let reads_files = AtomicBool::new(true);
        Some(BinlogReader { pipeline: Arc::clone(self), id, awaited, reads_files, resets })
    }

    /// The log was begun anew: those who follow it have come to its end. Nothing is under way.
    pub(crate) fn end_readers(&self) {
        let waiting = {
            let mut state = self.readers.state.lock();
            state.resets += 1;
            state.end = BinlogPlace::default();
            std::mem::take(&mut state.waiting)
        };
        self.move_end();
        for waiting in waiting.into_values() {
            waiting.waker.wake();
        }
    }

    /// Has those told who follow the binlog's end, after it may have moved.
    pub(crate) fn tell_readers(&self) {
        if self.readers.are_there() {
            self.readers.signal.request();
        }
    }

    /// Wakes readers whenever the binlog's end has moved; for a task of the runtime, which gives a `pause` of about a
    /// millisecond. Never ends.
    pub async fn wake_readers_forever<F: Future<Output = ()>>(self: Arc<Self>, pause: impl Fn() -> F) {
        loop {
            self.readers.signal.requested().await;
            while self.wake_some_readers() {
                pause().await;
            }
        }
    }

    /// Wakes all readers if the binlog's end has moved: what [`Pipeline::wake_readers_forever`] does, without a runtime.
    pub fn wake_readers(&self) {
        while self.wake_some_readers() {}
    }

    /// Wakes those for whom commits wait, and the next few others. Returns whether there may be more of them.
    fn wake_some_readers(&self) -> bool {
        self.show();
        self.move_end();
        let (wakers, more) = self.readers.state.lock().next_to_wake();
        wakers.into_iter().for_each(Waker::wake);
        more
    }

    /// Brings the readable end up to date.
    fn move_end(&self) {
        let resets = self.readers.state.lock().resets;
        let held = || self.semi_sync.held_end();
        let (Some(files), Some(durable)) = (&self.binlog, held().or_else(|| self.publisher.binlog_end()))
        else {
            return;
        };
        let end = durable.min(files.readable());
        let mut state = self.readers.state.lock();
        // What was found before a RESET says nothing of the log behind it.
        if state.resets == resets {
            state.end = state.end.max(end);
        }
    }
}

impl State {
    /// Takes those who wait for what is there: all who are awaited, the next of the others in turn. Says whether there may
    /// be more of them.
    fn next_to_wake(&mut self) -> (Vec<Waker>, bool) {
        let behind = |waiting: &Waiting| waiting.place < self.end;
        let in_turn = self.waiting.range(self.last_woken + 1..).chain(self.waiting.range(..=self.last_woken));
        let others = in_turn.filter(|(_, waiting)| !waiting.awaited && behind(waiting));
        let others: Vec<u64> = others.map(|(id, _)| *id).take(BATCH).collect();
        self.last_woken = others.last().copied().unwrap_or(self.last_woken);
        let awaited = self.waiting.iter().filter(|(_, waiting)| waiting.awaited && behind(waiting));
        let ids: Vec<u64> = awaited.map(|(id, _)| *id).chain(others.iter().copied()).collect();
        let wakers = ids.iter().filter_map(|id| self.waiting.remove(id)).map(|waiting| waiting.waker);
        (wakers.collect(), others.len() == BATCH)
    }
}

impl BinlogReader {
    /// The binlog's files.
    ///
    /// # Panics
    /// Never: whoever follows has a binlog.
    pub fn files(&self) -> &BinlogFiles {
        self.pipeline.binlog.as_ref().expect("there is a binlog to follow")
    }

    /// The pipeline.
    pub fn pipeline(&self) -> &Arc<Pipeline> {
        &self.pipeline
    }

    /// How far the binlog may be read.
    pub fn end(&self) -> BinlogPlace {
        self.pipeline.readers.state.lock().end
    }

    /// Whether what stands at a place is in memory, so that reading it does not wait for a disk. Said of the place from which the
    /// reader goes on.
    pub fn is_at_hand(&self, place: BinlogPlace) -> bool {
        let at_hand = self.end() == place || self.files().io_cache().holds(place.file, place.position);
        self.note_files(!at_hand);
        at_hand
    }

    /// Notes whether the reader reads files.
    fn note_files(&self, reads_files: bool) {
        let count = &self.pipeline.readers.reading_files;
        match (self.reads_files.swap(reads_files, Ordering::Relaxed), reads_files) {
            (false, true) => _ = count.fetch_add(1, Ordering::Relaxed),
            (true, false) => _ = count.fetch_sub(1, Ordering::Relaxed),
            _ => {}
        }
    }

    /// Whether the log was begun anew since: there is nothing behind what was read.
    pub fn is_over(&self) -> bool {
        self.pipeline.readers.state.lock().resets != self.resets
    }

    /// Resolves when there is something to read behind a place, or the log was begun anew.
    pub async fn beyond(&self, place: BinlogPlace) {
        poll_fn(|context| {
            let mut state = self.pipeline.readers.state.lock();
            if state.end > place || state.resets != self.resets {
                return Poll::Ready(());
            }
            let waiting = Waiting { place, awaited: self.awaited, waker: context.waker().clone() };
            state.waiting.insert(self.id, waiting);
            Poll::Pending
        })
        .await;
    }
}

impl Drop for BinlogReader {
    fn drop(&mut self) {
        self.note_files(false);
        self.pipeline.readers.count.fetch_sub(1, Ordering::Relaxed);
        self.pipeline.readers.state.lock().waiting.remove(&self.id);
    }
}
