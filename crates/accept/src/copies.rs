//! A replica that begins with a copy of the data.
//!
//! Purpose: what dump programs write beside the data, a position or GTIDs, is exactly the place that the data is of.
//! Method: sysbench writes to a source while `mariadb-dump --master-data` or `mysqldump --set-gtid-purged` copies it; the
//! copy is loaded elsewhere, which then follows the source. Of four pairs onelog is the source of two and the replica of
//! two. A transaction that the copy has and the stream repeats, or that neither has, ends replication with an error or
//! leaves other rows.

use std::fs::File;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rig::clients::Vendor;
use rig::command::Process;
use rig::onelog::Config;
use rig::peer::Peer;
use rig::sysbench::Sysbench;
use rig::{Outcome, check, command, paths, until};

use crate::follows::{self, Way};
use crate::{Plan, contents, replicas, sql};

/// How long sysbench may take to write once.
const PATIENCE: Duration = Duration::from_secs(30);

const GTIDS: [&str; 2] = ["--gtid-mode=ON", "--enforce-gtid-consistency=ON"];

/// See the module.
pub fn run(plan: &Plan) -> Outcome {
    let dir = paths::fresh("accept/copies")?;
    for vendor in [Vendor::MariaDb, Vendor::Oracle] {
        let dir = dir.join(format!("to_{vendor:?}"));
        std::fs::create_dir_all(&dir)?;
        let config = Config::new(&dir.join("source"), &[&["--log-bin=binlog"][..], &GTIDS].concat())?;
        let server = config.start()?;
        let port = server.port();
        sql::run(port, &replicas::ACCOUNT)?;
        let replica = to_peer(plan, vendor, port, &config.datadir.join("ca.pem"), &dir)?;
        replicas::await_equal(&replica, port, &["sbtest"])?;
        server.stop()?;
    }
    for way in [follows::WAYS[0], follows::WAYS[2]] {
        let dir = dir.join(format!("from_{:?}", way.vendor));
        std::fs::create_dir_all(&dir)?;
        let options = if way.by_gtid { &GTIDS[..] } else { &[] };
        let source = Peer::start(
            way.vendor,
            &dir,
            &[&["--log-bin=binlog", "--binlog-format=ROW"][..], options].concat(),
        )?;
        sql::run(
            source.port,
            &["CREATE USER repl IDENTIFIED BY 'secret'", "GRANT REPLICATION SLAVE ON *.* TO repl"],
        )?;
        let replica =
            Config::new(&dir.join("replica"), &[&["--server-id=3"][..], options].concat())?.start()?;
        from_peer(plan, way, source.port, replica.port(), &dir)?;
        follows::catch_up(source.port, replica.port(), way)?;
        let (expected, found) =
            (contents::of(source.port, "sbtest")?, contents::of(replica.port(), "sbtest")?);
        contents::check_equal(&format!("a copy of {}", way.name), &expected, &found)?;
        replica.stop()?;
    }
    Ok(())
}

/// Copies onelog while it is written to, and lets a foreign server go on from there, under TLS by onelog's authority `ca`.
fn to_peer(plan: &Plan, vendor: Vendor, port: u16, ca: &Path, dir: &Path) -> Outcome<Peer> {
    sql::run(port, &["CREATE DATABASE sbtest", "CREATE DATABASE d"])?;
    let mut writing = write(plan, port)?;
    let copy = dir.join("copy.sql");
    dump(vendor, port, &copy)?;
    let options = if vendor == Vendor::Oracle { &[&["--server-id=3"][..], &GTIDS].concat() } else { &vec![] };
    let peer = Peer::start(vendor, dir, options)?;
    let ca = ca.display();
    let (before, after) = match vendor {
        Vendor::MariaDb => (
            format!(
                "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT={port}, MASTER_USER='repl', MASTER_CONNECT_RETRY=1, \
                 MASTER_SSL=1, MASTER_SSL_CA='{ca}', MASTER_SSL_VERIFY_SERVER_CERT=1"
            ),
            "START SLAVE".to_owned(),
        ),
        Vendor::Oracle => (
            "RESET BINARY LOGS AND GTIDS".to_owned(),
            format!(
                "CHANGE REPLICATION SOURCE TO SOURCE_HOST='127.0.0.1', SOURCE_PORT={port}, SOURCE_USER='repl', \
                 SOURCE_SSL=1, SOURCE_SSL_CA='{ca}', SOURCE_SSL_VERIFY_SERVER_CERT=1, SOURCE_AUTO_POSITION=1, \
                 SOURCE_CONNECT_RETRY=1; START REPLICA"
            ),
        ),
    };
    contents::query(peer.port, "mysql", &before)?;
    command::run_on(&mut vendor.root(peer.port)?, &copy)?;
    contents::query(peer.port, "mysql", &after)?;
    end(&mut writing, port)?;
    Ok(peer)
}

/// Copies a foreign server while it is written to, and lets onelog go on from there.
fn from_peer(plan: &Plan, way: Way, source: u16, replica: u16, dir: &Path) -> Outcome {
    sql::run(source, &["CREATE DATABASE sbtest"])?;
    let mut writing = write(plan, source)?;
    let copy = dir.join("copy.sql");
    dump(way.vendor, source, &copy)?;
    let place = if way.by_gtid { ", SOURCE_AUTO_POSITION = 1" } else { "" };
    let change = format!(
        "CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = {source}, SOURCE_USER = 'repl', \
         SOURCE_PASSWORD = 'secret', SOURCE_CONNECT_RETRY = 1, GET_SOURCE_PUBLIC_KEY = 1{place}"
    );
    sql::run(replica, &["RESET BINARY LOGS AND GTIDS", &change])?;
    command::run_on(&mut way.vendor.root(replica)?, &copy)?;
    sql::run(replica, &["START REPLICA"])?;
    end(&mut writing, source)
}

fn dump(vendor: Vendor, port: u16, copy: &Path) -> Outcome {
    let mut dump = vendor.dump(port)?;
    dump.args(match vendor {
        Vendor::MariaDb => &["--single-transaction", "--master-data=1", "--databases", "sbtest"][..],
        Vendor::Oracle => &["--single-transaction", "--set-gtid-purged=ON", "--databases", "sbtest"],
    });
    let before = sum(port)?;
    // A warning of mysqldump, that GTIDs of other databases come along, is no failure.
    let status = dump.stdout(File::create(copy)?).stderr(Stdio::null()).status()?;
    check(status.success(), || format!("{dump:?}: {status}"))?;
    check(sum(port)? != before, || "nothing was written while the copy was made".to_owned())
}

/// sysbench, until it is ended.
fn write(plan: &Plan, port: u16) -> Outcome<Process> {
    let bench = Sysbench {
        table_size: if plan.full { 100_000 } else { 5_000 },
        threads: 4,
        seconds: 600,
        rand_type: "uniform",
        ..Sysbench::on(port, "oltp_read_write")
    };
    bench.prepare()?;
    let mut writing = bench.command("run");
    writing.stdout(Stdio::null()).stderr(Stdio::null());
    let writing = Process(writing.spawn()?);
    await_write(port)?;
    Ok(writing)
}

/// What each transaction of sysbench changes.
fn sum(port: u16) -> Outcome<String> {
    contents::query(port, "sbtest", "SELECT SUM(k) FROM sbtest1")
}

/// Waits until somebody has written.
fn await_write(port: u16) -> Outcome {
    let before = sum(port)?;
    until(PATIENCE, "sysbench writes", || Ok(sum(port)? != before))
}

/// Ends sysbench, once it has written beside a replica that follows.
fn end(writing: &mut Process, port: u16) -> Outcome {
    await_write(port)?;
    check(writing.0.try_wait()?.is_none(), || "sysbench has ended by itself".to_owned())?;
    writing.0.kill()?;
    writing.0.wait()?;
    Ok(())
}
