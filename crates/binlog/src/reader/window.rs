//! The part of a file that a reader holds in memory.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::ReadAt;
use crate::error::Result;

/// Bytes read at least, unless the file ends before.
pub(super) const READ_AHEAD: usize = 256 << 10;

/// A file and some consecutive bytes of it.
///
/// The file may grow; its length is asked for only when bytes behind the known one are wanted.
#[derive(Debug)]
pub(super) struct Window {
    file: Box<dyn ReadAt>,
    file_len: u64,
    start: u64,
    /// The first `filled` of these are the file's from `start` on; what is behind them is not zeroed anew for each fill.
    buffer: Vec<u8>,
    filled: usize,
}

impl Window {
    pub fn new(file: Box<dyn ReadAt>) -> Self {
        Self { file, file_len: 0, start: 0, buffer: Vec::new(), filled: 0 }
    }

    /// Whether the file, or the caller's limit, ends exactly at `offset`.
    pub fn ends_at(&mut self, offset: u64, limit: u64) -> Result<bool> {
        self.file_len = self.file.len()?;
        Ok(offset == self.file_len.min(limit))
    }

    /// The `len` bytes at `offset`; `None` if the file or the limit ends before.
    pub fn bytes(&mut self, offset: u64, len: usize, limit: u64) -> Result<Option<&[u8]>> {
        let behind = offset.saturating_add(len as u64);
        if behind > limit {
            return Ok(None);
        }
        if behind > self.file_len {
            self.file_len = self.file.len()?;
            if behind > self.file_len {
                return Ok(None);
            }
        }
        if self.held(offset, len).is_none() {
            self.fill(offset, len, self.file_len.min(limit))?;
        }
        Ok(self.held(offset, len))
    }

    fn held(&self, offset: u64, len: usize) -> Option<&[u8]> {
        let from = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        self.buffer.get(..self.filled)?.get(from..from.checked_add(len)?)
    }

    /// Replaces the held bytes by those from `offset` on: `len`, and some more if there are any before `end`.
    fn fill(&mut self, offset: u64, len: usize, end: u64) -> Result<()> {
        let left = usize::try_from(end.saturating_sub(offset)).unwrap_or(usize::MAX);
        let wanted = len.max(READ_AHEAD).min(left);
        (self.start, self.filled) = (offset, 0);
        if self.buffer.len() > wanted.max(READ_AHEAD) {
            // A large event's room.
            self.buffer = Vec::new();
        }
        self.buffer.reserve_exact(wanted.saturating_sub(self.buffer.len()));
        self.buffer.resize(wanted.max(self.buffer.len()), 0);
        while let Some(rest) = self.buffer.get_mut(self.filled..wanted).filter(|rest| !rest.is_empty()) {
            let at = offset.saturating_add(self.filled as u64);
            match self.file.read_at(rest, at)? {
                0 => break,
                count => self.filled = self.filled.saturating_add(count),
            }
        }
        Ok(())
    }
}
