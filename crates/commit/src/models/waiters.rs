//! The watermark and who waits for it: publisher, sweep, sessions and readers.

use std::future::poll_fn;
use std::sync::{Arc, LazyLock};

use engine::ids::CommitSeq;
use sync::loom::future::block_on;
use sync::loom::thread;
use sync::model::{Model, is_broken};

use super::{Guarded, Line, SHARED, pending};

const ASKED_TOO_EARLY: &str = "whether it is visible is asked before the slot is locked";
const DONE_TOO_LATE: &str = "a transaction is done only after it is visible";
const SWEEP_TOO_EARLY: &str = "the sweep is requested before the watermark moves";
const WATERMARK_TOO_EARLY: &str = "the sweep reads the watermark before it takes the request";

/// The runtime's task, until it has swept `last`.
fn sweep_until(line: &Line, last: CommitSeq) {
    loop {
        let early = line.published.visible();
        block_on(poll_fn(|context| line.sweep.signal.poll_requested(context)));
        let visible = if is_broken(WATERMARK_TOO_EARLY) { early } else { line.published.visible() };
        line.sweep.take(visible).run(&line.slots);
        if visible >= last {
            return;
        }
    }
}

/// A log thread's last step.
fn publish(line: &Line, seq: CommitSeq) {
    let pending = line.slots.take_ready(seq, |_| true).unwrap();
    if is_broken(SWEEP_TOO_EARLY) {
        line.sweep.signal.request();
    }
    if is_broken(DONE_TOO_LATE) {
        line.published.set_visible(seq);
        line.slots.put_done(seq, pending);
    } else {
        line.publisher.publish(&line.slots, &mut vec![pending]);
    }
    if !is_broken(SWEEP_TOO_EARLY) {
        line.sweep.signal.request();
    }
}

fn wait(line: &Line, seq: CommitSeq) {
    if !is_broken(ASKED_TOO_EARLY) {
        return line.wait(seq);
    }
    block_on(poll_fn(|context| {
        let visible = line.published.visible() >= seq;
        if line.slots.wait(seq, context.waker(), || visible) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    }));
}

#[test]
fn a_session_is_woken_and_collects() {
    LazyLock::force(&SHARED);
    Model::new("models::waiters::a_session_is_woken_and_collects")
        .mistakes(&[ASKED_TOO_EARLY, DONE_TOO_LATE, SWEEP_TOO_EARLY, WATERMARK_TOO_EARLY])
        .check(|| {
            let line = Arc::new(Line::new(1));
            let seq = CommitSeq(1);
            line.slots.put_ready(seq, pending(seq));
            let log = Arc::clone(&line);
            let log = thread::spawn(move || publish(&log, seq));
            let sweep = Arc::clone(&line);
            let sweep = thread::spawn(move || sweep_until(&sweep, seq));
            wait(&line, seq);
            assert_eq!(line.slots.collect(seq).ticket().seq, seq);
            assert_eq!(line.slots.give_back(), 1);
            log.join().unwrap();
            sweep.join().unwrap();
        });
}

/// The reader waits in a slot that gets its next transaction meanwhile. What it waits for was applied without a lock
/// that the reader takes.
#[test]
fn a_reader_is_woken_and_sees_what_was_applied() {
    LazyLock::force(&SHARED);
    Model::new("models::waiters::a_reader_is_woken_and_sees_what_was_applied")
        .orders("crates/engine/src/view.rs", include_str!("../../../engine/src/view.rs"))
        .mistakes(&[ASKED_TOO_EARLY, SWEEP_TOO_EARLY])
        .check(|| {
            let line = Arc::new(Line::new(1));
            let row = Arc::new(Guarded::new(0_u64));
            let reader = (Arc::clone(&line), Arc::clone(&row));
            let reader = thread::spawn(move || {
                wait(&reader.0, CommitSeq(1));
                assert_eq!(reader.1.read(|row| *row), 1);
            });
            let sweep = Arc::clone(&line);
            let sweep = thread::spawn(move || sweep_until(&sweep, CommitSeq(2)));
            row.write(|row| *row = 1);
            for seq in [CommitSeq(1), CommitSeq(2)] {
                line.slots.put_ready(seq, pending(seq));
                publish(&line, seq);
                drop(line.slots.collect(seq));
                assert_eq!(line.slots.give_back(), 1);
            }
            reader.join().unwrap();
            sweep.join().unwrap();
        });
}

#[test]
fn the_slot_of_a_session_that_has_gone_comes_back() {
    LazyLock::force(&SHARED);
    Model::new("models::waiters::the_slot_of_a_session_that_has_gone_comes_back").check(|| {
        let line = Arc::new(Line::new(1));
        let seq = CommitSeq(1);
        line.slots.put_ready(seq, pending(seq));
        let log = Arc::clone(&line);
        let log = thread::spawn(move || publish(&log, seq));
        let sweep = Arc::clone(&line);
        let sweep = thread::spawn(move || {
            sweep_until(&sweep, seq);
            sweep.slots.give_back()
        });
        line.slots.abandon(seq);
        let count = line.slots.give_back();
        log.join().unwrap();
        assert_eq!(count + sweep.join().unwrap(), 1, "given back once");
    });
}
