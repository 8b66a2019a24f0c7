//! The server around the execution of statements.

pub mod options;
pub mod variables;
