//! What is measured: the command line, read.

use std::path::PathBuf;

use rig::{Outcome, check};

use crate::spec::{self, Spec};
use crate::swarm;

/// Clients of a server, of which some more may be let in.
const CLIENTS_MAX: u32 = 4900;

/// What `--help` says.
pub const HELP: &str = "\
bench [speed|turns|syncs|large|dumps|apply|semi_sync] [OPTION...]

speed (the default) lets servers take turns and reports throughput, latency, CPU and flushes.
turns compares onelog's servers where a machine's speed changes within seconds: all run at once, in turns of 400 ms.
turns --swarm compares numbers of clients at each of onelog's servers: all are connected to it, in turns of 400 ms.
syncs counts the log syncs of each server from outside, with strace, and sets them against its own counters.
large times small updates beside the commit of one transaction of 50 MiB of events.
dumps times updates at a fixed rate beside 200 connections that follow the binlog.
apply times onelog and MariaDB as replicas of a MariaDB source that apply its backlog.
semi_sync sets a source whose commits wait for a MariaDB replica beside one whose commits do not, in turns as well.
docs/BENCHMARKS.md says how and why.

  --servers LIST      not of apply; who takes part (speed: onelog,mariadb,mysql; turns: onelog-in_redo,
                      onelog-enhanced,onelog-nobin, and none but onelog; syncs: strategies; large: strategies,
                      mariadb,mysql; dumps: onelog; semi_sync: onelog,mariadb, and no mysql), of
                        onelog                  with the strategy that it has unasked
                        onelog-STRATEGY         serial, group, parallel, in_redo, enhanced
                        strategies              all five
                        onelog-nobin            without a binary log
                        mariadb, mysql          10.11, 9.7
                        mariadb118              11.8
                      and each with more options: onelog-group:sync_binlog=0, mysql:skip-log-bin
  --scripts LIST      not of large, dumps; sysbench's, or hot_row: all clients update one row (speed, turns:
                      oltp_update_non_index,oltp_insert,oltp_write_only; syncs, semi_sync: oltp_update_non_index)
  --swarm             one thread waits for all clients, in place of sysbench: oltp_update_non_index only; speed and turns
                      only
  --threads LIST      clients, up to 4900 (speed, turns: 1,8,32,128,512; syncs: 1,32,256; large, dumps: 16; apply: 32;
                      semi_sync: 64)
  --rounds N          of each server at each point (default: 3); not of syncs
  --seconds N         of a round, warm-up apart (default: 6; turns, semi_sync and dumps: 12); not of large
  --warm-up N         seconds, at least 1 (default: 1); speed, turns, semi_sync and dumps only
  --size N            rows of each of the 4 tables (default: 100000)
  --ratios LIST       columns A/B+C: transactions a second of A against the best of B and C
                      (default: the first server against the best other; turns: each against the last); speed and
                      turns only
  --relaxed           sync_binlog=1000, innodb_flush_log_at_trx_commit=2
  --sync-delay-us N   every sync of every server takes so much longer
  --binary PATH       of onelog; then nothing is built
  --profile NAME      of the onelog binary, if no path is given (default: dist)
  --label NAME        results lie in target/bench-NAME, not in target/bench

Results: target/bench/result.md; of speed also result.tsv (medians), result.svg, rounds.tsv (each round), status.tsv
(onelog's own counters before and after each round); of syncs also syncs.tsv.
";

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Servers take turns of seconds.
    Speed,
    /// Of a fraction of a second.
    Turns,
    /// Syncs are counted.
    Syncs,
    /// A large transaction commits beside small ones.
    Large,
    /// Hundreds follow the binlog.
    Dumps,
    /// Replicas apply a backlog.
    Apply,
    /// Commits wait for a replica.
    SemiSync,
}

/// What is measured, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What is done.
    pub mode: Mode,
    /// Who takes part.
    pub servers: Vec<Spec>,
    /// sysbench's scripts.
    pub scripts: Vec<String>,
    /// Clients are a swarm, not sysbench.
    pub swarm: bool,
    /// Numbers of clients.
    pub threads: Vec<u32>,
    /// Rounds of each server at each point.
    pub repeat: u32,
    /// Seconds of a round.
    pub seconds: u32,
    /// Seconds before that.
    pub warm_up: u32,
    /// Rows of each table.
    pub table_size: u32,
    /// Columns of ratios.
    pub ratios: Vec<Ratio>,
    /// Whether commits may be lost at a power loss.
    pub relaxed: bool,
    /// Microseconds that each sync takes longer.
    pub delay_us: u32,
    /// The onelog binary, if not the one that was built.
    pub binary: Option<PathBuf>,
    /// The profile that it was built with.
    pub profile: String,
    /// Name of the folder below the target folder.
    pub folder: String,
}

/// One server against the best of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// The one.
    pub of: String,
    /// The others.
    pub to: Vec<String>,
}

impl Plan {
    /// Reads the arguments; None where help was asked for.
    pub fn read(arguments: &[String]) -> Outcome<Option<Self>> {
        let (mode, arguments) = match arguments.split_first() {
            Some((word, rest)) if word == "speed" => (Mode::Speed, rest),
            Some((word, rest)) if word == "turns" => (Mode::Turns, rest),
            Some((word, rest)) if word == "syncs" => (Mode::Syncs, rest),
            Some((word, rest)) if word == "large" => (Mode::Large, rest),
            Some((word, rest)) if word == "dumps" => (Mode::Dumps, rest),
            Some((word, rest)) if word == "apply" => (Mode::Apply, rest),
            Some((word, rest)) if word == "semi_sync" => (Mode::SemiSync, rest),
            _ => (Mode::Speed, arguments),
        };
        let mut plan = Self::of(mode)?;
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match &**argument {
                "--help" => return Ok(None),
                "--relaxed" => plan.relaxed = true,
                "--swarm" => plan.swarm = true,
                option => {
                    let val = arguments.next().ok_or_else(|| format!("{option} needs a value"))?;
                    plan.set(option, val).map_err(|error| format!("{option} {val}: {error}"))?;
                }
            }
        }
        plan.check()?;
        Ok(Some(plan))
    }

    fn of(mode: Mode) -> Outcome<Self> {
        let writes = &["oltp_update_non_index", "oltp_insert", "oltp_write_only"][..];
        let (servers, scripts, threads) = match mode {
            Mode::Speed => ("onelog,mariadb,mysql", writes, vec![1, 8, 32, 128, 512]),
            Mode::Turns => ("onelog-in_redo,onelog-enhanced,onelog-nobin", writes, vec![1, 8, 32, 128, 512]),
            Mode::Syncs => ("strategies", &[swarm::SCRIPT][..], vec![1, 32, 256]),
            Mode::Large => ("strategies,mariadb,mysql", &[swarm::SCRIPT][..], vec![16]),
            Mode::Dumps => ("onelog", &[swarm::SCRIPT][..], vec![16]),
            Mode::Apply => ("onelog,mariadb", &["oltp_update_non_index", "oltp_write_only"][..], vec![32]),
            Mode::SemiSync => ("onelog,mariadb", &[swarm::SCRIPT][..], vec![64]),
        };
        Ok(Self {
            mode,
            servers: spec::list(servers)?,
            scripts: scripts.iter().map(ToString::to_string).collect(),
            swarm: false,
            threads,
            repeat: 3,
            // Checkpoints come every few seconds, and no round should have more of them than another.
            seconds: if matches!(mode, Mode::Turns | Mode::SemiSync | Mode::Dumps) { 12 } else { 6 },
            warm_up: 1,
            table_size: 100_000,
            ratios: Vec::new(),
            relaxed: false,
            delay_us: 0,
            binary: None,
            profile: "dist".to_owned(),
            folder: "bench".to_owned(),
        })
    }

    fn set(&mut self, option: &str, val: &str) -> Outcome {
        match option {
            "--servers" => self.servers = spec::list(val)?,
            "--scripts" => self.scripts = val.split(',').map(str::to_owned).collect(),
            "--threads" => self.threads = val.split(',').map(str::parse).collect::<Result<_, _>>()?,
            "--rounds" => self.repeat = val.parse()?,
            "--seconds" => self.seconds = val.parse()?,
            "--warm-up" => self.warm_up = val.parse()?,
            "--size" => self.table_size = val.parse()?,
            "--ratios" => self.ratios = val.split(',').map(ratio).collect::<Outcome<_>>()?,
            "--sync-delay-us" => self.delay_us = val.parse()?,
            "--binary" => self.binary = Some(val.into()),
            "--profile" => val.clone_into(&mut self.profile),
            "--label" => {
                check(val.chars().all(|it| it.is_ascii_alphanumeric() || "-_.".contains(it)), || {
                    "letters, digits, - _ . only".to_owned()
                })?;
                self.folder = format!("bench-{val}");
            }
            _ => return Err("unknown; --help says what is known".into()),
        }
        Ok(())
    }

    /// Fails where the parts do not fit; completes ratios.
    fn check(&mut self) -> Outcome {
        let least = [self.repeat, self.seconds, self.warm_up, self.table_size]
            .into_iter()
            .chain(self.threads.clone());
        check(least.min() > Some(0), || {
            "rounds, seconds, warm-up, size and threads are at least 1".to_owned()
        })?;
        check(self.threads.iter().all(|threads| *threads <= CLIENTS_MAX), || {
            format!("at most {CLIENTS_MAX} threads")
        })?;
        if self.swarm {
            check(
                matches!(self.mode, Mode::Speed | Mode::Turns)
                    && self.scripts.iter().all(|script| script == swarm::SCRIPT),
                || format!("--swarm goes with speed, turns and {} only", swarm::SCRIPT),
            )?;
            let all: u32 = self.threads.iter().sum();
            check(self.mode != Mode::Turns || all <= CLIENTS_MAX, || {
                format!("at most {CLIENTS_MAX} clients, all together")
            })?;
        }
        check(self.mode != Mode::Turns || self.servers.iter().all(Spec::is_onelog), || {
            "turns compares onelog's own servers only".to_owned()
        })?;
        let names: Vec<&str> = self.servers.iter().map(|spec| &*spec.name).collect();
        for ratio in &self.ratios {
            let unknown = ratio.to.iter().chain([&ratio.of]).find(|name| !names.contains(&&***name));
            check(unknown.is_none(), || {
                format!("{} in --ratios does not take part", unknown.map_or("", |it| it))
            })?;
        }
        if self.ratios.is_empty() {
            self.ratios = ratios_unasked(self.mode, &names);
        }
        Ok(())
    }

    /// Settings in words.
    pub fn safety(&self) -> String {
        let mut safety = if self.relaxed {
            "`sync_binlog=1000`, `innodb_flush_log_at_trx_commit=2`"
        } else {
            "`sync_binlog=1`, `innodb_flush_log_at_trx_commit=1`"
        }
        .to_owned();
        if self.delay_us > 0 {
            safety.push_str("; each sync takes ");
            safety.push_str(&self.delay_us.to_string());
            safety.push_str(" us longer");
        }
        safety
    }
}

fn ratios_unasked(mode: Mode, names: &[&str]) -> Vec<Ratio> {
    let ratio =
        |of: &str, to: &[&str]| Ratio { of: of.to_owned(), to: to.iter().map(ToString::to_string).collect() };
    match (mode, names) {
        (Mode::Turns, [others @ .., last]) => others.iter().map(|name| ratio(name, &[last])).collect(),
        (_, [first, others @ ..]) if !others.is_empty() => vec![ratio(first, others)],
        _ => Vec::new(),
    }
}

fn ratio(text: &str) -> Outcome<Ratio> {
    let (of, to) = text.split_once('/').ok_or("a ratio is A/B or A/B+C")?;
    Ok(Ratio { of: of.to_owned(), to: to.split('+').map(str::to_owned).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(line: &str) -> Outcome<Option<Plan>> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Plan::read(&words)
    }

    #[test]
    fn a_command_line_is_read() {
        let line = "--servers onelog-group,mysql,mariadb --threads 1,4096 --rounds 5 --sync-delay-us 1000 --relaxed \
                    --ratios onelog-group/mysql+mariadb,mysql/mariadb --label slow --binary /a/b";
        let plan = plan(line).unwrap().unwrap();
        assert_eq!((plan.mode, plan.repeat, plan.delay_us, plan.relaxed), (Mode::Speed, 5, 1000, true));
        assert_eq!((&plan.threads[..], &*plan.folder), (&[1, 4096][..], "bench-slow"));
        assert_eq!(plan.ratios[0].to, ["mysql", "mariadb"]);
        assert_eq!(plan.ratios[1], Ratio { of: "mysql".to_owned(), to: vec!["mariadb".to_owned()] });
        assert!(plan.safety().contains("=1000`") && plan.safety().contains("1000 us longer"));
    }

    #[test]
    fn modes_have_defaults_of_their_own() {
        let speed = plan("").unwrap().unwrap();
        assert_eq!((speed.mode, speed.servers.len()), (Mode::Speed, 3));
        assert_eq!(speed.ratios, [Ratio { of: "onelog".into(), to: vec!["mariadb".into(), "mysql".into()] }]);
        let turns = plan("turns").unwrap().unwrap();
        let to = vec!["onelog-nobin".to_owned()];
        let of = |name: &str| Ratio { of: name.to_owned(), to: to.clone() };
        assert_eq!(
            (turns.mode, turns.ratios),
            (Mode::Turns, vec![of("onelog-in_redo"), of("onelog-enhanced")])
        );
        let syncs = plan("syncs --seconds 2").unwrap().unwrap();
        assert_eq!(
            (syncs.mode, syncs.servers.len(), &syncs.threads[..]),
            (Mode::Syncs, 5, &[1, 32, 256][..])
        );
        assert!(plan("syncs --help").unwrap().is_none());
    }

    #[test]
    fn mistakes_are_refused() {
        for line in [
            "--servers onelog-quick",
            "--threads 1,x",
            "--threads 5000",
            "--threads 0",
            "--warm-up 0",
            "--rounds",
            "--speed 3",
            "--label a/b",
            "--ratios mysql",
            "--ratios mysql/onelog-nobin",
            "--swarm",
            "turns --swarm --scripts oltp_update_non_index --threads 1000,4000",
            "turns --servers onelog,mysql",
            "faster",
        ] {
            assert!(plan(line).is_err(), "{line}");
        }
    }
}
