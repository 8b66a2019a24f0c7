//! onelog as a semi-synchronous replica, of itself and of servers that nobody here wrote.
//!
//! Purpose: what a source tells a client is durable on the replica; what is not applied is not acknowledged.
//! Method: each row that a source has acknowledged is looked for on the replica at once; then the applier is stopped, so
//! that the source waits in vain and switches semi-synchronous replication off, and started again.

use std::time::Duration;

use rig::{Outcome, check, until};

use crate::contents::{self, status};
use crate::sql;

const ROWS: u32 = 50;
const PATIENCE: Duration = Duration::from_mins(1);

/// `side` is the source's word for itself in its variables: `source` or `master`.
pub fn check_pair(source: u16, side: &str, replica: u16) -> Outcome {
    let set = |name: &str, value: u32| {
        sql::run(source, &[&format!("SET GLOBAL rpl_semi_sync_{side}_{name} = {value}")])
    };
    let seen = |name: &str| status(source, &format!("Rpl_semi_sync_{side}_{name}"));
    set("timeout", 60_000)?;
    set("enabled", 1)?;
    sql::run(
        replica,
        &[
            "SET GLOBAL rpl_semi_sync_replica_enabled = ON",
            "STOP REPLICA IO_THREAD",
            "START REPLICA IO_THREAD",
        ],
    )?;
    until(PATIENCE, "the replica is known", || Ok(seen("clients")? == "1"))?;
    check(status(replica, "Rpl_semi_sync_replica_status")? == "ON", || "the replica says OFF".to_owned())?;
    sql::run(
        source,
        &["CREATE DATABASE acknowledged", "CREATE TABLE acknowledged.t (id INT PRIMARY KEY, s VARCHAR(20))"],
    )?;
    let (before, lost) = (seen("yes_tx")?.parse::<u32>()?, seen("no_tx")?);
    for id in 0..ROWS {
        sql::run(source, &[&format!("INSERT INTO acknowledged.t VALUES ({id}, 'row')")])?;
        let found = contents::query(replica, "mysql", "SELECT COUNT(*) FROM acknowledged.t")?;
        check(found.trim() == (id + 1).to_string(), || {
            format!("{} rows were acknowledged, the replica has {found}", id + 1)
        })?;
    }
    let acknowledged = seen("yes_tx")?.parse::<u32>()? - before;
    check(acknowledged >= ROWS && seen("no_tx")? == lost, || {
        format!("{acknowledged} of {ROWS} transactions were acknowledged")
    })?;

    sql::run(replica, &["STOP REPLICA SQL_THREAD"])?;
    set("timeout", 300)?;
    sql::run(source, &["UPDATE acknowledged.t SET s = 'waits' WHERE id = 0"])?;
    check(seen("status")? == "OFF", || "what is not applied was acknowledged".to_owned())?;
    set("timeout", 60_000)?;
    sql::run(replica, &["START REPLICA SQL_THREAD"])?;
    sql::run(source, &["UPDATE acknowledged.t SET s = 'again' WHERE id = 0"])?;
    until(PATIENCE, "the source waits again", || Ok(seen("status")? == "ON"))?;
    sql::run(source, &["UPDATE acknowledged.t SET s = 'here' WHERE id = 0"])?;
    let found = contents::query(replica, "mysql", "SELECT s FROM acknowledged.t WHERE id = 0")?;
    check(found.trim() == "here", || format!("the replica has {found}"))?;
    set("enabled", 0)?;
    println!("{acknowledged} transactions were acknowledged, and each was on the replica at once");
    Ok(())
}
