//! Long chains of AND and OR, made shallow.
//!
//! `a OR b OR c OR ..` is read as a tree that leans to the left, as deep as the chain is long. Programs do write
//! chains of thousands. Both operators may be grouped as one likes (three-valued logic and the order of evaluation
//! included), so a long chain becomes a balanced tree.

use sqlparser::ast::{
    BinaryOperator, Expr, Join, JoinConstraint, JoinOperator, Query, SetExpr, TableFactor, TableWithJoins,
};

/// Shorter chains stay as they are.
const CHAIN_MIN: usize = 16;

/// Balances the chains of an expression that are reached through AND, OR, NOT and parentheses alone.
pub(super) fn expr(whole: &mut Expr) {
    match whole {
        Expr::Nested(inner) | Expr::UnaryOp { expr: inner, .. } => expr(inner),
        Expr::BinaryOp { op: op @ (BinaryOperator::And | BinaryOperator::Or), .. } => {
            let op = op.clone();
            let mut operands = operands(whole, &op);
            operands.iter_mut().for_each(expr);
            *whole =
                if operands.len() < CHAIN_MIN { leaning(operands, &op) } else { balanced(operands, &op) };
        }
        _ => {}
    }
}

/// Balances the conditions of a query and of the queries in its FROM.
pub(super) fn query(whole: &mut Query) {
    let named = whole.with.iter_mut().flat_map(|with| &mut with.cte_tables);
    named.for_each(|named| query(&mut named.query));
    set(&mut whole.body);
}

fn set(body: &mut SetExpr) {
    match body {
        SetExpr::Select(select) => {
            select.selection.iter_mut().for_each(expr);
            select.having.iter_mut().for_each(expr);
            select.from.iter_mut().for_each(tables);
        }
        SetExpr::Query(inner) => query(inner),
        SetExpr::SetOperation { left, right, .. } => {
            set(left);
            set(right);
        }
        _ => {}
    }
}

fn tables(from: &mut TableWithJoins) {
    factor(&mut from.relation);
    for join in &mut from.joins {
        factor(&mut join.relation);
        if let Some(JoinConstraint::On(on)) = constraint(join) {
            expr(on);
        }
    }
}

fn factor(factor: &mut TableFactor) {
    match factor {
        TableFactor::Derived { subquery, .. } => query(subquery),
        TableFactor::NestedJoin { table_with_joins, .. } => tables(table_with_joins),
        _ => {}
    }
}

fn constraint(join: &mut Join) -> Option<&mut JoinConstraint> {
    match &mut join.join_operator {
        JoinOperator::Join(on)
        | JoinOperator::Inner(on)
        | JoinOperator::Left(on)
        | JoinOperator::LeftOuter(on)
        | JoinOperator::Right(on)
        | JoinOperator::RightOuter(on)
        | JoinOperator::StraightJoin(on)
        | JoinOperator::CrossJoin(on) => Some(on),
        _ => None,
    }
}

/// Takes a chain apart, without descending.
fn operands(whole: &mut Expr, chain: &BinaryOperator) -> Vec<Expr> {
    let mut operands = Vec::new();
    let mut rest = std::mem::replace(whole, nothing());
    loop {
        match rest {
            Expr::BinaryOp { left, op, right } if op == *chain => {
                operands.push(*right);
                rest = *left;
            }
            first => {
                operands.push(first);
                operands.reverse();
                return operands;
            }
        }
    }
}

fn leaning(operands: Vec<Expr>, op: &BinaryOperator) -> Expr {
    let mut operands = operands.into_iter();
    let first = operands.next().unwrap_or_else(nothing);
    operands.fold(first, |left, right| join(left, right, op))
}

fn balanced(mut operands: Vec<Expr>, op: &BinaryOperator) -> Expr {
    while operands.len() > 1 {
        let mut pairs = Vec::with_capacity(operands.len().div_ceil(2));
        let mut rest = operands.into_iter();
        while let Some(left) = rest.next() {
            pairs.push(match rest.next() {
                Some(right) => join(left, right, op),
                None => left,
            });
        }
        operands = pairs;
    }
    operands.pop().unwrap_or_else(nothing)
}

fn join(left: Expr, right: Expr, op: &BinaryOperator) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op: op.clone(), right: Box::new(right) }
}

fn nothing() -> Expr {
    Expr::Tuple(Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(expr: &Expr) -> usize {
        match expr {
            Expr::BinaryOp { left, right, .. } => 1 + depth(left).max(depth(right)),
            Expr::Nested(inner) => 1 + depth(inner),
            _ => 0,
        }
    }

    #[test]
    fn long_chains_become_shallow_and_read_the_same() {
        let text = (0..1000).map(|n| format!("a = {n}")).collect::<Vec<_>>().join(" OR ");
        let sql = format!("SELECT 1 FROM t WHERE {text}");
        let statement = crate::parse::parse(&sql, crate::lex::Quoting::default()).unwrap();
        let crate::parse::Statement::Query(query) = statement else { panic!() };
        let SetExpr::Select(select) = &*query.body else { panic!() };
        let selection = select.selection.as_ref().unwrap();
        assert_eq!(depth(selection), 11);
        assert_eq!(selection.to_string(), text);
    }

    #[test]
    fn short_chains_lean_to_the_left() {
        let statement = crate::parse::parse("DO a AND b AND c OR d", crate::lex::Quoting::default()).unwrap();
        let crate::parse::Statement::Do(exprs) = statement else { panic!() };
        assert_eq!((exprs[0].to_string(), depth(&exprs[0])), ("a AND b AND c OR d".to_owned(), 3));
    }
}
