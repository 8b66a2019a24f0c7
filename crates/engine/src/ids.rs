//! Newtypes for the numbers that must not be mixed up, and the shape of a key.

use std::fmt;

use smallvec::SmallVec;

/// A transaction's place in the commit order: 1, 2, 3, ... without gaps. 0 is before every transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommitSeq(pub u64);

impl CommitSeq {
    /// After every transaction: what a read of the newest state asks for.
    pub const MAX: Self = Self(u64::MAX);

    /// The next place.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for CommitSeq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A transaction while it runs. Never reused within a server run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TrxId(pub u64);

/// A table. Never reused within a data directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableId(pub u32);

/// An index, the primary one included. Never reused within a data directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IndexId(pub u32);

impl IndexId {
    /// Holds the catalog itself.
    pub const CATALOG: Self = Self(1);
    /// Holds where a replica is in its source's binlog, and who that is.
    pub const REPLICA: Self = Self(2);
    /// Holds transactions that are prepared and wait for a word.
    pub const PREPARED: Self = Self(3);
    /// The first number that a table's index gets.
    pub const FIRST_USER: Self = Self(16);
    /// The first number of an index of a temporary table. Each session begins here; nothing on disk has such a number.
    pub const FIRST_TEMPORARY: Self = Self(1 << 31);

    /// Whether it belongs to a temporary table.
    pub fn is_temporary(self) -> bool {
        self >= Self::FIRST_TEMPORARY
    }

    /// The bytes with which every key of this index begins: big-endian, so that indexes lie one after another.
    pub fn prefix(self) -> [u8; PREFIX_SIZE] {
        self.0.to_be_bytes()
    }

    /// The beginning of a key of this index, with room for what most need.
    pub fn new_key(self) -> Vec<u8> {
        let mut key = Vec::with_capacity(NEW_KEY_SIZE);
        key.extend_from_slice(&self.prefix());
        key
    }

    /// The index that a key belongs to.
    ///
    /// # Panics
    /// If the key is shorter than its prefix.
    pub fn of(key: &[u8]) -> Self {
        Self(u32::from_be_bytes(*key.first_chunk().expect("a key begins with its index")))
    }
}

/// The highest value that a counter of a table has reached. Merged by maximum, wherever it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterHigh {
    /// Whose counter.
    pub table: TableId,
    /// Which one.
    pub kind: CounterKind,
    /// Every value up to this one may have been used.
    pub high: u64,
}

/// The counters of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CounterKind {
    /// AUTO_INCREMENT.
    AutoIncrement,
    /// Row ids of a table without a primary key.
    RowId,
}

/// Bytes of a key that name its index.
pub const PREFIX_SIZE: usize = 4;

/// Room that a key begins with while it is made.
const NEW_KEY_SIZE: usize = 64;
/// Bytes of a key that lie in the key itself: two BIGINTs behind the prefix, and their NULL markers.
const KEY_INLINE_SIZE: usize = 24;

/// A whole key: the index's prefix, then bytes whose order is the index's order. Maps compare many keys to find one: most
/// lie in the map's nodes, not behind pointers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(SmallVec<[u8; KEY_INLINE_SIZE]>);

impl std::ops::Deref for Key {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl std::borrow::Borrow<[u8]> for Key {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl From<&[u8]> for Key {
    fn from(bytes: &[u8]) -> Self {
        Self(SmallVec::from_slice(bytes))
    }
}

impl From<Vec<u8>> for Key {
    fn from(bytes: Vec<u8>) -> Self {
        let fits = bytes.len() <= KEY_INLINE_SIZE;
        Self(if fits { SmallVec::from_slice(&bytes) } else { SmallVec::from_vec(bytes) })
    }
}

/// A stored value, shared between the layers and their readers.
pub type Row = std::sync::Arc<[u8]>;

/// What a transaction made of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It has this row now.
    Put(Row),
    /// It is gone.
    Remove,
}

impl Change {
    /// The row, unless the key is gone.
    pub fn row(&self) -> Option<&Row> {
        match self {
            Self::Put(row) => Some(row),
            Self::Remove => None,
        }
    }

    /// As [`Change::row`], by value.
    pub fn into_row(self) -> Option<Row> {
        match self {
            Self::Put(row) => Some(row),
            Self::Remove => None,
        }
    }

    /// Bytes of the row.
    pub fn row_size(&self) -> usize {
        self.row().map_or(0, |row| row.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_compared_as_their_bytes_wherever_these_lie() {
        let sizes = KEY_INLINE_SIZE - 1..=KEY_INLINE_SIZE + 1;
        let mut all: Vec<Vec<u8>> = sizes.flat_map(|size| [vec![1; size], vec![2; size]]).collect();
        all.sort();
        let keys: std::collections::BTreeSet<Key> =
            all.iter().rev().map(|bytes| Key::from(&bytes[..])).collect();
        assert!(keys.iter().map(|key| &**key).eq(all.iter().map(|bytes| &bytes[..])));
        for bytes in all {
            assert!(keys.contains(&bytes[..]));
            assert_eq!(keys.get(&bytes[..]), Some(&Key::from(bytes)));
        }
    }
}
