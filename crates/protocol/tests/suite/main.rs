//! The tests of the crate `protocol`, in one binary: each module says its purpose, requirements and method.
//!
//! `tests/data` holds what real clients and servers said to each other; `tests/data/record.py` recorded it.

mod allocation;
mod auth;
mod commands;
mod framing;
mod golden_replies;
mod handshake;
mod hostile;
mod independent;
mod replication;
mod tools;

#[global_allocator]
static ALLOCATOR: allocation::Counting = allocation::Counting;
