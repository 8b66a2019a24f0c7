//! A client's stream, TCP or local, in two halves, and TLS and compression between them and the packets if the client asked
//! for them.

use std::io::{self, IoSlice};
use std::os::fd::AsFd;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Waker, ready};

use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::{TcpStream, UnixStream, tcp, unix};

use super::compress::Compression;
use super::tls::Session;

/// The half that is read.
#[derive(Debug)]
pub(super) struct ReadHalf {
    socket: ReadSocket,
    tls: Option<Arc<Session>>,
    compression: Option<Arc<Compression>>,
}

/// The half that is written.
#[derive(Debug)]
pub(super) struct WriteHalf {
    socket: Arc<WriteSocket>,
    tls: Option<Arc<Session>>,
    compression: Option<Arc<Compression>>,
}

/// The operating system's half that is read.
#[derive(Debug)]
pub(super) enum ReadSocket {
    Tcp(tcp::OwnedReadHalf),
    Unix(unix::OwnedReadHalf),
}

/// The operating system's half that is written.
#[derive(Debug)]
pub(super) enum WriteSocket {
    Tcp(tcp::OwnedWriteHalf),
    Unix(unix::OwnedWriteHalf),
}

/// Halves a TCP stream. Replies go out at once: Nagle's algorithm is off.
pub(super) fn tcp(stream: TcpStream) -> io::Result<(ReadHalf, WriteHalf)> {
    stream.set_nodelay(true)?;
    let (read, write) = stream.into_split();
    Ok(plain(ReadSocket::Tcp(read), WriteSocket::Tcp(write)))
}

/// Halves a local stream.
pub(super) fn unix(stream: UnixStream) -> (ReadHalf, WriteHalf) {
    let (read, write) = stream.into_split();
    plain(ReadSocket::Unix(read), WriteSocket::Unix(write))
}

fn plain(read: ReadSocket, write: WriteSocket) -> (ReadHalf, WriteHalf) {
    let read = ReadHalf { socket: read, tls: None, compression: None };
    (read, WriteHalf { socket: Arc::new(write), tls: None, compression: None })
}

impl ReadHalf {
    /// From now on there is TLS.
    pub(super) fn secure(&mut self, tls: Arc<Session>) {
        self.tls = Some(tls);
    }

    /// From now on there are compressed frames.
    pub(super) fn compress(&mut self, compression: Arc<Compression>) {
        self.compression = Some(compression);
    }

    /// Reads what is there; 0 bytes at the end of the stream.
    pub(super) fn poll_read(&mut self, context: &mut Context<'_>, out: &mut [u8]) -> Poll<io::Result<usize>> {
        let (socket, tls) = (&mut self.socket, &self.tls);
        let mut read = |context: &mut Context<'_>, out: &mut [u8]| match tls {
            None => socket.poll_read(context, out),
            Some(tls) => tls.poll_read(socket, context, out),
        };
        match &self.compression {
            None => read(context, out),
            Some(compression) => compression.poll_read(context, out, read),
        }
    }

    /// Bytes that are there of a compressed frame whose rest is not.
    pub(super) fn frame_size(&self) -> usize {
        self.compression.as_ref().map_or(0, |compression| compression.frame_size())
    }

    /// Whether a compressed frame has begun.
    pub(super) fn is_within_frame(&self) -> bool {
        self.frame_size() > 0
    }

    /// Receives a part of the handshake; 0 bytes at the end of the stream.
    ///
    /// # Panics
    /// If there is no TLS.
    pub(super) fn poll_take(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        self.tls.as_ref().expect("a handshake is under way").poll_take(&mut self.socket, context)
    }

    /// The same half, whose readiness the runtime looks after that this is called in.
    pub(super) fn rehomed(&self) -> io::Result<Self> {
        let socket = match &self.socket {
            ReadSocket::Tcp(half) => {
                let stream = std::net::TcpStream::from(half.as_ref().as_fd().try_clone_to_owned()?);
                let (read, write) = TcpStream::from_std(stream)?.into_split();
                // The client's other direction stays open.
                write.forget();
                ReadSocket::Tcp(read)
            }
            ReadSocket::Unix(half) => {
                let stream =
                    std::os::unix::net::UnixStream::from(half.as_ref().as_fd().try_clone_to_owned()?);
                let (read, write) = UnixStream::from_std(stream)?.into_split();
                write.forget();
                ReadSocket::Unix(read)
            }
        };
        Ok(Self { socket, tls: self.tls.clone(), compression: self.compression.clone() })
    }

    /// Waits until there is something to read, without room to read it into.
    pub(super) async fn readable(&self) -> io::Result<()> {
        if self.compression.as_ref().is_some_and(|compression| compression.is_readable())
            || self.tls.as_ref().is_some_and(|tls| tls.is_readable())
        {
            return Ok(());
        }
        match &self.socket {
            ReadSocket::Tcp(half) => half.readable().await,
            ReadSocket::Unix(half) => half.readable().await,
        }
    }
}

impl WriteHalf {
    /// From now on there is TLS.
    pub(super) fn secure(&mut self, tls: Arc<Session>) {
        self.tls = Some(tls);
    }

    /// From now on there are compressed frames.
    pub(super) fn compress(&mut self, compression: Arc<Compression>) {
        self.compression = Some(compression);
    }

    /// What is written next answers what was read last. Without frames that says nothing.
    pub(super) fn answer(&mut self) {
        if let Some(compression) = &self.compression {
            compression.answer();
        }
    }

    /// The socket as long as it is open, if what is written goes out as it is.
    pub(super) fn plain(&self) -> Option<Weak<WriteSocket>> {
        (self.tls.is_none() && self.compression.is_none()).then(|| Arc::downgrade(&self.socket))
    }

    /// Says which number the next frame has, if there are frames.
    pub(super) fn number_frames(&mut self, sequence: u8) {
        if let Some(compression) = &self.compression {
            compression.number(sequence);
        }
    }

    /// Writes what the operating system takes, or zlib or TLS for it.
    pub(super) fn poll_write(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let (socket, tls) = (&*self.socket, self.tls.as_ref());
        let write = |context: &mut Context<'_>, bytes: &[u8]| poll_write(socket, tls, context, bytes);
        match &self.compression {
            None => write(context, bytes),
            Some(compression) => compression.poll_write(context, bytes, write),
        }
    }

    /// Ready when the operating system has taken all that was written.
    pub(super) fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Some(compression) = &self.compression {
            let (socket, tls) = (&*self.socket, self.tls.as_ref());
            let write = |context: &mut Context<'_>, bytes: &[u8]| poll_write(socket, tls, context, bytes);
            ready!(compression.poll_flush(context, write))?;
        }
        match &self.tls {
            None => Poll::Ready(Ok(())),
            Some(tls) => tls.poll_flush(&self.socket, context),
        }
    }
}

fn poll_write(
    socket: &WriteSocket,
    tls: Option<&Arc<Session>>,
    context: &mut Context<'_>,
    bytes: &[u8],
) -> Poll<io::Result<usize>> {
    match tls {
        None => socket.poll_write(context, bytes),
        Some(tls) => tls.poll_write(socket, context, bytes),
    }
}

impl Drop for WriteHalf {
    /// However a connection ends, its client can tell that end from one that somebody else made. A client that does not read
    /// is not waited for.
    fn drop(&mut self) {
        if let Some(tls) = &self.tls {
            let _ = tls.poll_close(&self.socket, &mut Context::from_waker(Waker::noop()));
        }
    }
}

impl ReadSocket {
    /// Reads what is there; 0 bytes at the end of the stream.
    pub(super) fn poll_read(&mut self, context: &mut Context<'_>, out: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut buffer = ReadBuf::new(out);
        let polled = match self {
            Self::Tcp(half) => Pin::new(half).poll_read(context, &mut buffer),
            Self::Unix(half) => Pin::new(half).poll_read(context, &mut buffer),
        };
        polled.map_ok(|()| buffer.filled().len())
    }
}

impl WriteSocket {
    /// Writes what the operating system takes.
    pub(super) fn poll_write(&self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_io(context, || self.try_write(bytes))
    }

    /// As [`Self::poll_write`], of several pieces.
    pub(super) fn poll_write_vectored(
        &self,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_io(context, || match self {
            Self::Tcp(half) => half.try_write_vectored(slices),
            Self::Unix(half) => half.try_write_vectored(slices),
        })
    }

    /// Writes what the operating system takes at once.
    pub(super) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(half) => half.try_write(bytes),
            Self::Unix(half) => half.try_write(bytes),
        }
    }

    fn poll_io(
        &self,
        context: &mut Context<'_>,
        write: impl Fn() -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        loop {
            ready!(match self {
                Self::Tcp(half) => half.as_ref().poll_write_ready(context),
                Self::Unix(half) => half.as_ref().poll_write_ready(context),
            })?;
            match write() {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                done => return Poll::Ready(done),
            }
        }
    }
}
