//! What a table map says about a column.

/// Type codes of columns in a table map: MySQL's `enum_field_types`.
///
/// Second column: what [`ColumnMeta::meta`] holds, in the order of the bytes.
pub mod column_type {
    /// No metadata.
    pub const TINY: u8 = 1;
    /// No metadata.
    pub const SHORT: u8 = 2;
    /// INT; no metadata.
    pub const LONG: u8 = 3;
    /// Size of the value in bytes, 4.
    pub const FLOAT: u8 = 4;
    /// Size of the value in bytes, 8.
    pub const DOUBLE: u8 = 5;
    /// BIGINT; no metadata.
    pub const LONGLONG: u8 = 8;
    /// MEDIUMINT; no metadata.
    pub const INT24: u8 = 9;
    /// No metadata.
    pub const DATE: u8 = 10;
    /// No metadata.
    pub const YEAR: u8 = 13;
    /// VARCHAR and VARBINARY; greatest length in bytes, two bytes little endian.
    pub const VARCHAR: u8 = 15;
    /// Bits beyond whole bytes, then whole bytes.
    pub const BIT: u8 = 16;
    /// Digits of the fraction.
    pub const TIMESTAMP2: u8 = 17;
    /// Digits of the fraction.
    pub const DATETIME2: u8 = 18;
    /// Digits of the fraction.
    pub const TIME2: u8 = 19;
    /// Bytes of the length field, 4.
    pub const JSON: u8 = 245;
    /// Precision, then scale.
    pub const NEWDECIMAL: u8 = 246;
    /// Only as the first metadata byte of [`STRING`].
    pub const ENUM: u8 = 247;
    /// Only as the first metadata byte of [`STRING`].
    pub const SET: u8 = 248;
    /// All BLOB and TEXT types; bytes of the length field, 1 to 4.
    pub const BLOB: u8 = 252;
    /// As [`VARCHAR`]; not written.
    pub const VAR_STRING: u8 = 253;
    /// CHAR and BINARY: see [`super::ColumnMeta::string_meta`]. ENUM and SET: real type, then bytes of the value.
    pub const STRING: u8 = 254;
    /// Bytes of the length field, 4.
    pub const GEOMETRY: u8 = 255;
}

/// A column's part in the primary key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PkPart {
    /// 0-based position within the key.
    pub position: u16,
    /// Characters of the prefix that is indexed; 0 = the whole column.
    pub prefix_chars: u16,
}

/// A column as the binlog sees it. The caller fills it from its catalog once for each version of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnMeta {
    /// One of [`column_type`], as it stands in the table map: ENUM and SET are [`column_type::STRING`].
    pub type_code: u8,
    /// Type-specific metadata; only as many bytes count as [`column_type`] says for the type.
    pub meta: [u8; 2],
    /// Whether NULL is allowed.
    pub nullable: bool,
    /// Whether a number is UNSIGNED; YEAR is.
    pub unsigned: bool,
    /// Collation number of character columns, ENUM and SET included; 63 (binary) for BINARY and BLOB types.
    pub collation: u16,
    /// Name in UTF-8; at most 255 bytes.
    pub name: Vec<u8>,
    /// Whether the column is INVISIBLE.
    pub invisible: bool,
    /// Its part in the primary key.
    pub pk: Option<PkPart>,
    /// Values of ENUM and SET in the column's character set.
    pub members: Vec<Vec<u8>>,
    /// Geometry columns: 0 GEOMETRY, 1 POINT, 2 LINESTRING, 3 POLYGON, 4 to 6 the MULTI forms, 7 collection.
    pub geometry_type: u8,
}

/// How many metadata bytes a type has; `None` for types that do not occur in table maps that MySQL 8.0 writes.
pub(crate) const fn meta_len(type_code: u8) -> Option<usize> {
    use column_type as t;
    match type_code {
        t::TINY | t::SHORT | t::LONG | t::LONGLONG | t::INT24 | t::DATE | t::YEAR => Some(0),
        t::FLOAT | t::DOUBLE | t::TIMESTAMP2 | t::DATETIME2 | t::TIME2 | t::JSON | t::BLOB | t::GEOMETRY => {
            Some(1)
        }
        t::VARCHAR | t::BIT | t::NEWDECIMAL | t::VAR_STRING | t::STRING => Some(2),
        _ => None,
    }
}

impl ColumnMeta {
    /// Metadata of a CHAR or BINARY column of at most `len_bytes` (1,023) bytes: the real type and the length's
    /// low byte; bits 8 and 9 of the length are folded into bits 4 and 5 of the type, inverted.
    pub fn string_meta(len_bytes: u16) -> [u8; 2] {
        assert!(len_bytes < 1024, "CHAR has at most 255 characters");
        let [low, high] = len_bytes.to_le_bytes();
        [column_type::STRING ^ (high << 4), low]
    }

    /// Whether the signedness field has a bit for the column.
    pub(crate) fn is_numeric(&self) -> bool {
        use column_type as t;
        matches!(
            self.type_code,
            t::TINY
                | t::SHORT
                | t::LONG
                | t::LONGLONG
                | t::INT24
                | t::FLOAT
                | t::DOUBLE
                | t::NEWDECIMAL
                | t::YEAR
        )
    }

    /// Whether the column is a string or BLOB with a collation.
    pub(crate) fn is_character(&self) -> bool {
        use column_type as t;
        match self.type_code {
            t::STRING => !self.is_enum() && !self.is_set(),
            t::VARCHAR | t::VAR_STRING | t::BLOB => true,
            _ => false,
        }
    }

    /// Whether the column is an ENUM.
    pub(crate) fn is_enum(&self) -> bool {
        self.type_code == column_type::STRING && self.meta[0] == column_type::ENUM
    }

    /// Whether the column is a SET.
    pub(crate) fn is_set(&self) -> bool {
        self.type_code == column_type::STRING && self.meta[0] == column_type::SET
    }

    /// Whether the column is a geometry.
    pub(crate) fn is_geometry(&self) -> bool {
        self.type_code == column_type::GEOMETRY
    }
}
