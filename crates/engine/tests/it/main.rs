//! The table store, from outside.

mod emptying;
mod retention;
