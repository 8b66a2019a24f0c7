//! The connection phase: the greeting, the client's answer, and the packets between which [`crate::auth`]
//! moves.
//!
//! ```text
//! server  Greeting                     (sequence 0)
//! client  HandshakeResponse | TlsRequest
//! server  AuthSwitchRequest            if the account's plugin is another one
//! client  response, raw bytes
//! server  AuthMoreData ...             as the plugin needs
//! server  OK | ERR
//! ```

pub mod attributes;
mod change_user;
mod greeting;
mod response;
mod switch;

pub use change_user::ChangeUser;
pub use greeting::Greeting;
pub use response::{ClientHello, HandshakeResponse, TlsRequest};
pub use switch::{write_auth_more_data, write_auth_switch};
