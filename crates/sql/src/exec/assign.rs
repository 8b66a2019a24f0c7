//! Rows in the making: values, defaults and AUTO_INCREMENT brought into their columns.

use engine::catalog::def::DefaultValue;
use engine::catalog::table::Table;
use engine::trx::Trx;
use types::column::ColumnType;
use types::context::Context;
use types::error::table::{ER_AUTOINC_READ_FAILED, ER_NO_DEFAULT_FOR_FIELD};
use types::row::RowBuilder;
use types::sql_mode::SqlMode;
use types::store;
use types::temporal::DateTime;
use types::value::{Numeric, Value, ValueRef};

use super::Result;
use super::cursor::{damaged, offsets};
use crate::session::Session;

/// What is known of a column of a row that is made.
#[derive(Clone, Debug)]
pub(super) enum Given<'v> {
    /// Its default.
    Default,
    /// A value.
    Value(ValueRef<'v>),
}

/// What happened to the AUTO_INCREMENT column of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AutoIncrement {
    /// Its value was generated.
    pub(super) generated: Option<u64>,
    /// Its value was given.
    pub(super) given: Option<u64>,
}

/// Encodes a new row. `given` has an entry a column; what is computed is left to [`RowRules::compute`].
///
/// [`RowRules::compute`]: crate::plan::RowRules::compute
pub(super) fn new_row(
    table: &Table,
    given: &[Given<'_>],
    trx: &mut Trx,
    session: &Session,
    context: &mut Context<'_>,
    out: &mut Vec<u8>,
) -> Result<AutoIncrement> {
    out.clear();
    let mut auto = AutoIncrement::default();
    let mut row = table.rows.builder(out);
    for (place, given) in given.iter().enumerate() {
        let column = &table.columns[place];
        let def = &table.def.columns[place];
        if def.generated.is_some() {
            // It is computed when the others are there.
            row.null();
            continue;
        }
        if def.auto_increment {
            auto = auto_increment(table, place, given, trx, session, context, &mut row)?;
            continue;
        }
        match given {
            Given::Value(value) => row.assign(column, *value, context)?,
            Given::Default => default(table, place, session, context, &mut row)?,
        }
    }
    row.finish().map_err(|_| damaged(table))?;
    Ok(auto)
}

/// Gives a column its default.
fn default(
    table: &Table,
    place: usize,
    session: &Session,
    context: &mut Context<'_>,
    row: &mut RowBuilder<'_, '_>,
) -> Result<()> {
    let def = &table.def.columns[place];
    match &def.default {
        DefaultValue::Stored(bytes) => row.stored(Some(bytes)),
        // Expressions are evaluated when the others are there.
        DefaultValue::Null | DefaultValue::Expression(_) => row.stored(None),
        DefaultValue::Now => row.assign(&table.columns[place], now(def.ty, session), context)?,
        DefaultValue::None if def.nullable => row.stored(None),
        DefaultValue::None => {
            context.report(&ER_NO_DEFAULT_FOR_FIELD, &[&def.name])?;
            let mut implicit = Vec::new();
            store::write_implicit_default(def.ty, &mut implicit);
            row.stored(Some(&implicit));
        }
    }
    Ok(())
}

/// CURRENT_TIMESTAMP with the fraction that the column has.
fn now(ty: ColumnType, session: &Session) -> ValueRef<'static> {
    let now: DateTime = session.now(ty.fsp().unwrap_or(0));
    ValueRef::DateTime(now)
}

/// NULL and 0 are given the next value; any other is noted.
fn auto_increment(
    table: &Table,
    place: usize,
    given: &Given<'_>,
    trx: &mut Trx,
    session: &Session,
    context: &mut Context<'_>,
    row: &mut RowBuilder<'_, '_>,
) -> Result<AutoIncrement> {
    let column = &table.columns[place];
    if let Given::Value(value) = given
        && !value.is_null()
    {
        let number = number_of(*value, context)?;
        if number != Some(0) || context.sql_mode.contains(SqlMode::NO_AUTO_VALUE_ON_ZERO) {
            row.assign(column, *value, context)?;
            let high = number.and_then(|number| u64::try_from(number).ok());
            if let Some(high) = high {
                trx.use_auto_increment(table, high);
            }
            return Ok(AutoIncrement { generated: None, given: high });
        }
    }
    let max = match column.ty {
        ColumnType::Int(int) => int.max(),
        _ => 1 << 53,
    };
    let (increment, offset) = (session.auto_increment_increment, session.auto_increment_offset);
    let next = match session.insert_id {
        Some(next) => {
            trx.use_auto_increment(table, next);
            Some(next)
        }
        None => trx.next_auto_increment(table, increment, offset, max),
    };
    let next = next.ok_or_else(|| ER_AUTOINC_READ_FAILED.error(&[]))?;
    row.assign(column, ValueRef::UInt(next), context)?;
    Ok(AutoIncrement { generated: Some(next), given: None })
}

fn number_of(value: ValueRef<'_>, context: &mut Context<'_>) -> Result<Option<i128>> {
    Ok(value.to_number(context)?.map(|number| match number {
        Numeric::Int(value) => value.into(),
        Numeric::UInt(value) => value.into(),
        Numeric::Decimal(value) => {
            value.round(0).ok().and_then(types::decimal::Decimal::to_i64).unwrap_or(0).into()
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "saturates; assigning reports what is out of range"
        )]
        Numeric::Double(value) => value.round_ties_even() as i128,
    }))
}

/// Replaces one column of a row: appends the new row to `out`.
pub(super) fn replace_column(
    table: &Table,
    before: &[u8],
    place: usize,
    value: Option<ValueRef<'_>>,
    session: &Session,
    context: &mut Context<'_>,
    out: &mut Vec<u8>,
) -> Result<()> {
    let offsets = offsets(table, before)?;
    let mut stored = Vec::new();
    let has_value = match value {
        Some(value) => store::assign(&table.columns[place], value, context, &mut stored)?,
        None => stored_default(table, place, session, context, &mut stored)?,
    };
    let change = types::row::Change { column: place, stored: has_value.then_some(&stored[..]) };
    table.rows.patch(before, &offsets, &[change], out).map_err(|_| damaged(table))
}

fn stored_default(
    table: &Table,
    place: usize,
    session: &Session,
    context: &mut Context<'_>,
    out: &mut Vec<u8>,
) -> Result<bool> {
    let def = &table.def.columns[place];
    match &def.default {
        DefaultValue::Stored(bytes) => out.extend_from_slice(bytes),
        DefaultValue::Now => return store::assign(&table.columns[place], now(def.ty, session), context, out),
        // The binder has made a value of an expression.
        DefaultValue::Null | DefaultValue::Expression(_) => return Ok(false),
        DefaultValue::None if def.nullable => return Ok(false),
        DefaultValue::None => {
            context.report(&ER_NO_DEFAULT_FOR_FIELD, &[&def.name])?;
            store::write_implicit_default(def.ty, out);
        }
    }
    Ok(true)
}

/// CURRENT_TIMESTAMP for a column that has ON UPDATE.
pub(super) fn update_moment(table: &Table, place: usize, session: &Session) -> Value {
    now(table.columns[place].ty, session).to_value()
}
