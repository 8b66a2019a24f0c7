//! The server around the execution of statements.

pub mod variables;
