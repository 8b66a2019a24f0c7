//! LOAD DATA.

use std::sync::Arc;

use engine::catalog::table::Table;
use sqlparser::ast::{self, AssignmentTarget};
use types::charset::Charset;
use types::collation::Collation;
use types::error::table::ER_UPDATE_TABLE_USED;
use types::value::Value;

use super::dml::{bind_assignments, changed_table_of, find_column};
use super::rules::{bind_defaults, bind_relations, bind_rules};
use super::scope::{Named, Scope};
use super::{BindEnv, Result, targets, unsupported};
use crate::parse::{LoadData, LoadDuplicate, LoadField};
use crate::plan::{Doing, FieldTarget, FilePlan, InsertPlan, InsertSource, OnDuplicate, SourceKind};
use crate::session::Usage;

/// Binds LOAD DATA: it is an INSERT whose rows come from a file.
pub fn bind_load(load: &LoadData, env: &BindEnv<'_>) -> Result<InsertPlan> {
    let env = &env.keeping_derived();
    let replaces = load.on_duplicate == LoadDuplicate::Replace;
    let usage = if replaces { Usage::Replace } else { Usage::Insert };
    let db = load.table.db.as_deref().map_or_else(|| env.current_db(), Ok)?;
    let table = changed_table_of(db, &load.table.name, usage, env)?;
    let mut scope = Scope::default();
    let kind = SourceKind::Table(Arc::clone(&table));
    scope.sources.push(Named::new(kind, table.def.db.clone(), table.def.name.clone()));
    let fields = bind_fields(&load.fields, &table, &scope)?;
    let mut given = Vec::with_capacity(load.assignments.len());
    for assignment in &load.assignments {
        // What a generated column is given is passed over, as a field that goes there.
        if !is_generated(assignment, &table, &scope)? {
            given.push(assignment.clone());
        }
    }
    let mut assignments = bind_assignments(&given, &table, &mut scope, env)?;
    bind_defaults(&mut assignments, env.catalog, &table, env.session)?;
    if scope.subqueries.iter().any(|subquery| subquery.plan.reads(table.def.id, None)) {
        return Err(ER_UPDATE_TABLE_USED.error(&[&table.def.name]));
    }
    let no_backslash_escapes = env.session.quoting().no_backslash_escapes;
    let file = FilePlan {
        local: load.local,
        name: load.file.clone(),
        format: load.separators.clone().format(no_backslash_escapes)?,
        collation: file_collation(load.charset.as_deref(), env)?,
        skip: load.skip,
        fields,
        assignments,
    };
    let doing = Doing { inserts: true, deletes: replaces, ..Doing::default() };
    let relations = bind_relations(env.catalog, &table, &doing, env.session)?;
    let rules = bind_rules(env.catalog, &table, env.session)?;
    Ok(InsertPlan {
        table,
        columns: Vec::new(),
        source: InsertSource::File(Box::new(file)),
        on_duplicate: if replaces { OnDuplicate::Replace } else { OnDuplicate::Error },
        // Nobody can stop a client that sends a file.
        ignore: load.on_duplicate == LoadDuplicate::Ignore || load.local && !replaces,
        relations,
        rules,
        subqueries: scope.subqueries,
    })
}

fn is_generated(assignment: &ast::Assignment, table: &Table, scope: &Scope) -> Result<bool> {
    let AssignmentTarget::ColumnName(name) = &assignment.target else { return Ok(false) };
    Ok(table.def.columns[find_column(name, scope)?].generated.is_some())
}

/// Where fields go: into all columns if the statement names nothing.
fn bind_fields(fields: &[LoadField], table: &Table, scope: &Scope) -> Result<Vec<FieldTarget>> {
    if fields.is_empty() {
        return Ok((0..table.def.columns.len()).map(FieldTarget::Column).collect());
    }
    let target = |field: &LoadField| match field {
        LoadField::Variable(name) => Ok(FieldTarget::Variable(name.clone())),
        LoadField::Column(parts) => {
            let column = match &parts[..] {
                [column] => scope.target(None, None, column),
                [table, column] => scope.target(None, Some(table), column),
                [db, table, column] => scope.target(Some(db), Some(table), column),
                _ => Err(unsupported("a name of so many parts")),
            };
            column.map(FieldTarget::Column)
        }
    };
    fields.iter().map(target).collect()
}

/// What a file's texts are in: `character_set_database`, unless the statement says something. Error 1115.
fn file_collation(named: Option<&str>, env: &BindEnv<'_>) -> Result<Collation> {
    if let Some(name) = named {
        return Ok(targets::charset(name)?.default_collation());
    }
    let session = env.session;
    let of_database = match session.server.variable(session, None, "character_set_database")? {
        Value::Str(name, _) => Charset::from_name(&String::from_utf8_lossy(&name)),
        _ => None,
    };
    Ok(of_database.unwrap_or(Charset::Utf8mb4).default_collation())
}
