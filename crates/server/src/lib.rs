//! The server around the execution of statements.

pub mod accounts;
pub mod options;
pub mod status;
pub mod ddl;
pub mod session;
pub mod variables;
