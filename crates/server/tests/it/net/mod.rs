//! Connections over real sockets; each file says its purpose.

pub mod host;
mod hostile;
mod kill;
mod limits;
mod login;
mod shutdown;
