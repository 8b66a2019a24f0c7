//! The server on the simulated disk.

mod retention;
mod sessions;
mod show;
