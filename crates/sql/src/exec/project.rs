//! The columns of a result: what clients are told of them, and their cells.

use engine::catalog::def::{DefaultValue, IndexKind, TableDef};
use types::column::{ColumnType, flags};
use types::value::{Value, ValueRef};

use crate::exec::seams::Types;
use crate::expr::{Expr, RowRef};
use crate::plan::{SelectPlan, Source, SourceKind};

/// A column of a result.
#[derive(Clone, Debug)]
pub struct OutputColumn {
    /// Its name.
    pub name: String,
    /// The column that it is, if it is one: database, table, alias of the table, name.
    pub origin: Option<Origin>,
    /// Its type; `None` = it is NULL.
    pub ty: Option<ColumnType>,
    /// Whether it can be NULL.
    pub nullable: bool,
    /// Flags that do not follow from the type.
    pub flags: u16,
}

/// Where a column of a result comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The table's database.
    pub db: String,
    /// The table.
    pub table: String,
    /// How it is called in the statement.
    pub alias: String,
    /// The column.
    pub column: String,
}

/// A cell of a result.
#[derive(Clone, Copy, Debug)]
pub enum Cell<'a> {
    /// A column of a row.
    Column(RowRef<'a>, usize),
    /// A value.
    Value(ValueRef<'a>),
}

/// The columns of a query's result, for parameters of these values.
pub fn output_columns(plan: &SelectPlan, params: &[ValueRef<'_>]) -> Vec<OutputColumn> {
    let types = PlanTypes { plan, params };
    plan.output
        .iter()
        .map(|output| {
            if let Expr::Column { source, column } = output.expr {
                return column_of(&plan.sources[source], column, &output.name);
            }
            let result = output.expr.result_type(&types);
            OutputColumn {
                name: output.name.clone(),
                origin: None,
                ty: result.ty,
                nullable: result.nullable,
                flags: if result.nullable { 0 } else { flags::NOT_NULL },
            }
        })
        .collect()
}

fn column_of(source: &Source, place: usize, name: &str) -> OutputColumn {
    let column = source.from.column(place);
    let nullable = column.nullable || source.optional;
    let mut flags = if nullable { 0 } else { flags::NOT_NULL };
    let origin = |db: &str, table: &str| Origin {
        db: db.to_owned(),
        table: table.to_owned(),
        alias: source.alias.clone(),
        column: column.name.clone(),
    };
    let origin = match &source.from {
        SourceKind::Table(table) => {
            flags |= column_flags(&table.def, place);
            Some(origin(&table.def.db, &table.def.name))
        }
        SourceKind::Virtual(table) => Some(origin(table.db(), table.name())),
        SourceKind::Derived(..) => Some(origin("", &source.alias)),
    };
    OutputColumn { name: name.to_owned(), origin, ty: Some(column.ty), nullable, flags }
}

/// Flags that follow from keys and defaults.
pub fn column_flags(def: &TableDef, place: usize) -> u16 {
    let mut found = 0;
    for index in &def.indexes {
        let first = index.parts.first().is_some_and(|part| usize::from(part.column) == place);
        let part = index.parts.iter().any(|part| usize::from(part.column) == place);
        if part {
            found |= flags::PART_KEY;
        }
        found |= match index.kind {
            IndexKind::Primary if part => flags::PRI_KEY,
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

/// What is known of the types of a plan's parts.
pub(crate) struct PlanTypes<'p> {
    pub(crate) plan: &'p SelectPlan,
    pub(crate) params: &'p [ValueRef<'p>],
}

impl Types for PlanTypes<'_> {
    fn column(&self, source: usize, column: usize) -> (ColumnType, bool) {
        let source = &self.plan.sources[source];
        let column = source.from.column(column);
        (column.ty, column.nullable || source.optional)
    }

    fn param(&self, number: usize) -> ValueRef<'_> {
        self.params.get(number).copied().unwrap_or(ValueRef::Null)
    }

    fn aggregate(&self, number: usize) -> Option<&crate::plan::Aggregate> {
        self.plan.group.as_ref()?.aggregates.get(number)
    }

    fn subquery(&self, number: usize) -> Option<OutputColumn> {
        output_columns(self.plan.subqueries.get(number)?, self.params).into_iter().next()
    }
}

/// A value's cell.
pub(super) fn cell(value: &Value) -> Cell<'_> {
    Cell::Value(value.as_ref())
}
