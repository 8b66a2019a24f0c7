//! Rows in the making: values, defaults and AUTO_INCREMENT brought into their columns.

use engine::catalog::def::DefaultValue;
use engine::catalog::table::Table;
use engine::trx::Trx;
use types::column::ColumnType;
use types::context::Context;
use types::error::table::ER_NO_DEFAULT_FOR_FIELD;
use types::row::RowBuilder;
use types::sql_mode::SqlMode;
use types::store;
use types::temporal::DateTime;
use types::value::{Value, ValueRef};
use types::warning::Warnings;

use super::Result;
use super::auto_increment::{AutoIncrement, Reserved, low_bits, number_of};
use super::cursor::{damaged, offsets};
use crate::session::Session;

/// What is known of a column of a row that is made.
#[derive(Clone, Debug)]
pub(super) enum Given<'v> {
    /// Its default.
    Default,
    /// What stands for no value in its type: of LOAD DATA.
    Implicit,
    /// A value.
    Value(ValueRef<'v>),
}

/// Who makes new rows.
#[derive(Debug)]
pub(super) struct Making<'m, 's> {
    pub(super) trx: &'m mut Trx,
    pub(super) session: &'s Session,
    /// Values for the AUTO_INCREMENT column.
    pub(super) reserved: &'m mut Reserved,
}

/// Encodes a new row. `given` has an entry a column; what is computed is left to [`RowRules::compute`].
///
/// [`RowRules::compute`]: crate::plan::RowRules::compute
pub(super) fn new_row(
    table: &Table,
    given: &[Given<'_>],
    making: &mut Making<'_, '_>,
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
            auto = auto_increment(table, place, given, making, context, &mut row)?;
            continue;
        }
        match given {
            Given::Value(value) => row.assign(column, *value, context)?,
            Given::Default => row.write(|out| default(table, place, making.session, context, out))?,
            Given::Implicit => row.stored(Some(&implicit(def.ty))),
        }
    }
    row.finish().map_err(|_| damaged(table))?;
    Ok(auto)
}

/// The stored bytes of what stands for no value in a type, of an ENUM no label.
fn implicit(ty: ColumnType) -> Vec<u8> {
    let mut stored = Vec::new();
    match ty {
        ColumnType::Enum(labels) => stored.resize(labels.enum_bytes().into(), 0),
        ty => store::write_implicit_default(ty, &mut stored),
    }
    stored
}

/// Appends the stored bytes of a column's default; false, and nothing appended, for NULL.
fn default(
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
        // Expressions are evaluated when the others are there; of an assignment the binder has made a value.
        DefaultValue::Null | DefaultValue::Expression(_) => return Ok(false),
        DefaultValue::None if def.nullable => return Ok(false),
        DefaultValue::None => {
            // An ENUM's first label is a default that nobody needs to name.
            if !matches!(def.ty, ColumnType::Enum(_)) {
                context.report(&ER_NO_DEFAULT_FOR_FIELD, &[&def.name])?;
            }
            store::write_implicit_default(def.ty, out);
        }
    }
    Ok(true)
}

/// A row of what its columns hold before they are given anything: defaults, 0 for AUTO_INCREMENT.
pub(super) fn row_of_defaults(table: &Table, session: &Session) -> Result<Vec<u8>> {
    row_so_far(table, &vec![Given::Default; table.def.columns.len()], session)
}

/// The same, with what some have been given.
pub(super) fn row_so_far(table: &Table, given: &[Given<'_>], session: &Session) -> Result<Vec<u8>> {
    let (mut out, mut warnings) = (Vec::new(), Warnings::default());
    let mut context = leniently(session, &mut warnings);
    let mut row = table.rows.builder(&mut out);
    for (place, (def, given)) in table.def.columns.iter().zip(given).enumerate() {
        let column = &table.columns[place];
        match given {
            _ if def.generated.is_some() => row.null(),
            Given::Value(value) => row.assign(column, *value, &mut context)?,
            _ if def.auto_increment => row.assign(column, ValueRef::Int(0), &mut context)?,
            Given::Default => row.write(|out| default(table, place, session, &mut context, out))?,
            Given::Implicit => row.stored(Some(&implicit(def.ty))),
        }
    }
    row.finish().map_err(|_| damaged(table))?;
    Ok(out)
}

/// A context in which what does not fit is adjusted.
pub(super) fn leniently<'a>(session: &'a Session, warnings: &'a mut Warnings) -> Context<'a> {
    Context { strict: false, null_becomes_default: true, ..session.writing(warnings) }
}

/// CURRENT_TIMESTAMP with the fraction that the column has.
pub(super) fn now(ty: ColumnType, session: &Session) -> ValueRef<'static> {
    let now: DateTime = session.now(ty.fsp().unwrap_or(0));
    ValueRef::DateTime(now)
}

/// NULL and 0 are given the next value; any other is noted.
fn auto_increment(
    table: &Table,
    place: usize,
    given: &Given<'_>,
    making: &mut Making<'_, '_>,
    context: &mut Context<'_>,
    row: &mut RowBuilder<'_, '_>,
) -> Result<AutoIncrement> {
    let column = &table.columns[place];
    let Making { trx, session, reserved } = making;
    if let Given::Value(value) = given
        && !value.is_null()
    {
        let mut stored = Vec::with_capacity(8);
        store::assign(column, *value, context, &mut stored)?;
        let number = number_of(table.rows.read(place, &stored, session.time_zone()));
        if number != 0 || context.sql_mode.contains(SqlMode::NO_AUTO_VALUE_ON_ZERO) {
            row.stored(Some(&stored));
            let given = u64::try_from(number).ok();
            if let Some(given) = given {
                reserved.pass(given, session.auto_increment_increment);
            }
            return Ok(AutoIncrement { generated: None, stored: Some(low_bits(number)), given });
        }
    }
    let next = reserved.take(table, column.ty, trx, session)?;
    row.assign(column, ValueRef::UInt(next), context)?;
    Ok(AutoIncrement { generated: Some(next), stored: Some(next), given: None })
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
        None => default(table, place, session, context, &mut stored)?,
    };
    let change = types::row::Change { column: place, stored: has_value.then_some(&stored[..]) };
    table.rows.patch(before, &offsets, &[change], out).map_err(|_| damaged(table))
}

/// CURRENT_TIMESTAMP for a column that has ON UPDATE.
pub(super) fn update_moment(table: &Table, place: usize, session: &Session) -> Value {
    now(table.columns[place].ty, session).to_value()
}
