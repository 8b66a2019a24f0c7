//! The packets by which the server leads an authentication on.
//!
//! AuthSwitchRequest:
//!
//! | bytes | field |
//! | --- | --- |
//! | 1 | 0xFE |
//! | to NUL | plugin |
//! | 20 + 1 | nonce, 0 |
//!
//! AuthMoreData is 0x01 and bytes that mean something to the plugin. The client's answers are raw bytes.

use crate::auth::{Nonce, Plugin};
use crate::out::PacketWriter;
use crate::wire::put::Put;

const SWITCH: u8 = 0xFE;
const MORE_DATA: u8 = 0x01;

/// Asks the client to start over with another plugin and a fresh nonce.
pub fn write_auth_switch(out: &mut PacketWriter, plugin: Plugin, nonce: &Nonce) {
    let payload = out.begin();
    payload.put_u8(SWITCH);
    payload.put_nul_bytes(plugin.name().as_bytes());
    payload.put_nul_bytes(nonce.bytes());
    out.end();
}

/// Tells the client's plugin something.
pub fn write_auth_more_data(out: &mut PacketWriter, data: &[u8]) {
    let payload = out.begin();
    payload.put_u8(MORE_DATA);
    payload.put_bytes(data);
    out.end();
}
