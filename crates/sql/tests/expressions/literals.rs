//! Where literals are taken out of the text, as in UPDATE, expressions give the same as where they stay in it.

use sql::expr::{Expr, Inputs, RowRef};
use types::error::SqlError;
use types::value::Value;
use types::warning::Warnings;

use crate::data::{FILES, lines};
use crate::fixture::{Fixture, inputs, reads_table};

/// The value for the table's first row and the warnings, or the error.
fn shown(expr: &Expr, inputs: &Inputs<'_>) -> Result<String, SqlError> {
    let mut warnings = Warnings::default();
    let value = expr.eval(inputs, &mut inputs.session.reading(&mut warnings))?.into_value();
    let warnings: Vec<_> = warnings.entries().iter().map(|warning| &warning.message).collect();
    Ok(format!("{value:?} {warnings:?}"))
}

fn selected(expression: &str, fixture: &Fixture, rows: &[RowRef<'_>]) -> Option<Result<String, SqlError>> {
    let plan = fixture.bind(expression).ok().filter(|plan| plan.group.is_none())?;
    let inputs = Inputs { rows, ..inputs(&fixture.session, &plan) };
    Some(shown(&plan.output[0].expr, &inputs))
}

fn assigned(expression: &str, fixture: &Fixture, rows: &[RowRef<'_>]) -> Result<String, SqlError> {
    let (plan, literals) = fixture.bind_update(expression)?;
    let inputs = Inputs {
        session: &fixture.session,
        collation: fixture.session.collation_connection,
        schema: &plan.target,
        params: &[],
        literals: &literals,
        row_literals: &[],
        rows,
        candidate: RowRef::Missing,
        aggregates: &[],
        windows: &[],
        outer: &[],
        subqueries: &[],
        memo: None,
    };
    match &plan.assignments[0].value {
        Some(expr) => shown(expr, &inputs),
        None => Ok(format!("{:?} []", Value::Null)),
    }
}

#[test]
fn literals_out_of_the_text_give_the_same_values() {
    let fixture = Fixture::load();
    let rows = fixture.rows();
    let mut differences = Vec::new();
    let mut count = 0;
    for line in FILES.iter().flat_map(|file| lines(file)) {
        let expression = &line.expression;
        let rows = if reads_table(expression) { &rows[..1] } else { &[] };
        let Some(selected) = selected(expression, &fixture, rows) else { continue };
        count += 1;
        let assigned = assigned(expression, &fixture, rows);
        let [selected, assigned] =
            [selected, assigned].map(|shown| shown.unwrap_or_else(|error| error.to_string()));
        // How a number was written is not kept.
        if selected.replace("(2e5 ", "(200000 ") != assigned {
            differences.push(format!("{expression}: {selected}, {assigned}"));
        }
    }
    assert!(count > 8000, "{count}");
    assert!(differences.is_empty(), "{} differ\n{}", differences.len(), differences.join("\n"));
}
