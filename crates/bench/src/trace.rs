//! Reads what `strace` writes about syncs.

use std::collections::HashMap;
use std::path::Path;

/// `strace`'s options; its output file follows. `-D`: the server stays the process that was started. Only calls that can
/// sync stop the server (`--seccomp-bpf`), so its speed is nearly its own.
pub const WRAPPER: [&str; 9] = [
    "strace",
    "-D",
    "-f",
    "--seccomp-bpf",
    "-qq",
    "-y",
    "--string-limit=0",
    "--trace=fsync,fdatasync,open,openat,pwrite64,pwritev,pwritev2",
    "-o",
];

/// Syncs by what was synced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Syncs {
    /// Of the redo log.
    pub redo: u64,
    /// Of binlog files.
    pub binlog: u64,
    /// Of the binlog store of `enhanced`.
    pub store: u64,
    /// Of tables, indexes of files, directories, and of redo segments that onelog makes beforehand.
    pub other: u64,
}

impl Syncs {
    /// Of all logs.
    pub fn logs(self) -> u64 {
        self.redo + self.binlog + self.store
    }

    /// What was counted since.
    pub fn since(self, earlier: Self) -> Self {
        Self {
            redo: self.redo - earlier.redo,
            binlog: self.binlog - earlier.binlog,
            store: self.store - earlier.store,
            other: self.other - earlier.other,
        }
    }

    fn of(&mut self, call: &str, path: &str) -> &mut u64 {
        // What lies above the data directory says nothing.
        let path = path.rsplit_once("/data/").map_or(path, |(_, path)| path);
        let file =
            Path::new(path).file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let new_segment = call == "fsync" && file.starts_with("redo.");
        let in_dir = |name: &str| path.split_once('/').is_some_and(|(dir, _)| dir.contains(name));
        if in_dir("store") || in_dir("enhanced") {
            &mut self.store
        } else if (in_dir("redo") && !new_segment) || file.starts_with("ib_logfile") {
            &mut self.redo
        } else if file.strip_prefix("binlog.").is_some_and(|end| end.bytes().all(|it| it.is_ascii_digit())) {
            &mut self.binlog
        } else {
            &mut self.other
        }
    }
}

/// Counts syncs in a trace that is read piece by piece. A write is one if its descriptor was opened with `O_DSYNC` or
/// `O_SYNC`.
#[derive(Debug, Default)]
pub struct Trace {
    /// So far.
    pub syncs: Syncs,
    /// Descriptors on which writes are syncs.
    durable: HashMap<u32, bool>,
    /// Threads that are opening, and whether what they open is durable.
    opening: HashMap<String, bool>,
}

impl Trace {
    /// Takes in a line.
    pub fn line(&mut self, line: &str) {
        let Some((thread, call)) = line.split_once(' ') else { return };
        let call = call.trim_start();
        let resumed = call.strip_prefix("<... open").and_then(|rest| rest.split_once(" resumed>"));
        if let Some((_, end)) = resumed {
            let durable = self.opening.remove(thread).unwrap_or(false);
            self.opened(end, durable || asks_for_sync(end));
        } else if call.starts_with("open") {
            if call.ends_with("<unfinished ...>") {
                self.opening.insert(thread.to_owned(), asks_for_sync(call));
            } else {
                self.opened(call, asks_for_sync(call));
            }
        } else if let Some((name, rest)) = call.split_once('(')
            && let Some((number, path)) = descriptor(rest)
        {
            let counts = match name {
                "fsync" | "fdatasync" => true,
                "pwrite64" | "pwritev" | "pwritev2" => self.durable.get(&number).copied().unwrap_or(false),
                _ => false,
            };
            if counts {
                *self.syncs.of(name, path) += 1;
            }
        }
    }

    fn opened(&mut self, end: &str, durable: bool) {
        let result = end.rsplit_once(" = ").and_then(|(_, result)| descriptor(result));
        if let Some((number, _)) = result {
            self.durable.insert(number, durable);
        }
    }
}

fn asks_for_sync(flags: &str) -> bool {
    flags.contains("O_DSYNC") || flags.contains("O_SYNC")
}

/// Reads `7</a/b>..`.
fn descriptor(text: &str) -> Option<(u32, &str)> {
    let (number, rest) = text.split_once('<')?;
    let (path, _) = rest.split_once('>')?;
    Some((number.parse().ok()?, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(lines: &str) -> Syncs {
        let mut trace = Trace::default();
        lines.lines().for_each(|line| trace.line(line));
        trace.syncs
    }

    #[test]
    fn writes_count_where_the_descriptor_is_durable() {
        let syncs = count(
            "7 open(\"/proc/self/fd/11\", O_WRONLY|O_DSYNC|O_DIRECT|O_CLOEXEC) = 12</e/data/redo/redo.000001>\n\
             7 openat(AT_FDCWD</>, \"/e/data/redo/redo.000001\", O_RDWR|O_CLOEXEC) = 13</e/data/redo/redo.000001>\n\
             8 pwrite64(12</e/data/redo/redo.000001>, \"ab\"..., 4096, 0 <unfinished ...>\n\
             9 pwrite64(13</e/data/redo/redo.000001>, \"ab\"..., 4096, 0) = 4096\n\
             8 <... pwrite64 resumed>) = 4096\n\
             9 fdatasync(14</e/data/binlog.000003>) = 0\n\
             9 fsync(15</e/data/binlog.index>) = 0\n\
             9 fsync(16</e/data>) = 0\n\
             9 fsync(17</e/data/redo>) = 0\n\
             9 fsync(18</e/data/redo/redo.000002>) = 0\n",
        );
        assert_eq!(syncs, Syncs { redo: 1, binlog: 1, store: 0, other: 4 });
    }

    #[test]
    fn a_descriptor_that_is_used_again_is_what_it_was_opened_as_last() {
        let syncs = count(
            "7 openat(AT_FDCWD</>, \"/d/data/store/1\", O_RDWR|O_DSYNC <unfinished ...>\n\
             8 openat(AT_FDCWD</>, \"/d/data/x\", O_RDWR) = 5</d/data/x>\n\
             7 <... openat resumed>) = 4</d/data/store/1>\n\
             7 pwrite64(4</d/data/store/1>, \"\", 1, 0) = 1\n\
             7 openat(AT_FDCWD</>, \"/d/data/store/2\", O_RDWR) = 4</d/data/store/2>\n\
             7 pwrite64(4</d/data/store/2>, \"\", 1, 0) = 1\n\
             7 openat(AT_FDCWD</>, \"/none\", O_RDONLY) = -1 ENOENT (No such file or directory)\n\
             7 pwrite64(5</d/data/x>, \"<9>\", 3, 0) = 3\n",
        );
        assert_eq!(syncs, Syncs { store: 1, ..Syncs::default() });
        assert_eq!(syncs.since(Syncs::default()).logs(), 1);
    }

    #[test]
    fn logs_of_all_servers_are_known() {
        let syncs = count(
            "1 fdatasync(3</onelog-enhanced/data/ib_logfile0>) = 0\n\
             1 fsync(3</store/data/#innodb_redo/#ib_redo9>) = 0\n\
             1 fdatasync(4</m/data/sbtest/sbtest1.ibd>) = 0\n\
             1 fdatasync(5</m/data/binlog.000001>) = 0\n\
             1 <... fdatasync resumed>) = 0\n",
        );
        assert_eq!(syncs, Syncs { redo: 2, binlog: 1, store: 0, other: 1 });
    }
}
