//! Log sequence numbers.

use std::fmt;

/// A byte offset in the stream of redo records. Ordered; never reused within a data directory except by a new
/// epoch, which continues where recovery cut the previous one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lsn(pub u64);

impl Lsn {
    /// Where the first record of a new data directory begins. Not zero, so that zero never names a record.
    pub const FIRST: Self = Self(4096);

    /// The LSN `bytes` further on.
    ///
    /// # Panics
    /// If the stream would exceed 2^64 bytes.
    #[must_use]
    pub fn advance(self, bytes: u64) -> Self {
        Self(self.0.checked_add(bytes).expect("a redo stream stays below 2^64 bytes"))
    }

    /// Bytes from `earlier` to here.
    ///
    /// # Panics
    /// If `earlier` is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> u64 {
        self.0.checked_sub(earlier.0).expect("LSNs are compared in order")
    }
}

impl fmt::Display for Lsn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
