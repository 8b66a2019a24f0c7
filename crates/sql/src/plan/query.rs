//! Queries: a SELECT, or several of them whose rows follow each other.

use std::collections::HashSet;
use std::sync::Arc;

use engine::ids::TableId;
use types::column::Column;
use types::error::SqlError;

use super::{
    OrderBy, Output, PlannedTable, Recent, RecursivePlan, SelectPlan, SetPlan, Source, SourceKind, Subquery,
};
use crate::expr::{Expr, ResultType, Types, union_type};
use crate::session::Session;

type Result<T> = std::result::Result<T, SqlError>;

/// A planned query.
#[derive(Debug)]
pub enum QueryPlan {
    /// One SELECT.
    Select(Box<SelectPlan>),
    /// UNION.
    Union(Box<UnionPlan>),
    /// INTERSECT and EXCEPT, as a part of a UNION.
    Sets(Box<SetPlan>),
    /// One of WITH, as a source: its rows are made once in a statement.
    Named(Arc<NamedPlan>),
    /// One of WITH RECURSIVE that names itself.
    Recursive(Box<RecursivePlan>),
    /// What it names: a source in it.
    Recent(Arc<Recent>),
}

/// A query of WITH.
#[derive(Debug)]
pub struct NamedPlan {
    /// The query.
    pub plan: QueryPlan,
    /// How deep queries stand in one another in it.
    pub depth: usize,
    /// It looks at the rows around the query that WITH belongs to.
    pub is_correlated: bool,
}

/// Tables that a plan touches.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    pub(crate) tables: Vec<PlannedTable>,
    /// The queries of WITH that were looked into: each once, however often it is named.
    named: HashSet<*const NamedPlan>,
}

/// A planned UNION.
#[derive(Debug)]
pub struct UnionPlan {
    /// The queries whose rows follow each other. One alone is in parentheses and has an order or a limit of its own.
    pub parts: Vec<QueryPlan>,
    /// So many of the first parts give no row twice: those up to the last UNION that does not say ALL.
    pub distinct: usize,
    /// ORDER BY of all rows.
    pub order: Vec<OrderBy>,
    /// LIMIT.
    pub limit: Option<Expr>,
    /// OFFSET.
    pub offset: Option<Expr>,
    /// As in [`SelectPlan::counts_all`].
    pub counts_all: bool,
    /// Subqueries in ORDER BY.
    pub subqueries: Vec<Subquery>,
    /// The columns of the result, as expressions in ORDER BY see them.
    pub columns: Arc<[Column]>,
}

impl QueryPlan {
    /// How many columns the result has.
    pub fn column_count(&self) -> usize {
        match self {
            Self::Select(select) => select.output.len(),
            Self::Union(union) => union.columns.len(),
            Self::Sets(sets) => sets.columns.len(),
            Self::Named(named) => named.plan.column_count(),
            Self::Recursive(recursive) => recursive.recent.columns.len(),
            Self::Recent(recent) => recent.columns.len(),
        }
    }

    /// If the result is a value that the query is given, and nothing else, its place: `(SELECT t.a)`.
    pub(crate) fn only_outer_value(&self) -> Option<usize> {
        let Self::Select(select) = self else { return None };
        let only = select.sources.is_empty()
            && select.precondition.is_none()
            && select.group.is_none()
            && select.limit.is_none();
        match &select.output[..] {
            [Output { expr: Expr::Outer(place, _), .. }] if only => Some(*place),
            _ => None,
        }
    }

    /// The type of a column of the result, where parameters and literals have these types.
    pub fn column_type(&self, place: usize, types: &Types<'_>) -> Result<ResultType> {
        match self {
            Self::Select(select) => {
                select.output[place].expr.output_type(&Types { schema: &**select, ..*types })
            }
            Self::Union(union) => union.column_type(place, types),
            Self::Sets(sets) => sets.column_type(place, types),
            Self::Named(named) => named.plan.column_type(place, types),
            Self::Recursive(recursive) => Ok(recursive.recent.column_type(place)),
            Self::Recent(recent) => Ok(recent.column_type(place)),
        }
    }

    /// The columns of its result, as a source of another query. What depends on a parameter is text.
    pub fn columns(&self, session: &Session) -> Result<Arc<[Column]>> {
        match self {
            Self::Select(select) => {
                let types = Types::of_session(session);
                let names = select.output.iter().map(|output| &output.name).enumerate();
                names.map(|(place, name)| Ok(column(name, self.column_type(place, &types)?))).collect()
            }
            Self::Union(union) => Ok(Arc::clone(&union.columns)),
            Self::Sets(sets) => Ok(Arc::clone(&sets.columns)),
            Self::Named(named) => named.plan.columns(session),
            Self::Recursive(recursive) => Ok(Arc::clone(&recursive.recent.columns)),
            Self::Recent(recent) => Ok(Arc::clone(&recent.columns)),
        }
    }

    /// Whether the columns of the result are the same at each execution: none depends on a value's type.
    pub fn columns_are_fixed(&self) -> bool {
        match self {
            Self::Select(select) => select.columns_are_fixed(),
            Self::Named(named) => named.plan.columns_are_fixed(),
            _ => self.parts().iter().all(Self::columns_are_fixed),
        }
    }

    /// Whether rows are locked as for a change: FOR UPDATE.
    pub fn locks_exclusively(&self) -> bool {
        match self {
            Self::Select(select) => {
                select.sources.iter().any(|source| source.lock.is_some_and(|lock| lock.exclusive))
                    || select.subqueries.iter().any(|subquery| subquery.plan.locks_exclusively())
            }
            Self::Named(named) => named.plan.locks_exclusively(),
            _ => self.parts().iter().any(Self::locks_exclusively),
        }
    }

    /// Whether a table, by the name `alias` if one is given, is among the sources of the query, or of its subqueries but
    /// those in FROM, whose rows are made before they are looked at.
    pub(crate) fn reads(&self, table: TableId, alias: Option<&str>) -> bool {
        let any =
            |subqueries: &[Subquery]| subqueries.iter().any(|subquery| subquery.plan.reads(table, alias));
        match self {
            Self::Select(select) => {
                let is_read = |source: &Source| {
                    let is_named = alias.is_none_or(|alias| source.alias == alias);
                    is_named && matches!(&source.from, SourceKind::Table(found) if found.def.id == table)
                };
                let is_source = |place: usize| {
                    select
                        .sources
                        .iter()
                        .any(|source| matches!(source.from, SourceKind::Derived(found, _) if found == place))
                };
                let subqueries = select.subqueries.iter().enumerate();
                let mut others = subqueries.filter(|(place, _)| !is_source(*place));
                select.sources.iter().any(is_read)
                    || others.any(|(_, subquery)| subquery.plan.reads(table, alias))
            }
            Self::Named(_) => false,
            _ => self.parts().iter().any(|part| part.reads(table, alias)) || any(self.order_subqueries()),
        }
    }

    /// How deep queries stand in one another.
    pub fn depth(&self) -> usize {
        let deepest = |all: &[Subquery]| all.iter().map(|one| one.plan.depth()).max().unwrap_or(0);
        1 + match self {
            Self::Select(select) => deepest(&select.subqueries),
            Self::Named(named) => named.depth,
            _ => {
                let parts = self.parts().iter().map(Self::depth).max().unwrap_or(0);
                parts.max(deepest(self.order_subqueries()))
            }
        }
    }

    /// Whether it counts rows that LIMIT leaves out. It no longer does: a UNION does for it.
    pub(crate) fn take_counts_all(&mut self) -> bool {
        match self {
            Self::Select(select) => std::mem::take(&mut select.counts_all),
            Self::Union(union) => std::mem::take(&mut union.counts_all),
            Self::Sets(sets) => sets.parts[0].take_counts_all(),
            Self::Named(_) | Self::Recursive(_) | Self::Recent(_) => false,
        }
    }

    pub(crate) fn collect_tables(&self, touched: &mut Touched) {
        match self {
            Self::Select(select) => select.collect_tables(touched),
            Self::Named(named) => {
                if touched.named.insert(Arc::as_ptr(named)) {
                    named.plan.collect_tables(touched);
                }
            }
            _ => {
                self.parts().iter().for_each(|part| part.collect_tables(touched));
                self.order_subqueries().iter().for_each(|subquery| subquery.collect_tables(touched));
            }
        }
    }

    /// The queries whose rows it takes as its own.
    fn parts(&self) -> &[Self] {
        match self {
            Self::Union(union) => &union.parts,
            Self::Sets(sets) => &sets.parts,
            Self::Recursive(recursive) => &recursive.parts,
            Self::Select(_) | Self::Named(_) | Self::Recent(_) => &[],
        }
    }

    /// The subqueries in ORDER BY of all its parts' rows.
    fn order_subqueries(&self) -> &[Subquery] {
        match self {
            Self::Union(union) => &union.subqueries,
            _ => &[],
        }
    }
}

impl UnionPlan {
    /// Of these parts, in no order and without end. Error 1267 and its like if a column's collations do not go together.
    pub fn new(parts: Vec<QueryPlan>, distinct: usize, session: &Session) -> Result<Self> {
        let columns = parts[0].columns(session)?;
        let mut plan = Self {
            parts,
            distinct,
            order: Vec::new(),
            limit: None,
            offset: None,
            counts_all: false,
            subqueries: Vec::new(),
            columns: Arc::clone(&columns),
        };
        let types = plan.column_types(&Types::of_session(session))?;
        plan.columns = columns.iter().zip(types).map(|(named, ty)| column(&named.name, ty)).collect();
        Ok(plan)
    }

    /// The type that a column has in common in all parts.
    pub(crate) fn column_type(&self, place: usize, types: &Types<'_>) -> Result<ResultType> {
        match &self.parts[..] {
            [part] => part.column_type(place, types),
            parts => {
                let found = parts.iter().map(|part| part.column_type(place, types));
                union_type(&found.collect::<Result<Vec<_>>>()?, "UNION", types)
            }
        }
    }

    /// The types of all columns.
    pub(crate) fn column_types(&self, types: &Types<'_>) -> Result<Vec<ResultType>> {
        (0..self.columns.len()).map(|place| self.column_type(place, types)).collect()
    }
}

/// The column of a result.
pub(super) fn column(name: &str, ty: ResultType) -> Column {
    Column { table: String::new(), name: name.to_owned(), ty: ty.column_type(), nullable: ty.nullable }
}
