//! Column and parameter types as the wire numbers them.

/// `decimals` of a column definition for approximate numbers and strings: "as many as there are".
pub const NOT_FIXED_DECIMALS: u8 = 31;

/// A type in a column definition or of a statement's parameter. Types that only binlogs use (`TIMESTAMP2`,
/// `DATETIME2`, `TIME2`, `NEWDATE`, typed arrays) never travel in packets and have no name here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names are MySQL's own")]
pub enum ColumnType {
    Decimal = 0,
    Tiny = 1,
    Short = 2,
    Long = 3,
    Float = 4,
    Double = 5,
    Null = 6,
    Timestamp = 7,
    LongLong = 8,
    Int24 = 9,
    Date = 10,
    Time = 11,
    DateTime = 12,
    Year = 13,
    VarChar = 15,
    Bit = 16,
    Vector = 242,
    Json = 245,
    NewDecimal = 246,
    Enum = 247,
    Set = 248,
    TinyBlob = 249,
    MediumBlob = 250,
    LongBlob = 251,
    Blob = 252,
    VarString = 253,
    String = 254,
    Geometry = 255,
}

impl ColumnType {
    /// The type of a number, if it is one that may travel.
    pub const fn from_u8(number: u8) -> Option<Self> {
        Some(match number {
            0 => Self::Decimal,
            1 => Self::Tiny,
            2 => Self::Short,
            3 => Self::Long,
            4 => Self::Float,
            5 => Self::Double,
            6 => Self::Null,
            7 => Self::Timestamp,
            8 => Self::LongLong,
            9 => Self::Int24,
            10 => Self::Date,
            11 => Self::Time,
            12 => Self::DateTime,
            13 => Self::Year,
            15 => Self::VarChar,
            16 => Self::Bit,
            242 => Self::Vector,
            245 => Self::Json,
            246 => Self::NewDecimal,
            247 => Self::Enum,
            248 => Self::Set,
            249 => Self::TinyBlob,
            250 => Self::MediumBlob,
            251 => Self::LongBlob,
            252 => Self::Blob,
            253 => Self::VarString,
            254 => Self::String,
            255 => Self::Geometry,
            _ => return None,
        })
    }

    /// The number on the wire.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Bytes of an integer type in a binary row or as a parameter; `None` for every other type.
    pub const fn integer_size(self) -> Option<usize> {
        match self {
            Self::Tiny => Some(1),
            Self::Short | Self::Year => Some(2),
            Self::Long | Self::Int24 => Some(4),
            Self::LongLong => Some(8),
            _ => None,
        }
    }
}
