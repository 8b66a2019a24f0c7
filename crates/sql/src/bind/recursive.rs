//! Queries of WITH RECURSIVE: a UNION whose first parts do not name it, and whose other parts do.
//!
//! Which parts name it shows while they are bound, one after another: the first part that does finds the columns of those
//! before it. Where it cannot be named, whoever names it gets the error.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use sqlparser::ast::{self, JoinOperator, SetExpr, TableFactor};
use types::column::{Column, ColumnType, LobSize};
use types::error::SqlError;
use types::error::table::{
    ER_CTE_RECURSIVE_FORBIDDEN_JOIN_ORDER, ER_CTE_RECURSIVE_FORBIDS_AGGREGATION, ER_CTE_RECURSIVE_NOT_UNION,
    ER_CTE_RECURSIVE_REQUIRES_NONRECURSIVE_FIRST, ER_CTE_RECURSIVE_REQUIRES_SINGLE_REFERENCE,
    ER_CTE_RECURSIVE_REQUIRES_UNION, ER_WRONG_NUMBER_OF_COLUMNS_IN_SELECT,
};

use super::flat::{self, Flat, Form};
use super::tail::Tail;
use super::{BindEnv, Result, query, sets, unsupported, with};
use crate::plan::{QueryPlan, Recent, RecursivePlan, SelectPlan, SetStep, SourceKind};

/// A query of WITH RECURSIVE while it is bound.
#[derive(Debug)]
pub(super) struct Itself {
    name: String,
    /// What its columns are called, if it says so.
    columns: Vec<ast::TableAliasColumnDef>,
    /// How deep in other queries its parts stand.
    level: usize,
    /// Why the part that is being bound cannot name it.
    refusal: RefCell<Option<SqlError>>,
    /// How often that part has named it.
    uses: Cell<usize>,
    /// The parts that do not name it, until the first one does; then what they amount to.
    first: RefCell<Vec<QueryPlan>>,
    /// How they meet, and those behind them.
    steps: RefCell<Vec<SetStep>>,
    recent: OnceCell<Arc<Recent>>,
}

/// Binds a query of WITH RECURSIVE, whether it names itself or not.
pub(super) fn bind(cte: &ast::Cte, env: &BindEnv<'_>) -> Result<QueryPlan> {
    let mut env = env.within();
    let name = cte.alias.name.value.clone();
    let itself = Rc::new(Itself {
        refusal: RefCell::new(Some(ER_CTE_RECURSIVE_REQUIRES_UNION.error(&[&name]))),
        name,
        columns: cte.alias.columns.clone(),
        level: env.level,
        uses: Cell::new(0),
        first: RefCell::default(),
        steps: RefCell::default(),
        recent: OnceCell::new(),
    });
    env.named.push(Rc::new(with::Named::Itself(Rc::clone(&itself))));
    itself.query(&cte.query, Tail::default(), &env)
}

impl Itself {
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Its rows, as a source of the part that is being bound.
    pub(super) fn named(&self, env: &BindEnv<'_>) -> Result<Arc<Recent>> {
        let uses = self.uses.replace(self.uses.get() + 1);
        if env.level != self.level || uses > 0 {
            return Err(self.error(&ER_CTE_RECURSIVE_REQUIRES_SINGLE_REFERENCE));
        }
        if let Some(refusal) = &*self.refusal.borrow() {
            return Err(refusal.clone());
        }
        if let Some(recent) = self.recent.get() {
            return Ok(Arc::clone(recent));
        }
        let parts = self.first.take();
        let Some(between) = parts.len().checked_sub(1) else {
            return Err(self.error(&ER_CTE_RECURSIVE_REQUIRES_NONRECURSIVE_FIRST));
        };
        let steps = self.steps.borrow()[..between].to_vec();
        let first = sets::bind(parts, steps, Tail::PART, env)?;
        let columns = with::renamed(env.columns_of(&first)?, &self.columns)?;
        // What is NULL now may be the value of a parameter.
        let collation = env.session.collation_connection;
        let unknown =
            (!first.columns_are_fixed()).then_some(ColumnType::Text { size: LobSize::Long, collation });
        let column = |column: &Column| {
            let ty = unknown.filter(|_| column.ty == ColumnType::Binary { size: 0 }).unwrap_or(column.ty);
            Column { ty, nullable: true, ..column.clone() }
        };
        let columns = columns.iter().map(column).collect();
        self.first.borrow_mut().push(first);
        Ok(Arc::clone(self.recent.get_or_init(|| Arc::new(Recent { columns }))))
    }

    fn error(&self, error: &'static types::error::Condition) -> SqlError {
        error.error(&[&self.name])
    }

    /// Binds a query that is all of it, in parentheses or not.
    fn query(&self, query: &ast::Query, outer: Tail<'_>, env: &BindEnv<'_>) -> Result<QueryPlan> {
        let env = &*with::known(query.with.as_ref(), env)?;
        let inner = Tail::of(query)?;
        match outer.within(inner) {
            Some(tail) => self.body(&query.body, tail, env),
            None => query::union(vec![self.body(&query.body, inner.inside(outer), env)?], 0, outer, env),
        }
    }

    fn body(&self, body: &SetExpr, tail: Tail<'_>, env: &BindEnv<'_>) -> Result<QueryPlan> {
        let flat = match body {
            SetExpr::Query(inner) => return self.query(inner, tail, env),
            SetExpr::SetOperation { .. } => flat::of(body)?,
            _ => None,
        };
        flat.map_or_else(|| query::bind_body(body, tail, env), |flat| self.union(flat, tail, env))
    }

    fn union(&self, flat: Flat<'_>, tail: Tail<'_>, env: &BindEnv<'_>) -> Result<QueryPlan> {
        let Flat { operands, steps } = flat;
        self.steps.replace(steps.clone());
        let mut others = Vec::new();
        let mut first_count = 0;
        for (place, operand) in operands.iter().enumerate() {
            self.refusal.replace(match operand.form() {
                Form::Select(_) => None,
                Form::Ended => Some(unsupported(ENDED)),
                Form::Union => Some(unsupported(NESTED)),
                Form::Other => Some(ER_CTE_RECURSIVE_NOT_UNION.error(&[])),
            });
            self.uses.set(0);
            let part = operand.bind(tail.of_operand(place, operands.len()), env)?;
            match (self.uses.get(), operand.form()) {
                (0, _) if others.is_empty() => {
                    first_count += 1;
                    self.first.borrow_mut().push(part);
                }
                (0, _) => return Err(self.error(&ER_CTE_RECURSIVE_REQUIRES_NONRECURSIVE_FIRST)),
                (_, Form::Select(select)) => others.push(self.checked(part, select)?),
                _ => return Err(self.error(&ER_CTE_RECURSIVE_REQUIRES_SINGLE_REFERENCE)),
            }
        }
        let mut parts = self.first.take();
        let Some(recent) = self.recent.get() else { return sets::bind(parts, steps, tail, env) };
        let distinct = sets::distinct(&steps);
        if distinct > first_count && distinct < operands.len() {
            return Err(unsupported(DISTINCT_THEN_ALL));
        }
        if !tail.order.is_empty() {
            return Err(unsupported(ORDERED));
        }
        let (limit, offset) = tail.limit(env)?;
        parts.append(&mut others);
        let (distinct, recent) = (distinct > first_count, Arc::clone(recent));
        Ok(QueryPlan::Recursive(Box::new(RecursivePlan { parts, distinct, limit, offset, recent })))
    }

    /// A part that names it, if it may be what it is.
    fn checked(&self, part: QueryPlan, ast: &ast::Select) -> Result<QueryPlan> {
        let QueryPlan::Select(select) = &part else { return Err(unsupported(NESTED)) };
        if select.distinct {
            return Err(unsupported(ENDED));
        }
        if select.group.is_some() || select.over.is_some() {
            return Err(self.error(&ER_CTE_RECURSIVE_FORBIDS_AGGREGATION));
        }
        if is_behind_others(select) || self.is_behind_straight_join(ast) {
            return Err(self.error(&ER_CTE_RECURSIVE_FORBIDDEN_JOIN_ORDER));
        }
        if self.recent.get().is_some_and(|recent| recent.columns.len() != select.output.len()) {
            return Err(ER_WRONG_NUMBER_OF_COLUMNS_IN_SELECT.error(&[]));
        }
        Ok(part)
    }

    /// Whether STRAIGHT_JOIN has other tables read before its rows.
    fn is_behind_straight_join(&self, select: &ast::Select) -> bool {
        let is_it = |factor: &TableFactor| match factor {
            TableFactor::Table { name, .. } => {
                matches!(&name.0[..], [part] if part.as_ident().is_some_and(|name| name.value == self.name))
            }
            _ => false,
        };
        if select.select_modifiers.as_ref().is_some_and(|modifiers| modifiers.straight_join) {
            return !select.from.first().is_some_and(|first| is_it(&first.relation));
        }
        let mut joins = select.from.iter().flat_map(|item| &item.joins);
        joins.any(|join| matches!(join.join_operator, JoinOperator::StraightJoin(_)) && is_it(&join.relation))
    }
}

const ENDED: &str = "ORDER BY / LIMIT / SELECT DISTINCT in recursive query block of Common Table Expression";
const NESTED: &str = "right nested recursive query blocks, in Common Table Expression";
const ORDERED: &str = "ORDER BY over UNION in recursive Common Table Expression";
const DISTINCT_THEN_ALL: &str =
    "recursive query blocks with UNION DISTINCT then UNION ALL, in recursive Common Table Expression";

/// Whether its rows may be missing for those of other sources.
fn is_behind_others(select: &SelectPlan) -> bool {
    let is_recent = |place: usize| matches!(select.subqueries[place].plan, QueryPlan::Recent(_));
    let place = select
        .sources
        .iter()
        .position(|source| matches!(source.from, SourceKind::Derived(place, _) if is_recent(place)));
    let outer = select.sources.iter().enumerate();
    let mut outer = outer.filter_map(|(first, source)| source.missing_until.map(|last| first..=last));
    place.is_some_and(|place| outer.any(|missing| missing.contains(&place)))
}
