//! Segment files: `redo.000001`, `redo.000002`, ... of one size, preallocated with zeros and recycled.
//!
//! The first [`BLOCK_ALIGN`] bytes are the segment's header:
//!
//! ```text
//! offset size
//!      0    4  magic 4F 4C 52 53 ("OLRS")
//!      4    4  CRC32C of what is behind it up to the zeros
//!      8    4  format version: 2, or 3 if the segment carries a second stream
//!     12    8  segment number, the one in the file's name
//!     20    8  epoch
//!     28    8  LSN of the first payload byte in this segment
//!     36    8  size of the file in bytes
//!     44    4  salt (version 1: none, and its blocks have 0)
//!     48    8  LSN of the second stream's first payload byte in this segment (only version 3)
//!     56       zeros up to BLOCK_ALIGN
//! ```
//! A file whose header does not carry the number of its name is a spare: zeros, or a recycled segment whose old
//! blocks have LSNs that nobody expects there. The header is written when the segment is put to use.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use vfs::{AlignedBuf, File, Open, Vfs};

use crate::Lsn;
use crate::block::{BLOCK_ALIGN, Run};

/// Where a segment's first byte of each stream stands.
pub(crate) type Starts = [Lsn; 2];

/// For a stream of which a segment has nothing. No stream begins there.
pub(crate) const NO_STREAM: Lsn = Lsn(0);

const MAGIC: [u8; 4] = *b"OLRS";
/// Versions of the header, and where each ends: without a salt, with one, with a second stream.
const ENDS: [(u32, usize); 3] = [(1, 44), (2, 48), (3, HEADER_END)];
const HEADER_END: usize = 56;
const PREFIX: &str = "redo.";
/// Zeros are written in pieces of this many bytes when a segment is preallocated.
const ZERO_PIECE: usize = 1 << 20;

/// A segment's number; they are used in ascending order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SegmentNo(pub u64);

impl SegmentNo {
    /// The number after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }

    pub(crate) fn path(self, dir: &Path) -> PathBuf {
        dir.join(format!("{PREFIX}{:06}", self.0))
    }
}

/// A decoded segment header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) no: SegmentNo,
    pub(crate) run: Run,
    pub(crate) starts: Starts,
    pub(crate) size: u64,
}

impl Header {
    pub(crate) fn encode(&self, buf: &mut AlignedBuf) {
        let [first, second] = self.starts;
        let (version, end) = ENDS[if second == NO_STREAM { 1 } else { 2 }];
        let mut bytes = [0; HEADER_END];
        bytes[0..4].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&version.to_le_bytes());
        bytes[12..20].copy_from_slice(&self.no.0.to_le_bytes());
        bytes[20..28].copy_from_slice(&self.run.epoch.to_le_bytes());
        bytes[28..36].copy_from_slice(&first.0.to_le_bytes());
        bytes[36..44].copy_from_slice(&self.size.to_le_bytes());
        bytes[44..48].copy_from_slice(&self.run.salt.to_le_bytes());
        bytes[48..56].copy_from_slice(&second.0.to_le_bytes());
        let crc = crc32c::crc32c(&bytes[8..end]);
        bytes[4..8].copy_from_slice(&crc.to_le_bytes());
        buf.extend_from_slice(&bytes[..end]);
        buf.pad_to_block();
    }

    fn decode(bytes: &[u8; HEADER_END]) -> Option<Self> {
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        let half = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let (version, end) = ENDS.into_iter().find(|(version, _)| *version == half(8))?;
        let valid = bytes[0..4] == MAGIC && half(4) == crc32c::crc32c(&bytes[8..end]);
        let run = Run { epoch: word(20), salt: if version == 1 { 0 } else { half(44) } };
        let second = if version == 3 { Lsn(word(48)) } else { NO_STREAM };
        let starts = [Lsn(word(28)), second];
        valid.then(|| Self { no: SegmentNo(word(12)), run, starts, size: word(36) })
    }

    /// Reads the header of an open segment file. `None` if the file is a spare.
    pub(crate) fn read(file: &dyn File, no: SegmentNo) -> io::Result<Option<Self>> {
        let mut bytes = [0; HEADER_END];
        let size = file.read_at(&mut bytes, 0)?;
        Ok(if size == HEADER_END { Self::decode(&bytes).filter(|header| header.no == no) } else { None })
    }
}

/// The numbers of all segment files in the directory, ascending.
pub(crate) fn list(vfs: &dyn Vfs, dir: &Path) -> io::Result<Vec<SegmentNo>> {
    let number = |name: String| name.strip_prefix(PREFIX)?.parse().ok().map(SegmentNo);
    let mut numbers: Vec<_> = vfs.list(dir)?.into_iter().filter_map(number).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// Creates a spare of `size` bytes of zeros that survives power loss under its name.
pub(crate) fn preallocate(vfs: &dyn Vfs, dir: &Path, no: SegmentNo, size: u64) -> io::Result<Arc<dyn File>> {
    let path = no.path(dir);
    let file = vfs.open(&path, Open::CreateNew)?;
    let fill = || {
        let zeros = vec![0; ZERO_PIECE.min(usize::try_from(size).unwrap_or(ZERO_PIECE))];
        let mut at = 0;
        while at < size {
            let piece = usize::try_from(size - at).unwrap_or(ZERO_PIECE).min(zeros.len());
            file.write_at(&zeros[..piece], at)?;
            at += piece as u64;
        }
        file.sync_all()?;
        vfs.sync_dir(dir)
    };
    if let Err(error) = fill() {
        // A half-made spare holds nothing; its room may be what somebody else needs.
        vfs.remove_file(&path)?;
        return Err(error);
    }
    Ok(file)
}

/// Whether a file holds nothing under its name.
pub(crate) fn is_spare(file: &dyn File, no: SegmentNo) -> io::Result<bool> {
    Ok(Header::read(file, no)?.is_none())
}

/// Gives a retired segment a new number. It is a spare then.
pub(crate) fn recycle(
    vfs: &dyn Vfs,
    dir: &Path,
    from: SegmentNo,
    to: SegmentNo,
) -> io::Result<Arc<dyn File>> {
    let (old, new) = (from.path(dir), to.path(dir));
    vfs.rename(&old, &new)?;
    let opened = vfs.sync_dir(dir).and_then(|()| vfs.open(&new, Open::ReadWrite));
    if opened.is_err() {
        // Who tries again finds it as it was.
        vfs.rename(&new, &old)?;
    }
    opened
}

/// Bytes at the front of a segment that hold no block.
pub(crate) const HEADER_SIZE: u64 = BLOCK_ALIGN as u64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_these_bytes_and_damage_makes_a_spare() {
        let run = Run { epoch: 2, salt: 9 };
        let header = Header { no: SegmentNo(7), run, starts: [Lsn(4096), NO_STREAM], size: 1 << 20 };
        let mut buf = AlignedBuf::default();
        header.encode(&mut buf);
        assert_eq!(buf.len(), BLOCK_ALIGN);
        assert_eq!(&buf[..4], b"OLRS");
        assert_eq!(
            &buf[8..48],
            &[
                2, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0,
                0x10, 0, 0, 0, 0, 0, 9, 0, 0, 0
            ]
        );
        let mut bytes: [u8; HEADER_END] = buf[..HEADER_END].try_into().unwrap();
        assert_eq!(Header::decode(&bytes), Some(header));
        let mut earlier = bytes;
        earlier[8] = 1;
        let crc = crc32c::crc32c(&earlier[8..44]);
        earlier[4..8].copy_from_slice(&crc.to_le_bytes());
        assert_eq!(Header::decode(&earlier), Some(Header { run: Run { epoch: 2, salt: 0 }, ..header }));
        bytes[30] ^= 1;
        assert_eq!(Header::decode(&bytes), None);
        let with_second = Header { starts: [Lsn(4096), Lsn(0x5000)], ..header };
        buf.clear();
        with_second.encode(&mut buf);
        assert_eq!((buf[8], &buf[48..56]), (3, &[0, 0x50, 0, 0, 0, 0, 0, 0][..]));
        let mut bytes: [u8; HEADER_END] = buf[..HEADER_END].try_into().unwrap();
        assert_eq!(Header::decode(&bytes), Some(with_second));
        bytes[49] ^= 1;
        assert_eq!(Header::decode(&bytes), None);
    }
}
