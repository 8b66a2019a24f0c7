//! Which columns follow from what a query groups by, as ONLY_FULL_GROUP_BY asks.
//!
//! The manual's "Detection of Functional Dependence": a unique key determines the columns of its table, a condition
//! `column = value` a column, and `column = column` each of them the other one. In ON of an outer join it determines the side that
//! may be missing, and only together with all that the condition says of the other side.

use std::collections::HashSet;
use std::ops::Range;

use super::join::Joins;
use super::scope::{Place, Scope};
use crate::expr::{CompareOp, Expr};
use crate::plan::{QueryPlan, SourceKind};

/// A column that has one value wherever others have one.
struct Fact {
    column: Place,
    from: Vec<Place>,
}

/// The columns that have one value in each group.
pub(super) fn determined(scope: &Scope, by: &[Expr], conditions: &[Expr], joins: &Joins) -> HashSet<Place> {
    let (optional, never_null) = missing_and_never_null(conditions, joins);
    let mut facts: Vec<Fact> = conditions.iter().flat_map(equal).collect();
    for (decided, on) in &joins.on {
        // The innermost one: those within others come first.
        let Some(missing) = optional.iter().find(|missing| contains(missing, decided)) else {
            facts.extend(on.iter().flat_map(equal));
            continue;
        };
        let is_within = |place: &Place| missing.contains(&place.0);
        let outside: Vec<Place> = if *missing == decided {
            columns(on).filter(|place| !is_within(place)).collect()
        } else {
            Vec::new()
        };
        let is_nested =
            *missing != decided || optional.iter().any(|other| other != missing && contains(other, missing));
        for Fact { column, mut from } in on.iter().flat_map(equal).filter(|fact| is_within(&fact.column)) {
            from.extend(&outside);
            if !(from.is_empty() && is_nested) {
                facts.push(Fact { column, from });
            }
        }
    }
    let mut known = columns_of(by);
    loop {
        let size = known.len();
        for Fact { column, from } in &facts {
            if from.iter().all(|place| known.contains(place)) {
                known.insert(*column);
            }
        }
        for (source, named) in scope.sources.iter().enumerate() {
            let is_known = |key: &Vec<usize>| key.iter().all(|column| known.contains(&(source, *column)));
            if keys(scope, source, &never_null).iter().any(is_known) {
                known.extend((0..named.kind.column_count()).map(|column| (source, column)));
            }
        }
        if known.len() == size {
            return known;
        }
    }
}

/// Those of some expressions that are columns.
pub(super) fn columns_of(by: &[Expr]) -> HashSet<Place> {
    by.iter().filter_map(place_of).collect()
}

/// The sources whose rows may be missing together: those of an outer join, unless a condition lets no missing row through, so
/// that it might as well be an inner one.
pub(super) fn still_missing(conditions: &[Expr], joins: &Joins) -> Vec<Range<usize>> {
    missing_and_never_null(conditions, joins).0.into_iter().cloned().collect()
}

/// The sources whose rows may be missing together, unless a condition lets none of these through, and the columns that are
/// never NULL.
fn missing_and_never_null<'j>(
    conditions: &[Expr],
    joins: &'j Joins,
) -> (Vec<&'j Range<usize>>, HashSet<Place>) {
    let mut optional: Vec<&Range<usize>> = joins.optional.iter().collect();
    loop {
        let inner =
            joins.on.iter().filter(|(decided, _)| !optional.iter().any(|missing| contains(missing, decided)));
        let on = inner.flat_map(|(_, on)| on);
        let never_null: HashSet<Place> = conditions.iter().chain(on).flat_map(rejects_null).collect();
        let before = optional.len();
        optional.retain(|missing| !never_null.iter().any(|(source, _)| missing.contains(source)));
        if optional.len() == before {
            return (optional, never_null);
        }
    }
}

fn contains(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

fn columns(on: &[Expr]) -> impl Iterator<Item = Place> {
    let mut found = Vec::new();
    for condition in on {
        condition.walk(&mut |part| found.extend(place_of(part)));
    }
    found.into_iter()
}

pub(super) fn place_of(expr: &Expr) -> Option<Place> {
    if let Expr::Column { source, column } = expr { Some((*source, *column)) } else { None }
}

/// What `column = column` and `column = value` say.
fn equal(condition: &Expr) -> Vec<Fact> {
    let Expr::Compare(CompareOp::Eq, left, right) = condition else { return Vec::new() };
    let fact = |column: &Expr, other: &Expr| {
        let from = match place_of(other) {
            Some(place) => vec![place],
            None if other.is_constant() => Vec::new(),
            None => return None,
        };
        place_of(column).map(|column| Fact { column, from })
    };
    [fact(left, right), fact(right, left)].into_iter().flatten().collect()
}

/// The columns that are not NULL where a condition holds.
fn rejects_null(condition: &Expr) -> Vec<Place> {
    match condition {
        Expr::Compare(op, left, right) if *op != CompareOp::NullSafeEq => {
            [left, right].into_iter().filter_map(|side| place_of(side)).collect()
        }
        Expr::Not(inner) => match &**inner {
            Expr::IsNull(column) | Expr::In(column, _) | Expr::Like { text: column, .. } => {
                place_of(column).into_iter().collect()
            }
            _ => Vec::new(),
        },
        Expr::In(column, _) | Expr::Like { text: column, .. } => place_of(column).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The columns of each key that no two rows of a source share.
fn keys(scope: &Scope, source: usize, never_null: &HashSet<Place>) -> Vec<Vec<usize>> {
    match &scope.sources[source].kind {
        SourceKind::Table(table) => {
            let has_value = |column: &usize| {
                !table.def.columns[*column].nullable || never_null.contains(&(source, *column))
            };
            let unique = table.def.indexes.iter().filter(|index| index.kind.is_unique());
            let whole = unique.filter(|index| index.parts.iter().all(|part| part.prefix.is_none()));
            let keys = whole
                .map(|index| index.parts.iter().map(|part| usize::from(part.column)).collect::<Vec<_>>());
            keys.filter(|key| key.iter().all(has_value)).collect()
        }
        SourceKind::Derived(place, _) => match &scope.subqueries[*place].plan {
            QueryPlan::Select(select) => {
                let outputs: Vec<String> =
                    select.output.iter().map(|output| output.expr.identity()).collect();
                let by = select.group.iter().flat_map(|group| &group.by);
                let key: Option<Vec<usize>> =
                    by.map(|by| outputs.iter().position(|output| *output == by.identity())).collect();
                // MySQL does not see that there is one row where nothing is grouped by, and takes LATERAL for one of the others.
                key.filter(|key| !key.is_empty()).into_iter().collect()
            }
            _ => Vec::new(),
        },
        SourceKind::Virtual(_) => Vec::new(),
    }
}
