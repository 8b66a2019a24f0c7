//! Buffers for what a transaction encodes: its events, its write set. Whoever is done gives them back: where sessions fill the
//! logs themselves, before the commit's sync, so that an autocommit statement has them only while one thread works at it.
//!
//! Each thread keeps the few that were given back last, and gives out the last one first: its memory is likely to be in the
//! processor's cache. Buffers of sessions' own would be in none when there are thousands of sessions, and could take 96 KiB of
//! each.
//!
//! Rejected: to allocate and free them: 0.97 of the transactions of `oltp_update_non_index` at 64 clients (eight pairs).

use std::cell::RefCell;

/// Buffers that a thread keeps, and how large they may be.
const KEPT: usize = 8;
const KEPT_LEN: usize = 64 << 10;

thread_local! {
    static BUFFERS: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// An empty buffer.
pub fn take() -> Vec<u8> {
    BUFFERS.with_borrow_mut(|buffers| buffers.pop().unwrap_or_default())
}

/// Takes a buffer back, and empties it.
pub fn give(mut buffer: Vec<u8>) {
    if buffer.capacity() == 0 || buffer.capacity() > KEPT_LEN {
        return;
    }
    buffer.clear();
    BUFFERS.with_borrow_mut(|buffers| {
        if buffers.len() < KEPT {
            buffers.push(buffer);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_one_comes_first_and_is_empty() {
        let buffers = [100, 200].map(Vec::with_capacity);
        let places = buffers.each_ref().map(|buffer: &Vec<u8>| buffer.as_ptr());
        for mut buffer in buffers {
            buffer.push(7);
            give(buffer);
        }
        for place in places.into_iter().rev() {
            let buffer = take();
            assert_eq!((buffer.as_ptr(), buffer.len()), (place, 0));
        }
    }

    #[test]
    fn few_are_kept_and_none_that_is_large() {
        give(Vec::with_capacity(KEPT_LEN + 1));
        assert_eq!(take().capacity(), 0);
        (0..2 * KEPT).for_each(|_| give(Vec::with_capacity(10)));
        let kept = std::iter::repeat_with(take).take_while(|buffer| buffer.capacity() > 0);
        assert_eq!(kept.count(), KEPT);
    }
}
