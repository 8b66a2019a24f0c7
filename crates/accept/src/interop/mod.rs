//! Software that follows a server's changes: change-data-capture clients, and `mysqlbinlog` that copies the files.
//!
//! Purpose: each sees every change exactly once, in the order of commits, with the names of the columns and the right
//! values, across rotations, changes of tables, a kill of the source and its own absence; a copy equals its original.
//! Requirements: what `programs` installs: Python's and Go's packages, a JDK and Maven; `--source mysql97` runs the same
//! against MySQL, to tell whose mistake something is.
//! Method: a seeded scenario, of which the driver keeps a model; a small program in the consumer's own language writes
//! what it is told; both are compared. Once with GTIDs, once by files and positions.

mod consumer;
mod model;
mod programs;
mod raw_copy;
mod scenario;
mod source;
mod values;
mod verdict;
mod writer;

pub use programs::install;
pub use raw_copy::run as mysqlbinlog;
pub use source::Kind as Source;

use std::fs;
use std::time::Instant;

use rig::{Outcome, paths};

use crate::{Plan, sql};
use consumer::{Consumer, Profile};
use scenario::Scenario;

/// Debezium's embedded engine with its MySQL connector.
pub fn debezium(plan: &Plan) -> Outcome {
    follow(&programs::DEBEZIUM, plan)
}

/// python-mysql-replication.
pub fn pymysqlreplication(plan: &Plan) -> Outcome {
    follow(&programs::PYMYSQLREPLICATION, plan)
}

/// go-mysql's canal.
pub fn canal(plan: &Plan) -> Outcome {
    follow(&programs::CANAL, plan)
}

fn follow(profile: &Profile, plan: &Plan) -> Outcome {
    let dir = paths::fresh(&format!("accept/{}", profile.name))?;
    let program = (profile.build)(&dir)?;
    println!("seed {}, {:?}", plan.seed, plan.source);
    for (by, gtids) in [("gtids", true), ("positions", false)] {
        let begun = Instant::now();
        let dir = dir.join(by);
        fs::create_dir(&dir)?;
        let consumer = |port| Consumer::new(*profile, &program, &dir, port, gtids);
        let run = async { Scenario::new(plan, &dir, gtids, consumer).await?.run().await };
        let (consumer, phases) = sql::block_on(run)?;
        let summary = verdict::compare(&consumer.lines()?, &phases, profile.snapshot)?;
        println!(
            "{} by {by}: {} rows of a snapshot, {} changes in {} transactions: each once, in order, with the right \
             values ({:.1} s)",
            profile.name,
            summary.reads,
            summary.changes,
            summary.transactions,
            begun.elapsed().as_secs_f64()
        );
    }
    Ok(())
}
