//! Packets of a client's connection: whole ones in both directions, and the few answers that a replica asks for.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use std::sync::Arc;
use std::time::Duration;

use protocol::frame::{CHUNK_SIZE_MAX, PacketReader};
use rustls::pki_types::ServerName;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::{SourceError, SourceTls};

type Result<T> = std::result::Result<T, SourceError>;

/// The largest packet that is taken: MySQL's largest `replica_max_allowed_packet`, and the event's leading byte.
const SIZE_MAX: usize = (1 << 30) + 64;

/// Rows that an answer may have; a replica's questions have one.
const ROWS_MAX: usize = 1000;

/// See the module.
#[derive(Debug)]
pub(super) struct Packets {
    stream: Stream,
    reader: PacketReader,
}

#[derive(Debug)]
enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Stream {
    /// Dropping the future loses nothing.
    async fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.read(out).await,
            Self::Tls(stream) => stream.read(out).await,
        }
    }

    async fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        match self {
            Self::Plain(stream) => stream.write_all(bytes).await,
            Self::Tls(stream) => {
                stream.write_all(bytes).await?;
                stream.flush().await
            }
        }
    }
}

/// A field of a row in text form; `None` is NULL.
pub(super) type Cell = Option<String>;

impl Packets {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self { stream: Stream::Plain(stream), reader: PacketReader::new(SIZE_MAX) }
    }

    /// Shakes hands for TLS, which was asked for; goes on with the same packet numbers.
    pub(super) async fn secured(mut self, tls: &SourceTls, host: &str) -> Result<Self> {
        let Stream::Plain(stream) = self.stream else {
            return Err(SourceError::no_tls("it is there already"));
        };
        if !self.reader.take_unread().is_empty() {
            return Err(SourceError::no_tls("the source went on in clear"));
        }
        let name =
            ServerName::try_from(host.to_owned()).map_err(|error| SourceError::no_tls(&error.to_string()))?;
        let connected = TlsConnector::from(Arc::clone(&tls.0)).connect(name, stream).await;
        match connected {
            Ok(stream) => Ok(Self { stream: Stream::Tls(Box::new(stream)), reader: self.reader }),
            Err(error) => Err(match error.downcast::<rustls::Error>() {
                Ok(error) => SourceError::no_tls(&error.to_string()),
                Err(error) => error.into(),
            }),
        }
    }

    /// Whether others cannot read along.
    pub(super) fn is_secure(&self) -> bool {
        matches!(self.stream, Stream::Tls(_))
    }

    /// The next packet.
    pub(super) async fn next(&mut self) -> Result<Vec<u8>> {
        loop {
            if let Some(packet) = self.whole()? {
                return Ok(packet);
            }
            self.receive().await?;
        }
    }

    /// The next packet. The source may say nothing for so long; a large packet may take longer, as long as more of it comes.
    pub(super) async fn next_within(&mut self, silence: Duration) -> Result<Vec<u8>> {
        loop {
            if let Some(packet) = self.whole()? {
                return Ok(packet);
            }
            timeout(silence, self.receive())
                .await
                .map_err(|_| SourceError::Lost("the source has been silent for too long".to_owned()))??;
        }
    }

    /// A packet of which everything is here.
    fn whole(&mut self) -> Result<Option<Vec<u8>>> {
        match self.reader.next_packet() {
            Ok(packet) => Ok(packet.map(<[u8]>::to_vec)),
            // A source that shuts down says so in between, with a number of its own.
            Err(error @ protocol::Error::OutOfOrder { .. }) => Err(SourceError::Lost(error.to_string())),
            Err(error) => Err(SourceError::Malformed(error.to_string())),
        }
    }

    /// More bytes. Dropping the future loses nothing.
    async fn receive(&mut self) -> Result<()> {
        let count = self.stream.read(self.reader.spare()).await?;
        if count == 0 {
            return Err(SourceError::Lost("the source has closed the connection".to_owned()));
        }
        self.reader.filled(count);
        Ok(())
    }

    /// From now on the source counts its packets as it likes.
    pub(super) fn take_any_sequence(&mut self) {
        self.reader.take_any_sequence();
    }

    /// Sends a short packet of number 0, whatever is being received.
    pub(super) async fn put_in(&mut self, payload: &[u8]) -> Result<()> {
        let [a, b, c, ..] = payload.len().to_le_bytes();
        Ok(self.stream.write(&[&[a, b, c, 0], payload].concat()).await?)
    }

    /// Answers within a conversation.
    pub(super) async fn send(&mut self, payload: &[u8]) -> Result<()> {
        let mut sequence = self.reader.sequence();
        let mut out = Vec::with_capacity(payload.len().saturating_add(4));
        let mut rest = payload;
        loop {
            let (chunk, behind) = rest.split_at(rest.len().min(CHUNK_SIZE_MAX));
            let [a, b, c, ..] = chunk.len().to_le_bytes();
            out.extend_from_slice(&[a, b, c, sequence]);
            out.extend_from_slice(chunk);
            sequence = sequence.wrapping_add(1);
            rest = behind;
            if chunk.len() < CHUNK_SIZE_MAX {
                break;
            }
        }
        self.stream.write(&out).await?;
        self.reader.set_sequence(sequence);
        Ok(())
    }

    /// Begins a conversation.
    pub(super) async fn command(&mut self, code: u8, body: &[u8]) -> Result<()> {
        self.reader.set_sequence(0);
        self.send(&[&[code], body].concat()).await
    }

    /// The answer to a command that has no result.
    pub(super) async fn expect_ok(&mut self) -> Result<()> {
        let packet = self.next().await?;
        match packet.first() {
            Some(0) => Ok(()),
            Some(0xff) => Err(refusal(&packet)),
            _ => Err(SourceError::malformed("neither OK nor an error")),
        }
    }

    /// Executes a statement; its rows, if it has any.
    pub(super) async fn query(&mut self, sql: &str) -> Result<Vec<Vec<Cell>>> {
        self.command(3, sql.as_bytes()).await?;
        let head = self.next().await?;
        let columns = match head.first() {
            Some(0) => return Ok(Vec::new()),
            Some(0xff) => return Err(refusal(&head)),
            Some(count @ 1..=250) => *count,
            _ => return Err(SourceError::malformed("a result's head")),
        };
        for _ in 0..columns {
            self.next().await?;
        }
        if !is_end(&self.next().await?) {
            return Err(SourceError::malformed("a result's columns"));
        }
        let mut rows = Vec::new();
        loop {
            let packet = self.next().await?;
            if is_end(&packet) {
                return Ok(rows);
            }
            if packet.first() == Some(&0xff) {
                return Err(refusal(&packet));
            }
            if rows.len() >= ROWS_MAX {
                return Err(SourceError::malformed("more rows than were asked for"));
            }
            rows.push(cells(&packet, columns).ok_or_else(|| SourceError::malformed("a row"))?);
        }
    }
}

/// EOF.
pub(super) fn is_end(packet: &[u8]) -> bool {
    packet.first() == Some(&0xfe) && packet.len() < 9
}

/// What an ERR packet says.
pub(super) fn refusal(packet: &[u8]) -> SourceError {
    let code =
        packet.get(1..3).and_then(|bytes| bytes.first_chunk()).map_or(0, |bytes| u16::from_le_bytes(*bytes));
    let text = packet.get(3..).unwrap_or_default();
    let text = if text.first() == Some(&b'#') { text.get(6..).unwrap_or_default() } else { text };
    SourceError::Refused { code, message: String::from_utf8_lossy(text).into_owned() }
}

fn cells(mut packet: &[u8], columns: u8) -> Option<Vec<Cell>> {
    (0..columns).map(|_| cell(&mut packet)).collect()
}

/// A length-encoded string.
fn cell(input: &mut &[u8]) -> Option<Cell> {
    if let [0xfb, rest @ ..] = input {
        *input = rest;
        return Some(None);
    }
    let size = usize::try_from(lenenc(input)?).ok()?;
    let (text, rest) = input.split_at_checked(size)?;
    *input = rest;
    Some(Some(String::from_utf8_lossy(text).into_owned()))
}

/// A length-encoded integer.
pub(super) fn lenenc(input: &mut &[u8]) -> Option<u64> {
    let (first, rest) = input.split_first()?;
    let size = match first {
        0..=0xfa => {
            *input = rest;
            return Some(u64::from(*first));
        }
        0xfc => 2,
        0xfd => 3,
        0xfe => 8,
        _ => return None,
    };
    let (bytes, rest) = rest.split_at_checked(size)?;
    *input = rest;
    Some(bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    const SILENCE: Duration = Duration::from_secs(1);

    /// A source that sends a packet of so many bytes, one after each pause.
    async fn sent(bytes: u8, pause: Duration) -> Result<Vec<u8>> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (mut source, _) = listener.accept().await.unwrap();
        let sends = tokio::spawn(async move {
            source.write_all(&[bytes, 0, 0, 0]).await.unwrap();
            for byte in 0..bytes {
                tokio::time::sleep(pause).await;
                // Who has given up does not read.
                let _ = source.write_all(&[byte]).await;
            }
        });
        let packet = Packets::new(stream).next_within(SILENCE).await;
        sends.abort();
        packet
    }

    #[tokio::test]
    async fn a_packet_may_take_longer_than_silence() {
        let slow = sent(8, Duration::from_millis(150)).await;
        assert_eq!(slow.unwrap(), [0, 1, 2, 3, 4, 5, 6, 7]);
        let silent = sent(1, Duration::from_secs(100)).await;
        assert!(matches!(silent, Err(SourceError::Lost(why)) if why.contains("silent")));
    }
}
