//! Column definitions that MySQL refuses, with its errors.

use super::{
    Column, ColumnType, ENUM_LABELS_MAX, FloatType, IntSize, IntType, LABEL_CHARS_MAX, Labels, LobSize,
    SET_LABELS_MAX, Sign,
};
use crate::collation::Collation;
use crate::decimal::{PRECISION_MAX, SCALE_MAX};
use crate::error::SqlError;
use crate::error::table::{
    ER_ILLEGAL_VALUE_FOR_TYPE, ER_INVALID_FIELD_SIZE, ER_M_BIGGER_THAN_D, ER_TOO_BIG_DISPLAYWIDTH,
    ER_TOO_BIG_ENUM, ER_TOO_BIG_FIELDLENGTH, ER_TOO_BIG_PRECISION, ER_TOO_BIG_ROWSIZE, ER_TOO_BIG_SCALE,
    ER_TOO_BIG_SET, ER_TOO_LONG_SET_ENUM_VALUE, ER_WRONG_FIELD_SPEC,
};
use crate::temporal::FSP_MAX;
use crate::value::quote_text;

/// The most bytes that the columns of a row may declare, TEXT and BLOB contents apart.
pub const ROW_SIZE_MAX: u32 = 65_535;

const CHAR_MAX: u32 = 255;
const DISPLAY_WIDTH_MAX: u32 = 255;
const BITS_MAX: u32 = 64;

impl ColumnType {
    /// BOOL, which is TINYINT(1).
    pub const BOOL: Self = Self::Int(IntType { size: IntSize::Tiny, sign: Sign::Signed, width: 1 });

    /// An integer type, `width` as written. Error 1439 for a width above 255.
    pub fn int(name: &str, size: IntSize, sign: Sign, width: Option<u32>) -> Result<Self, SqlError> {
        let mut int = IntType::new(size, sign);
        if let Some(width) = width {
            let error = || ER_TOO_BIG_DISPLAYWIDTH.error(&[&name, &DISPLAY_WIDTH_MAX]);
            int.width = u8::try_from(width).map_err(|_| error())?;
        }
        Ok(Self::Int(int))
    }

    /// DECIMAL(`precision`, `scale`); what was not written is 10 and 0. Errors 1425, 1426, 1427.
    pub fn decimal(
        name: &str,
        precision: Option<u32>,
        scale: Option<u32>,
        sign: Sign,
    ) -> Result<Self, SqlError> {
        let scale = scale.unwrap_or(0);
        // DECIMAL(0) means DECIMAL.
        let precision = precision.filter(|&precision| precision > 0 || scale > 0).unwrap_or(10);
        if scale > u32::from(SCALE_MAX) {
            return Err(ER_TOO_BIG_SCALE.error(&[&scale, &name, &SCALE_MAX]));
        }
        if precision > u32::from(PRECISION_MAX) {
            return Err(ER_TOO_BIG_PRECISION.error(&[&precision, &name, &PRECISION_MAX]));
        }
        match (u8::try_from(precision), u8::try_from(scale)) {
            (Ok(precision), Ok(scale)) if scale <= precision => Ok(Self::Decimal { precision, scale, sign }),
            _ => Err(ER_M_BIGGER_THAN_D.error(&[&name])),
        }
    }

    /// FLOAT(`bits`), which is FLOAT up to 24 bits and DOUBLE up to 53. Error 1063 beyond.
    pub fn float_of_bits(name: &str, bits: u32, sign: Sign) -> Result<Self, SqlError> {
        let float = FloatType { sign, digits: None };
        match bits {
            0..=24 => Ok(Self::Float(float)),
            25..=53 => Ok(Self::Double(float)),
            _ => Err(ER_WRONG_FIELD_SPEC.error(&[&name])),
        }
    }

    /// FLOAT(m, d) or, if `double`, DOUBLE(m, d). Errors 1425, 1427, 1439.
    pub fn float(name: &str, double: bool, digits: Option<(u32, u32)>, sign: Sign) -> Result<Self, SqlError> {
        let digits = digits.map(|(m, d)| checked_digits(name, m, d)).transpose()?;
        let float = FloatType { sign, digits };
        Ok(if double { Self::Double(float) } else { Self::Float(float) })
    }

    /// CHAR(`chars`). Error 1074 above 255.
    pub fn char(name: &str, chars: u32, collation: Collation) -> Result<Self, SqlError> {
        if collation == Collation::Binary {
            return Self::binary(name, chars);
        }
        u8::try_from(chars).map(|chars| Self::Char { chars, collation }).map_err(|_| too_long(name, CHAR_MAX))
    }

    /// VARCHAR(`chars`). Error 1074 if it could exceed 65,535 bytes; outside of strict mode the caller asks for
    /// [`ColumnType::text_for`] instead and adds note 1246.
    pub fn varchar(name: &str, chars: u32, collation: Collation) -> Result<Self, SqlError> {
        if collation == Collation::Binary {
            return Self::varbinary(name, chars);
        }
        let most = ROW_SIZE_MAX / collation.charset().char_size_max();
        match u16::try_from(chars) {
            Ok(chars) if u32::from(chars) <= most => Ok(Self::Varchar { chars, collation }),
            _ => Err(too_long(name, most)),
        }
    }

    /// BINARY(`size`). Error 1074 above 255.
    pub fn binary(name: &str, size: u32) -> Result<Self, SqlError> {
        u8::try_from(size).map(|size| Self::Binary { size }).map_err(|_| too_long(name, CHAR_MAX))
    }

    /// VARBINARY(`size`). Error 1074 above 65,535.
    pub fn varbinary(name: &str, size: u32) -> Result<Self, SqlError> {
        u16::try_from(size).map(|size| Self::Varbinary { size }).map_err(|_| too_long(name, ROW_SIZE_MAX))
    }

    /// The smallest TEXT that holds `chars` characters: TEXT(n).
    pub fn text_for(chars: u64, collation: Collation) -> Self {
        let bytes = chars.saturating_mul(u64::from(collation.charset().char_size_max()));
        match collation {
            Collation::Binary => Self::blob_for(chars),
            _ => Self::Text { size: lob_size(bytes), collation },
        }
    }

    /// The smallest BLOB that holds `bytes` bytes: BLOB(n).
    pub fn blob_for(bytes: u64) -> Self {
        Self::Blob { size: lob_size(bytes) }
    }

    /// BIT(`bits`), 1 if that was not written. Error 3013 for none, 1439 above 64.
    pub fn bit(name: &str, bits: Option<u32>) -> Result<Self, SqlError> {
        match bits.unwrap_or(1) {
            0 => Err(ER_INVALID_FIELD_SIZE.error(&[&name])),
            bits @ 1..=BITS_MAX => Ok(Self::Bit { bits: u8::try_from(bits).unwrap_or(u8::MAX) }),
            _ => Err(ER_TOO_BIG_DISPLAYWIDTH.error(&[&name, &BITS_MAX])),
        }
    }

    /// ENUM of these labels, blanks at their ends apart. Errors 1097 for too many, 3505 for one that is too long.
    /// Labels that are equal are the caller's to refuse: see [`Labels::duplicate`].
    pub fn enumeration(name: &str, labels: Labels) -> Result<Self, SqlError> {
        if labels.count() > ENUM_LABELS_MAX {
            return Err(ER_TOO_BIG_ENUM.error(&[&name]));
        }
        check_labels(name, labels)?;
        Ok(Self::Enum(labels))
    }

    /// SET of these labels. The errors of [`ColumnType::enumeration`], and 1367 for a label with a comma.
    pub fn set(name: &str, labels: Labels) -> Result<Self, SqlError> {
        if labels.count() > SET_LABELS_MAX {
            return Err(ER_TOO_BIG_SET.error(&[&name]));
        }
        check_labels(name, labels)?;
        if let Some(label) = labels.names().find(|label| label.contains(&b',')) {
            return Err(ER_ILLEGAL_VALUE_FOR_TYPE.error(&[&"set", &quote_text(label, labels.collation())]));
        }
        Ok(Self::Set(labels))
    }

    /// TIME(`fsp`). Error 1426 above 6.
    pub fn time(name: &str, fsp: u32) -> Result<Self, SqlError> {
        checked_fsp(name, fsp).map(|fsp| Self::Time { fsp })
    }

    /// DATETIME(`fsp`). Error 1426 above 6.
    pub fn datetime(name: &str, fsp: u32) -> Result<Self, SqlError> {
        checked_fsp(name, fsp).map(|fsp| Self::DateTime { fsp })
    }

    /// TIMESTAMP(`fsp`). Error 1426 above 6.
    pub fn timestamp(name: &str, fsp: u32) -> Result<Self, SqlError> {
        checked_fsp(name, fsp).map(|fsp| Self::Timestamp { fsp })
    }

    /// What the column contributes to [`ROW_SIZE_MAX`].
    fn declared_size(self) -> u32 {
        match self {
            Self::Char { .. } | Self::Binary { .. } => self.bytes_max().unwrap_or(0),
            Self::Varchar { .. } | Self::Varbinary { .. } => {
                let bytes = self.bytes_max().unwrap_or(0);
                bytes + if bytes > 255 { 2 } else { 1 }
            }
            // The length and a pointer.
            Self::Text { size, .. } | Self::Blob { size } => u32::from(size.length_size()) + 8,
            Self::Json => 12,
            _ => crate::row::fixed_size(self).map_or(0, |size| u32::try_from(size).unwrap_or(0)),
        }
    }
}

/// Error 1118 if the columns declare more than 65,535 bytes a row.
pub fn check_row_size<'a>(columns: impl Iterator<Item = &'a Column> + Clone) -> Result<(), SqlError> {
    let declared: u64 = columns.clone().map(|column| u64::from(column.ty.declared_size())).sum();
    let nullable = columns.filter(|column| column.nullable).count() as u64;
    if declared + nullable.div_ceil(8) > u64::from(ROW_SIZE_MAX) {
        return Err(ER_TOO_BIG_ROWSIZE.error(&[&ROW_SIZE_MAX]));
    }
    Ok(())
}

fn too_long(name: &str, most: u32) -> SqlError {
    ER_TOO_BIG_FIELDLENGTH.error(&[&name, &most])
}

fn check_labels(name: &str, labels: Labels) -> Result<(), SqlError> {
    let charset = labels.collation().charset();
    let too_long = |label: &[u8]| charset.char_count(label) > LABEL_CHARS_MAX;
    if labels.names().any(too_long) {
        return Err(ER_TOO_LONG_SET_ENUM_VALUE.error(&[&name]));
    }
    Ok(())
}

fn checked_fsp(name: &str, fsp: u32) -> Result<u8, SqlError> {
    let valid = u8::try_from(fsp).ok().filter(|fsp| *fsp <= FSP_MAX);
    valid.ok_or_else(|| ER_TOO_BIG_PRECISION.error(&[&fsp, &name, &FSP_MAX]))
}

fn checked_digits(name: &str, m: u32, d: u32) -> Result<(u8, u8), SqlError> {
    if d > u32::from(SCALE_MAX) {
        return Err(ER_TOO_BIG_SCALE.error(&[&d, &name, &SCALE_MAX]));
    }
    if m < d {
        return Err(ER_M_BIGGER_THAN_D.error(&[&name]));
    }
    match (u8::try_from(m), u8::try_from(d)) {
        (Ok(m), Ok(d)) => Ok((m, d)),
        _ => Err(ER_TOO_BIG_DISPLAYWIDTH.error(&[&name, &DISPLAY_WIDTH_MAX])),
    }
}

fn lob_size(bytes: u64) -> LobSize {
    [LobSize::Tiny, LobSize::Normal, LobSize::Medium]
        .into_iter()
        .find(|size| bytes <= u64::from(size.bytes_max()))
        .unwrap_or(LobSize::Long)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CI: Collation = Collation::Utf8mb4GeneralCi;

    fn message<T: std::fmt::Debug>(result: Result<T, SqlError>) -> String {
        result.unwrap_err().to_string()
    }

    // Errors of MySQL 9.7.4 for CREATE TABLE t (a ...).
    #[test]
    fn definitions_are_refused_with_mysqls_errors() {
        assert_eq!(
            message(ColumnType::char("a", 256, CI)),
            "ERROR 1074 (42000): Column length too big for column 'a' (max = 255); use BLOB or TEXT instead"
        );
        assert_eq!(
            message(ColumnType::varchar("a", 16_384, CI)),
            "ERROR 1074 (42000): Column length too big for column 'a' (max = 16383); use BLOB or TEXT instead"
        );
        assert_eq!(
            message(ColumnType::decimal("a", Some(66), None, Sign::Signed)),
            "ERROR 1426 (42000): Too-big precision 66 specified for 'a'. Maximum is 65."
        );
        assert_eq!(
            message(ColumnType::decimal("a", Some(40), Some(31), Sign::Signed)),
            "ERROR 1425 (42000): Too big scale 31 specified for column 'a'. Maximum is 30."
        );
        assert_eq!(
            message(ColumnType::decimal("a", Some(2), Some(3), Sign::Signed)),
            "ERROR 1427 (42000): For float(M,D), double(M,D) or decimal(M,D), M must be >= D (column 'a')."
        );
        assert_eq!(
            message(ColumnType::time("a", 7)),
            "ERROR 1426 (42000): Too-big precision 7 specified for 'a'. Maximum is 6."
        );
        assert_eq!(
            message(ColumnType::int("a", IntSize::Int, Sign::Signed, Some(256))),
            "ERROR 1439 (42000): Display width out of range for column 'a' (max = 255)"
        );
        assert_eq!(
            message(ColumnType::float_of_bits("a", 54, Sign::Signed)),
            "ERROR 1063 (42000): Incorrect column specifier for column 'a'"
        );
    }

    #[test]
    fn lobs_take_the_smallest_size_that_holds_them() {
        assert_eq!(ColumnType::text_for(100, CI).to_string(), "text");
        assert_eq!(ColumnType::text_for(63, CI).to_string(), "tinytext");
        assert_eq!(ColumnType::text_for(70_000, CI).to_string(), "mediumtext");
        assert_eq!(ColumnType::blob_for(10).to_string(), "tinyblob");
        assert_eq!(ColumnType::blob_for(1 << 24).to_string(), "longblob");
    }

    #[test]
    fn wide_rows_are_refused() {
        let column = |ty, nullable| Column { table: String::new(), name: "a".into(), ty, nullable };
        let varbinary = |size| ColumnType::varbinary("a", size).unwrap();
        let check = |columns: &[Column]| check_row_size(columns.iter());
        assert!(check(&[column(varbinary(65_533), false)]).is_ok());
        assert!(check(&[column(varbinary(65_534), false)]).unwrap_err().is(&ER_TOO_BIG_ROWSIZE));
        assert!(check(&[column(varbinary(65_533), true)]).unwrap_err().is(&ER_TOO_BIG_ROWSIZE));
        assert!(check(&[column(varbinary(65_532), true)]).is_ok());
        assert!(
            check(&[
                column(varbinary(65_000), false),
                column(ColumnType::Blob { size: LobSize::Long }, false)
            ])
            .is_ok()
        );
    }
}
