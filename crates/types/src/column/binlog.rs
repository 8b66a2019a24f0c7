//! Column types in TABLE_MAP events: a type byte and up to two bytes of metadata.
//!
//! | type | code | metadata |
//! | --- | --- | --- |
//! | TINYINT, SMALLINT, MEDIUMINT, INT, BIGINT | 1, 2, 9, 3, 8 | - |
//! | DECIMAL | 246 | precision, scale |
//! | FLOAT, DOUBLE | 4, 5 | size in bytes |
//! | CHAR, BINARY | 254 | below |
//! | VARCHAR, VARBINARY | 15 | most bytes, little-endian u16 |
//! | TEXT, BLOB of all sizes | 252 | bytes of the length |
//! | DATE | 10 | - |
//! | TIME, DATETIME, TIMESTAMP | 19, 18, 17 | digits of the fraction |
//! | YEAR | 13 | - |
//! | BIT | 16 | bits beyond whole bytes, whole bytes |
//! | JSON | 245 | bytes of the length, 4 |
//! | ENUM, SET | 254 | 247 or 248, bytes of a value |
//!
//! CHAR stores the most bytes (up to 1,020) in ten bits: the second byte holds the lower eight, and the upper two
//! are flipped into bits 4 and 5 of the first byte, which is otherwise 254.
//!
//! Source: the binlog event documentation, and TABLE_MAP events of MySQL 9.7.4 in `tests/data/columns.tsv`.

use super::{ColumnType, IntSize};

/// A type as TABLE_MAP has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BinlogType {
    /// The type byte.
    pub code: u8,
    metadata: [u8; 2],
    metadata_size: u8,
}

impl BinlogType {
    /// The metadata bytes, none to two.
    pub fn metadata(&self) -> &[u8] {
        &self.metadata[..usize::from(self.metadata_size)]
    }

    fn with(code: u8, metadata: &[u8]) -> Self {
        let mut bytes = [0; 2];
        bytes[..metadata.len()].copy_from_slice(metadata);
        Self {
            code,
            metadata: bytes,
            metadata_size: if metadata.len() > 1 { 2 } else { u8::from(!metadata.is_empty()) },
        }
    }
}

impl ColumnType {
    /// The type and metadata of this column in a TABLE_MAP event.
    pub fn binlog_type(self) -> BinlogType {
        match self {
            Self::Int(int) => {
                let code = match int.size {
                    IntSize::Tiny => 1,
                    IntSize::Small => 2,
                    IntSize::Medium => 9,
                    IntSize::Int => 3,
                    IntSize::Big => 8,
                };
                BinlogType::with(code, &[])
            }
            Self::Decimal { precision, scale, .. } => BinlogType::with(246, &[precision, scale]),
            Self::Float(_) => BinlogType::with(4, &[4]),
            Self::Double(_) => BinlogType::with(5, &[8]),
            Self::Char { .. } | Self::Binary { .. } => {
                let [low, high, ..] = self.bytes_max().unwrap_or(0).to_le_bytes();
                BinlogType::with(254, &[0xFE ^ (high & 3) << 4, low])
            }
            Self::Varchar { .. } | Self::Varbinary { .. } => {
                let [low, high, ..] = self.bytes_max().unwrap_or(0).to_le_bytes();
                BinlogType::with(15, &[low, high])
            }
            Self::Text { size, .. } | Self::Blob { size } => BinlogType::with(252, &[size.length_size()]),
            Self::Enum(labels) => BinlogType::with(254, &[247, labels.enum_bytes()]),
            Self::Set(labels) => BinlogType::with(254, &[248, labels.set_bytes()]),
            Self::Bit { bits } => BinlogType::with(16, &[bits % 8, bits / 8]),
            Self::Year => BinlogType::with(13, &[]),
            Self::Json => BinlogType::with(245, &[4]),
            Self::Date => BinlogType::with(10, &[]),
            Self::Time { fsp } => BinlogType::with(19, &[fsp]),
            Self::DateTime { fsp } => BinlogType::with(18, &[fsp]),
            Self::Timestamp { fsp } => BinlogType::with(17, &[fsp]),
        }
    }
}
