//! ANALYZE, CHECK, CHECKSUM, OPTIMIZE and REPAIR TABLE.

use types::error::SqlError;

use super::Statement;
use super::cursor::Cursor;
use super::error::unsupported;
use super::name::{self, TableName};

/// One of these statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Maintenance {
    /// Which.
    pub what: MaintenanceKind,
    /// LOCAL, NO_WRITE_TO_BINLOG: the statement is not logged.
    pub local: bool,
    /// Of which tables.
    pub tables: Vec<TableName>,
    /// QUICK, EXTENDED and the like, in upper case.
    pub options: Vec<&'static str>,
}

/// What is done to tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum MaintenanceKind {
    Analyze,
    Check,
    Checksum,
    Optimize,
    Repair,
}

impl MaintenanceKind {
    /// The word in the result's column `Op`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Analyze => "analyze",
            Self::Check => "check",
            Self::Checksum => "checksum",
            Self::Optimize => "optimize",
            Self::Repair => "repair",
        }
    }
}

/// Behind the verb.
pub(super) fn parse(cursor: &mut Cursor<'_>, what: MaintenanceKind) -> Result<Statement, SqlError> {
    let local = cursor.accept_any(&["NO_WRITE_TO_BINLOG", "LOCAL"]).is_some();
    cursor.expect_any(&["TABLE", "TABLES"])?;
    let tables = cursor.list(name::table)?;
    if cursor.is("UPDATE HISTOGRAM") || cursor.is("DROP HISTOGRAM") {
        return Err(unsupported("histograms"));
    }
    let choices: &[&'static str] = match what {
        MaintenanceKind::Check => &["FOR UPGRADE", "QUICK", "FAST", "MEDIUM", "EXTENDED", "CHANGED"],
        MaintenanceKind::Checksum => &["QUICK", "EXTENDED"],
        MaintenanceKind::Repair => &["QUICK", "EXTENDED", "USE_FRM"],
        MaintenanceKind::Analyze | MaintenanceKind::Optimize => &[],
    };
    let mut options = Vec::new();
    while let Some(option) = cursor.accept_any(choices) {
        options.push(option);
        if what == MaintenanceKind::Checksum {
            break;
        }
    }
    cursor.expect_end()?;
    Ok(Statement::Maintain(Maintenance { what, local, tables, options }))
}
