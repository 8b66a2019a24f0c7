//! Derived tables and views that become a part of the query that reads them, so that its conditions find their rows by
//! indexes and nothing is kept.
//!
//! A query in FROM is bound to a plan of its own first. If it is a plain one it keeps beside that what it was before its
//! conditions were placed ([`Mergeable`]), and the query around it takes this for the source: its columns are replaced by what
//! they are, its conditions become conditions of the query, or of ON where its rows may be missing. Both have the same
//! rows. It stays apart if it groups, limits or has subqueries, if its values differ from one look to the next, if its rows may
//! be missing and it has more than columns (these would have to become NULL), and if its order would be lost.
//!
//! The manual's "Optimizing Derived Tables, View References, and Common Table Expressions with Merging or Materialization".

use std::ops::Range;
use std::sync::Arc;

use super::block::Block;
use super::join::Joins;
use super::scope::{Named, Scope};
use crate::expr::{Expr, Extent};
use crate::parse::CHAIN_MAX;
use crate::plan::{Given, OrderBy, OrderKey, Origin, Output, SourceKind, Subquery, UsedView};

/// The most sources of a query that something is merged into.
const SOURCES_MAX: usize = 32;

/// So many expressions a query may have more when what its columns stand for takes their places. Each use has a copy: names
/// that stand for sums of names would double at each level.
const GROWTH_MAX: usize = 10_000;

/// A query before its conditions are placed.
#[derive(Clone, Debug)]
pub(super) struct Mergeable {
    sources: Vec<Named>,
    conditions: Vec<Expr>,
    joins: Joins,
    output: Vec<Output>,
    /// How large they are.
    extents: Vec<Extent>,
    order: Vec<OrderBy>,
    views: Vec<UsedView>,
    is_straight: bool,
}

impl Mergeable {
    /// `None` if a query must stay apart.
    pub(super) fn new(scope: &Scope, block: &Block) -> Option<Self> {
        let Block { conditions, joins, output, order, .. } = block;
        let orders = order.iter().filter_map(OrderBy::expr);
        let values = output.iter().map(|output| &output.expr).chain(orders);
        let is_stored = |named: &Named| !matches!(named.kind, SourceKind::Derived(..));
        let reads_stored = !scope.sources.is_empty() && scope.sources.iter().all(is_stored);
        let fits = block.is_plain() && reads_stored && scope.subqueries.is_empty() && !block.counts_all;
        (fits && conditions.iter().chain(values).all(is_repeatable)).then(|| Self {
            sources: scope.sources.clone(),
            conditions: conditions.clone(),
            joins: joins.clone(),
            output: output.clone(),
            extents: output.iter().map(|output| output.expr.extent(&|_, _| Extent::ONE)).collect(),
            order: order.clone(),
            views: scope.views.clone(),
            is_straight: scope.is_straight,
        })
    }

    /// Whether its columns are NULL when its rows are missing.
    fn has_columns_only(&self) -> bool {
        self.output.iter().all(|output| matches!(output.expr, Expr::Column { .. }))
    }

    /// Where a column of the result comes from.
    fn origin(&self, column: usize, named: &Named, view: Option<&UsedView>) -> Origin {
        let output = &self.output[column];
        let found = match (&output.origin, &output.expr) {
            (Some(origin), _) => (origin.db.clone(), origin.table.clone()),
            (None, Expr::Column { source, .. }) => match &self.sources[*source].kind {
                SourceKind::Table(table) => (table.def.db.clone(), table.def.name.clone()),
                SourceKind::Virtual(table) => (table.db().to_owned(), table.name().to_owned()),
                SourceKind::Derived(..) => unreachable!("what is merged has no derived tables"),
            },
            _ => (String::new(), String::new()),
        };
        let (db, table) = match view {
            Some(UsedView { view, .. }) => (view.def.db.clone(), view.def.name.clone()),
            None => found,
        };
        let column = named.kind.column(column).name;
        Origin { db, table, alias: named.alias.clone(), column }
    }
}

/// Whether a value is the same at each look at the same rows, and looking changes nothing.
pub(super) fn is_repeatable(expr: &Expr) -> bool {
    let mut is = true;
    expr.walk(&mut |part| {
        is &= match part {
            Expr::AssignVariable(..) | Expr::UserVariable(_, true) => false,
            Expr::Call(function, args) => function.is_stable(args),
            part => !part.subquery().is_some_and(|subquery| subquery.varies),
        };
    });
    is
}

/// Takes what can be merged into a query. `takes_order`: the order of its only source may be its own; `locks`: it locks all rows
/// that it reads, those of views and not those of derived tables.
pub(super) fn merge(scope: &mut Scope, block: &mut Block, takes_order: bool, locks: bool) {
    let keeps_order = takes_order && scope.sources.len() == 1;
    let sources = 0..scope.sources.len();
    let merged: Vec<_> = sources.map(|source| candidate(scope, source, keeps_order, locks)).collect();
    let parts = merged.iter().flatten().map(|merged| merged.sources.len());
    if merged.iter().all(Option::is_none) || scope.sources.len() + parts.sum::<usize>() > SOURCES_MAX {
        return;
    }
    if !stays_small(scope, block, &merged) {
        return;
    }
    Merger::new(scope, merged).merge(block);
}

/// Whether a query's expressions are neither much more nor too deep when what is merged takes its place in them.
fn stays_small(scope: &Scope, block: &Block, merged: &[Option<Arc<Mergeable>>]) -> bool {
    let of_column = |source: usize, column: usize| {
        merged[source].as_ref().map_or(Extent::ONE, |merged| merged.extents[column])
    };
    let given = scope.subqueries.iter().flat_map(Subquery::given);
    let mut growth = 0_usize;
    block.exprs().chain(given).all(|expr| {
        let (before, after) = (expr.extent(&|_, _| Extent::ONE), expr.extent(&of_column));
        growth = growth.saturating_add(after.count - before.count);
        growth <= GROWTH_MAX && after.depth <= CHAIN_MAX.max(before.depth)
    })
}

/// What a source may be replaced by.
fn candidate(scope: &Scope, source: usize, keeps_order: bool, locks: bool) -> Option<Arc<Mergeable>> {
    let named = &scope.sources[source];
    let merged = named.merge.as_ref()?;
    let SourceKind::Derived(place, _) = &named.kind else { return None };
    let is_view = scope.subqueries[*place].view.is_some();
    let has_order = keeps_order || merged.order.is_empty();
    let fits = has_order && (!locks || is_view) && (!named.optional || merged.has_columns_only());
    fits.then(|| Arc::clone(merged))
}

struct Merger<'s> {
    scope: &'s mut Scope,
    /// By source.
    merged: Vec<Option<Arc<Mergeable>>>,
    /// The first of what stands for a source, by source; and the number of all.
    starts: Vec<usize>,
    /// New places of subqueries.
    subqueries: Vec<usize>,
}

impl<'s> Merger<'s> {
    fn new(scope: &'s mut Scope, merged: Vec<Option<Arc<Mergeable>>>) -> Self {
        let mut starts = vec![0];
        for merged in &merged {
            starts.push(starts[starts.len() - 1] + merged.as_ref().map_or(1, |merged| merged.sources.len()));
        }
        let gone: Vec<usize> = scope
            .sources
            .iter()
            .zip(&merged)
            .filter_map(|(named, merged)| match (&named.kind, merged) {
                (SourceKind::Derived(place, _), Some(_)) => Some(*place),
                _ => None,
            })
            .collect();
        let places = 0..scope.subqueries.len();
        let subqueries =
            places.map(|place| place - gone.iter().filter(|gone| **gone < place).count()).collect();
        Self { scope, merged, starts, subqueries }
    }

    fn merge(self, block: &mut Block) {
        for output in &mut block.output {
            self.note_origin(output);
        }
        block.exprs_mut().for_each(|expr| self.rewrite(expr));
        let mut subqueries = std::mem::take(&mut self.scope.subqueries);
        for subquery in &mut subqueries {
            if let Given::Values(values) = &mut subquery.given {
                for value in Arc::make_mut(values) {
                    self.rewrite(value);
                }
            }
        }
        self.scope.subqueries = subqueries;
        let Joins { optional, on } = &mut block.joins;
        for range in optional.iter_mut().chain(on.iter_mut().map(|(range, _)| range)) {
            *range = self.starts[range.start]..self.starts[range.end];
        }
        self.add_parts(block);
        self.replace_sources();
    }

    /// An expression of the query in terms of what stands for its sources.
    fn rewrite(&self, expr: &mut Expr) {
        expr.rewrite(
            &|source, column| match &self.merged[source] {
                None => Expr::Column { source: self.starts[source], column },
                Some(merged) => shifted(&merged.output[column].expr, self.starts[source]),
            },
            &self.subqueries,
        );
    }

    /// A column of the result stays one of the derived table for clients.
    fn note_origin(&self, output: &mut Output) {
        let Expr::Column { source, column } = output.expr else { return };
        let Some(merged) = &self.merged[source] else { return };
        let named = &self.scope.sources[source];
        output.origin = Some(merged.origin(column, named, self.subquery(named).view.as_ref()));
    }

    fn subquery(&self, named: &Named) -> &Subquery {
        match &named.kind {
            SourceKind::Derived(place, _) => &self.scope.subqueries[*place],
            _ => unreachable!("only derived tables are merged"),
        }
    }

    /// Adds the conditions and joins of what is merged, in front of the query's own.
    fn add_parts(&self, block: &mut Block) {
        let Block { conditions, joins, order, .. } = block;
        let (mut first, mut optional, mut on) = (Vec::new(), Vec::new(), Vec::new());
        for (source, merged) in self.merged.iter().enumerate() {
            let Some(merged) = merged else { continue };
            let start = self.starts[source];
            let moved = |range: &Range<usize>| range.start + start..range.end + start;
            optional.extend(merged.joins.optional.iter().map(moved));
            for (range, exprs) in &merged.joins.on {
                on.push((moved(range), exprs.iter().map(|expr| shifted(expr, start)).collect()));
            }
            let own = merged.conditions.iter().map(|expr| shifted(expr, start));
            if self.scope.sources[source].optional {
                on.push((start..self.starts[source + 1], own.collect()));
            } else {
                first.extend(own);
            }
            order.extend(merged.order.iter().map(|order| OrderBy {
                by: OrderKey::Expr(shifted(order.expr_in(&merged.output), start)),
                descending: order.descending,
            }));
        }
        conditions.splice(0..0, first);
        // Those within others come first.
        joins.optional.splice(0..0, optional);
        joins.on.splice(0..0, on);
    }

    fn replace_sources(self) {
        let Self { scope, merged, subqueries, .. } = self;
        let mut sources = Vec::new();
        let mut gone = vec![false; scope.subqueries.len()];
        for (mut named, merged) in scope.sources.drain(..).zip(merged) {
            let Some(merged) = merged else {
                if let SourceKind::Derived(place, _) = &mut named.kind {
                    *place = subqueries[*place];
                }
                sources.push(named);
                continue;
            };
            if let SourceKind::Derived(place, _) = named.kind {
                gone[place] = true;
            }
            scope.is_straight |= merged.is_straight;
            scope.views.extend(merged.views.iter().cloned());
            let parts = merged.sources.iter().cloned();
            sources.extend(parts.map(|part| Named {
                optional: part.optional || named.optional,
                lock: named.lock,
                ..part
            }));
        }
        scope.sources = sources;
        let mut place = 0;
        scope.subqueries.retain_mut(|subquery| {
            place += 1;
            if gone[place - 1] {
                scope.views.extend(subquery.view.take());
            }
            !gone[place - 1]
        });
    }
}

/// An expression of what is merged, whose sources begin at a place.
fn shifted(expr: &Expr, start: usize) -> Expr {
    let mut copy = expr.clone();
    copy.rewrite(&|source, column| Expr::Column { source: source + start, column }, &[]);
    copy
}
