//! The table store, from outside.

mod retention;
