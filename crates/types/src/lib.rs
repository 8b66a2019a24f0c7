//! The MySQL type system.
pub mod charset;
pub mod collation;
pub mod decimal;
pub mod error;
pub mod sql_mode;
pub mod temporal;
pub mod warning;
