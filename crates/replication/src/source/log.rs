//! The binlog as a sender sees it.

use std::fmt::Debug;
use std::io;

use binlog::{BinlogName, GtidSet, ReadAt};
use commit::BinlogReader;
use commit::record::BinlogPlace;

/// See the module.
pub trait Log: Debug + Send + 'static {
    /// The files, oldest first.
    fn names(&self) -> Vec<BinlogName>;

    /// Opens a file; it is not purged as long as it is read. `None` if it is not listed.
    fn open(&self, name: &BinlogName) -> io::Result<Option<Box<dyn ReadAt>>>;

    /// How far the log may be read: the files before that one to their ends.
    fn end(&self) -> BinlogPlace;

    /// Whether a RESET has ended the log.
    fn is_over(&self) -> bool;

    /// The GTIDs of all transactions up to the end.
    fn gtid_executed(&self) -> GtidSet;

    /// The GTIDs of transactions that are in none of the files.
    fn gtid_purged(&self) -> io::Result<GtidSet>;

    /// Whether what stands at a place is in memory, so that reading it does not wait for a disk.
    fn is_at_hand(&self, place: BinlogPlace) -> bool;
}

impl Log for BinlogReader {
    fn names(&self) -> Vec<BinlogName> {
        self.files().index().names().to_vec()
    }

    fn open(&self, name: &BinlogName) -> io::Result<Option<Box<dyn ReadAt>>> {
        let file = self.files().open_in_use(name).map_err(io::Error::other)?;
        Ok(file.map(|file| Box::new(file) as Box<dyn ReadAt>))
    }

    fn end(&self) -> BinlogPlace {
        Self::end(self)
    }

    fn is_over(&self) -> bool {
        Self::is_over(self)
    }

    fn gtid_executed(&self) -> GtidSet {
        self.pipeline().durable_gtids()
    }

    fn gtid_purged(&self) -> io::Result<GtidSet> {
        self.pipeline().purged_gtids().map_err(io::Error::other)
    }

    fn is_at_hand(&self, place: BinlogPlace) -> bool {
        Self::is_at_hand(self, place)
    }
}
