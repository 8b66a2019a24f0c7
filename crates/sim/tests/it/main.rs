//! The server on the simulated disk.

#![expect(clippy::unwrap_used, reason = "a test fails where its helpers fail")]

mod folds;
mod gtids;
mod io_cache;
mod new_tables;
mod relaxed_ddl;
mod restarts;
mod retention;
mod sessions;
mod show;
mod stamps;
