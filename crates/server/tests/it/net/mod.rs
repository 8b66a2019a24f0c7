//! Connections over real sockets; each file says its purpose.

mod delivery;
pub mod host;
mod hostile;
mod kill;
mod limits;
mod login;
mod shutdown;
