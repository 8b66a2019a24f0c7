//! The start of a server run.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use binlog::{CacheLimits, ChecksumAlg, Origin, TrxCache};
use commit::recovery::{self, BinlogConfig, Config, Recovered};
use commit::{AbortOnUnwind, Die, FileContext, Pipeline, StrategyKind};
use engine::base::Base;
use engine::store::Store;
use redo::Options as RedoOptions;
use tokio::net::TcpListener;
use vfs::{SlowSync, SyncDelay, Vfs};

use super::certificates;
use super::checkpointer::Checkpointer;
use super::data_dir::{self, DataDir, Identity, at};
use super::fatal::die;
use super::housekeeper::Housekeeper;
use super::log_threads::LogThreads;
use super::password_key;
use super::{Server, StartError};
use crate::accounts::{Account, Accounts, codec};
use crate::clock::{RuntimeTimer, SystemClock};
use crate::ddl::{Edit, Schema};
use crate::general_log::default_file;
use crate::info::prometheus;
use crate::net::metrics;
use crate::net::{Connections, Net, Secrets, Streams, bind, listen, sessions_max};
use crate::options::Options;
use crate::random::random;
use crate::service::Sessions;
use crate::session::{Common, Shared, Transaction};
use crate::status::Status;
use crate::variables::{STRATEGY_NAMES, Val, Values, Variables, strategy_of, zone};

/// Commits that may be under way at a time; more wait.
const COMMIT_SLOTS: usize = 4096;

/// Redo is kept in so many segments, about.
const SEGMENTS: u64 = 24;

/// Segments that are made before they are needed.
const SPARES: usize = 3;

/// Room that the table store gives up when the disk is full.
const BALLAST_SIZE: u64 = 64 << 20;

/// Starts a server. The caller is a task of the runtime that is going to serve, and drops `data_dir` behind that runtime.
pub async fn start(vfs: Arc<dyn Vfs>, data_dir: &DataDir, options: Options) -> Result<Server, StartError> {
    let dir = &*data_dir.path;
    let vfs = match options.sync_delay_us {
        0 => vfs,
        us => Arc::new(SlowSync::new(vfs, SyncDelay::from_us(us))),
    };
    let identity = data_dir::identity(&vfs, dir)?;
    let spill_dir = data_dir::empty_tmp(&*vfs, dir)?;
    let mut values = complete(options.values, &identity, options.log_bin_base.as_deref());
    fit_files(&mut values);
    check_together(&values)?;
    check_secure_file_priv(&values)?;
    let keys = secrets(&*vfs, dir, options.has_tls, &mut values)?;
    let listen_on = Places::of(&values, dir)?;
    let unbound = |error| StartError::Listen { place: listen_on.to_string(), error };
    // Before the logs are written: a start that is tried again and again would leave a segment and a binlog file each time.
    let bound = bind(&listen_on.addresses, listen_on.socket.as_deref()).await.map_err(unbound)?;
    let metrics = bind_metrics(&mut values).await?;
    let base = Arc::new(Base::open(&vfs, dir, values.get("innodb_buffer_pool_size").size(), BALLAST_SIZE)?);
    let variables = Arc::new(Variables::new(values.clone()));
    let config = config(&values, dir, &variables, options.log_bin_base.as_deref())?;
    make_binlog_dir(&*vfs, &config)?;
    let Recovered { pipeline, counters, report } =
        recovery::open(&vfs, &base, config, Arc::new(SystemClock))?;
    tracing::info!(?report, "recovered");
    variables.attach(Arc::clone(&pipeline));
    let store = Arc::new(Store::open(Arc::clone(pipeline.published()), &counters, Arc::new(RuntimeTimer))?);
    let log_threads = LogThreads::start(&pipeline).map_err(StartError::Thread)?;
    let streams = Streams::start().map_err(StartError::Thread)?;
    tend(&pipeline, &streams);
    let checkpointer = Checkpointer::new(Arc::clone(&pipeline), Arc::clone(&base));
    let taker = Arc::<Checkpointer>::clone(&checkpointer);
    let schema = Schema::new(Arc::clone(&store), Arc::clone(&pipeline), Arc::clone(&base), taker);
    if store.catalog().accounts().next().is_none() {
        make_root(&vfs, &pipeline, &schema, &spill_dir, &identity).await?;
    }
    let accounts = load_accounts(&store, &identity)?;
    let status = Arc::<Status>::default();
    let connections = Connections::new(Arc::clone(&status));
    let shared = Arc::new(Shared {
        store,
        pipeline,
        vfs,
        schema,
        variables: Arc::clone(&variables),
        accounts: Arc::clone(&accounts),
        status: Arc::clone(&status),
        connections: Arc::clone(&connections),
        recovery: report,
        spill_dir,
        uuid: identity.uuid,
        server_id: values.get("server_id").u32(),
        common: Common::default(),
    });
    settle_logs(&shared);
    shared.restore_xa()?;
    checkpointer.start(&shared, tokio::runtime::Handle::current()).map_err(StartError::Thread)?;
    let replica = start_replica(&shared, &values)?;
    let housekeeper = Housekeeper::start(&shared, &base, dir.to_owned()).map_err(StartError::Thread)?;
    let net =
        Net::new(variables, status, accounts, connections, Sessions(Arc::clone(&shared)), streams, keys);
    let listeners = listen(&net, bound).await.map_err(unbound)?;
    if let Some(listener) = metrics {
        let shared = Arc::clone(&shared);
        tokio::spawn(metrics::serve(listener, move || prometheus(&shared)));
    }
    Ok(Server { shared, net, listeners, base, checkpointer, housekeeper, log_threads, replica })
}

/// Takes the directory, and looks whether what is there is whole, and what the options say of other places is not in it.
pub fn take_data_dir(vfs: &dyn Vfs, dir: &Path, options: &Options) -> Result<DataDir, StartError> {
    let data_dir = data_dir::take(vfs, dir).map_err(|error| match error {
        StartError::InUse(_) => StartError::InUse(options.values.get("datadir").as_text().into()),
        error => error,
    })?;
    data_dir::check_whole(vfs, dir)?;
    let log_bin = options.log_bin_base.as_deref().unwrap_or("binlog");
    let store = Some(options.values.get("enhanced_binlog_dir").as_text()).filter(|store| !store.is_empty());
    data_dir::check_apart(vfs, dir, log_bin, store)?;
    Ok(data_dir)
}

/// Where the counts are shown, if anywhere.
async fn bind_metrics(values: &mut Values) -> Result<Option<TcpListener>, StartError> {
    let name = "onelog_metrics_address";
    let address = values.get(name).as_text().to_owned();
    if address.is_empty() {
        return Ok(None);
    }
    let unbound = |error| StartError::Listen { place: address.clone(), error };
    let listener = TcpListener::bind(&address).await.map_err(unbound)?;
    // Port 0 is another one by then.
    values.put(name, Val::text(&listener.local_addr().map_err(unbound)?.to_string()));
    Ok(Some(listener))
}

/// What logins keep from others by.
fn secrets(vfs: &dyn Vfs, dir: &Path, has_tls: bool, values: &mut Values) -> Result<Secrets, StartError> {
    Ok(Secrets {
        tls: certificates::offer(vfs, dir, has_tls, values)?,
        password_key: password_key::offer(vfs, dir, values)?,
    })
}

fn load_accounts(store: &Store, identity: &Identity) -> Result<Arc<Accounts>, StartError> {
    let accounts = Accounts::load(&store.catalog(), identity.secret);
    accounts.map(Arc::new).map_err(|error| StartError::Accounts(error.to_string()))
}

/// Opens the logs of statements.
fn settle_logs(shared: &Shared) {
    if let Err((variable, error)) = shared.settle_logs() {
        tracing::error!(%error, "{variable}: the log cannot be opened: it is off");
    }
}

/// The pipeline's own tasks.
fn tend(pipeline: &Arc<Pipeline>, streams: &Streams) {
    let sweeping = Arc::clone(pipeline);
    let spawn = move |part| {
        let pipeline = Arc::clone(&sweeping);
        tokio::spawn(guarded(async move { pipeline.sweep_part(part) }));
    };
    tokio::spawn(guarded(Arc::clone(pipeline).sweep_forever(spawn)));
    let pause = || tokio::time::sleep(Duration::from_millis(1));
    streams.spawn(guarded(Arc::clone(pipeline).wake_readers_forever(pause)));
    tokio::spawn(guarded(Arc::clone(pipeline).kick_forever(tokio::task::yield_now)));
    pipeline.settle_semi_sync();
    tokio::spawn(guarded(Arc::clone(pipeline).time_out_semi_sync_forever(tokio::time::sleep)));
}

/// A task of the server's own. A panic in it ends the process: commits would wait for it for ever.
async fn guarded(task: impl Future<Output = ()>) {
    let _guard = AbortOnUnwind;
    task.await;
}

/// The task that follows a source, if there is one to follow.
fn start_replica(shared: &Arc<Shared>, values: &Values) -> Result<tokio::task::JoinHandle<()>, StartError> {
    let skips = values.get("skip_replica_start").is_on();
    let kept = crate::replica::read(&shared.store).map_err(|error| StartError::Option(error.to_string()))?;
    let (settings, position) = kept;
    let follows = settings.as_ref().is_some_and(|settings| !settings.host.is_empty());
    shared.common.replica.configure(settings, position);
    if follows && !skips && shared.server_id > 0 {
        shared.common.replica.start(
            crate::replica::Threads { io: true, sql: true },
            None,
            &shared.variables.live.replica_skip_counter,
        );
    }
    Ok(tokio::spawn(crate::replica::run(Arc::clone(shared))))
}

/// Variables that follow from the directory and the options.
fn complete(mut values: Values, identity: &Identity, log_bin: Option<&str>) -> Values {
    values.put("server_uuid", Val::text(&identity.uuid.to_string()));
    let now_s = i64::try_from(crate::clock::unix_s()).unwrap_or_default();
    values.put("system_time_zone", Val::text(&zone::abbreviation(now_s)));
    if values.get("report_port").uint() == 0 {
        let port = values.get("port").clone();
        values.put("report_port", port);
    }
    if values.get("log_bin").is_on() {
        let data_dir = PathBuf::from(values.get("datadir").as_text());
        let basename = data_dir.join(log_bin.unwrap_or("binlog"));
        let basename = basename.to_string_lossy();
        values.put("log_bin_basename", Val::text(&basename));
        values.put("log_bin_index", Val::text(&format!("{basename}.index")));
    }
    if values.get("hostname").as_text().is_empty() {
        let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
        values.put("hostname", Val::text(&name));
    }
    for name in ["general_log_file", "slow_query_log_file"] {
        let (data_dir, hostname) = (values.get("datadir").as_text(), values.get("hostname").as_text());
        if values.get(name).as_text().is_empty()
            && let Some(file) = default_file(name, data_dir, hostname)
        {
            values.put(name, Val::text(&file));
        }
    }
    values
}

/// As mysqld: no more sessions than the limit of open files has room for.
fn fit_files(values: &mut Values) {
    let requested = values.get("max_connections").u32();
    let fits = sessions_max(values.get("open_files_limit").uint());
    if requested > fits {
        tracing::warn!("Changed limits: max_connections: {fits} (requested {requested})");
        values.put("max_connections", Val::UInt(fits.into()));
    }
}

/// What SET would not allow either.
fn check_together(values: &Values) -> Result<(), StartError> {
    let [tracking, extraction] =
        ["binlog_transaction_dependency_tracking", "transaction_write_set_extraction"];
    if values.get(tracking).choice() != 0 && values.get(extraction).choice() == 0 {
        let what = format!(
            "The {extraction} must be set to XXHASH64 or MURMUR32 when {tracking} is WRITESET or WRITESET_SESSION."
        );
        return Err(StartError::Option(what));
    }
    Ok(())
}

/// The directory from which users' files are read is there, if there is one. It is not the server's: its own files are elsewhere.
fn check_secure_file_priv(values: &Values) -> Result<(), StartError> {
    let Val::Text(dir) = values.get("secure_file_priv") else { return Ok(()) };
    if dir.is_empty() || Path::new(&**dir).is_dir() {
        return Ok(());
    }
    let what = format!(
        "Failed to access directory for --secure-file-priv. Please make sure that directory exists and is \
         accessible by onelog. Supplied value : {dir}"
    );
    Err(StartError::Option(what))
}

/// What recovery is told.
fn config(
    values: &Values,
    dir: &Path,
    variables: &Variables,
    log_bin: Option<&str>,
) -> Result<Config, StartError> {
    let path = dir.join(log_bin.unwrap_or("binlog"));
    let base = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let checksum = match variables.server_sight().shown("binlog_checksum").as_deref() {
        Ok("NONE") => ChecksumAlg::None,
        _ => ChecksumAlg::Crc32,
    };
    // Whole blocks of 4 KiB.
    let capacity = values.get("innodb_redo_log_capacity").uint();
    let segment_size = (capacity / SEGMENTS).clamp(1 << 20, 16 << 20) & !4095;
    let redo = RedoOptions {
        dir: dir.join("redo"),
        segment_size,
        ring_size: values.get("innodb_log_buffer_size").size().max(4 << 20).next_power_of_two(),
        // Chunks of large transactions take no commit slot, and who demands nothing of redo gives its own back early.
        ring_slots: 16 * COMMIT_SLOTS,
        spares: SPARES,
        // Redo that carries events has more of them than the capacity counts.
        segments_kept: usize::try_from(commit::EVENTS_FACTOR * capacity / segment_size).unwrap_or(usize::MAX),
        salt: u32::from_le_bytes(random()),
    };
    let store = values.get("enhanced_binlog_dir").as_text();
    Ok(Config {
        store: (!store.is_empty()).then(|| RedoOptions { dir: dir.join(store), ..redo.clone() }),
        redo,
        strategy: strategy(values)?,
        binlog_buffer_size: values.get("binlog_buffer_size").size(),
        binlog: values.get("log_bin").is_on().then_some(BinlogConfig {
            path,
            checksum,
            io_cache_size: values.get("onelog_binlog_io_cache_size").size(),
        }),
        commit_slots: COMMIT_SLOTS,
        settings: variables.settings(),
        files: FileContext {
            base,
            server_version: values.get("version").as_text().to_owned(),
            server_id: values.get("server_id").u32(),
        },
        die: Die(Box::new(|what, error| die(what, &error))),
    })
}

/// The strategy to begin with: what one of its other names says, else what `onelog_commit_strategy` does.
fn strategy(values: &Values) -> Result<StrategyKind, StartError> {
    if !values.get("log_bin").is_on() {
        return Ok(StrategyKind::None);
    }
    let named: Vec<_> = STRATEGY_NAMES.iter().filter(|(name, _)| values.get(name).is_on()).collect();
    let kind = match named[..] {
        [] => strategy_of(values.get("onelog_commit_strategy")),
        [(_, kind)] => *kind,
        [(one, _), (other, _), ..] => {
            return Err(StartError::Option(format!(
                "{one}=ON and {other}=ON are two strategies; choose one of them"
            )));
        }
    };
    match kind {
        StrategyKind::None => Err(StartError::Option(
            "onelog_commit_strategy=none is what --skip-log-bin selects; the binary log is on".to_owned(),
        )),
        kind if !kind.can_sync_binlog(values.get("sync_binlog").u32()) => Err(StartError::Option(
            "onelog_commit_strategy=parallel does not sync the binary log with each group: it needs sync_binlog to be \
             other than 1, for example --sync-binlog=1000"
                .to_owned(),
        )),
        kind => Ok(kind),
    }
}

fn make_binlog_dir(vfs: &dyn Vfs, config: &Config) -> Result<(), StartError> {
    match config.binlog.as_ref().and_then(|binlog| binlog.path.parent()) {
        Some(parent) if !parent.as_os_str().is_empty() => vfs.create_dir_all(parent).map_err(at(parent)),
        _ => Ok(()),
    }
}

/// The first start's only account: `root`, without a password, for this machine alone.
async fn make_root(
    vfs: &Arc<dyn Vfs>,
    pipeline: &Arc<Pipeline>,
    schema: &Schema,
    spill_dir: &Path,
    identity: &Identity,
) -> Result<(), StartError> {
    let root = Account::root();
    let edit = Edit::PutAccount { name: root.name.key(), bytes: Some(codec::encode(&root)) };
    let cache = TrxCache::new(Arc::clone(vfs), spill_dir.join("init"), CacheLimits::default());
    let mut transaction = Transaction::new(schema.store(), pipeline, cache, identity.uuid, Arc::default(), 0);
    let origin = Origin { timestamp: 0, server_id: 0 };
    let made = schema.commit(&mut transaction, vec![edit], origin, false).await;
    let _ack = made.map_err(|error| StartError::Accounts(error.to_string()))?;
    tracing::warn!("root@localhost has no password; it is let in from this machine only");
    Ok(())
}

/// Where to listen.
struct Places {
    addresses: Vec<SocketAddr>,
    socket: Option<PathBuf>,
}

impl Places {
    /// `bind_address` and `port`; `socket`, which is in the data directory unless it says otherwise.
    fn of(values: &Values, dir: &Path) -> Result<Self, StartError> {
        let port = u16::try_from(values.get("port").uint()).expect("the variable's bounds");
        let mut addresses = Vec::new();
        if !values.get("skip_networking").is_on() {
            for text in values.get("bind_address").as_text().split(',').map(str::trim) {
                let address: IpAddr = match text {
                    "*" => Ipv6Addr::UNSPECIFIED.into(),
                    "localhost" => Ipv4Addr::LOCALHOST.into(),
                    text => text.parse().map_err(|_| {
                        StartError::Option(format!(
                            "bind_address: {text} is no IP address; names are not looked up"
                        ))
                    })?,
                };
                addresses.push(SocketAddr::new(address, port));
            }
        }
        let socket = match values.get("socket").as_text() {
            "" => dir.join("mysql.sock"),
            name => dir.join(name),
        };
        Ok(Self { addresses, socket: Some(socket) })
    }
}

impl std::fmt::Display for Places {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let addresses = self.addresses.iter().map(ToString::to_string);
        let socket = self.socket.iter().map(|path| path.display().to_string());
        f.write_str(&addresses.chain(socket).collect::<Vec<_>>().join(" or "))
    }
}
