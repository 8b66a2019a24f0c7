//! The table store: rows, indexes, transactions, locks and the catalog.
//!
//! Start reading at [`view`] (which layers make up the store at a moment), then [`delta`] (what was committed since
//! the last checkpoint), [`base`] (the durable part) and [`writeset`] (what a transaction changed).
//!
//! What this crate is not: it knows no log. The commit pipeline (crate `commit`) decides when a write set is applied
//! and when it becomes visible, and recovery replays write sets through the same calls.

pub mod applied;
pub mod base;
pub mod build;
pub mod catalog;
pub mod check;
pub mod delta;
mod error;
pub mod ids;
pub mod lock;
pub mod prepared;
pub mod retired;
pub mod row_hashes;
pub mod rows;
pub mod run;
pub mod scan;
pub mod seen;
pub mod store;
pub mod temporary;
pub mod trx;
pub mod view;
pub mod writeset;

pub use error::EngineError;
