//! The CHECK constraints of a table, bound: what a plan, a replica and a copy look at rows with.

use std::sync::Arc;

use engine::catalog::Catalog;
use engine::catalog::table::Table;
use types::collation::Collation;

use super::scope::{Named, Scope};
use super::{BindEnv, Result, expr};
use crate::parse::parse_expression;
use crate::plan::{Checks, SourceKind};
use crate::session::Session;

/// The checks of a table that are enforced; `None` if there are none. Errors of expressions, of the others too.
pub fn bind_checks(
    catalog: &Arc<Catalog>,
    table: &Arc<Table>,
    session: &Session,
) -> Result<Option<Arc<Checks>>> {
    if table.def.checks.is_empty() {
        return Ok(None);
    }
    // A row passes or not whoever writes it: an unnamed character set is utf8mb4, as the text was kept.
    let mut session = session.detached();
    session.collation_connection = Collation::Utf8mb4GeneralCi;
    let mut conditions = Vec::new();
    for check in &table.def.checks {
        let parsed = parse_expression(&check.expression)?;
        let mut scope = Scope::default();
        let kind = SourceKind::Table(Arc::clone(table));
        let (db, alias) = (table.def.db.clone(), table.def.name.clone());
        scope.sources.push(Named { kind, db, alias, optional: false });
        let condition = expr::bind(&parsed, &mut scope, &BindEnv::new(catalog, &session, &check.expression))?;
        if check.enforced {
            conditions.push((check.name.clone(), condition));
        }
    }
    Ok((!conditions.is_empty()).then(|| Arc::new(Checks { table: Arc::clone(table), conditions })))
}
