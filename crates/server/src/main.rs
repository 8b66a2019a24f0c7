//! The `onelog` server.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use server::options::{Instead, Options, help, version_line};
use server::run::{self, DataDir};
use server::session::Shared;
use server::variables::Val;
use tokio::signal::unix::{SignalKind, signal};
use vfs::{OsVfs, Vfs};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PROGRAM: &str = "onelog";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let vfs: Arc<dyn Vfs> = Arc::new(OsVfs);
    let options = match Options::read(&*vfs, &arguments) {
        Ok(options) => options,
        Err(error) => return fail(&error),
    };
    match options.instead {
        Some(Instead::Help) => return say(&help(PROGRAM)),
        Some(Instead::Version) => return say(&version_line(PROGRAM)),
        Some(Instead::Validate) => return ExitCode::SUCCESS,
        None => {}
    }
    // Nobody can be told that the log cannot be written, and nobody is to end for it.
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_target(false)
        .log_internal_errors(false)
        .init();
    options.warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
    match run(vfs, options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&*error),
    }
}

/// Runs the server, in a runtime and a data directory of its own.
fn run(vfs: Arc<dyn Vfs>, mut options: Options) -> Result<(), Box<dyn std::error::Error>> {
    options.values.put("open_files_limit", Val::UInt(raise_file_limit()));
    let dir = std::path::absolute(PathBuf::from(options.values.get("datadir").as_text()))?;
    options.values.put("datadir", Val::text(&format!("{}/", dir.display())));
    // As mysqld: what options name is meant from there, and a data directory may be moved.
    vfs.create_dir_all(&dir).map_err(|error| format!("the data directory {}: {error}", dir.display()))?;
    std::env::set_current_dir(&dir)?;
    let data_dir = run::take_data_dir(&*vfs, Path::new("."), &options)?;
    let runtime = run::runtime().map_err(run::StartError::Thread)?;
    let ended = runtime.block_on(serve(vfs, &data_dir, options, &dir));
    runtime.shutdown_timeout(run::PATIENCE);
    // A thread that was not waited for any longer may write still: the kernel gives the lock back when none is left.
    std::mem::forget(data_dir);
    ended
}

/// Starts the server, and stops it when it is told to.
async fn serve(
    vfs: Arc<dyn Vfs>,
    data_dir: &DataDir,
    options: Options,
    dir: &Path,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    let server = run::start(vfs, data_dir, options).await?;
    let shared = Arc::clone(&server.shared);
    // Beside the others: a rotation may wait for a replica as long as a commit does.
    tokio::spawn(async move {
        while hang_up.recv().await.is_some() {
            flush(&shared).await;
        }
    });
    let addresses: Vec<String> = server.addresses().iter().map(ToString::to_string).collect();
    tracing::info!(datadir = %dir.display(), listening = addresses.join(","), "ready for connections");
    tokio::select! {
        _ = terminate.recv() => tracing::info!("told to stop by SIGTERM"),
        _ = interrupt.recv() => tracing::info!("told to stop by SIGINT"),
        () = server.told_to_stop() => tracing::info!("told to stop by SHUTDOWN"),
    }
    server.stop().await?;
    tracing::info!("stopped");
    Ok(())
}

/// SIGHUP.
async fn flush(shared: &Shared) {
    match shared.flush_logs().await {
        Ok(()) => tracing::info!("the logs were flushed: SIGHUP"),
        Err(error) => tracing::warn!("the logs could not be flushed: SIGHUP: {}", error.message),
    }
}

/// Every connection is a descriptor. Returns how many files may be open.
fn raise_file_limit() -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(%error, "the number of open files could not be raised");
    }
    // As large as the variable can be, if there is none.
    let most = u32::MAX.into();
    getrlimit(Resource::Nofile).current.map_or(most, |limit| limit.min(most))
}

fn say(text: &str) -> ExitCode {
    // A reader that has seen enough closes the pipe: no failure.
    let _ = writeln!(std::io::stdout(), "{text}");
    ExitCode::SUCCESS
}

fn fail(error: &dyn std::fmt::Display) -> ExitCode {
    // Nobody may be there to read it.
    let _ = writeln!(std::io::stderr(), "{PROGRAM}: [ERROR] {error}");
    ExitCode::FAILURE
}
