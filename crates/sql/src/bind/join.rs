//! Joins: the order in which their sources are read, their conditions, and what their columns are called together.
//!
//! The sources are in the order in which they were bound first. A side whose rows may be missing is read after the other one, so RIGHT
//! JOIN exchanges its sides; `*` shows them as they are written.

use std::ops::Range;

use sqlparser::ast::JoinConstraint;
use types::error::table::{ER_BAD_FIELD_ERROR, ER_NON_UNIQ_ERROR};

use super::scope::{Clause, Place, Scope};
use super::{BindEnv, Result, expr, select};
use crate::expr::{CompareOp, Expr};

/// An item of FROM: what is joined from left to right.
pub(super) struct Item<'a> {
    pub(super) first: Factor<'a>,
    pub(super) joins: Vec<Join<'a>>,
}

/// A join to all before it.
pub(super) struct Join<'a> {
    pub(super) missing: Side,
    pub(super) constraint: &'a JoinConstraint,
    pub(super) with: Factor<'a>,
}

/// The side of a join whose rows may be missing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Neither,
    Left,
    Right,
}

/// What is joined.
pub(super) enum Factor<'a> {
    /// DUAL.
    Nothing,
    /// A source, by its place among those that were bound.
    Source(usize),
    /// In parentheses.
    Nested(Box<Item<'a>>),
}

/// What FROM amounts to beside the sources, which are in the scope.
#[derive(Clone, Debug, Default)]
pub(super) struct Joins {
    /// Sources whose rows are missing together, those within others first.
    pub(super) optional: Vec<Range<usize>>,
    /// Conditions of joins. Those of an outer join are with the sources that they decide about, the others with all that
    /// are joined.
    pub(super) on: Vec<(Range<usize>, Vec<Expr>)>,
}

/// Puts the scope's sources in order, and binds the conditions of all joins.
pub(super) fn bind(items: &[Item<'_>], scope: &mut Scope, env: &BindEnv<'_>) -> Result<Joins> {
    let order: Vec<usize> = items.iter().flat_map(order).collect();
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, source)| places[*source] = place);
    scope.renumber(&places);
    let mut binder = JoinBinder { scope, env, places, joins: Joins::default() };
    for item in items {
        let columns = binder.item(item)?.columns;
        binder.scope.all.extend(columns);
    }
    let joins = binder.joins;
    scope.visible = None;
    Ok(joins)
}

/// The sources of an item in the order in which they are read.
fn order(item: &Item<'_>) -> Vec<usize> {
    let of_factor = |factor: &Factor<'_>| match factor {
        Factor::Nothing => Vec::new(),
        Factor::Source(source) => vec![*source],
        Factor::Nested(item) => order(item),
    };
    item.joins.iter().fold(of_factor(&item.first), |mut left, join| {
        let mut right = of_factor(&join.with);
        if join.missing == Side::Left {
            std::mem::swap(&mut left, &mut right);
        }
        left.append(&mut right);
        left
    })
}

/// What is joined so far: sources that follow each other, and the columns that `*` means.
#[derive(Default)]
struct Joined {
    sources: Range<usize>,
    columns: Vec<Place>,
}

struct JoinBinder<'a, 'e> {
    scope: &'a mut Scope,
    env: &'a BindEnv<'e>,
    /// Of the sources as they were bound, their places in the order in which they are read.
    places: Vec<usize>,
    joins: Joins,
}

impl JoinBinder<'_, '_> {
    fn item(&mut self, item: &Item<'_>) -> Result<Joined> {
        let mut left = self.factor(&item.first)?;
        for join in &item.joins {
            let right = self.factor(&join.with)?;
            left = self.join(left, right, join)?;
        }
        Ok(left)
    }

    fn factor(&mut self, factor: &Factor<'_>) -> Result<Joined> {
        match factor {
            Factor::Nothing => Ok(Joined::default()),
            Factor::Source(source) => {
                let source = self.places[*source];
                let columns = 0..self.scope.sources[source].kind.column_count();
                let columns = columns.map(|column| (source, column)).collect();
                Ok(Joined { sources: source..source + 1, columns })
            }
            Factor::Nested(item) => self.item(item),
        }
    }

    fn join(&mut self, left: Joined, right: Joined, join: &Join<'_>) -> Result<Joined> {
        if left.sources.is_empty() || right.sources.is_empty() {
            return Err(super::unsupported("a join to DUAL"));
        }
        let starts = left.sources.start.min(right.sources.start);
        let sources = starts..left.sources.end.max(right.sources.end);
        let decided = match join.missing {
            Side::Neither => sources.clone(),
            Side::Left => left.sources.clone(),
            Side::Right => right.sources.clone(),
        };
        let (on, columns) = match join.constraint {
            JoinConstraint::None => (Vec::new(), both(left, right)),
            JoinConstraint::On(on) => {
                self.scope.clause = Clause::On;
                self.scope.visible = Some(sources.clone());
                (select::conjuncts(expr::bind(on, self.scope, self.env)?), both(left, right))
            }
            JoinConstraint::Using(names) => {
                let names = names.iter().map(|name| name.to_string().replace('`', "")).collect();
                self.merge(left, right, join.missing, names)?
            }
            JoinConstraint::Natural => {
                let names = self.common_names(&left, &right);
                self.merge(left, right, join.missing, names)?
            }
        };
        self.joins.on.push((decided.clone(), on));
        if join.missing != Side::Neither {
            self.joins.optional.push(decided);
        }
        Ok(Joined { sources, columns })
    }

    /// The names that both sides have.
    fn common_names(&self, left: &Joined, right: &Joined) -> Vec<String> {
        let names = left.columns.iter().map(|place| self.name(*place));
        names.filter(|name| self.find(right, name).next().is_some()).collect()
    }

    /// The conditions and the columns of a join by columns of these names, of which one side's stand for both.
    fn merge(
        &mut self,
        left: Joined,
        right: Joined,
        missing: Side,
        names: Vec<String>,
    ) -> Result<(Vec<Expr>, Vec<Place>)> {
        let (kept, other) = if missing == Side::Left { (right, left) } else { (left, right) };
        let mut on = Vec::new();
        let mut pairs = Vec::new();
        for name in names {
            let pair = (self.only(&kept, &name)?, self.only(&other, &name)?);
            on.push(equal(pair));
            pairs.push(pair);
        }
        let is_kept = |place: &Place| pairs.iter().any(|pair| pair.0 == *place);
        let is_merged = |place: &Place| pairs.iter().any(|pair| pair.1 == *place);
        let (mut columns, rest): (Vec<Place>, Vec<Place>) = kept.columns.into_iter().partition(is_kept);
        columns.extend(rest);
        columns.extend(other.columns.into_iter().filter(|place| !is_merged(place)));
        self.scope.merged.extend(pairs.iter().map(|pair| pair.1));
        Ok((on, columns))
    }

    /// The column of that name. Errors 1054 and 1052 if there is none or another one.
    fn only(&self, joined: &Joined, name: &str) -> Result<Place> {
        let clause = Clause::From.name();
        let mut found = self.find(joined, name);
        let place = found.next().ok_or_else(|| ER_BAD_FIELD_ERROR.error(&[&name, &clause]))?;
        match found.next() {
            None => Ok(place),
            Some(_) => Err(ER_NON_UNIQ_ERROR.error(&[&name, &clause])),
        }
    }

    fn find<'j>(&'j self, joined: &'j Joined, name: &'j str) -> impl Iterator<Item = Place> + 'j {
        let columns = joined.columns.iter().copied();
        columns.filter(move |place| self.name(*place).eq_ignore_ascii_case(name))
    }

    fn name(&self, (source, column): Place) -> String {
        self.scope.sources[source].kind.column(column).name
    }
}

/// The columns of both sides, as they are written.
fn both(left: Joined, right: Joined) -> Vec<Place> {
    let mut columns = left.columns;
    columns.extend(right.columns);
    columns
}

fn equal((kept, other): (Place, Place)) -> Expr {
    let column = |(source, column): Place| Box::new(Expr::Column { source, column });
    Expr::Compare(CompareOp::Eq, column(kept), column(other))
}
