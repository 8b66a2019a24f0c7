//! HandshakeV10: the server's first packet.
//!
//! | bytes | field |
//! | --- | --- |
//! | 1 | 10, the version of the protocol |
//! | to NUL | server version; its first character must be a digit |
//! | 4 | connection id |
//! | 8 | first part of the nonce |
//! | 1 | 0 |
//! | 2 | capabilities, lower half |
//! | 1 | character set |
//! | 2 | status flags |
//! | 2 | capabilities, upper half |
//! | 1 | size of the nonce with its NUL: 21 |
//! | 10 | zero |
//! | 12 + 1 | rest of the nonce, 0 |
//! | to NUL | the authentication plugin that the nonce is for |

use crate::auth::{Nonce, Plugin};
use crate::out::PacketWriter;
use crate::wire::put::Put;
use crate::wire::{Capabilities, StatusFlags};

const PROTOCOL_VERSION: u8 = 10;

/// What the server says of itself before it knows anything of the client.
#[derive(Clone, Copy, Debug)]
pub struct Greeting<'a> {
    /// For example `8.0.44-onelog`; without a NUL.
    pub server_version: &'a str,
    /// The id that KILL takes. The packet holds its lower 32 bits.
    pub connection_id: u32,
    /// The nonce of this connection.
    pub nonce: &'a Nonce,
    /// What is offered; [`Capabilities::OFFERED`] unless TLS or attributes are added.
    pub capabilities: Capabilities,
    /// Collation id of the server's default, of which one byte is sent.
    pub charset: u8,
    /// The state in which a session begins.
    pub status: StatusFlags,
    /// The plugin for which the client computes its first response.
    pub plugin: Plugin,
}

impl Greeting<'_> {
    /// Appends the packet. It must be the connection's first, with sequence number 0.
    pub fn write(&self, out: &mut PacketWriter) {
        let [low_0, low_1, high_0, high_1] = self.capabilities.bits().to_le_bytes();
        let (nonce_head, nonce_tail) = self.nonce.parts();
        let payload = out.begin();
        payload.put_u8(PROTOCOL_VERSION);
        payload.put_nul_bytes(self.server_version.as_bytes());
        payload.put_u32(self.connection_id);
        payload.put_nul_bytes(nonce_head);
        payload.put_bytes(&[low_0, low_1, self.charset]);
        payload.put_u16(self.status.bits());
        payload.put_bytes(&[high_0, high_1, Nonce::SIZE_WITH_NUL]);
        payload.put_zeros(10);
        payload.put_nul_bytes(nonce_tail);
        payload.put_nul_bytes(self.plugin.name().as_bytes());
        out.end();
    }
}
