//! Column types.
//!
//! [`ColumnType`] says what a column holds; its submodules say how SQL, the client protocol, the binlog and the
//! catalog name it, and which definitions MySQL refuses. How a value gets into a column is [`store`](crate::store),
//! how a row holds it is [`row`](crate::row).
//!
//! Types still to come are new variants here, and the compiler shows every place that has to know them.

mod binlog;
mod codec;
mod labels;
mod limits;
mod name;
mod wire;

pub use binlog::BinlogType;
pub use codec::{CatalogError, SERIAL_VERSION};
pub use labels::{ENUM_LABELS_MAX, LABEL_CHARS_MAX, Labels, SET_LABELS_MAX};
pub use limits::{ROW_SIZE_MAX, check_row_size};
pub use wire::{ColumnWire, flags};

use crate::collation::Collation;
use crate::decimal::DecimalKind;

/// A column: its name, its type, and whether it takes NULL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its table's name, as messages of JSON show it; may be empty.
    pub table: String,
    /// The name, as messages show it.
    pub name: String,
    /// What it holds.
    pub ty: ColumnType,
    /// Whether it takes NULL.
    pub nullable: bool,
}

/// The type of a column. Build checked ones with the constructors in `limits.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColumnType {
    /// TINYINT, SMALLINT, MEDIUMINT, INT, BIGINT, BOOL.
    Int(IntType),
    /// DECIMAL(p, s).
    Decimal {
        /// All digits, 1 to 65.
        precision: u8,
        /// Digits behind the point, 0 to 30.
        scale: u8,
        /// Which numbers.
        sign: Sign,
    },
    /// FLOAT, FLOAT(m, d).
    Float(FloatType),
    /// DOUBLE, DOUBLE(m, d).
    Double(FloatType),
    /// CHAR(n).
    Char {
        /// Characters, 0 to 255.
        chars: u8,
        /// Character set and order.
        collation: Collation,
    },
    /// VARCHAR(n).
    Varchar {
        /// Characters; in bytes at most 65,535.
        chars: u16,
        /// Character set and order.
        collation: Collation,
    },
    /// TINYTEXT, TEXT, MEDIUMTEXT, LONGTEXT.
    Text {
        /// Which of the four.
        size: LobSize,
        /// Character set and order.
        collation: Collation,
    },
    /// BINARY(n).
    Binary {
        /// Bytes, 0 to 255.
        size: u8,
    },
    /// VARBINARY(n).
    Varbinary {
        /// Bytes.
        size: u16,
    },
    /// TINYBLOB, BLOB, MEDIUMBLOB, LONGBLOB.
    Blob {
        /// Which of the four.
        size: LobSize,
    },
    /// ENUM: the number of one of its labels, from 1 on; 0 is the empty text of a value that was none.
    Enum(Labels),
    /// SET: a bit for each of its labels, the first one's the lowest.
    Set(Labels),
    /// BIT(n).
    Bit {
        /// 1 to 64.
        bits: u8,
    },
    /// YEAR.
    Year,
    /// JSON.
    Json,
    /// DATE.
    Date,
    /// TIME(f).
    Time {
        /// Digits of fractional seconds, 0 to 6.
        fsp: u8,
    },
    /// DATETIME(f).
    DateTime {
        /// Digits of fractional seconds, 0 to 6.
        fsp: u8,
    },
    /// TIMESTAMP(f).
    Timestamp {
        /// Digits of fractional seconds, 0 to 6.
        fsp: u8,
    },
}

/// Which numbers a column takes, and whether it shows leading zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sign {
    /// All.
    Signed,
    /// Those from 0 on.
    Unsigned,
    /// UNSIGNED ZEROFILL: numbers are shown with zeros up to the display width.
    Zerofill,
}

impl Sign {
    /// Whether negative numbers are refused.
    pub fn is_unsigned(self) -> bool {
        self != Self::Signed
    }
}

/// The five integer sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IntSize {
    /// 1 byte.
    Tiny,
    /// 2 bytes.
    Small,
    /// 3 bytes.
    Medium,
    /// 4 bytes.
    Int,
    /// 8 bytes.
    Big,
}

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntType {
    /// Which of the five.
    pub size: IntSize,
    /// Which numbers.
    pub sign: Sign,
    /// The display width: 11 of INT(11). Clients and ZEROFILL see it; it limits nothing.
    pub width: u8,
}

/// A binary floating-point type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatType {
    /// Which numbers.
    pub sign: Sign,
    /// (m, d): all digits and those behind the point, if they were given.
    pub digits: Option<(u8, u8)>,
}

/// The four sizes of TEXT and BLOB, by the bytes that hold their length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LobSize {
    /// TINY: up to 255 bytes.
    Tiny,
    /// Up to 65,535 bytes.
    Normal,
    /// MEDIUM: up to 16 MiB - 1.
    Medium,
    /// LONG: up to 4 GiB - 1.
    Long,
}

impl LobSize {
    /// How many bytes hold the length: 1 to 4.
    pub fn length_size(self) -> u8 {
        match self {
            Self::Tiny => 1,
            Self::Normal => 2,
            Self::Medium => 3,
            Self::Long => 4,
        }
    }

    /// The most bytes.
    pub fn bytes_max(self) -> u32 {
        match self {
            Self::Long => u32::MAX,
            _ => (1 << (8 * self.length_size())) - 1,
        }
    }
}

impl IntType {
    /// The type with its usual display width.
    pub fn new(size: IntSize, sign: Sign) -> Self {
        let width = match (size, sign.is_unsigned()) {
            (IntSize::Tiny, false) => 4,
            (IntSize::Tiny, true) => 3,
            (IntSize::Small, false) => 6,
            (IntSize::Small, true) => 5,
            (IntSize::Medium, false) => 9,
            (IntSize::Medium, true) => 8,
            (IntSize::Int, false) => 11,
            (IntSize::Int, true) => 10,
            (IntSize::Big, _) => 20,
        };
        Self { size, sign, width }
    }

    /// Whether negative numbers are refused.
    pub fn is_unsigned(self) -> bool {
        self.sign.is_unsigned()
    }

    /// Bytes in a row: 1, 2, 3, 4 or 8.
    pub fn bytes(self) -> u8 {
        match self.size {
            IntSize::Tiny => 1,
            IntSize::Small => 2,
            IntSize::Medium => 3,
            IntSize::Int => 4,
            IntSize::Big => 8,
        }
    }

    /// The smallest number.
    pub fn min(self) -> i64 {
        if self.is_unsigned() { 0 } else { i64::MIN >> (64 - 8 * u32::from(self.bytes())) }
    }

    /// The largest number.
    pub fn max(self) -> u64 {
        let all = u64::MAX >> (64 - 8 * u32::from(self.bytes()));
        if self.is_unsigned() { all } else { all >> 1 }
    }

    /// The digits that the type counts with in DECIMAL arithmetic and in `information_schema`.
    pub fn precision(self) -> u8 {
        match (self.size, self.is_unsigned()) {
            (IntSize::Tiny, _) => 3,
            (IntSize::Small, _) => 5,
            (IntSize::Medium, _) => 7,
            (IntSize::Int, _) => 10,
            (IntSize::Big, false) => 19,
            (IntSize::Big, true) => 20,
        }
    }
}

impl ColumnType {
    /// The collation of a type whose values are text: labels are.
    pub fn collation(self) -> Option<Collation> {
        match self {
            Self::Char { collation, .. } | Self::Varchar { collation, .. } | Self::Text { collation, .. } => {
                Some(collation)
            }
            Self::Enum(labels) | Self::Set(labels) => Some(labels.collation()),
            _ => None,
        }
    }

    /// The same type with another collation; a type without one stays as it is.
    #[must_use]
    pub fn with_collation(self, collation: Collation) -> Self {
        match self {
            Self::Char { chars, .. } => Self::Char { chars, collation },
            Self::Varchar { chars, .. } => Self::Varchar { chars, collation },
            Self::Text { size, .. } => Self::Text { size, collation },
            Self::Enum(labels) => Self::Enum(labels.with_collation(collation)),
            Self::Set(labels) => Self::Set(labels.with_collation(collation)),
            other => other,
        }
    }

    /// Whether the type holds text or bytes: only such columns have key prefixes.
    pub fn is_string(self) -> bool {
        self.chars_max().is_some()
    }

    /// The labels of an ENUM or a SET.
    pub fn labels(self) -> Option<Labels> {
        match self {
            Self::Enum(labels) | Self::Set(labels) => Some(labels),
            _ => None,
        }
    }

    /// Whether the type is a TEXT, a BLOB or JSON.
    pub fn is_lob(self) -> bool {
        matches!(self, Self::Text { .. } | Self::Blob { .. } | Self::Json)
    }

    /// Whether the type is a number.
    pub fn is_numeric(self) -> bool {
        matches!(self, Self::Int(_) | Self::Decimal { .. } | Self::Float(_) | Self::Double(_))
    }

    /// Whether the type is a number that refuses negative ones.
    pub fn is_unsigned(self) -> bool {
        match self {
            Self::Bit { .. } | Self::Year => true,
            Self::Int(int) => int.is_unsigned(),
            Self::Decimal { sign, .. } => sign.is_unsigned(),
            Self::Float(float) | Self::Double(float) => float.sign.is_unsigned(),
            _ => false,
        }
    }

    /// Whether numbers are shown with leading zeros.
    pub fn is_zerofill(self) -> bool {
        match self {
            Self::Int(int) => int.sign == Sign::Zerofill,
            Self::Decimal { sign, .. } => sign == Sign::Zerofill,
            Self::Float(float) | Self::Double(float) => float.sign == Sign::Zerofill,
            Self::Year => true,
            _ => false,
        }
    }

    /// Digits of fractional seconds of a temporal type.
    pub fn fsp(self) -> Option<u8> {
        match self {
            Self::Date => Some(0),
            Self::Time { fsp } | Self::DateTime { fsp } | Self::Timestamp { fsp } => Some(fsp),
            _ => None,
        }
    }

    /// The exact-number type with which the column takes part in DECIMAL arithmetic.
    pub fn decimal_kind(self) -> Option<DecimalKind> {
        match self {
            Self::Int(int) => Some(DecimalKind::integer(int.precision())),
            Self::Decimal { precision, scale, .. } => Some(DecimalKind { precision, scale }),
            _ => None,
        }
    }

    /// The most characters (bytes for binary types) of a string type.
    pub fn chars_max(self) -> Option<u32> {
        match self {
            Self::Char { chars, .. } => Some(u32::from(chars)),
            Self::Varchar { chars, .. } => Some(u32::from(chars)),
            Self::Binary { size } => Some(u32::from(size)),
            Self::Varbinary { size } => Some(u32::from(size)),
            Self::Text { size, .. } | Self::Blob { size } => Some(size.bytes_max()),
            _ => None,
        }
    }

    /// The most characters and bytes of a value's text, of types whose values are text or bytes:
    /// `CHARACTER_MAXIMUM_LENGTH` and `CHARACTER_OCTET_LENGTH`.
    pub fn text_size(self) -> Option<(u32, u32)> {
        let chars = match self {
            Self::Enum(labels) => labels.chars_max(),
            Self::Set(labels) => labels.chars_of_all(),
            _ => return Some((self.chars_max()?, self.bytes_max()?)),
        };
        Some((chars, chars * self.collation()?.charset().char_size_max()))
    }

    /// Bytes of a value in a row, of a type whose values all take the same.
    pub fn stored_size(self) -> Option<usize> {
        crate::row::fixed_size(self)
    }

    /// The most bytes of a string type's value.
    pub fn bytes_max(self) -> Option<u32> {
        let scale = match self {
            Self::Char { collation, .. } | Self::Varchar { collation, .. } => {
                collation.charset().char_size_max()
            }
            _ => 1,
        };
        self.chars_max().map(|chars| chars * scale)
    }
}
