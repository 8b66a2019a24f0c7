//! A server in one thread.

use std::future::{Future, pending, poll_fn};
use std::io;
use std::path::{Path, PathBuf};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::Poll;
use std::time::Duration;

use binlog::{ChecksumAlg, Uuid};
use commit::checkpoint::Slicing;
use commit::recovery::{self, BinlogConfig, Config, Report};
use commit::{Clock, Die, FatalError, FileContext, Pipeline, Settings, StrategyKind};
use engine::base::{Base, WhenFull};
use engine::catalog::Catalog;
use engine::check::check_table;
use engine::ids::{CommitSeq, IndexId};
use engine::scan::{Direction, Entry, KeyRange};
use engine::store::{Store, Timer};
use engine::trx::Trx;
use parking_lot::Mutex;
use protocol::wire::Capabilities;
use server::accounts::{Access, Account, Accounts, Peer};
use server::ddl::{Checkpoints, Schema};
use server::net::Connections;
use server::session::{Arrival, Client, Common, Shared};
use server::status::Status;
use server::variables::{Values, Variables};
use sql::exec::BoxFuture;
use types::error::SqlError;
use types::error::table::ER_DISK_FULL;
use types::temporal::TimeZone;
use vfs::Vfs;
use vfs::sim::Rng;

use crate::Answer;
use crate::wire::BufferWire;

/// The data directory.
const DIR: &str = "/data";

/// What a simulated server is told.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether there is a binlog.
    pub binlog: bool,
    /// `gtid_mode`
    pub gtid: bool,
    /// `binlog_checksum`
    pub checksum: ChecksumAlg,
    /// Bytes of a redo segment.
    pub segment_size: u64,
    /// Bytes that are given up when the disk is full.
    pub ballast_size: u64,
    /// `onelog_commit_strategy`; without a binlog there is only one.
    pub strategy: StrategyKind,
    /// The binlog store has files of its own.
    pub own_store: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            binlog: true,
            gtid: false,
            checksum: ChecksumAlg::Crc32,
            segment_size: 16 * 4096,
            ballast_size: 0,
            strategy: StrategyKind::InRedo,
            own_store: false,
        }
    }
}

/// See the module.
#[derive(Debug)]
pub struct World {
    runtime: tokio::runtime::Runtime,
    /// Commits.
    pub pipeline: Arc<Pipeline>,
    /// The table base.
    pub base: Arc<Base>,
    /// What recovery did.
    pub report: Report,
    shared: Arc<Shared>,
    clock: Arc<StepClock>,
    checkpoints: Arc<InlineCheckpoints>,
    next_connection: AtomicU32,
    /// Chooses among the roles that are wanted. Rank: last.
    order: Mutex<Option<Rng>>,
    /// A step has failed. Relaxed order: one thread plays everything.
    dead: AtomicBool,
}

impl World {
    /// Opens the server in a disk's data directory; the first time it is made.
    pub fn open(vfs: &Arc<dyn Vfs>, options: &Options) -> Result<Self, FatalError> {
        vfs.create_dir_all(Path::new(DIR))?;
        let base = Arc::new(Base::open(vfs, Path::new(DIR), 1 << 20, options.ballast_size)?);
        let variables = Arc::new(Variables::new(Values::default()));
        let settings = variables.settings();
        settings.gtid_mode.store(options.gtid, Ordering::Relaxed);
        let died: Died = Arc::default();
        let config = config(options, settings, &died);
        let clock = Arc::<StepClock>::default();
        let recovered = recovery::open(vfs, &base, config, Arc::<StepClock>::clone(&clock))?;
        let (pipeline, report) = (recovered.pipeline, recovered.report);
        variables.attach(Arc::clone(&pipeline));
        let store = Store::open(Arc::clone(pipeline.published()), &recovered.counters, Arc::new(NoTimer))?;
        let store = Arc::new(store);
        let accounts = Accounts::load(&store.catalog(), [7; 32]);
        let accounts = accounts.map_err(|error| FatalError::Corrupt(error.to_string()))?;
        let checkpoints = Arc::new(InlineCheckpoints {
            pipeline: Arc::clone(&pipeline),
            base: Arc::clone(&base),
            store: Arc::clone(&store),
            shared: OnceLock::new(),
            died,
        });
        let taker: Arc<dyn Checkpoints> = Arc::<InlineCheckpoints>::clone(&checkpoints);
        let schema = Schema::new(Arc::clone(&store), Arc::clone(&pipeline), Arc::clone(&base), taker);
        let status = Arc::<Status>::default();
        let shared = Arc::new(Shared {
            store,
            pipeline: Arc::clone(&pipeline),
            vfs: Arc::clone(vfs),
            schema,
            variables,
            accounts: Arc::new(accounts),
            connections: Connections::new(Arc::clone(&status)),
            status,
            recovery: report,
            spill_dir: PathBuf::from(DIR).join("tmp"),
            uuid: Uuid([7; 16]),
            server_id: 1,
            common: Common::default(),
        });
        checkpoints.shared.set(Arc::downgrade(&shared)).expect("set once");
        shared.restore_xa().map_err(|error| FatalError::Corrupt(error.to_string()))?;
        vfs.create_dir_all(&Path::new(DIR).join("tmp"))?;
        let runtime =
            tokio::runtime::Builder::new_current_thread().build().expect("a runtime for one thread");
        Ok(Self {
            runtime,
            pipeline,
            base,
            report,
            shared,
            clock,
            checkpoints,
            next_connection: AtomicU32::new(1),
            order: Mutex::default(),
            dead: AtomicBool::new(false),
        })
    }

    /// A session of root.
    pub fn connect(&self) -> Conn<'_> {
        self.begin(Arc::new(Account::root()))
    }

    /// A session of an account at `localhost`.
    ///
    /// # Panics
    /// If there is no such account.
    pub fn connect_as(&self, user: &str) -> Conn<'_> {
        let account = self.shared.accounts.table().find(user, &Peer::local());
        self.begin(account.expect("the account exists"))
    }

    fn begin(&self, account: Arc<Account>) -> Conn<'_> {
        let id = self.next_connection.fetch_add(1, Ordering::Relaxed);
        let user = account.name.user.clone();
        let access = Access::new(Arc::clone(&self.shared.accounts), account, &user, Peer::local());
        let arrival = Arrival {
            id,
            counters: self.shared.status.begin_session(id),
            access: Arc::new(access),
            capabilities: Capabilities::OFFERED,
            kill: Arc::default(),
        };
        let client = Client::new(Arc::clone(&self.shared), arrival);
        Conn { world: self, client }
    }

    /// Polls a future, and steps the pipeline before it begins and whenever it waits.
    ///
    /// # Errors
    /// Of a step: the server has died, and nobody who waits is told anything. Drop it.
    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> Result<T, FatalError> {
        // Whatever another thread may do for the future: the steps come in the same order every time.
        while self.step()? {}
        let mut future = pin!(future);
        self.runtime.block_on(poll_fn(|context| {
            loop {
                if let Poll::Ready(value) = future.as_mut().poll(context) {
                    return Poll::Ready(Ok(value));
                }
                match self.step() {
                    Ok(true) => {}
                    Ok(false) => return Poll::Pending,
                    Err(error) => return Poll::Ready(Err(error)),
                }
            }
        }))
    }

    /// From now on, roles that are wanted at the same time are played in an order that `seed` makes, as by threads; else the
    /// one nearest to an acknowledgement comes first.
    pub fn shuffle_roles(&self, seed: u64) {
        *self.order.lock() = Some(Rng::new(seed));
    }

    /// Plays one role, if one is wanted. Returns whether one was.
    fn step(&self) -> Result<bool, FatalError> {
        self.check_alive()?;
        let choose = |count| self.order.lock().as_mut().map_or(0, |rng| rng.index(count));
        let Some(role) = self.pipeline.roles.take_by(choose) else { return Ok(false) };
        if let Err(error) = self.pipeline.step(role) {
            // Its thread ends the process, and keeps the role.
            self.dead.store(true, Ordering::Relaxed);
            return Err(error);
        }
        self.pipeline.roles.done(role);
        Ok(true)
    }

    /// Whoever comes after the server has died gets an error too: there is no server any more.
    fn check_alive(&self) -> Result<(), FatalError> {
        if let Some(error) = self.checkpoints.died.lock().take() {
            self.dead.store(true, Ordering::Relaxed);
            return Err(error);
        }
        if self.dead.load(Ordering::Relaxed) {
            return Err(io::Error::other("the server has died").into());
        }
        Ok(())
    }

    /// Takes a checkpoint if there is room, and removes what it has made superfluous.
    pub fn checkpoint(&self) -> Result<(), FatalError> {
        let _full = self.block_on(self.shared.schema.take_checkpoint())?;
        self.tend()
    }

    /// What a housekeeper does from time to time: spare redo segments, and letting commits in again when a full disk has
    /// room.
    pub fn tend(&self) -> Result<(), FatalError> {
        self.check_alive()?;
        self.pipeline.tend_files();
        for log in std::iter::once(self.pipeline.redo()).chain(self.pipeline.store()) {
            while log.tend()? {}
        }
        self.base.ballast().restore()?;
        Ok(())
    }

    /// Removes what earlier server runs have left behind, as after a checkpoint that began when the catalog was `before`.
    pub fn collect_garbage(&self, before: &Catalog) -> Result<(), FatalError> {
        remove_dropped(&self.shared, CommitSeq(0), before)
    }
}

impl World {
    /// The catalog.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.shared.store.catalog()
    }

    /// Executes several texts at once, each in a session of its own, and perhaps takes a checkpoint: some begin together,
    /// the others while these are at some stage of their commits, as `rng` decides. `done` is told at once when one has
    /// been answered: its place and the last commit that it knows of.
    pub fn run_together(
        &self,
        texts: &[String],
        checkpoint: bool,
        rng: &mut Rng,
        mut done: impl FnMut(usize, CommitSeq),
    ) -> Result<Vec<Vec<Answer>>, FatalError> {
        let mut conns: Vec<Conn<'_>> = texts.iter().map(|_| self.connect()).collect();
        let mut wires: Vec<BufferWire> = texts.iter().map(|_| BufferWire::default()).collect();
        let now = self.clock.unix_us();
        let runs = conns.iter_mut().zip(&mut wires).zip(texts);
        let mut runs: Vec<_> = runs
            .map(|((conn, wire), text)| {
                let run = async move {
                    conn.ask(text, now, wire).await;
                    conn.client.last_commit()
                };
                Some(Box::pin(run) as LocalFuture<'_, CommitSeq>)
            })
            .collect();
        let checkpoint = checkpoint.then_some(async {
            let _full = self.shared.schema.take_checkpoint().await;
            CommitSeq(0)
        });
        runs.extend(checkpoint.map(|run| Some(Box::pin(run) as _)));
        let mut begun = 1 + rng.index(runs.len());
        let poll_all = poll_fn(|context| {
            loop {
                for (place, slot) in runs[..begun].iter_mut().enumerate() {
                    let polled = slot.as_mut().map(|run| run.as_mut().poll(context));
                    if let Some(Poll::Ready(seq)) = polled {
                        *slot = None;
                        if place < texts.len() {
                            done(place, seq);
                        }
                    }
                    // Who comes next finds no server, and plays no role by itself.
                    if let Err(error) = self.check_alive() {
                        return Poll::Ready(Err(error));
                    }
                }
                if runs.iter().all(Option::is_none) {
                    return Poll::Ready(Ok(()));
                }
                let all_begun = begun == runs.len();
                if !all_begun && rng.coin() {
                    begun += 1;
                    continue;
                }
                match self.step() {
                    Ok(true) => {}
                    Ok(false) if all_begun => return Poll::Pending,
                    Ok(false) => begun += 1,
                    Err(error) => return Poll::Ready(Err(error)),
                }
            }
        });
        self.runtime.block_on(poll_all)?;
        drop(runs);
        Ok(wires.iter().map(|wire| Answer::read_all(&wire.bytes())).collect())
    }

    /// Everything that a client can find out: definitions and rows of all tables, in text. Checks each table.
    pub fn dump(&self) -> Result<Vec<String>, String> {
        let mut lines = Vec::new();
        let mut conn = self.connect();
        let catalog = self.catalog();
        for database in catalog.databases() {
            lines.push(format!("{:?}", database.def));
            for table in database.tables.values() {
                let mut trx = Trx::new(Arc::clone(&self.shared.store));
                check_table(&mut trx, table, || true).map_err(|error| error.to_string())?;
                lines.push(sql::ddl::show_create_table(
                    &table.def,
                    0,
                    sql::ddl::Quoting::default(),
                    &TimeZone::UTC,
                ));
                let mut rows = conn.rows(&format!("SELECT * FROM `{}`.`{}`", table.def.db, table.def.name));
                rows.sort();
                lines.extend(rows);
            }
        }
        // Prepared XA transactions, with their changes and locks.
        let mut trx = Trx::new(Arc::clone(&self.shared.store));
        let prepared = KeyRange::prefix(&IndexId::PREPARED.prefix());
        let mut prepared = trx.scan(&prepared, Direction::Forward).map_err(|error| error.to_string())?;
        while let Some(Entry { key, row, .. }) = prepared.next_row().map_err(|error| error.to_string())? {
            lines.push(format!("{key:?} {row:?}"));
        }
        lines.extend(catalog.accounts().map(|(name, bytes)| format!("{name:?} {bytes:?}")));
        Ok(lines)
    }
}

fn config(options: &Options, settings: Settings, died: &Died) -> Config {
    let died = Arc::clone(died);
    let redo = redo::Options {
        dir: PathBuf::from(DIR).join("redo"),
        segment_size: options.segment_size,
        ring_size: 4 << 20,
        ring_slots: 256,
        spares: 1,
        segments_kept: 3,
        salt: 0x5A17,
    };
    Config {
        store: options
            .own_store
            .then(|| redo::Options { dir: PathBuf::from(DIR).join("enhanced_binlog"), ..redo.clone() }),
        redo,
        strategy: if options.binlog { options.strategy } else { StrategyKind::None },
        binlog_buffer_size: 1 << 20,
        binlog: options.binlog.then(|| BinlogConfig {
            path: PathBuf::from(DIR).join("binlog"),
            checksum: options.checksum,
            io_cache_size: 1 << 16,
        }),
        commit_slots: 64,
        settings,
        files: FileContext { base: "binlog".into(), server_version: "8.0.46-onelog".into(), server_id: 1 },
        die: Die(Box::new(move |_, error| *died.lock() = Some(error))),
    }
}

/// A future of this thread.
type LocalFuture<'f, T> = Pin<Box<dyn Future<Output = T> + 'f>>;

/// A connection.
#[derive(Debug)]
pub struct Conn<'w> {
    world: &'w World,
    client: Client,
}

impl Conn<'_> {
    /// Executes a text of one statement.
    ///
    /// # Panics
    /// If it has several answers, or the server dies.
    pub fn run(&mut self, sql: &str) -> Answer {
        let mut answers = self.run_all(sql).expect("the disk works");
        assert_eq!(answers.len(), 1, "{sql}");
        answers.remove(0)
    }

    /// The last commit that was acknowledged here.
    pub fn last_commit(&self) -> CommitSeq {
        self.client.last_commit()
    }

    /// Prepares a statement as COM_STMT_PREPARE does; how many columns its result is said to have.
    ///
    /// # Panics
    /// If it fails.
    pub fn prepared_columns(&mut self, sql: &str) -> u16 {
        let mut wire = BufferWire::default();
        let now = self.world.clock.unix_us();
        self.client.stmt_prepare(sql.as_bytes(), now, &mut wire);
        let bytes = wire.bytes();
        assert_eq!(bytes[4], 0, "{sql}: an error");
        u16::from_le_bytes([bytes[9], bytes[10]])
    }

    /// Executes a text until its answer may be sent.
    async fn ask(&mut self, sql: &str, now: u64, wire: &mut BufferWire) {
        self.client.query(sql.as_bytes(), now, wire).await;
        if let Some(held) = wire.held.take() {
            held.await;
        }
    }

    /// Executes a text of several statements.
    ///
    /// # Errors
    /// As [`World::block_on`].
    pub fn run_all(&mut self, sql: &str) -> Result<Vec<Answer>, FatalError> {
        let mut wire = BufferWire::default();
        let now = self.world.clock.unix_us();
        self.world.block_on(self.ask(sql, now, &mut wire))?;
        Ok(Answer::read_all(&wire.bytes()))
    }

    /// Executes a statement that must succeed; its rows, each joined by `|`.
    ///
    /// # Panics
    /// If it fails.
    pub fn rows(&mut self, sql: &str) -> Vec<String> {
        match self.run(sql) {
            Answer::Rows(_, rows) => {
                let text = |row: Vec<Option<String>>| {
                    row.into_iter()
                        .map(|value| value.unwrap_or_else(|| "NULL".into()))
                        .collect::<Vec<_>>()
                        .join("|")
                };
                rows.into_iter().map(text).collect()
            }
            other => panic!("{sql}: {other:?}"),
        }
    }

    /// Executes a statement that must answer OK.
    ///
    /// # Panics
    /// If it does not.
    pub fn ok(&mut self, sql: &str) {
        let answer = self.run(sql);
        assert!(matches!(answer, Answer::Ok(..)), "{sql}: {answer:?}");
    }
}

/// A clock that moves when it is asked or slept on, in nanoseconds.
#[derive(Debug, Default)]
struct StepClock(AtomicU64);

impl Clock for StepClock {
    fn unix_us(&self) -> u64 {
        1_700_000_000_000_000 + self.0.fetch_add(1000, Ordering::Relaxed) / 1000
    }
    fn monotonic_ns(&self) -> u64 {
        self.0.fetch_add(1000, Ordering::Relaxed)
    }
    fn sleep_us(&self, us: u64) {
        self.0.fetch_add(us * 1000, Ordering::Relaxed);
    }
}

/// Waits for locks never end by themselves.
#[derive(Debug)]
struct NoTimer;

impl Timer for NoTimer {
    fn sleep(&self, _duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(pending())
    }
    fn unix_us(&self) -> u64 {
        0
    }
}

/// What the server has died of in a session's own call. Rank: last.
type Died = Arc<Mutex<Option<FatalError>>>;

/// Checkpoints in whose call they are asked for.
#[derive(Debug)]
struct InlineCheckpoints {
    pipeline: Arc<Pipeline>,
    base: Arc<Base>,
    store: Arc<Store>,
    shared: OnceLock<std::sync::Weak<Shared>>,
    died: Died,
}

impl InlineCheckpoints {
    /// Whether there was room to take one.
    async fn run(&self) -> Result<bool, FatalError> {
        if self.base.ballast().disk_is_full() {
            return Ok(false);
        }
        let shared = self.shared.get().and_then(std::sync::Weak::upgrade);
        if let Some(shared) = &shared {
            let limit = shared.variables.live.view_retention_limit.load(Ordering::Relaxed);
            self.pipeline.published().retired.expire_beyond(limit);
        }
        let checkpoint = self.pipeline.begin_checkpoint();
        let through = checkpoint.through();
        let _ack = self.pipeline.wait_visible(through).await;
        let slicing = Slicing { keys_max: 16, bytes_max: 4096, ..Slicing::default() };
        let catalog = self.store.catalog();
        self.pipeline.run_checkpoint(checkpoint, &self.base, self.store.counters(), slicing, || {})?;
        if let Some(shared) = shared {
            remove_dropped(&shared, through, &catalog)?;
        }
        Ok(true)
    }
}

/// Removes, behind a checkpoint, what was dropped before it.
fn remove_dropped(shared: &Shared, through: CommitSeq, before: &Catalog) -> Result<(), FatalError> {
    shared.schema.note_checkpoint(through, before)?;
    while shared.schema.collect_garbage(WhenFull::UseBallast)? {}
    Ok(())
}

impl Checkpoints for InlineCheckpoints {
    fn take(&self) -> BoxFuture<'_, Result<(), SqlError>> {
        Box::pin(async move {
            match self.run().await {
                Ok(true) => Ok(()),
                Ok(false) => Err(ER_DISK_FULL.error(&[&"the table store", &28, &"No space left on device"])),
                Err(error) => {
                    *self.died.lock() = Some(error);
                    pending().await
                }
            }
        })
    }
}
