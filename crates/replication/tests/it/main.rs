//! Tests of the replication crate. Each file says what it shows.

#![expect(clippy::unwrap_used, reason = "a test fails where its helpers fail")]

mod begin;
mod sender;
mod world;
