//! What a subquery in an expression sees of the queries around it: columns that become values it is given, and
//! aggregates of them, which belong to the query whose columns they are of.

use std::cell::{Cell, RefCell};

use types::error::table::{ER_ILLEGAL_REFERENCE, ER_NON_UNIQ_ERROR};

use super::function::has_aggregate;
use super::over::has_window;
use super::{BindEnv, Result, Scope, unsupported};
use crate::expr::{Expr, ResultType, Types};
use crate::plan::Aggregate;
use crate::plan::over::error::INVALID_ALIAS_USE;

/// The surroundings of one subquery. What it is found to need is collected while it is bound.
#[derive(Debug)]
pub(super) struct Outer<'a> {
    /// The scope in which the subquery stands.
    pub(super) scope: &'a Scope,
    /// What surrounds that.
    pub(super) env: &'a BindEnv<'a>,
    /// The values that the subquery is given.
    given: RefCell<Vec<Expr>>,
    /// Aggregates of the subquery that are the scope's.
    aggregates: RefCell<Vec<Aggregate>>,
    /// How many names were found here.
    uses: Cell<usize>,
    /// Whether the subquery may answer differently each time.
    varies: Cell<bool>,
}

impl<'a> Outer<'a> {
    pub(super) fn new(scope: &'a Scope, env: &'a BindEnv<'a>) -> Self {
        let (given, aggregates) = (RefCell::default(), RefCell::default());
        Self { scope, env, given, aggregates, uses: Cell::new(0), varies: Cell::new(false) }
    }

    /// The subquery, and so all around it, may answer differently each time.
    pub(super) fn note_varying(&self) {
        self.chain().for_each(|outer| outer.varies.set(true));
    }

    /// Whether it may.
    pub(super) fn varies(&self) -> bool {
        self.varies.get()
    }

    /// What the subquery is given, and the aggregates that the scope gets.
    pub(super) fn into_parts(self) -> (Vec<Expr>, Vec<Aggregate>) {
        (self.given.into_inner(), self.aggregates.into_inner())
    }

    /// The value that a name means which the subquery does not know, if it is known here or further out.
    pub(super) fn column(&self, db: Option<&str>, table: Option<&str>, name: &str) -> Result<Option<Expr>> {
        let own = match self.scope.column(db, table, name) {
            Ok(column) => Some(column),
            Err(error) if error.is(&ER_NON_UNIQ_ERROR) => return Err(error),
            Err(_) if table.is_none() => self.result(name)?,
            Err(_) => None,
        };
        let found = match own {
            Some(found) => Some(found),
            None => self.env.outer_column(db, table, name)?,
        };
        found.map(|found| self.give(found)).transpose()
    }

    /// A column of the result. Errors 1247 and 3594 for one that is there only once groups or windows are.
    fn result(&self, name: &str) -> Result<Option<Expr>> {
        let found = self.scope.alias(name).or_else(|| self.scope.item(name));
        if found.as_ref().is_some_and(has_window) {
            return Err(INVALID_ALIAS_USE.error(&[&name]));
        }
        if found.as_ref().is_some_and(has_aggregate) {
            return Err(ER_ILLEGAL_REFERENCE.error(&[&name, &"reference to group function"]));
        }
        self.env.note_copies(&found)?;
        Ok(found)
    }

    /// Whether an aggregate may stand in the scope or further out.
    pub(super) fn allows_aggregates(&self) -> bool {
        self.scope.aggregates.is_some() || self.env.outer.is_some_and(Outer::allows_aggregates)
    }

    /// The result of an aggregate without columns of the subquery: as that of the innermost query around it that has one of
    /// its columns, or allows it if it has none; where that is in FROM or WHERE, of the next one inside. `None` if it cannot
    /// stand there. `bind` binds it in a scope.
    pub(super) fn aggregate(
        &self,
        bind: &mut dyn FnMut(&mut Scope, &BindEnv<'_>) -> Result<Aggregate>,
    ) -> Result<Option<Expr>> {
        let mut scope = self.scope.names();
        let mark = self.env.outer.map(Self::mark);
        let mut aggregate = bind(&mut scope, self.env)?;
        if aggregate.belongs_further_out(self.scope.aggregates.is_some()) {
            let (Some(outer), Some(mark)) = (self.env.outer, mark) else { return Ok(None) };
            outer.reset(&mark);
            if let Some(found) = outer.aggregate(bind)? {
                return self.give(found).map(Some);
            }
            scope = self.scope.names();
            aggregate = bind(&mut scope, self.env)?;
        }
        let Some(own) = &self.scope.aggregates else { return Ok(None) };
        if !scope.subqueries.is_empty() {
            return Err(unsupported("a subquery in an aggregate of another query's columns"));
        }
        let mut lifted = self.aggregates.borrow_mut();
        let ty = crate::agg::result_type(&aggregate, &self.types())?;
        lifted.push(aggregate);
        Ok(Some(self.give_typed(Expr::Aggregate(own.len() + lifted.len() - 1), ty)))
    }

    /// The name of the column that a given value is.
    pub(super) fn name_of(&self, place: usize) -> Option<String> {
        match self.given.borrow().get(place)? {
            Expr::Column { source, column } => Some(self.scope.sources.get(*source)?.path(*column)),
            Expr::Outer(place, _) => self.env.outer?.name_of(*place),
            _ => None,
        }
    }

    /// What is given so far, here and further out.
    pub(super) fn mark(&self) -> Vec<usize> {
        self.chain().map(|outer| outer.given.borrow().len()).collect()
    }

    /// Forgets what was given since.
    pub(super) fn reset(&self, mark: &[usize]) {
        self.chain().zip(mark).for_each(|(outer, len)| outer.given.borrow_mut().truncate(*len));
    }

    /// How often something was found here: whether a query is correlated shows in what it adds to this.
    pub(super) fn uses(&self) -> usize {
        self.uses.get()
    }

    /// Something was found here before, and is used again.
    pub(super) fn note_use(&self) {
        self.uses.set(self.uses.get() + 1);
    }

    fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |outer| outer.env.outer)
    }

    fn types(&self) -> Types<'_> {
        Types { schema: self.scope, ..Types::of_session(self.env.session) }
    }

    fn give(&self, value: Expr) -> Result<Expr> {
        let ty = value.result_type(&self.types())?;
        Ok(self.give_typed(value, ty))
    }

    fn give_typed(&self, value: Expr, ty: ResultType) -> Expr {
        self.note_use();
        // An aggregate may be one of values.
        if !matches!(value, Expr::Column { .. }) {
            self.env.note_kept_type();
        }
        let mut given = self.given.borrow_mut();
        given.push(value);
        Expr::Outer(given.len() - 1, ty)
    }
}
