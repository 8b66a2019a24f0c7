//! The only way in which this crate reads a client's bytes: a slice that shrinks from the front and answers
//! every request with a value or with [`Error::Malformed`].
//!
//! Integers are little-endian. A length-encoded integer is
//!
//! | first byte | value |
//! | --- | --- |
//! | 0x00 to 0xFA | the byte itself |
//! | 0xFB | not an integer: NULL in a text row |
//! | 0xFC | the next 2 bytes |
//! | 0xFD | the next 3 bytes |
//! | 0xFE | the next 8 bytes |
//! | 0xFF | not an integer: an ERR packet |

use crate::{Error, Result};

/// Reads values from the front of a slice. Copies of it are independent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
    packet: &'static str,
}

impl<'a> Cursor<'a> {
    /// Reads `bytes`; `packet` names them in errors.
    pub(crate) const fn new(bytes: &'a [u8], packet: &'static str) -> Self {
        Self { rest: bytes, packet }
    }

    /// What was not read yet.
    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The error for a value that makes no sense in this packet.
    pub(crate) const fn malformed(&self) -> Error {
        Error::Malformed(self.packet)
    }

    /// The next `N` bytes.
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (head, rest) = self.rest.split_first_chunk::<N>().ok_or(self.malformed())?;
        self.rest = rest;
        Ok(*head)
    }

    /// The next `count` bytes.
    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let (head, rest) = self.rest.split_at_checked(count).ok_or(self.malformed())?;
        self.rest = rest;
        Ok(head)
    }

    pub(crate) fn u8(&mut self) -> Result<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self) -> Result<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// A length-encoded integer.
    pub(crate) fn lenenc(&mut self) -> Result<u64> {
        match self.u8()? {
            short @ 0..=0xFA => Ok(u64::from(short)),
            0xFC => self.u16().map(u64::from),
            0xFD => self.array().map(|[a, b, c]| u64::from(u32::from_le_bytes([a, b, c, 0]))),
            0xFE => self.u64(),
            0xFB | 0xFF => Err(self.malformed()),
        }
    }

    /// Bytes behind their length-encoded length.
    pub(crate) fn lenenc_bytes(&mut self) -> Result<&'a [u8]> {
        let size = usize::try_from(self.lenenc()?).map_err(|_| self.malformed())?;
        self.bytes(size)
    }

    /// Bytes behind their length in one byte.
    pub(crate) fn u8_bytes(&mut self) -> Result<&'a [u8]> {
        let size = usize::from(self.u8()?);
        self.bytes(size)
    }

    /// Bytes up to a NUL, which is required and not returned.
    pub(crate) fn nul_bytes(&mut self) -> Result<&'a [u8]> {
        let size = self.rest.iter().position(|&byte| byte == 0).ok_or(self.malformed())?;
        let text = self.bytes(size)?;
        self.u8()?;
        Ok(text)
    }

    /// Bytes up to a NUL, or up to the end where clients leave the last NUL out.
    pub(crate) fn nul_or_rest(&mut self) -> &'a [u8] {
        self.nul_bytes().unwrap_or_else(|_| std::mem::take(&mut self.rest))
    }
}
