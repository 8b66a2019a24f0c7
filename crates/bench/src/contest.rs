//! The servers that take turns.

use std::fs;
use std::path::Path;

use rig::clients::Vendor;
use rig::onelog::{Config, Onelog};
use rig::peer::Peer;
use rig::sysbench::Sysbench;
use rig::{Outcome, command, paths, say};

use crate::rounds::Rounds;

/// Memory for each server's cache, and what makes a peer as fast as it gets while it is safe.
const PEER_OPTIONS: [&str; 3] = ["--innodb-buffer-pool-size=2G", "--binlog-format=ROW", "--log-bin=binlog"];

/// A server that takes part.
#[derive(Debug)]
pub struct Contest {
    /// As it is called in the results.
    pub name: String,
    server: Server,
}

#[derive(Debug)]
enum Server {
    Onelog(Onelog),
    Peer(Peer),
}

impl Contest {
    /// Starts a server by its name and makes its tables.
    pub fn start(name: &str, rounds: &Rounds, dir: &Path) -> Outcome<Self> {
        let dir = dir.join(name);
        fs::create_dir_all(&dir)?;
        let safety = if rounds.relaxed {
            ["--sync-binlog=1000", "--innodb-flush-log-at-trx-commit=2"]
        } else {
            ["--sync-binlog=1", "--innodb-flush-log-at-trx-commit=1"]
        };
        let server = match name {
            "onelog" => Server::Onelog(onelog(&dir, rounds, &[&["--log-bin=binlog"], &safety[..]].concat())?),
            "onelog-nobin" => Server::Onelog(onelog(&dir, rounds, &["--skip-log-bin", safety[1]])?),
            "mariadb" => {
                peer(Vendor::MariaDb, &dir, &[&safety[..], &["--innodb-log-file-size=2G"]].concat())?
            }
            "mysql" => {
                peer(Vendor::Oracle, &dir, &[&safety[..], &["--innodb-redo-log-capacity=2G"]].concat())?
            }
            _ => return Err(format!("{name} is no server").into()),
        };
        let contest = Self { name: name.to_owned(), server };
        let mut root = Vendor::MariaDb.client()?;
        rig::clients::account(&mut root, "root", "", &rig::clients::Way::Tcp(contest.port()));
        let make = "CREATE USER sbtest@'%'; GRANT ALL ON *.* TO sbtest@'%'; CREATE DATABASE sbtest; SELECT VERSION()";
        let version = command::run(root.args(["--batch", "--skip-column-names", "-e", make]))?;
        say(&format!("{name}: version {}", version.trim()));
        contest.sysbench(rounds, "oltp_write_only", 4).prepare()?;
        Ok(contest)
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        match &self.server {
            Server::Onelog(server) => server.port(),
            Server::Peer(server) => server.port,
        }
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        match &self.server {
            Server::Onelog(server) => server.pid(),
            Server::Peer(server) => server.pid(),
        }
    }

    /// sysbench against it, with the warm-up in its time.
    pub fn sysbench(&self, rounds: &Rounds, script: &str, threads: u32) -> Sysbench {
        Sysbench {
            port: self.port(),
            user: "sbtest".to_owned(),
            script: script.to_owned(),
            tables: 4,
            table_size: rounds.table_size,
            threads,
            seconds: rounds.seconds + rounds.warm_up,
            events: 0,
            ps_mode: "auto",
            rand_type: "uniform",
        }
    }
}

fn onelog(dir: &Path, rounds: &Rounds, options: &[&str]) -> Outcome<Onelog> {
    let mut config = Config::new(&dir.join("data"), options)?;
    config.binary = paths::binary(&rounds.profile)?;
    config.options.push("--max-connections=5000".to_owned());
    config.start()
}

fn peer(vendor: Vendor, dir: &Path, options: &[&str]) -> Outcome<Server> {
    Ok(Server::Peer(Peer::start(vendor, dir, &[&PEER_OPTIONS[..], options].concat())?))
}
