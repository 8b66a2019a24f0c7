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

use binlog::event::EventHeader;

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

    /// Moves behind an event of the log. Events say 32 bits of where they end: behind 4 GiB they begin anew.
    pub fn pass(&mut self, header: &EventHeader) {
        self.position = behind(self.position, header);
    }

    /// The same for an event that no group has, and that may be there again, or only say what the file began with: one that
    /// ends before leaves it where it is. Returns whether it has moved.
    pub fn pass_between(&mut self, header: &EventHeader) -> bool {
        let end = self.position & !u64::from(u32::MAX) | u64::from(header.end_log_pos);
        let moves = end > self.position;
        self.position = self.position.max(end);
        moves
    }

    /// The same without a place: a source that is asked by GTIDs says where it begins, maybe in another log.
    #[must_use]
    pub fn without_place(self) -> Self {
        Self { domains: self.domains, ..Self::default() }
    }

    /// The bytes.
    ///
    /// # Panics
    /// If a name or a list has more than 64 Ki entries; [`Groups`](super::Groups) refuses them.
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

/// Behind an event of the log that begins here, or a bit further on.
pub(super) fn behind(position: u64, header: &EventHeader) -> u64 {
    let end = u64::from(header.end_log_pos);
    if end == 0 {
        return position;
    }
    let end = position & !u64::from(u32::MAX) | end;
    if end < position { end + (1 << 32) } else { end }
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
    fn positions_go_on_behind_4_gib() {
        let header = |end_log_pos| {
            let origin = binlog::Origin { timestamp: 0, server_id: 1 };
            let mut header = binlog::event::Encode::header(&binlog::event::Xid(1), origin, 27);
            header.end_log_pos = end_log_pos;
            header
        };
        let mut position = Position::at("b.000001", u64::from(u32::MAX) - 10);
        position.pass(&header(0));
        assert_eq!(position.position, u64::from(u32::MAX) - 10, "it says nothing");
        position.pass(&header(20));
        assert_eq!(position.position, (1 << 32) + 20);
        assert!(!position.pass_between(&header(4)), "the file's beginning, again");
        assert!(position.pass_between(&header(50)));
        position.pass(&header(60));
        assert_eq!(position.position, (1 << 32) + 60);
    }

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
