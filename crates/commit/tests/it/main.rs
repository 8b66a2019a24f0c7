//! Purpose: the pipeline, its checkpoints and its recovery keep both logs and the table store in agreement, whatever
//! happens to the power.
//!
//! Requirements, for every power loss at or during any disk operation and every mode:
//! R1. every acknowledged transaction is there after recovery;
//! R2. each transaction is there whole or not at all, and those that are there are a prefix of the commit order;
//! R3. engine and binlog hold the same transactions;
//! R4. recovering once more changes nothing, and a second loss after less work obeys the same rules;
//! R5. a sync that does nothing is noticed;
//! R7. a binlog store of which something is needed goes on where it is, whatever the next start says of its place; one of which
//!     nothing is needed begins where that says;
//! R6. after a RESET the log holds what came after it and nothing else, before it all; never something between.
//!
//! Method: a fixed run on the simulated disk, its log steps played by the test itself: groups of several sizes,
//! rotations, checkpoints, chunks, a purge. The journal of the run is replayed, and power is lost at every operation
//! times every mode; a model of every prefix says what recovery must find.

#![expect(clippy::unwrap_used, reason = "a test fails where its helpers fail")]

mod binlog_buffer;
mod chunks;
mod dependencies;
mod failures;
mod given_gtid;
mod io_cache;
mod log_place;
mod power_loss;
mod readers;
mod reset;
mod room;
mod semi_sync;
mod slots;
mod store_place;
mod switch;
mod wait_for_files;
mod windows;
mod world;
