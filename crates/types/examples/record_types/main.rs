//! Records what a real server answers: the data under `tests/data` and the generated tables under `src/collation`.
//!
//! ```text
//! /work/shared/peers/server start mysql97 full
//! cargo run -p types --example record_types -- 13097 expressions < tests/data/expressions.tsv > new
//! ```
//!
//! The files are their own input: what a case is made of stays, what was answered is replaced. A new case is a
//! line without an answer. `unicode`, `unicode-table`, `tables`, `uca` and
//! `uca-table` need no input.

mod cases;
mod client;
mod images;
mod literals;
mod uca;
mod unicode;

use std::io::{Error, Read, Result, Write};

use client::Client;

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let port = args.next().and_then(|port| port.parse().ok()).ok_or_else(|| Error::other(USAGE))?;
    let what = args.next().ok_or_else(|| Error::other(USAGE))?;
    let mut client = Client::connect(port)?;
    prepare(&mut client)?;
    let out = match what.as_str() {
        "unicode" => unicode::answers(&mut client)?,
        "unicode-table" => unicode::table(&mut client)?,
        "tables" => unicode::byte_tables(&mut client)?,
        "uca" => uca::checksums(&mut client)?,
        "uca-table" => uca::table(&mut client, &args.next().ok_or_else(|| Error::other(USAGE))?)?,
        _ => each_line(&what, &mut client)?,
    };
    std::io::stdout().write_all(out.as_bytes())
}

const USAGE: &str = "record PORT unicode|unicode-table|tables|uca|uca-table COLLATION|expressions|assign|columns|rows [< FILE]";

/// The session in which everything is recorded.
fn prepare(client: &mut Client) -> Result<()> {
    for sql in [
        "CREATE DATABASE IF NOT EXISTS types_record CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
        "USE types_record",
        "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci",
        "SET time_zone = '+00:00'",
        "SET timestamp = 1577934245",
        "SET sql_mode = DEFAULT",
    ] {
        client.run(sql)?;
    }
    Ok(())
}

fn each_line(what: &str, client: &mut Client) -> Result<String> {
    let record: fn(&mut Client, &[&str]) -> Result<String> = match what {
        "expressions" => cases::expression,
        "assign" => cases::assign,
        "columns" => images::column,
        "rows" => images::row,
        _ => return Err(Error::other(USAGE)),
    };
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input)?;
    let mut out = String::new();
    for line in input.lines() {
        if line.is_empty() || line.starts_with('#') {
            out.push_str(line);
        } else {
            let fields: Vec<&str> = line.split('\t').collect();
            out.push_str(&record(client, &fields).map_err(|error| Error::other(format!("{line}: {error}")))?);
        }
        out.push('\n');
    }
    Ok(out)
}
