//! The MySQL type system.
pub mod cast;
pub mod charset;
pub mod collation;
pub mod column;
pub mod context;
pub mod decimal;
pub mod error;
pub mod key;
pub mod number;
pub mod row;
pub mod sql_mode;
pub mod store;
pub mod temporal;
pub mod value;
pub mod warning;
