//! What LOAD DATA reads, and SELECT .. INTO OUTFILE writes.

use types::charset::Charset;
use types::collation::Collation;

use super::Assignment;
use crate::load::FileFormat;

/// What LOAD DATA reads.
#[derive(Debug)]
pub struct FilePlan {
    /// LOCAL: the client has the file.
    pub local: bool,
    /// The file's name as the statement has it.
    pub name: String,
    /// How rows stand in it.
    pub format: FileFormat,
    /// What its texts are in.
    pub collation: Collation,
    /// Lines at its beginning that are passed over.
    pub skip: u64,
    /// Where the fields of a row go.
    pub fields: Vec<FieldTarget>,
    /// What else its columns get: SET.
    pub assignments: Vec<Assignment>,
}

/// Where a field goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldTarget {
    /// Into a column, by its place.
    Column(usize),
    /// Into a user variable: its name, in lower case.
    Variable(String),
}

/// A file that a SELECT writes.
#[derive(Debug)]
pub struct OutFilePlan {
    /// Its name.
    pub name: String,
    /// How rows stand in it; `None`: the only row's values one behind another, as they are.
    pub format: Option<FileFormat>,
    /// What texts are converted to; `binary`: nothing.
    pub charset: Charset,
}
