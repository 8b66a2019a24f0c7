//! From bytes back to events.
//!
//! Nothing here trusts its input: no byte sequence makes a decoder panic, loop, or allocate more than a small
//! multiple of the input. Whether an event is whole and its checksum right is [`crate::reader`]'s affair.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod cursor;
mod event;
mod format_description;
mod gtid_event;
mod query;
mod rows;
mod status_vars;
mod table_map;
mod table_metadata;
mod xa;

pub(crate) use cursor::Cursor;
pub use cursor::DecodeError;
pub use event::Event;
pub use rows::RowsBody;
pub(crate) use rows::rows;
pub use table_map::TableMapBody;
