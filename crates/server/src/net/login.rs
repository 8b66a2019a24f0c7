//! From the first byte to a session: the greeting, who the client is, and whether there is room for it.
//!
//! **Bounds:** the whole of it within `connect_timeout`; [`PACKETS_MAX`] packets of at most [`PACKET_SIZE_MAX`] bytes;
//! one password digested, or one step of a TLS handshake made, at a time. Unknown users cost the same work and get the same
//! answers as wrong passwords.

use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use protocol::auth::{Exchange, FastDigest, Nonce, PasswordCheck, Plugin, Progress, Refusal};
use protocol::frame::{PacketReader, UNAUTHENTICATED_SIZE_MAX};
use protocol::handshake::attributes::Attributes;
use protocol::handshake::{ChangeUser, ClientHello, Greeting, HandshakeResponse};
use protocol::reply::OkPacket;
use protocol::wire::{Capabilities, StatusFlags, charset};
use tokio::time::{Instant, sleep_until};
use types::collation::Collation;
use types::error::SqlError;
use types::error::table::{
    ER_ACCESS_DENIED_ERROR, ER_ACCOUNT_HAS_BEEN_LOCKED, ER_CON_COUNT_ERROR, ER_HOST_IS_BLOCKED,
    ER_HOST_NOT_PRIVILEGED, ER_NET_READ_INTERRUPTED, ER_SECURE_TRANSPORT_REQUIRED, ER_SERVER_OFFLINE_MODE,
};
use zeroize::Zeroizing;

use super::Net;
use super::compress::Compression;
use super::connection::{Connection, mark};
use super::doors::Visit;
use super::drive::sequence_after;
use super::handler::{Handler, Login, Service};
use super::password_key::PasswordKey;
use super::registry::Place;
use super::reply::{Gone, Reply};
use super::stream::ReadHalf;
use super::switch::switch;
use crate::accounts::{Access, Account, USER_SIZE_MAX};
use crate::random::random;
use crate::status::{Counter, Gauges};

/// Bytes of a packet of a client that has not logged in.
pub(super) const PACKET_SIZE_MAX: usize = UNAUTHENTICATED_SIZE_MAX;

/// Packets of a client that has not logged in.
const PACKETS_MAX: u32 = 16;

/// See [`answered_at`]: more than the private key's work takes.
const SEALED_ANSWER: Duration = Duration::from_millis(20);

/// What ends a login.
pub(super) const ENDS: u16 =
    mark::KILL_CONNECTION | mark::EXPIRED | mark::SHUTDOWN | mark::ABANDON | mark::MAKE_ROOM;

/// Why somebody was not let in.
#[derive(Debug)]
pub(super) enum LoginError {
    /// The handshake broke off or makes no sense: counts against the host.
    Broken,
    /// The client was told why.
    Refused,
}

impl From<Gone> for LoginError {
    fn from(_: Gone) -> Self {
        Self::Broken
    }
}

impl From<io::Error> for LoginError {
    fn from(_: io::Error) -> Self {
        Self::Broken
    }
}

/// A connection whose client is being asked who it is.
pub(super) struct Link<'a> {
    pub(super) reader: &'a mut PacketReader,
    pub(super) read: &'a mut ReadHalf,
    pub(super) reply: &'a mut Reply,
    pub(super) connection: &'a Arc<Connection>,
    /// Packets that it may still send.
    packets_left: u32,
    /// Its place before the login; none for somebody who is in.
    visit: Option<&'a Visit>,
}

/// Who a client says it is.
struct Claim<'a> {
    user: &'a [u8],
    plugin: Option<&'a [u8]>,
    response: &'a [u8],
    nonce: Nonce,
    starts_over: bool,
    /// The one that it wants to begin in.
    database: Option<&'a [u8]>,
}

impl<'a> Link<'a> {
    pub(super) fn new(
        reader: &'a mut PacketReader,
        read: &'a mut ReadHalf,
        reply: &'a mut Reply,
        connection: &'a Arc<Connection>,
        visit: Option<&'a Visit>,
    ) -> Self {
        Self { reader, read, reply, connection, packets_left: PACKETS_MAX, visit }
    }

    /// The client's next packet. It may hold a password: this is its only copy.
    async fn receive(&mut self) -> Result<Zeroizing<Vec<u8>>, LoginError> {
        self.packets_left = self.packets_left.checked_sub(1).ok_or(LoginError::Broken)?;
        loop {
            match self.reader.next_packet() {
                Ok(Some(packet)) => {
                    let packet = Zeroizing::new(packet.to_vec());
                    self.reader.wipe_last();
                    self.reply.begin(self.reader.sequence());
                    return Ok(packet);
                }
                Ok(None) => {}
                Err(error) => return Err(self.garbled(error).await),
            }
            let (reader, read) = (&mut *self.reader, &mut *self.read);
            let more = poll_fn(|context| read.poll_read(context, reader.spare()));
            match self.connection.unless(ENDS, pin!(more)).await {
                Ok(Ok(count)) if count > 0 => {
                    self.reader.filled(count);
                    self.connection.counters.add(Counter::BytesReceived, count as u64);
                }
                Ok(_) => return Err(LoginError::Broken),
                Err(marks) => {
                    if marks & mark::EXPIRED != 0 {
                        self.reply.begin(self.reader.sequence());
                        self.reply.error(&ER_NET_READ_INTERRUPTED.error(&[]));
                        self.reply.say_last().await;
                    }
                    return Err(LoginError::Broken);
                }
            }
        }
    }

    /// Sends what TLS has to say.
    pub(super) async fn flush(&mut self) -> Result<(), LoginError> {
        self.connection.unless(ENDS, pin!(self.reply.flush())).await.map_err(|_| LoginError::Broken)??;
        Ok(())
    }

    /// Computes what costs milliseconds of a core, after those that came before.
    pub(super) async fn compute<S: Service, T: Send + 'static>(
        &mut self,
        net: &Net<S>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, LoginError> {
        let work = async {
            let _turn = net.computing.acquire().await.ok()?;
            tokio::task::spawn_blocking(work).await.ok()
        };
        self.ours(work).await?.ok_or(LoginError::Broken)
    }

    /// Does what the client waits for.
    async fn ours<T>(&mut self, work: impl Future<Output = T>) -> Result<T, LoginError> {
        if let Some(visit) = self.visit {
            visit.set_ours(true);
        }
        let done = self.connection.unless(ENDS, pin!(work)).await;
        if let Some(visit) = self.visit {
            visit.set_ours(false);
        }
        done.map_err(|_| LoginError::Broken)
    }

    async fn send(&mut self) -> Result<(), LoginError> {
        let sent = self.connection.unless(ENDS, pin!(self.reply.send())).await;
        sent.map_err(|_| LoginError::Broken)??;
        self.reader.set_sequence(self.reply.packets().sequence());
        Ok(())
    }

    /// Tells the client that what it sent makes no sense.
    async fn garbled(&mut self, error: protocol::Error) -> LoginError {
        self.reply.begin(sequence_after(self.reader.sequence(), error));
        let capabilities = self.reply.capabilities();
        error.write(self.reply.packets(), capabilities);
        self.reply.say_last().await;
        LoginError::Broken
    }

    /// Tells the client why it is not let in.
    pub(super) async fn refuse(&mut self, error: &SqlError) -> LoginError {
        self.reply.error(error);
        self.reply.say_last().await;
        LoginError::Refused
    }

    /// From now on there are compressed frames.
    fn compress(&mut self) {
        let compression = Arc::new(Compression::new(self.reader.take_unread()));
        self.read.compress(Arc::clone(&compression));
        self.reply.compress(compression);
        self.connection.set_compressed();
    }
}

/// Greets a client, finds out who it is, and opens its session.
pub(super) async fn log_in<S: Service>(
    net: &Arc<Net<S>>,
    mut link: Link<'_>,
) -> Result<(S::Handler, Place), LoginError> {
    // What the client can do is not known yet: errors have no SQLSTATE.
    link.reply.set_capabilities(Capabilities::NONE);
    if let Some(error) = turned_away(net, link.connection) {
        return Err(link.refuse(&error).await);
    }
    let nonce = Nonce::from_random(random());
    greet(net, &mut link, &nonce);
    link.send().await?;
    let mut packet = link.receive().await?;
    if let (Ok(ClientHello::Tls(_)), Some(tls)) =
        (ClientHello::parse(&packet, offered(net)), &net.secrets.tls)
    {
        switch(net, &mut link, tls).await?;
        packet = link.receive().await?;
    }
    let hello = match ClientHello::parse(&packet, offered(net)) {
        Ok(ClientHello::Response(hello)) => HandshakeResponse { user: clipped(hello.user), ..hello },
        Ok(ClientHello::Tls(_)) => {
            return Err(link.garbled(protocol::Error::BadHandshake("TLS again")).await);
        }
        Err(error) => return Err(link.garbled(error).await),
    };
    link.reply.set_capabilities(hello.capabilities);
    if net.variables.live.require_secure_transport.load(Ordering::Relaxed) && !link.connection.is_secure() {
        return Err(link.refuse(&ER_SECURE_TRANSPORT_REQUIRED.error(&[])).await);
    }
    let claim = Claim {
        user: hello.user,
        plugin: hello.plugin,
        response: hello.auth_response,
        nonce,
        starts_over: false,
        database: hello.database,
    };
    let account = authenticate(net, &mut link, &claim).await?;
    let login = login_of(net, &link, &hello, account);
    link.connection.set_access(&login.access);
    keep_attributes(net, link.connection, &hello.attributes);
    if is_offline_for(net, &login) {
        return Err(link.refuse(&ER_SERVER_OFFLINE_MODE.error(&[])).await);
    }
    let Some(place) = place(net, &login) else {
        Gauges::bump(&net.status.gauges.refused_by_number);
        return Err(link.refuse(&ER_CON_COUNT_ERROR.error(&[])).await);
    };
    link.connection.set_db(login.database.as_deref());
    let handler = match net.service.open(link.connection, &login) {
        Ok(handler) => handler,
        Err(error) => return Err(link.refuse(&error).await),
    };
    net.connections.hosts.succeeded(&link.connection.peer);
    link.reply.ok(&OkPacket { status: handler.status(), ..OkPacket::default() });
    if let Err(error) = link.send().await {
        handler.end().await;
        return Err(error);
    }
    if login.capabilities.contains(Capabilities::COMPRESS) {
        link.compress();
    }
    Gauges::bump(&net.status.gauges.sessions_begun);
    Ok((handler, place))
}

/// COM_CHANGE_USER: finds out who the client is now, and has the session start over.
pub(super) async fn change_user<S: Service>(
    net: &Arc<Net<S>>,
    mut link: Link<'_>,
    change: &ChangeUser<'_>,
    handler: &mut S::Handler,
) -> Result<(), LoginError> {
    let user = clipped(change.user);
    let claim = Claim {
        user,
        plugin: change.plugin,
        response: change.auth_response,
        nonce: Nonce::from_random(random()),
        starts_over: true,
        database: change.database,
    };
    let account = authenticate(net, &mut link, &claim).await?;
    // The rest is the server's work.
    link.connection.set_deadline(0);
    let user = String::from_utf8_lossy(user);
    let peer = link.connection.peer.clone();
    let access = Access::new(Arc::clone(&net.accounts), account, &user, peer);
    let login = Login {
        access: Arc::new(access),
        database: change.database.map(|name| String::from_utf8_lossy(name).into_owned()),
        charset: change.charset.unwrap_or(0),
        capabilities: link.reply.capabilities(),
    };
    link.connection.set_access(&login.access);
    if is_offline_for(net, &login) {
        return Err(link.refuse(&ER_SERVER_OFFLINE_MODE.error(&[])).await);
    }
    if let Err(error) = handler.change_user(&login).await {
        return Err(link.refuse(&error).await);
    }
    link.connection.set_db(login.database.as_deref());
    keep_attributes(net, link.connection, &change.attributes);
    link.reply.ok(&OkPacket { status: handler.status(), ..OkPacket::default() });
    link.send().await
}

/// Keeps what a client says of itself, if anybody may ask.
fn keep_attributes<S>(net: &Net<S>, connection: &Connection, attributes: &Attributes<'_>) {
    if net.variables.live.performance_schema.load(Ordering::Relaxed) {
        connection.set_attributes(attributes);
    }
}

/// Whether `offline_mode` keeps somebody out. Whoever sets it ends those whose access is known by then: it is asked behind that.
fn is_offline_for<S>(net: &Net<S>, login: &Login) -> bool {
    net.variables.live.offline_mode.load(Ordering::Relaxed) && !login.access.is_admin()
}

/// Why a client need not even be greeted.
fn turned_away<S>(net: &Net<S>, connection: &Connection) -> Option<SqlError> {
    let (live, peer) = (&net.variables.live, &connection.peer);
    if net.connections.hosts.is_blocked(peer, live.max_connect_errors.load(Ordering::Relaxed)) {
        return Some(ER_HOST_IS_BLOCKED.error(&[&peer.host]));
    }
    if !net.accounts.table().knows_place(peer) {
        return Some(ER_HOST_NOT_PRIVILEGED.error(&[&peer.host]));
    }
    // One more is let in on the socket, where an administrator may be coming.
    let is_socket = peer.address.is_none();
    let max = live.sessions_max().saturating_add(is_socket.into());
    (net.connections.sessions() >= max).then(|| {
        Gauges::bump(&net.status.gauges.refused_by_number);
        ER_CON_COUNT_ERROR.error(&[])
    })
}

fn greet<S>(net: &Net<S>, link: &mut Link<'_>, nonce: &Nonce) {
    let values = net.variables.values();
    let greeting = Greeting {
        server_version: values.get("version").as_text(),
        connection_id: link.connection.id,
        nonce,
        capabilities: offered(net),
        charset: default_charset(values.get("collation_server").as_text()),
        status: StatusFlags::AUTOCOMMIT,
        plugin: Plugin::CachingSha2,
    };
    greeting.write(link.reply.packets());
}

/// What a client may choose from.
fn offered<S>(net: &Net<S>) -> Capabilities {
    if net.secrets.tls.is_some() { Capabilities::OFFERED | Capabilities::SSL } else { Capabilities::OFFERED }
}

fn default_charset(collation: &str) -> u8 {
    let id = Collation::from_name(collation).map_or(charset::UTF8MB4_GENERAL_CI, Collation::id);
    // As MySQL: a larger number has no room here.
    u8::try_from(id).unwrap_or(u8::MAX)
}

/// One of `max_connections` places, and one more for an administrator on the socket.
fn place<S>(net: &Net<S>, login: &Login) -> Option<Place> {
    let max = net.variables.live.sessions_max();
    net.connections.take_place(max).or_else(|| {
        let is_socket = login.access.peer().address.is_none();
        (is_socket && login.access.is_admin()).then(|| net.connections.take_place(max.saturating_add(1)))?
    })
}

fn login_of<S>(net: &Net<S>, link: &Link<'_>, hello: &HandshakeResponse<'_>, account: Arc<Account>) -> Login {
    let user = String::from_utf8_lossy(hello.user);
    let peer = link.connection.peer.clone();
    Login {
        access: Arc::new(Access::new(Arc::clone(&net.accounts), account, &user, peer)),
        database: hello.database.map(|name| String::from_utf8_lossy(name).into_owned()),
        charset: hello.charset.into(),
        capabilities: hello.capabilities,
    }
}

/// The part of a name that can be an account's: the rest is neither looked at nor said again.
fn clipped(user: &[u8]) -> &[u8] {
    let beyond = |text: &str| text.char_indices().nth(USER_SIZE_MAX).map(|(end, _)| end);
    let end = std::str::from_utf8(user).ok().and_then(beyond).unwrap_or(user.len());
    &user[..end.min(USER_SIZE_MAX * 4)]
}

/// Finds out whether a client is who it says.
async fn authenticate<S: Service>(
    net: &Arc<Net<S>>,
    link: &mut Link<'_>,
    claim: &Claim<'_>,
) -> Result<Arc<Account>, LoginError> {
    let peer = link.connection.peer.clone();
    let found = net.accounts.login(claim.user, &peer);
    let (account, stored) = match found {
        Some((account, stored)) => (Some(account), Some(stored)),
        None => (None, None),
    };
    let login = protocol::auth::Login {
        user: claim.user,
        plugin: claim.plugin,
        response: claim.response,
        nonce: claim.nonce,
        fresh_nonce: Nonce::from_random(random()),
        transport_is_secure: link.connection.is_secure(),
        public_key: net.secrets.password_key.as_ref().map(PasswordKey::public_pem),
        starts_over: claim.starts_over,
    };
    let mut progress = Exchange::begin(&login, stored.as_ref(), &net.accounts.decoys(), link.reply.packets());
    loop {
        progress = match progress {
            Progress::Waiting(exchange) => {
                link.send().await?;
                let packet = link.receive().await?;
                exchange.receive(&packet, link.reply.packets())
            }
            Progress::Check(check) => match digest(net, link, check).await? {
                Ok(digest) => {
                    if let Some(account) = &account {
                        net.accounts.remember(account, digest);
                    }
                    Progress::Accepted
                }
                Err(refusal) => Progress::Refused(refusal),
            },
            Progress::Accepted => break,
            Progress::Refused(refusal) => {
                let capabilities = link.reply.capabilities();
                let (user, told) =
                    (String::from_utf8_lossy(claim.user), refusal.message(claim.user, &peer.host));
                let database = claim.database.map(String::from_utf8_lossy);
                net.service.note_refused(link.connection, &user, database.as_deref(), &told);
                refusal.write(claim.user, &peer.host, link.reply.packets(), capabilities);
                link.reply.say_last().await;
                return Err(LoginError::Refused);
            }
        }
    }
    // Only accounts are accepted, never decoys.
    let account = account.ok_or(LoginError::Broken)?;
    let user = String::from_utf8_lossy(claim.user);
    if account.requires_tls && link.connection.tls().is_none() {
        let with_password = !account.verifier.authentication_string().is_empty();
        let using = if with_password { "YES" } else { "NO" };
        let error = ER_ACCESS_DENIED_ERROR.error(&[&user, &peer.host, &using]);
        return Err(link.refuse(&error).await);
    }
    if account.is_locked {
        let error = ER_ACCOUNT_HAS_BEEN_LOCKED.error(&[&user, &peer.host]);
        return Err(link.refuse(&error).await);
    }
    Ok(account)
}

async fn digest<S: Service>(
    net: &Net<S>,
    link: &mut Link<'_>,
    check: PasswordCheck,
) -> Result<Result<FastDigest, Refusal>, LoginError> {
    Gauges::bump(&net.status.gauges.passwords_digested);
    let (begun, is_sealed) = (Instant::now(), check.is_sealed());
    let key = net.secrets.password_key.clone();
    let done = link.compute(net, move || check.run(|bytes| key?.unseal(bytes))).await;
    if is_sealed {
        link.ours(sleep_until(answered_at(begun, Instant::now()))).await?;
    }
    done
}

/// When a sealed password is answered: a whole number of [`SEALED_ANSWER`]s after it came, so that the time tells nothing of
/// the private key's work.
fn answered_at(begun: Instant, done: Instant) -> Instant {
    let steps = (done - begun).as_nanos() / SEALED_ANSWER.as_nanos() + 1;
    begun + SEALED_ANSWER * u32::try_from(steps).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_password_is_answered_after_whole_steps() {
        let begun = Instant::now();
        for (took_us, answered_ms) in
            [(0, 20), (1, 20), (19_999, 20), (20_000, 40), (20_001, 40), (399_999, 400)]
        {
            let answered = answered_at(begun, begun + Duration::from_micros(took_us));
            assert_eq!(answered - begun, Duration::from_millis(answered_ms), "{took_us}");
        }
    }
}
