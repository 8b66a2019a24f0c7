//! Bytes that do not fit in memory.

use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::{File, Open, Vfs};

/// Bytes that have a checksum together.
const BLOCK_SIZE: u64 = 64 << 10;

/// A temporary file without a name. Never synced: it is worth nothing after a crash. As nobody is told when the operating system
/// fails to write a page of it, and reads what was there before, what is read is checked against CRC32Cs in memory.
#[derive(Debug)]
pub struct Spill {
    file: Arc<dyn File>,
    len: u64,
    /// Of each block.
    sums: Vec<u32>,
    /// How far the last of them reaches: further than the length behind a cut, until something is appended.
    summed: u64,
}

impl Spill {
    /// Creates the file, as [`Open::Spill`] or [`Open::Kept`], and removes its name at once; its room is given back when the last
    /// handle goes.
    pub fn open(vfs: &dyn Vfs, path: &Path, how: Open) -> io::Result<Self> {
        let opened = vfs.open(path, how);
        let removed = vfs.remove_file(path);
        let file = opened?;
        removed?;
        file.set_len(0)?;
        Ok(Self { file, len: 0, sums: Vec::new(), summed: 0 })
    }

    /// Bytes in the file.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Writes at the end. On an error the length stays, and the next write goes to the same place.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.summed > self.len {
            // What was cut off is about to be overwritten.
            let block = self.block(self.sums.len() - 1)?;
            let kept = usize::try_from(self.len % BLOCK_SIZE).expect("a part of a block");
            *self.sums.last_mut().expect("it has been read") = crc32c::crc32c(&block[..kept]);
            self.summed = self.len;
        }
        self.file.write_at(bytes, self.len)?;
        let mut rest = bytes;
        while !rest.is_empty() {
            let left = BLOCK_SIZE - self.len % BLOCK_SIZE;
            if left == BLOCK_SIZE {
                self.sums.push(0);
            }
            let (piece, behind) =
                rest.split_at(usize::try_from(left).map_or(rest.len(), |left| rest.len().min(left)));
            let sum = self.sums.last_mut().expect("of the block that is not full");
            *sum = crc32c::crc32c_append(*sum, piece);
            self.len += piece.len() as u64;
            rest = behind;
        }
        self.summed = self.len;
        Ok(())
    }

    /// Forgets the bytes from `len` on; they are overwritten later.
    pub fn truncate(&mut self, len: u64) {
        assert!(len <= self.len, "a file is cut, not grown");
        let blocks = len.div_ceil(BLOCK_SIZE);
        self.sums.truncate(usize::try_from(blocks).expect("there are so many"));
        (self.len, self.summed) = (len, self.summed.min(blocks * BLOCK_SIZE));
    }

    /// Fills `out` from `offset`. Kind `InvalidData` if the file holds something else than was written.
    pub fn read_exact_at(&self, mut out: &mut [u8], mut offset: u64) -> io::Result<()> {
        if offset.checked_add(out.len() as u64).is_none_or(|end| end > self.len) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        while !out.is_empty() {
            let block = self.block(usize::try_from(offset / BLOCK_SIZE).expect("there is such a block"))?;
            let start = usize::try_from(offset % BLOCK_SIZE).expect("a part of a block");
            let count = out.len().min(block.len() - start);
            let (piece, rest) = out.split_at_mut(count);
            piece.copy_from_slice(&block[start..start + count]);
            (out, offset) = (rest, offset + count as u64);
        }
        Ok(())
    }

    /// Reads a block as far as it has a sum.
    fn block(&self, nth: usize) -> io::Result<Vec<u8>> {
        let start = nth as u64 * BLOCK_SIZE;
        let size = (self.summed - start).min(BLOCK_SIZE);
        let mut block = vec![0; usize::try_from(size).expect("a block")];
        self.file.read_exact_at(&mut block, start)?;
        if crc32c::crc32c(&block) == self.sums[nth] {
            Ok(block)
        } else {
            let what = format!(
                "a temporary file holds other bytes at {start} than were written: is the disk all right?"
            );
            Err(io::Error::new(io::ErrorKind::InvalidData, what))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::sim::{Rng, SimDisk};

    use super::*;

    fn bytes(rng: &mut Rng, max: usize) -> Vec<u8> {
        let mut bytes = vec![0; rng.index(max)];
        rng.fill(&mut bytes);
        bytes
    }

    #[test]
    fn what_was_appended_and_not_cut_off_is_read() {
        let mut rng = Rng::new(1);
        for _ in 0..20 {
            let mut spill = Spill::open(&SimDisk::new(), "/spill".as_ref(), Open::Spill).unwrap();
            let mut whole = Vec::new();
            for _ in 0..60 {
                if rng.chance(1, 4) {
                    whole.truncate(rng.index(whole.len() + 1));
                    spill.truncate(whole.len() as u64);
                } else {
                    let more = bytes(&mut rng, 100_000);
                    spill.append(&more).unwrap();
                    whole.extend(more);
                }
                assert_eq!(spill.len(), whole.len() as u64);
                let start = rng.index(whole.len() + 1);
                let mut found = vec![0; rng.index(whole.len() - start + 1)];
                spill.read_exact_at(&mut found, start as u64).unwrap();
                assert_eq!(found, whole[start..start + found.len()]);
            }
            let beyond = spill.read_exact_at(&mut [0; 2], spill.len().saturating_sub(1)).unwrap_err();
            assert_eq!(beyond.kind(), io::ErrorKind::UnexpectedEof);
        }
    }

    #[test]
    fn what_the_disk_has_changed_is_an_error() {
        let mut rng = Rng::new(2);
        let mut spill = Spill::open(&SimDisk::new(), "/spill".as_ref(), Open::Spill).unwrap();
        let whole = vec![7; 200_000];
        spill.append(&whole).unwrap();
        for cut in [200_000, 150_000] {
            spill.truncate(cut);
            let changed = rng.below(cut);
            spill.file.write_at(&[8], changed).unwrap();
            let mut found = vec![0; usize::try_from(cut).unwrap()];
            assert_eq!(spill.read_exact_at(&mut found, 0).unwrap_err().kind(), io::ErrorKind::InvalidData);
            spill.file.write_at(&[7], changed).unwrap();
            spill.read_exact_at(&mut found, 0).unwrap();
        }
        spill.file.write_at(&[8], 140_000).unwrap();
        assert!(spill.append(b"x").is_err(), "the block that it would go on with");
    }
}
