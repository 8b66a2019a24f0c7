//! The server under test: its real binary, a process of its own.

use std::fs::{self, File};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::command::{self, Process};
use crate::{Outcome, check, paths};

/// How long a start or a stop may take.
const PATIENCE: Duration = Duration::from_mins(2);

/// How a server is started.
#[derive(Clone, Debug)]
pub struct Config {
    /// The binary.
    pub binary: PathBuf,
    /// Its data directory; socket and log lie beside it.
    pub datadir: PathBuf,
    /// Its port on 127.0.0.1.
    pub port: u16,
    /// More options.
    pub options: Vec<String>,
    /// A program that runs it (`strace -D ..`), with its options; empty: none. The server must stay the process that is
    /// started.
    pub wrapper: Vec<String>,
}

impl Config {
    /// The server that is tested, with a data directory and a port of its own.
    pub fn new(datadir: &Path, options: &[&str]) -> Outcome<Self> {
        Self::of_binary(&paths::server()?, datadir, options)
    }

    /// The same with any binary.
    pub fn of_binary(binary: &Path, datadir: &Path, options: &[&str]) -> Outcome<Self> {
        let options = options.iter().map(ToString::to_string).collect();
        Ok(Self {
            binary: binary.to_owned(),
            datadir: datadir.to_owned(),
            port: paths::free_port()?,
            options,
            wrapper: Vec::new(),
        })
    }

    /// Its socket.
    pub fn socket(&self) -> PathBuf {
        self.datadir.with_extension("sock")
    }

    /// What it says.
    pub fn log(&self) -> PathBuf {
        self.datadir.with_extension("err")
    }

    /// The command that starts it.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.binary);
        command
            .arg(format!("--datadir={}", self.datadir.display()))
            .arg(format!("--port={}", self.port))
            .arg(format!("--socket={}", self.socket().display()))
            .args(&self.options);
        let wrapper: Vec<&str> = self.wrapper.iter().map(String::as_str).collect();
        command::wrapped(&wrapper, command)
    }

    /// Starts it and waits until it accepts connections: on its socket, which is nobody else's, and on its port.
    pub fn start(&self) -> Outcome<Onelog> {
        let log = File::options().create(true).append(true).open(self.log())?;
        let mut command = self.command();
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let mut process = Process(command.spawn()?);
        let begun = Instant::now();
        while UnixStream::connect(self.socket()).is_err()
            || TcpStream::connect(("127.0.0.1", self.port)).is_err()
        {
            if let Some(status) = process.0.try_wait()? {
                return Err(format!("the server ended while it started: {status}\n{}", self.said()?).into());
            }
            check(begun.elapsed() < PATIENCE, || "the server does not accept connections".to_owned())?;
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(Onelog { config: self.clone(), process })
    }

    /// Starts it where it must refuse; returns what it says.
    pub fn start_refused(&self) -> Outcome<String> {
        let mut process = Process(
            self.command().stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?,
        );
        let status = wait(&mut process)?;
        check(!status.success(), || "the server should have refused to start".to_owned())?;
        let mut said = String::new();
        if let Some(mut errors) = process.0.stderr.take() {
            std::io::Read::read_to_string(&mut errors, &mut said)?;
        }
        Ok(said)
    }

    /// The end of what it has said.
    pub fn said(&self) -> Outcome<String> {
        let log = fs::read(self.log())?;
        let from = log.len().saturating_sub(2000);
        Ok(String::from_utf8_lossy(&log[from..]).into_owned())
    }

    /// Fails if the log has a line of a level that nobody expected. That root has no password is known, and
    /// that a replica was stopped.
    pub fn check_log(&self) -> Outcome {
        let log = String::from_utf8_lossy(&fs::read(self.log())?)
            .replace("WARN root@localhost has no password", "")
            .replace("WARN semi-synchronous replication is off: no acknowledgement", "");
        let odd = |line: &&str| {
            [" WARN ", " ERROR ", "[Warning]", "[ERROR]", "panicked"].iter().any(|it| line.contains(it))
        };
        match log.lines().find(odd) {
            None => Ok(()),
            Some(line) => Err(format!("the server's log says: {line}").into()),
        }
    }
}

/// A server that runs. Killed when this goes out of scope.
#[derive(Debug)]
pub struct Onelog {
    /// How it was started.
    pub config: Config,
    process: Process,
}

impl Onelog {
    /// Its process.
    pub fn pid(&self) -> u32 {
        self.process.0.id()
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.config.port
    }

    /// Fails if it has ended.
    pub fn check_alive(&mut self) -> Outcome {
        match self.process.0.try_wait()? {
            None => Ok(()),
            Some(status) => Err(format!("the server has ended: {status}\n{}", self.config.said()?).into()),
        }
    }

    /// `kill -9`.
    pub fn kill(mut self) -> Outcome {
        self.process.0.kill()?;
        self.process.0.wait()?;
        Ok(())
    }

    /// SIGTERM; it must end by itself, without complaint.
    pub fn stop(mut self) -> Outcome {
        self.check_alive()?;
        let pid = Pid::from_child(&self.process.0);
        kill_process(pid, Signal::TERM)?;
        let status = wait(&mut self.process)?;
        check(status.success(), || format!("the server ended with {status}"))?;
        self.config.check_log()
    }
}

fn wait(process: &mut Process) -> Outcome<ExitStatus> {
    let begun = Instant::now();
    loop {
        if let Some(status) = process.0.try_wait()? {
            return Ok(status);
        }
        check(begun.elapsed() < PATIENCE, || "the server does not end".to_owned())?;
        std::thread::sleep(Duration::from_millis(5));
    }
}
