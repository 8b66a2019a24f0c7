//! Every recorded line against ours.

use std::collections::HashMap;

use sql::agg::Accumulator;
use sql::expr::{Expr, Inputs, RowRef};
use sql::plan::{AggregateKind, SelectPlan};
use types::charset::Charset;
use types::error::SqlError;
use types::value::Value;
use types::warning::{Level, Warnings};

use crate::data::{FILES, Line, field, lines, read, shortened};
use crate::fixture::{Fixture, inputs, reads_table};

/// What we answer, in the recorder's form.
struct Answer {
    value: String,
    definition: String,
    warnings: Vec<String>,
}

fn answer(line: &Line, fixture: &Fixture) -> Result<Answer, SqlError> {
    let plan = fixture.bind(&line.expression)?;
    let session = &fixture.session;
    let mut warnings = Warnings::default();
    let empty = inputs(session, &plan);
    let ty = plan.output[0].expr.result_type(&empty.types())?;
    let wire = ty.wire(session.collation_connection);
    let definition =
        format!("{}/{}/{}/{}/{}", wire.type_code, wire.length, wire.decimals, wire.flags, wire.collation_id);
    let rows = if reads_table(&line.expression) { fixture.rows() } else { vec![RowRef::Missing] };
    let values = evaluate(&plan, &empty, &rows, &mut warnings)?;
    let context = session.reading(&mut warnings);
    let mut shown = Vec::new();
    for value in values {
        let mut wire = Vec::new();
        ty.write_text(value.as_ref(), Charset::Utf8mb4, &context, &mut wire);
        shown.push(shortened(&field(text_of(&wire).as_deref())));
        // Asserts that the value has a form in the announced type.
        ty.write_binary(value.as_ref(), Charset::Utf8mb4, &context, &mut wire);
    }
    let mut texts: Vec<String> = Vec::new();
    for warning in warnings.entries().iter().filter(|warning| warning.level != Level::Note) {
        let message = shortened(&field(Some(warning.message.as_bytes())));
        let text = format!("{} {} {message}", warning.level.as_str(), warning.code);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    Ok(Answer { value: shown.join("|"), definition, warnings: texts })
}

/// A length-encoded string, or NULL.
fn text_of(wire: &[u8]) -> Option<Vec<u8>> {
    let skipped = match wire[0] {
        0xFB => return None,
        0xFC => 3,
        0xFD => 4,
        0xFE => 9,
        _ => 1,
    };
    Some(wire[skipped..].to_vec())
}

/// One value for each row; of aggregates one over all rows.
fn evaluate(
    plan: &SelectPlan,
    empty: &Inputs<'_>,
    rows: &[RowRef<'_>],
    warnings: &mut Warnings,
) -> Result<Vec<Value>, SqlError> {
    let mut context = empty.session.reading(warnings);
    let expr = &plan.output[0].expr;
    let aggregates = plan.group.as_ref().map_or(&[][..], |group| &group.aggregates);
    // MySQL does not group for ANY_VALUE alone.
    let only_any = aggregates.iter().all(|one| one.kind == AggregateKind::AnyValue);
    let accumulators: Result<Vec<_>, _> =
        aggregates.iter().map(|aggregate| Accumulator::new(aggregate, &empty.types())).collect();
    let mut accumulators = accumulators?;
    let mut values = Vec::new();
    for row in rows {
        let inputs = Inputs { rows: std::slice::from_ref(row), ..*empty };
        if only_any {
            let expr = match expr {
                Expr::Aggregate(at) => &aggregates[*at].args[0],
                expr => expr,
            };
            values.push(expr.eval(&inputs, &mut context)?.into_value());
            continue;
        }
        for (accumulator, aggregate) in accumulators.iter_mut().zip(aggregates) {
            accumulator.add(aggregate, &inputs, &mut context)?;
        }
    }
    if only_any {
        return Ok(values);
    }
    let mut results = Vec::new();
    for (accumulator, aggregate) in accumulators.into_iter().zip(aggregates) {
        results.push(accumulator.finish(aggregate, empty, &mut context)?);
    }
    let inputs = Inputs { aggregates: &results, rows: &[RowRef::Missing], ..*empty };
    Ok(vec![expr.eval(&inputs, &mut context)?.into_value()])
}

/// Errors are compared by number and by their text up to where MySQL prints an expression in its own way.
fn error_key(text: &str) -> &str {
    for (code, marker) in [("!1690", " in '"), ("!1064", " near "), ("!1525", "\0")] {
        if text.starts_with(code) {
            return text.find(marker).map_or(text, |at| &text[..at]);
        }
    }
    text
}

fn value_differs(line: &Line, answer: &Result<Answer, SqlError>) -> Option<String> {
    let ours = match answer {
        Ok(answer) => answer.value.clone(),
        Err(error) => format!("!{} {}", error.code, shortened(&field(Some(error.message.as_bytes())))),
    };
    (error_key(&ours) != error_key(&line.value)).then_some(ours)
}

/// The difference of the column definitions, if both have one.
fn definition_differs(line: &Line, answer: &Result<Answer, SqlError>) -> Option<String> {
    let Ok(answer) = answer else { return None };
    (!line.definition.is_empty() && answer.definition != line.definition).then(|| answer.definition.clone())
}

/// A value in a message up to where MySQL shows its bytes in another way than as the text that they are.
fn comparable(text: &str) -> String {
    if text.contains(" 6527 ") || text.contains(" 1441 ") {
        return "Warning 1441".to_owned();
    }
    // Values do not know the column that they come from, nor always their row.
    if let Some((kind, _)) = text.split_once(" from column ").filter(|_| text.contains(" 3156 ")) {
        return kind.to_owned();
    }
    match text.split_once(" value: ") {
        Some((kind, value)) => {
            let end = value.find(|char: char| char == '\\' || !char.is_ascii()).unwrap_or(value.len());
            format!("{kind} value: {}", value[..end].trim_end_matches('\''))
        }
        None => text.to_owned(),
    }
}

/// Warnings are compared but for what MySQL says of its own internals, and 6527, which is 1441 before MySQL 9.
fn warnings_differ(line: &Line, answer: &Result<Answer, SqlError>) -> Option<String> {
    let Ok(answer) = answer else { return None };
    let theirs: Vec<String> = line
        .warnings
        .split("; ")
        .filter(|text| !text.is_empty() && !is_internal(text))
        .map(comparable)
        .collect();
    let ours: Vec<String> = answer.warnings.iter().map(|text| comparable(text)).collect();
    (theirs.iter().any(|text| !ours.contains(text)) || ours.iter().any(|text| !theirs.contains(text)))
        .then(|| answer.warnings.join("; "))
}

/// Warnings about the temporary columns that MySQL computes in.
fn is_internal(text: &str) -> bool {
    text.contains(" 3720 ") || text.contains("for column") && !text.contains(" 1264 ")
}

/// The expressions of a list of differences.
fn listed(name: &str) -> HashMap<String, String> {
    let text = read(name);
    let content = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    content
        .map(|line| line.split_once('\t').unwrap_or((line, "")))
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .collect()
}

/// Compares all lines; what differs from MySQL 9.7 and from 8.0 must be what the list says.
fn compare_all(list: &str, differs: impl Fn(&Line, &Result<Answer, SqlError>) -> Option<String>) {
    let fixture = Fixture::load();
    let mut allowed = listed(list);
    let other: HashMap<String, Line> =
        lines("mysql80").into_iter().map(|line| (line.expression.clone(), line)).collect();
    let differs = |line: &Line, answer: &Result<Answer, SqlError>| {
        let ours = differs(line, answer)?;
        let is_older = other.get(&line.expression).is_some_and(|line| differs(line, answer).is_none());
        (!is_older).then_some(ours)
    };
    let (mut count, mut failures, mut gone) = (0, Vec::new(), Vec::new());
    for file in FILES {
        for line in lines(file) {
            count += 1;
            let answer = answer(&line, &fixture);
            let listed = allowed.remove(&line.expression).is_some();
            match (differs(&line, &answer), listed) {
                (Some(ours), false) => {
                    failures.push(format!(
                        "{}\t{}\t{ours}\t{}\t{}",
                        line.file, line.expression, line.value, line.definition
                    ));
                    failures.push(format!("\t\t\t\t{}", line.warnings));
                }
                (None, true) => gone.push(line.expression.clone()),
                _ => {}
            }
        }
    }
    let shown: Vec<&String> = failures.iter().collect();
    assert!(
        failures.is_empty() && gone.is_empty() && allowed.is_empty(),
        "{} of {count} differ: file, expression, ours, MySQL's value and definition\n{}\nlisted, but equal: {gone:#?}\n\
         listed, but unknown: {:#?}",
        failures.len() / 2,
        shown.iter().map(|line| line.as_str()).collect::<Vec<_>>().join("\n"),
        allowed.keys().collect::<Vec<_>>()
    );
}

#[test]
fn values_and_errors_are_mysqls() {
    compare_all("differences", value_differs);
}

#[test]
fn column_definitions_are_mysqls() {
    compare_all("definitions", definition_differs);
}

#[test]
fn warnings_are_mysqls() {
    compare_all("warnings", warnings_differ);
}
