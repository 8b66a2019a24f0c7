//! A file that a client sends because it was asked for one: packets up to an empty one.

use std::future::poll_fn;
use std::io;

use protocol::frame::PacketReader;

use super::connection::Connection;
use super::pace::Arriving;
use super::reply::Gone;
use super::stream::ReadHalf;
use crate::status::Counter;

/// See the module. A client that stops sending is waited for as in the midst of a packet: by `net_read_timeout`, and its
/// pace.
#[derive(Debug)]
pub struct SentFile<'a> {
    reader: &'a mut PacketReader,
    read: &'a mut ReadHalf,
    connection: &'a Connection,
    ended: bool,
    broken: bool,
}

impl<'a> SentFile<'a> {
    /// `sequence` is that of the file's first packet.
    pub(super) fn new(
        reader: &'a mut PacketReader,
        read: &'a mut ReadHalf,
        connection: &'a Connection,
        sequence: u8,
    ) -> Self {
        reader.set_sequence(sequence);
        Self { reader, read, connection, ended: false, broken: false }
    }

    /// The next packet; empty when the file has ended, from then on. Dropping the future loses nothing.
    pub async fn packet(&mut self) -> Result<Vec<u8>, Gone> {
        let mut arriving = Arriving::default();
        while !self.ended {
            match self.reader.next_packet() {
                Ok(Some(packet)) => {
                    self.ended = packet.is_empty();
                    return Ok(packet.to_vec());
                }
                Ok(None) => {}
                Err(_) => return Err(self.broken(io::ErrorKind::InvalidData)),
            }
            let (reader, read, connection) = (&mut *self.reader, &mut *self.read, self.connection);
            let count =
                poll_fn(|context| arriving.poll_read(context, read, reader.spare(), connection, true)).await;
            self.connection.set_deadline(0);
            match count {
                Ok(0) => return Err(self.broken(io::ErrorKind::UnexpectedEof)),
                Ok(count) => {
                    self.reader.filled(count);
                    self.connection.counters.add(Counter::BytesReceived, count as u64);
                }
                Err(error) => return Err(self.broken(error.kind())),
            }
        }
        Ok(Vec::new())
    }

    fn broken(&mut self, kind: io::ErrorKind) -> Gone {
        self.broken = true;
        Gone(kind.into())
    }

    /// Whether all of it has come.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Whether the rest will never come.
    pub(super) fn is_broken(&self) -> bool {
        self.broken
    }

    /// The number of the packet that answers it.
    pub fn sequence(&self) -> u8 {
        self.reader.sequence()
    }
}
