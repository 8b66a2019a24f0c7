//! The server: sessions on the engine and the commit pipeline, behind the MySQL protocol.

pub mod accounts;
pub mod clock;
pub mod ddl;
mod digests;
mod dump;
pub mod general_log;
pub mod info;
pub mod net;
pub mod options;
mod random;
mod replica;
pub mod run;
pub mod service;
pub mod session;
pub mod status;
pub mod variables;
