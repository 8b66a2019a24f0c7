//! WITH: queries that have a name, which stand for tables in what follows.

use std::borrow::Cow;
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use sqlparser::ast;
use types::column::Column;
use types::error::SqlError;
use types::error::table::{ER_DUP_FIELDNAME, ER_NONUNIQ_TABLE, ER_VIEW_WRONG_LIST};

use super::recursive::{self, Itself};
use super::{BindEnv, Result, Scope, query, unsupported};
use crate::parse::NESTING_MAX;
use crate::plan::{NamedPlan, QueryPlan, SourceKind, Subquery};

/// A query that has a name.
#[derive(Debug)]
pub(super) enum Named {
    /// One that is bound.
    Query(NamedQuery),
    /// A recursive one, for its own parts.
    Itself(Rc<Itself>),
}

#[derive(Debug)]
pub(super) struct NamedQuery {
    name: String,
    columns: Arc<[Column]>,
    plan: Arc<NamedPlan>,
    /// What it looks at beside its own tables, by address; none if it does not.
    outer: Option<usize>,
}

impl Named {
    fn name(&self) -> &str {
        match self {
            Self::Query(query) => &query.name,
            Self::Itself(itself) => itself.name(),
        }
    }
}

/// Binds the queries of WITH. Returns the surroundings in which they are known, as they are to those behind them.
fn bind<'e>(with: &ast::With, env: &BindEnv<'e>) -> Result<BindEnv<'e>> {
    let mut env = env.clone();
    let outer = env.named.len();
    for cte @ ast::Cte { alias, query, .. } in &with.cte_tables {
        let name = alias.name.value.clone();
        if env.named[outer..].iter().any(|other| other.name() == name) {
            return Err(ER_NONUNIQ_TABLE.error(&[&name]));
        }
        let uses = env.outer_uses();
        let plan = if with.recursive { recursive::bind(cte, &env)? } else { query::bind_inner(query, &env)? };
        let is_correlated = env.outer_uses() > uses;
        let columns = renamed(env.columns_of(&plan)?, &alias.columns)?;
        let depth = plan.depth();
        if depth > NESTING_MAX {
            return Err(too_deep());
        }
        let outer = if is_correlated { surroundings(&env) } else { None };
        let plan = Arc::new(NamedPlan { plan, depth, is_correlated });
        env.named.push(Rc::new(Named::Query(NamedQuery { name, columns, plan, outer })));
    }
    Ok(env)
}

/// The surroundings in which the queries of WITH are known, if there are any.
pub(super) fn known<'b, 'e>(with: Option<&ast::With>, env: &'b BindEnv<'e>) -> Result<Cow<'b, BindEnv<'e>>> {
    Ok(match with {
        Some(with) => Cow::Owned(bind(with, env)?),
        None => Cow::Borrowed(env),
    })
}

/// Tells the surroundings of one subquery from those of another.
fn surroundings(env: &BindEnv<'_>) -> Option<usize> {
    env.outer.map(|outer| std::ptr::from_ref(outer).addr())
}

/// The named query that a table's name means, as a source. Its rows are made once, however often it is named, unless it
/// looks at rows around it: error 1235 where these are others.
pub(super) fn find(name: &str, scope: &mut Scope, env: &BindEnv<'_>) -> Result<Option<SourceKind>> {
    let found = match env.named.iter().rfind(|named| named.name() == name).map(|named| &**named) {
        None => return Ok(None),
        Some(Named::Query(found)) => found,
        Some(Named::Itself(itself)) => {
            let recent = itself.named(env)?;
            let columns = Arc::clone(&recent.columns);
            scope.subqueries.push(Subquery::in_from(QueryPlan::Recent(recent), false));
            return Ok(Some(SourceKind::Derived(scope.subqueries.len() - 1, columns)));
        }
    };
    if env.level + found.plan.depth > NESTING_MAX {
        return Err(too_deep());
    }
    if found.outer.is_some() && found.outer != surroundings(env) {
        return Err(unsupported("a correlated query of WITH in a subquery"));
    }
    if let Some(outer) = env.outer.filter(|_| found.plan.is_correlated) {
        outer.note_use();
    }
    let plan = QueryPlan::Named(Arc::clone(&found.plan));
    scope.subqueries.push(Subquery::in_from(plan, found.plan.is_correlated));
    Ok(Some(SourceKind::Derived(scope.subqueries.len() - 1, Arc::clone(&found.columns))))
}

/// Error 1235.
pub(super) fn too_deep() -> SqlError {
    unsupported(&format!("queries nested deeper than {NESTING_MAX}"))
}

/// The columns under the names of a list, if there is one. Error 1353 if it is not as long, 1060 if two have the same name.
pub(super) fn renamed(columns: Arc<[Column]>, names: &[ast::TableAliasColumnDef]) -> Result<Arc<[Column]>> {
    let columns = if names.is_empty() {
        columns
    } else if names.len() == columns.len() {
        let pairs = columns.iter().zip(names);
        pairs.map(|(column, named)| Column { name: named.name.value.clone(), ..column.clone() }).collect()
    } else {
        return Err(ER_VIEW_WRONG_LIST.error(&[]));
    };
    let mut known = HashSet::new();
    match columns.iter().find(|column| !known.insert(column.name.to_lowercase())) {
        None => Ok(columns),
        Some(column) => Err(ER_DUP_FIELDNAME.error(&[&column.name])),
    }
}
