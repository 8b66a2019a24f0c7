//! A program that follows a server and writes what it sees into a file, a line of JSON for each change.
//!
//! All of them take the same arguments: the server's port, the file, `gtid` or `position`. They go on behind the last
//! whole transaction that they find written, wait for a server that is away, and end only when they are told to, or at an
//! error that waiting does not cure.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use rig::command::Process;
use rig::{Outcome, check, command, until};

use super::verdict::{self, Line};

/// How long a consumer may take to write what was committed.
const PATIENCE: Duration = Duration::from_mins(2);

/// What has to be known about a consumer beforehand.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "what it can do is four things, each for itself")]
pub struct Profile {
    /// Its name.
    pub name: &'static str,
    /// Makes it ready in a folder and returns the command that starts it: a program and its first arguments.
    pub build: fn(&Path) -> Outcome<Vec<OsString>>,
    /// It begins with a snapshot instead of the first binlog file.
    pub snapshot: bool,
    /// It may be killed at any time. Otherwise it promises nothing unless it is asked to stop.
    pub killable: bool,
    /// It asks the server for the columns of a table when it meets a change, so it must have caught up before they change.
    pub reads_schema_late: bool,
    /// It tells, with GTIDs, which changes are of one XA transaction.
    pub sees_xa: bool,
}

/// A consumer of one source.
#[derive(Debug)]
pub struct Consumer {
    /// What is known of it.
    pub profile: Profile,
    command: Command,
    output: PathBuf,
    log: PathBuf,
    process: Option<Process>,
    /// How far its output has been looked through.
    seen: u64,
}

impl Consumer {
    /// Makes one that writes into a folder; it does not run yet.
    pub fn new(profile: Profile, program: &[OsString], dir: &Path, port: u16, gtids: bool) -> Self {
        let (output, log) = (dir.join("changes.jsonl"), dir.join("consumer.log"));
        let mut command = Command::new(&program[0]);
        command.args(&program[1..]).arg(port.to_string()).arg(&output);
        command.arg(if gtids { "gtid" } else { "position" });
        Self { profile, command, output, log, process: None, seen: 0 }
    }

    /// Starts it.
    pub fn start(&mut self) -> Outcome {
        let log = File::options().create(true).append(true).open(&self.log)?;
        self.command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        self.process = Some(Process(self.command.spawn()?));
        Ok(())
    }

    /// Stops it: kills it if it can bear that.
    pub fn stop(&mut self) -> Outcome {
        self.check_alive()?;
        let Some(mut process) = self.process.take() else { return Ok(()) };
        if self.profile.killable {
            process.0.kill()?;
            process.0.wait()?;
            return Ok(());
        }
        command::terminate(process.0.id())?;
        let what = format!("{} stops", self.profile.name);
        until(PATIENCE, &what, || Ok(process.0.try_wait()?.is_some()))
    }

    /// Fails if it has ended by itself.
    pub fn check_alive(&mut self) -> Outcome {
        let ended = self.process.as_mut().map(|process| process.0.try_wait()).transpose()?.flatten();
        check(ended.is_none(), || {
            let log = fs::read(&self.log).unwrap_or_default();
            let tail = String::from_utf8_lossy(&log[log.len().saturating_sub(3000)..]).into_owned();
            format!("{} ended by itself: {ended:?}\n{tail}", self.profile.name)
        })
    }

    /// Whether it has written anything.
    pub fn has_begun(&mut self) -> Outcome<bool> {
        self.check_alive()?;
        Ok(fs::metadata(&self.output).is_ok_and(|it| it.len() > 0))
    }

    /// Waits until it has written a line with some text in it, behind where the last call of this found its line.
    pub fn wait_for(&mut self, text: &str) -> Outcome {
        let what = format!("{} writes {text}", self.profile.name);
        until(PATIENCE, &what, || {
            let Some(found) = self.unseen()?.windows(text.len()).position(|it| it == text.as_bytes()) else {
                return self.check_alive().map(|()| false);
            };
            self.seen += found as u64;
            Ok(true)
        })
    }

    fn unseen(&self) -> Outcome<Vec<u8>> {
        let mut bytes = Vec::new();
        let Ok(mut file) = File::open(&self.output) else { return Ok(bytes) };
        file.seek(SeekFrom::Start(self.seen))?;
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// All that it has written.
    pub fn lines(&self) -> Outcome<Vec<Line>> {
        fs::read_to_string(&self.output)?.lines().map(verdict::parse).collect()
    }
}
