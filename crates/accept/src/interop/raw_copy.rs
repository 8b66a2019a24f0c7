//! Oracle's `mysqlbinlog --read-from-remote-server --raw --stop-never`: the files that it makes equal the source's.
//!
//! Purpose: each event arrives as it is in the file: positions, checksums, rotations, what a crash and a restart leave.
//! Method: rows and tables change and files are rotated while it copies; the source is killed, which ends it, so what it
//! has is compared; it begins again with its last file; at the end all files are compared.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rig::clients::{Vendor, Way, account};
use rig::command::Process;
use rig::{Outcome, check, paths, until};

use super::model::{DATABASE, Table};
use super::scenario::{EVERYTHING, make_account};
use super::source::Source;
use super::values::{Kind, repeated};
use super::writer::Writer;
use crate::load::Load;
use crate::{Plan, binlogs, sql};

/// How long the copy may take to be complete.
const PATIENCE: Duration = Duration::from_mins(1);
/// Where FORMAT_DESCRIPTION's flags are in a file; bit 0 says that the file is open or was not closed.
const FLAGS_AT: usize = 4 + 17;

/// See the module.
pub fn run(plan: &Plan) -> Outcome {
    let dir = paths::fresh("accept/mysqlbinlog")?;
    println!("seed {}, {:?}", plan.seed, plan.source);
    sql::block_on(copy(plan, &dir))
}

async fn copy(plan: &Plan, dir: &Path) -> Outcome {
    let mut source = Source::start(plan.source, dir, true)?;
    let mut writer = Writer::new(source.port, plan.seed).await?;
    make_account(&mut writer).await?;
    let copy = dir.join("copy");
    fs::create_dir(&copy)?;
    let mut copier = start(&source, &copy)?;
    writer.run(&format!("CREATE DATABASE {DATABASE}")).await?;
    writer.create(Table::new("everything", true, &EVERYTHING)).await?;
    let times = if plan.full { 20 } else { 1 };
    for _ in 0..5 * times {
        writer.mix(50).await?;
        writer.run("FLUSH BINARY LOGS").await?;
    }
    let mut large = Table::new("large_rows", true, &[("b", Kind::Blob)]);
    writer.run(&large.create()).await?;
    writer.one(large.insert_one(0, repeated(&[0, 1, 255], 6_000_000))).await?;
    let statement = writer.table("everything").drop_column(3);
    writer.run(&statement).await?;
    writer.fill("everything", 5_000 * times).await?;
    let mut session = Writer::new(source.port, plan.seed + 1).await?;
    session.create_marked("session").await?;
    let load = Load::new();
    let shared = Arc::clone(&load);
    let running = tokio::spawn(async move { session.until_killed(&shared).await });
    tokio::time::sleep(Duration::from_millis(500)).await;
    check(copier.0.try_wait()?.is_none(), || "mysqlbinlog ended by itself".to_owned())?;
    load.await_begun(1)?;
    load.expect_end()?;
    source.kill()?;
    running.await??;
    end(&mut copier)?;
    source.start_again()?;
    let before = compare(&source, &copy, false)?;
    let mut copier = start(&source, &copy)?;
    writer.reconnect(source.port).await?;
    writer.mix(50 * times).await?;
    writer.run("FLUSH BINARY LOGS").await?;
    writer.mix(50 * times).await?;
    let after = complete(&source, &copy)?;
    check(copier.0.try_wait()?.is_none(), || "mysqlbinlog ended by itself".to_owned())?;
    copier.0.kill()?;
    println!(
        "mysqlbinlog: {} files with {} bytes before kill -9, {} with {} at the end: the same bytes",
        before.files, before.bytes, after.files, after.bytes
    );
    drop(writer);
    source.stop()
}

/// Begins to copy, with the last file that is there, or with the first that the source has.
fn start(source: &Source, copy: &Path) -> Outcome<Process> {
    let first = match names(copy)?.pop() {
        Some(last) => last,
        None => {
            binlogs::files(&source.datadir())?.iter().find_map(|path| name(path)).ok_or("no binlog file")?
        }
    };
    let mut command = Vendor::Oracle.binlog()?;
    account(&mut command, "cdc", "", &Way::Tcp(source.port));
    command.args(["--read-from-remote-server", "--raw", "--stop-never", "--connection-server-id=4004"]);
    command.arg(format!("--result-file={}/", copy.display())).arg(first);
    let log = fs::File::options().create(true).append(true).open(copy.with_extension("log"))?;
    Ok(Process(command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).spawn()?))
}

/// Waits for the copier to find out that the source is gone.
fn end(copier: &mut Process) -> Outcome {
    until(PATIENCE, "mysqlbinlog ends without a source", || Ok(copier.0.try_wait()?.is_some()))
}

/// What was compared.
#[derive(Clone, Copy, Debug)]
struct Compared {
    files: usize,
    bytes: usize,
}

/// Waits until the copy is complete.
fn complete(source: &Source, copy: &Path) -> Outcome<Compared> {
    let begun = Instant::now();
    loop {
        match compare(source, copy, true) {
            Ok(compared) => return Ok(compared),
            Err(what) if begun.elapsed() > PATIENCE => return Err(what),
            Err(_) => std::thread::sleep(Duration::from_millis(100)),
        }
    }
}

/// Compares all files; the last one of a copy that is not complete may end early.
fn compare(source: &Source, copy: &Path, complete: bool) -> Outcome<Compared> {
    let copied = names(copy)?;
    let originals: Vec<PathBuf> = binlogs::files(&source.datadir())?;
    let wanted: Vec<String> = originals.iter().filter_map(|path| name(path)).collect();
    let same = if complete { wanted == copied } else { wanted.starts_with(&copied) };
    check(same && !copied.is_empty(), || format!("the source has {wanted:?}, the copy {copied:?}"))?;
    let mut bytes = 0;
    for (nth, (original, file)) in originals.iter().zip(&copied).enumerate() {
        let (mut wanted, found) = (fs::read(original)?, fs::read(copy.join(file))?);
        check(wanted.len() > FLAGS_AT && !found.is_empty(), || format!("{file} is too short"))?;
        // Who reads over the network is told of a closed file.
        wanted[FLAGS_AT] &= !1;
        if !complete && nth + 1 == copied.len() {
            wanted.truncate(found.len());
        }
        let at = wanted.iter().zip(&found).position(|(wanted, found)| wanted != found);
        check(wanted == found, || {
            format!(
                "{file}: {} bytes instead of {}, the first difference at {at:?}",
                found.len(),
                wanted.len()
            )
        })?;
        bytes += found.len();
    }
    Ok(Compared { files: copied.len(), bytes })
}

fn names(dir: &Path) -> Outcome<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir)? {
        names.extend(name(&entry?.path()));
    }
    names.sort_unstable();
    Ok(names)
}

fn name(path: &Path) -> Option<String> {
    Some(path.file_name()?.to_string_lossy().into_owned())
}
