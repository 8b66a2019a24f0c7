//! Foreign command-line clients, as commands that only need their last arguments.

use std::path::Path;
use std::process::Command;

use crate::{Outcome, install};

/// Whose programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vendor {
    /// `mariadb`, `mariadb-dump`, `mariadb-binlog`.
    MariaDb,
    /// Oracle's `mysql`, `mysqldump`, `mysqlbinlog`.
    Oracle,
}

/// Both.
pub const VENDORS: [Vendor; 2] = [Vendor::MariaDb, Vendor::Oracle];

/// How a client reaches a server.
#[derive(Clone, Debug)]
pub enum Way<'a> {
    /// TCP on 127.0.0.1.
    Tcp(u16),
    /// The local socket.
    Socket(&'a Path),
}

impl Vendor {
    /// The command-line client, without an account and a way.
    pub fn client(self) -> Outcome<Command> {
        match self {
            Self::MariaDb => Ok(defaults(Command::new("mariadb"))),
            Self::Oracle => Ok(plugins(oracle("mysql")?)),
        }
    }

    /// The command-line client as root over TCP.
    pub fn root(self, port: u16) -> Outcome<Command> {
        let mut client = self.client()?;
        account(&mut client, "root", "", &Way::Tcp(port));
        Ok(client)
    }

    /// The dump program as root over TCP.
    pub fn dump(self, port: u16) -> Outcome<Command> {
        let mut dump = match self {
            Self::MariaDb => defaults(Command::new("mariadb-dump")),
            Self::Oracle => plugins(oracle("mysqldump")?),
        };
        account(&mut dump, "root", "", &Way::Tcp(port));
        Ok(dump)
    }

    /// The binlog reader.
    pub fn binlog(self) -> Outcome<Command> {
        match self {
            Self::MariaDb => Ok(defaults(Command::new("mariadb-binlog"))),
            Self::Oracle => oracle("mysqlbinlog"),
        }
    }
}

/// Adds an account and a way to a client's command line.
pub fn account(client: &mut Command, user: &str, password: &str, way: &Way<'_>) {
    client.arg(format!("--user={user}"));
    if !password.is_empty() {
        // Not on the command line: Oracle's clients warn about that.
        client.env("MYSQL_PWD", password);
    }
    match way {
        Way::Tcp(port) => client.args(["--protocol=tcp", "--host=127.0.0.1"]).arg(format!("--port={port}")),
        Way::Socket(path) => client.arg("--protocol=socket").arg(format!("--socket={}", path.display())),
    };
}

/// A program of Oracle's, run from its root directory with its own libraries.
pub fn oracle(program: &str) -> Outcome<Command> {
    let dir = if program == "mysqld" { "usr/sbin" } else { "usr/bin" };
    loaded(&install::oracle_root()?.join(dir).join(program))
}

/// A program of the root directory of Debian's unstable suite, run with that suite's loader and libraries.
pub fn loaded(program: &Path) -> Outcome<Command> {
    let root = install::oracle_root()?;
    let mut command = Command::new(root.join("usr/lib64/ld-linux-x86-64.so.2"));
    command.arg("--library-path").arg(root.join("usr/lib/x86_64-linux-gnu"));
    command.arg(program);
    Ok(defaults(command))
}

fn defaults(mut command: Command) -> Command {
    command.arg("--no-defaults");
    command
}

fn plugins(mut command: Command) -> Command {
    if let Ok(root) = install::oracle_root() {
        command.arg(format!("--plugin-dir={}", root.join("usr/lib/mysql/plugin").display()));
    }
    command
}
