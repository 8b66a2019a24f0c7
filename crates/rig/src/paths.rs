//! Where things are.

use std::fs;
use std::net::TcpListener;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::Outcome;

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("crates/rig lies two below").to_owned()
}

/// The target folder that this program was built into.
pub fn target() -> Outcome<PathBuf> {
    let program = std::env::current_exe()?;
    let target = program.ancestors().nth(2).ok_or("this program was not built by cargo")?;
    Ok(target.to_owned())
}

/// The server's binary, built with a profile (`release`, `dist`; `debug` for `dev`).
pub fn binary(profile: &str) -> Outcome<PathBuf> {
    let path = target()?.join(profile).join("onelog");
    if !path.exists() {
        return Err(format!("{} is not there: build it first", path.display()).into());
    }
    Ok(path)
}

/// The server's binary that is tested: of the profile that `ONELOG_PROFILE` names, or of the release build.
pub fn server() -> Outcome<PathBuf> {
    binary(std::env::var("ONELOG_PROFILE").as_deref().unwrap_or("release"))
}

/// An empty folder below the target folder.
pub fn fresh(name: &str) -> Outcome<PathBuf> {
    remove(name)?;
    let path = target()?.join(name);
    fs::create_dir_all(&path)?;
    Ok(path)
}

/// Removes a folder below the target folder, if it is there.
pub fn remove(name: &str) -> Outcome {
    let path = target()?.join(name);
    if path.exists() {
        fs::remove_dir_all(&path)?;
    }
    Ok(())
}

/// Where foreign servers are installed that the package client does not put into place: `PEERS_DIR`, or a folder of the
/// user's cache.
pub fn peers() -> Outcome<PathBuf> {
    if let Some(dir) = std::env::var_os("PEERS_DIR") {
        return Ok(dir.into());
    }
    let home = std::env::var_os("HOME").ok_or("HOME is not set")?;
    Ok(Path::new(&home).join(".cache/onelog-peers"))
}

/// Ports below those that Linux takes for outgoing connections: nobody's connection has one of them by chance, not even one
/// to the port itself, which connects without any listener.
const PORTS: Range<u16> = 10_000..32_000;

/// A port that nobody listens on, and that this process has not given to anybody yet.
pub fn free_port() -> Outcome<u16> {
    static GIVEN: AtomicU32 = AtomicU32::new(0);
    let count = u32::from(PORTS.end - PORTS.start);
    // Processes at the same time begin at places of their own.
    let first = std::process::id().wrapping_mul(211);
    for _ in 0..count {
        let place = first.wrapping_add(GIVEN.fetch_add(1, Ordering::Relaxed)) % count;
        let port = PORTS.start + u16::try_from(place)?;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
    Err("no port is free".into())
}
