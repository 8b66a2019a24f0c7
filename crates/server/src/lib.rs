//! The server around the execution of statements.

pub mod accounts;
pub mod ddl;
pub mod options;
pub mod session;
pub mod status;
pub mod variables;
