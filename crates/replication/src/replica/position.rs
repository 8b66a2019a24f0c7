//! Where a replica is in its source's binlog: behind the last group that it has applied.
//!
//! ```text
//! size
//!    1  format version, 1
//!    8  position
//!    2  length of the file's name; its bytes
//!    2  count of MariaDB's domains; each: domain (4), server (4), sequence number (8)
//! ```
//! Numbers are little-endian. It is a row of the table store, written by the same transaction as what it speaks of.

use std::collections::BTreeMap;
use std::fmt;

use super::settings::Input;

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The file; empty: the first that the source has.
    pub file: String,
    /// The position in it; 4 is its start.
    #[expect(clippy::struct_field_names, reason = "MySQL's word")]
    pub position: u64,
    /// MariaDB's GTIDs: of each domain the server and the sequence number of the last one.
    pub domains: BTreeMap<u32, (u32, u64)>,
}

const VERSION: u8 = 1;

impl Position {
    /// A position in a file.
    pub fn at(file: &str, position: u64) -> Self {
        Self { file: file.to_owned(), position, domains: BTreeMap::new() }
    }

    /// The bytes.
    ///
    /// # Panics
    /// If a name or a list has more than 64 Ki entries; sources keep them below.
    pub fn encode(&self) -> Vec<u8> {
        let count = |len: usize| u16::try_from(len).expect("names and lists are short").to_le_bytes();
        let mut out = vec![VERSION];
        out.extend(self.position.to_le_bytes());
        out.extend(count(self.file.len()));
        out.extend_from_slice(self.file.as_bytes());
        out.extend(count(self.domains.len()));
        for (domain, (server, sequence)) in &self.domains {
            out.extend(domain.to_le_bytes());
            out.extend(server.to_le_bytes());
            out.extend(sequence.to_le_bytes());
        }
        out
    }

    /// The position of these bytes; `None` if they are none, or of another version.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut input = Input(bytes);
        let [VERSION] = input.array()? else { return None };
        let position = u64::from_le_bytes(input.array()?);
        let file = input.text()?;
        let mut domains = BTreeMap::new();
        for _ in 0..u16::from_le_bytes(input.array()?) {
            let domain = u32::from_le_bytes(input.array()?);
            let server = u32::from_le_bytes(input.array()?);
            domains.insert(domain, (server, u64::from_le_bytes(input.array()?)));
        }
        input.0.is_empty().then_some(Self { file, position, domains })
    }

    /// MariaDB's GTIDs, as its `gtid_slave_pos` shows them.
    pub fn mariadb_gtids(&self) -> String {
        let gtids =
            self.domains.iter().map(|(domain, (server, sequence))| format!("{domain}-{server}-{sequence}"));
        gtids.collect::<Vec<_>>().join(",")
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_round_trip_and_every_cut_is_refused() {
        let mut position = Position::at("binlog.000007", 1 << 33);
        position.domains.insert(0, (1, 77));
        position.domains.insert(3, (9, 5));
        let bytes = position.encode();
        assert_eq!(Position::decode(&bytes).as_ref(), Some(&position));
        for size in 0..bytes.len() {
            assert_eq!(Position::decode(&bytes[..size]), None);
        }
        assert_eq!(position.mariadb_gtids(), "0-1-77,3-9-5");
    }
}
