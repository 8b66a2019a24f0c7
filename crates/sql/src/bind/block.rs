//! A SELECT that is bound, before its conditions are put where they are decided: what is merged into it and the order of its
//! sources may still change all its expressions.

use super::join::Joins;
use super::scope::Scope;
use super::{dependent, order, place};
use crate::expr::Expr;
use crate::plan::{Group, OrderBy, Output, Over, SelectPlan};

/// See the module. Its sources and subqueries are in the scope.
pub(super) struct Block {
    /// WHERE, and HAVING of a query that does not group.
    pub(super) conditions: Vec<Expr>,
    pub(super) joins: Joins,
    pub(super) output: Vec<Output>,
    pub(super) group: Option<Group>,
    pub(super) having: Option<Expr>,
    pub(super) over: Option<Over>,
    pub(super) distinct: bool,
    pub(super) order: Vec<OrderBy>,
    pub(super) limit: Option<Expr>,
    pub(super) offset: Option<Expr>,
    pub(super) counts_all: bool,
}

impl Block {
    /// Whether each row that fulfils the conditions is one of the result.
    pub(super) fn is_plain(&self) -> bool {
        let is_whole = self.limit.is_none() && self.offset.is_none();
        is_whole && self.group.is_none() && self.having.is_none() && self.over.is_none() && !self.distinct
    }

    /// The conditions, those of joins included.
    fn conditions(&self) -> impl Iterator<Item = &Expr> {
        self.conditions.iter().chain(self.joins.on.iter().flat_map(|(_, on)| on))
    }

    /// The other expressions.
    fn values(&self) -> impl Iterator<Item = &Expr> {
        let output = self.output.iter().map(|output| &output.expr);
        let grouped = self.group.iter().flat_map(Group::exprs).chain(&self.having);
        let ordered = self.order.iter().filter_map(OrderBy::expr);
        output.chain(grouped).chain(self.over.iter().flat_map(Over::exprs)).chain(ordered)
    }

    /// What [`Block::exprs_mut`] gives.
    pub(super) fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.conditions().chain(self.values())
    }

    /// All expressions but LIMIT and OFFSET, which have no columns.
    pub(super) fn exprs_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let conditions = self.conditions.iter_mut().chain(self.joins.on.iter_mut().flat_map(|(_, on)| on));
        let output = self.output.iter_mut().map(|output| &mut output.expr);
        let grouped = self.group.iter_mut().flat_map(Group::exprs_mut).chain(&mut self.having);
        let ordered = self.order.iter_mut().filter_map(OrderBy::expr_mut);
        let windows = self.over.iter_mut().flat_map(Over::exprs_mut);
        conditions.chain(output).chain(grouped).chain(windows).chain(ordered)
    }

    /// Makes outer joins inner ones where that is the same, and has the sources read in a better order than that of the text,
    /// if there is one.
    pub(super) fn reorder(&mut self, scope: &mut Scope, is_straight: bool) {
        self.joins.optional = dependent::still_missing(&self.conditions, &self.joins);
        if is_straight || scope.is_straight || !self.joins.optional.is_empty() {
            return;
        }
        let conditions: Vec<&Expr> = self.conditions().collect();
        let Some(places) = order::better(scope, &conditions) else { return };
        self.exprs_mut().for_each(|expr| expr.renumber(&places));
        scope.renumber(&places);
    }

    /// Puts each condition where it is decided first.
    pub(super) fn place(mut self, scope: &mut Scope) -> SelectPlan {
        let (conditions, joins) = (std::mem::take(&mut self.conditions), std::mem::take(&mut self.joins));
        let used: Vec<&Expr> = self.values().collect();
        let (precondition, sources) = place::place(scope, conditions, joins, &used);
        let Self { output, group, having, over, distinct, order, limit, offset, counts_all, .. } = self;
        SelectPlan {
            sources,
            precondition,
            group,
            having,
            over: over.map(|over| Box::new(over.with_sorts())),
            output,
            distinct,
            order,
            is_in_order: false,
            limit,
            offset,
            counts_all,
            subqueries: std::mem::take(&mut scope.subqueries),
            views: std::mem::take(&mut scope.views),
        }
    }
}
