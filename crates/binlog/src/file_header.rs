//! What every file begins with: magic, FORMAT_DESCRIPTION, PREVIOUS_GTIDS.
//!
//! Its length is arithmetic over the length of the GTID set, so a rotation can be placed under the sequencer's lock
//! and the bytes made afterwards.

use crate::MAGIC;
use crate::event::{
    CHECKSUM_LEN, ChecksumAlg, FormatDescription, HEADER_LEN, Origin, POST_HEADER_LENS, PreviousGtids,
};
use crate::finalise::{Placement, append_final};
use crate::gtid::GtidSet;

/// Bytes of FORMAT_DESCRIPTION as we write it.
const FORMAT_LEN: usize = HEADER_LEN + 2 + 50 + 4 + 1 + POST_HEADER_LENS.len() + 1 + CHECKSUM_LEN;

/// The beginning of a new file.
#[derive(Clone, Copy, Debug)]
pub struct FileHeader<'a> {
    /// When the file begins, and this server's id.
    pub origin: Origin,
    /// For example `8.0.46-onelog`; at most 50 bytes.
    pub server_version: &'a str,
    /// The server's start for the first file after it, otherwise 0; see [`FormatDescription::created`].
    pub created: u32,
    /// `binlog_checksum` of all events in this file.
    pub checksum: ChecksumAlg,
    /// All GTIDs of earlier files, purged ones included.
    pub previous: &'a GtidSet,
}

impl FileHeader<'_> {
    /// Bytes of the header with a GTID set of this binary length ([`GtidSet::encoded_len`]): where the first
    /// transaction begins.
    pub fn encoded_len(previous_len: usize, checksum: ChecksumAlg) -> usize {
        MAGIC.len() + FORMAT_LEN + HEADER_LEN + previous_len + checksum.len()
    }

    /// Appends the header of a file that is open (IN_USE set).
    pub fn append_to(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&MAGIC);
        let format = FormatDescription {
            server_version: self.server_version.as_bytes(),
            created: self.created,
            checksum: self.checksum,
            in_use: true,
            post_header_lens: &POST_HEADER_LENS,
        };
        let position = |out: &Vec<u8>| Placement::At((out.len() - start) as u64);
        let at = position(out);
        append_final(out, &format, self.origin, at, self.checksum);
        let at = position(out);
        append_final(out, &PreviousGtids(self.previous), self.origin, at, self.checksum);
        let announced = Self::encoded_len(self.previous.encoded_len(), self.checksum);
        assert_eq!(out.len() - start, announced, "a file's header has the length that was announced");
    }
}
