//! The server around the execution of statements.

pub mod options;
pub mod status;
pub mod variables;
