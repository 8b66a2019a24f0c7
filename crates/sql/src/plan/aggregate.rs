//! Groups, and the aggregates that a plan computes of them.

use crate::expr::Expr;
use crate::plan::OrderBy;
use types::value::Value;

/// Grouping.
#[derive(Debug)]
pub struct Group {
    /// GROUP BY; empty = one group of everything.
    pub by: Vec<Expr>,
    /// Aggregates that the statement uses.
    pub aggregates: Vec<Aggregate>,
    /// WITH ROLLUP.
    pub rollup: Option<Rollup>,
}

/// Totals beside the groups: of those that agree in all but the last of what is grouped by, in all but the last two, and so on.
#[derive(Debug)]
pub struct Rollup {
    /// The first of the aggregates that are what is grouped by, one each in that order.
    pub keys: usize,
    /// The aggregates that are GROUPING, and what each asks of: places in GROUP BY.
    pub groupings: Vec<(usize, Vec<usize>)>,
}

impl Rollup {
    /// What is grouped by is NULL from this place on in a total, and GROUPING says so.
    pub(crate) fn apply(&self, level: usize, results: &mut [Value]) {
        for (place, asked) in &self.groupings {
            let bits = asked.iter().fold(0, |bits, place| bits << 1 | i64::from(*place >= level));
            results[*place] = Value::Int(bits);
        }
        results[self.keys + level..].fill(Value::Null);
    }
}

/// One aggregate.
#[derive(Clone, Debug)]
pub struct Aggregate {
    /// Which.
    pub kind: AggregateKind,
    /// Of what; empty for `COUNT(*)`.
    pub args: Vec<Expr>,
    /// DISTINCT.
    pub distinct: bool,
    /// ORDER BY of GROUP_CONCAT.
    pub order: Vec<OrderBy>,
    /// SEPARATOR of GROUP_CONCAT.
    pub separator: Option<String>,
}

/// The aggregates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum AggregateKind {
    Count,
    Sum,
    Avg,
    Min,
    Max,
    GroupConcat,
    BitAnd,
    BitOr,
    BitXor,
    StdDevPop,
    StdDevSamp,
    VarPop,
    VarSamp,
    AnyValue,
    JsonArrayAgg,
    JsonObjectAgg,
    /// What is grouped by, where it may be NULL for a total.
    Grouped,
    /// GROUPING: 0 but in totals.
    Grouping,
}

impl Group {
    /// If MIN or MAX of one column of the first source is all that is asked: the column, and whether it is MAX.
    pub(crate) fn extreme(&self) -> Option<(usize, bool)> {
        let of = |aggregate: &Aggregate| match (aggregate.kind, &aggregate.args[..]) {
            (AggregateKind::Min, [Expr::Column { source: 0, column }]) => Some((*column, false)),
            (AggregateKind::Max, [Expr::Column { source: 0, column }]) => Some((*column, true)),
            _ => None,
        };
        let first = of(self.aggregates.first()?)?;
        let alone = self.by.is_empty() && self.aggregates.iter().all(|other| of(other) == Some(first));
        alone.then_some(first)
    }

    /// What is evaluated for each row.
    pub(crate) fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.by.iter().chain(self.aggregates.iter().flat_map(Aggregate::exprs))
    }

    pub(crate) fn exprs_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        self.by.iter_mut().chain(self.aggregates.iter_mut().flat_map(Aggregate::exprs_mut))
    }
}

impl Aggregate {
    /// What is evaluated for each row.
    pub(crate) fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.args.iter().chain(self.order.iter().filter_map(OrderBy::expr))
    }

    pub(super) fn exprs_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        self.args.iter_mut().chain(self.order.iter_mut().filter_map(OrderBy::expr_mut))
    }

    /// Whether it is one of a query around that in which it stands: no column is of the latter, and some are of others, or
    /// there are none and it is not allowed here.
    pub(crate) fn belongs_further_out(&self, is_allowed: bool) -> bool {
        let (mut own, mut outer) = (false, false);
        for expr in self.exprs() {
            expr.walk(&mut |part| {
                own |= matches!(part, Expr::Column { .. });
                outer |= matches!(part, Expr::Outer(..));
            });
        }
        !own && (outer || !is_allowed)
    }
}

impl AggregateKind {
    /// Whether the result is JSON.
    pub fn is_json(self) -> bool {
        matches!(self, Self::JsonArrayAgg | Self::JsonObjectAgg)
    }

    /// The aggregate of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Some(match &*name.to_ascii_lowercase() {
            "count" => Self::Count,
            "sum" => Self::Sum,
            "avg" => Self::Avg,
            "min" => Self::Min,
            "max" => Self::Max,
            "group_concat" => Self::GroupConcat,
            "bit_and" => Self::BitAnd,
            "bit_or" => Self::BitOr,
            "bit_xor" => Self::BitXor,
            "std" | "stddev" | "stddev_pop" => Self::StdDevPop,
            "stddev_samp" => Self::StdDevSamp,
            "variance" | "var_pop" => Self::VarPop,
            "var_samp" => Self::VarSamp,
            "any_value" => Self::AnyValue,
            "json_arrayagg" => Self::JsonArrayAgg,
            "json_objectagg" => Self::JsonObjectAgg,
            _ => return None,
        })
    }
}
