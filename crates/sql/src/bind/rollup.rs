//! GROUP BY .. WITH ROLLUP, and GROUPING.
//!
//! What is grouped by may be NULL in rows that are totals of several groups. So wherever it stands outside of arguments of
//! aggregates, alone or as a part, it becomes the result of an aggregate that knows: [`AggregateKind::Grouped`].

use std::sync::Arc;

use sqlparser::ast::{self, GroupByExpr, GroupByWithModifier};
use types::error::table::{ER_INVALID_GROUP_FUNC_USE, ER_WRONG_GROUP_FIELD};
use types::error::{Condition, SqlError};

use super::expr::Binder;
use super::full_group_by::shown;
use super::function::plain;
use super::scope::{Clause, Scope};
use super::{Result, unsupported};
use crate::expr::Expr;
use crate::plan::{Aggregate, AggregateKind, Given, Group, OrderBy, Output, Over, Rollup};

/// Bits of GROUPING's value.
const GROUPING_ARGS_MAX: usize = 64;

/// Error 3601.
const TOO_MANY_GROUPING_ARGS: Condition = Condition {
    code: 3601,
    sqlstate: "HY000",
    name: "ER_INVALID_NO_OF_ARGS",
    text: "Too many arguments for function %s: %lu; maximum allowed is %s.",
};

/// Error 3602.
const FIELD_IN_GROUPING_NOT_GROUP_BY: Condition = Condition {
    code: 3602,
    sqlstate: "HY000",
    name: "ER_FIELD_IN_GROUPING_NOT_GROUP_BY",
    text: "Argument #%u of GROUPING function is not in GROUP BY",
};

/// The list of GROUP BY, and whether there are totals.
pub(super) fn list(group_by: &GroupByExpr) -> Result<(Vec<&ast::Expr>, bool)> {
    let (list, modifiers) = match group_by {
        GroupByExpr::Expressions(list, modifiers) => (list, modifiers),
        GroupByExpr::All(_) => return Err(unsupported("GROUP BY ALL")),
    };
    if modifiers.iter().any(|modifier| *modifier != GroupByWithModifier::Rollup) {
        return Err(unsupported("GROUP BY with other totals than WITH ROLLUP"));
    }
    match (&list[..], modifiers.is_empty()) {
        ([ast::Expr::Function(call)], true) if is_rollup(call) => {
            let args = match &call.args {
                ast::FunctionArguments::List(list) if !list.args.is_empty() => &list.args,
                _ => return Err(unsupported("ROLLUP of nothing")),
            };
            Ok((args.iter().map(plain).collect::<Result<_>>()?, true))
        }
        _ => Ok((list.iter().collect(), !modifiers.is_empty())),
    }
}

/// `ROLLUP(a, b)`
fn is_rollup(call: &ast::Function) -> bool {
    let [ast::ObjectNamePart::Identifier(name)] = &call.name.0[..] else { return false };
    name.quote_style.is_none() && call.over.is_none() && name.value.eq_ignore_ascii_case("rollup")
}

/// Error 1056 for aggregates in what is grouped by, which `name` was written as.
pub(super) fn refuse_aggregates(by: &Expr, name: &str, aggregates: Option<&[Aggregate]>) -> Result<()> {
    let mut found = None;
    by.walk(&mut |part| {
        if let Expr::Aggregate(number) = part {
            found = Some(*number);
        }
    });
    let Some(number) = found else { return Ok(()) };
    let kind = aggregates.and_then(|all| all.get(number)).map(|aggregate| aggregate.kind);
    Err(cannot_group_on(if kind == Some(AggregateKind::Grouping) { GROUPING } else { name }))
}

const GROUPING: &str = "GROUPING function";

fn cannot_group_on(name: &str) -> SqlError {
    ER_WRONG_GROUP_FIELD.error(&[&name])
}

impl Binder<'_, '_> {
    /// `GROUPING(a, b)`: a bit for each, which is set in totals of it. Error 3601 for more than there are bits.
    pub(super) fn grouping(&mut self, list: &[ast::FunctionArg]) -> Result<Expr> {
        if self.scope.clause == Clause::Group {
            return Err(cannot_group_on(GROUPING));
        }
        if list.len() > GROUPING_ARGS_MAX {
            return Err(TOO_MANY_GROUPING_ARGS.error(&[&"GROUPING", &list.len(), &GROUPING_ARGS_MAX]));
        }
        let args = list.iter().map(|arg| self.argument(arg)).collect::<Result<Vec<_>>>()?;
        let own = self.scope.aggregates.as_mut().ok_or_else(|| ER_INVALID_GROUP_FUNC_USE.error(&[]))?;
        let kind = AggregateKind::Grouping;
        own.push(Aggregate { kind, args, distinct: false, order: Vec::new(), separator: None });
        Ok(Expr::Aggregate(own.len() - 1))
    }
}

/// What each GROUPING asks of. Errors 1111 and 3602 if nothing is grouped by it.
pub(super) fn groupings(group: &Group) -> Result<Vec<(usize, Vec<usize>)>> {
    let by = shown(&group.by);
    let places = |aggregate: &Aggregate| {
        let place = |(number, arg): (usize, &Expr)| {
            let found = by.iter().position(|by| *by == arg.identity());
            found.ok_or_else(|| FIELD_IN_GROUPING_NOT_GROUP_BY.error(&[&(number + 1)]))
        };
        aggregate.args.iter().enumerate().map(place).collect::<Result<Vec<_>>>()
    };
    let all = group.aggregates.iter().enumerate();
    let all = all.filter(|(_, aggregate)| aggregate.kind == AggregateKind::Grouping);
    all.map(|(number, aggregate)| match group.by[..] {
        [] => Err(ER_INVALID_GROUP_FUNC_USE.error(&[])),
        _ => Ok((number, places(aggregate)?)),
    })
    .collect()
}

/// What a query has beside its groups, and HAVING.
pub(super) struct Beside<'q> {
    pub(super) output: &'q mut [Output],
    pub(super) having: Option<&'q mut Expr>,
    pub(super) over: &'q mut Over,
    pub(super) order: &'q mut [OrderBy],
}

/// Adds the totals: what is grouped by is NULL in them.
pub(super) fn apply(
    group: &mut Group,
    groupings: Vec<(usize, Vec<usize>)>,
    scope: &mut Scope,
    beside: Beside<'_>,
) {
    let (keys, by) = (group.aggregates.len(), shown(&group.by));
    group.aggregates.extend(group.by.iter().map(|by| Aggregate {
        kind: AggregateKind::Grouped,
        args: vec![by.clone()],
        distinct: false,
        order: Vec::new(),
        separator: None,
    }));
    group.rollup = Some(Rollup { keys, groupings });
    let replaced = |part: &Expr| {
        let found = by.iter().position(|by| *by == part.identity());
        found.map(|place| Expr::Aggregate(keys + place))
    };
    let mut asked = Vec::new();
    let Beside { output, having, over, order } = beside;
    let output = output.iter_mut().map(|output| &mut output.expr);
    let order = order.iter_mut().filter_map(OrderBy::expr_mut);
    for expr in output.chain(having).chain(over.exprs_mut()).chain(order) {
        expr.replace(&replaced);
        expr.walk(&mut |part| asked.extend(part.subquery().map(|subquery| subquery.place)));
    }
    asked.sort_unstable();
    asked.dedup();
    for place in asked {
        if let Given::Values(values) = &mut scope.subqueries[place].given {
            for value in Arc::make_mut(values) {
                value.replace(&replaced);
            }
        }
    }
}
