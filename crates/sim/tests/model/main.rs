//! Purpose: the engine, seen through SQL, does what a plain map does.
//!
//! Requirements, after any sequence of statements of several sessions, checkpoints, and restarts in between:
//! R1. each read sees the newest committed state, or its transaction's snapshot, with the transaction's own changes;
//! R2. primary, unique and secondary indexes tell the same story;
//! R3. a savepoint takes back what came after it; a rollback or the end of the process takes back everything;
//! R4. affected rows and duplicate keys are MySQL's.
//!
//! Method: random statements run in the server on the simulated disk and in a model of maps; every answer is compared.
//! Sessions change rows of their own, so that none ever waits for another one: the world has one thread.
//! `ONELOG_SEEDS` says how many runs, `ONELOG_SEED` which one.

#![expect(clippy::unwrap_used, reason = "a test fails where its helpers fail")]

mod model;
mod run;

use run::Run;

/// Runs in CI.
const SEEDS: u64 = 40;
/// Statements of a run.
const STEPS: u32 = 400;

#[test]
fn the_engine_does_what_the_model_does() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().unwrap());
    if let Some(seed) = number("ONELOG_SEED") {
        return Run::new(seed).steps(STEPS);
    }
    for seed in 0..number("ONELOG_SEEDS").unwrap_or(SEEDS) {
        eprintln!("seed {seed}");
        Run::new(seed).steps(STEPS);
    }
}
