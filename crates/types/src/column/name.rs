//! Column types as SQL: what SHOW CREATE TABLE and `information_schema.columns` print.

use std::fmt::{self, Display};

use super::{ColumnType, FloatType, IntSize, LobSize, Sign};
use crate::charset::Charset;

impl ColumnType {
    /// `COLUMN_TYPE`: `varchar(20)`, `bigint unsigned`. Without character set and collation.
    pub fn column_type(self) -> String {
        self.to_string()
    }

    /// `DATA_TYPE`: the name alone.
    pub fn data_type(self) -> &'static str {
        match self {
            Self::Int(int) => match int.size {
                IntSize::Tiny => "tinyint",
                IntSize::Small => "smallint",
                IntSize::Medium => "mediumint",
                IntSize::Int => "int",
                IntSize::Big => "bigint",
            },
            Self::Decimal { .. } => "decimal",
            Self::Float(_) => "float",
            Self::Double(_) => "double",
            Self::Char { .. } => "char",
            Self::Varchar { .. } => "varchar",
            Self::Text { size, .. } => match size {
                LobSize::Tiny => "tinytext",
                LobSize::Normal => "text",
                LobSize::Medium => "mediumtext",
                LobSize::Long => "longtext",
            },
            Self::Binary { .. } => "binary",
            Self::Varbinary { .. } => "varbinary",
            Self::Blob { size } => match size {
                LobSize::Tiny => "tinyblob",
                LobSize::Normal => "blob",
                LobSize::Medium => "mediumblob",
                LobSize::Long => "longblob",
            },
            Self::Enum(_) => "enum",
            Self::Set(_) => "set",
            Self::Bit { .. } => "bit",
            Self::Year => "year",
            Self::Json => "json",
            Self::Date => "date",
            Self::Time { .. } => "time",
            Self::DateTime { .. } => "datetime",
            Self::Timestamp { .. } => "timestamp",
        }
    }

    /// What SHOW CREATE TABLE prints behind the column's name: the type, then CHARACTER SET if it is not the
    /// table's, then COLLATE if it is not the default of the table's or the set's.
    ///
    /// MySQL hides a collation only if it is the character set's default. For `utf8mb4` that is
    /// `utf8mb4_0900_ai_ci` there and `utf8mb4_general_ci` here, so there it would be shown.
    pub fn definition(self, table: crate::collation::Collation) -> String {
        let mut text = self.to_string();
        let Some(collation) = self.collation() else { return text };
        let charset = collation.charset();
        if collation != table {
            text.push_str(" CHARACTER SET ");
            text.push_str(charset.name());
        }
        if collation != table || collation != charset.default_collation() {
            text.push_str(" COLLATE ");
            text.push_str(collation.name());
        }
        text
    }

    /// `NUMERIC_PRECISION` and `NUMERIC_SCALE`.
    pub fn numeric_precision(self) -> Option<(u8, Option<u8>)> {
        match self {
            Self::Int(int) => Some((int.precision(), Some(0))),
            Self::Decimal { precision, scale, .. } => Some((precision, Some(scale))),
            Self::Float(FloatType { digits, .. }) => Some(digits.map_or((12, None), |(m, d)| (m, Some(d)))),
            Self::Double(FloatType { digits, .. }) => Some(digits.map_or((22, None), |(m, d)| (m, Some(d)))),
            Self::Bit { bits } => Some((bits, None)),
            _ => None,
        }
    }

    /// `DATETIME_PRECISION`; a DATE has none.
    pub fn datetime_precision(self) -> Option<u8> {
        self.fsp().filter(|_| !matches!(self, Self::Date))
    }

    /// `CHARACTER_SET_NAME`
    pub fn charset(self) -> Option<Charset> {
        self.collation().map(crate::collation::Collation::charset)
    }
}

impl Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.data_type())?;
        match *self {
            Self::Int(int) => {
                // MySQL 8 shows a display width only where it still means something.
                let shown = int.sign == Sign::Zerofill
                    || int.size == IntSize::Tiny && int.width == 1 && int.sign == Sign::Signed;
                if shown {
                    write!(f, "({})", int.width)?;
                }
                write_sign(int.sign, f)
            }
            Self::Decimal { precision, scale, sign } => {
                write!(f, "({precision},{scale})")?;
                write_sign(sign, f)
            }
            Self::Float(float) | Self::Double(float) => {
                if let Some((m, d)) = float.digits {
                    write!(f, "({m},{d})")?;
                }
                write_sign(float.sign, f)
            }
            Self::Char { .. } | Self::Varchar { .. } | Self::Binary { .. } | Self::Varbinary { .. } => {
                write!(f, "({})", self.chars_max().unwrap_or(0))
            }
            Self::Enum(labels) | Self::Set(labels) => write!(f, "({labels})"),
            Self::Bit { bits } => write!(f, "({bits})"),
            Self::Time { fsp } | Self::DateTime { fsp } | Self::Timestamp { fsp } if fsp > 0 => {
                write!(f, "({fsp})")
            }
            _ => Ok(()),
        }
    }
}

fn write_sign(sign: Sign, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str(match sign {
        Sign::Signed => "",
        Sign::Unsigned => " unsigned",
        Sign::Zerofill => " unsigned zerofill",
    })
}
