//! `kill -9` under writers.
//!
//! Purpose: every acknowledged commit is there, none half, and engine and binlog hold the same set of transactions.
//! Method: each writer numbers its transactions. Transaction n of a writer inserts (writer, n) into two tables and sets
//! the writer's counter from n - 1 to n, so that any part that is missing shows. The ledger of acknowledged numbers is
//! kept here. After each kill and restart, a writer's counter is what was acknowledged or one more (the commit that was
//! under way), both tables hold 1 to n, and the binlog files, decoded by another project's decoder, hold exactly the
//! same numbers in order. The binlog store of `enhanced` is in redo's files in one part of the run, in files of its own in the
//! next, with a clean stop in between, behind which it begins where the option says.

pub mod decode;
pub mod writers;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use mysql_async::prelude::Queryable;
use rig::onelog::Config;
use rig::random::Random;
use rig::{Outcome, check, paths};

use crate::load::Load;
use crate::{Plan, binlogs, sql};

/// Writers at a time.
pub const WRITERS: usize = 32;

/// Small limits, so that rotations and checkpoints happen all the time; every fifth run is relaxed, where a process
/// that dies loses nothing either. Every run begins with another strategy, of the relaxed ones too, and every second one
/// changes it to `enhanced` and back.
const OPTIONS: [&str; 4] =
    ["--log-bin=binlog", "--max-binlog-size=1M", "--onelog-delta-size=2M", "--max-connections=200"];
const RELAXED: [&str; 2] = ["--sync-binlog=0", "--innodb-flush-log-at-trx-commit=2"];
const STRATEGIES: [&str; 5] = ["in_redo", "group", "enhanced", "serial", "parallel"];
/// Where the binlog store has files of its own, in the data directory.
const STORE: &str = "store";

/// See the module.
pub fn run(plan: &Plan) -> Outcome {
    let dir = paths::fresh("accept/kills")?;
    let (cycles, part): (usize, usize) = if plan.full { (100, 25) } else { (6, 3) };
    let mut random = Random::new(plan.seed);
    println!("seed {}, {cycles} cycles", plan.seed);
    let mut config = Config::new(&dir.join("data"), &OPTIONS)?;
    let server = config.start()?;
    prepare(server.port())?;
    server.stop()?;
    let mut ledger = [0_u64; WRITERS];
    let mut seen = Vec::new();
    let mut total = 0;
    for cycle in 1..=cycles {
        if cycle > 1 && cycle % part == 1 {
            // A store of which recovery needs something goes on where it is; after a clean stop it begins where the option says.
            config.start()?.stop()?;
            toggle_store(&mut config);
        }
        let config = &with_strategy(&config, cycle);
        if cycle % 3 == 0 {
            killed_while_it_starts(config, &mut random)?;
        }
        let server = config.start()?;
        let port = server.port();
        let load = Load::new();
        let clients = Arc::clone(&load);
        let writing = std::thread::spawn(move || writers::write(port, ledger, &clients));
        load.await_begun(WRITERS)?;
        let lives = Duration::from_millis(200 + random.below(1000));
        if cycle % 2 == 0 {
            std::thread::sleep(lives / 2);
            sql::run(port, &["SET GLOBAL onelog_commit_strategy = 'enhanced'"])?;
            std::thread::sleep(lives / 4);
            sql::run(port, &["SET GLOBAL onelog_commit_strategy = 'in_redo'"])?;
            std::thread::sleep(lives / 4);
        } else {
            std::thread::sleep(lives);
        }
        load.expect_end()?;
        server.kill()?;
        let acknowledged = writing.join().map_err(|_| "a writer panicked")??;
        let server = config.start()?;
        let kept = engine(server.port(), &acknowledged)?;
        server.kill()?;
        binlog(&config.datadir, &mut seen, &ledger, &kept)?;
        let done: u64 = kept.iter().sum::<u64>() - ledger.iter().sum::<u64>();
        total += done;
        ledger = kept;
        let has_own_store = config.datadir.join(STORE).exists();
        check(has_own_store || cycle <= part + 1, || format!("there is no binlog store in {STORE}"))?;
    }
    println!(
        "{cycles} kills, {total} transactions in {} binlog files: none lost, none half, both logs agree",
        seen.len()
    );
    config.start()?.stop()?;
    binlogs::verify(&config.datadir)
}

/// The binlog store of `enhanced` has files of its own from here on, or is in redo's again.
fn toggle_store(config: &mut Config) {
    let named = format!("--enhanced-binlog-dir={STORE}");
    let options = config.options.len();
    config.options.retain(|option| *option != named);
    if config.options.len() == options {
        config.options.push(named);
    }
}

/// What a cycle begins with.
fn with_strategy(config: &Config, cycle: usize) -> Config {
    let mut config = config.clone();
    if cycle.is_multiple_of(5) {
        config.options.extend(RELAXED.map(str::to_owned));
    }
    let strategy = STRATEGIES[(cycle + 2 - cycle / 5) % STRATEGIES.len()];
    config.options.push(format!("--onelog-commit-strategy={strategy}"));
    if strategy == "parallel" {
        config.options.push("--sync-binlog=1000".to_owned());
    }
    config
}

/// Makes the tables that they write to.
pub fn prepare(port: u16) -> Outcome {
    sql::run(
        port,
        &[
            "CREATE DATABASE d",
            "CREATE TABLE d.a (writer INT, n BIGINT, pad VARCHAR(200), PRIMARY KEY (writer, n))",
        ],
    )?;
    sql::run(port, &["CREATE TABLE d.b (n BIGINT, writer INT, KEY (n), UNIQUE KEY (writer, n))"])?;
    sql::run(port, &["CREATE TABLE d.c (writer INT PRIMARY KEY, n BIGINT)"])?;
    let rows: Vec<String> = (0..WRITERS).map(|writer| format!("({writer}, 0)")).collect();
    sql::run(port, &[&format!("INSERT INTO d.c VALUES {}", rows.join(", "))])
}

/// Recovery itself is interrupted.
fn killed_while_it_starts(config: &Config, random: &mut Random) -> Outcome {
    let mut process = rig::command::Process(config.command().stderr(std::process::Stdio::null()).spawn()?);
    std::thread::sleep(Duration::from_millis(random.below(60)));
    process.0.kill()?;
    process.0.wait()?;
    Ok(())
}

/// What the engine holds of each writer, checked against what was acknowledged.
pub fn engine(port: u16, acknowledged: &[u64; WRITERS]) -> Outcome<[u64; WRITERS]> {
    sql::block_on(async {
        let mut root = sql::root(port).await?;
        let counters: Vec<(usize, u64)> = root.query("SELECT writer, n FROM d.c ORDER BY writer").await?;
        check(counters.len() == WRITERS, || "counters are missing".to_owned())?;
        let mut kept = [0; WRITERS];
        for (writer, n) in counters {
            let known = acknowledged[writer];
            check(n == known || n == known + 1, || {
                format!("writer {writer}: {known} acknowledged, {n} kept")
            })?;
            kept[writer] = n;
        }
        for table in ["a", "b"] {
            let query = format!("SELECT writer, COUNT(*), MIN(n), MAX(n) FROM d.{table} GROUP BY writer");
            let rows: Vec<(usize, u64, u64, u64)> = root.query(query).await?;
            let mut found = [0; WRITERS];
            for (writer, count, min, max) in rows {
                let whole = min == 1 && max == count;
                check(whole, || format!("table {table}, writer {writer}: {count} rows from {min} to {max}"))?;
                found[writer] = count;
            }
            check(found == kept, || {
                format!("half a transaction: table {table} has {found:?}, counters {kept:?}")
            })?;
        }
        Ok(kept)
    })
}

/// Checks that the files since the last check hold exactly what happened between two states. `seen` are the files
/// checked before that held transactions: recovery may remove one that held none and give its name to the next.
fn binlog(
    datadir: &Path,
    seen: &mut Vec<PathBuf>,
    before: &[u64; WRITERS],
    after: &[u64; WRITERS],
) -> Outcome {
    let files = binlogs::files(datadir)?;
    check(files.starts_with(seen), || format!("binlog files are missing: {files:?}, had {seen:?}"))?;
    let mut reached = *before;
    for file in &files[seen.len()..] {
        let mut holds_any = false;
        decode::each_transaction(file, |rows| {
            let Some((writer, n)) = whole(rows)? else { return Ok(()) };
            let last = reached.get_mut(writer).ok_or("an unknown writer")?;
            check(n == *last + 1, || format!("writer {writer}: {n} after {last}"))?;
            *last = n;
            holds_any = true;
            Ok(())
        })?;
        if holds_any {
            *seen = files[..=files.iter().position(|it| it == file).unwrap_or(0)].to_vec();
        }
    }
    check(reached == *after, || format!("the binlog holds {reached:?}, the engine {after:?}"))
}

/// Writer and number of a transaction, which has exactly its three rows; `None` if it is the one that made the counters.
fn whole(rows: &[decode::Written]) -> Outcome<Option<(usize, u64)>> {
    let mut tables: Vec<&str> = rows.iter().map(|(table, _)| &**table).collect();
    tables.sort_unstable();
    if tables == ["c"; WRITERS] {
        return Ok(None);
    }
    let numbers = |(table, row): &decode::Written| {
        let (writer, n) = if table == "b" { (1, 0) } else { (0, 1) };
        decode::number(row, writer).zip(decode::number(row, n))
    };
    let found: Vec<_> = rows.iter().map(numbers).collect();
    check(tables == ["a", "b", "c"] && found.iter().all(|it| *it == found[0]), || {
        format!("half a transaction: {tables:?}, {found:?}")
    })?;
    let (writer, n) = found[0].ok_or("no numbers")?;
    Ok(Some((usize::try_from(writer)?, n)))
}
