//! What a table's definition says of its rows, bound: what a plan, a replica and a copy compute columns and look at rows
//! with.

use std::sync::Arc;

use engine::catalog::Catalog;
use engine::catalog::def::{DefaultValue, GeneratedDef};
use engine::catalog::table::Table;

use super::scope::{Named, Scope};
use super::{BindEnv, Result, expr};
use crate::expr::Expr;
use crate::parse::parse_expression;
use crate::plan::{
    Assignment, Computed, ComputedKind, Doing, RULES_COLLATION, Relations, RowRules, SourceKind,
};
use crate::session::Session;

/// What is computed for rows of a table, and its checks that are enforced; `None` if there are none. Errors of expressions, of
/// checks that are not enforced too.
pub fn bind_rules(
    catalog: &Arc<Catalog>,
    table: &Arc<Table>,
    session: &Session,
) -> Result<Option<Arc<RowRules>>> {
    if table.def.checks.is_empty() && !table.def.has_expressions() {
        return Ok(None);
    }
    let binder = Binder::new(catalog, table, session);
    let mut rules = RowRules { table: Arc::clone(table), computed: binder.computed()?, checks: Vec::new() };
    for check in &table.def.checks {
        let condition = binder.bind(&check.expression)?;
        if check.enforced {
            rules.checks.push((check.name.clone(), condition));
        }
    }
    Ok((!rules.computed.is_empty() || !rules.checks.is_empty()).then(|| Arc::new(rules)))
}

/// [`Relations::of`], with the expressions of the tables whose rows follow.
pub fn bind_relations(
    catalog: &Arc<Catalog>,
    table: &Arc<Table>,
    doing: &Doing,
    session: &Session,
) -> Result<Option<Box<Relations>>> {
    if table.is_temporary() {
        return Ok(None);
    }
    let mut relations = Relations::of(catalog, table, doing);
    if let Some(relations) = &mut relations {
        relations.bind_computed(|table| Binder::new(catalog, table, session).computed())?;
    }
    Ok(relations)
}

/// Gives assignments of DEFAULT the expressions that some columns have.
pub(super) fn bind_defaults(
    assignments: &mut [Assignment],
    catalog: &Arc<Catalog>,
    table: &Arc<Table>,
    session: &Session,
) -> Result<()> {
    for assignment in assignments.iter_mut().filter(|assignment| assignment.value.is_none()) {
        if let DefaultValue::Expression(text) = &table.def.columns[assignment.column].default {
            assignment.value = Some(Binder::new(catalog, table, session).bind(text)?);
        }
    }
    Ok(())
}

/// Binds expressions of a table's definition.
struct Binder<'b> {
    catalog: &'b Arc<Catalog>,
    table: &'b Arc<Table>,
    session: Session,
}

impl<'b> Binder<'b> {
    fn new(catalog: &'b Arc<Catalog>, table: &'b Arc<Table>, session: &Session) -> Self {
        // The same for whoever writes: an unnamed character set is utf8mb4, as the text was kept.
        let mut session = session.detached();
        session.collation_connection = RULES_COLLATION;
        Self { catalog, table, session }
    }

    fn bind(&self, text: &str) -> Result<Expr> {
        let parsed = parse_expression(text)?;
        let mut scope = Scope::default();
        let kind = SourceKind::Table(Arc::clone(self.table));
        let (db, alias) = (self.table.def.db.clone(), self.table.def.name.clone());
        scope.sources.push(Named::new(kind, db, alias));
        expr::bind(&parsed, &mut scope, &BindEnv::new(self.catalog, &self.session, text))
    }

    fn computed(&self) -> Result<Vec<Computed>> {
        let mut computed = Vec::new();
        for (column, def) in self.table.def.columns.iter().enumerate() {
            let (text, kind) = match (&def.generated, &def.default) {
                (Some(GeneratedDef { expression, stored: true }), _) => (expression, ComputedKind::Stored),
                (Some(GeneratedDef { expression, stored: false }), _) => (expression, ComputedKind::Virtual),
                (None, DefaultValue::Expression(text)) => (text, ComputedKind::Default),
                _ => continue,
            };
            let value = self.bind(text)?;
            let mut depends_on = Vec::new();
            value.walk(&mut |part| {
                if let Expr::Column { column, .. } = part {
                    depends_on.push(*column);
                }
            });
            computed.push(Computed { column, value, depends_on, kind });
        }
        Ok(computed)
    }
}
