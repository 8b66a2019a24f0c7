//! Records: what the stream consists of.
//!
//! ```text
//! offset size
//!      0    4  body length in bytes
//!      4    1  kind (chosen by the caller; 0 is never used, so that zeros are no record)
//!      5    n  body
//! ```
//! A record carries no checksum of its own: every byte of it lies in a block that has one.

use crate::Lsn;

/// Bytes before the body.
pub const HEAD_SIZE: usize = 5;

/// The head of a record whose body has `body_size` bytes.
///
/// # Panics
/// If `kind` is 0.
pub fn head(kind: u8, body_size: u32) -> [u8; HEAD_SIZE] {
    assert!(kind != 0, "kind 0 is never used");
    let [a, b, c, d] = body_size.to_le_bytes();
    [a, b, c, d, kind]
}

/// A record that was read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// LSN of its first byte.
    pub lsn: Lsn,
    /// LSN of the first byte after it.
    pub end: Lsn,
    /// Its kind.
    pub kind: u8,
    /// Its body.
    pub body: Vec<u8>,
}

/// Cuts a stream of payload pieces into records.
#[derive(Debug)]
pub(crate) struct Assembler {
    /// LSN of the first byte in `pending`.
    lsn: Lsn,
    pending: Vec<u8>,
    /// Bytes at the front of `pending` that were handed out already.
    taken: usize,
}

impl Assembler {
    pub(crate) fn new(lsn: Lsn) -> Self {
        Self { lsn, pending: Vec::new(), taken: 0 }
    }

    /// Adds the next piece of the stream.
    pub(crate) fn push(&mut self, payload: &[u8]) {
        self.pending.drain(..self.taken);
        self.lsn = self.lsn.advance(self.taken as u64);
        self.taken = 0;
        self.pending.extend_from_slice(payload);
    }

    /// The next whole record. `Err` if the stream holds something that is no record.
    pub(crate) fn next(&mut self) -> Result<Option<Record>, &'static str> {
        let rest = &self.pending[self.taken..];
        let Some((head, rest)) = rest.split_first_chunk::<HEAD_SIZE>() else { return Ok(None) };
        let [a, b, c, d, kind] = *head;
        let size = u32::from_le_bytes([a, b, c, d]) as usize;
        if kind == 0 {
            return Err("a record of kind 0");
        }
        let Some(body) = rest.get(..size) else { return Ok(None) };
        let lsn = self.record_start();
        self.taken += HEAD_SIZE + size;
        Ok(Some(Record { lsn, end: self.record_start(), kind, body: body.to_vec() }))
    }

    /// LSN of the first byte that is not part of a record handed out.
    pub(crate) fn record_start(&self) -> Lsn {
        self.lsn.advance(self.taken as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_out_whole_whatever_the_pieces() {
        let mut stream = Vec::new();
        for (kind, body) in [(1, &b"one"[..]), (2, b""), (3, &[9; 300])] {
            stream.extend_from_slice(&head(kind, u32::try_from(body.len()).unwrap()));
            stream.extend_from_slice(body);
        }
        for piece in [1, 2, 7, 100, 1000] {
            let mut assembler = Assembler::new(Lsn(100));
            let mut records = Vec::new();
            for part in stream.chunks(piece) {
                assembler.push(part);
                while let Some(record) = assembler.next().unwrap() {
                    records.push(record);
                }
            }
            let shape: Vec<_> = records.iter().map(|r| (r.lsn.0, r.end.0, r.kind, r.body.len())).collect();
            assert_eq!(shape, [(100, 108, 1, 3), (108, 113, 2, 0), (113, 418, 3, 300)]);
        }
    }

    #[test]
    fn zeros_are_no_record() {
        let mut assembler = Assembler::new(Lsn(1));
        assembler.push(&[0; 64]);
        assert!(assembler.next().is_err());
    }
}
