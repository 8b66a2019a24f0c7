//! The server whose changes are followed: onelog, or MySQL to tell whose mistake something is.

use std::path::{Path, PathBuf};

use rig::Outcome;
use rig::clients::Vendor;
use rig::onelog::{Config, Onelog};
use rig::peer::Peer;

/// Which server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// The server under test.
    #[default]
    Onelog,
    /// MySQL 9.7.
    Mysql97,
}

impl Kind {
    /// By the name that the command line has.
    pub fn named(name: &str) -> Outcome<Self> {
        match name {
            "onelog" => Ok(Self::Onelog),
            "mysql97" => Ok(Self::Mysql97),
            _ => Err(format!("{name:?} is no source: onelog or mysql97").into()),
        }
    }
}

/// Row images with the names of columns, and files so small that there are many.
const OPTIONS: [&str; 4] =
    ["--log-bin=binlog", "--binlog-row-metadata=FULL", "--server-id=7", "--max-binlog-size=4M"];
const GTIDS: [&str; 2] = ["--gtid-mode=ON", "--enforce-gtid-consistency=ON"];

/// A source that can be killed and started again.
#[derive(Debug)]
pub struct Source {
    options: Vec<&'static str>,
    server: Server,
    /// Its port on 127.0.0.1; `root` has no password.
    pub port: u16,
}

#[derive(Debug)]
enum Server {
    Onelog { config: Config, running: Option<Onelog> },
    Mysql { dir: PathBuf, running: Option<Peer> },
}

impl Source {
    /// Starts one with a data directory of its own in an empty folder.
    pub fn start(kind: Kind, dir: &Path, gtids: bool) -> Outcome<Self> {
        let mut options = OPTIONS.to_vec();
        if gtids {
            options.extend(GTIDS);
        }
        let (server, port) = match kind {
            Kind::Onelog => {
                let config = Config::new(&dir.join("data"), &options)?;
                let running = config.start()?;
                let port = running.port();
                (Server::Onelog { config, running: Some(running) }, port)
            }
            Kind::Mysql97 => {
                let running = Peer::start(Vendor::Oracle, dir, &options)?;
                let port = running.port;
                (Server::Mysql { dir: dir.to_owned(), running: Some(running) }, port)
            }
        };
        Ok(Self { options, server, port })
    }

    /// Where its binlog files are.
    pub fn datadir(&self) -> PathBuf {
        match &self.server {
            Server::Onelog { config, .. } => config.datadir.clone(),
            Server::Mysql { dir, .. } => dir.join("data"),
        }
    }

    /// `kill -9`.
    pub fn kill(&mut self) -> Outcome {
        match &mut self.server {
            Server::Onelog { running, .. } => running.take().map_or(Ok(()), Onelog::kill),
            Server::Mysql { running, .. } => running.take().map_or(Ok(()), Peer::kill),
        }
    }

    /// Starts it again where it was.
    pub fn start_again(&mut self) -> Outcome {
        match &mut self.server {
            Server::Onelog { config, running } => *running = Some(config.start()?),
            Server::Mysql { dir, running } => {
                *running = Some(Peer::start_again(Vendor::Oracle, dir, self.port, &self.options)?);
            }
        }
        Ok(())
    }

    /// Stops it; onelog must not have complained of anything.
    pub fn stop(mut self) -> Outcome {
        match &mut self.server {
            Server::Onelog { running, .. } => running.take().map_or(Ok(()), Onelog::stop),
            Server::Mysql { running, .. } => {
                *running = None;
                Ok(())
            }
        }
    }
}
