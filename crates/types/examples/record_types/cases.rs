//! Expressions and assignments.

use std::io::{Error, Result};

use crate::client::{Answer, Client};
use crate::literals::field;

/// Fields: operation, its arguments, then `=` and the answer. See `tests/it/expressions.rs` for the operations.
pub fn expression(client: &mut Client, fields: &[&str]) -> Result<String> {
    let inputs: Vec<&str> = fields.iter().copied().take_while(|field| *field != "=").collect();
    let sql = expression_sql(&inputs).ok_or_else(|| Error::other("unknown operation"))?;
    let answer = client.query(&format!("SELECT {sql}"))?;
    let outcome = outcome(&answer);
    let warnings = warnings(client)?;
    Ok([&inputs.join("\t"), "=", &outcome, &warnings].join("\t"))
}

fn expression_sql(inputs: &[&str]) -> Option<String> {
    Some(match *inputs {
        ["cast", ty, a] => format!("CAST({a} AS {ty})"),
        ["text", a] => a.to_owned(),
        ["number", a] => format!("{a}+0"),
        ["truth", a] => format!("({a}) IS TRUE"),
        ["compare", a, b] => format!("({a}) = ({b}), ({a}) < ({b})"),
        ["like", text, pattern, escape] => format!("{text} LIKE {pattern} ESCAPE {escape}"),
        [op @ ("+" | "-" | "*" | "/" | "%" | "DIV"), a, b] => format!("{a} {op} {b}"),
        [function @ ("upper" | "lower" | "char_length" | "to_days" | "from_days"), a] => {
            format!("{function}({a})")
        }
        [function @ ("round" | "truncate" | "week" | "yearweek"), a, b] => format!("{function}({a}, {b})"),
        ["convert", charset, a] => format!("HEX(CONVERT({a} USING {charset}))"),
        ["weight", collation, a] => format!("HEX(WEIGHT_STRING({a} COLLATE {collation}))"),
        _ => return None,
    })
}

/// Fields: type, literal, then the answers under the default mode and under the empty one: `=`, outcome, warnings,
/// twice.
pub fn assign(client: &mut Client, fields: &[&str]) -> Result<String> {
    let [ty, literal, ..] = *fields else { return Err(Error::other("two fields")) };
    let mut line = format!("{ty}\t{literal}");
    for mode in ["DEFAULT", "''"] {
        client.run("SET sql_mode = ''")?;
        client.run("DROP TABLE IF EXISTS assigned")?;
        client.run(&format!("CREATE TABLE assigned (c {ty})"))?;
        client.run(&format!("SET sql_mode = {mode}"))?;
        let inserted = client.query(&format!("INSERT INTO assigned VALUES ({literal})"))?;
        let warnings = warnings(client)?;
        let outcome = match &inserted {
            Err(_) => outcome(&inserted),
            Ok(_) => outcome(&client.query("SELECT c FROM assigned")?),
        };
        line = [&line, "=", &outcome, &warnings].join("\t");
    }
    Ok(line)
}

/// The fields of the first row separated by `|`, or `!` with the error.
fn outcome(answer: &Answer) -> String {
    match answer {
        Ok(rows) => {
            let row = rows.rows.first().map_or(&[][..], Vec::as_slice);
            row.iter().map(|value| field(value.as_deref())).collect::<Vec<_>>().join("|")
        }
        Err(error) => format!("!{} {}", error.code, field(Some(error.message.as_bytes()))),
    }
}

/// SHOW WARNINGS without errors and without what MySQL has deprecated, separated by `; `.
fn warnings(client: &mut Client) -> Result<String> {
    const DEPRECATIONS: [&[u8]; 4] = [b"1287", b"1681", b"4095", b"4096"];
    let rows = client.run("SHOW WARNINGS")?.rows;
    let mut texts = Vec::new();
    for row in rows {
        let [level, code, message] = row.as_slice() else { return Err(Error::other("three columns")) };
        let code = code.as_deref().unwrap_or_default();
        if level.as_deref() == Some(b"Error") || DEPRECATIONS.contains(&code) {
            continue;
        }
        let [level, code] = [level.as_deref().unwrap_or_default(), code].map(String::from_utf8_lossy);
        texts.push(format!("{level} {code} {}", field(message.as_deref())));
    }
    Ok(texts.join("; "))
}
