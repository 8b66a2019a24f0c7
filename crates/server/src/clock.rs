//! Real time. Everything below the server gets its clock as an argument; this is the one that it gets.

#![expect(clippy::disallowed_methods, reason = "this is where clocks come from")]

use std::future::Future;
use std::pin::Pin;
use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime};

use rustix::time::{ClockId, clock_gettime};

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

/// When the process first asked for the time.
fn origin() -> Instant {
    static ORIGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    *ORIGIN
}

/// Microseconds since 1970.
pub fn unix_us() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

/// Seconds since 1970.
pub fn unix_s() -> u64 {
    unix_us() / 1_000_000
}

/// Nanoseconds since some moment, never going back.
pub fn monotonic_ns() -> u64 {
    u64::try_from(origin().elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Milliseconds since some moment, never going back.
pub fn monotonic_ms() -> u64 {
    monotonic_ns() / 1_000_000
}

impl commit::Clock for SystemClock {
    fn unix_us(&self) -> u64 {
        unix_us()
    }

    fn monotonic_ns(&self) -> u64 {
        monotonic_ns()
    }

    fn thread_cpu_ns(&self) -> u64 {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        u64::try_from(time.tv_sec * 1_000_000_000 + time.tv_nsec).unwrap_or(0)
    }

    fn sleep_us(&self, us: u64) {
        std::thread::sleep(Duration::from_micros(us));
    }
}

/// Ends waits for locks; on the runtime's timers.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuntimeTimer;

impl engine::store::Timer for RuntimeTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn unix_us(&self) -> u64 {
        unix_us()
    }
}
