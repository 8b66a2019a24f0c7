//! The alphabet of the protocol: integers and strings, numbered types, flags and character sets.

pub mod charset;
mod column_type;
pub(crate) mod cursor;
mod flags;
pub mod put;

pub use column_type::{ColumnType, NOT_FIXED_DECIMALS};
pub use flags::{Capabilities, ColumnFlags, StatusFlags};
