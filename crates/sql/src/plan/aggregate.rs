//! Aggregates that a plan computes.

use crate::expr::Expr;
use crate::plan::OrderBy;

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
