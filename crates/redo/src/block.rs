//! Blocks: how pieces of the record stream lie in a segment file.
//!
//! ```text
//! offset size
//!      0    4  magic 4F 4C 52 42 ("OLRB"), of the second stream 4F 4C 53 42 ("OLSB")
//!      4    4  CRC32C of bytes 8 .. 40 + payload length
//!      8    8  LSN of the first payload byte
//!     16    8  epoch
//!     24    8  promised LSN: a sync up to here had been promised when this block was written
//!     32    4  payload length in bytes, 1 .. = PAYLOAD_SIZE_MAX
//!     36    4  salt
//!     40    n  payload
//!   40+n       zeros up to the next multiple of BLOCK_ALIGN
//! ```
//! All integers are little-endian. A block begins at a multiple of [`BLOCK_ALIGN`] and is written once: a torn
//! write can only damage bytes that nobody was promised. Rows are payload, and a client may store rows that look like
//! blocks: the salt, a random number of the run, is what it cannot know.

use vfs::AlignedBuf;

use crate::{Lsn, Stream};

/// Blocks begin and end at multiples of this many bytes.
pub const BLOCK_ALIGN: usize = vfs::DURABLE_ALIGN;
/// Bytes of the header.
pub const HEADER_SIZE: usize = 40;
/// The longest payload of one block, in bytes. Larger drains become several blocks.
pub const PAYLOAD_SIZE_MAX: usize = (1 << 20) - HEADER_SIZE;

/// By stream.
const MAGICS: [[u8; 4]; 2] = [*b"OLRB", *b"OLSB"];

/// The server run that writes a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Greater than that of every earlier run.
    pub epoch: u64,
    /// A random number that tells the run's blocks from bytes that only look like blocks.
    pub salt: u32,
}

/// A decoded block header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Whose bytes it carries.
    pub stream: Stream,
    /// LSN of the first payload byte.
    pub lsn: Lsn,
    /// The server run that wrote the block.
    pub run: Run,
    /// A sync up to here had been promised when the block was written.
    pub promised: Lsn,
    /// Bytes of payload.
    pub payload_size: usize,
}

impl Header {
    /// Bytes that the whole block takes in the file.
    pub fn block_size(&self) -> usize {
        (HEADER_SIZE + self.payload_size).next_multiple_of(BLOCK_ALIGN)
    }

    /// LSN of the first byte after the payload.
    pub fn end(&self) -> Lsn {
        self.lsn.advance(self.payload_size as u64)
    }
}

/// Completes a block in `buf`: the payload was appended after [`HEADER_SIZE`] bytes of room that begin at
/// `start`; writes the header there and pads the buffer.
///
/// # Panics
/// If the payload is empty or longer than [`PAYLOAD_SIZE_MAX`].
pub fn seal(buf: &mut AlignedBuf, start: usize, stream: Stream, lsn: Lsn, run: Run, promised: Lsn) {
    let payload_size = buf.len() - start - HEADER_SIZE;
    assert!((1..=PAYLOAD_SIZE_MAX).contains(&payload_size), "a block carries 1 to {PAYLOAD_SIZE_MAX} bytes");
    assert!(promised <= lsn, "a sync is promised only for what was written before");
    let block = &mut buf[start..];
    let size = u32::try_from(payload_size).expect("a payload is at most 1 MiB");
    block[0..4].copy_from_slice(&MAGICS[stream.index()]);
    block[8..16].copy_from_slice(&lsn.0.to_le_bytes());
    block[16..24].copy_from_slice(&run.epoch.to_le_bytes());
    block[24..32].copy_from_slice(&promised.0.to_le_bytes());
    block[32..36].copy_from_slice(&size.to_le_bytes());
    block[36..40].copy_from_slice(&run.salt.to_le_bytes());
    let crc = crc32c::crc32c(&block[8..]);
    block[4..8].copy_from_slice(&crc.to_le_bytes());
    buf.pad_to_block();
}

/// Decodes the header at the start of `bytes` without looking at the payload. `None` if this cannot be a block.
pub fn decode_header(bytes: &[u8]) -> Option<Header> {
    let bytes = bytes.get(..HEADER_SIZE)?;
    let stream = Stream::ALL.into_iter().find(|stream| bytes[..4] == MAGICS[stream.index()])?;
    let payload_size = u32_at(bytes, 32) as usize;
    let header = Header {
        stream,
        lsn: Lsn(u64_at(bytes, 8)),
        run: Run { epoch: u64_at(bytes, 16), salt: u32_at(bytes, 36) },
        promised: Lsn(u64_at(bytes, 24)),
        payload_size,
    };
    let plausible = (1..=PAYLOAD_SIZE_MAX).contains(&payload_size)
        && header.promised <= header.lsn
        && header.lsn.0.checked_add(payload_size as u64).is_some();
    plausible.then_some(header)
}

/// The payload of a whole block, if its checksum holds.
pub fn verify<'a>(header: &Header, block: &'a [u8]) -> Option<&'a [u8]> {
    let body = block.get(8..HEADER_SIZE + header.payload_size)?;
    (crc32c::crc32c(body) == u32_at(block, 4)).then(|| &body[HEADER_SIZE - 8..])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: Run = Run { epoch: 3, salt: 0x0403_0201 };

    fn block(stream: Stream, payload: &[u8]) -> AlignedBuf {
        let mut buf = AlignedBuf::default();
        buf.extend_from_slice(&[0; HEADER_SIZE]);
        buf.extend_from_slice(payload);
        seal(&mut buf, 0, stream, Lsn(5000), RUN, Lsn(4100));
        buf
    }

    #[test]
    fn a_block_is_these_bytes() {
        let buf = block(Stream::First, b"abc");
        assert_eq!(buf.len(), BLOCK_ALIGN);
        assert_eq!(&buf[..4], b"OLRB");
        assert_eq!(&buf[4..8], &crc32c::crc32c(&buf[8..43]).to_le_bytes());
        assert_eq!(
            &buf[8..40],
            &[
                0x88, 0x13, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0x04, 0x10, 0, 0, 0, 0, 0, 0, 3, 0, 0,
                0, 1, 2, 3, 4
            ]
        );
        assert_eq!(&buf[40..43], b"abc");
        assert!(buf[43..].iter().all(|b| *b == 0));
        let second = block(Stream::Second, b"abc");
        assert_eq!(&second[..4], b"OLSB");
        assert_eq!(second[4..], buf[4..]);
    }

    #[test]
    fn a_block_round_trips_and_any_flipped_bit_is_noticed() {
        let buf = block(Stream::Second, &[7; 5000]);
        let header = decode_header(&buf).unwrap();
        let stream = Stream::Second;
        assert_eq!(
            header,
            Header { stream, lsn: Lsn(5000), run: RUN, promised: Lsn(4100), payload_size: 5000 }
        );
        assert_eq!(header.block_size(), 8192);
        assert_eq!(verify(&header, &buf).unwrap(), &[7; 5000]);
        for at in 0..HEADER_SIZE + 5000 {
            let mut bad = buf.to_vec();
            bad[at] ^= 0x10;
            let still = decode_header(&bad).is_some_and(|h| verify(&h, &bad).is_some());
            assert!(!still, "a flipped bit at {at} went unnoticed");
        }
    }
}
