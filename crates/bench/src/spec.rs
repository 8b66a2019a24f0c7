//! Who takes part, by name.

use rig::Outcome;
use rig::peer::Kind;

/// The strategies, in the order of their history.
pub const STRATEGIES: [&str; 5] = ["serial", "group", "parallel", "in_redo", "enhanced"];

/// One who takes part: a server and more options for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// As it was asked for, which is how it is called in the results.
    pub name: String,
    /// The server.
    pub server: Server,
    /// Options of its own, after all others.
    pub more: Vec<String>,
}

/// A server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Server {
    /// onelog with the strategy that it has unasked, or with a given one.
    Onelog(Option<&'static str>),
    /// onelog without a binary log.
    OnelogNoBinlog,
    /// A foreign one.
    Peer(Kind),
}

/// Reads a list of names; `strategies` stands for onelog with each of the five.
pub fn list(names: &str) -> Outcome<Vec<Spec>> {
    let mut specs = Vec::new();
    for name in names.split(',') {
        if name == "strategies" {
            for strategy in STRATEGIES {
                specs.push(one(&format!("onelog-{strategy}"))?);
            }
        } else {
            specs.push(one(name)?);
        }
    }
    for (number, spec) in specs.iter().enumerate() {
        if specs[..number].contains(spec) {
            return Err(format!("{} stands twice in the list of servers", spec.name).into());
        }
    }
    Ok(specs)
}

/// Reads `NAME[:OPTION=VAL]..`.
fn one(name: &str) -> Outcome<Spec> {
    let mut parts = name.split(':');
    let server = match parts.next().unwrap_or_default() {
        "onelog" => Server::Onelog(None),
        "onelog-nobin" => Server::OnelogNoBinlog,
        "mariadb" => Server::Peer(Kind::MariaDb),
        "mariadb118" => Server::Peer(Kind::MariaDb118),
        "mysql" => Server::Peer(Kind::Oracle),
        other => {
            let strategy = other
                .strip_prefix("onelog-")
                .and_then(|asked| STRATEGIES.into_iter().find(|strategy| *strategy == asked));
            Server::Onelog(Some(strategy.ok_or_else(|| format!("{other} is no server: see --help"))?))
        }
    };
    let more = parts.map(|option| format!("--{}", option.trim_start_matches('-'))).collect();
    Ok(Spec { name: name.to_owned(), server, more })
}

impl Spec {
    /// What decides how safe a commit is, then the server's own options. `parallel` refuses `sync_binlog=1`.
    pub fn options(&self, relaxed: bool) -> Vec<String> {
        let (mut sync_binlog, trx_commit) = if relaxed { (1000, 2) } else { (1, 1) };
        if self.server == Server::Onelog(Some("parallel")) {
            sync_binlog = 1000;
        }
        let mut options = vec![
            format!("--sync-binlog={sync_binlog}"),
            format!("--innodb-flush-log-at-trx-commit={trx_commit}"),
            "--max-connections=5000".to_owned(),
            // A client of a script with 4 tables prepares up to 24.
            "--max-prepared-stmt-count=1000000".to_owned(),
        ];
        let log_bin =
            if self.server == Server::OnelogNoBinlog { "--skip-log-bin" } else { "--log-bin=binlog" };
        options.push(log_bin.to_owned());
        match self.server {
            Server::Onelog(Some(strategy)) => options.push(format!("--onelog-commit-strategy={strategy}")),
            Server::Onelog(None) | Server::OnelogNoBinlog => {}
            Server::Peer(kind) => {
                options.extend(["--innodb-buffer-pool-size=2G".to_owned(), "--binlog-format=ROW".to_owned()]);
                options.push(
                    match kind {
                        Kind::Oracle => "--innodb-redo-log-capacity=2G",
                        Kind::MariaDb | Kind::MariaDb118 => "--innodb-log-file-size=2G",
                    }
                    .to_owned(),
                );
                if kind == Kind::MariaDb118 {
                    // Otherwise PURGE BINARY LOGS waits for a replica.
                    options.push("--slave-connections-needed-for-purge=0".to_owned());
                }
            }
        }
        options.extend(self.more.iter().cloned());
        options
    }

    /// The strategy that must run once the server has started.
    pub fn strategy(&self) -> Option<&'static str> {
        match self.server {
            Server::Onelog(strategy) => strategy,
            Server::OnelogNoBinlog => Some("none"),
            Server::Peer(_) => None,
        }
    }

    /// Whether it is onelog.
    pub fn is_onelog(&self) -> bool {
        !matches!(self.server, Server::Peer(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_their_options_are_read() {
        let specs = list("strategies,onelog-nobin,mysql,onelog-group:sync_binlog=0:x=y").unwrap();
        let names: Vec<_> = specs.iter().map(|spec| &*spec.name).collect();
        assert_eq!(names[..2], ["onelog-serial", "onelog-group"]);
        assert_eq!(specs.len(), 8);
        assert_eq!(specs[3].server, Server::Onelog(Some("in_redo")));
        assert_eq!(specs[6].server, Server::Peer(Kind::Oracle));
        assert_eq!(specs[7].more, ["--sync_binlog=0", "--x=y"]);
        assert_eq!(specs[7].options(false).last().unwrap(), "--x=y");
    }

    #[test]
    fn names_that_mean_nothing_are_refused() {
        assert!(list("onelog-fast").is_err() && list("oracle").is_err() && list("").is_err());
        assert!(list("mysql,mysql").is_err());
    }

    #[test]
    fn settings_follow_the_strategy() {
        let options = |name: &str, relaxed| one(name).unwrap().options(relaxed).join(" ");
        assert!(options("onelog-group", false).contains("--sync-binlog=1 "));
        assert!(
            options("onelog-group", true).contains("--sync-binlog=1000 --innodb-flush-log-at-trx-commit=2")
        );
        let parallel = options("onelog-parallel", false);
        assert!(parallel.contains("--sync-binlog=1000 --innodb-flush-log-at-trx-commit=1"));
        assert!(options("onelog-nobin", false).contains("--skip-log-bin"));
        assert_eq!(one("onelog-nobin").unwrap().strategy(), Some("none"));
    }
}
