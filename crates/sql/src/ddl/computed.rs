//! Generated columns, and defaults that are expressions, in the definition of their table.

use engine::catalog::def::{
    ColumnDef, DefaultValue, ForeignKeyDef, GeneratedDef, IndexKind, ReferentialAction, TableDef,
};
use types::error::SqlError;
use types::error::table::{
    ER_BAD_FIELD_ERROR, ER_BINLOG_UNSAFE_SYSTEM_FUNCTION, ER_CANNOT_ADD_FOREIGN,
    ER_DEFAULT_VAL_GENERATED_NON_PRIOR, ER_DEFAULT_VAL_GENERATED_REF_AUTO_INC,
    ER_DEPENDENT_BY_DEFAULT_GENERATED_VALUE, ER_DEPENDENT_BY_GENERATED_COLUMN,
    ER_FK_CANNOT_USE_VIRTUAL_COLUMN, ER_GENERATED_COLUMN_NON_PRIOR, ER_GENERATED_COLUMN_REF_AUTO_INC,
    ER_UNSUPPORTED_ACTION_ON_GENERATED_COLUMN, ER_WRONG_FK_OPTION_FOR_GENERATED_COLUMN, ER_WRONG_USAGE,
};
use types::sql_mode::SqlMode;

use super::draft::{Draft, DraftColumn, same_name};
use super::{Result, expression};
use crate::parse::parse_expression;
use crate::parse::table::{ColumnSpec, TypeName};

/// What a column holds that is written as generated. Errors 1221, 3102, 3763, 3764, 3772.
pub(super) fn definition(spec: &ColumnSpec, sql_mode: SqlMode) -> Result<Option<GeneratedDef>> {
    let Some(generated) = &spec.generated else { return Ok(None) };
    let wrong = [
        (spec.default.is_some(), "DEFAULT"),
        (spec.auto_increment, "AUTO_INCREMENT"),
        (spec.ty.name == TypeName::Serial, "SERIAL"),
        (spec.on_update.is_some(), "ON UPDATE"),
    ];
    if let Some((_, what)) = wrong.into_iter().find(|(is_there, _)| *is_there) {
        return Err(wrong_usage(what));
    }
    let printed = expression::generated(&generated.expression, &spec.name, sql_mode)?;
    Ok(Some(GeneratedDef { expression: printed.text, stored: generated.stored }))
}

/// What a column's expression is, and the columns that it names; `None` if it has none.
fn expression_of(def: &ColumnDef) -> Result<Option<(Kind, Vec<String>)>> {
    Ok(match (&def.generated, &def.default) {
        (Some(generated), _) => {
            let parsed = parse_expression(&generated.expression)?;
            let printed = expression::generated(&parsed, &def.name, SqlMode::default())?;
            Some((Kind::Generated, printed.columns))
        }
        (None, DefaultValue::Expression(text)) => {
            let printed = expression::default(&*parse_expression(text)?, &def.name, SqlMode::default())?;
            Some((Kind::Default, printed.columns))
        }
        _ => None,
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Generated,
    Default,
}

/// What expressions may refer to: what stands behind a column is computed later. Errors 1054, 3107, 3109, 3767, 3768.
pub(super) fn check_columns(draft: &Draft) -> Result<()> {
    for (place, column) in draft.columns.iter().enumerate() {
        let name = &column.def.name;
        let Some((kind, columns)) = expression_of(&column.def)? else { continue };
        for named in columns {
            let on = draft.column(&named);
            let on = on.ok_or_else(|| {
                let clause = match kind {
                    Kind::Generated => "generated column function",
                    Kind::Default => "default value expression",
                };
                ER_BAD_FIELD_ERROR.error(&[&named, &clause])
            })?;
            let def = &draft.columns[on].def;
            let is_later = on >= place && expression_of(def)?.is_some();
            return Err(match kind {
                Kind::Generated if def.auto_increment => ER_GENERATED_COLUMN_REF_AUTO_INC.error(&[name]),
                Kind::Default if def.auto_increment => ER_DEFAULT_VAL_GENERATED_REF_AUTO_INC.error(&[name]),
                Kind::Generated if is_later => ER_GENERATED_COLUMN_NON_PRIOR.error(&[]),
                Kind::Default if is_later => ER_DEFAULT_VAL_GENERATED_NON_PRIOR.error(&[name]),
                _ => continue,
            });
        }
    }
    Ok(())
}

/// A primary key has no VIRTUAL columns: error 3106.
pub(super) fn check_primary(draft: &Draft) -> Result<()> {
    let mut primary =
        draft.keys.iter().filter(|key| key.kind == IndexKind::Primary).flat_map(|key| &key.parts);
    let is_virtual =
        |name: &str| draft.column(name).is_some_and(|place| draft.columns[place].def.is_virtual());
    if primary.any(|part| is_virtual(&part.column)) {
        return Err(unsupported_action("Defining a virtual generated column as primary key"));
    }
    Ok(())
}

/// A VIRTUAL column cannot become another one, nor another one VIRTUAL: error 3106.
pub(super) fn check_changed(old: &ColumnDef, new: &ColumnDef) -> Result<()> {
    let stays_virtual = old.is_virtual() == new.is_virtual();
    if stays_virtual { Ok(()) } else { Err(unsupported_action("Changing the STORED status")) }
}

/// What expressions that stay as they are depend on, stays under its name: errors 3108, 3766. `new_name` is what becomes of
/// a column's name.
pub(super) fn check_dependencies(
    old: &TableDef,
    columns_now: &[DraftColumn],
    new_name: impl Fn(&str) -> Option<String>,
) -> Result<()> {
    for (place, column) in old.columns.iter().enumerate() {
        let is_it = |now: &DraftColumn| {
            let same = now.def.generated == column.generated && now.def.default == column.default;
            now.old == Some(place) && same
        };
        let Some((kind, columns)) = expression_of(column)?.filter(|_| columns_now.iter().any(is_it)) else {
            continue;
        };
        for named in columns {
            if new_name(&named).is_none_or(|new| !same_name(&new, &named)) {
                return Err(match kind {
                    Kind::Generated => ER_DEPENDENT_BY_GENERATED_COLUMN.error(&[&named]),
                    Kind::Default => ER_DEPENDENT_BY_DEFAULT_GENERATED_VALUE.error(&[&named, &old.name]),
                });
            }
        }
    }
    Ok(())
}

/// Rows that are there get the defaults of new columns when the statement runs, here and on replicas: error 1674 for
/// what may be another value there.
pub(super) fn check_added(columns: &[DraftColumn]) -> Result<()> {
    for column in columns.iter().filter(|column| column.old.is_none()) {
        if let DefaultValue::Expression(text) = &column.def.default {
            let parsed = parse_expression(text)?;
            if expression::default(&parsed, &column.def.name, SqlMode::default())?.is_unsafe {
                return Err(ER_BINLOG_UNSAFE_SYSTEM_FUNCTION.error(&[]));
            }
        }
    }
    Ok(())
}

/// Foreign keys of generated columns, and of those that STORED ones depend on. Errors 1215, 3104, 3733.
pub(super) fn check_foreign_keys(table: &TableDef) -> Result<()> {
    for key in &table.foreign_keys {
        for column in &key.columns {
            check_foreign_key(key, &table.columns[usize::from(*column)])?;
        }
    }
    let changing = |key: &&ForeignKeyDef| !key.on_delete.refuses() || !key.on_update.refuses();
    for key in table.foreign_keys.iter().filter(changing) {
        for column in &key.columns {
            let base = &table.columns[usize::from(*column)].name;
            let is_stored =
                |column: &&ColumnDef| column.generated.as_ref().is_some_and(|generated| generated.stored);
            for other in table.columns.iter().filter(is_stored) {
                let named = expression_of(other)?.map(|(_, columns)| columns).unwrap_or_default();
                if named.iter().any(|named| same_name(named, base)) {
                    return Err(ER_CANNOT_ADD_FOREIGN.error(&[]));
                }
            }
        }
    }
    Ok(())
}

fn check_foreign_key(key: &ForeignKeyDef, column: &ColumnDef) -> Result<()> {
    let Some(generated) = &column.generated else { return Ok(()) };
    if !generated.stored {
        return Err(ER_FK_CANNOT_USE_VIRTUAL_COLUMN.error(&[&key.name, &column.name]));
    }
    let clause = match (key.on_delete, key.on_update) {
        (ReferentialAction::SetNull, _) => "ON DELETE SET NULL",
        (_, ReferentialAction::SetNull) => "ON UPDATE SET NULL",
        (_, ReferentialAction::Cascade) => "ON UPDATE CASCADE",
        _ => return Ok(()),
    };
    Err(ER_WRONG_FK_OPTION_FOR_GENERATED_COLUMN.error(&[&clause]))
}

/// Error 1221 for an attribute that generated columns do not have.
pub(super) fn wrong_usage(attribute: &str) -> SqlError {
    ER_WRONG_USAGE.error(&[&attribute, &"generated column"])
}

fn unsupported_action(what: &str) -> SqlError {
    ER_UNSUPPORTED_ACTION_ON_GENERATED_COLUMN.error(&[&what])
}
