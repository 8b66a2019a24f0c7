//! Reads a byte slice from front to back.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

/// Why bytes are no event of the type that they claim to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DecodeError(pub &'static str);

/// The unread rest of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
}

const SHORT: DecodeError = DecodeError("the body ends inside a field");

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Everything that is left.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    /// Fails unless everything was read.
    pub fn finish(&self) -> Result<(), DecodeError> {
        if self.rest.is_empty() { Ok(()) } else { Err(DecodeError("the body is longer than its fields")) }
    }

    pub fn take(&mut self, len: usize) -> Result<&'a [u8], DecodeError> {
        let (taken, rest) = self.rest.split_at_checked(len).ok_or(SHORT)?;
        self.rest = rest;
        Ok(taken)
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or(SHORT)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub fn u8(&mut self) -> Result<u8, DecodeError> {
        self.array().map(u8::from_le_bytes)
    }

    pub fn u16(&mut self) -> Result<u16, DecodeError> {
        self.array().map(u16::from_le_bytes)
    }

    pub fn u32(&mut self) -> Result<u32, DecodeError> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Result<u64, DecodeError> {
        self.array().map(u64::from_le_bytes)
    }

    /// An unsigned integer of `len` bytes, at most eight.
    pub fn uint(&mut self, len: usize) -> Result<u64, DecodeError> {
        let mut bytes = [0; 8];
        let taken = self.take(len)?;
        bytes.get_mut(..len).ok_or(SHORT)?.copy_from_slice(taken);
        Ok(u64::from_le_bytes(bytes))
    }

    /// A length-encoded integer. 0xfb and 0xff, which mean NULL and error elsewhere, are refused.
    pub fn lenenc(&mut self) -> Result<u64, DecodeError> {
        match self.u8()? {
            byte @ 0..=0xfa => Ok(u64::from(byte)),
            0xfc => self.uint(2),
            0xfd => self.uint(3),
            0xfe => self.u64(),
            _ => Err(DecodeError("not a length-encoded integer")),
        }
    }

    /// A length-encoded integer that counts bytes or columns.
    pub fn lenenc_len(&mut self) -> Result<usize, DecodeError> {
        usize::try_from(self.lenenc()?).map_err(|_| SHORT)
    }

    /// Bytes behind a length of one byte.
    pub fn short_bytes(&mut self) -> Result<&'a [u8], DecodeError> {
        let len = self.u8()?;
        self.take(usize::from(len))
    }

    /// Bytes behind a length-encoded length.
    pub fn lenenc_bytes(&mut self) -> Result<&'a [u8], DecodeError> {
        let len = self.lenenc_len()?;
        self.take(len)
    }

    /// Bytes before a zero byte; the zero byte is consumed too.
    pub fn zero_ended(&mut self) -> Result<&'a [u8], DecodeError> {
        let len = self.rest.iter().position(|byte| *byte == 0).ok_or(SHORT)?;
        let taken = self.take(len)?;
        self.take(1).map(|_| taken)
    }
}
