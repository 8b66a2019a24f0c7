//! The switch to TLS, between a client's request for it and its login.
//!
//! What the client sent in one go with the request is the beginning of its handshake, and nothing else: it never becomes a
//! packet, so nobody can put a command in front of what the client says under encryption.
//!
//! **Bounds:** `connect_timeout` goes on; [`SIZE_MAX`] bytes. The arithmetic is done as that of passwords is: elsewhere,
//! one client's at a time.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;

use super::Net;
use super::handler::Service;
use super::login::{Link, LoginError, PACKET_SIZE_MAX};
use super::tls::Tls;
use crate::status::Gauges;

/// Bytes of a client's part of the handshake.
const SIZE_MAX: usize = PACKET_SIZE_MAX;

/// Shakes hands with a client that asked for it.
pub(super) async fn switch<S: Service>(
    net: &Arc<Net<S>>,
    link: &mut Link<'_>,
    tls: &Tls,
) -> Result<(), LoginError> {
    let gauges = &net.status.gauges;
    Gauges::bump(&gauges.tls_accepts);
    let early = link.reader.take_unread();
    let mut early = &early[..];
    let session = Arc::new(tls.session().map_err(|_| LoginError::Broken)?);
    link.read.secure(Arc::clone(&session));
    link.reply.secure(Arc::clone(&session));
    let mut size = 0;
    loop {
        link.flush().await?;
        if !session.is_handshaking() {
            break;
        }
        let count = if early.is_empty() { receive(link).await? } else { session.take(&mut early)? };
        size += count;
        if count == 0 || size > SIZE_MAX {
            return Err(LoginError::Broken);
        }
        let its = Arc::clone(&session);
        // The client is told why when the stream is dropped.
        link.compute(net, move || its.process()).await?.map_err(|_| LoginError::Broken)?;
    }
    let names = session.names().filter(|_| early.is_empty()).ok_or(LoginError::Broken)?;
    link.connection.set_tls(names);
    Gauges::bump(&gauges.tls_finished_accepts);
    Ok(())
}

async fn receive(link: &mut Link<'_>) -> Result<usize, LoginError> {
    let read = &mut *link.read;
    link.connection
        .unless(super::login::ENDS, pin!(poll_fn(|context| read.poll_take(context))))
        .await
        .map_err(|_| LoginError::Broken)?
        .map_err(LoginError::from)
}
