//! One value in binary form, as COM_STMT_EXECUTE and query attributes carry it.

use smallvec::SmallVec;

use crate::Result;
use crate::value::{DateTime, TimeSpan};
use crate::wire::ColumnType;
use crate::wire::cursor::Cursor;

const UNSIGNED: u8 = 0x80;

/// The type of a parameter, as the client declared it.
///
/// | bytes | field |
/// | --- | --- |
/// | 1 | type |
/// | 1 | 0x80 for unsigned, else 0 |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamType {
    /// The type.
    pub column_type: ColumnType,
    /// Whether an integer is unsigned.
    pub unsigned: bool,
}

/// Those of one statement's parameters; a few take no memory of their own.
pub type ParamTypes = SmallVec<[ParamType; 8]>;

/// A value; nothing is allocated for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Param<'a> {
    /// NULL.
    Null,
    /// A signed integer of any size.
    Int(i64),
    /// An unsigned integer of any size.
    UInt(u64),
    /// FLOAT.
    Float(f32),
    /// DOUBLE.
    Double(f64),
    /// Strings, byte strings, decimals (as text), JSON, BIT, ENUM, SET: bytes in the session's character set or
    /// none.
    Bytes {
        /// The value.
        bytes: &'a [u8],
        /// What it is meant to be.
        column_type: ColumnType,
    },
    /// DATE, DATETIME or TIMESTAMP.
    Date {
        /// The value.
        value: DateTime,
        /// Which of them it is.
        column_type: ColumnType,
    },
    /// TIME.
    Time(TimeSpan),
    /// The value came before, with COM_STMT_SEND_LONG_DATA.
    LongData(ColumnType),
}

impl ParamType {
    pub(crate) fn decode(cursor: &mut Cursor<'_>) -> Result<Self> {
        let [number, flags] = cursor.array()?;
        let column_type = ColumnType::from_u8(number).ok_or(cursor.malformed())?;
        Ok(Self { column_type, unsigned: flags & UNSIGNED != 0 })
    }
}

impl<'a> Param<'a> {
    /// Reads one value that is not NULL by bitmap.
    pub(crate) fn decode(cursor: &mut Cursor<'a>, declared: ParamType) -> Result<Self> {
        let ParamType { column_type, unsigned } = declared;
        Ok(match column_type {
            ColumnType::Null => Self::Null,
            ColumnType::Float => Self::Float(f32::from_le_bytes(cursor.array()?)),
            ColumnType::Double => Self::Double(f64::from_le_bytes(cursor.array()?)),
            ColumnType::Date | ColumnType::DateTime | ColumnType::Timestamp => {
                Self::Date { value: DateTime::decode(cursor)?, column_type }
            }
            ColumnType::Time => Self::Time(TimeSpan::decode(cursor)?),
            _ => match column_type.integer_size() {
                Some(size) if unsigned => Self::UInt(unsigned_integer(cursor, size)?),
                Some(size) => Self::Int(signed_integer(cursor, size)?),
                None => Self::Bytes { bytes: cursor.lenenc_bytes()?, column_type },
            },
        })
    }
}

fn unsigned_integer(cursor: &mut Cursor<'_>, size: usize) -> Result<u64> {
    match size {
        1 => cursor.u8().map(u64::from),
        2 => cursor.u16().map(u64::from),
        4 => cursor.u32().map(u64::from),
        _ => cursor.u64(),
    }
}

fn signed_integer(cursor: &mut Cursor<'_>, size: usize) -> Result<i64> {
    match size {
        1 => cursor.array().map(i8::from_le_bytes).map(i64::from),
        2 => cursor.array().map(i16::from_le_bytes).map(i64::from),
        4 => cursor.array().map(i32::from_le_bytes).map(i64::from),
        _ => cursor.array().map(i64::from_le_bytes),
    }
}
