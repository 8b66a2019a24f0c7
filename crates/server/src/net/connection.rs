//! A connection as others see it: who it is, what it does, and what is wanted of it.
//!
//! Its own task writes most of it; everybody reads. What others want is a mark and a wake-up: [`Connection::ask`]
//! sets the mark first and wakes second, the task that has to wait registers its waker first and looks at the marks second, so
//! nothing is missed.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU64, Ordering};
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
    pub const KILL_QUERY: u16 = 1;
    /// The connection shall end.
    pub const KILL_CONNECTION: u16 = 2;
    /// It is past its deadline.
    pub const EXPIRED: u16 = 4;
    /// The server shuts down: whoever is idle shall end.
    pub const SHUTDOWN: u16 = 8;
    /// It has been idle for a while: its buffers shall go.
    pub const TRIM: u16 = 16;
    /// The server has waited long enough.
    pub const ABANDON: u16 = 32;
    /// It has not logged in, and others wait for its place.
    pub const MAKE_ROOM: u16 = 64;
    /// Its last answer was handed over and is not out: see [`super::super::delivery`].
    pub const DELIVERING: u16 = 128;
    /// The session waits for that.
    pub const AWAITED: u16 = 256;
    /// The socket did not take all of it.
    pub const STUCK: u16 = 512;
    /// What ends a session wherever it waits.
    pub const LOST: u16 = EXPIRED | ABANDON;
}

/// What the end of a command goes by.
#[derive(Clone, Copy, Debug)]
pub(super) struct AtRest {
    /// `long_query_time`, microseconds.
    long_us: u64,
    /// `wait_timeout`, milliseconds.
    wait_ms: u64,
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

/// See the module. What nearly every command touches comes first, also in memory.
#[repr(C)]
pub struct Connection {
    /// `connection_id()`
    pub id: u32,
    /// Release by who asks, acquired by the task.
    marks: AtomicU16,
    command: AtomicU8,
    /// Set behind the login.
    compressed: AtomicBool,
    /// On the monotonic clock, in milliseconds; 0 = none. Relaxed: looked at once a second.
    deadline_ms: AtomicU64,
    /// Since when it does that; monotonic, milliseconds.
    since_ms: AtomicU64,
    /// The task. Rank: last; wakers run with nothing held.
    waker: Mutex<Option<Waker>>,
    /// What the session counts.
    pub counters: Arc<Counters>,
    limits: ArcSwap<ConnectionLimits>,
    /// Rank: last.
    interrupt: Mutex<Option<Arc<dyn Interrupt>>>,
    /// Rank: last.
    shown: Mutex<Shown>,
    /// What the socket did not take of an answer that was handed over. Rank: last.
    left: Mutex<Vec<u8>>,
    /// From where the client comes.
    pub peer: Peer,
    /// The client's TCP port.
    pub port: Option<u16>,
    /// Set by the switch to TLS, before the session begins.
    tls: OnceLock<TlsNames>,
}

#[derive(Debug, Default)]
#[repr(C)]
struct Shown {
    state: &'static str,
    /// The prepared statement that it executes, whole.
    prepared: Option<Arc<[u8]>>,
    db: Option<String>,
    access: Option<Arc<Access>>,
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
            marks: AtomicU16::new(0),
            waker: Mutex::default(),
            deadline_ms: AtomicU64::new(0),
            left: Mutex::default(),
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

    /// What the end of a command goes by now.
    pub(super) fn at_rest(&self) -> AtRest {
        let limits = self.limits();
        AtRest {
            long_us: limits.long_query_time_us.load(Ordering::Relaxed),
            wait_ms: u64::from(limits.wait_timeout_s.load(Ordering::Relaxed)) * 1000,
        }
    }

    /// Ends a command, if there was one: waits for the next one until the deadline. `Slow_queries` counts it if it took
    /// `long_query_time` or longer, in whole milliseconds.
    pub(super) fn rest(&self, now_ms: u64, at_rest: AtRest) {
        if self.is_running() && now_ms.saturating_sub(self.since()).saturating_mul(1000) >= at_rest.long_us {
            self.counters.bump(Counter::SlowQueries);
        }
        self.command.store(CommandKind::Sleep as u8, Ordering::Relaxed);
        self.since_ms.store(now_ms, Ordering::Relaxed);
        self.deadline_ms.store(now_ms + at_rest.wait_ms, Ordering::Relaxed);
    }

    /// An answer is handed over.
    pub(super) fn begin_delivery(&self) {
        self.marks.fetch_or(mark::DELIVERING, Ordering::Relaxed);
    }

    /// It is out, but for what is left. Wakes the session if it waits for that, or if something was wanted of it meanwhile.
    pub(super) fn end_delivery(&self, left: &[u8]) {
        let before = if left.is_empty() {
            self.marks.fetch_and(!(mark::DELIVERING | mark::AWAITED), Ordering::AcqRel)
        } else {
            self.left.lock().extend_from_slice(left);
            self.marks.fetch_or(mark::STUCK, Ordering::AcqRel) | mark::STUCK
        };
        if before != mark::DELIVERING {
            self.wake();
        }
    }

    /// Whether an answer that was handed over is not out.
    pub(super) fn is_delivering(&self) -> bool {
        self.marks(mark::DELIVERING) != 0
    }

    /// Whether something is left of an answer that was handed over.
    pub(super) fn is_stuck(&self) -> bool {
        self.marks(mark::STUCK) != 0
    }

    /// Resolves when no answer is being delivered, with what is left of it. Within [`Connection::unless`].
    pub(super) async fn delivered(&self) -> Vec<u8> {
        poll_fn(|_| {
            if self.marks(mark::DELIVERING) == 0 {
                return Poll::Ready(Vec::new());
            }
            let marks = self.marks.fetch_or(mark::AWAITED, Ordering::AcqRel);
            if marks & mark::DELIVERING != 0 && marks & mark::STUCK == 0 {
                return Poll::Pending;
            }
            self.unmark(mark::DELIVERING | mark::AWAITED | mark::STUCK);
            Poll::Ready(std::mem::take(&mut *self.left.lock()))
        })
        .await
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
    pub(super) fn ask(&self, marks: u16) {
        self.marks.fetch_or(marks, Ordering::Release);
        self.wake();
    }

    fn wake(&self) {
        let waker = self.waker.lock().take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// As [`Self::ask`]; a session that stops by itself is told.
    pub(super) fn interrupt(&self, marks: u16) {
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
    pub(super) fn marks(&self, wanted: u16) -> u16 {
        self.marks.load(Ordering::Acquire) & wanted
    }

    /// Takes marks away.
    pub(super) fn unmark(&self, marks: u16) {
        self.marks.fetch_and(!marks, Ordering::Relaxed);
    }

    /// Works until it is done, or until one of these marks is there: then the marks are returned, and the work goes no
    /// further. While an answer is delivered, only those of [`mark::LOST`] count: the others when it is out.
    ///
    /// The work is pinned by the caller: passed on by value, each layer would keep room for it twice.
    pub(super) async fn unless<T>(
        &self,
        wanted: u16,
        work: Pin<&mut impl Future<Output = T>>,
    ) -> Result<T, u16> {
        self.unless_stuck(wanted, 0, work).await
    }

    /// The same, with marks that count only where the work has to wait.
    pub(super) async fn unless_stuck<T>(
        &self,
        wanted: u16,
        late: u16,
        mut work: Pin<&mut impl Future<Output = T>>,
    ) -> Result<T, u16> {
        poll_fn(|context| {
            let seen = self.marks.load(Ordering::Acquire);
            let asked = self.asked(seen) & (wanted | late);
            if asked & wanted != 0 {
                return Poll::Ready(Err(asked));
            }
            match work.as_mut().poll(context) {
                Poll::Ready(done) => return Poll::Ready(Ok(done)),
                Poll::Pending if asked != 0 => return Poll::Ready(Err(asked)),
                Poll::Pending => {}
            }
            self.register(context);
            // Whoever came before that had nobody to wake.
            if self.marks.load(Ordering::Acquire) != seen {
                context.waker().wake_by_ref();
            }
            Poll::Pending
        })
        .await
    }

    /// Which of these marks count now.
    fn asked(&self, marks: u16) -> u16 {
        let mut asked = if marks & mark::DELIVERING == 0 { marks } else { marks & mark::LOST };
        if asked & mark::EXPIRED != 0 && !self.is_expired() {
            // The deadline was met while the reaper looked.
            self.unmark(mark::EXPIRED);
            asked &= !mark::EXPIRED;
        }
        asked
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_of_a_delivery_that_was_awaited() {
        let peer = Peer { address: None, host: "localhost".into() };
        let connection = Connection::new(1, peer, None, Arc::default());
        let context = &mut Context::from_waker(Waker::noop());
        for left in [&b""[..], b"rest"] {
            connection.begin_delivery();
            let mut waiting = pin!(connection.delivered());
            assert!(waiting.as_mut().poll(context).is_pending());
            connection.end_delivery(left);
            assert_eq!(waiting.as_mut().poll(context), Poll::Ready(left.to_vec()));
            assert_eq!(connection.marks(u16::MAX), 0);
        }
    }
}
