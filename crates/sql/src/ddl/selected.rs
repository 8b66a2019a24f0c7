//! The columns that a query gives the table of CREATE TABLE .. SELECT.

use std::sync::Arc;

use engine::catalog::def::{ColumnDef, DefaultValue};
use engine::catalog::table::Table;
use types::column::{Column, ColumnType, IntSize, IntType, Sign};
use types::context::Context;
use types::error::table::ER_WRONG_COLUMN_NAME;
use types::sql_mode::SqlMode;
use types::temporal::{Date, TimeZone};
use types::value::Value;
use types::warning::Warnings;

use super::{Result, default};
use crate::exec::OutputColumn;
use crate::expr::typing::{Kind, ResultType};
use crate::parse::NAME_CHARS_MAX;

/// Digits from which on an integer needs a BIGINT.
const BIGINT_WIDTH: u32 = 11;

/// The definitions of a query's columns. One that is a table's column is defined as there, without what keys, counters and
/// expressions make of it. An expression's has the type of its values, and 0 or an empty text for a default if none of them
/// is NULL. `find` knows the tables. Error 1166 for a name that is none.
pub fn selected_columns(
    columns: &[OutputColumn],
    find: impl Fn(&str, &str) -> Option<Arc<Table>>,
    context: &Context<'_>,
) -> Result<Vec<ColumnDef>> {
    let column = |column: &OutputColumn| {
        check_name(&column.name)?;
        let origin = column.origin.as_ref();
        let base = origin.and_then(|origin| {
            let table = find(&origin.db, &origin.table)?;
            table.def.columns.iter().find(|def| def.name == origin.column).cloned()
        });
        let base = base.as_ref();
        let mut def = ColumnDef {
            name: column.name.clone(),
            ty: base.map_or_else(|| stored_type(column.ty), |base| base.ty),
            nullable: column.ty.nullable,
            default: DefaultValue::None,
            on_update_now: base.is_some_and(|base| base.on_update_now),
            auto_increment: false,
            generated: None,
            comment: base.map(|base| base.comment.clone()).unwrap_or_default(),
        };
        def.default = match base {
            Some(base) if !base.auto_increment && base.generated.is_none() => match &base.default {
                DefaultValue::None | DefaultValue::Null if def.nullable => DefaultValue::Null,
                default => default.clone(),
            },
            _ if def.nullable => DefaultValue::Null,
            _ => nothing(&def, context),
        };
        Ok(def)
    };
    columns.iter().map(column).collect()
}

pub(super) fn check_name(name: &str) -> Result<()> {
    if name.is_empty() || name.ends_with(' ') || name.chars().count() > NAME_CHARS_MAX {
        return Err(ER_WRONG_COLUMN_NAME.error(&[&name]));
    }
    Ok(())
}

/// What holds an expression's values.
fn stored_type(ty: ResultType) -> ColumnType {
    match ty.kind {
        Kind::Null => ColumnType::Varbinary { size: 0 },
        Kind::Int(IntSize::Big) if !ty.is_stored && ty.length < BIGINT_WIDTH => {
            let sign = if ty.is_unsigned { Sign::Unsigned } else { Sign::Signed };
            ColumnType::Int(IntType::new(IntSize::Int, sign))
        }
        Kind::Year => ColumnType::Year,
        Kind::Char if !ty.is_stored => ResultType { kind: Kind::Varchar, ..ty }.column_type(),
        _ => ty.column_type(),
    }
}

/// The default of a column that takes no NULL. A date has none in the strict mode without zero dates.
fn nothing(def: &ColumnDef, context: &Context<'_>) -> DefaultValue {
    let value = match def.ty {
        ColumnType::Date | ColumnType::DateTime { .. } | ColumnType::Timestamp { .. }
            if context.strict && context.sql_mode.contains(SqlMode::NO_ZERO_DATE) =>
        {
            return DefaultValue::None;
        }
        ty if ty.is_lob() => return DefaultValue::None,
        ColumnType::Char { .. }
        | ColumnType::Varchar { .. }
        | ColumnType::Binary { .. }
        | ColumnType::Varbinary { .. } => Value::Bytes(Vec::new()),
        _ => Value::Int(0),
    };
    let typed = Column { table: String::new(), name: def.name.clone(), ty: def.ty, nullable: false };
    let mut warnings = Warnings::default();
    let mut lenient = Context::writing(SqlMode::EMPTY, &TimeZone::UTC, Date::ZERO, &mut warnings);
    default::stored(&typed, &value, &mut lenient).map_or(DefaultValue::None, DefaultValue::Stored)
}
