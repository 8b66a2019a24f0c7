//! The base's header page, kept twice.
//!
//! `redb` rewrites its header in place at every commit and trusts the device to write a sector or leave it. A device
//! that loses power may do neither. So the first 4096 bytes of `redb`'s file are kept in two slots, each with a
//! generation and a checksum, and written in turn: the slot that was synced last is never touched before the other
//! one is synced.
//!
//! ```text
//! offset   size
//!      0      8  generation            slot A
//!      8      4  CRC32C of generation and page
//!     12      4  zero
//!     16   4096  the page
//!   8192         slot B, likewise
//!  16384         redb's file from its offset 4096 on
//! ```

use std::io;
use std::sync::Arc;

use vfs::File;

/// Bytes of `redb`'s file that are kept twice.
pub(super) const PAGE_SIZE: usize = 4096;
const SLOT_SIZE: u64 = 8192;
const SLOT_HEAD_SIZE: usize = 16;
/// How much further back everything behind the header page lies than in `redb`'s file.
pub(super) const SHIFT: u64 = 2 * SLOT_SIZE - PAGE_SIZE as u64;

/// The page and where its next version goes.
#[derive(Debug)]
pub(super) struct HeaderPage {
    page: Box<[u8; PAGE_SIZE]>,
    generation: u64,
    /// The slot that survives power loss.
    durable: u64,
    /// The other slot holds a newer version that was not synced.
    pending: bool,
}

impl HeaderPage {
    /// Reads the newer intact slot; an empty file has an empty page.
    ///
    /// # Errors
    /// Kind `InvalidData` if there is no intact slot.
    pub(super) fn open(file: &Arc<dyn File>) -> io::Result<Self> {
        if file.len()? == 0 {
            return Ok(Self { page: Box::new([0; PAGE_SIZE]), generation: 0, durable: 1, pending: false });
        }
        let slots = [read_slot(file, 0)?, read_slot(file, 1)?];
        let newest = slots.into_iter().flatten().max_by_key(|slot| slot.generation);
        newest.ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidData, "both copies of the base's header are damaged")
        })
    }

    /// Copies a part of the page.
    pub(super) fn read(&self, offset: usize, out: &mut [u8]) {
        out.copy_from_slice(&self.page[offset..offset + out.len()]);
    }

    /// Changes a part of the page.
    pub(super) fn write(&mut self, file: &Arc<dyn File>, offset: usize, data: &[u8]) -> io::Result<()> {
        self.page[offset..offset + data.len()].copy_from_slice(data);
        let mut slot = Vec::with_capacity(SLOT_HEAD_SIZE + PAGE_SIZE);
        slot.extend_from_slice(&(self.generation + 1).to_le_bytes());
        slot.extend_from_slice(&[0; 8]);
        slot.extend_from_slice(&*self.page);
        let crc = checksum(&slot);
        slot[8..12].copy_from_slice(&crc.to_le_bytes());
        file.write_at(&slot, (1 - self.durable) * SLOT_SIZE)?;
        self.pending = true;
        Ok(())
    }

    /// Notes that everything written survives power loss.
    pub(super) fn synced(&mut self) {
        if self.pending {
            self.durable = 1 - self.durable;
            self.generation += 1;
            self.pending = false;
        }
    }
}

fn read_slot(file: &Arc<dyn File>, slot: u64) -> io::Result<Option<HeaderPage>> {
    let mut bytes = vec![0; SLOT_HEAD_SIZE + PAGE_SIZE];
    if file.read_at(&mut bytes, slot * SLOT_SIZE)? < bytes.len() {
        return Ok(None);
    }
    let (head, page) = bytes.split_at(SLOT_HEAD_SIZE);
    let generation = u64::from_le_bytes(head[..8].try_into().expect("eight bytes"));
    let intact = generation > 0 && head[8..12] == checksum(&bytes).to_le_bytes();
    let page = Box::new(page.try_into().expect("a page"));
    Ok(intact.then_some(HeaderPage { page, generation, durable: slot, pending: false }))
}

fn checksum(slot: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&slot[..8]), &slot[SLOT_HEAD_SIZE..])
}
