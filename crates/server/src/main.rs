//! The `onelog` server.
fn main() {}
