//! `sql_mode`: MySQL's bit flags, their names, parsing and printing.
//!
//! The bits are MySQL's own, because QUERY events of the binlog carry them as a number. Combination modes
//! (ANSI, TRADITIONAL) set their parts and show themselves beside them, as MySQL does.

use std::fmt::{self, Display};
use std::ops::BitOr;

use crate::error::SqlError;
use crate::error::table::{ER_UNSUPPORTED_SQL_MODE, ER_WRONG_VALUE_FOR_VAR};

/// A set of SQL modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SqlMode(u64);

impl SqlMode {
    /// No mode at all: `sql_mode = ''`.
    pub const EMPTY: Self = Self(0);
    /// REAL is FLOAT.
    pub const REAL_AS_FLOAT: Self = Self(1);
    /// `||` concatenates.
    pub const PIPES_AS_CONCAT: Self = Self(2);
    /// `"` quotes identifiers.
    pub const ANSI_QUOTES: Self = Self(4);
    /// Blanks may stand between a function's name and its parenthesis.
    pub const IGNORE_SPACE: Self = Self(8);
    /// A bit that MySQL names but gives no meaning.
    pub const NOT_USED: Self = Self(0x10);
    /// Selected columns must be functionally dependent on GROUP BY.
    pub const ONLY_FULL_GROUP_BY: Self = Self(0x20);
    /// A subtraction's result is signed even if an operand is not.
    pub const NO_UNSIGNED_SUBTRACTION: Self = Self(0x40);
    /// Ignore DATA DIRECTORY.
    pub const NO_DIR_IN_CREATE: Self = Self(0x80);
    /// The combination ANSI.
    pub const ANSI: Self = Self(0x4_0000);
    /// 0 is a value for an AUTO_INCREMENT column, only NULL asks for the next.
    pub const NO_AUTO_VALUE_ON_ZERO: Self = Self(0x8_0000);
    /// `\` is an ordinary character in strings.
    pub const NO_BACKSLASH_ESCAPES: Self = Self(0x10_0000);
    /// Strict for transactional tables; all of ours are.
    pub const STRICT_TRANS_TABLES: Self = Self(0x20_0000);
    /// Strict for all tables.
    pub const STRICT_ALL_TABLES: Self = Self(0x40_0000);
    /// No zero month or day.
    pub const NO_ZERO_IN_DATE: Self = Self(0x80_0000);
    /// No `0000-00-00`.
    pub const NO_ZERO_DATE: Self = Self(0x100_0000);
    /// Days up to 31 in every month.
    pub const ALLOW_INVALID_DATES: Self = Self(0x200_0000);
    /// Division by zero is an error or a warning, not only NULL.
    pub const ERROR_FOR_DIVISION_BY_ZERO: Self = Self(0x400_0000);
    /// The combination TRADITIONAL.
    pub const TRADITIONAL: Self = Self(0x800_0000);
    /// NOT binds tighter than comparison.
    pub const HIGH_NOT_PRECEDENCE: Self = Self(0x2000_0000);
    /// An unknown engine is an error.
    pub const NO_ENGINE_SUBSTITUTION: Self = Self(0x4000_0000);
    /// CHAR is read with its padding.
    pub const PAD_CHAR_TO_FULL_LENGTH: Self = Self(0x8000_0000);
    /// Fractional seconds are cut, not rounded.
    pub const TIME_TRUNCATE_FRACTIONAL: Self = Self(0x1_0000_0000);

    /// Every bit that has a name.
    pub const ALL: Self = Self(0x1_EFFC_00FF);

    /// Either of the strict modes.
    const STRICT: Self = Self(0x60_0000);
    const ANSI_PARTS: Self = Self(0x4_002F);
    const TRADITIONAL_PARTS: Self = Self(0x4DE0_0000);

    /// The modes with these bits. Error 3899 or 1231 if a bit has no name, as `SET sql_mode = 256` answers.
    pub fn from_bits(bits: u64) -> Result<Self, SqlError> {
        if bits >= Self::TIME_TRUNCATE_FRACTIONAL.0 << 1 {
            return Err(ER_WRONG_VALUE_FOR_VAR.error(&[&"sql_mode", &bits]));
        }
        let unknown = bits & !Self::ALL.0;
        if unknown != 0 {
            return Err(ER_UNSUPPORTED_SQL_MODE.error(&[&format_args!("{unknown:08x}")]));
        }
        Ok(Self(bits).expanded())
    }

    /// MySQL's number for this set.
    pub fn bits(self) -> u64 {
        self.0
    }

    /// Parses a comma-separated list of names, in any case; empty members are skipped. Error 1231 names the
    /// first unknown member.
    pub fn parse(list: &str) -> Result<Self, SqlError> {
        let mut mode = Self::EMPTY;
        for name in list.split(',').filter(|name| !name.is_empty()) {
            let known = NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
            let (_, bit) = known.ok_or_else(|| ER_WRONG_VALUE_FOR_VAR.error(&[&"sql_mode", &name]))?;
            mode = mode | *bit;
        }
        Ok(mode.expanded())
    }

    /// Whether every mode of `other` is in this set.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether wrong values are errors. Both strict modes mean the same here: every table is transactional.
    pub fn is_strict(self) -> bool {
        self.0 & Self::STRICT.0 != 0
    }

    /// This set without the modes of `other`.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    fn expanded(self) -> Self {
        let mut mode = self;
        if mode.contains(Self::ANSI) {
            mode = mode | Self::ANSI_PARTS;
        }
        if mode.contains(Self::TRADITIONAL) {
            mode = mode | Self::TRADITIONAL_PARTS;
        }
        mode
    }
}

/// MySQL 8.0's default.
impl Default for SqlMode {
    fn default() -> Self {
        Self::ONLY_FULL_GROUP_BY
            | Self::STRICT_TRANS_TABLES
            | Self::NO_ZERO_IN_DATE
            | Self::NO_ZERO_DATE
            | Self::ERROR_FOR_DIVISION_BY_ZERO
            | Self::NO_ENGINE_SUBSTITUTION
    }
}

impl BitOr for SqlMode {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Names in the order of their bits, separated by commas: what `SELECT @@sql_mode` prints.
impl Display for SqlMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (name, bit) in NAMES {
            if self.contains(*bit) {
                write!(f, "{separator}{name}")?;
                separator = ",";
            }
        }
        Ok(())
    }
}

const NAMES: &[(&str, SqlMode)] = &[
    ("REAL_AS_FLOAT", SqlMode::REAL_AS_FLOAT),
    ("PIPES_AS_CONCAT", SqlMode::PIPES_AS_CONCAT),
    ("ANSI_QUOTES", SqlMode::ANSI_QUOTES),
    ("IGNORE_SPACE", SqlMode::IGNORE_SPACE),
    ("NOT_USED", SqlMode::NOT_USED),
    ("ONLY_FULL_GROUP_BY", SqlMode::ONLY_FULL_GROUP_BY),
    ("NO_UNSIGNED_SUBTRACTION", SqlMode::NO_UNSIGNED_SUBTRACTION),
    ("NO_DIR_IN_CREATE", SqlMode::NO_DIR_IN_CREATE),
    ("ANSI", SqlMode::ANSI),
    ("NO_AUTO_VALUE_ON_ZERO", SqlMode::NO_AUTO_VALUE_ON_ZERO),
    ("NO_BACKSLASH_ESCAPES", SqlMode::NO_BACKSLASH_ESCAPES),
    ("STRICT_TRANS_TABLES", SqlMode::STRICT_TRANS_TABLES),
    ("STRICT_ALL_TABLES", SqlMode::STRICT_ALL_TABLES),
    ("NO_ZERO_IN_DATE", SqlMode::NO_ZERO_IN_DATE),
    ("NO_ZERO_DATE", SqlMode::NO_ZERO_DATE),
    ("ALLOW_INVALID_DATES", SqlMode::ALLOW_INVALID_DATES),
    ("ERROR_FOR_DIVISION_BY_ZERO", SqlMode::ERROR_FOR_DIVISION_BY_ZERO),
    ("TRADITIONAL", SqlMode::TRADITIONAL),
    ("HIGH_NOT_PRECEDENCE", SqlMode::HIGH_NOT_PRECEDENCE),
    ("NO_ENGINE_SUBSTITUTION", SqlMode::NO_ENGINE_SUBSTITUTION),
    ("PAD_CHAR_TO_FULL_LENGTH", SqlMode::PAD_CHAR_TO_FULL_LENGTH),
    ("TIME_TRUNCATE_FRACTIONAL", SqlMode::TIME_TRUNCATE_FRACTIONAL),
];

#[cfg(test)]
mod tests {
    use super::*;

    // What MySQL 9.7.4 answered to SELECT @@sql_mode.
    #[test]
    fn combination_modes_show_their_parts() {
        let ansi = "REAL_AS_FLOAT,PIPES_AS_CONCAT,ANSI_QUOTES,IGNORE_SPACE,ONLY_FULL_GROUP_BY,ANSI";
        let traditional = "STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,\
                           ERROR_FOR_DIVISION_BY_ZERO,TRADITIONAL,NO_ENGINE_SUBSTITUTION";
        assert_eq!(SqlMode::parse("ansi").unwrap().to_string(), ansi);
        assert_eq!(SqlMode::parse("Traditional").unwrap().to_string(), traditional);
        assert_eq!(SqlMode::from_bits(1 << 18).unwrap().to_string(), ansi);
        assert_eq!(SqlMode::from_bits(1 << 27).unwrap().to_string(), traditional);
    }

    #[test]
    fn the_default_prints_as_in_mysql() {
        let text = "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,\
                    ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION";
        assert_eq!(SqlMode::default().to_string(), text);
        assert_eq!(SqlMode::parse(text).unwrap(), SqlMode::default());
        assert!(SqlMode::default().is_strict());
    }

    #[test]
    fn unknown_members_are_refused_with_mysqls_errors() {
        let message = |r: Result<SqlMode, SqlError>| r.unwrap_err().to_string();
        assert_eq!(
            message(SqlMode::parse("bad,ansi")),
            "ERROR 1231 (42000): Variable 'sql_mode' can't be set to the value of 'bad'"
        );
        assert_eq!(
            message(SqlMode::from_bits(256)),
            "ERROR 3899 (HY000): sql_mode=0x00000100 is not supported."
        );
        assert!(SqlMode::from_bits(1 << 40).unwrap_err().is(&ER_WRONG_VALUE_FOR_VAR));
        assert_eq!(
            SqlMode::parse("strict_trans_tables,,ansi_quotes").unwrap().to_string(),
            "ANSI_QUOTES,STRICT_TRANS_TABLES"
        );
    }

    #[test]
    fn every_name_has_one_bit_and_all_covers_them() {
        let all = NAMES.iter().fold(0, |all, (_, mode)| all | mode.bits());
        assert_eq!(all, SqlMode::ALL.bits());
        assert!(NAMES.iter().all(|(_, mode)| mode.bits().is_power_of_two()));
    }
}
