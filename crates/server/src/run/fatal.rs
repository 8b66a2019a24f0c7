//! The end of a process whose logs cannot be trusted any more.

use std::fmt::Display;

/// Says what failed, and ends the process at once: nobody may be told anything that is not durable.
pub(super) fn die(what: &str, error: &dyn Display) -> ! {
    tracing::error!(%error, "{what} failed; the server stops, and recovers at its next start");
    std::process::abort();
}
