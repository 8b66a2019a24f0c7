//! The columns of a result: what clients are told of them, and their cells.

use engine::catalog::def::{DefaultValue, IndexKind, TableDef};
use types::column::{Column, flags};
use types::error::SqlError;
use types::temporal::TimeZone;
use types::value::{Value, ValueRef};

use crate::expr::{Expr, ResultType, RowRef, Types};
use crate::plan::{Origin, Output, QueryPlan, SelectPlan, Source, SourceKind, UsedView};

/// A column of a result.
#[derive(Clone, Debug)]
pub struct OutputColumn {
    /// Its name.
    pub name: String,
    /// The column that it is, if it is one: database, table, alias of the table, name.
    pub origin: Option<Origin>,
    /// Its type.
    pub ty: ResultType,
    /// Flags that do not follow from the type.
    pub flags: u16,
}

/// A cell of a result.
#[derive(Clone, Copy, Debug)]
pub enum Cell<'a> {
    /// A column of a row.
    Column(RowRef<'a>, usize),
    /// A value.
    Value(ValueRef<'a>),
}

/// The columns of a query's result, where parameters and literals have these types.
pub fn output_columns(plan: &QueryPlan, types: &Types<'_>) -> Result<Vec<OutputColumn>, SqlError> {
    match plan {
        QueryPlan::Select(select) => columns_of_select(select, types),
        QueryPlan::Union(union) => match &union.parts[..] {
            [part] => output_columns(part, types),
            _ => Ok(columns_of_several(&union.columns, union.column_types(types)?)),
        },
        QueryPlan::Sets(sets) => Ok(columns_of_several(&sets.columns, sets.column_types(types)?)),
        QueryPlan::Named(named) => output_columns(&named.plan, types),
        QueryPlan::Recursive(_) | QueryPlan::Recent(_) => {
            let columns = plan.columns(types.session)?;
            let found = (0..columns.len()).map(|place| plan.column_type(place, types));
            Ok(columns_of_several(&columns, found.collect::<Result<_, _>>()?))
        }
    }
}

/// Columns of no table, which have a name there all the same.
fn columns_of_several(columns: &[Column], types: Vec<ResultType>) -> Vec<OutputColumn> {
    let columns = columns.iter().zip(types).map(|(column, ty)| {
        let name = column.name.clone();
        let origin =
            Origin { db: String::new(), table: String::new(), alias: String::new(), column: name.clone() };
        OutputColumn { name, origin: Some(origin), ty, flags: 0 }
    });
    columns.collect()
}

fn columns_of_select(plan: &SelectPlan, types: &Types<'_>) -> Result<Vec<OutputColumn>, SqlError> {
    let types = Types { schema: plan, ..*types };
    let column = |output: &Output| {
        let mut ty = output.expr.output_type(&types)?;
        let (origin, mut keys) = match output.expr {
            Expr::Column { source, column } => origin_of(plan, &plan.sources[source], column),
            _ => (None, 0),
        };
        let origin = output.origin.clone().or(origin);
        if plan.over.is_some() {
            // They come from what MySQL keeps rows in, which knows no keys.
            keys &= !(flags::PART_KEY | flags::PRI_KEY | flags::UNIQUE_KEY | flags::MULTIPLE_KEY);
            ty = match output.expr {
                Expr::Column { .. } | Expr::Const(_) => ty,
                Expr::Aggregate(_) => ResultType { is_stored: true, ..ty },
                _ => ResultType { is_stored: true, ..ty.kept() },
            };
        }
        Ok(OutputColumn { name: output.name.clone(), origin, ty, flags: keys })
    };
    plan.output.iter().map(column).collect()
}

/// Where a column comes from, and what its keys and default make of its flags.
fn origin_of(plan: &SelectPlan, source: &Source, place: usize) -> (Option<Origin>, u16) {
    let origin = |db: &str, table: &str| Origin {
        db: db.to_owned(),
        table: table.to_owned(),
        alias: source.alias.clone(),
        column: source.from.column(place).name,
    };
    match &source.from {
        SourceKind::Table(table) => {
            (Some(origin(&table.def.db, &table.def.name)), column_flags(&table.def, place))
        }
        SourceKind::Virtual(table) => (Some(origin(table.db(), table.name())), 0),
        SourceKind::Derived(subquery, _) => match &plan.subqueries[*subquery].view {
            Some(UsedView { view, .. }) => (Some(origin(&view.def.db, &view.def.name)), 0),
            None => (Some(origin("", "")), 0),
        },
    }
}

/// Flags that follow from keys and defaults.
pub fn column_flags(def: &TableDef, place: usize) -> u16 {
    let (mut found, identity) = (0, def.identity().map(|index| index.id));
    for index in &def.indexes {
        let first = index.parts.first().is_some_and(|part| usize::from(part.column) == place);
        let part = index.parts.iter().any(|part| usize::from(part.column) == place);
        if part {
            found |= flags::PART_KEY;
        }
        let identifies = Some(index.id) == identity;
        found |= match index.kind {
            _ if identifies && part => flags::PRI_KEY,
            IndexKind::Unique if first && index.parts.len() == 1 => flags::UNIQUE_KEY,
            IndexKind::Unique | IndexKind::Plain if first => flags::MULTIPLE_KEY,
            _ => 0,
        };
    }
    let column = &def.columns[place];
    if column.auto_increment {
        found |= flags::AUTO_INCREMENT;
    }
    if column.default == DefaultValue::None && !column.nullable && !column.auto_increment {
        found |= flags::NO_DEFAULT_VALUE;
    }
    if column.on_update_now {
        found |= flags::ON_UPDATE_NOW | flags::TIMESTAMP;
    }
    found
}

impl<'a> Cell<'a> {
    /// Its value.
    pub(super) fn value(&self, time_zone: &TimeZone) -> ValueRef<'a> {
        match self {
            Self::Column(row, column) => row.value(*column, time_zone),
            Self::Value(value) => *value,
        }
    }
}

/// A value's cell.
pub(super) fn cell(value: &Value) -> Cell<'_> {
    Cell::Value(value.as_ref())
}
