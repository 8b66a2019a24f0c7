//! CHECK constraints in the definition of their table.

use engine::catalog::def::{CheckDef, ForeignKeyDef, ReferentialAction, TableDef};
use types::context::Context;
use types::error::SqlError;
use types::error::table::{
    ER_CHECK_CONSTRAINT_CLAUSE_USING_FK_REFER_ACTION_COLUMN, ER_CHECK_CONSTRAINT_DUP_NAME,
    ER_CHECK_CONSTRAINT_NOT_FOUND, ER_CHECK_CONSTRAINT_REFERS_AUTO_INCREMENT_COLUMN,
    ER_CHECK_CONSTRAINT_REFERS_UNKNOWN_COLUMN, ER_COLUMN_CHECK_CONSTRAINT_REFERENCES_OTHER_COLUMN,
    ER_DEPENDENT_BY_CHECK_CONSTRAINT, ER_TOO_LONG_IDENT,
};

use super::Result;
use super::draft::{Draft, same_name};
use super::expression::{self, Printed};
use super::foreign::{NAME_CHARS_MAX, made_name, made_number};
use crate::parse::parse_expression;
use crate::parse::table::CheckSpec;
use crate::parse::unsupported;

/// What stands between a table's name and a number in a name that was made.
pub(super) const MADE: &str = "_chk_";

/// The most constraints of a table.
const CHECKS_MAX: usize = 1000;

/// A constraint while a statement works on its table.
#[derive(Clone, Debug)]
pub(super) enum DraftCheck {
    /// It was there before.
    Old(CheckDef),
    /// It comes, perhaps as an attribute of a column.
    New(CheckSpec, Option<String>),
}

/// What ALTER TABLE does to the checks that a table has.
#[derive(Debug, Default)]
pub(super) struct Alterations<'a> {
    /// DROP CHECK, and DROP CONSTRAINT of a check.
    pub(super) drops: Vec<&'a str>,
    /// ALTER CHECK and ALTER CONSTRAINT: the name, and ENFORCED.
    pub(super) alters: Vec<(&'a str, bool)>,
}

/// Puts the checks of an altered table into its draft; `new_name` is what becomes of a column's name. A check of nothing
/// but columns that go, goes with them. Errors 3821, 3959.
pub(super) fn keep(
    old: &TableDef,
    alterations: &Alterations<'_>,
    new_name: impl Fn(&str) -> Option<String>,
    draft: &mut Draft,
) -> Result<()> {
    let find = |name: &str| old.checks.iter().position(|check| same_name(&check.name, name));
    let mut checks: Vec<Option<CheckDef>> = old.checks.iter().cloned().map(Some).collect();
    for name in &alterations.drops {
        let place = find(name).ok_or_else(|| ER_CHECK_CONSTRAINT_NOT_FOUND.error(&[name]))?;
        checks[place] = None;
    }
    for (name, enforced) in &alterations.alters {
        let check = find(name).and_then(|place| checks[place].as_mut());
        check.ok_or_else(|| ER_CHECK_CONSTRAINT_NOT_FOUND.error(&[name]))?.enforced = *enforced;
    }
    for check in checks.into_iter().flatten() {
        let columns = columns(&check)?;
        let is_gone = |column: &&String| new_name(column).is_none();
        if columns.iter().all(|column| same_name(column, &columns[0])) && columns.iter().any(|c| is_gone(&c))
        {
            continue;
        }
        let changes = |column: &&String| new_name(column).is_none_or(|new| !same_name(&new, column));
        if let Some(column) = columns.iter().find(changes) {
            return Err(ER_DEPENDENT_BY_CHECK_CONSTRAINT.error(&[&check.name, column]));
        }
        draft.checks.push(DraftCheck::Old(check));
    }
    Ok(())
}

/// The columns that a check names.
fn columns(check: &CheckDef) -> Result<Vec<String>> {
    let parsed = parse_expression(&check.expression)?;
    expression::check(&parsed, &check.name, types::sql_mode::SqlMode::default())
        .map(|printed| printed.columns)
}

/// The definitions, sorted by name as MySQL shows them. Those without a name are numbered behind the highest number of
/// those that stay. Errors 1059, 1235, 3812 to 3818, 3820, 3822, 3823.
pub(super) fn definitions(
    draft: &Draft,
    foreign_keys: &[ForeignKeyDef],
    context: &Context<'_>,
) -> Result<Vec<CheckDef>> {
    if draft.checks.len() > CHECKS_MAX {
        return Err(unsupported(&format!("more than {CHECKS_MAX} CHECK constraints of a table")));
    }
    let table = &draft.table.name;
    let numbers = draft.checks.iter().filter_map(|check| match check {
        DraftCheck::Old(check) => made_number(&check.name, table, MADE),
        DraftCheck::New(..) => None,
    });
    let mut number = numbers.max().unwrap_or(0);
    let mut made: Vec<CheckDef> = Vec::with_capacity(draft.checks.len());
    for check in &draft.checks {
        let (check, columns) = match check {
            DraftCheck::Old(check) => (check.clone(), columns(check)?),
            DraftCheck::New(spec, own_column) => {
                let name = spec.name.clone().unwrap_or_else(|| {
                    number += 1;
                    made_name(table, MADE, number)
                });
                if name.chars().count() > NAME_CHARS_MAX {
                    return Err(ER_TOO_LONG_IDENT.error(&[&name]));
                }
                let printed = expression::check(&spec.expression, &name, context.sql_mode)?;
                check_columns(draft, &name, &printed, own_column.as_deref())?;
                let Printed { text, columns, .. } = printed;
                (CheckDef { name, expression: text, enforced: spec.enforced }, columns)
            }
        };
        if made.iter().any(|other| same_name(&other.name, &check.name)) {
            return Err(duplicate(&check.name));
        }
        check_actions(draft, foreign_keys, &check.name, &columns)?;
        made.push(check);
    }
    sort(&mut made);
    Ok(made)
}

/// Errors 3813, 3818, 3820.
fn check_columns(draft: &Draft, name: &str, printed: &Printed, own: Option<&str>) -> Result<()> {
    for column in &printed.columns {
        if own.is_some_and(|own| !same_name(own, column)) {
            return Err(ER_COLUMN_CHECK_CONSTRAINT_REFERENCES_OTHER_COLUMN.error(&[&name]));
        }
        let place = draft.column(column);
        let place = place.ok_or_else(|| ER_CHECK_CONSTRAINT_REFERS_UNKNOWN_COLUMN.error(&[&name, column]))?;
        if draft.columns[place].def.auto_increment {
            return Err(ER_CHECK_CONSTRAINT_REFERS_AUTO_INCREMENT_COLUMN.error(&[&name]));
        }
    }
    Ok(())
}

/// Error 3823: what a parent's change does to a column is not checked, so it must not be able to change.
fn check_actions(draft: &Draft, keys: &[ForeignKeyDef], name: &str, columns: &[String]) -> Result<()> {
    let changes =
        |key: &&ForeignKeyDef| key.on_delete == ReferentialAction::SetNull || !key.on_update.refuses();
    for key in keys.iter().filter(changes) {
        let of_key = key.columns.iter().map(|&column| &draft.columns[usize::from(column)].def.name);
        for of_key in of_key {
            if columns.iter().any(|column| same_name(column, of_key)) {
                return Err(ER_CHECK_CONSTRAINT_CLAUSE_USING_FK_REFER_ACTION_COLUMN
                    .error(&[of_key, &name, &key.name]));
            }
        }
    }
    Ok(())
}

/// Error 3822.
pub(super) fn duplicate(name: &str) -> SqlError {
    ER_CHECK_CONSTRAINT_DUP_NAME.error(&[&name])
}

/// Brings them into MySQL's order.
pub(super) fn sort(checks: &mut [CheckDef]) {
    checks.sort_by_key(|check| check.name.to_lowercase());
}

/// Gives the checks of a copy the names that CREATE TABLE .. LIKE makes.
pub(super) fn rename_all(checks: &mut [CheckDef], table: &str) {
    for (number, check) in (1..).zip(checks.iter_mut()) {
        check.name = made_name(table, MADE, number);
    }
    sort(checks);
}
