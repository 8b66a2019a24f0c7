//! The servers that take turns.

use std::fs;
use std::path::{Path, PathBuf};

use rig::onelog::{Config, Onelog};
use rig::peer::{How, Kind, Peer};
use rig::sysbench::Sysbench;
use rig::{Outcome, check, command, install, paths, say};

use crate::console::Console;
use crate::counters::Counters;
use crate::plan::Plan;
use crate::slow::SlowSyncs;
use crate::spec::{self, Spec};
use crate::swarm::Swarm;

/// sysbench's script for one row that everybody updates.
const HOT_ROW: &str = include_str!("hot_row.lua");

/// What all servers have in common.
#[derive(Debug)]
pub struct Ground {
    /// Where data and results are.
    pub dir: PathBuf,
    /// The onelog binary.
    binary: PathBuf,
    slow: Option<SlowSyncs>,
    delay_us: u32,
    table_size: u32,
    relaxed: bool,
    clients_max: u32,
}

impl Ground {
    /// Prepares a folder.
    pub fn prepare(plan: &Plan, dir: PathBuf) -> Outcome<Self> {
        fs::write(dir.join("hot_row.lua"), HOT_ROW)?;
        let binary = match &plan.binary {
            Some(path) => fs::canonicalize(path).map_err(|error| format!("{}: {error}", path.display()))?,
            None => paths::binary(&plan.profile)?,
        };
        let slow = (plan.delay_us > 0).then(|| SlowSyncs::build(&dir)).transpose()?;
        let clients_max = plan.threads.iter().copied().max().unwrap_or(0);
        let Plan { delay_us, table_size, relaxed, .. } = *plan;
        Ok(Self { dir, binary, slow, delay_us, table_size, relaxed, clients_max })
    }
}

impl Ground {
    /// The onelog binary.
    pub fn binary(&self) -> &Path {
        &self.binary
    }
}

/// Ends a process whose bench was killed, even one that is suspended; it stays the process that was started.
pub const LEASH: [&str; 3] = ["setpriv", "--pdeathsig", "KILL"];

/// A server that takes part. Ended when this goes out of scope.
#[derive(Debug)]
pub struct Contest {
    /// Who it is.
    pub spec: Spec,
    /// Its version and the settings that matter, as it says.
    pub settings: Vec<String>,
    /// Where its data is.
    dir: PathBuf,
    table_size: u32,
    console: Console,
    server: Server,
}

#[derive(Debug)]
enum Server {
    Onelog(Onelog),
    Peer(Peer),
}

/// What [`Contest::settings`] holds.
pub const SETTINGS: [&str; 5] =
    ["version", "log_bin", "sync_binlog", "innodb_flush_log_at_trx_commit", "max_connections"];

impl Contest {
    /// Starts a server, perhaps in a wrapper, and checks that it is what was asked for.
    pub fn start(spec: &Spec, ground: &Ground, wrapper: &[&str]) -> Outcome<Self> {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
        let dir = ground.dir.join(spec.name.chars().map(plain).collect::<String>());
        fs::create_dir_all(&dir)?;
        let wrapper = &[&LEASH[..], wrapper].concat();
        let options = spec.options(ground.relaxed);
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let server = match spec.server {
            spec::Server::Peer(kind) => peer(kind, &dir, &options, ground, wrapper)?,
            spec::Server::Onelog(_) | spec::Server::OnelogNoBinlog => {
                let mut config = Config::of_binary(&ground.binary, &dir.join("data"), &options)?;
                config.options.push(format!("--onelog-sync-delay-us={}", ground.delay_us));
                config.wrapper = wrapper.iter().map(ToString::to_string).collect();
                Server::Onelog(config.start().map_err(|error| format!("{}: {error}", spec.name))?)
            }
        };
        let mut console = Console::open(port(&server))?;
        console.ask("CREATE USER sbtest@'%'; GRANT ALL ON *.* TO sbtest@'%'; CREATE DATABASE sbtest")?;
        let settings = console.row(&format!("SELECT @@{}", SETTINGS.join(", @@")))?;
        let table_size = ground.table_size;
        let mut contest = Self { spec: spec.clone(), settings, dir, table_size, console, server };
        contest.check(ground)?;
        say(&format!("{}: {}", spec.name, contest.settings.join(", ")));
        Ok(contest)
    }

    fn check(&mut self, ground: &Ground) -> Outcome {
        let name = &self.spec.name;
        if let Some(wanted) = self.spec.strategy() {
            let found = self.console.row("SELECT @@onelog_commit_strategy")?.concat();
            check(found == wanted, || {
                format!("{name}: the strategy is {found}: this binary does not have {wanted}")
            })?;
        }
        let room: u32 = self.settings.last().and_then(|room| room.parse().ok()).unwrap_or(0);
        check(room > ground.clients_max, || format!("{name}: max_connections is {room}"))?;
        match (&ground.slow, &self.server) {
            (Some(slow), Server::Peer(peer)) => slow.check(peer.pid()),
            _ => Ok(()),
        }
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        port(&self.server)
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        match &self.server {
            Server::Onelog(server) => server.pid(),
            Server::Peer(server) => server.pid(),
        }
    }

    /// What it counts about itself; nothing if it is a foreign server.
    pub fn counters(&mut self) -> Outcome<Counters> {
        if self.spec.is_onelog() { Counters::read(&mut self.console) } else { Ok(Counters::default()) }
    }

    /// Transactions that it has committed; of a foreign server, MariaDB, those in its binlog.
    pub fn commits(&mut self) -> Outcome<u64> {
        let name = if self.spec.is_onelog() { "Onelog_commits" } else { "Binlog_commits" };
        let row = self.console.row(&format!("SHOW GLOBAL STATUS LIKE '{name}'"))?;
        Ok(row.get(1).ok_or_else(|| format!("{}: no {name}", self.spec.name))?.parse()?)
    }

    /// Runs statements as root.
    pub fn ask(&mut self, statements: &str) -> Outcome<Vec<Vec<String>>> {
        self.console.ask(statements)
    }

    /// Makes the tables of a script anew.
    pub fn make_tables(&mut self, script: &str) -> Outcome {
        self.console.ask("DROP DATABASE sbtest; CREATE DATABASE sbtest")?;
        self.sysbench(script, 4, 1).prepare()
    }

    /// Removes old binlog files, so that long runs fit on the disk.
    pub fn remove_binlogs(&mut self) -> Outcome {
        let with_binlog = self.settings.get(1).is_some_and(|log_bin| log_bin == "1");
        if with_binlog {
            self.console.ask("FLUSH BINARY LOGS; PURGE BINARY LOGS BEFORE NOW()")?;
        }
        Ok(())
    }

    /// sysbench against it.
    pub fn sysbench(&self, script: &str, threads: u32, seconds: u32) -> Sysbench {
        let script = match script {
            "hot_row" => self.dir.with_file_name("hot_row.lua").display().to_string(),
            script => script.to_owned(),
        };
        Sysbench {
            port: self.port(),
            user: "sbtest".to_owned(),
            script,
            tables: 4,
            table_size: self.table_size,
            threads,
            seconds,
            events: 0,
            ps_mode: "auto",
            rand_type: "uniform",
        }
    }

    /// A swarm against it.
    pub fn swarm(&self, clients: u32, seconds: u32, warm_up: u32) -> Swarm {
        let (port, table_size) = (self.port(), self.table_size);
        Swarm { port, clients, table_size, seconds, warm_up, rate: 0, turn: None }
    }

    /// Stops all its threads until [`Self::resume`]: nothing that it has left to do falls into another's round.
    pub fn suspend(&self) -> Outcome {
        command::suspend(self.pid())
    }

    /// Lets it go on.
    pub fn resume(&self) -> Outcome {
        command::resume(self.pid())
    }

    /// Ends it and removes its data.
    pub fn end(self) -> Outcome {
        let dir = self.dir.clone();
        drop(self);
        Ok(fs::remove_dir_all(dir)?)
    }
}

impl Drop for Contest {
    fn drop(&mut self) {
        // A stopped process does not see that it is asked to end; one that has ended needs nothing.
        let _ = self.resume();
    }
}

fn port(server: &Server) -> u16 {
    match server {
        Server::Onelog(server) => server.port(),
        Server::Peer(server) => server.port,
    }
}

fn peer(kind: Kind, dir: &Path, options: &[&str], ground: &Ground, wrapper: &[&str]) -> Outcome<Server> {
    if kind == Kind::MariaDb118 {
        install::mariadb118()?;
    }
    let slow = ground.slow.as_ref().map(|slow| slow.environment(ground.delay_us));
    let environment = slow
        .as_ref()
        .map_or_else(Vec::new, |pairs| pairs.iter().map(|(name, val)| (*name, &**val)).collect());
    let how = How { environment: &environment, wrapper };
    Ok(Server::Peer(Peer::start_as(kind, dir, options, how)?))
}
