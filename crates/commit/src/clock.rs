//! Time, as an argument: the server's clock runs, the simulation's stands still or steps.

use std::fmt::Debug;

/// A source of time for the pipeline.
pub trait Clock: Debug + Send + Sync {
    /// Microseconds since 1970, for commit timestamps.
    fn unix_us(&self) -> u64;

    /// Nanoseconds since some moment, never going back, for stage times.
    fn monotonic_ns(&self) -> u64;

    /// Nanoseconds that the calling thread has had a processor. A simulation has none.
    fn thread_cpu_ns(&self) -> u64 {
        0
    }

    /// Lets the calling log thread sleep about so long.
    fn sleep_us(&self, us: u64);
}
