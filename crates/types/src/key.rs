//! Index keys: bytes whose `memcmp` order is the order of the columns' values.
//!
//! A key is its parts, one behind the other, each of which ends itself, so that no key is a prefix of another
//! that differs and keys of several columns compare column by column:
//!
//! | what | bytes |
//! | --- | --- |
//! | NULL marker, if the column takes NULL | `00` for NULL (nothing follows), `01` else |
//! | integers | big-endian, the sign bit flipped unless unsigned |
//! | FLOAT, DOUBLE | big-endian IEEE 754; the sign bit flipped, all bits if negative; -0 as 0 |
//! | DECIMAL, TIME, DATETIME, TIMESTAMP | the stored bytes, which are in order already |
//! | DATE, YEAR, ENUM, SET | the stored bytes, big-endian |
//! | BIT | the stored bytes |
//! | JSON | never a part |
//! | text and bytes | the collation's sort key, see `collation/sort_key.rs` |
//!
//! A prefix part (`KEY (c(10))`) has the sort key of the column's first characters. Equal values have equal keys,
//! whatever their case or trailing blanks: a unique index needs nothing else, and the value itself is read
//! from the row.
//!
//! Source: the idea is that of every ordered key-value store; the limits are MySQL's.

mod limits;
mod value;

pub use limits::{KEY_SIZE_MAX, check_key};
pub use value::write_sort_value;

use smallvec::SmallVec;

use crate::collation::Collation;
use crate::column::ColumnType;
use crate::row::{Offsets, RowError, RowLayout, write_column};
use crate::temporal::TimeZone;
use crate::value::ValueRef;

/// A column's part in an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyPart {
    /// The column's index in its table.
    pub column: usize,
    /// The column's type.
    pub ty: ColumnType,
    /// Whether the column takes NULL, which decides whether there is a marker.
    pub nullable: bool,
    /// Characters (bytes for binary types) of a prefix part.
    pub prefix: Option<u32>,
}

const NULL: u8 = 0;
const NOT_NULL: u8 = 1;

/// Makes the keys of one index.
#[derive(Clone, Debug)]
pub struct KeyLayout {
    parts: SmallVec<[KeyPart; 2]>,
}

impl KeyLayout {
    /// The layout of an index of these parts.
    pub fn new(parts: impl IntoIterator<Item = KeyPart>) -> Self {
        Self { parts: parts.into_iter().collect() }
    }

    /// The parts.
    pub fn parts(&self) -> &[KeyPart] {
        &self.parts
    }

    /// Appends a row's key. `offsets` must be those of `row`. True if a part is NULL: such a key is never a
    /// duplicate.
    #[inline]
    pub fn write(&self, layout: &RowLayout, row: &[u8], offsets: &Offsets, out: &mut Vec<u8>) -> bool {
        let mut has_null = false;
        for part in &self.parts {
            let bytes = layout.column(row, offsets, part.column);
            has_null |= bytes.is_none();
            part.write(bytes, out);
        }
        has_null
    }

    /// Whether two rows have the same stored values in the key's columns, and so the same key.
    pub fn is_same(&self, layout: &RowLayout, one: (&[u8], &Offsets), other: (&[u8], &Offsets)) -> bool {
        let column = |(row, offsets), part: &KeyPart| layout.column(row, offsets, part.column);
        self.parts.iter().all(|part| column(one, part) == column(other, part))
    }

    /// Appends the key, or its beginning, of values that have been brought into the columns: for looking up.
    /// True if one of them is NULL.
    pub fn write_values<'v>(
        &self,
        values: impl IntoIterator<Item = ValueRef<'v>>,
        time_zone: &TimeZone,
        out: &mut Vec<u8>,
    ) -> Result<bool, RowError> {
        let mut has_null = false;
        for (index, value) in values.into_iter().enumerate() {
            let part = self.parts.get(index).ok_or(RowError::WrongCount)?;
            has_null |= value.is_null();
            part.write_value(value, time_zone, out)?;
        }
        Ok(has_null)
    }
}

impl KeyPart {
    /// Appends the part for a column's bytes (without their length), None for NULL.
    #[inline]
    pub fn write(&self, bytes: Option<&[u8]>, out: &mut Vec<u8>) {
        if self.nullable {
            out.push(if bytes.is_some() { NOT_NULL } else { NULL });
        }
        if let Some(bytes) = bytes {
            write_ordered(self.ty, bytes, self.prefix, out);
        }
    }

    /// Appends the part for a value that has been brought into the column.
    pub fn write_value(
        &self,
        value: ValueRef<'_>,
        time_zone: &TimeZone,
        out: &mut Vec<u8>,
    ) -> Result<(), RowError> {
        if value.is_null() {
            self.write(None, out);
            return Ok(());
        }
        if self.nullable {
            out.push(NOT_NULL);
        }
        // Integers and strings need no copy of their stored form.
        if let (ColumnType::Int(int), ValueRef::Int(number)) = (self.ty, value)
            && number >= int.min()
            && u64::try_from(number).unwrap_or(0) <= int.max()
        {
            let bytes = number.to_le_bytes();
            write_ordered(self.ty, &bytes[..usize::from(int.bytes())], None, out);
            return Ok(());
        }
        match (value, self.ty.collation()) {
            (ValueRef::Str(bytes, own), Some(collation))
                if self.ty.is_string() && own.charset() == collation.charset() =>
            {
                write_ordered(self.ty, bytes, self.prefix, out);
                return Ok(());
            }
            (ValueRef::Str(..), _) => return Err(RowError::WrongValue { column: self.column }),
            (ValueRef::Bytes(bytes), None) if self.ty.is_string() => {
                write_ordered(self.ty, crate::row::trimmed(self.ty, &bytes.to_cow()), self.prefix, out);
                return Ok(());
            }
            _ => {}
        }
        let mut stored = Vec::with_capacity(32);
        if !write_column(self.ty, value, time_zone, &mut stored) {
            return Err(RowError::WrongValue { column: self.column });
        }
        write_ordered(self.ty, &stored, self.prefix, out);
        Ok(())
    }
}

impl KeyPart {
    /// Appends what the part begins with for every text whose first characters are to LIKE like these, which are of the
    /// column's character set. The column must be one of texts or bytes.
    pub fn write_beginning(&self, text: &[u8], out: &mut Vec<u8>) {
        if self.nullable {
            out.push(NOT_NULL);
        }
        let collation = self.ty.collation().unwrap_or(Collation::Binary);
        // Zeros that fill a BINARY are not stored, so the key of a longer text may not have them.
        let text = cut(collation, crate::row::trimmed(self.ty, text), self.prefix);
        collation.sort_key_beginning(text, out);
    }
}

/// Appends the smallest bytes above every key that begins with `key`: the end of a range. Empty if there are none.
pub fn successor(key: &[u8], out: &mut Vec<u8>) {
    if let Some(last) = key.iter().rposition(|&byte| byte != 0xFF) {
        out.extend_from_slice(&key[..last]);
        out.push(key[last] + 1);
    }
}

/// Appends a column's bytes so that their order is the values'.
#[inline]
fn write_ordered(ty: ColumnType, bytes: &[u8], prefix: Option<u32>, out: &mut Vec<u8>) {
    match ty {
        ColumnType::Int(int) => {
            let start = out.len();
            out.extend(bytes.iter().rev());
            if !int.is_unsigned() {
                flip_sign(&mut out[start..]);
            }
        }
        ColumnType::Float(_) | ColumnType::Double(_) => write_float(bytes, out),
        ColumnType::Date | ColumnType::Year | ColumnType::Enum(_) | ColumnType::Set(_) => {
            out.extend(bytes.iter().rev());
        }
        ColumnType::Bit { .. }
        | ColumnType::Json
        | ColumnType::Decimal { .. }
        | ColumnType::Time { .. }
        | ColumnType::DateTime { .. }
        | ColumnType::Timestamp { .. } => out.extend_from_slice(bytes),
        ColumnType::Char { collation, .. }
        | ColumnType::Varchar { collation, .. }
        | ColumnType::Text { collation, .. } => write_string(collation, bytes, prefix, out),
        ColumnType::Binary { .. } | ColumnType::Varbinary { .. } | ColumnType::Blob { .. } => {
            write_string(Collation::Binary, bytes, prefix, out);
        }
    }
}

fn write_string(collation: Collation, bytes: &[u8], prefix: Option<u32>, out: &mut Vec<u8>) {
    collation.sort_key(cut(collation, bytes, prefix), out);
}

/// What a prefix part has of a text.
fn cut(collation: Collation, bytes: &[u8], prefix: Option<u32>) -> &[u8] {
    let size = prefix.map_or(bytes.len(), |chars| {
        collation.charset().prefix_size(bytes, usize::try_from(chars).unwrap_or(usize::MAX))
    });
    &bytes[..size]
}

fn flip_sign(bytes: &mut [u8]) {
    if let Some(first) = bytes.first_mut() {
        *first ^= 0x80;
    }
}

/// Little-endian IEEE 754 into ordered bytes.
fn write_float(bytes: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.extend(bytes.iter().rev());
    let key = &mut out[start..];
    let negative = key.first().is_some_and(|first| first & 0x80 != 0);
    let negative_zero = negative && key[0] == 0x80 && key[1..].iter().all(|&byte| byte == 0);
    if negative && !negative_zero {
        for byte in key.iter_mut() {
            *byte = !*byte;
        }
    } else if !negative_zero {
        flip_sign(key);
    }
}
