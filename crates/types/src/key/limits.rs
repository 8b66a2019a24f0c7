//! Index definitions that MySQL refuses, with its errors.

use super::KeyPart;
use crate::column::ColumnType;
use crate::error::SqlError;
use crate::error::table::{
    ER_BLOB_KEY_WITHOUT_LENGTH, ER_JSON_USED_AS_KEY, ER_KEY_PART_0, ER_TOO_LONG_KEY, ER_WRONG_SUB_KEY,
};
use crate::row::fixed_size;

/// The most bytes that the parts of a key may declare.
pub const KEY_SIZE_MAX: u32 = 3072;

/// Checks a key's parts, given with their columns' names: error 3152 for JSON, 1170 for a TEXT or BLOB without a prefix, 1391 for an
/// empty prefix, 1089 for one that is longer than its column or on a number, 1071 for too many bytes.
pub fn check_key<'a>(parts: impl Iterator<Item = (&'a KeyPart, &'a str)>) -> Result<(), SqlError> {
    let mut total = 0_u64;
    for (part, name) in parts {
        if part.prefix == Some(0) {
            return Err(ER_KEY_PART_0.error(&[&name]));
        }
        if part.ty == ColumnType::Json {
            return Err(ER_JSON_USED_AS_KEY.error(&[&name]));
        }
        let chars_max = part.ty.chars_max();
        match part.prefix {
            None if part.ty.is_lob() => return Err(ER_BLOB_KEY_WITHOUT_LENGTH.error(&[&name])),
            Some(prefix) if chars_max.is_none_or(|most| prefix > most) => {
                return Err(ER_WRONG_SUB_KEY.error(&[]));
            }
            _ => {}
        }
        total += part.declared_size();
        if total > u64::from(KEY_SIZE_MAX) {
            return Err(ER_TOO_LONG_KEY.error(&[&KEY_SIZE_MAX]));
        }
    }
    Ok(())
}

impl KeyPart {
    /// The most bytes of the part as MySQL counts them: characters times the longest character.
    fn declared_size(&self) -> u64 {
        if let Some(size) = fixed_size(self.ty) {
            return size as u64;
        }
        let char_size = self.ty.collation().map_or(1, |collation| collation.charset().char_size_max());
        let chars = self.prefix.or_else(|| self.ty.chars_max()).unwrap_or(0);
        u64::from(chars) * u64::from(char_size)
    }

    /// The bytes of the part as EXPLAIN counts them: one more where it takes NULL, two for the length of what varies.
    pub fn explained_size(&self) -> u64 {
        let varies =
            self.ty.is_lob() || matches!(self.ty, ColumnType::Varchar { .. } | ColumnType::Varbinary { .. });
        self.declared_size() + u64::from(self.nullable) + 2 * u64::from(varies)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collation::Collation;
    use crate::column::{IntSize, IntType, LobSize, Sign};

    const CI: Collation = Collation::Utf8mb4GeneralCi;

    fn part(ty: ColumnType, prefix: Option<u32>) -> KeyPart {
        KeyPart { column: 0, ty, nullable: false, prefix }
    }

    fn check(parts: &[KeyPart]) -> Result<(), SqlError> {
        check_key(parts.iter().map(|part| (part, "b")))
    }

    // Answers of MySQL 9.7.4.
    #[test]
    fn keys_are_limited_as_in_mysql() {
        let varchar = |chars| part(ColumnType::Varchar { chars, collation: CI }, None);
        let int = |size| part(ColumnType::Int(IntType::new(size, Sign::Signed)), None);
        assert!(check(&[varchar(768)]).is_ok());
        assert!(check(&[varchar(767), int(IntSize::Int)]).is_ok());
        let error = check(&[varchar(767), int(IntSize::Int), int(IntSize::Tiny)]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "ERROR 1071 (42000): Specified key was too long; max key length is 3072 bytes"
        );
        assert!(check(&[varchar(1000)]).unwrap_err().is(&ER_TOO_LONG_KEY));
        let text = ColumnType::Text { size: LobSize::Normal, collation: CI };
        assert_eq!(
            check(&[part(text, None)]).unwrap_err().to_string(),
            "ERROR 1170 (42000): BLOB/TEXT column 'b' used in key specification without a key length"
        );
        assert!(check(&[part(text, Some(768))]).is_ok());
        assert!(check(&[part(text, Some(769))]).unwrap_err().is(&ER_TOO_LONG_KEY));
        assert_eq!(
            check(&[part(text, Some(0))]).unwrap_err().to_string(),
            "ERROR 1391 (HY000): Key part 'b' length cannot be 0"
        );
        let prefix_of_int = part(ColumnType::BOOL, Some(1));
        assert!(check(&[prefix_of_int]).unwrap_err().is(&ER_WRONG_SUB_KEY));
        let too_long = part(ColumnType::Varchar { chars: 10, collation: CI }, Some(11));
        assert!(check(&[too_long]).unwrap_err().is(&ER_WRONG_SUB_KEY));
    }
}
