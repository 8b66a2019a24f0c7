//! Purpose: whatever a client asks is answered with rows or an error; nothing panics.
//!
//! Method: recorded queries in which operands are replaced by others, by aggregates, windows and subqueries, to which clauses
//! are added and which are put into other queries. Most are wrong; a panic fails the test, with the query's text.

use std::panic::{AssertUnwindSafe, catch_unwind};

use sql::lex::{Kind, Lexer, Quoting, normalise, split_first};
use vfs::sim::Rng;

use crate::subqueries::tables;

/// What stands in an operand's place; `{}` is another operand.
const OPERANDS: [&str; 34] = [
    "NULL",
    "0",
    "-1",
    "1.5",
    "1e308",
    "18446744073709551615",
    "'x'",
    "''",
    "x'ff'",
    "DATE '2024-01-01'",
    "DEFAULT",
    "*",
    "?",
    "@v",
    "INTERVAL 1 DAY",
    "({} + {})",
    "MAX({})",
    "COUNT(DISTINCT {})",
    "GROUP_CONCAT({} ORDER BY {})",
    "(SELECT {})",
    "(SELECT {} FROM u)",
    "(SELECT {}, {} FROM e LIMIT 1)",
    "EXISTS (SELECT {} FROM w)",
    "CASE WHEN {} THEN {} END",
    "SUM({}) OVER (ORDER BY {})",
    "RANK() OVER (PARTITION BY {} ORDER BY {})",
    "{} IN ({}, {})",
    "{} BETWEEN {} AND {}",
    "NOT {}",
    "GROUPING({})",
    "({}, {})",
    "CAST({} AS CHAR)",
    "IFNULL({}, {})",
    "{} = ANY (SELECT {} FROM u)",
];
const CLAUSES: [&str; 14] = [
    "ORDER BY {}",
    "ORDER BY {}, {} DESC",
    "LIMIT {}",
    "LIMIT 1 OFFSET {}",
    "GROUP BY {}",
    "GROUP BY {} WITH ROLLUP",
    "GROUP BY {} HAVING {}",
    "HAVING {}",
    "HAVING MAX({})",
    "ORDER BY MIN({})",
    "WHERE {}",
    "UNION SELECT {}",
    "INTERSECT SELECT {} FROM t",
    "WINDOW w1 AS (ORDER BY {})",
];
/// Queries beside the recorded ones, whose results have names that are no columns.
const NAMED: [&str; 4] = [
    "SELECT MAX(a) AS m, b AS k FROM t GROUP BY b",
    "SELECT COUNT(*) AS n FROM t",
    "SELECT a AS k, SUM(b) OVER (ORDER BY id) AS w FROM t",
    "SELECT a AS b, b AS a, (SELECT MAX(x) FROM u) AS m FROM t",
];
/// What a query is put into.
const WHOLES: [&str; 8] = [
    "SELECT * FROM ({}) d",
    "WITH c AS ({}) SELECT * FROM c x JOIN c y",
    "SELECT ({})",
    "SELECT * FROM t, LATERAL ({}) l",
    "({}) UNION ({})",
    "SELECT 1 FROM t WHERE id IN ({})",
    "SELECT MAX(id) FROM t GROUP BY ({})",
    "VALUES ROW(({}), 1)",
];
const WORDS: &str = "select from where group by having order limit offset union all except intersect with recursive as on \
                     using join left right inner outer cross natural and or not xor in exists between like is null true \
                     false case when then else end distinct values row over partition rows range any some for update \
                     share asc desc div mod rollup window lateral";

/// An operand of a text, by where it begins and ends.
fn operands(text: &str) -> Vec<(usize, usize)> {
    let mut lexer = Lexer::new(text.as_bytes(), Quoting::default());
    let tokens: Vec<_> = std::iter::from_fn(|| lexer.next_token()).collect();
    let mut found = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        let word = text[token.start..token.end].to_ascii_lowercase();
        let is_call = tokens.get(place + 1).is_some_and(|next| &text[next.start..next.end] == "(");
        match token.kind {
            Kind::Number | Kind::Text => found.push((token.start, token.end)),
            Kind::Word if !is_call && !WORDS.split_whitespace().any(|other| other == word) => {
                found.push((token.start, token.end));
            }
            _ => {}
        }
    }
    found
}

fn pick<'p>(rng: &mut Rng, from: &[&'p str]) -> &'p str {
    from[rng.index(from.len())]
}

/// Puts operands into the places of a pattern: those of a query, or made of others.
fn fill(rng: &mut Rng, pattern: &str, query: &str, depth: usize) -> String {
    let mut text = String::new();
    for (number, part) in pattern.split("{}").enumerate() {
        if number > 0 {
            let own = operands(query);
            let made = depth < 2 && rng.chance(1, 3);
            match own.get(rng.index(own.len().max(1))) {
                Some((start, end)) if !made => text.push_str(&query[*start..*end]),
                _ => {
                    let pattern = pick(rng, &OPERANDS);
                    text.push_str(&fill(rng, pattern, query, depth + 1));
                }
            }
        }
        text.push_str(part);
    }
    text
}

fn mutant(rng: &mut Rng, queries: &[&str]) -> String {
    let text = if rng.chance(1, 4) { pick(rng, &NAMED) } else { pick(rng, queries) };
    let mut text = text.to_owned();
    for _ in 0..=rng.index(3) {
        let own = operands(&text);
        match rng.below(10) {
            0..=5 if !own.is_empty() => {
                let (start, end) = own[rng.index(own.len())];
                let pattern = pick(rng, &OPERANDS);
                let other = fill(rng, pattern, &text, 0);
                text.replace_range(start..end, &other);
            }
            6..=8 => {
                let clause = pick(rng, &CLAUSES);
                text = format!("{text} {}", fill(rng, clause, &text, 0));
            }
            _ => text = pick(rng, &WHOLES).replace("{}", &text),
        }
    }
    text
}

#[test]
fn nothing_that_is_asked_panics() {
    let recorded = include_str!("../data/subqueries.tsv");
    let texts = recorded.lines().filter_map(|line| line.split('\t').next());
    let queries: Vec<&str> = texts.filter(|text| text.starts_with("SELECT")).collect();
    assert!(queries.len() > 200);
    let mut rng = Rng::new(1);
    let (_db, mut conn) = tables();
    let (mut answered, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let text = mutant(&mut rng, &queries);
        let (_, _, verb) = split_first(text.as_bytes(), Quoting::default());
        let collation = conn.session.collation_connection;
        // What has a parameter is answered by whoever has its value.
        match normalise(text.as_bytes(), verb, Quoting::default(), collation) {
            Some(normalised) if normalised.params == 0 => {}
            _ => continue,
        }
        let answer = catch_unwind(AssertUnwindSafe(|| conn.answer(&text).is_ok()));
        *if answer.unwrap_or_else(|_| panic!("{text}")) { &mut answered } else { &mut refused } += 1;
    }
    assert!(answered > 1000 && refused > 1000, "{answered} were answered, {refused} refused");
}
