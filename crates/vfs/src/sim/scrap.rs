//! What was once written to a disk and may turn up again in space that is given to another file.
//!
//! A bounded sample: 128 pieces of up to a page. Each write leaves one piece, which replaces a pseudo-random
//! older one, so that the sample holds recent and long past writes. Pieces of aligned writes are whole pages,
//! as the dangerous content is a whole block of a log with a valid checksum.

use std::sync::Arc;

use super::content::{PAGE_BYTES, split};
use super::inode::Piece;
use super::rng::Rng;

const PIECES_MAX: usize = 128;

/// Old bytes.
#[derive(Clone, Default)]
pub(super) struct Scrap {
    pieces: Vec<Arc<[u8]>>,
}

impl Scrap {
    /// Keeps a part of the write that is operation `op`.
    pub(super) fn keep(&mut self, op: u64, piece: &Piece) {
        let mut rng = Rng::new(op);
        let parts: Vec<_> = split(piece.offset(), piece.bytes().len(), PAGE_BYTES).collect();
        if parts.is_empty() {
            return;
        }
        let part = parts[rng.index(parts.len())].clone();
        let kept = piece.bytes()[part].into();
        if self.pieces.len() < PIECES_MAX {
            self.pieces.push(kept);
        } else {
            self.pieces[rng.index(PIECES_MAX)] = kept;
        }
    }

    /// Fills `buf` with old bytes, or with zeros if nothing was ever written. A whole page gets whole old
    /// blocks.
    pub(super) fn fill(&self, buf: &mut [u8], rng: &mut Rng) {
        buf.fill(0);
        let mut done = 0;
        while done < buf.len() && !self.pieces.is_empty() {
            let piece = &self.pieces[rng.index(self.pieces.len())];
            let count = piece.len().min(buf.len() - done);
            buf[done..done + count].copy_from_slice(&piece[..count]);
            done += count;
        }
    }
}
