//! The binlog files: read and verified by both readers, replayed into both servers and into onelog, with equal tables at the end.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rig::clients::{VENDORS, Vendor};
use rig::onelog::Config;
use rig::peer::Peer;
use rig::sysbench::Sysbench;
use rig::{Outcome, check, command, paths};

use crate::{Plan, contents, sql};

/// Small, so that there are many files.
const MAX_BINLOG_SIZE: &str = "--max-binlog-size=1M";
/// 512 clients that prepare nine statements for each of four tables pass the default.
pub const MAX_STATEMENTS: &str = "--max-prepared-stmt-count=1048576";
const DATABASES: [&str; 3] = ["sbtest", "types", "relations"];
const WRITERS: [&str; 5] =
    ["oltp_read_write", "oltp_update_index", "oltp_insert", "oltp_delete", "oltp_write_only"];

/// See the module.
pub fn run(plan: &Plan) -> Outcome {
    let dir = paths::fresh("accept/binlogs")?;
    let options = ["--log-bin=binlog", "--max-connections=1000", MAX_STATEMENTS, MAX_BINLOG_SIZE];
    let config = Config::new(&dir.join("data"), &options)?;
    let server = config.start()?;
    let port = server.port();
    sql::run(port, &["CREATE DATABASE sbtest"])?;
    load(port, "types")?;
    load(port, "relations")?;
    let mut bench = Sysbench {
        table_size: if plan.full { 100_000 } else { 1_000 },
        threads: if plan.full { 512 } else { 16 },
        seconds: if plan.full { 5 } else { 1 },
        events: if plan.full { 0 } else { 1_000 },
        ..Sysbench::on(port, WRITERS[0])
    };
    bench.prepare()?;
    for script in WRITERS {
        script.clone_into(&mut bench.script);
        bench.run()?;
    }
    let before = DATABASES.iter().map(|name| contents::of(port, name)).collect::<Outcome<Vec<_>>>()?;
    server.stop()?;
    verify(&config.datadir)?;
    for vendor in VENDORS {
        let peer_dir = dir.join(format!("{vendor:?}"));
        fs::create_dir_all(&peer_dir)?;
        let peer = Peer::start(vendor, &peer_dir, &["--skip-log-bin", "--innodb-flush-log-at-trx-commit=0"])?;
        replay(vendor, &config.datadir, peer.port, &format!("{vendor:?}"), &before)?;
    }
    // MariaDB's reader sets variables that no MySQL has.
    let again = Config::new(&dir.join("again"), &["--skip-log-bin"])?.start()?;
    replay(Vendor::Oracle, &config.datadir, again.port(), "onelog", &before)?;
    again.stop()
}

/// Replays the files into another server, which has the same tables then.
fn replay(
    vendor: Vendor,
    datadir: &Path,
    port: u16,
    what: &str,
    before: &[BTreeMap<String, contents::Table>],
) -> Outcome {
    let mut reader = vendor.binlog()?;
    reader.arg("--verify-binlog-checksum").args(files(datadir)?);
    command::pipe(&mut reader, vendor.root(port)?.arg("--binary-mode"))?;
    for (database, expected) in DATABASES.iter().zip(before) {
        let found = contents::of(port, database)?;
        contents::check_equal(&format!("{database} replayed into {what}"), expected, &found)?;
    }
    Ok(())
}

/// Has the client run a file of `crates/accept/sql` in a new database of its name.
pub fn load(port: u16, name: &str) -> Outcome {
    sql::run(port, &[&format!("CREATE DATABASE {name}")])?;
    let script = paths::root().join("crates/accept/sql").join(name).with_extension("sql");
    let mut client = Vendor::MariaDb.root(port)?;
    client.args(["--default-character-set=utf8mb4", name]);
    command::run_on(&mut client, &script).map(drop)
}

/// Has every file of a server that was stopped read with `-v --verify-binlog-checksum`: no error, no warning.
pub fn verify(datadir: &Path) -> Outcome {
    let files = files(datadir)?;
    for vendor in VENDORS {
        for file in &files {
            let said =
                command::run_silent(vendor.binlog()?.args(["-v", "--verify-binlog-checksum"]).arg(file))?;
            let odd = said.lines().find(|line| line.contains("WARNING") || line.contains("ERROR"));
            check(odd.is_none(), || format!("{}: {odd:?}", file.display()))?;
            check(said.contains("end_log_pos"), || format!("{}: nothing in it", file.display()))?;
        }
    }
    println!("{} binlog files verified by both readers", files.len());
    Ok(())
}

/// The files of the log `binlog` in a data directory, as its index lists them.
pub fn files(datadir: &Path) -> Outcome<Vec<PathBuf>> {
    let index = fs::read_to_string(datadir.join("binlog.index"))?;
    Ok(index.lines().map(|line| datadir.join(line.trim_start_matches("./"))).collect())
}
