//! ALGORITHM and LOCK: a statement that demands more than can be done is refused.

use engine::catalog::def::TableDef;
use types::error::SqlError;
use types::error::table::{ER_ALTER_OPERATION_NOT_SUPPORTED, ER_ALTER_OPERATION_NOT_SUPPORTED_REASON};

use super::{Change, ColumnSource};
use crate::ddl::Result;
use crate::parse::table::{AlterAction, AlterAlgorithm, AlterLock, AlterTable};

/// Errors 1845 and 1846. Whatever touches data keeps others from the table while it runs.
pub(super) fn check(
    alter: &AlterTable,
    change: &Change,
    checks_more: bool,
    foreign_key_checks: bool,
) -> Result<()> {
    let algorithm = match alter.algorithm {
        AlterAlgorithm::Instant => Some("ALGORITHM=INSTANT"),
        AlterAlgorithm::Inplace => Some("ALGORITHM=INPLACE"),
        AlterAlgorithm::Default | AlterAlgorithm::Copy => None,
    };
    if let Some(algorithm) = algorithm.filter(|_| checks_more) {
        return Err(ER_ALTER_OPERATION_NOT_SUPPORTED.error(&[&algorithm, &"ALGORITHM=COPY"]));
    }
    if foreign_key_checks && adds_foreign_key(alter) {
        let reason = "Adding foreign keys needs foreign_key_checks=OFF";
        match alter.algorithm {
            AlterAlgorithm::Instant => {
                return Err(refused("ALGORITHM=INSTANT", reason, "ALGORITHM=COPY/INPLACE"));
            }
            AlterAlgorithm::Inplace => return Err(refused("ALGORITHM=INPLACE", reason, "ALGORITHM=COPY")),
            AlterAlgorithm::Default | AlterAlgorithm::Copy => {}
        }
    }
    let touches_data = matches!(change, Change::Indexes { .. } | Change::Rebuild { .. });
    let converts = match change {
        Change::Rebuild { columns } => {
            columns.iter().any(|column| matches!(column, ColumnSource::Convert(..)))
        }
        _ => false,
    };
    if alter.algorithm == AlterAlgorithm::Instant && touches_data {
        return Err(
            ER_ALTER_OPERATION_NOT_SUPPORTED.error(&[&"ALGORITHM=INSTANT", &"ALGORITHM=COPY/INPLACE"])
        );
    }
    if alter.algorithm == AlterAlgorithm::Inplace && converts {
        return Err(refused("ALGORITHM=INPLACE", "Cannot change column type INPLACE", "ALGORITHM=COPY"));
    }
    if alter.lock == AlterLock::None && alter.algorithm == AlterAlgorithm::Copy {
        return Err(refused("LOCK=NONE", "COPY algorithm requires a lock", "LOCK=SHARED"));
    }
    if matches!(alter.lock, AlterLock::None | AlterLock::Shared) && touches_data {
        let lock = if alter.lock == AlterLock::None { "LOCK=NONE" } else { "LOCK=SHARED" };
        return Err(refused(lock, "the table is locked while it is changed", "LOCK=EXCLUSIVE"));
    }
    Ok(())
}

/// Tells new numbers whether MySQL copies the rows: statements are replicated, and numbers must not differ.
pub(super) fn note_copy(
    alter: &AlterTable,
    new: &TableDef,
    change: &mut Change,
    checks_more: bool,
    foreign_key_checks: bool,
) {
    let Change::Rebuild { columns } = change else { return };
    let converts = columns
        .iter()
        .zip(&new.columns)
        .any(|(source, column)| matches!(source, ColumnSource::Convert(_, before) if *before != column.ty));
    let copies = converts
        || checks_more
        || alter.algorithm == AlterAlgorithm::Copy
        || (foreign_key_checks && adds_foreign_key(alter));
    for source in columns {
        if let ColumnSource::AutoIncrement { by_copy } = source {
            *by_copy = copies;
        }
    }
}

fn adds_foreign_key(alter: &AlterTable) -> bool {
    alter.actions.iter().any(|action| matches!(action, AlterAction::AddForeignKey(_)))
}

fn refused(what: &str, reason: &str, instead: &str) -> SqlError {
    ER_ALTER_OPERATION_NOT_SUPPORTED_REASON.error(&[&what, &reason, &instead])
}
