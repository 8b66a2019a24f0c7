//! What foreign keys refuse, worded.

use engine::catalog::def::ForeignKeyDef;
use engine::catalog::table::Table;
use types::error::table::{
    ER_CHECK_CONSTRAINT_VIOLATED, ER_FOREIGN_DUPLICATE_KEY_WITH_CHILD_INFO, ER_NO_REFERENCED_ROW_2,
    ER_ROW_IS_REFERENCED_2,
};
use types::error::{Condition, SqlError};
use types::row::Offsets;
use types::temporal::TimeZone;
use types::value::ValueRef;

use crate::ddl::{Quoting, foreign_key_text};

/// Whether a change fails for its row's checks and foreign keys alone: IGNORE goes on behind it.
pub(in crate::exec) fn is_violation(error: &SqlError) -> bool {
    [&ER_NO_REFERENCED_ROW_2, &ER_ROW_IS_REFERENCED_2, &ER_CHECK_CONSTRAINT_VIOLATED]
        .iter()
        .any(|condition| error.is(condition))
}

/// Error 1452: a row of this table has no parent.
pub(super) fn no_parent(child: &Table, key: &ForeignKeyDef) -> SqlError {
    violation(&ER_NO_REFERENCED_ROW_2, child, key)
}

/// Error 1451: a row of this table would lose its parent.
pub(super) fn is_parent(child: &Table, key: &ForeignKeyDef) -> SqlError {
    violation(&ER_ROW_IS_REFERENCED_2, child, key)
}

/// Error 1761: a row that would follow its parent has a duplicate in this index of its table.
pub(super) fn duplicate(
    (parent, row, columns): (&Table, &[u8], &[u16]),
    (child, index): (&Table, usize),
    time_zone: &TimeZone,
) -> SqlError {
    let mut offsets = Offsets::default();
    let mut values = Vec::new();
    if parent.rows.offsets(row, &mut offsets).is_ok() {
        let value = |column: &u16| match parent.rows.value(row, &offsets, (*column).into(), time_zone) {
            ValueRef::Null => "NULL".to_owned(),
            value => value.to_message(),
        };
        values = columns.iter().map(value).collect();
    }
    let record = values.join("-");
    let (parent, index) = (&parent.def.name, &child.def.indexes[index].name);
    ER_FOREIGN_DUPLICATE_KEY_WITH_CHILD_INFO.error(&[parent, &record, &child.def.name, index])
}

fn violation(condition: &Condition, child: &Table, key: &ForeignKeyDef) -> SqlError {
    let quoting = Quoting::default();
    let (db, name) = (quoting.name(&child.def.db), quoting.name(&child.def.name));
    condition.error(&[&format_args!(" ({db}.{name}, {})", foreign_key_text(key, &child.def, quoting))])
}
