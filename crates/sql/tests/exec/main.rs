//! Purpose: statements do to tables what MySQL's would, whichever way their rows are found.
//!
//! Requirements:
//! R1. SELECT, INSERT, UPDATE, DELETE give MySQL's rows, counts, errors and insert ids.
//! R2. The answer does not depend on the access path: indexes, ranges and full scans agree.
//! R3. A transaction sees its own changes and its snapshot, writes the newest state, and undoes to a mark.
//! R4. Others may run meanwhile, however few rows are found.
//!
//! Method: the executor over the real engine on a simulated disk, without a log: a commit applies at once.

#![expect(clippy::unwrap_used, reason = "a test fails where its helpers fail")]

mod access;
mod changes;
mod db;
mod foreign_keys;
mod foreign_keys_random;
mod joins;
mod json;
mod lateral;
mod lookups;
mod merge;
mod moving;
mod multi;
mod mutants;
mod named;
mod nearest;
mod order;
mod over;
mod queries;
mod recorded;
mod recursive;
mod rollup;
mod sets;
mod subqueries;
mod twice;
mod unions;
