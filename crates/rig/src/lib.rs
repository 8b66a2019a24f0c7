//! What black-box tests and comparisons need around the built binary: servers that are started and stopped, foreign
//! clients, sysbench, what processes and the disk have used, and the installation of all that is foreign.
//!
//! What it is not: it links nothing of onelog. Only for tests and tools on Debian 12; installing needs root.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "drives real processes on the real disk in real time, and says what it does"
)]

pub mod clients;
pub mod command;
pub mod install;
pub mod onelog;
pub mod paths;
pub mod peer;
pub mod random;
pub mod sysbench;
pub mod usage;

use std::time::{Duration, Instant};

/// What went wrong, in words.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What a step of a test gives.
pub type Outcome<T = ()> = Result<T, Failure>;

/// Fails with the message unless the condition holds.
pub fn check(condition: bool, message: impl FnOnce() -> String) -> Outcome {
    if condition { Ok(()) } else { Err(message().into()) }
}

/// Waits until something holds, and fails if it does not for so long.
pub fn until(patience: Duration, what: &str, mut holds: impl FnMut() -> Outcome<bool>) -> Outcome {
    let begun = Instant::now();
    while !holds()? {
        check(begun.elapsed() < patience, || format!("in vain for {} s: {what}", patience.as_secs()))?;
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// Says what is being done.
pub fn say(what: &str) {
    println!("{what}");
}
