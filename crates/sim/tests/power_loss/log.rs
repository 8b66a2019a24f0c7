//! The binlog as bytes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sim::World;
use vfs::sim::SimDisk;
use vfs::{Open, Vfs};

pub const DIR: &str = "/data";
/// The flags of FORMAT_DESCRIPTION, where IN_USE goes when a file is closed.
const FLAGS: std::ops::Range<usize> = 4 + 17..4 + 19;
const ROTATE: u8 = 4;
const STOP: u8 = 3;
const GTID: u8 = 33;
const ANONYMOUS_GTID: u8 = 34;

/// A file's number, and a position in it.
pub type Place = (u64, u64);

/// Files by number.
#[derive(Clone, Debug, Default)]
pub struct Files(pub BTreeMap<u64, Vec<u8>>);

impl Files {
    /// Those that the index lists, with everything that is published.
    pub fn listed(disk: &SimDisk, world: &World) -> Self {
        let Some(binlog) = world.pipeline.binlog() else { return Self::default() };
        // A disk that fails has ended the run, and what it holds is all that there is.
        let _failed = world.pipeline.catch_up();
        let index = binlog.index();
        let read = |name: &binlog::BinlogName| (name.number(), read(disk, &index.path_of(name)));
        Self(index.names().iter().map(read).collect())
    }

    /// Those that lie in the directory.
    pub fn on_disk(disk: &SimDisk) -> Self {
        let path = |number| PathBuf::from(DIR).join(format!("binlog.{number:06}"));
        Self(numbers_on_disk(disk).into_iter().map(|number| (number, read(disk, &path(number)))).collect())
    }

    /// Takes over what is new or longer.
    pub fn absorb(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The places where the log may end, and how many transactions lie before them.
    pub fn ends(&self) -> BTreeMap<Place, usize> {
        let mut ends = BTreeMap::new();
        let mut count = 0;
        for (&number, bytes) in &self.0 {
            let mut at = 4;
            // FORMAT_DESCRIPTION and PREVIOUS_GTIDS belong together.
            let mut in_header = true;
            // A log that a fault has ended may end in the middle of an event.
            while let Some((kind, size)) = event(&bytes[at.min(bytes.len())..]) {
                in_header = in_header && !matches!(kind, ROTATE | STOP | GTID | ANONYMOUS_GTID);
                if matches!(kind, ROTATE | STOP | GTID | ANONYMOUS_GTID) {
                    ends.insert((number, at as u64), count);
                    count += usize::from(matches!(kind, GTID | ANONYMOUS_GTID));
                }
                at += size;
            }
            if at == bytes.len() {
                ends.insert((number, at as u64), count);
            }
        }
        ends
    }
}

fn event(bytes: &[u8]) -> Option<(u8, usize)> {
    let size = u32::from_le_bytes(bytes.get(9..13)?.try_into().unwrap());
    Some((bytes[4], usize::try_from(size).unwrap()))
}

/// Whether a file holds the first bytes of another; the IN_USE flag is no difference.
pub fn is_prefix(bytes: &[u8], of: &[u8]) -> bool {
    let (front, rest) = bytes.split_at(bytes.len().min(FLAGS.end));
    let Some((of_front, of_rest)) = of.split_at_checked(front.len()) else { return false };
    let same = |(at, (a, b)): (usize, (&u8, &u8))| a == b || FLAGS.contains(&at);
    front.iter().zip(of_front).enumerate().all(same) && of_rest.starts_with(rest)
}

fn read(disk: &SimDisk, path: &Path) -> Vec<u8> {
    let file = disk.open(path, Open::Read).unwrap();
    let mut bytes = vec![0; usize::try_from(file.len().unwrap()).unwrap()];
    file.read_exact_at(&mut bytes, 0).unwrap();
    bytes
}

/// Files of the binlog that lie in the directory, by number.
pub fn numbers_on_disk(disk: &SimDisk) -> Vec<u64> {
    let names = disk.list(&PathBuf::from(DIR)).unwrap_or_default();
    names.iter().filter_map(|name| name.strip_prefix("binlog.")?.parse().ok()).collect()
}
