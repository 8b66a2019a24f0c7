//! A server whose sessions do what a test wants.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use engine::catalog::Catalog;
use protocol::command::Command;
use protocol::reply::{ColumnDef, OkPacket, TextRow, write_result_set_header, write_rows_end};
use protocol::wire::StatusFlags;
use server::accounts::{Account, Accounts, Name, Privileges, codec};
use server::net::{
    Connection, Connections, Handler, Held, Interrupt, Interruption, Listeners, Login, Net, Outcome, Reply,
    Secrets, Service, Streams, bind, listen,
};
use server::status::{Moment, Status, View};
use server::variables::{ConnectionLimits, Val, Values, Variables};
use tokio::runtime::Runtime;
use tokio::sync::Notify;
use types::error::SqlError;
use types::error::table::{ER_BAD_DB_ERROR, ER_QUERY_INTERRUPTED, ER_UNKNOWN_COM_ERROR};
use vfs::{OsVfs, Vfs};

use crate::client::{self, Address, Client, Stream};

/// What sessions and the test tell each other.
#[derive(Debug, Default)]
pub struct Signals {
    /// A session waits, in `hang`, `commit` and the like.
    pub waiting: AtomicU32,
    /// Lets those go who wait for it.
    pub release: Notify,
    /// Sessions that ended in order.
    pub ended: AtomicU32,
    /// Commands that were stopped.
    pub interrupted: AtomicU32,
    /// Commits that are done.
    pub committed: AtomicU32,
}

#[derive(Debug)]
pub struct TestService {
    pub signals: Arc<Signals>,
    limits: Arc<ConnectionLimits>,
}

pub struct TestHandler {
    signals: Arc<Signals>,
    connection: Arc<Connection>,
    who: String,
    stop: Arc<Stop>,
}

/// A session that stops by itself.
#[derive(Default)]
struct Stop(Notify);

impl Interrupt for Stop {
    fn command_begins(&self) {}
    fn kill_query(&self) {
        self.0.notify_one();
    }
    fn kill_connection(&self) {
        self.0.notify_one();
    }
}

impl Service for TestService {
    type Handler = TestHandler;

    fn open(&self, connection: &Arc<Connection>, login: &Login) -> Result<TestHandler, SqlError> {
        if login.database.as_deref() == Some("nosuch") {
            return Err(ER_BAD_DB_ERROR.error(&[&"nosuch"]));
        }
        connection.set_limits(Arc::clone(&self.limits));
        Ok(TestHandler {
            signals: Arc::clone(&self.signals),
            connection: Arc::clone(connection),
            who: who(login),
            stop: Arc::default(),
        })
    }
}

fn who(login: &Login) -> String {
    let access = &login.access;
    let db = login.database.as_deref().unwrap_or("-");
    let account = access.account_name();
    format!("{}@{} as {}@{} in {db}", access.user(), access.peer().host, account.user, account.host)
}

impl Handler for TestHandler {
    async fn command(&mut self, command: Command<'_>, reply: &mut Reply) -> Outcome {
        let Command::Query(query) = command else {
            reply.error(&ER_UNKNOWN_COM_ERROR.error(&[]));
            return Outcome::Continue;
        };
        let text = String::from_utf8_lossy(query.sql).into_owned();
        let words: Vec<_> = text.split(' ').collect();
        match words[..] {
            ["ok"] => self.ok(reply),
            ["bye"] => {
                self.ok(reply);
                return Outcome::Close;
            }
            ["size"] | ["size", ..] => self.row(reply, &query.sql.len().to_string()),
            ["who"] => self.row(reply, &self.who.clone()),
            ["panic"] => panic!("as the test wants it"),
            ["hang", ..] => {
                self.signals.waiting.fetch_add(1, Ordering::SeqCst);
                std::future::pending::<()>().await;
            }
            ["half"] => {
                // A part of a result, never finished.
                let (capabilities, status) = (reply.capabilities(), self.status());
                write_result_set_header(reply.packets(), capabilities, &[ColumnDef::PARAM], status, 0);
                reply.packets().begin();
                self.signals.waiting.fetch_add(1, Ordering::SeqCst);
                std::future::pending::<()>().await;
            }
            ["stop", "yourself"] => {
                self.connection.set_interrupt(Arc::clone(&self.stop) as Arc<dyn Interrupt>);
                self.ok(reply);
            }
            ["stops"] => {
                let stop = Arc::clone(&self.stop);
                self.signals.waiting.fetch_add(1, Ordering::SeqCst);
                stop.0.notified().await;
                reply.error(&ER_QUERY_INTERRUPTED.error(&[]));
            }
            // In a crowd it is answered without its session.
            ["commit", ..] => {
                let signals = Arc::clone(&self.signals);
                let commit = async move {
                    signals.waiting.fetch_add(1, Ordering::SeqCst);
                    signals.release.notified().await;
                    signals.committed.fetch_add(1, Ordering::SeqCst);
                };
                *reply.held() = Some(Held::by(commit, words.contains(&"crowded")));
                self.ok(reply);
            }
            ["committed"] => {
                self.signals.committed.fetch_add(1, Ordering::SeqCst);
                *reply.held() = Some(Held::by(std::future::ready(()), true));
                self.ok(reply);
            }
            ["rows", count, size] => {
                return self.rows(count.parse().unwrap(), size.parse().unwrap(), reply).await;
            }
            _ => reply.error(&ER_UNKNOWN_COM_ERROR.error(&[])),
        }
        Outcome::Continue
    }

    async fn interrupted(&mut self, why: Interruption, reply: &mut Reply) {
        self.signals.interrupted.fetch_add(1, Ordering::SeqCst);
        if why == Interruption::Query {
            reply.error(&ER_QUERY_INTERRUPTED.error(&[]));
        }
    }

    async fn change_user(&mut self, login: &Login) -> Result<(), SqlError> {
        self.who = who(login);
        Ok(())
    }

    fn status(&self) -> StatusFlags {
        StatusFlags::AUTOCOMMIT
    }

    async fn end(self) {
        self.signals.ended.fetch_add(1, Ordering::SeqCst);
    }
}

impl TestHandler {
    fn ok(&self, reply: &mut Reply) {
        reply.ok(&OkPacket { status: self.status(), ..OkPacket::default() });
    }

    fn row(&self, reply: &mut Reply, text: &str) {
        let (capabilities, status) = (reply.capabilities(), self.status());
        write_result_set_header(reply.packets(), capabilities, &[ColumnDef::PARAM], status, 0);
        let mut row = TextRow::begin(reply.packets());
        row.bytes(text.as_bytes());
        row.end();
        write_rows_end(reply.packets(), capabilities, status, 0);
    }

    async fn rows(&self, count: u64, size: usize, reply: &mut Reply) -> Outcome {
        let (capabilities, status) = (reply.capabilities(), self.status());
        write_result_set_header(reply.packets(), capabilities, &[ColumnDef::PARAM], status, 0);
        let value = vec![b'x'; size];
        for _ in 0..count {
            let mut row = TextRow::begin(reply.packets());
            row.bytes(&value);
            row.end();
            if reply.is_large() && reply.send().await.is_err() {
                return Outcome::Close;
            }
        }
        write_rows_end(reply.packets(), capabilities, status, 0);
        Outcome::Continue
    }
}

/// See the module.
pub struct Host {
    pub net: Arc<Net<TestService>>,
    pub signals: Arc<Signals>,
    pub limits: Arc<ConnectionLimits>,
    pub tcp: SocketAddr,
    pub socket: PathBuf,
    listeners: Option<Listeners>,
    runtime: Runtime,
}

impl Host {
    pub fn start(settings: &[(&str, u64)]) -> Self {
        Self::start_with(settings, &catalog())
    }

    /// The accounts of a first start.
    pub fn only_root() -> Catalog {
        let mut catalog = Catalog::default();
        let root = Account::root();
        catalog.put_account(root.name.key(), Some(codec::encode(&root)));
        catalog
    }

    pub fn start_with(settings: &[(&str, u64)], catalog: &Catalog) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let mut values = Values::default();
        for (name, value) in settings {
            values.put(name, Val::UInt(*value));
        }
        let variables = Arc::new(Variables::new(values));
        let status = Arc::new(Status::default());
        let accounts = Arc::new(Accounts::load(catalog, [3; 32]).unwrap());
        let connections = Connections::new(Arc::clone(&status));
        let signals = Arc::<Signals>::default();
        let limits = Arc::<ConnectionLimits>::default();
        let service = TestService { signals: Arc::clone(&signals), limits: Arc::clone(&limits) };
        let net = Net::new(
            variables,
            status,
            accounts,
            connections,
            service,
            Streams::start().unwrap(),
            Secrets::default(),
        );
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let dir = std::env::temp_dir().join(format!("onelog-net-{}", std::process::id()));
        OsVfs.create_dir_all(&dir).unwrap();
        let socket = dir.join(format!("{}.sock", NUMBER.fetch_add(1, Ordering::Relaxed)));
        let local = ["127.0.0.1:0".parse().unwrap()];
        let listeners =
            runtime.block_on(async { listen(&net, bind(&local, Some(&socket)).await?).await }).unwrap();
        let tcp = listeners.tcp[0];
        Self { net, signals, limits, tcp, socket, listeners: Some(listeners), runtime }
    }

    pub fn address(&self) -> Address {
        Address::Tcp(self.tcp)
    }

    pub fn local(&self) -> Address {
        Address::Socket(self.socket.clone())
    }

    /// A connection from another address than this machine's own.
    pub fn stranger(&self, source: [u8; 4]) -> Stream {
        self.runtime.block_on(Stream::open_from(source, self.tcp))
    }

    pub fn root(&self) -> Client {
        Client::connect(&self.address(), &client::Login::new("root", "")).unwrap()
    }

    /// Has the server work for a moment: what was asked of it before is done by then, if it is done at all.
    pub fn pass_time(&self) {
        let mut other = self.root();
        (0..10).for_each(|_| drop(other.query("ok").unwrap()));
    }

    /// Waits until so many sessions wait in a command.
    pub fn until_waiting(&self, count: u32) {
        until(|| self.signals.waiting.load(Ordering::SeqCst) >= count);
    }

    pub fn status(&self, name: &str) -> u64 {
        let view = View {
            status: &self.net.status,
            session: None,
            tls: None,
            compressed: false,
            moment: Moment::default(),
            pipeline: None,
            storage: None,
            recovery: commit::recovery::Report::default(),
            uptime_s: 0,
            threads_connected: self.net.connections.sessions().into(),
            threads_running: self.net.connections.running(),
            acknowledges: false,
        };
        view.show().into_iter().find(|(found, _)| *found == name).unwrap().1.parse().unwrap()
    }

    /// Ends the server; returns whether everybody has gone.
    pub fn stop(mut self, patience: Duration) -> bool {
        let listeners = self.listeners.take().unwrap();
        self.runtime.block_on(listeners.close(&self.net, patience))
    }
}

/// Waits until something is so.
pub fn until(is_so: impl FnMut() -> bool) {
    assert!(becomes(is_so), "it did not happen");
}

/// Whether something is so within half a minute, on a machine of any speed.
#[expect(clippy::disallowed_methods, reason = "a test polls what it cannot await")]
pub fn becomes(mut is_so: impl FnMut() -> bool) -> bool {
    (0..30_000).any(|_| {
        is_so() || {
            std::thread::sleep(Duration::from_millis(1));
            false
        }
    })
}

/// root without a password on this machine; `app` with one from everywhere; `old` with the native plugin; `locked`.
fn catalog() -> Catalog {
    use protocol::auth::{CachingSha2Hash, NativeHash, Nonce, ROUNDS_DEFAULT, Verifier};
    let mut catalog = Catalog::default();
    let mut put = |account: Account| catalog.put_account(account.name.key(), Some(codec::encode(&account)));
    put(Account::root());
    let salt = Nonce::from_random([9; 20]);
    let hash = Verifier::CachingSha2(CachingSha2Hash::of_password(b"secret", salt, ROUNDS_DEFAULT));
    put(Account::new(Name::new("app", "%"), hash.clone()));
    put(Account { is_locked: true, ..Account::new(Name::new("locked", "%"), hash) });
    let native = Verifier::Native(NativeHash::of_password(b"secret"));
    put(Account { global: Privileges::SELECT, ..Account::new(Name::new("old", "%"), native) });
    catalog
}
