//! MySQL's binary form of JSON, as rows and row events hold it.
//!
//! A document is a type byte and a value. Integers are little-endian. Offsets count from the first byte of the array
//! or object that holds them, behind its type byte.
//!
//! | type | value |
//! | --- | --- |
//! | `00`, `01` | object, small and large |
//! | `02`, `03` | array, small and large |
//! | `04` | literal: one byte, 0 null, 1 true, 2 false |
//! | `05`, `06` | 2 bytes, signed and unsigned |
//! | `07`, `08` | 4 bytes, signed and unsigned |
//! | `09`, `0A` | 8 bytes, signed and unsigned |
//! | `0B` | 8 bytes, a double |
//! | `0C` | string: length, UTF-8 |
//! | `0F` | opaque: type code of the field, length, bytes |
//!
//! A length is 1 to 5 bytes of 7 bits each, the lowest first; all but the last have their highest bit set.
//!
//! An array or object; a word is 2 bytes if it is small, 4 if it is large:
//!
//! | size | what |
//! | --- | --- |
//! | word | how many members, n |
//! | word | size of the whole, type byte excluded |
//! | n × (word + 2) | objects only: offset and size of each name |
//! | n × (1 + word) | type and offset of each value, or the value itself if it fits: literals, 2-byte integers, and in large ones 4-byte integers |
//! | | objects only: the names, sorted by size and then by bytes |
//! | | the values that have offsets |
//!
//! Small is what, as a small one, has a size of up to 65535.
//!
//! Opaque values of DATE, DATETIME and TIMESTAMP are 8 bytes, `((year * 13 + month) << 5 | day) << 17 | hour << 12 |
//! minute << 6 | second`, shifted left by 24, plus microseconds; of TIME the same without a date, negated if it is
//! negative. A DECIMAL is precision, scale and the stored form of that type.
//!
//! Source: <https://dev.mysql.com/doc/dev/mysql-server/latest/json__binary_8h.html>, and bytes of real binlogs
//! (`tests/data/json_binary.tsv`). One thing cannot be had from a value: which precision MySQL writes for a DECIMAL
//! depends on how it was computed. Here it is that of a literal: the digits it is shown with.

mod decode;
mod encode;
mod read;
mod text;

pub use decode::{decode, decode_at};
pub use encode::{EncodeError, encode, encoded_size};
pub use read::InvalidBinary;
pub use text::write_binary_text;

/// Type bytes.
mod kind {
    pub const OBJECT_SMALL: u8 = 0;
    pub const OBJECT_LARGE: u8 = 1;
    pub const ARRAY_SMALL: u8 = 2;
    pub const ARRAY_LARGE: u8 = 3;
    pub const LITERAL: u8 = 4;
    pub const INT16: u8 = 5;
    pub const UINT16: u8 = 6;
    pub const INT32: u8 = 7;
    pub const UINT32: u8 = 8;
    pub const INT64: u8 = 9;
    pub const UINT64: u8 = 0x0A;
    pub const DOUBLE: u8 = 0x0B;
    pub const STRING: u8 = 0x0C;
    pub const OPAQUE: u8 = 0x0F;
}

/// Values of a literal.
mod literal {
    pub const NULL: u8 = 0;
    pub const TRUE: u8 = 1;
    pub const FALSE: u8 = 2;
}
