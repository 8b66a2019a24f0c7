//! A connection as others see it: who it is, what it does, and what is wanted of it.
//!
//! Its own task writes most of it; everybody reads. What others want is a mark and a wake-up: [`Connection::ask`]
//! sets the mark first and wakes second, the task registers its waker first and looks at the marks second, so nothing
//! is missed.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Waker};

use arc_swap::{ArcSwap, Guard};
use parking_lot::Mutex;
use protocol::handshake::attributes::Attributes;

use super::process::{CommandKind, ProcessRow};
use super::tls::TlsNames;
use crate::accounts::{Access, Name, Peer};
use crate::clock;
use crate::status::{Counter, Counters, Waits};
use crate::variables::ConnectionLimits;

/// Bytes of a statement that SHOW PROCESSLIST and a digest's sample show: MySQL's default of
/// `performance_schema_max_sql_text_length`.
const INFO_SIZE_MAX: usize = 1024;

/// Bytes of a client's attributes that are kept, as in MySQL.
const ATTRIBUTES_SIZE_MAX: usize = 512;

/// Marks: what is wanted of a connection.
pub(super) mod mark {
    /// The statement shall stop.
    pub const KILL_QUERY: u8 = 1;
    /// The connection shall end.
    pub const KILL_CONNECTION: u8 = 2;
    /// It is past its deadline.
    pub const EXPIRED: u8 = 4;
    /// The server shuts down: whoever is idle shall end.
    pub const SHUTDOWN: u8 = 8;
    /// It has been idle for a while: its buffers shall go.
    pub const TRIM: u8 = 16;
    /// The server has waited long enough.
    pub const ABANDON: u8 = 32;
    /// It has not logged in, and others wait for its place.
    pub const MAKE_ROOM: u8 = 64;
}

/// How a session is stopped that sees to that itself.
pub trait Interrupt: Send + Sync {
    /// A command begins: a KILL QUERY of the one before does not concern it.
    fn command_begins(&self);
    /// KILL QUERY.
    fn kill_query(&self);
    /// KILL, or the end of the server.
    fn kill_connection(&self);
}

/// See the module.
pub struct Connection {
    /// `connection_id()`
    pub id: u32,
    /// From where the client comes.
    pub peer: Peer,
    /// The client's TCP port.
    pub port: Option<u16>,
    /// What the session counts.
    pub counters: Arc<Counters>,
    limits: ArcSwap<ConnectionLimits>,
    /// Release by who asks, acquired by the task.
    marks: AtomicU8,
    /// The task. Rank: last; wakers run with nothing held.
    waker: Mutex<Option<Waker>>,
    /// On the monotonic clock, in milliseconds; 0 = none. Relaxed: looked at once a second.
    deadline_ms: AtomicU64,
    /// A commit is under way: the session is not to be stopped.
    shielded: AtomicBool,
    command: AtomicU8,
    /// Since when it does that; monotonic, milliseconds.
    since_ms: AtomicU64,
    /// Rank: last.
    shown: Mutex<Shown>,
    /// Rank: last.
    interrupt: Mutex<Option<Arc<dyn Interrupt>>>,
    /// Set by the switch to TLS, before the session begins.
    tls: OnceLock<TlsNames>,
    /// Set behind the login.
    compressed: AtomicBool,
}

#[derive(Debug, Default)]
struct Shown {
    access: Option<Arc<Access>>,
    db: Option<String>,
    state: &'static str,
    /// The prepared statement that it executes, whole.
    prepared: Option<Arc<[u8]>>,
    /// Of anything else.
    info: Vec<u8>,
    attributes: Vec<(String, String)>,
}

impl Shown {
    /// What is shown of what it executes; empty if there is nothing.
    fn text(&self) -> &[u8] {
        self.prepared.as_deref().map_or(&self.info, beginning)
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("id", &self.id).field("peer", &self.peer).finish_non_exhaustive()
    }
}

impl Connection {
    pub(super) fn new(id: u32, peer: Peer, port: Option<u16>, counters: Arc<Counters>) -> Self {
        Self {
            id,
            peer,
            port,
            counters,
            limits: ArcSwap::default(),
            marks: AtomicU8::new(0),
            waker: Mutex::default(),
            deadline_ms: AtomicU64::new(0),
            shielded: AtomicBool::new(false),
            command: AtomicU8::new(CommandKind::Connect as u8),
            since_ms: AtomicU64::new(clock::monotonic_ms()),
            shown: Mutex::default(),
            interrupt: Mutex::default(),
            tls: OnceLock::new(),
            compressed: AtomicBool::new(false),
        }
    }

    /// Says where the session's time-outs and limits are: those of its `SessionVariables`. Until then the defaults
    /// count.
    pub fn set_limits(&self, limits: Arc<ConnectionLimits>) {
        self.limits.store(limits);
    }

    /// The session's time-outs and limits, for a moment.
    pub(super) fn limits(&self) -> Guard<Arc<ConnectionLimits>> {
        self.limits.load()
    }

    /// Says that the session stops by itself when it is told so. Without it a command is stopped by dropping it.
    pub fn set_interrupt(&self, interrupt: Arc<dyn Interrupt>) {
        *self.interrupt.lock() = Some(interrupt);
    }

    /// Its TLS, if it has any.
    pub fn tls(&self) -> Option<TlsNames> {
        self.tls.get().copied()
    }

    /// Whether packets go in compressed frames.
    pub fn is_compressed(&self) -> bool {
        self.compressed.load(Ordering::Relaxed)
    }

    pub(super) fn set_compressed(&self) {
        self.compressed.store(true, Ordering::Relaxed);
    }

    /// Whether nobody else can read what is sent: TLS, or the local socket.
    pub fn is_secure(&self) -> bool {
        self.peer.address.is_none() || self.tls.get().is_some()
    }

    pub(super) fn set_tls(&self, names: TlsNames) {
        // There is one switch a connection.
        let _ = self.tls.set(names);
    }

    /// Who it is, from its login on.
    pub fn set_access(&self, access: &Arc<Access>) {
        self.shown.lock().access = Some(Arc::clone(access));
    }

    /// What the client says of itself: as many of its attributes as [`ATTRIBUTES_SIZE_MAX`] holds.
    pub(super) fn set_attributes(&self, attributes: &Attributes<'_>) {
        let mut size = 0;
        let kept = attributes.iter().take_while(|(name, value)| {
            size += name.len() + value.len();
            size <= ATTRIBUTES_SIZE_MAX
        });
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        self.shown.lock().attributes = kept.map(|(name, value)| (text(name), text(value))).collect();
    }

    /// The account, once somebody has logged in, and what the client said of itself, if that was kept.
    pub fn attributes(&self) -> Option<(Name, Vec<(String, String)>)> {
        let shown = self.shown.lock();
        let account = shown.access.as_ref()?.account_name().clone();
        Some((account, shown.attributes.clone()))
    }

    /// Whether somebody has logged in who is no administrator.
    pub(super) fn is_ordinary(&self) -> bool {
        let access = self.shown.lock().access.clone();
        access.is_some_and(|access| !access.is_admin())
    }

    /// Its default database.
    pub fn set_db(&self, db: Option<&str>) {
        let mut shown = self.shown.lock();
        if shown.db.as_deref() != db {
            shown.db = db.map(str::to_owned);
        }
    }

    /// How far it is with its statement, in MySQL's words.
    pub fn set_state(&self, state: &'static str) {
        self.shown.lock().state = state;
    }

    /// What it executes; at most 1,024 bytes of it are shown.
    fn set_info(&self, info: &[u8]) {
        let mut shown = self.shown.lock();
        shown.prepared = None;
        shown.info.clear();
        shown.info.extend_from_slice(beginning(info));
    }

    /// The text of the prepared statement that it executes, if there is such a one: the command has only its number. Nothing is
    /// copied, and nothing done where it was the last one, too.
    pub fn set_prepared(&self, text: Option<&Arc<[u8]>>) {
        let Some(text) = text else { return self.set_info(b"") };
        let mut shown = self.shown.lock();
        if !shown.prepared.as_ref().is_some_and(|known| Arc::ptr_eq(known, text)) {
            shown.prepared = Some(Arc::clone(text));
        }
    }

    /// Keeps the session from being stopped until the guard is dropped: while the pipeline owns its commit.
    pub fn shield(&self) -> Shield<'_> {
        self.shielded.store(true, Ordering::Relaxed);
        Shield(self)
    }

    /// Whether the statement shall stop, for work that does not wait.
    pub fn is_stopped(&self) -> bool {
        self.marks.load(Ordering::Relaxed) & (mark::KILL_QUERY | mark::KILL_CONNECTION | mark::ABANDON) != 0
    }

    /// Whether the connection shall end.
    pub fn is_killed(&self) -> bool {
        self.marks.load(Ordering::Relaxed) & (mark::KILL_CONNECTION | mark::ABANDON) != 0
    }

    /// Resolves when the server shuts down, for a session that would never end by itself.
    pub async fn shut_down(&self) {
        let _ = self.unless(mark::SHUTDOWN, pin!(std::future::pending::<()>())).await;
    }

    /// The row of SHOW PROCESSLIST.
    pub fn process(&self) -> ProcessRow {
        let command = self.command();
        let since_ms = self.since_ms.load(Ordering::Relaxed);
        let shown = self.shown.lock();
        let runs = !matches!(command, CommandKind::Sleep | CommandKind::Connect);
        ProcessRow {
            id: self.id,
            user: shown.access.as_ref().map_or("unauthenticated user", |access| access.user()).to_owned(),
            host: match self.port {
                Some(port) => format!("{}:{port}", self.peer.host),
                None => self.peer.host.clone(),
            },
            db: shown.db.clone(),
            command: if self.is_killed() { CommandKind::Killed } else { command },
            time_s: clock::monotonic_ms().saturating_sub(since_ms) / 1000,
            state: match command {
                CommandKind::Connect => "login",
                CommandKind::Sleep => "",
                _ if shown.state.is_empty() => "executing",
                _ => shown.state,
            },
            waits: if runs { self.counters.waits() } else { Waits::ForNothing },
            info: (runs && !shown.text().is_empty())
                .then(|| String::from_utf8_lossy(shown.text()).into_owned()),
        }
    }

    /// What it does.
    pub(super) fn command(&self) -> CommandKind {
        CommandKind::from_u8(self.command.load(Ordering::Relaxed))
    }

    /// Whether it executes a command.
    pub(super) fn is_running(&self) -> bool {
        !matches!(self.command(), CommandKind::Sleep | CommandKind::Connect)
    }

    /// Whether it sends the binlog.
    pub(super) fn is_dump(&self) -> bool {
        matches!(self.command(), CommandKind::BinlogDump | CommandKind::BinlogDumpGtid)
    }

    /// Begins a command. Without `info` the session says what it executes ([`Connection::set_prepared`]).
    pub(super) fn begin(&self, command: CommandKind, info: Option<&[u8]>, now_ms: u64) {
        self.deadline_ms.store(0, Ordering::Relaxed);
        // Before others see the command: who kills it then, is not forgotten.
        if let Some(interrupt) = &*self.interrupt.lock() {
            interrupt.command_begins();
        }
        self.unmark(mark::KILL_QUERY);
        if let Some(info) = info {
            self.set_info(info);
        }
        self.set_state("");
        // What a killed statement waited for.
        self.counters.set_waits(Waits::ForNothing);
        self.since_ms.store(now_ms, Ordering::Relaxed);
        self.command.store(command as u8, Ordering::Relaxed);
    }

    /// `Slow_queries`: a command has ended, if there was one, that took `long_query_time` or longer, in whole milliseconds.
    pub(super) fn count_if_slow(&self, now_ms: u64) {
        let long_us = self.limits().long_query_time_us.load(Ordering::Relaxed);
        if self.is_running() && now_ms.saturating_sub(self.since()).saturating_mul(1000) >= long_us {
            self.counters.bump(Counter::SlowQueries);
        }
    }

    /// Ends a command: waits for the next one until the deadline.
    pub(super) fn rest(&self, now_ms: u64, deadline_ms: u64) {
        self.command.store(CommandKind::Sleep as u8, Ordering::Relaxed);
        self.since_ms.store(now_ms, Ordering::Relaxed);
        self.deadline_ms.store(deadline_ms, Ordering::Relaxed);
    }

    /// Gives back what the last command kept.
    pub(super) fn trim(&self) {
        let mut shown = self.shown.lock();
        (shown.prepared, shown.info) = (None, Vec::new());
    }

    /// Sets the moment at which it has to be further; 0 takes it away.
    pub(super) fn set_deadline(&self, deadline_ms: u64) {
        self.deadline_ms.store(deadline_ms, Ordering::Relaxed);
    }

    /// The moment at which it has to be further.
    pub(super) fn deadline(&self) -> u64 {
        self.deadline_ms.load(Ordering::Relaxed)
    }

    /// Since when it does what it does.
    pub(super) fn since(&self) -> u64 {
        self.since_ms.load(Ordering::Relaxed)
    }

    /// Leaves marks and wakes the task.
    pub(super) fn ask(&self, marks: u8) {
        self.marks.fetch_or(marks, Ordering::Release);
        let waker = self.waker.lock().take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// As [`Self::ask`]; a session that stops by itself is told.
    pub(super) fn interrupt(&self, marks: u8) {
        let interrupt = self.interrupt.lock().clone();
        if let Some(interrupt) = &interrupt {
            if marks & mark::KILL_CONNECTION != 0 {
                interrupt.kill_connection();
            } else {
                interrupt.kill_query();
            }
        }
        self.ask(marks);
    }

    /// Whether the session stops by itself.
    pub(super) fn stops_itself(&self) -> bool {
        self.interrupt.lock().is_some()
    }

    /// The marks among `wanted`.
    pub(super) fn marks(&self, wanted: u8) -> u8 {
        self.marks.load(Ordering::Acquire) & wanted
    }

    /// Takes marks away.
    pub(super) fn unmark(&self, marks: u8) {
        self.marks.fetch_and(!marks, Ordering::Relaxed);
    }

    /// Works until it is done, or until one of these marks is there: then the marks are returned, and the work goes no
    /// further. While the session is shielded, no mark but that of an expired deadline counts.
    ///
    /// The work is pinned by the caller: passed on by value, each layer would keep room for it twice.
    pub(super) async fn unless<T>(
        &self,
        wanted: u8,
        work: Pin<&mut impl Future<Output = T>>,
    ) -> Result<T, u8> {
        self.unless_stuck(wanted, 0, work).await
    }

    /// The same, with marks that count only where the work has to wait.
    pub(super) async fn unless_stuck<T>(
        &self,
        wanted: u8,
        late: u8,
        mut work: Pin<&mut impl Future<Output = T>>,
    ) -> Result<T, u8> {
        poll_fn(|context| {
            self.register(context);
            let shield = if self.shielded.load(Ordering::Relaxed) { mark::EXPIRED } else { u8::MAX };
            let mut asked = self.marks(wanted | late) & shield;
            if asked & mark::EXPIRED != 0 && !self.is_expired() {
                // The deadline was met while the reaper looked.
                self.unmark(mark::EXPIRED);
                asked &= !mark::EXPIRED;
            }
            if asked & wanted != 0 {
                return Poll::Ready(Err(asked));
            }
            match work.as_mut().poll(context) {
                Poll::Ready(done) => Poll::Ready(Ok(done)),
                Poll::Pending if asked != 0 => Poll::Ready(Err(asked)),
                Poll::Pending => Poll::Pending,
            }
        })
        .await
    }

    fn is_expired(&self) -> bool {
        let deadline_ms = self.deadline();
        deadline_ms != 0 && deadline_ms <= clock::monotonic_ms()
    }

    fn register(&self, context: &Context<'_>) {
        let mut waker = self.waker.lock();
        if !waker.as_ref().is_some_and(|known| known.will_wake(context.waker())) {
            *waker = Some(context.waker().clone());
        }
    }
}

/// What is shown of a statement: no part of a character at its end.
pub(crate) fn beginning(info: &[u8]) -> &[u8] {
    let Some(cut) = info.get(..INFO_SIZE_MAX) else { return info };
    match std::str::from_utf8(cut) {
        Err(error) if error.error_len().is_none() => &cut[..error.valid_up_to()],
        _ => cut,
    }
}

/// See [`Connection::shield`].
#[derive(Debug)]
#[must_use = "the session is shielded until this is dropped"]
pub struct Shield<'a>(&'a Connection);

impl Drop for Shield<'_> {
    fn drop(&mut self) {
        self.0.shielded.store(false, Ordering::Relaxed);
    }
}
