//! Foreign servers: MariaDB as Debian packages it, MySQL as Oracle makes it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::clients::{self, Vendor};
use crate::command::{self, Process};
use crate::{Outcome, check, install, paths};

/// How long a start or a stop may take.
const PATIENCE: Duration = Duration::from_mins(2);

/// Which server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// MariaDB 10.11, Debian's own.
    MariaDb,
    /// MariaDB 11.8; `install::mariadb118` must have been called.
    MariaDb118,
    /// MySQL 9.7.
    Oracle,
}

impl From<Vendor> for Kind {
    fn from(vendor: Vendor) -> Self {
        match vendor {
            Vendor::MariaDb => Self::MariaDb,
            Vendor::Oracle => Self::Oracle,
        }
    }
}

impl Kind {
    fn vendor(self) -> Vendor {
        match self {
            Self::MariaDb | Self::MariaDb118 => Vendor::MariaDb,
            Self::Oracle => Vendor::Oracle,
        }
    }
}

/// How a server is started, beside its own options.
#[derive(Clone, Copy, Debug, Default)]
pub struct How<'a> {
    /// Environment variables.
    pub environment: &'a [(&'a str, &'a str)],
    /// A program that runs it (`strace -D ..`), with its options; empty: none. The server must stay the process that is
    /// started.
    pub wrapper: &'a [&'a str],
}

/// A foreign server that runs. Stopped when this goes out of scope.
#[derive(Debug)]
pub struct Peer {
    /// Whose it is.
    pub vendor: Vendor,
    /// Its port on 127.0.0.1. `root` has no password.
    pub port: u16,
    process: Process,
}

impl Peer {
    /// Makes a data directory in an empty folder and starts a server on it.
    pub fn start(kind: impl Into<Kind>, dir: &Path, options: &[&str]) -> Outcome<Self> {
        Self::start_as(kind.into(), dir, options, How::default())
    }

    /// The same, in some way.
    pub fn start_as(kind: Kind, dir: &Path, options: &[&str], how: How<'_>) -> Outcome<Self> {
        initialise(kind, dir)?;
        Self::run(kind, dir, paths::free_port()?, options, how)
    }

    /// Starts a server on a port and the data directory that another one has left in a folder.
    pub fn start_again(kind: impl Into<Kind>, dir: &Path, port: u16, options: &[&str]) -> Outcome<Self> {
        Self::run(kind.into(), dir, port, options, How::default())
    }

    fn run(kind: Kind, dir: &Path, port: u16, options: &[&str], how: How<'_>) -> Outcome<Self> {
        let mut command = server(kind)?;
        command
            .env("TMPDIR", temporary(dir)?)
            .arg(format!("--datadir={}", dir.join("data").display()))
            .arg(format!("--port={port}"))
            .arg("--bind-address=127.0.0.1")
            .arg(format!("--socket={}", dir.join("sock").display()))
            .arg(format!("--pid-file={}", dir.join("pid").display()))
            .args(["--max-connections=5000", "--server-id=2"])
            .args(options);
        command.envs(how.environment.iter().copied());
        let mut command = command::wrapped(how.wrapper, command);
        let log = File::options().create(true).append(true).open(dir.join("log"))?;
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let mut peer = Self { vendor: kind.vendor(), port, process: Process(command.spawn()?) };
        peer.await_start(&dir.join("log"))?;
        Ok(peer)
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.process.0.id()
    }

    /// Has it end, and waits for that: nobody has its data directory and its port when this returns.
    pub fn stop(&mut self) -> Outcome {
        if self.process.0.try_wait()?.is_some() {
            return Ok(());
        }
        kill_process(Pid::from_child(&self.process.0), Signal::TERM)?;
        let begun = Instant::now();
        while self.process.0.try_wait()?.is_none() {
            if begun.elapsed() > PATIENCE {
                self.process.0.kill()?;
                self.process.0.wait()?;
                return Err(format!("{:?} did not end within {} s", self.vendor, PATIENCE.as_secs()).into());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// `kill -9`.
    pub fn kill(mut self) -> Outcome {
        self.process.0.kill()?;
        self.process.0.wait()?;
        Ok(())
    }

    fn await_start(&mut self, log: &PathBuf) -> Outcome {
        let begun = Instant::now();
        while command::run(self.vendor.root(self.port)?.args(["-e", "select 1"])).is_err() {
            let ended = self.process.0.try_wait()?.is_some();
            let failed = ended || begun.elapsed() > PATIENCE;
            check(!failed, || {
                let log = fs::read_to_string(log).unwrap_or_default();
                format!(
                    "{:?} does not start: {}",
                    self.vendor,
                    log.get(log.len().saturating_sub(1000)..).unwrap_or("")
                )
            })?;
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // What does not end is killed with its process.
        let _ = self.stop();
    }
}

/// A folder of its own for temporary files: MariaDB deletes, as it starts, all that another one has in the same folder.
fn temporary(dir: &Path) -> Outcome<PathBuf> {
    let path = dir.join("tmp");
    fs::create_dir_all(&path)?;
    Ok(path)
}

fn initialise(kind: Kind, dir: &Path) -> Outcome {
    let datadir = &dir.join("data");
    let datadir_option = format!("--datadir={}", datadir.display());
    let mut command = match kind {
        Kind::MariaDb => {
            let mut install = Command::new("mariadb-install-db");
            install.args([
                "--no-defaults",
                "--user=root",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
            ]);
            install
        }
        Kind::MariaDb118 => return bootstrap(dir, datadir),
        Kind::Oracle => {
            let mut server = server(kind)?;
            server.arg("--initialize-insecure");
            server
        }
    };
    command::run(command.env("TMPDIR", temporary(dir)?).arg(datadir_option)).map(drop)
}

/// What `mariadb-install-db` does, which cannot be told to use another loader.
fn bootstrap(dir: &Path, datadir: &Path) -> Outcome {
    let share = install::mariadb118_usr()?.join("share/mariadb");
    // One statement a line: that is how it is read.
    let mut script =
        "CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket=NULL;\nSET @skip_auth_anonymous=1;\n"
            .to_owned();
    for part in ["system_tables", "performance_tables", "system_tables_data"] {
        script += &fs::read_to_string(share.join(format!("mariadb_{part}.sql")))?;
    }
    fs::create_dir_all(datadir)?;
    let input = datadir.with_extension("sql");
    fs::write(&input, script)?;
    let mut server = server(Kind::MariaDb118)?;
    server.env("TMPDIR", temporary(dir)?);
    server.arg(format!("--datadir={}", datadir.display())).arg("--bootstrap");
    command::run_on(&mut server, &input).map(drop)
}

fn server(kind: Kind) -> Outcome<Command> {
    let mut command = match kind {
        Kind::MariaDb => {
            let mut server = Command::new("/usr/sbin/mariadbd");
            server.arg("--no-defaults");
            server
        }
        Kind::MariaDb118 => {
            let usr = install::mariadb118_usr()?;
            let mut server = clients::loaded(&usr.join("sbin/mariadbd"))?;
            server
                .arg(format!("--basedir={}", usr.display()))
                .arg(format!("--lc-messages-dir={}", usr.join("share/mariadb").display()))
                .arg(format!("--plugin-dir={}", usr.join("lib/mysql/plugin").display()));
            server
        }
        Kind::Oracle => {
            let root = install::oracle_root()?;
            let mut server = clients::oracle("mysqld")?;
            server
                .arg(format!("--basedir={}", root.join("usr").display()))
                .arg(format!("--lc-messages-dir={}", root.join("usr/share/mysql").display()))
                .arg(format!("--plugin-dir={}", root.join("usr/lib/mysql/plugin").display()))
                .args(["--mysqlx=OFF", "--performance-schema=OFF", "--secure-file-priv="])
                .args(["--gtid-mode=OFF", "--enforce-gtid-consistency=OFF"]);
            server
        }
    };
    command.arg("--user=root");
    Ok(command)
}
