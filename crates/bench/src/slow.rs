//! The same slow disk for everybody: onelog slows its syncs down by itself, a foreign server by a preloaded library.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rig::{Outcome, check, command};

const SOURCE: &str = include_str!("sync_delay.c");

/// The library for foreign servers, compiled.
#[derive(Clone, Debug)]
pub struct SlowSyncs {
    library: PathBuf,
}

impl SlowSyncs {
    /// Compiles it in a folder.
    pub fn build(dir: &Path) -> Outcome<Self> {
        let source = dir.join("sync_delay.c");
        fs::write(&source, SOURCE)?;
        let library = dir.join("sync_delay.so");
        let mut compiler = Command::new("cc");
        compiler
            .args(["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o"])
            .arg(&library)
            .arg(&source);
        command::run(&mut compiler)?;
        Ok(Self { library })
    }

    /// What makes each sync of a process that is started with it take so many microseconds longer.
    pub fn environment(&self, delay_us: u32) -> [(&'static str, String); 2] {
        [("LD_PRELOAD", self.library.display().to_string()), ("SYNC_DELAY_US", delay_us.to_string())]
    }

    /// Fails unless a process has loaded it: the loader only warns where it cannot.
    pub fn check(&self, pid: u32) -> Outcome {
        let maps = fs::read_to_string(format!("/proc/{pid}/maps"))?;
        let name = self.library.to_string_lossy();
        check(maps.contains(&*name), || format!("process {pid} has not loaded {name}"))
    }
}
