//! The client's first packet.
//!
//! | bytes | field |
//! | --- | --- |
//! | 4 | capabilities |
//! | 4 | the largest packet that the client accepts |
//! | 1 | character set |
//! | 23 | reserved |
//! | to NUL | user name |
//! | see below | response to the nonce |
//! | to NUL | database, if CONNECT_WITH_DB |
//! | to NUL | name of the client's plugin, if PLUGIN_AUTH |
//! | lenenc size, pairs | attributes, if CONNECT_ATTRS |
//!
//! The response is preceded by a length-encoded size with PLUGIN_AUTH_LENENC, by one byte with
//! SECURE_CONNECTION, and ends with a NUL otherwise. A client that asks for TLS sends the first 32 bytes alone
//! and goes on encrypted. Clients of before 4.1 begin with 2 bytes of capabilities.

use crate::handshake::attributes::Attributes;
use crate::wire::Capabilities;
use crate::wire::cursor::Cursor;
use crate::{Error, Result};

const PACKET: &str = "handshake response";
const RESERVED_SIZE: usize = 23;

/// What a client may answer to the greeting.
#[derive(Clone, Copy, Debug)]
pub enum ClientHello<'a> {
    /// The client introduces itself.
    Response(HandshakeResponse<'a>),
    /// The client wants to go on over TLS; only if [`Capabilities::SSL`] was offered. Bytes that follow this
    /// packet and were received before the TLS handshake must be refused: they could have been injected.
    Tls(TlsRequest),
}

/// The 32 bytes with which a client asks for TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TlsRequest {
    /// What both sides can do.
    pub capabilities: Capabilities,
    /// Collation id.
    pub charset: u8,
}

/// Who wants to connect, and how.
#[derive(Clone, Copy, Debug)]
pub struct HandshakeResponse<'a> {
    /// What both sides can do: the client's set within what was offered.
    pub capabilities: Capabilities,
    /// The largest packet that the client accepts, in bytes.
    pub packet_size_max: u32,
    /// Collation id that the client asks for; 0 stands for the server's default.
    pub charset: u8,
    /// User name; empty for the anonymous user.
    pub user: &'a [u8],
    /// The plugin's response to the nonce.
    pub auth_response: &'a [u8],
    /// The database to begin in.
    pub database: Option<&'a [u8]>,
    /// The plugin that `auth_response` was computed by.
    pub plugin: Option<&'a [u8]>,
    /// What the client says of itself.
    pub attributes: Attributes<'a>,
}

impl<'a> ClientHello<'a> {
    /// Decodes the payload of the client's first packet, given what the greeting offered.
    ///
    /// # Errors
    /// [`Error::OldClient`] for the protocol of before 4.1, [`Error::TlsNotOffered`], and
    /// [`Error::BadHandshake`] for everything that cannot be read.
    pub fn parse(payload: &'a [u8], offered: Capabilities) -> Result<Self> {
        Self::decode(payload, offered).map_err(|error| match error {
            Error::Malformed(packet) => Error::BadHandshake(packet),
            other => other,
        })
    }

    fn decode(payload: &'a [u8], offered: Capabilities) -> Result<Self> {
        let mut cursor = Cursor::new(payload, PACKET);
        if !Capabilities::from_bits(u32::from(Cursor::new(payload, PACKET).u16()?))
            .contains(Capabilities::PROTOCOL_41)
        {
            return Err(Error::OldClient);
        }
        let asked = Capabilities::from_bits(cursor.u32()?);
        let capabilities = asked.intersection(offered);
        let packet_size_max = cursor.u32()?;
        let charset = cursor.u8()?;
        cursor.bytes(RESERVED_SIZE)?;
        if asked.contains(Capabilities::SSL) && cursor.is_empty() {
            return if offered.contains(Capabilities::SSL) {
                Ok(Self::Tls(TlsRequest { capabilities, charset }))
            } else {
                Err(Error::TlsNotOffered)
            };
        }
        HandshakeResponse::decode(cursor, capabilities, packet_size_max, charset).map(Self::Response)
    }
}

impl<'a> HandshakeResponse<'a> {
    fn decode(
        mut cursor: Cursor<'a>,
        capabilities: Capabilities,
        packet_size_max: u32,
        charset: u8,
    ) -> Result<Self> {
        let user = cursor.nul_bytes()?;
        let auth_response = if capabilities.contains(Capabilities::PLUGIN_AUTH_LENENC) {
            cursor.lenenc_bytes()?
        } else if capabilities.contains(Capabilities::SECURE_CONNECTION) {
            cursor.u8_bytes()?
        } else {
            cursor.nul_bytes()?
        };
        let database = capabilities
            .contains(Capabilities::CONNECT_WITH_DB)
            .then(|| cursor.nul_or_rest())
            .filter(|name| !name.is_empty());
        let plugin = capabilities.contains(Capabilities::PLUGIN_AUTH).then(|| cursor.nul_or_rest());
        let attributes = if capabilities.contains(Capabilities::CONNECT_ATTRS) {
            Attributes::decode(&mut cursor)?
        } else {
            Attributes::default()
        };
        Ok(Self { capabilities, packet_size_max, charset, user, auth_response, database, plugin, attributes })
    }
}
