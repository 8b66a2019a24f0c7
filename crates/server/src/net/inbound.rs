//! What a client sends while its session streams: acknowledgements, or its end.

use std::future::poll_fn;
use std::io;

use protocol::frame::PacketReader;

use super::connection::Connection;
use super::reply::Gone;
use super::stream::ReadHalf;
use crate::status::Counter;

/// See the module.
#[derive(Debug)]
pub struct Inbound<'a> {
    reader: &'a mut PacketReader,
    read: &'a mut ReadHalf,
    connection: &'a Connection,
}

impl<'a> Inbound<'a> {
    pub(super) fn new(
        reader: &'a mut PacketReader,
        read: &'a mut ReadHalf,
        connection: &'a Connection,
    ) -> Self {
        Self { reader, read, connection }
    }

    /// The next packet, each of which begins at sequence number 0. Dropping the future loses nothing.
    pub async fn packet(&mut self) -> Result<Vec<u8>, Gone> {
        loop {
            let packet = self.reader.next_command().map_err(|_| Gone(io::ErrorKind::InvalidData.into()))?;
            if let Some(packet) = packet {
                return Ok(packet.to_vec());
            }
            // Without memory as long as there is nothing to put into it.
            self.read.readable().await?;
            let (reader, read) = (&mut *self.reader, &mut *self.read);
            let count = poll_fn(|context| read.poll_read(context, reader.spare())).await?;
            if count == 0 {
                return Err(Gone(io::ErrorKind::UnexpectedEof.into()));
            }
            self.reader.filled(count);
            self.connection.counters.add(Counter::BytesReceived, count as u64);
        }
    }
}
