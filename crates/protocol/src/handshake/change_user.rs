//! COM_CHANGE_USER: a session starts over as somebody else.
//!
//! | bytes | field |
//! | --- | --- |
//! | to NUL | user name |
//! | 1, size | response to the connection's nonce (with SECURE_CONNECTION, else to NUL) |
//! | to NUL | database; empty for none |
//! | 2 | character set, from here on optional |
//! | to NUL | name of the client's plugin, if PLUGIN_AUTH |
//! | lenenc size, pairs | attributes, if CONNECT_ATTRS |
//!
//! The response answers a nonce that has been used, so it proves nothing: [`crate::auth`] always switches such
//! a client to a fresh one, as MySQL does. Otherwise one connection could try passwords as fast as it sends.

use crate::Result;
use crate::handshake::attributes::Attributes;
use crate::wire::Capabilities;
use crate::wire::cursor::Cursor;

/// Who a session wants to become.
#[derive(Clone, Copy, Debug)]
pub struct ChangeUser<'a> {
    /// User name.
    pub user: &'a [u8],
    /// A response to a nonce that was used before.
    pub auth_response: &'a [u8],
    /// The database to begin in; none keeps none.
    pub database: Option<&'a [u8]>,
    /// Collation id, if the client sent one.
    pub charset: Option<u16>,
    /// The client's plugin.
    pub plugin: Option<&'a [u8]>,
    /// What the client says of itself.
    pub attributes: Attributes<'a>,
}

impl<'a> ChangeUser<'a> {
    /// Decodes what follows the command byte.
    pub(crate) fn decode(mut cursor: Cursor<'a>, capabilities: Capabilities) -> Result<Self> {
        let user = cursor.nul_bytes()?;
        let auth_response = if capabilities.contains(Capabilities::SECURE_CONNECTION) {
            cursor.u8_bytes()?
        } else {
            cursor.nul_bytes()?
        };
        let database = Some(cursor.nul_or_rest()).filter(|name| !name.is_empty());
        let charset = if cursor.is_empty() { None } else { Some(cursor.u16()?) };
        let plugin = (capabilities.contains(Capabilities::PLUGIN_AUTH) && !cursor.is_empty())
            .then(|| cursor.nul_or_rest());
        let attributes = if capabilities.contains(Capabilities::CONNECT_ATTRS) {
            Attributes::decode(&mut cursor)?
        } else {
            Attributes::default()
        };
        Ok(Self { user, auth_response, database, charset, plugin, attributes })
    }
}
