//! The ERR packet.
//!
//! | bytes | field |
//! | --- | --- |
//! | 1 | 0xFF |
//! | 2 | error number |
//! | 1 + 5 | `#`, SQLSTATE; only for clients with PROTOCOL_41 |
//! | to the end | message |
//!
//! Before the client's capabilities are known (too many connections, a blocked host) the SQLSTATE is left out.

use crate::Error;
use crate::auth::Refusal;
use crate::out::PacketWriter;
use crate::wire::Capabilities;
use crate::wire::put::Put;

const HEADER: u8 = 0xFF;
const SQLSTATE_SIZE: usize = 5;

/// An error for the client.
#[derive(Clone, Copy, Debug)]
pub struct ErrPacket<'a> {
    /// MySQL's number.
    pub code: u16,
    /// Five characters.
    pub sqlstate: &'a str,
    /// The text.
    pub message: &'a str,
}

impl ErrPacket<'_> {
    /// Appends the packet.
    ///
    /// # Panics
    /// If the SQLSTATE does not have five bytes.
    pub fn write(&self, out: &mut PacketWriter, capabilities: Capabilities) {
        assert_eq!(self.sqlstate.len(), SQLSTATE_SIZE, "a SQLSTATE has five characters");
        let payload = out.begin();
        payload.put_u8(HEADER);
        payload.put_u16(self.code);
        if capabilities.contains(Capabilities::PROTOCOL_41) {
            payload.put_u8(b'#');
            payload.put_bytes(self.sqlstate.as_bytes());
        }
        payload.put_bytes(self.message.as_bytes());
        out.end();
    }
}

impl Error {
    /// Appends the ERR packet of this error.
    pub fn write(self, out: &mut PacketWriter, capabilities: Capabilities) {
        let message = self.to_string();
        ErrPacket { code: self.code(), sqlstate: self.sqlstate(), message: &message }
            .write(out, capabilities);
    }
}

impl Refusal {
    /// Appends the ERR packet of this refusal.
    pub fn write(self, user: &[u8], host: &str, out: &mut PacketWriter, capabilities: Capabilities) {
        let message = self.message(user, host);
        ErrPacket { code: self.code(), sqlstate: self.sqlstate(), message: &message }
            .write(out, capabilities);
    }
}
