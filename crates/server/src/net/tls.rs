//! TLS: what the server offers, and a connection's state between its socket and its packets.
//!
//! `rustls` keeps the state and knows no sockets; both halves of a stream share it. Plain streams do not come here.
//!
//! **Bounds:** what was encrypted and not yet taken by the operating system is at most `rustls`' limit of 64 KiB, since
//! [`Session::poll_write`] takes nothing new before the old has gone; what was decrypted and not yet read is at most what one
//! read from the socket brought. Sessions are not resumed: there is no cache and no ticket.

use std::io::{self, BufRead as _, ErrorKind, IoSlice, Read, Write};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use parking_lot::Mutex;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::NoServerSessionStorage;
use rustls::version::{TLS12, TLS13};
use rustls::{CipherSuite, ProtocolVersion, ServerConfig, ServerConnection};

use super::stream::{ReadSocket, WriteSocket};

/// What the server offers its clients: TLS 1.2 and 1.3, with this certificate.
#[derive(Clone, Debug)]
pub struct Tls(Arc<ServerConfig>);

/// What a connection's client is told of its TLS, in the names of OpenSSL, which are MySQL's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TlsNames {
    /// `Ssl_version`
    pub version: &'static str,
    /// `Ssl_cipher`
    pub cipher: &'static str,
}

/// The state of a connection's TLS.
#[derive(Debug)]
pub(super) struct Session {
    /// Both halves are polled by one task: nobody waits. Rank: last.
    state: Mutex<ServerConnection>,
}

impl Tls {
    /// That of a certificate, with those that lead to its issuer, and its key. An error if they do not belong together.
    pub fn new(
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
    ) -> Result<Self, rustls::Error> {
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[&TLS12, &TLS13])?
            .with_no_client_auth()
            .with_single_cert(chain, key)?;
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
        Ok(Self(Arc::new(config)))
    }

    /// The state of a connection whose client is about to begin.
    pub(super) fn session(&self) -> Result<Session, rustls::Error> {
        Ok(Session { state: Mutex::new(ServerConnection::new(Arc::clone(&self.0))?) })
    }
}

impl Session {
    /// Whether the handshake goes on.
    pub(super) fn is_handshaking(&self) -> bool {
        self.state.lock().is_handshaking()
    }

    /// Takes a part of a handshake that was received already; what is left of it stays in `bytes`.
    pub(super) fn take(&self, bytes: &mut &[u8]) -> io::Result<usize> {
        self.state.lock().read_tls(bytes)
    }

    /// Receives a part of a handshake; 0 bytes at the end of the stream.
    pub(super) fn poll_take(
        &self,
        socket: &mut ReadSocket,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        polled(self.state.lock().read_tls(&mut FromSocket { socket, context }))
    }

    /// Looks at what was received. In a handshake this costs up to a millisecond of a core.
    pub(super) fn process(&self) -> Result<(), rustls::Error> {
        self.state.lock().process_new_packets().map(drop)
    }

    /// What was agreed on; none before the end of the handshake.
    pub(super) fn names(&self) -> Option<TlsNames> {
        let state = self.state.lock();
        let version = match state.protocol_version()? {
            ProtocolVersion::TLSv1_2 => "TLSv1.2",
            _ => "TLSv1.3",
        };
        Some(TlsNames { version, cipher: cipher_name(state.negotiated_cipher_suite()?.suite()) })
    }

    /// Reads what was sent; 0 bytes at the end of the stream.
    pub(super) fn poll_read(
        &self,
        socket: &mut ReadSocket,
        context: &mut Context<'_>,
        out: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        let mut state = self.state.lock();
        loop {
            match state.reader().read(out) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                // A client that closes its socket without a word is gone as one of the plain protocol is.
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Poll::Ready(Ok(0)),
                done => return Poll::Ready(done),
            }
            ready!(polled(state.read_tls(&mut FromSocket { socket, context })))?;
            state.process_new_packets().map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
        }
    }

    /// Whether there is something to read without the socket.
    pub(super) fn is_readable(&self) -> bool {
        let mut state = self.state.lock();
        let is_empty = state.reader().fill_buf().is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
        !is_empty
    }

    /// Encrypts and sends. What it has taken is on its way when [`Self::poll_flush`] says so.
    pub(super) fn poll_write(
        &self,
        socket: &WriteSocket,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let mut state = self.state.lock();
        ready!(flush(&mut state, socket, context))?;
        let count = state.writer().write(bytes)?;
        match flush(&mut state, socket, context) {
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            _ => Poll::Ready(Ok(count)),
        }
    }

    /// Sends what was encrypted.
    pub(super) fn poll_flush(&self, socket: &WriteSocket, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        flush(&mut self.state.lock(), socket, context)
    }

    /// Says that nothing follows.
    pub(super) fn poll_close(&self, socket: &WriteSocket, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.state.lock();
        state.send_close_notify();
        flush(&mut state, socket, context)
    }
}

fn flush(
    state: &mut ServerConnection,
    socket: &WriteSocket,
    context: &mut Context<'_>,
) -> Poll<io::Result<()>> {
    while state.wants_write() {
        if ready!(polled(state.write_tls(&mut ToSocket { socket, context })))? == 0 {
            return Poll::Ready(Err(ErrorKind::WriteZero.into()));
        }
    }
    Poll::Ready(Ok(()))
}

/// A socket as `rustls` reads it: what is not there yet is `WouldBlock`.
struct FromSocket<'a, 'b> {
    socket: &'a mut ReadSocket,
    context: &'a mut Context<'b>,
}

impl Read for FromSocket<'_, '_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        or_would_block(self.socket.poll_read(self.context, out))
    }
}

/// A socket as `rustls` writes it.
struct ToSocket<'a, 'b> {
    socket: &'a WriteSocket,
    context: &'a mut Context<'b>,
}

impl Write for ToSocket<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        or_would_block(self.socket.poll_write(self.context, bytes))
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        or_would_block(self.socket.poll_write_vectored(self.context, slices))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn or_would_block(polled: Poll<io::Result<usize>>) -> io::Result<usize> {
    match polled {
        Poll::Ready(done) => done,
        Poll::Pending => Err(ErrorKind::WouldBlock.into()),
    }
}

fn polled(done: io::Result<usize>) -> Poll<io::Result<usize>> {
    match done {
        Err(error) if error.kind() == ErrorKind::WouldBlock => Poll::Pending,
        done => Poll::Ready(done),
    }
}

/// `rustls`' suites in the names of OpenSSL.
const CIPHERS: [(CipherSuite, &str); 9] = [
    (CipherSuite::TLS13_AES_256_GCM_SHA384, "TLS_AES_256_GCM_SHA384"),
    (CipherSuite::TLS13_AES_128_GCM_SHA256, "TLS_AES_128_GCM_SHA256"),
    (CipherSuite::TLS13_CHACHA20_POLY1305_SHA256, "TLS_CHACHA20_POLY1305_SHA256"),
    (CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, "ECDHE-ECDSA-AES256-GCM-SHA384"),
    (CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, "ECDHE-ECDSA-AES128-GCM-SHA256"),
    (CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, "ECDHE-ECDSA-CHACHA20-POLY1305"),
    (CipherSuite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, "ECDHE-RSA-AES256-GCM-SHA384"),
    (CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, "ECDHE-RSA-AES128-GCM-SHA256"),
    (CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256, "ECDHE-RSA-CHACHA20-POLY1305"),
];

/// `Ssl_cipher_list`
pub(crate) fn cipher_list() -> String {
    CIPHERS.map(|(_, name)| name).join(":")
}

fn cipher_name(suite: CipherSuite) -> &'static str {
    CIPHERS.iter().find(|(known, _)| *known == suite).map_or("unknown", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_suite_that_is_offered_has_a_name() {
        let offered = ring::default_provider().cipher_suites;
        assert!(offered.iter().all(|suite| cipher_name(suite.suite()) != "unknown"));
        assert_eq!(offered.len(), CIPHERS.len());
    }
}
