//! What must be refused with one clear error: an unknown option, a data directory in use, redo that is damaged below a
//! point that a sync had promised.

use std::fs;
use std::path::{Path, PathBuf};

use rig::onelog::Config;
use rig::{Outcome, check, paths};

use crate::{Plan, sql};

/// Bytes at which blocks of the redo log begin, and their magic (`docs/formats/redo.md`).
const BLOCK_ALIGN: usize = 4096;
const BLOCK_MAGIC: &[u8] = b"OLRB";

/// See the module.
pub fn run(_plan: &Plan) -> Outcome {
    let dir = paths::fresh("accept/refusals")?;
    let unknown = Config::new(&dir.join("unknown"), &["--no-such-option=1"])?.start_refused()?;
    one_error("an unknown option", &unknown, "no-such-option")?;
    let config = Config::new(&dir.join("data"), &["--log-bin=binlog"])?;
    let server = config.start()?;
    let second = Config { port: paths::free_port()?, ..config.clone() };
    let in_use = second.start_refused()?;
    one_error("a data directory in use", &in_use, &config.datadir.display().to_string())?;
    sql::run(server.port(), &["CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY)"])?;
    for id in 0..100 {
        sql::run(server.port(), &[&format!("INSERT INTO d.t VALUES ({id})")])?;
    }
    server.kill()?;
    let (file, offset) = an_older_block(&config.datadir)?;
    let intact = fs::read(&file)?;
    let mut damaged = intact.clone();
    damaged[offset + 100] ^= 0x40;
    fs::write(&file, damaged)?;
    let corrupt = config.start_refused()?;
    let name = file.file_name().ok_or("no name")?.to_string_lossy().into_owned();
    one_error("a corrupted redo block", &corrupt, &name)?;
    check(corrupt.contains(&offset.to_string()), || format!("the error does not say where: {corrupt}"))?;
    fs::write(&file, intact)?;
    let server = config.start()?;
    let count = sql::block_on(async {
        let mut root = sql::root(server.port()).await?;
        sql::value(&mut root, "SELECT COUNT(*) FROM d.t").await
    })?;
    check(count == "100", || format!("{count} of 100 rows are there once the block is restored"))?;
    server.stop()
}

fn one_error(what: &str, said: &str, about: &str) -> Outcome {
    let lines: Vec<&str> = said.lines().filter(|line| line.to_uppercase().contains("ERROR")).collect();
    check(lines.len() == 1, || format!("{what}: {} errors instead of one: {said}", lines.len()))?;
    check(lines[0].replace('_', "-").contains(&about.replace('_', "-")), || {
        format!("{what}: the error does not name {about}: {said}")
    })?;
    check(!said.contains("panicked"), || format!("{what}: {said}"))?;
    println!("{what}: {}", lines[0]);
    Ok(())
}

/// A block of redo in the middle of the newest segment that has any: later ones of the same run promise it.
fn an_older_block(datadir: &Path) -> Outcome<(PathBuf, usize)> {
    let mut segments = Vec::new();
    find_segments(datadir, &mut segments)?;
    segments.sort();
    for segment in segments.iter().rev() {
        let bytes = fs::read(segment)?;
        let starts = (0..bytes.len()).step_by(BLOCK_ALIGN);
        let blocks: Vec<usize> = starts.filter(|at| bytes[*at..].starts_with(BLOCK_MAGIC)).collect();
        if blocks.len() > 20 {
            return Ok((segment.clone(), blocks[blocks.len() - 10]));
        }
    }
    Err("no redo segment has 20 blocks".into())
}

fn find_segments(dir: &Path, found: &mut Vec<PathBuf>) -> Outcome {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            find_segments(&path, found)?;
        } else if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("redo.")) {
            found.push(path);
        }
    }
    Ok(())
}
