//! Column types in the client protocol's column definition packets.
//!
//! Source: the protocol documentation's "Column Definition", and the packets of MySQL 9.7.4 in
//! `tests/data/columns.tsv`.

use super::{ColumnType, IntSize};
use crate::collation::Collation;

/// Flags of a column definition. The ones about keys and defaults are the caller's to add.
pub mod flags {
    /// NOT NULL.
    pub const NOT_NULL: u16 = 1;
    /// Part of the primary key.
    pub const PRI_KEY: u16 = 2;
    /// Part of a unique key.
    pub const UNIQUE_KEY: u16 = 4;
    /// Part of another key.
    pub const MULTIPLE_KEY: u16 = 8;
    /// TEXT or BLOB.
    pub const BLOB: u16 = 16;
    /// UNSIGNED.
    pub const UNSIGNED: u16 = 32;
    /// ZEROFILL.
    pub const ZEROFILL: u16 = 64;
    /// Bytes, a `_bin` collation, or a temporal type.
    pub const BINARY: u16 = 128;
    /// AUTO_INCREMENT.
    pub const AUTO_INCREMENT: u16 = 512;
    /// ENUM.
    pub const ENUM: u16 = 256;
    /// TIMESTAMP that is set by the server.
    pub const TIMESTAMP: u16 = 1024;
    /// SET.
    pub const SET: u16 = 2048;
    /// NOT NULL without a DEFAULT.
    pub const NO_DEFAULT_VALUE: u16 = 4096;
    /// ON UPDATE CURRENT_TIMESTAMP.
    pub const ON_UPDATE_NOW: u16 = 8192;
    /// Part of some key.
    pub const PART_KEY: u16 = 16384;
}

/// The part of a column definition packet that follows from the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnWire {
    /// MYSQL_TYPE_*.
    pub type_code: u8,
    /// The collation's id: that of the session's results for text, 63 for everything else.
    pub collation_id: u16,
    /// The most bytes of a text result.
    pub length: u32,
    /// [`flags`], those that follow from the type.
    pub flags: u16,
    /// Digits behind the point: the scale, the fraction's digits, 31 for a FLOAT without (m, d).
    pub decimals: u8,
}

/// What `decimals` says of a number whose digits behind the point are not fixed.
pub const NOT_FIXED: u8 = 31;

impl ColumnType {
    /// The definition of a column of this type in results of the collation `results` (the session's
    /// `collation_connection`; `binary` if `character_set_results` is NULL, then text keeps its own set).
    pub fn wire(self, results: Collation) -> ColumnWire {
        let collation_id = match self.collation() {
            None => Collation::Binary.id(),
            Some(own) if results == Collation::Binary => own.id(),
            Some(_) => results.id(),
        };
        ColumnWire {
            type_code: self.type_code(),
            collation_id,
            length: self.wire_length(results),
            flags: self.wire_flags(),
            decimals: self.wire_decimals(),
        }
    }

    /// MYSQL_TYPE_* as clients see it.
    pub fn type_code(self) -> u8 {
        match self {
            Self::Int(int) => match int.size {
                IntSize::Tiny => 1,
                IntSize::Small => 2,
                IntSize::Medium => 9,
                IntSize::Int => 3,
                IntSize::Big => 8,
            },
            Self::Decimal { .. } => 246,
            Self::Float(_) => 4,
            Self::Double(_) => 5,
            Self::Char { .. } | Self::Binary { .. } | Self::Enum(_) | Self::Set(_) => 254,
            Self::Bit { .. } => 16,
            Self::Year => 13,
            Self::Json => 245,
            Self::Varchar { .. } | Self::Varbinary { .. } => 253,
            Self::Text { .. } | Self::Blob { .. } => 252,
            Self::Date => 10,
            Self::Time { .. } => 11,
            Self::DateTime { .. } => 12,
            Self::Timestamp { .. } => 7,
        }
    }

    fn wire_length(self, results: Collation) -> u32 {
        let fraction = |fsp: u8| u32::from(fsp) + u32::from(fsp > 0);
        // Bytes of the longest character that is sent of a text.
        let shown = |own: Collation| {
            let collation = if results == Collation::Binary { own } else { results };
            collation.charset().char_size_max()
        };
        match self {
            Self::Int(int) => u32::from(int.width),
            Self::Decimal { precision, scale, sign } => {
                u32::from(precision) + u32::from(scale > 0) + u32::from(!sign.is_unsigned())
            }
            Self::Float(float) => float.digits.map_or(12, |(m, _)| u32::from(m)),
            Self::Double(float) => float.digits.map_or(22, |(m, _)| u32::from(m)),
            Self::Bit { bits } => u32::from(bits),
            Self::Year => 4,
            Self::Json => u32::MAX,
            Self::Enum(labels) => labels.chars_max() * shown(labels.collation()),
            Self::Set(labels) => labels.chars_of_all() * shown(labels.collation()),
            Self::Date => 10,
            Self::Time { fsp } => 10 + fraction(fsp),
            Self::DateTime { fsp } | Self::Timestamp { fsp } => 19 + fraction(fsp),
            Self::Binary { .. } | Self::Varbinary { .. } | Self::Blob { .. } => self.bytes_max().unwrap_or(0),
            Self::Char { collation, .. } | Self::Varchar { collation, .. } | Self::Text { collation, .. } => {
                self.chars_max().unwrap_or(0).saturating_mul(shown(collation))
            }
        }
    }

    fn wire_flags(self) -> u16 {
        let binary = match self {
            Self::Binary { .. } | Self::Varbinary { .. } | Self::Blob { .. } | Self::Json => true,
            _ => self.fsp().is_some() || self.collation().is_some_and(Collation::compares_code_points),
        };
        let flag = |set: bool, bit: u16| if set { bit } else { 0 };
        flag(binary, flags::BINARY)
            | flag(self.is_lob(), flags::BLOB)
            | flag(matches!(self, Self::Enum(_)), flags::ENUM)
            | flag(matches!(self, Self::Set(_)), flags::SET)
            | flag(self.is_unsigned(), flags::UNSIGNED)
            | flag(self.is_zerofill(), flags::ZEROFILL)
    }

    fn wire_decimals(self) -> u8 {
        match self {
            Self::Decimal { scale, .. } => scale,
            Self::Float(float) | Self::Double(float) => float.digits.map_or(NOT_FIXED, |(_, d)| d),
            _ => self.fsp().unwrap_or(0),
        }
    }
}
