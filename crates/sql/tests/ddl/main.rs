//! Purpose: what statements are, what DDL makes of them, and what SHOW and the virtual schemas say, against recorded
//! answers of real servers.
//!
//! Requirements: nothing but the data files beside this one. Each says which server answered.
//!
//! Method: every line of a data file is a statement and the server's answer; ours must be the same, or the deviation is
//! in the file too.

#![expect(clippy::unwrap_used, reason = "a test fails where its helpers fail")]

mod changes;
mod checks;
mod definitions;
mod parenthesised;
mod precedence;
mod random;
mod syntax;
mod table_changes;
mod world;
