//! Column types as bytes of the catalog.
//!
//! | offset | bytes | what |
//! | --- | --- | --- |
//! | 0 | 1 | version, 1 |
//! | 1 | 1 | tag of the type |
//! | 2 | 0 to 4, of labels more | parameters of the type |
//!
//! | tag | type | parameters |
//! | --- | --- | --- |
//! | 1 | integer | size (0 to 4), sign, display width |
//! | 2 | DECIMAL | precision, scale, sign |
//! | 3, 4 | FLOAT, DOUBLE | sign, m, d (255, 255 without) |
//! | 5 | CHAR | characters, collation id (u16) |
//! | 6 | VARCHAR | characters (u16), collation id (u16) |
//! | 7 | TEXT | length bytes (1 to 4), collation id (u16) |
//! | 8 | BINARY | bytes |
//! | 9 | VARBINARY | bytes (u16) |
//! | 10 | BLOB | length bytes (1 to 4) |
//! | 11 | DATE | - |
//! | 12, 13, 14 | TIME, DATETIME, TIMESTAMP | fraction's digits |
//! | 15, 16 | ENUM, SET | collation id (u16), number of labels (u16), each one's size (u16) and bytes |
//! | 17 | BIT | bits |
//! | 18, 19 | YEAR, JSON | - |
//!
//! Sign: 0 signed, 1 unsigned, 2 zerofill. Numbers are little-endian. Tags and ids are never reused.

#![deny(clippy::indexing_slicing)]

use super::{ColumnType, FloatType, IntSize, IntType, Labels, LobSize, SET_LABELS_MAX, Sign};
use crate::collation::Collation;
use crate::decimal::{PRECISION_MAX, SCALE_MAX};
use crate::temporal::FSP_MAX;

/// The version that [`ColumnType::serialise`] writes.
pub const SERIAL_VERSION: u8 = 1;

const NO_DIGITS: u8 = 255;

/// Bytes that are no column type of a known version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CatalogError;

impl std::fmt::Display for CatalogError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("not a serialised column type")
    }
}

impl std::error::Error for CatalogError {}

impl ColumnType {
    /// Appends the type's bytes.
    pub fn serialise(self, out: &mut Vec<u8>) {
        out.push(SERIAL_VERSION);
        match self {
            Self::Int(int) => {
                out.extend_from_slice(&[1, int_size_code(int.size), sign_code(int.sign), int.width]);
            }
            Self::Decimal { precision, scale, sign } => {
                out.extend_from_slice(&[2, precision, scale, sign_code(sign)]);
            }
            Self::Float(float) => serialise_float(3, float, out),
            Self::Double(float) => serialise_float(4, float, out),
            Self::Char { chars, collation } => {
                out.extend_from_slice(&[5, chars]);
                out.extend_from_slice(&collation.id().to_le_bytes());
            }
            Self::Varchar { chars, collation } => {
                out.push(6);
                out.extend_from_slice(&chars.to_le_bytes());
                out.extend_from_slice(&collation.id().to_le_bytes());
            }
            Self::Text { size, collation } => {
                out.extend_from_slice(&[7, size.length_size()]);
                out.extend_from_slice(&collation.id().to_le_bytes());
            }
            Self::Binary { size } => out.extend_from_slice(&[8, size]),
            Self::Varbinary { size } => {
                out.push(9);
                out.extend_from_slice(&size.to_le_bytes());
            }
            Self::Blob { size } => out.extend_from_slice(&[10, size.length_size()]),
            Self::Enum(labels) => serialise_labels(15, labels, out),
            Self::Set(labels) => serialise_labels(16, labels, out),
            Self::Bit { bits } => out.extend_from_slice(&[17, bits]),
            Self::Year => out.push(18),
            Self::Json => out.push(19),
            Self::Date => out.push(11),
            Self::Time { fsp } => out.extend_from_slice(&[12, fsp]),
            Self::DateTime { fsp } => out.extend_from_slice(&[13, fsp]),
            Self::Timestamp { fsp } => out.extend_from_slice(&[14, fsp]),
        }
    }

    /// Reads a type from the front of `bytes` and says how many bytes it took.
    pub fn deserialise(bytes: &[u8]) -> Result<(Self, usize), CatalogError> {
        let [SERIAL_VERSION, tag, rest @ ..] = bytes else { return Err(CatalogError) };
        let (ty, size) = read_type(*tag, rest).ok_or(CatalogError)?;
        Ok((ty, 2 + size))
    }
}

fn read_type(tag: u8, rest: &[u8]) -> Option<(ColumnType, usize)> {
    let fsp = |fsp: u8| (fsp <= FSP_MAX).then_some(fsp);
    Some(match (tag, rest) {
        (1, &[size, sign, width, ..]) => {
            (ColumnType::Int(IntType { size: int_size(size)?, sign: sign_of(sign)?, width }), 3)
        }
        (2, &[precision, scale, sign, ..]) => {
            let valid = (1..=PRECISION_MAX).contains(&precision) && scale <= SCALE_MAX.min(precision);
            valid.then_some((ColumnType::Decimal { precision, scale, sign: sign_of(sign)? }, 3))?
        }
        (3, &[sign, m, d, ..]) => (ColumnType::Float(read_float(sign, m, d)?), 3),
        (4, &[sign, m, d, ..]) => (ColumnType::Double(read_float(sign, m, d)?), 3),
        (5, &[chars, a, b, ..]) => (ColumnType::Char { chars, collation: text_collation([a, b])? }, 3),
        (6, &[a, b, c, d, ..]) => {
            let (chars, collation) = (u16::from_le_bytes([a, b]), text_collation([c, d])?);
            let bytes = u32::from(chars) * collation.charset().char_size_max();
            u16::try_from(bytes).is_ok().then_some((ColumnType::Varchar { chars, collation }, 4))?
        }
        (7, &[size, a, b, ..]) => {
            (ColumnType::Text { size: lob_size(size)?, collation: text_collation([a, b])? }, 3)
        }
        (8, &[size, ..]) => (ColumnType::Binary { size }, 1),
        (9, &[a, b, ..]) => (ColumnType::Varbinary { size: u16::from_le_bytes([a, b]) }, 2),
        (10, &[size, ..]) => (ColumnType::Blob { size: lob_size(size)? }, 1),
        (11, _) => (ColumnType::Date, 0),
        (12, &[digits, ..]) => (ColumnType::Time { fsp: fsp(digits)? }, 1),
        (13, &[digits, ..]) => (ColumnType::DateTime { fsp: fsp(digits)? }, 1),
        (14, &[digits, ..]) => (ColumnType::Timestamp { fsp: fsp(digits)? }, 1),
        (15, _) => {
            let (labels, size) = read_labels(rest)?;
            (ColumnType::Enum(labels), size)
        }
        (16, _) => {
            let (labels, size) = read_labels(rest)?;
            (labels.count() <= SET_LABELS_MAX).then_some((ColumnType::Set(labels), size))?
        }
        (17, &[bits @ 1..=64, ..]) => (ColumnType::Bit { bits }, 1),
        (18, _) => (ColumnType::Year, 0),
        (19, _) => (ColumnType::Json, 0),
        _ => return None,
    })
}

fn serialise_float(tag: u8, float: FloatType, out: &mut Vec<u8>) {
    let (m, d) = float.digits.unwrap_or((NO_DIGITS, NO_DIGITS));
    out.extend_from_slice(&[tag, sign_code(float.sign), m, d]);
}

fn read_float(sign: u8, m: u8, d: u8) -> Option<FloatType> {
    let digits = match (m, d) {
        (_, NO_DIGITS) => None,
        (m, d) if d <= SCALE_MAX && d <= m => Some((m, d)),
        _ => return None,
    };
    Some(FloatType { sign: sign_of(sign)?, digits })
}

fn serialise_labels(tag: u8, labels: Labels, out: &mut Vec<u8>) {
    let short = |number: usize| u16::try_from(number).unwrap_or(u16::MAX).to_le_bytes();
    out.push(tag);
    out.extend_from_slice(&labels.collation().id().to_le_bytes());
    out.extend_from_slice(&short(labels.count()));
    for name in labels.names() {
        out.extend_from_slice(&short(name.len()));
        out.extend_from_slice(name);
    }
}

/// Labels, at least one, and the bytes that they took.
fn read_labels(bytes: &[u8]) -> Option<(Labels, usize)> {
    let (&[a, b, c, d], mut rest) = bytes.split_first_chunk()?;
    let collation = Collation::from_id(u16::from_le_bytes([a, b]))?;
    let count = u16::from_le_bytes([c, d]);
    let mut names = Vec::new();
    for _ in 0..count {
        let (size, behind) = rest.split_first_chunk()?;
        let (name, behind) = behind.split_at_checked(usize::from(u16::from_le_bytes(*size)))?;
        names.push(name.to_vec());
        rest = behind;
    }
    (count > 0).then(|| (Labels::new(collation, names), bytes.len() - rest.len()))
}

fn text_collation(id: [u8; 2]) -> Option<Collation> {
    Collation::from_id(u16::from_le_bytes(id)).filter(|collation| *collation != Collation::Binary)
}

fn sign_code(sign: Sign) -> u8 {
    match sign {
        Sign::Signed => 0,
        Sign::Unsigned => 1,
        Sign::Zerofill => 2,
    }
}

fn sign_of(code: u8) -> Option<Sign> {
    [Sign::Signed, Sign::Unsigned, Sign::Zerofill].get(usize::from(code)).copied()
}

const INT_SIZES: [IntSize; 5] = [IntSize::Tiny, IntSize::Small, IntSize::Medium, IntSize::Int, IntSize::Big];

fn int_size_code(size: IntSize) -> u8 {
    match size {
        IntSize::Tiny => 0,
        IntSize::Small => 1,
        IntSize::Medium => 2,
        IntSize::Int => 3,
        IntSize::Big => 4,
    }
}

fn int_size(code: u8) -> Option<IntSize> {
    INT_SIZES.get(usize::from(code)).copied()
}

fn lob_size(length_size: u8) -> Option<LobSize> {
    [LobSize::Tiny, LobSize::Normal, LobSize::Medium, LobSize::Long]
        .into_iter()
        .find(|size| size.length_size() == length_size)
}

#[cfg(test)]
mod tests {
    use super::*;

    // The golden bytes: a change here is a change of the format and needs a new version.
    #[test]
    fn the_format_is_stable() {
        let collation = Collation::Utf8mb4GeneralCi;
        let float = FloatType { sign: Sign::Signed, digits: None };
        let labels = Labels::new(collation, vec![b"a".to_vec(), b"bc".to_vec()]);
        let golden: [(ColumnType, &[u8]); 19] = [
            (ColumnType::BOOL, &[1, 1, 0, 0, 1]),
            (ColumnType::Decimal { precision: 10, scale: 3, sign: Sign::Unsigned }, &[1, 2, 10, 3, 1]),
            (ColumnType::Float(float), &[1, 3, 0, 255, 255]),
            (ColumnType::Double(FloatType { digits: Some((10, 2)), ..float }), &[1, 4, 0, 10, 2]),
            (ColumnType::Char { chars: 255, collation }, &[1, 5, 255, 45, 0]),
            (ColumnType::Varchar { chars: 300, collation }, &[1, 6, 44, 1, 45, 0]),
            (ColumnType::Text { size: LobSize::Medium, collation }, &[1, 7, 3, 45, 0]),
            (ColumnType::Binary { size: 16 }, &[1, 8, 16]),
            (ColumnType::Varbinary { size: 65_535 }, &[1, 9, 255, 255]),
            (ColumnType::Blob { size: LobSize::Long }, &[1, 10, 4]),
            (ColumnType::Date, &[1, 11]),
            (ColumnType::Time { fsp: 6 }, &[1, 12, 6]),
            (ColumnType::DateTime { fsp: 0 }, &[1, 13, 0]),
            (ColumnType::Timestamp { fsp: 3 }, &[1, 14, 3]),
            (ColumnType::Enum(labels), &[1, 15, 45, 0, 2, 0, 1, 0, b'a', 2, 0, b'b', b'c']),
            (ColumnType::Set(labels), &[1, 16, 45, 0, 2, 0, 1, 0, b'a', 2, 0, b'b', b'c']),
            (ColumnType::Bit { bits: 64 }, &[1, 17, 64]),
            (ColumnType::Year, &[1, 18]),
            (ColumnType::Json, &[1, 19]),
        ];
        for (ty, bytes) in golden {
            let mut out = Vec::new();
            ty.serialise(&mut out);
            assert_eq!(out, bytes, "{ty}");
            out.push(0xEE);
            assert_eq!(ColumnType::deserialise(&out), Ok((ty, bytes.len())));
            for size in 0..bytes.len() {
                let cut = bytes.get(..size).unwrap();
                assert_eq!(ColumnType::deserialise(cut), Err(CatalogError), "{ty}");
            }
        }
    }

    #[test]
    fn damaged_bytes_are_refused() {
        for bytes in [
            [2, 11, 0, 0, 0, 0],
            [1, 99, 0, 0, 0, 0],
            [1, 2, 66, 0, 0, 0],
            [1, 12, 7, 0, 0, 0],
            [1, 5, 1, 63, 0, 0],
            [1, 15, 45, 0, 0, 0],
            [1, 16, 45, 0, 1, 0],
            [1, 17, 65, 0, 0, 0],
        ] {
            assert_eq!(ColumnType::deserialise(&bytes), Err(CatalogError), "{bytes:?}");
        }
    }
}
