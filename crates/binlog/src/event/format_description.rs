//! FORMAT_DESCRIPTION: the first event of every file.
//!
//! | offset | size | field |
//! | --- | --- | --- |
//! | 0 | 2 | binlog version, 4 |
//! | 2 | 50 | server version, padded with zeros |
//! | 52 | 4 | when the file was created, seconds since 1970; 0 unless the server had just started |
//! | 56 | 1 | length of the common header, 19 |
//! | 57 | n | post-header length of each event type from 1 to n |
//! | 57 + n | 1 | checksum algorithm of the file |
//!
//! The event always ends with a CRC32, whatever its algorithm byte says. The CRC32 is computed with the IN_USE flag
//! of the header clear, so that closing a file rewrites two bytes and nothing else.

use super::put::Put;
use super::{ChecksumAlg, Encode, EventType, HEADER_LEN, flag};

/// Bytes of the server version field.
pub(crate) const VERSION_LEN: usize = 50;

/// MySQL 8.0's post-header lengths (8.0.26 and later), from type 1 to type 41, byte for byte as that server writes
/// them.
///
/// The list says nothing about which types occur. It is kept whole because readers compare it with what they know:
/// MariaDB from 10.11.11 on takes this list, older ones want 38 entries or fewer.
pub const POST_HEADER_LENS: [u8; 41] = [
    0, 13, 0, 8, 0, 0, 0, 0, 4, 0, 4, 0, 0, 0, 98, 0, 4, 26, 8, 0, 0, 0, 8, 8, 8, 2, 0, 0, 0, 10, 10, 10, 42,
    42, 0, 18, 52, 0, 10, 40, 0,
];

/// What a file's first event says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatDescription<'a> {
    /// For example `8.0.46-onelog`. At most 50 bytes; MySQL's clients and MariaDB's replicas parse its start.
    pub server_version: &'a [u8],
    /// Seconds since 1970 in the first file after a start, otherwise 0: a replica drops temporary tables of the
    /// source when it sees another value.
    pub created: u32,
    /// Checksum algorithm of the events behind this one.
    pub checksum: ChecksumAlg,
    /// Whether the file is open.
    pub in_use: bool,
    /// Post-header length of each event type from 1 on; [`POST_HEADER_LENS`] in what we write.
    pub post_header_lens: &'a [u8],
}

impl Encode for FormatDescription<'_> {
    fn event_type(&self) -> EventType {
        EventType::FORMAT_DESCRIPTION
    }

    fn flags(&self) -> u16 {
        if self.in_use { flag::IN_USE } else { 0 }
    }

    fn put_body(&self, out: &mut impl Put) {
        assert!(self.server_version.len() <= VERSION_LEN, "a server version has at most 50 bytes");
        out.put(&4_u16.to_le_bytes());
        out.put(self.server_version);
        out.put(&[0; VERSION_LEN][self.server_version.len()..]);
        out.put(&self.created.to_le_bytes());
        out.put(&[u8::try_from(HEADER_LEN).expect("19 fits a byte")]);
        out.put(self.post_header_lens);
        out.put(&[self.checksum.code()]);
    }
}
