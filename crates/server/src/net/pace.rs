//! How long a client may take over one packet or reply: it has to go on within the time-out, and once a time-out has passed
//! it has to be no slower than [`RATE_MIN`] on the whole. The first ends a client that has gone, however much it, or the
//! operating system for it, took before; the second one that takes a byte now and then.

use std::io;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use super::connection::Connection;
use super::stream::ReadHalf;
use crate::clock;

/// Bytes a second.
const RATE_MIN: u64 = 1024;

/// See the module. Times are of the monotonic clock, in milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    /// When the client was first waited for, and when it was last seen to have gone on.
    times_ms: Option<(u64, u64)>,
    /// Bytes by then.
    size: u64,
}

impl Pace {
    /// When a client that is waited for at `now_ms`, and has moved `size` bytes, has to have moved more.
    pub(super) fn deadline(&mut self, now_ms: u64, size: u64, timeout_s: u32) -> u64 {
        let (since_ms, moved_ms) = self.times_ms.unwrap_or((now_ms, now_ms));
        let moved_ms = if size > self.size { now_ms } else { moved_ms };
        (self.times_ms, self.size) = (Some((since_ms, moved_ms)), size);
        moved_ms.min(since_ms + size * 1000 / RATE_MIN) + u64::from(timeout_s) * 1000
    }

    /// Whether the client was waited for.
    pub(super) fn has_begun(&self) -> bool {
        self.times_ms.is_some()
    }
}

/// How a command, or a file, arrives: by `net_read_timeout`, once a part of it is there.
#[derive(Debug, Default)]
pub(super) struct Arriving {
    /// Bytes that were waited for.
    size: u64,
    pace: Pace,
}

impl Arriving {
    /// Reads. The connection has a deadline if more is waited for and something has begun: by `has_begun` what is read, or a
    /// compressed frame.
    pub(super) fn poll_read(
        &mut self,
        context: &mut Context<'_>,
        read: &mut ReadHalf,
        out: &mut [u8],
        connection: &Connection,
        has_begun: bool,
    ) -> Poll<io::Result<usize>> {
        let polled = read.poll_read(context, out);
        match polled {
            Poll::Ready(Ok(count)) => self.size += count as u64,
            Poll::Pending if has_begun || read.is_within_frame() => {
                let size = self.size + read.frame_size() as u64;
                let timeout_s = connection.limits().net_read_timeout_s.load(Ordering::Relaxed);
                connection.set_deadline(self.pace.deadline(clock::monotonic_ms(), size, timeout_s));
            }
            _ => {}
        }
        polled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_stops_is_waited_for_no_longer_than_the_timeout() {
        let mut pace = Pace::default();
        assert_eq!(pace.deadline(5000, 60 << 20, 2), 7000);
        assert_eq!(pace.deadline(6000, 61 << 20, 2), 8000);
        // Nothing has moved since.
        assert_eq!(pace.deadline(7500, 61 << 20, 2), 8000);
    }

    #[test]
    fn who_crawls_is_held_to_the_rate() {
        let mut pace = Pace::default();
        assert_eq!(pace.deadline(0, 0, 2), 2000);
        assert_eq!(pace.deadline(1000, 1, 2), 2000);
        assert_eq!(pace.deadline(1900, 1024, 2), 3000);
        assert_eq!(pace.deadline(2000, 100 << 10, 2), 4000);
    }
}
