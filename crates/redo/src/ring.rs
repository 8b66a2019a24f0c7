//! The ring: memory of the log, reserved in order, filled in parallel, drained as a contiguous prefix.
//!
//! A reservation is arithmetic on a [`Cursor`] that the caller keeps under its own lock (the sequencer's), so
//! that redo order is ticket order. Filling takes no lock. The [`Consumer`] sees bytes only behind an unbroken
//! run of finished reservations. The binlog buffer is one, too.
//!
//! ```text
//!      taken <= filled <= reserved <= taken + capacity
//!        |        |          |
//!  ------+########+##..#..##-+------      # filled   . reserved, being filled
//!        consumer            cursor
//! ```
//!
//! Invariants:
//! - a byte of the ring belongs either to exactly one reservation (from draw to finish) or to the consumer (from
//!   finish to release); [`Ring::fill`] asserts that its range was released before it touches it;
//! - whoever draws makes sure beforehand that there is room (the commit pipeline's admission): a draw never waits;
//! - a reservation that is dropped unfinished would leave a hole that nothing can ever cross: the process aborts.

use std::sync::Arc;

use sync::atomic::{AtomicU64, Ordering};

use crate::Lsn;
use crate::bytes::Bytes;

/// The shared memory. See the module.
#[derive(Debug)]
pub struct Ring {
    /// Reached only through `Fill` (the range of a unique reservation, asserted to be released by the consumer) and
    /// `Consumer` (a range below an end that was stored with Release after the fill).
    bytes: Bytes,
    /// Slot `k % len` holds the end LSN of reservation `k` once that is filled.
    slots: Box<[AtomicU64]>,
    /// Bytes below this LSN were released by the consumer. Release by the consumer, acquired by fillers.
    taken: AtomicU64,
    /// Reservations below this number were released. Relaxed: stored before `taken`, loaded after it.
    taken_slots: AtomicU64,
}

/// Bytes of a reservation that are loaded ahead: behind these the processor has seen that a copy goes on.
const PREFETCH_MAX: usize = 2048;

/// The end of what is reserved. One per ring; its owner serialises the draws.
#[derive(Debug)]
pub struct Cursor {
    lsn: Lsn,
    slot: u64,
}

impl Cursor {
    /// Takes the next `size` bytes of the stream. Pure arithmetic.
    pub fn draw(&mut self, size: usize) -> Reservation {
        let start = self.lsn;
        self.lsn = start.advance(size as u64);
        self.slot += 1;
        Reservation { start, end: self.lsn, slot: self.slot - 1 }
    }

    /// LSN that the next reservation will get.
    pub fn lsn(&self) -> Lsn {
        self.lsn
    }

    /// Reservations so far.
    pub fn drawn(&self) -> u64 {
        self.slot
    }
}

/// A range of the stream that somebody has drawn and must fill.
#[derive(Debug)]
#[must_use = "a reservation that is not filled stops the log"]
pub struct Reservation {
    start: Lsn,
    end: Lsn,
    slot: u64,
}

impl Reservation {
    /// LSN of the first byte.
    pub fn start(&self) -> Lsn {
        self.start
    }

    /// LSN of the first byte after it.
    pub fn end(&self) -> Lsn {
        self.end
    }
}

impl Ring {
    /// A ring of `capacity` bytes (rounded up to a power of two) for at most `slots` open reservations (likewise),
    /// whose stream begins at `start`.
    pub fn create(capacity: usize, slots: usize, start: Lsn) -> (Arc<Self>, Cursor, Consumer) {
        let ring = Arc::new(Self {
            bytes: Bytes::zeroed(capacity.next_power_of_two()),
            slots: zeroed_slots(slots.next_power_of_two()),
            taken: AtomicU64::new(start.0),
            taken_slots: AtomicU64::new(0),
        });
        let consumer = Consumer { ring: Arc::clone(&ring), next_slot: 0, filled: start, taken: start };
        (ring, Cursor { lsn: start, slot: 0 }, consumer)
    }

    /// Bytes that fit between the consumer and the cursor.
    pub fn capacity(&self) -> usize {
        self.bytes.len()
    }

    /// Reservations that may be open at a time.
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Everything below this LSN has left the ring.
    pub fn taken(&self) -> Lsn {
        Lsn(self.taken.load(Ordering::Acquire))
    }

    /// Reservations that have left the ring. Behind the truth, never ahead of it.
    pub fn taken_slots(&self) -> u64 {
        self.taken_slots.load(Ordering::Relaxed)
    }

    /// Says that a reservation will be filled soon: the ring is larger than the processor's caches, and who fills it would
    /// wait for its memory then.
    pub fn prefetch(&self, reservation: &Reservation) {
        let index = self.index(reservation.start);
        let size = usize::try_from(reservation.end.since(reservation.start)).expect("it fits the ring");
        let first = size.min(self.bytes.len() - index).min(PREFETCH_MAX);
        self.bytes.prefetch(index, first);
    }

    /// Starts to fill a reservation.
    ///
    /// # Panics
    /// If the range or the slot was drawn without room: the admission has miscounted.
    pub fn fill(&self, reservation: Reservation) -> Fill<'_> {
        // Pairs with the Release in `Consumer::take`: the consumer's reads of this range are over.
        let taken = self.taken();
        assert!(
            reservation.end.since(taken) <= self.bytes.len() as u64,
            "the ring has no room for {reservation:?}"
        );
        let open = reservation.slot - self.taken_slots.load(Ordering::Relaxed);
        assert!(open < self.slots.len() as u64, "the ring has no slot for {reservation:?}");
        Fill { ring: self, at: reservation.start, reservation, finished: false }
    }

    fn index(&self, lsn: Lsn) -> usize {
        usize::try_from(lsn.0 & (self.bytes.len() as u64 - 1)).expect("below the ring's length")
    }

    fn slot(&self, slot: u64) -> &AtomicU64 {
        &self.slots[usize::try_from(slot & (self.slots.len() as u64 - 1)).expect("below the slots' length")]
    }
}

/// Memory that costs nothing until it is touched, as the ring's bytes.
#[cfg(not(feature = "loom"))]
fn zeroed_slots(count: usize) -> Box<[AtomicU64]> {
    // SAFETY: eight bytes of zeros are an `AtomicU64` of 0.
    unsafe { Box::new_zeroed_slice(count).assume_init() }
}

#[cfg(feature = "loom")]
fn zeroed_slots(count: usize) -> Box<[AtomicU64]> {
    (0..count).map(|_| AtomicU64::new(0)).collect()
}

/// A reservation being filled. Must be finished; see the module for what happens otherwise.
#[derive(Debug)]
pub struct Fill<'a> {
    ring: &'a Ring,
    reservation: Reservation,
    at: Lsn,
    finished: bool,
}

impl Fill<'_> {
    /// Appends bytes to the range.
    ///
    /// # Panics
    /// If they exceed it.
    pub fn put(&mut self, data: &[u8]) {
        let end = self.at.advance(data.len() as u64);
        assert!(end <= self.reservation.end, "a record outgrew its reservation");
        let index = self.ring.index(self.at);
        let (front, rest) = data.split_at(data.len().min(self.ring.bytes.len() - index));
        // SAFETY: both pieces lie in this reservation's range, which `Ring::fill` asserted to be free of the
        // consumer and which no other reservation shares.
        unsafe {
            self.ring.bytes.write(index, front);
            if !rest.is_empty() {
                self.ring.bytes.write(0, rest);
            }
        }
        self.at = end;
    }

    /// Hands the range over to the consumer.
    ///
    /// # Panics
    /// If it is not full.
    pub fn finish(mut self) {
        assert_eq!(self.at, self.reservation.end, "a record is shorter than its reservation");
        // Pairs with the Acquire in `Consumer::poll`: the bytes are visible before the slot says so.
        self.ring.slot(self.reservation.slot).store(self.reservation.end.0, Ordering::Release);
        self.finished = true;
    }
}

impl Drop for Fill<'_> {
    fn drop(&mut self) {
        if !self.finished {
            std::process::abort();
        }
    }
}

/// The draining end. One per ring, owned by the writer.
#[derive(Debug)]
pub struct Consumer {
    ring: Arc<Ring>,
    next_slot: u64,
    filled: Lsn,
    taken: Lsn,
}

impl Consumer {
    /// Moves `filled` over every reservation that is finished and has no unfinished one before it.
    pub fn poll(&mut self) -> Lsn {
        loop {
            // Pairs with the Release in `Fill::finish`. A slot of the previous lap holds an end at or below `filled`:
            // ends only grow.
            let end = Lsn(self.ring.slot(self.next_slot).load(Ordering::Acquire));
            if end <= self.filled {
                return self.filled;
            }
            self.filled = end;
            self.next_slot += 1;
        }
    }

    /// LSN of the first byte that was not copied out.
    pub fn taken(&self) -> Lsn {
        self.taken
    }

    /// Hands the next `size` bytes to `sink`, in at most two pieces, and gives their room back.
    ///
    /// # Panics
    /// If fewer are filled.
    pub fn take(&mut self, size: usize, mut sink: impl FnMut(&[u8])) {
        let end = self.taken.advance(size as u64);
        assert!(end <= self.filled, "only filled bytes leave the ring");
        let index = self.ring.index(self.taken);
        let first = size.min(self.ring.bytes.len() - index);
        for (from, len) in [(index, first), (0, size - first)] {
            // SAFETY: the range is filled and not released, so no `Fill` may touch it.
            unsafe { self.ring.bytes.read(from, len, &mut sink) };
        }
        self.taken = end;
        self.ring.taken_slots.store(self.next_slot, Ordering::Relaxed);
        // Pairs with the Acquire in `Ring::taken`: nobody fills the range anew before it was read.
        self.ring.taken.store(end.0, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(consumer: &mut Consumer) -> Vec<u8> {
        let mut out = Vec::new();
        let size = usize::try_from(consumer.poll().since(consumer.taken())).unwrap();
        consumer.take(size, |piece| out.extend_from_slice(piece));
        out
    }

    fn fill(ring: &Ring, reservation: Reservation, data: &[u8]) {
        let mut fill = ring.fill(reservation);
        fill.put(data);
        fill.finish();
    }

    #[test]
    fn only_the_contiguous_prefix_is_drained() {
        let (ring, mut cursor, mut consumer) = Ring::create(16, 4, Lsn(10));
        let (a, b, c) = (cursor.draw(3), cursor.draw(2), cursor.draw(4));
        fill(&ring, b, b"BB");
        assert_eq!(drain(&mut consumer), b"");
        fill(&ring, a, b"AAA");
        assert_eq!(drain(&mut consumer), b"AAABB");
        fill(&ring, c, b"CCCC");
        assert_eq!(drain(&mut consumer), b"CCCC");
        assert_eq!(ring.taken(), Lsn(19));
    }

    #[test]
    fn the_stream_wraps_around_the_ring_and_the_slots() {
        let (ring, mut cursor, mut consumer) = Ring::create(16, 2, Lsn(0));
        let mut expected = 0_u8;
        for round in 0..100_usize {
            let size = 1 + round % 13;
            let data: Vec<u8> = (0..size).map(|i| u8::try_from((round + i) % 251).unwrap()).collect();
            let reservation = cursor.draw(size);
            ring.prefetch(&reservation);
            fill(&ring, reservation, &data);
            assert_eq!(drain(&mut consumer), data);
            expected = expected.wrapping_add(1);
        }
        assert_eq!(expected, 100);
    }

    #[test]
    fn filling_without_room_is_refused() {
        let (ring, mut cursor, _consumer) = Ring::create(16, 8, Lsn(0));
        fill(&ring, cursor.draw(16), &[1; 16]);
        let over = cursor.draw(1);
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(ring.fill(over)))).is_err());
    }

    #[test]
    fn many_threads_fill_and_one_drains_in_order() {
        const RECORDS: usize = 10_000;
        const THREADS: usize = 4;
        let (ring, cursor, mut consumer) = Ring::create(1 << 12, 1 << 8, Lsn(0));
        let cursor = parking_lot::Mutex::new(cursor);
        // A record is its own size in one byte, its LSN in eight, and filler.
        let write = |i: usize| {
            let size = 9 + i % 5;
            let reservation = loop {
                let mut cursor = cursor.lock();
                let room = 16 + cursor.lsn.since(ring.taken()) <= 1 << 12;
                let open = cursor.slot - ring.taken_slots.load(Ordering::Relaxed);
                if room && open + 1 < 1 << 8 {
                    break cursor.draw(size);
                }
                drop(cursor);
                std::thread::yield_now();
            };
            let mut record = vec![u8::try_from(size).unwrap(); size];
            record[1..9].copy_from_slice(&reservation.start().0.to_le_bytes());
            fill(&ring, reservation, &record);
        };
        let mut out = Vec::new();
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| (0..RECORDS).for_each(write));
            }
            let expected = (0..RECORDS).map(|i| 9 + i % 5).sum::<usize>() * THREADS;
            while out.len() < expected {
                out.extend_from_slice(&drain(&mut consumer));
                std::thread::yield_now();
            }
        });
        let (mut at, mut records) = (0, 0);
        while at < out.len() {
            assert_eq!(out[at + 1..at + 9], (at as u64).to_le_bytes(), "a record lies where it was drawn");
            at += out[at] as usize;
            records += 1;
        }
        assert_eq!(records, RECORDS * THREADS);
    }
}
