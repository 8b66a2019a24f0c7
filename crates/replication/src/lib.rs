//! Replication: what passes between a source and its replicas, without listening sockets.
//!
//! [`source`] is the side that is followed, [`replica`] the side that follows.

pub mod replica;
pub mod source;
