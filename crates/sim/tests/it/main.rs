//! The server on the simulated disk.

mod sessions;
mod show;
