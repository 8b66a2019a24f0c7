//! The bytes of one file image: copy-on-write pages of 4 KiB.
//!
//! A file has two images, what readers see and what survives, which are mostly the same; and a crash sweep
//! clones whole disks thousands of times. Therefore pages are shared by reference count, and 64 of them form
//! a chunk that is shared in turn: cloning an image costs one reference count per 256 KiB.
//!
//! Invariants: pages beyond the length do not exist, and bytes of the last page beyond the length are zero,
//! so that growing needs no clearing. A page that does not exist is a hole: it reads as zeros and takes no
//! space.

use std::ops::Range;
use std::sync::Arc;

/// Bytes of a page: the unit of sharing, of space, and of [`DURABLE_ALIGN`](crate::DURABLE_ALIGN).
pub(super) const PAGE_BYTES: usize = crate::DURABLE_ALIGN;
const CHUNK_PAGES: usize = 64;
const CHUNK_BYTES: u64 = (CHUNK_PAGES * PAGE_BYTES) as u64;

/// Longest simulated file: 64 GiB. Beyond, an offset is taken for a defect rather than given memory.
pub(super) const FILE_BYTES_MAX: u64 = 1 << 36;

/// One image of a file.
#[derive(Clone, Default)]
pub(super) struct Content {
    chunks: Vec<Option<Arc<Chunk>>>,
    len: u64,
    page_count: u64,
}

type Page = [u8; PAGE_BYTES];

#[derive(Clone)]
struct Chunk {
    pages: [Option<Arc<Page>>; CHUNK_PAGES],
}

impl Content {
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Pages that take space.
    pub(super) fn page_count(&self) -> u64 {
        self.page_count
    }

    /// Reads from `offset` on and returns how many bytes there were.
    pub(super) fn read(&self, buf: &mut [u8], offset: u64) -> usize {
        let count = to_usize(self.len.saturating_sub(offset).min(buf.len() as u64));
        for part in split(offset, count, PAGE_BYTES) {
            let (page, start) = locate(offset + part.start as u64);
            match self.page(page) {
                Some(bytes) => buf[part.clone()].copy_from_slice(&bytes[start..start + part.len()]),
                None => buf[part].fill(0),
            }
        }
        count
    }

    /// Writes `data`, growing the image if needed.
    pub(super) fn write(&mut self, data: &[u8], offset: u64) {
        self.extend_to(offset + data.len() as u64);
        for part in split(offset, data.len(), PAGE_BYTES) {
            let (page, start) = locate(offset + part.start as u64);
            let bytes = &data[part];
            let slot = self.slot_mut(page);
            match (slot.as_mut(), <&Page>::try_from(bytes)) {
                // A shared page that is replaced as a whole need not be copied first.
                (Some(old), Ok(whole)) if Arc::strong_count(old) > 1 => *slot = Some(Arc::new(*whole)),
                (Some(old), _) => {
                    Arc::make_mut(old)[start..start + bytes.len()].copy_from_slice(bytes);
                }
                (None, Ok(whole)) => self.fill_hole(page, Arc::new(*whole)),
                (None, Err(_)) => {
                    let mut fresh = [0; PAGE_BYTES];
                    fresh[start..start + bytes.len()].copy_from_slice(bytes);
                    self.fill_hole(page, Arc::new(fresh));
                }
            }
        }
    }

    /// Takes over the pages of `other` that hold `count` bytes from `offset`, both multiples of a page.
    pub(super) fn share_pages(&mut self, other: &Self, offset: u64, count: usize) {
        assert!(locate(offset).1 == 0 && count.is_multiple_of(PAGE_BYTES), "whole pages are shared");
        self.extend_to(offset + count as u64);
        for part in split(offset, count, PAGE_BYTES) {
            let (page, _) = locate(offset + part.start as u64);
            let shared = other.page_slot(page).cloned();
            let gained = u64::from(shared.is_some());
            let lost = u64::from(std::mem::replace(self.slot_mut(page), shared).is_some());
            self.page_count = self.page_count + gained - lost;
        }
    }

    /// Grows the image with a hole to at least `len` bytes.
    pub(super) fn extend_to(&mut self, len: u64) {
        if len > self.len {
            assert!(len <= FILE_BYTES_MAX, "callers refuse longer files");
            self.chunks.resize(to_usize(len.div_ceil(CHUNK_BYTES)), None);
            self.len = len;
        }
    }

    /// Cuts or grows the image to `len` bytes.
    pub(super) fn set_len(&mut self, len: u64) {
        if len >= self.len {
            return self.extend_to(len);
        }
        let (last, tail) = locate(len);
        let first_gone = if tail == 0 { last } else { last + 1 };
        for page in first_gone..self.len.div_ceil(PAGE_BYTES as u64) {
            if self.page_slot(page).is_some() {
                *self.slot_mut(page) = None;
                self.page_count -= 1;
            }
        }
        if tail > 0 && self.page(last).is_some() {
            let page = self.slot_mut(last).as_mut().expect("seen in the line above");
            Arc::make_mut(page)[tail..].fill(0);
        }
        self.chunks.truncate(to_usize(len.div_ceil(CHUNK_BYTES)));
        self.len = len;
    }

    /// How many of `count` bytes at `offset` can be written if only `free_pages` holes may be filled.
    pub(super) fn fitting_bytes(&self, offset: u64, count: usize, free_pages: u64) -> usize {
        let mut filled = 0;
        for part in split(offset, count, PAGE_BYTES) {
            filled += u64::from(self.is_hole(offset + part.start as u64));
            if filled > free_pages {
                return part.start;
            }
        }
        count
    }

    /// Whether the page that holds `offset` was never written.
    pub(super) fn is_hole(&self, offset: u64) -> bool {
        self.page_slot(locate(offset).0).is_none()
    }

    fn page(&self, page: u64) -> Option<&Page> {
        self.page_slot(page).map(|page| &**page)
    }

    fn page_slot(&self, page: u64) -> Option<&Arc<Page>> {
        let page = to_usize(page);
        self.chunks.get(page / CHUNK_PAGES)?.as_ref()?.pages[page % CHUNK_PAGES].as_ref()
    }

    fn slot_mut(&mut self, page: u64) -> &mut Option<Arc<Page>> {
        let page = to_usize(page);
        let chunk = self.chunks[page / CHUNK_PAGES]
            .get_or_insert_with(|| Arc::new(Chunk { pages: [const { None }; CHUNK_PAGES] }));
        &mut Arc::make_mut(chunk).pages[page % CHUNK_PAGES]
    }

    fn fill_hole(&mut self, page: u64, bytes: Arc<Page>) {
        *self.slot_mut(page) = Some(bytes);
        self.page_count += 1;
    }
}

/// The parts of a range of `count` bytes at `offset` between the multiples of `unit`, as ranges into a buffer
/// that holds those bytes.
pub(super) fn split(offset: u64, count: usize, unit: usize) -> impl Iterator<Item = Range<usize>> {
    let phase = to_usize(offset % unit as u64);
    let first = if count == 0 { 0 } else { (unit - phase).min(count) };
    let rest = (first..count).step_by(unit).map(move |start| start..(start + unit).min(count));
    std::iter::once(0..first).filter(|part| !part.is_empty()).chain(rest)
}

/// The page that holds an offset, and the offset inside it.
fn locate(offset: u64) -> (u64, usize) {
    (offset / PAGE_BYTES as u64, to_usize(offset % PAGE_BYTES as u64))
}

fn to_usize(n: u64) -> usize {
    usize::try_from(n).expect("a simulated file's offsets fit the address space")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Rng;

    fn bytes_of(content: &Content) -> Vec<u8> {
        let mut bytes = vec![0xee; to_usize(content.len())];
        assert_eq!(content.read(&mut bytes, 0), bytes.len());
        bytes
    }

    #[test]
    fn it_behaves_as_a_plain_vector_and_clones_keep_their_bytes() {
        for seed in 0..200 {
            let mut rng = Rng::new(seed);
            let (mut content, mut model) = (Content::default(), Vec::<u8>::new());
            let mut old: Vec<(Content, Vec<u8>)> = Vec::new();
            for _ in 0..40 {
                let offset = rng.below(600_000);
                if rng.chance(1, 4) {
                    content.set_len(offset);
                    model.resize(to_usize(offset), 0);
                } else {
                    let size = 1 + rng.index(10_000);
                    let size = if rng.coin() { size.next_multiple_of(PAGE_BYTES) } else { size };
                    let offset = if rng.coin() { offset.next_multiple_of(PAGE_BYTES as u64) } else { offset };
                    let mut data = vec![0; size];
                    rng.fill(&mut data);
                    content.write(&data, offset);
                    let start = to_usize(offset);
                    model.resize(model.len().max(start + size), 0);
                    model[start..start + size].copy_from_slice(&data);
                }
                if rng.chance(1, 8) {
                    old.push((content.clone(), model.clone()));
                }
                let pages = (0..content.len()).step_by(PAGE_BYTES).filter(|&at| !content.is_hole(at)).count();
                assert_eq!(content.page_count(), pages as u64, "seed {seed}");
            }
            old.push((content, model));
            for (content, model) in &old {
                assert!(bytes_of(content) == *model, "seed {seed}");
            }
        }
    }

    #[test]
    fn shared_pages_are_equal_and_then_independent() {
        let mut a = Content::default();
        a.write(&[1; 3 * PAGE_BYTES], 0);
        let mut b = Content::default();
        b.write(&[2; 10], 0);
        b.share_pages(&a, PAGE_BYTES as u64, 2 * PAGE_BYTES);
        a.write(&[3; PAGE_BYTES], PAGE_BYTES as u64);
        let bytes = bytes_of(&b);
        assert!(bytes[..10].iter().all(|&b| b == 2) && bytes[10..PAGE_BYTES].iter().all(|&b| b == 0));
        assert!(bytes[PAGE_BYTES..].iter().all(|&b| b == 1) && bytes.len() == 3 * PAGE_BYTES);
        assert_eq!(b.page_count(), 3);
    }

    #[test]
    fn a_range_is_split_at_the_multiples() {
        let parts = |offset, count| split(offset, count, 512).collect::<Vec<_>>();
        assert_eq!(parts(0, 1024), [0..512, 512..1024]);
        assert_eq!(parts(500, 600), [0..12, 12..524, 524..600]);
        assert_eq!(parts(513, 10), vec![0..10; 1]);
        assert!(parts(7, 0).is_empty());
    }
}
