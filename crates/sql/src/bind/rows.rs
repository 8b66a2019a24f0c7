//! Rows in expressions: `(a, b) = (1, 2)`, `(a, b) IN ((1, 2), (3, 4))`, and those of subqueries.

use sqlparser::ast;
use types::error::table::ER_OPERAND_COLUMNS;

use super::expr::{Binder, not};
use super::outer::Outer;
use super::{BindEnv, Result, query, unsupported};
use crate::expr::{CompareOp, Expr, Quantifier, SubqueryRef};
use crate::plan::{Given, QueryPlan, Subquery};

/// Rows of a subquery that decide what a comparison with its only row gives: a second one is an error.
const SINGLE_ROW: usize = 2;

impl Binder<'_, '_> {
    /// A comparison of rows, if one of the sides is a row.
    pub(super) fn rows_compared(
        &mut self,
        op: CompareOp,
        left: &ast::Expr,
        right: &ast::Expr,
    ) -> Result<Option<Expr>> {
        let count = columns_of(left);
        if count == 1 && row_of(right).is_none() {
            return Ok(None);
        }
        let (left, right) = (self.row(left, count)?, self.row(right, count)?);
        self.env.note_copies(left.iter().chain(&right))?;
        Ok(Some(compared(op, left, right)))
    }

    /// A row of so many columns. Error 1241 for anything else.
    fn row(&mut self, ast: &ast::Expr, count: usize) -> Result<Vec<Expr>> {
        match (row_of(ast), bare(ast)) {
            (Some(row), _) if row.len() == count => row.into_iter().map(|part| self.bind(part)).collect(),
            (None, ast::Expr::Subquery(query)) => {
                let subquery = self.subquery(query, count, SINGLE_ROW)?;
                Ok((0..count).map(|column| Expr::Subquery(subquery.clone(), column)).collect())
            }
            _ => Err(ER_OPERAND_COLUMNS.error(&[&count])),
        }
    }

    /// `(a, b) IN ((1, 2), (3, 4))`
    pub(super) fn row_in(&mut self, row: &ast::Expr, count: usize, list: &[ast::Expr]) -> Result<Expr> {
        let left = self.row(row, count)?;
        let equal = list.iter().map(|one| {
            self.env.note_copies(&left)?;
            Ok(compared(CompareOp::Eq, left.clone(), self.row(one, count)?))
        });
        Ok(Expr::Or(equal.collect::<Result<_>>()?))
    }

    /// A subquery of one row and one column.
    pub(super) fn scalar(&mut self, query: &ast::Query) -> Result<Expr> {
        let subquery = self.subquery(query, 1, SINGLE_ROW)?;
        if let Some(place) = self.scope.subqueries[subquery.place].plan.only_outer_value() {
            self.scope.subqueries.pop();
            return Ok(subquery.given[place].clone());
        }
        Ok(Expr::Subquery(subquery, 0))
    }

    /// EXISTS.
    pub(super) fn exists(&mut self, query: &ast::Query) -> Result<Expr> {
        self.subquery_of(1, |env| query::bind_existence(query, env)).map(Expr::Exists)
    }

    /// `a IN (subquery)`
    pub(super) fn in_subquery(&mut self, left: &ast::Expr, query: &ast::Query) -> Result<Expr> {
        self.quantified(Quantifier { op: CompareOp::Eq, all: false }, left, query)
    }

    /// ANY and ALL. Of rows there are only those that are IN and NOT IN.
    pub(super) fn any_or_all(
        &mut self,
        op: CompareOp,
        all: bool,
        left: &ast::Expr,
        right: &ast::Expr,
    ) -> Result<Expr> {
        let ast::Expr::Subquery(query) = right else {
            return Err(unsupported("ANY and ALL of anything but a subquery"));
        };
        match (op, all, row_of(left)) {
            (CompareOp::NullSafeEq, ..) => Err(unsupported("<=> with ANY or ALL")),
            (CompareOp::Ne, true, _) => self.in_subquery(left, query).map(not),
            (CompareOp::Eq, false, _) | (_, _, None) => self.quantified(Quantifier { op, all }, left, query),
            (_, _, Some(_)) => Err(ER_OPERAND_COLUMNS.error(&[&1])),
        }
    }

    fn quantified(&mut self, quantifier: Quantifier, left: &ast::Expr, query: &ast::Query) -> Result<Expr> {
        let left = match row_of(left) {
            Some(row) => self.row(left, row.len())?,
            None => vec![self.bind(left)?],
        };
        let subquery = self.subquery(query, left.len(), usize::MAX)?;
        Ok(Expr::Quantified(quantifier, left, subquery))
    }

    fn subquery(&mut self, query: &ast::Query, columns: usize, rows_max: usize) -> Result<SubqueryRef> {
        self.subquery_of(rows_max, |env| {
            let plan = query::bind_inner(query, env)?;
            if plan.column_count() != columns {
                return Err(ER_OPERAND_COLUMNS.error(&[&columns]));
            }
            Ok(plan)
        })
    }

    /// Binds a subquery, with what it sees of the queries around it.
    fn subquery_of(
        &mut self,
        rows_max: usize,
        bind: impl FnOnce(&BindEnv<'_>) -> Result<QueryPlan>,
    ) -> Result<SubqueryRef> {
        let outer = Outer::new(self.scope, self.env);
        let plan = bind(&BindEnv { outer: Some(&outer), ..self.env.clone() })?;
        let varies = outer.varies();
        let (values, aggregates) = outer.into_parts();
        if let Some(own) = &mut self.scope.aggregates {
            own.extend(aggregates);
        }
        let values: std::sync::Arc<[Expr]> = values.into();
        let given = if values.is_empty() { Given::Nothing } else { Given::Values(values.clone()) };
        self.scope.subqueries.push(Subquery { plan, given, varies, rows_max, view: None });
        Ok(SubqueryRef { place: self.scope.subqueries.len() - 1, given: values, varies })
    }
}

/// The parts of a row: `(a, b)`, `ROW(a, b)`.
pub(super) fn row_of(ast: &ast::Expr) -> Option<Vec<&ast::Expr>> {
    match ast {
        ast::Expr::Tuple(row) => Some(row.iter().collect()),
        ast::Expr::Function(call) => {
            let ast::FunctionArguments::List(list) = &call.args else { return None };
            let [ast::ObjectNamePart::Identifier(name)] = &call.name.0[..] else { return None };
            let is_row = name.quote_style.is_none() && name.value.eq_ignore_ascii_case("row");
            let parts = list.args.iter().filter(|_| is_row).map(|part| match part {
                ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(part)) => Some(part),
                _ => None,
            });
            parts.collect::<Option<Vec<_>>>().filter(|parts| parts.len() > 1)
        }
        _ => None,
    }
}

/// An expression without the parentheses around it.
fn bare(mut ast: &ast::Expr) -> &ast::Expr {
    while let ast::Expr::Nested(inner) = ast {
        ast = inner;
    }
    ast
}

/// How many columns an operand has, as far as that shows before it is bound.
fn columns_of(ast: &ast::Expr) -> usize {
    let list = match ast {
        ast::Expr::Subquery(query) => match &*query.body {
            ast::SetExpr::Select(select) => &select.projection[..],
            _ => &[],
        },
        _ => &[],
    };
    row_of(ast).map_or(list.len().max(1), |row| row.len())
}

/// Rows are compared by their first columns that differ.
fn compared(op: CompareOp, left: Vec<Expr>, right: Vec<Expr>) -> Expr {
    let compare =
        |op, (left, right): &(Expr, Expr)| Expr::Compare(op, Box::new(left.clone()), Box::new(right.clone()));
    let pairs: Vec<(Expr, Expr)> = left.into_iter().zip(right).collect();
    let strict = match op {
        CompareOp::Eq | CompareOp::NullSafeEq => {
            return Expr::And(pairs.iter().map(|pair| compare(op, pair)).collect());
        }
        CompareOp::Ne => {
            return not(Expr::And(pairs.iter().map(|pair| compare(CompareOp::Eq, pair)).collect()));
        }
        CompareOp::Lt | CompareOp::Le => CompareOp::Lt,
        CompareOp::Gt | CompareOp::Ge => CompareOp::Gt,
    };
    let (last, before) = pairs.split_last().expect("a row has columns");
    before.iter().rev().fold(compare(op, last), |rest, pair| {
        Expr::Or(vec![compare(strict, pair), Expr::And(vec![compare(CompareOp::Eq, pair), rest])])
    })
}
