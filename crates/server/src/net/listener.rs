//! The listeners: TCP and the local socket.

use std::io;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use protocol::frame::PacketReader;
use tokio::net::{TcpListener, TcpSocket, UnixListener};
use tokio::task::{JoinHandle, JoinSet};

use super::connection::{Connection, mark};
use super::doors::{Entered, Visit};
use super::drive::serve;
use super::handler::Service;
use super::reaper::reap;
use super::registry::Registered;
use super::reply::Reply;
use super::stream::{self, ReadHalf, WriteHalf};
use super::{Net, files, login};
use crate::accounts::Peer;
use crate::status::Gauges;

/// Clients that wait to be accepted.
const BACKLOG: u32 = 1024;

/// Clients of addresses that have all their places, which wait for one.
const QUEUE_MAX: usize = 256;

/// After an error of accepting, above all a lack of descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// The tasks that accept clients.
#[derive(Debug)]
pub struct Listeners {
    tasks: Vec<JoinHandle<()>>,
    reaper: JoinHandle<()>,
    /// Where TCP is listened on; the port is the one that was given.
    pub tcp: Vec<SocketAddr>,
    socket: Option<PathBuf>,
}

/// A client that was accepted.
pub(super) struct Visitor {
    pub(super) registered: Registered,
    pub(super) visit: Visit,
    pub(super) reader: PacketReader,
    pub(super) read: ReadHalf,
    pub(super) reply: Reply,
}

/// Places where nobody else listens, nor does this server yet: who connects is refused.
#[derive(Debug)]
pub struct Bound {
    tcp: Vec<TcpSocket>,
    socket: Option<PathBuf>,
}

/// Takes these addresses, and looks whether somebody listens on the socket: that is taken by [`listen`], as its file says that
/// somebody does.
pub async fn bind(addresses: &[SocketAddr], socket: Option<&Path>) -> io::Result<Bound> {
    let tcp = addresses.iter().map(|address| bind_tcp(*address)).collect::<io::Result<_>>()?;
    if let Some(path) = socket
        && is_listened_on(path).await
    {
        return Err(io::ErrorKind::AddrInUse.into());
    }
    Ok(Bound { tcp, socket: socket.map(Path::to_owned) })
}

/// Listens there. A socket file that nobody listens on is replaced.
pub async fn listen<S: Service>(net: &Arc<Net<S>>, bound: Bound) -> io::Result<Listeners> {
    let Bound { tcp, socket } = bound;
    let listeners = tcp.into_iter().map(|tcp| tcp.listen(BACKLOG)).collect::<io::Result<Vec<_>>>()?;
    let local = match &socket {
        Some(path) => Some(bind_socket(path).await?),
        None => None,
    };
    let tcp = listeners.iter().map(TcpListener::local_addr).collect::<io::Result<_>>()?;
    let accept = |listener| tokio::spawn(accept_tcp(Arc::clone(net), listener));
    let mut tasks: Vec<_> = listeners.into_iter().map(accept).collect();
    tasks.extend(local.map(|listener| tokio::spawn(accept_socket(Arc::clone(net), listener))));
    let reaper = tokio::spawn(reap(Arc::clone(&net.connections)));
    Ok(Listeners { tasks, reaper, tcp, socket })
}

impl Listeners {
    /// Accepts nobody any more, ends who is idle, and gives those who execute a command this long to finish it; then
    /// stops them, and after as long again abandons them. Dumps come last, so that replicas get what the others did.
    /// Returns whether everybody has gone.
    pub async fn close<S: Service>(self, net: &Net<S>, patience: Duration) -> bool {
        for task in &self.tasks {
            task.abort();
        }
        if let Some(path) = &self.socket {
            remove_socket(path);
        }
        let connections = &net.connections;
        let everybody =
            |act: fn(&Connection)| connections.all().iter().for_each(|connection| act(connection));
        everybody(|connection| {
            if !connection.is_dump() {
                connection.ask(mark::SHUTDOWN);
            }
        });
        let in_time = connections.only_dumps_left(patience).await;
        everybody(|connection| connection.ask(mark::SHUTDOWN));
        let mut gone = in_time && connections.none_left(patience).await;
        if !gone {
            everybody(|connection| connection.interrupt(mark::KILL_CONNECTION));
            gone = connections.none_left(patience).await;
        }
        if !gone {
            everybody(|connection| connection.ask(mark::ABANDON));
            gone = connections.none_left(patience).await;
        }
        self.reaper.abort();
        gone
    }
}

fn bind_tcp(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // As mysqld: a server that was just stopped can be started again.
    socket.set_reuseaddr(true)?;
    // Those that are accepted have it from here: a client's machine that has vanished is noticed, and its locks are freed.
    socket.set_keepalive(true)?;
    socket.bind(address)?;
    Ok(socket)
}

/// Whoever has an account may connect, whichever user of the machine he is: as mysqld.
async fn bind_socket(path: &Path) -> io::Result<UnixListener> {
    let listener = bind_free_socket(path).await?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777))?;
    Ok(listener)
}

async fn bind_free_socket(path: &Path) -> io::Result<UnixListener> {
    match UnixListener::bind(path) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            if is_listened_on(path).await {
                return Err(error);
            }
            remove_socket(path);
            UnixListener::bind(path)
        }
        result => result,
    }
}

async fn is_listened_on(path: &Path) -> bool {
    tokio::net::UnixStream::connect(path).await.is_ok()
}

/// A socket is no file that holds data: it does not go through `vfs`.
#[expect(clippy::disallowed_methods, reason = "a socket's name is not storage")]
fn remove_socket(path: &Path) {
    if let Err(error) = std::fs::remove_file(path) {
        tracing::warn!(path = %path.display(), %error, "could not remove the socket");
    }
}

async fn accept_tcp<S: Service>(net: Arc<Net<S>>, listener: TcpListener) {
    // They end with this task.
    let mut queue = JoinSet::new();
    loop {
        net.tcp_doors.room().await;
        match listener.accept().await {
            Ok((tcp, address)) => {
                Gauges::bump(&net.status.gauges.connections);
                if is_too_many(&net, &tcp) {
                    continue;
                }
                let peer = Peer::tcp(address.ip());
                let Ok(halves) = stream::tcp(tcp) else {
                    Gauges::bump(&net.status.gauges.peer_errors);
                    continue;
                };
                let entered = net.tcp_doors.enter(&peer, &|| begin(&net, &peer, Some(address.port())));
                if let Some(entered) = entered {
                    welcome(&net, entered, halves);
                    continue;
                }
                while queue.try_join_next().is_some() {}
                if queue.len() < QUEUE_MAX {
                    queue.spawn(wait_for_place(Arc::clone(&net), halves, peer, address.port()));
                } else {
                    Gauges::bump(&net.status.gauges.aborted_connects);
                }
            }
            Err(error) => failed(&net, &error).await,
        }
    }
}

/// Welcomes a client when there is a place for its address; it waits as long as it may take to log in.
async fn wait_for_place<S: Service>(net: Arc<Net<S>>, halves: (ReadHalf, WriteHalf), peer: Peer, port: u16) {
    let timeout_s = net.variables.live.connect_timeout_s.load(Ordering::Relaxed);
    let begin = || begin(&net, &peer, Some(port));
    let place = net.tcp_doors.wait(&peer, &begin);
    match tokio::time::timeout(Duration::from_secs(timeout_s.into()), place).await {
        Ok(entered) => welcome(&net, entered, halves),
        Err(_) => Gauges::bump(&net.status.gauges.aborted_connects),
    }
}

async fn accept_socket<S: Service>(net: Arc<Net<S>>, listener: UnixListener) {
    loop {
        net.socket_doors.room().await;
        match listener.accept().await {
            Ok((local, _)) => {
                Gauges::bump(&net.status.gauges.connections);
                if is_too_many(&net, &local) {
                    continue;
                }
                let peer = Peer::local();
                let entered = net.socket_doors.enter(&peer, &|| begin(&net, &peer, None));
                welcome(&net, entered.expect("this machine has no bound of its own"), stream::unix(local));
            }
            Err(error) => failed(&net, &error).await,
        }
    }
}

/// Whether a client has a descriptor that the server may need itself.
fn is_too_many<S>(net: &Net<S>, client: &impl AsRawFd) -> bool {
    let limit = net.variables.live.open_files_limit.load(Ordering::Relaxed);
    let is_too_many = files::is_reserved(client.as_raw_fd(), limit);
    if is_too_many {
        Gauges::bump(&net.status.gauges.refused_by_number);
    }
    is_too_many
}

async fn failed<S>(net: &Net<S>, error: &io::Error) {
    // A client that has gone again is nobody's fault.
    if error.kind() != io::ErrorKind::ConnectionAborted {
        Gauges::bump(&net.status.gauges.accept_errors);
        tracing::error!(%error, "could not accept a connection");
        tokio::time::sleep(PAUSE).await;
    }
}

/// A client's connection begins.
fn begin<S: Service>(net: &Net<S>, peer: &Peer, port: Option<u16>) -> Registered {
    net.connections.begin(peer.clone(), port)
}

/// Gives a client its task.
fn welcome<S: Service>(net: &Arc<Net<S>>, entered: Entered, (read, write): (ReadHalf, WriteHalf)) {
    let Entered { registered, visit } = entered;
    let connection = Arc::clone(&registered.connection);
    let timeout_s = net.variables.live.connect_timeout_s.load(Ordering::Relaxed);
    connection.set_deadline(crate::clock::monotonic_ms() + u64::from(timeout_s) * 1000);
    let reply = Reply::new(write, connection);
    let reader = PacketReader::new(login::PACKET_SIZE_MAX);
    let visitor = Visitor { registered, visit, reader, read, reply };
    tokio::spawn(serve(Arc::clone(net), visitor));
}
