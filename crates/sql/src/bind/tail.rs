//! What follows the body of a query: ORDER BY, LIMIT, FOR UPDATE.

use sqlparser::ast::{self, LimitClause, OrderByKind};
use types::error::table::{ER_CANT_USE_OPTION_HERE, ER_DUPLICATE_TABLE_LOCK, ER_UNRESOLVED_TABLE_LOCK};

use super::scope::{Named, Scope};
use super::{BindEnv, Result, literal, unsupported};
use crate::expr::Expr;
use crate::plan::{LockWait, OrderBy, RowLock, SourceKind};

/// See the module.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tail<'a> {
    pub(super) order: &'a [ast::OrderByExpr],
    limit: Option<&'a LimitClause>,
    locks: &'a [ast::LockClause],
    /// The rows become those of a UNION: without LIMIT their order does not matter.
    is_part: bool,
    /// All that matters is whether there is a row: EXISTS.
    pub(super) is_existence: bool,
    /// The query is the statement's own, or its first part.
    is_outermost: bool,
}

impl<'a> Tail<'a> {
    /// That of a part of a UNION.
    pub(super) const PART: Self =
        Self { order: &[], limit: None, locks: &[], is_part: true, is_existence: false, is_outermost: false };

    /// That of the query of EXISTS.
    pub(super) const EXISTENCE: Self = Self { is_part: false, is_existence: true, ..Self::PART };

    /// Of a statement that is a query.
    pub(super) const OUTERMOST: Self = Self { is_part: false, is_outermost: true, ..Self::PART };

    /// That of a query.
    pub(super) fn of(query: &'a ast::Query) -> Result<Self> {
        if query.fetch.is_some() {
            return Err(unsupported("FETCH"));
        }
        let order = match query.order_by.as_ref().map(|order| &order.kind) {
            None => &[],
            Some(OrderByKind::Expressions(list)) => &list[..],
            Some(OrderByKind::All(_)) => return Err(unsupported("ORDER BY ALL")),
        };
        let limit = query.limit_clause.as_ref();
        Ok(Self { order, limit, locks: &query.locks, ..Self::default() })
    }

    /// Locks as another one says, if this one says nothing.
    pub(super) fn or_locked_as(self, other: Self) -> Self {
        if self.locks.is_empty() { Self { locks: other.locks, ..self } } else { self }
    }

    /// That of a query in parentheses, which this other one follows.
    pub(super) fn inside(self, outer: Self) -> Self {
        Self { is_outermost: outer.is_outermost, ..self.or_locked_as(outer) }
    }

    /// The tail of a query in parentheses and what follows them, if one can be both.
    pub(super) fn within(self, inner: Self) -> Option<Self> {
        let (one, other) = if self.is_empty() { (inner, self) } else { (self, inner) };
        let locks = inner.or_locked_as(self).locks;
        let Self { is_part, is_existence, is_outermost, .. } = self;
        other.is_empty().then_some(Self { locks, is_part, is_existence, is_outermost, ..one })
    }

    /// That of one of so many parts of the UNION that this one is about. A lock that is asked for at the end is one of the
    /// last part.
    pub(super) fn of_operand(self, place: usize, count: usize) -> Self {
        let part = Self { is_outermost: self.is_outermost && place == 0, ..Self::PART };
        if place + 1 == count { part.or_locked_as(self) } else { part }
    }

    /// Whether a SELECT says SQL_CALC_FOUND_ROWS. Error 1234 if it is not the statement's first one.
    pub(super) fn counts_all(self, select: &ast::Select) -> Result<bool> {
        let counts = select.select_modifiers.as_ref().is_some_and(|modifiers| modifiers.sql_calc_found_rows);
        if counts && !self.is_outermost {
            return Err(ER_CANT_USE_OPTION_HERE.error(&[&"SQL_CALC_FOUND_ROWS"]));
        }
        Ok(counts)
    }

    /// Whether rows are locked.
    pub(super) fn locks(self) -> bool {
        !self.locks.is_empty()
    }

    /// Whether there is none.
    pub(super) fn says_nothing(self) -> bool {
        self.is_empty() && !self.locks()
    }

    /// Whether the rows become those of a UNION.
    pub(super) fn is_part(self) -> bool {
        self.is_part
    }

    /// Whether it says nothing of rows and their order.
    pub(super) fn is_empty(self) -> bool {
        self.order.is_empty() && self.limit.is_none()
    }

    /// The order, if it decides about anything.
    pub(super) fn needed(self, order: Vec<OrderBy>) -> Vec<OrderBy> {
        if self.is_part && self.limit.is_none() { Vec::new() } else { order }
    }

    /// LIMIT and OFFSET.
    pub(super) fn limit(self, env: &BindEnv<'_>) -> Result<(Option<Expr>, Option<Expr>)> {
        let (limit, offset) = match self.limit {
            None => return Ok((None, None)),
            Some(LimitClause::LimitOffset { limit, offset, .. }) => {
                (limit.as_ref(), offset.as_ref().map(|offset| &offset.value))
            }
            Some(LimitClause::OffsetCommaLimit { offset, limit }) => (Some(limit), Some(offset)),
        };
        let bind = |ast: Option<&ast::Expr>| ast.map(|ast| literal::limit(ast, env.session)).transpose();
        Ok((bind(limit)?, bind(offset)?))
    }

    /// Notes how the rows of sources are locked, before views become a part of the query: those of all sources, or of those
    /// that OF names. Errors 3568, 3569.
    pub(super) fn lock(self, scope: &mut Scope) -> Result<()> {
        for clause in self.locks {
            let wait = match clause.nonblock {
                None => LockWait::Wait,
                Some(ast::NonBlock::Nowait) => LockWait::NoWait,
                Some(ast::NonBlock::SkipLocked) => LockWait::Skip,
            };
            let lock = RowLock { exclusive: matches!(clause.lock_type, ast::LockType::Update), wait };
            let named = clause.of.as_ref().map(|name| name.to_string().replace('`', ""));
            let quoted = |name: &str| if named.is_some() { format!("`{name}`") } else { name.to_owned() };
            let mut found = named.is_none();
            let is_meant = |source: &&mut Named| named.as_ref().is_none_or(|name| *name == source.alias);
            for source in scope.sources.iter_mut().filter(is_meant) {
                found = true;
                if source.lock.is_some() {
                    return Err(ER_DUPLICATE_TABLE_LOCK.error(&[&quoted(&source.alias)]));
                }
                source.lock = Some(lock);
                if let SourceKind::Derived(place, _) = source.kind
                    && let Some(used) = &mut scope.subqueries[place].view
                {
                    used.locks = lock.exclusive;
                }
            }
            if let (false, Some(name)) = (found, &named) {
                return Err(ER_UNRESOLVED_TABLE_LOCK.error(&[&quoted(name)]));
            }
        }
        Ok(())
    }
}
