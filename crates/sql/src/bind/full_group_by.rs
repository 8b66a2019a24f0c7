//! ONLY_FULL_GROUP_BY: a column outside of aggregates must be determined by what is grouped by.

use std::collections::HashSet;

use types::error::SqlError;
use types::error::table::{ER_MIX_OF_GROUP_FUNC_AND_FIELDS, ER_WRONG_FIELD_WITH_GROUP};

use super::Result;
use super::scope::{Place, Scope};
use crate::expr::Expr;
use crate::plan::{Group, OrderBy, Output, Over};

/// What a query has beside its groups.
pub(super) struct Ungrouped<'q> {
    pub(super) output: &'q [Output],
    pub(super) order: &'q [OrderBy],
    pub(super) over: &'q Over,
}

/// Errors 1055 and 1140 for a column that differs within a group.
pub(super) fn check(
    scope: &Scope,
    group: &Group,
    determined: &HashSet<Place>,
    ungrouped: &Ungrouped<'_>,
) -> Result<()> {
    let grouped = shown(&group.by);
    let checker = Checker { determined, grouped: &grouped, over: ungrouped.over };
    let list = |name: &str| name.to_owned();
    let outputs = ungrouped.output.iter().enumerate();
    let outputs = outputs.map(|(place, output)| (&output.expr, place, list("SELECT list")));
    let orders = ungrouped.order.iter().enumerate();
    let orders = orders.filter_map(|(place, order)| Some((order.expr()?, place, list("ORDER BY clause"))));
    let windows = ungrouped.over.windows.iter().flat_map(|window| {
        let name = format!("PARTITION BY or ORDER BY clause of window '{}'", window.name);
        let order = window.order.iter().map(|(by, _)| by).enumerate();
        window.partition.iter().enumerate().chain(order).map(move |(place, by)| (by, place, name.clone()))
    });
    for (expr, place, list) in outputs.chain(orders).chain(windows) {
        let Some((source, column)) = checker.undetermined(expr) else { continue };
        let named = &scope.sources[source];
        let name = named.path(column);
        let place = place + 1;
        let mode = "this is incompatible with sql_mode=only_full_group_by";
        return Err(if group.by.is_empty() {
            let text = format!(
                "In aggregated query without GROUP BY, expression #{place} of {list} contains nonaggregated column \
                 '{name}'; {mode}"
            );
            SqlError::with_message(&ER_MIX_OF_GROUP_FUNC_AND_FIELDS, text)
        } else {
            let text = format!(
                "Expression #{place} of {list} is not in GROUP BY clause and contains nonaggregated column \
                 '{name}' which is not functionally dependent on columns in GROUP BY clause; {mode}"
            );
            SqlError::with_message(&ER_WRONG_FIELD_WITH_GROUP, text)
        });
    }
    Ok(())
}

/// Expressions as they are told apart.
pub(super) fn shown(exprs: &[Expr]) -> Vec<String> {
    exprs.iter().map(Expr::identity).collect()
}

struct Checker<'q> {
    determined: &'q HashSet<Place>,
    /// What is grouped by.
    grouped: &'q [String],
    over: &'q Over,
}

impl Checker<'_> {
    /// A column outside of aggregates whose value differs within a group. Arguments of window functions stand where these do.
    fn undetermined(&self, expr: &Expr) -> Option<Place> {
        if self.grouped.contains(&expr.identity()) {
            return None;
        }
        let parts = match expr {
            Expr::Column { source, column } => {
                let place = (*source, *column);
                return (!self.determined.contains(&place)).then_some(place);
            }
            Expr::Call(function, _) if function.name == "any_value" => return None,
            Expr::Window(number) => self.over.functions[*number].kind.exprs(),
            other => other.direct_children(),
        };
        parts.into_iter().find_map(|part| self.undetermined(part))
    }
}
