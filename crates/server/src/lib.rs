//! The server around the execution of statements.

pub mod accounts;
pub mod clock;
pub mod net;
pub mod options;
pub mod status;
pub mod variables;
