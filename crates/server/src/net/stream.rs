//! A client's stream, TCP or local, in two halves.

use std::io;
use std::os::fd::AsFd;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream, tcp, unix};

/// The half that is read.
#[derive(Debug)]
pub(super) enum ReadHalf {
    Tcp(tcp::OwnedReadHalf),
    Unix(unix::OwnedReadHalf),
}

/// The half that is written.
#[derive(Debug)]
pub(super) enum WriteHalf {
    Tcp(tcp::OwnedWriteHalf),
    Unix(unix::OwnedWriteHalf),
}

/// Halves a TCP stream. Replies go out at once: Nagle's algorithm is off.
pub(super) fn tcp(stream: TcpStream) -> io::Result<(ReadHalf, WriteHalf)> {
    stream.set_nodelay(true)?;
    let (read, write) = stream.into_split();
    Ok((ReadHalf::Tcp(read), WriteHalf::Tcp(write)))
}

/// Halves a local stream.
pub(super) fn unix(stream: UnixStream) -> (ReadHalf, WriteHalf) {
    let (read, write) = stream.into_split();
    (ReadHalf::Unix(read), WriteHalf::Unix(write))
}

impl ReadHalf {
    /// Reads what is there; 0 bytes at the end of the stream.
    pub(super) fn poll_read(&mut self, context: &mut Context<'_>, out: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut buffer = ReadBuf::new(out);
        let polled = match self {
            Self::Tcp(half) => Pin::new(half).poll_read(context, &mut buffer),
            Self::Unix(half) => Pin::new(half).poll_read(context, &mut buffer),
        };
        polled.map_ok(|()| buffer.filled().len())
    }

    /// The same half, whose readiness the runtime looks after that this is called in.
    pub(super) fn rehomed(&self) -> io::Result<Self> {
        Ok(match self {
            Self::Tcp(half) => {
                let stream = std::net::TcpStream::from(half.as_ref().as_fd().try_clone_to_owned()?);
                let (read, write) = TcpStream::from_std(stream)?.into_split();
                // The client's other direction stays open.
                write.forget();
                Self::Tcp(read)
            }
            Self::Unix(half) => {
                let stream =
                    std::os::unix::net::UnixStream::from(half.as_ref().as_fd().try_clone_to_owned()?);
                let (read, write) = UnixStream::from_std(stream)?.into_split();
                write.forget();
                Self::Unix(read)
            }
        })
    }

    /// Waits until there is something to read, without room to read it into.
    pub(super) async fn readable(&self) -> io::Result<()> {
        match self {
            Self::Tcp(half) => half.readable().await,
            Self::Unix(half) => half.readable().await,
        }
    }
}

impl WriteHalf {
    /// Writes what the operating system takes.
    pub(super) fn poll_write(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self {
            Self::Tcp(half) => Pin::new(half).poll_write(context, bytes),
            Self::Unix(half) => Pin::new(half).poll_write(context, bytes),
        }
    }
}
