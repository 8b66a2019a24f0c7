//! How rows stand in a file: FIELDS and LINES.

use types::error::SqlError;
use types::error::table::{ER_NOT_SUPPORTED_YET, ER_WRONG_FIELD_TERMINATORS};

/// Bytes of a separator. Each byte of a file may be compared with so many.
pub const SEPARATOR_SIZE_MAX: usize = 255;

/// How rows stand in a file. Texts are bytes: separators are compared as such.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFormat {
    /// What stands between fields: FIELDS TERMINATED BY. Never empty.
    pub separator: Vec<u8>,
    /// What may stand around one: FIELDS ENCLOSED BY.
    pub quote: Option<u8>,
    /// OPTIONALLY: it stands around texts alone where rows are written. Whoever reads finds it where it is.
    pub quotes_texts: bool,
    /// What gives the byte behind it another meaning: FIELDS ESCAPED BY.
    pub escape: Option<u8>,
    /// What stands behind a row: LINES TERMINATED BY. Empty if nothing does.
    pub terminator: Vec<u8>,
    /// What a row's first field stands behind: LINES STARTING BY. Empty if nothing does.
    pub prefix: Vec<u8>,
}

/// What a statement says of it; `None` where it says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Separators {
    /// FIELDS TERMINATED BY.
    pub separator: Option<Vec<u8>>,
    /// FIELDS ENCLOSED BY.
    pub quote: Option<Vec<u8>>,
    /// OPTIONALLY.
    pub quotes_texts: bool,
    /// FIELDS ESCAPED BY.
    pub escape: Option<Vec<u8>>,
    /// LINES TERMINATED BY.
    pub terminator: Option<Vec<u8>>,
    /// LINES STARTING BY.
    pub prefix: Option<Vec<u8>>,
}

impl Separators {
    /// The format, with MySQL's defaults: tabs, line feeds and backslashes.
    ///
    /// # Errors
    /// 1083 for quotes and escapes of several bytes, 1235 for rows of fixed size and separators beyond [`SEPARATOR_SIZE_MAX`].
    pub fn format(self, no_backslash_escapes: bool) -> Result<FileFormat, SqlError> {
        let escape = self.escape.or_else(|| (!no_backslash_escapes).then(|| b"\\".to_vec()));
        let separator = self.separator.unwrap_or_else(|| b"\t".to_vec());
        let mut terminator = self.terminator.unwrap_or_else(|| b"\n".to_vec());
        let prefix = self.prefix.unwrap_or_default();
        if separator.is_empty() {
            return Err(ER_NOT_SUPPORTED_YET.error(&[&"FIELDS TERMINATED BY ''"]));
        }
        if [&separator, &terminator, &prefix].iter().any(|text| text.len() > SEPARATOR_SIZE_MAX) {
            let what = format!("separators of more than {SEPARATOR_SIZE_MAX} bytes");
            return Err(ER_NOT_SUPPORTED_YET.error(&[&what]));
        }
        if terminator == separator {
            terminator.clear();
        }
        Ok(FileFormat {
            quote: one_byte(self.quote.as_deref())?,
            quotes_texts: self.quotes_texts,
            escape: one_byte(escape.as_deref())?,
            separator,
            terminator,
            prefix,
        })
    }
}

/// Error 1083 for more than one byte.
fn one_byte(text: Option<&[u8]>) -> Result<Option<u8>, SqlError> {
    match text {
        None | Some([]) => Ok(None),
        Some([byte]) => Ok(Some(*byte)),
        Some(_) => Err(ER_WRONG_FIELD_TERMINATORS.error(&[])),
    }
}
