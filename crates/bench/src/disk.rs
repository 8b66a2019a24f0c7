//! The disk's own sync latency, as a yardstick beside the servers.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rig::Outcome;

const BLOCK: usize = 4096;

/// Blocks of the file, and writes that are timed.
const COUNT: u64 = 256;

/// The median time of overwriting 4 KiB in a folder and of `fdatasync`.
pub fn sync_latency(dir: &Path) -> Outcome<Duration> {
    let path = dir.join("latency");
    let file = File::create(&path)?;
    let block = [1; BLOCK];
    let write = |number: u64| file.write_all_at(&block, number * BLOCK as u64);
    (0..COUNT).try_for_each(write)?;
    file.sync_all()?;
    let mut taken = Vec::new();
    for number in 0..COUNT {
        let begun = Instant::now();
        write(number)?;
        file.sync_data()?;
        taken.push(begun.elapsed());
    }
    fs::remove_file(path)?;
    taken.sort_unstable();
    Ok(taken.get(taken.len() / 2).copied().unwrap_or_default())
}
