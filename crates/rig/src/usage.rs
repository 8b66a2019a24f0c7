//! What a process and the disk have used so far.

use std::fs;
use std::time::Duration;

use crate::{Outcome, check, paths};

/// Clock ticks of `/proc` a second; Linux has 100 everywhere that this runs.
const TICKS: u64 = 100;

/// Processor time of a process.
pub fn cpu(pid: u32) -> Outcome<Duration> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let fields = stat.rsplit_once(") ").ok_or("no stat")?.1;
    let ticks: u64 = fields.split(' ').skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Ok(Duration::from_millis(ticks * 1000 / TICKS))
}

/// Time in which processors had nothing to do, all of them together; waits for a disk are among it.
pub fn idle() -> Outcome<Duration> {
    let stat = fs::read_to_string("/proc/stat")?;
    let fields = stat.lines().next().ok_or("no stat")?.split_whitespace();
    let ticks: u64 = fields.skip(4).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Ok(Duration::from_millis(ticks * 1000 / TICKS))
}

/// Bytes of memory that a process has resident.
pub fn resident(pid: u32) -> Outcome<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    let kib: u64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kib * 1024)
}

/// Flushes of all disks together.
pub fn flushes() -> Outcome<u64> {
    let stats = fs::read_to_string("/proc/diskstats")?;
    let of = |line: &str| line.split_whitespace().nth(18).and_then(|count| count.parse::<u64>().ok());
    Ok(stats.lines().filter_map(of).sum())
}

/// An error unless so many bytes are free where servers' data will lie.
pub fn need_room(bytes: u64) -> Outcome {
    let target = paths::target()?;
    let stat = rustix::fs::statvfs(&target)?;
    let free = stat.f_bavail * stat.f_frsize;
    let mib = |bytes: u64| bytes >> 20;
    check(free >= bytes, || {
        format!(
            "only {} MiB are free in {}, {} are needed: make room",
            mib(free),
            target.display(),
            mib(bytes)
        )
    })
}

/// Lets this process and its children open as many files as the system allows.
pub fn raise_file_limit(wanted: u64) -> Outcome {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.unwrap_or(u64::MAX);
    check(most >= wanted, || format!("only {most} files may be opened here, {wanted} are needed"))?;
    let current = Some(wanted.max(limit.current.unwrap_or(u64::MAX)).min(most));
    Ok(setrlimit(Resource::Nofile, Rlimit { current, maximum: limit.maximum })?)
}
