//! The reaper: once a second it looks for connections that are past their deadline, and for buffers that nobody uses.
//!
//! One look a second at all of them costs less than a timer for each command; time-outs are whole seconds anyway.

use std::sync::Arc;
use std::time::Duration;

use super::connection::mark;
use super::process::CommandKind;
use super::registry::Connections;
use crate::clock;

const INTERVAL: Duration = Duration::from_secs(1);

/// A connection that has been idle for so long gives its buffers back.
const TRIM_MS: u64 = 1000;

/// Looks forever.
pub(super) async fn reap(connections: Arc<Connections>) {
    let mut ticks = tokio::time::interval(INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut last_ms = 0;
    loop {
        ticks.tick().await;
        let now_ms = clock::monotonic_ms();
        for connection in connections.all() {
            let deadline_ms = connection.deadline();
            if deadline_ms != 0 && deadline_ms <= now_ms {
                connection.ask(mark::EXPIRED);
            }
            // Idle since before the last look, and not already trimmed by it.
            let idle_until = connection.since() + TRIM_MS;
            if connection.command() == CommandKind::Sleep && idle_until <= now_ms && idle_until > last_ms {
                connection.ask(mark::TRIM);
            }
        }
        last_ms = now_ms;
    }
}
