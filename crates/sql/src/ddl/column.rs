//! Columns.

use engine::catalog::def::ColumnDef;
use types::collation::Collation;
use types::column::{Column, ColumnType};
use types::context::Context;
use types::error::table::{ER_INVALID_DEFAULT, ER_TOO_LONG_FIELD_COMMENT, ER_WRONG_FIELD_SPEC};
use types::warning::Level;

use super::draft::{DraftColumn, check_name};
use super::{Result, column_type, computed, default};
use crate::parse::table::{ColumnSpec, DefaultSpec, TypeName};

/// The most characters of a column's comment.
const COMMENT_CHARS_MAX: usize = 1024;

/// A column of a table of this collation. Errors of its type, default, expression and attributes.
pub(super) fn column(spec: &ColumnSpec, table: Collation, context: &mut Context<'_>) -> Result<DraftColumn> {
    check_name(&spec.name)?;
    let ty = column_type::column_type(spec, table, context)?;
    let auto_increment = spec.auto_increment || spec.ty.name == TypeName::Serial;
    let nullable = spec.nullable.unwrap_or(!spec.primary) && !auto_increment;
    let says_null = spec.nullable == Some(true) || matches!(spec.default, Some(DefaultSpec::Null));
    let typed = Column { table: String::new(), name: spec.name.clone(), ty, nullable };
    let generated = computed::definition(spec, context.sql_mode)?;
    if auto_increment {
        check_auto_increment(spec, ty)?;
    }
    if let Some(digits) = spec.on_update {
        default::check_on_update(ty, digits, &spec.name)?;
    }
    let default = default::definition(spec.default.as_ref(), &typed, context)?;
    let comment = comment(spec, context)?;
    let def = ColumnDef {
        name: spec.name.clone(),
        ty,
        nullable: typed.nullable,
        default: if auto_increment { engine::catalog::def::DefaultValue::None } else { default },
        on_update_now: spec.on_update.is_some(),
        auto_increment,
        generated,
        comment,
    };
    Ok(DraftColumn { def, says_null, old: None })
}

/// Whether the column brings a unique key.
pub(super) fn brings_unique(spec: &ColumnSpec) -> bool {
    spec.unique || spec.ty.name == TypeName::Serial
}

/// AUTO_INCREMENT is for integers and has no default: errors 1063, 1067.
fn check_auto_increment(spec: &ColumnSpec, ty: ColumnType) -> Result<()> {
    if spec.default.is_some() {
        return Err(ER_INVALID_DEFAULT.error(&[&spec.name]));
    }
    if matches!(ty, ColumnType::Int(_)) { Ok(()) } else { Err(ER_WRONG_FIELD_SPEC.error(&[&spec.name])) }
}

/// Error 1629 for a comment that is too long; outside of strict mode it is cut.
fn comment(spec: &ColumnSpec, context: &mut Context<'_>) -> Result<String> {
    let comment = spec.comment.clone().unwrap_or_default();
    let Some((cut, _)) = comment.char_indices().nth(COMMENT_CHARS_MAX) else { return Ok(comment) };
    if context.strict {
        return Err(ER_TOO_LONG_FIELD_COMMENT.error(&[&spec.name, &COMMENT_CHARS_MAX]));
    }
    context.warnings.push(Level::Warning, &ER_TOO_LONG_FIELD_COMMENT, &[&spec.name, &COMMENT_CHARS_MAX]);
    Ok(comment[..cut].to_owned())
}
