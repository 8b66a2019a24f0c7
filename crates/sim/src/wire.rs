//! A connection that keeps what a session writes.

use protocol::out::PacketWriter;
use server::net::Held;
use server::session::Wire;
use sql::exec::BoxFuture;
use types::error::SqlError;

/// Keeps what is sent.
#[derive(Debug, Default)]
pub(crate) struct BufferWire {
    packets: PacketWriter,
    pub(crate) held: Option<Held>,
    sent: Vec<u8>,
    sends: u64,
}

impl BufferWire {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        [&self.sent[..], self.packets.bytes()].concat()
    }
}

impl Wire for BufferWire {
    fn packets(&mut self) -> &mut PacketWriter {
        &mut self.packets
    }

    fn buffered(&self) -> usize {
        self.packets.len()
    }

    fn sends(&self) -> u64 {
        self.sends
    }

    fn held(&mut self) -> Option<&mut Option<Held>> {
        Some(&mut self.held)
    }

    fn send(&mut self) -> BoxFuture<'_, Result<(), SqlError>> {
        self.sent.extend_from_slice(self.packets.bytes());
        self.packets.clear();
        self.sends += 1;
        Box::pin(std::future::ready(Ok(())))
    }
}
