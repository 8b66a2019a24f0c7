//! Purpose: the ring hands every byte from its filler to the consumer and back, whatever the interleaving.
//! Requirements: bytes arrive in reservation order, whole, and no byte is reached by two threads at a time (loom's
//! cells see that); a reader of a mark sees what it covers.
//! Method: loom, `cargo xtask loom`; each memory order of `ring.rs` is broken once.
#![expect(clippy::unwrap_used, reason = "test helpers")]

use sync::loom::thread;
use sync::model::Model;

use crate::{Consumer, Lsn, Ring};

fn fill(ring: &Ring, reservation: crate::Reservation, byte: u8) {
    let size = usize::try_from(reservation.end().since(reservation.start())).unwrap();
    let mut fill = ring.fill(reservation);
    fill.put(&vec![byte; size]);
    fill.finish();
}

fn drain(consumer: &mut Consumer, out: &mut Vec<u8>) {
    let size = usize::try_from(consumer.poll().since(consumer.taken())).unwrap();
    consumer.take(size, |piece| out.extend_from_slice(piece));
}

/// Two threads fill a ring that a third drains. The first goes on as soon as there is room, over the end of the ring.
fn hand_over(slots: usize) {
    let (ring, mut cursor, mut consumer) = Ring::create(4, slots, Lsn(0));
    let (a, b) = (cursor.draw(1), cursor.draw(2));
    let second = {
        let ring = ring.clone();
        thread::spawn(move || fill(&ring, b, b'b'))
    };
    let first = thread::spawn(move || {
        fill(&ring, a, b'a');
        // What the admission would wait for.
        let has_room = ring.taken() >= Lsn(1);
        if has_room {
            fill(&ring, cursor.draw(2), b'c');
        }
        has_room
    });
    let mut out = Vec::new();
    drain(&mut consumer, &mut out);
    drain(&mut consumer, &mut out);
    second.join().unwrap();
    let went_on = first.join().unwrap();
    drain(&mut consumer, &mut out);
    assert_eq!(out, if went_on { &b"abbcc"[..] } else { b"abb" });
}

#[test]
fn bytes_go_to_the_consumer_in_order_and_their_room_comes_back() {
    Model::new("models::bytes_go_to_the_consumer_in_order_and_their_room_comes_back")
        .orders("crates/redo/src/ring.rs", include_str!("ring.rs"))
        .check(|| hand_over(4));
}

/// The third reservation gets the slot of the first: fails by the assertion about slots before it can by the bytes.
#[test]
fn a_slot_is_used_again_once_its_reservation_was_seen() {
    Model::new("models::a_slot_is_used_again_once_its_reservation_was_seen")
        .orders("crates/redo/src/ring.rs", include_str!("ring.rs"))
        .check(|| hand_over(2));
}
