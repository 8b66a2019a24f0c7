//! Rows of COM_QUERY: each value a length-encoded string, or 0xFB for NULL.

use crate::out::PacketWriter;
use crate::wire::put::Put;

const NULL: u8 = 0xFB;

/// A row in the making. It has to be [`TextRow::end`]ed, with as many values as there are columns.
#[derive(Debug)]
#[must_use = "a row ends with `end`"]
pub struct TextRow<'w> {
    out: &'w mut PacketWriter,
}

impl<'w> TextRow<'w> {
    /// Begins a row.
    pub fn begin(out: &'w mut PacketWriter) -> Self {
        out.begin();
        Self { out }
    }

    /// NULL.
    pub fn null(&mut self) {
        self.out.payload().put_u8(NULL);
    }

    /// A value that is text already, or bytes.
    pub fn bytes(&mut self, value: &[u8]) {
        self.out.payload().put_lenenc_bytes(value);
    }

    /// A signed integer.
    pub fn int(&mut self, value: i64) {
        self.bytes(itoa::Buffer::new().format(value).as_bytes());
    }

    /// An unsigned integer.
    pub fn uint(&mut self, value: u64) {
        self.bytes(itoa::Buffer::new().format(value).as_bytes());
    }

    /// The payload, to append encoded values to.
    pub fn payload(&mut self) -> &mut Vec<u8> {
        self.out.payload()
    }

    /// Ends the row.
    pub fn end(self) {
        self.out.end();
    }
}
