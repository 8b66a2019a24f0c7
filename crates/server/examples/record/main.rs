//! Records how a real server sees its system variables, for `tests/data`.
//!
//! ```text
//! cargo run -p server --example record -- 127.0.0.1:16280 variables > tests/data/variables-8.0.46.tsv
//! cargo run -p server --example record -- 127.0.0.1:16280 set       > tests/data/set-8.0.46.tsv
//! ```
//! `variables`: name, global value, session value, least, greatest, and the errors of setting it to what it is,
//! globally and for the session (0 = none). `set`: scope, name, then what became of each of [`LITERALS`]: the value
//! afterwards, followed by `!` if warning 1292 came with it, or `E` and the error's number.

#![expect(clippy::unwrap_used, reason = "the client is a test's")]
#![expect(clippy::print_stdout, reason = "a recorder prints what it recorded")]

#[expect(dead_code, reason = "the recorder needs a part of the client")]
#[path = "../../tests/support/client.rs"]
mod client;

use client::{Address, Client, Failure, Login};

/// What variables are set to.
const LITERALS: [&str; 17] = [
    "NULL",
    "'abc'",
    "''",
    "1.5",
    "-1",
    "0",
    "1",
    "2",
    "3",
    "'1'",
    "'on'",
    "false",
    "99999999999",
    "18446744073709551615",
    "18446744073709551616",
    "1e3",
    "1000003",
];

/// Global variables whose change would hurt the server that is asked.
const HARMFUL: [&str; 14] = [
    "innodb_buffer_pool",
    "innodb_log",
    "innodb_redo",
    "innodb_monitor",
    "innodb_undo",
    "offline_mode",
    "require_secure_transport",
    "general_log",
    "slow_query_log",
    "super_read_only",
    "read_only",
    "innodb_io",
    "server_id",
    "keyring",
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().expect("an address").parse().expect("host:port");
    let what = arguments.next().expect("variables | set");
    let mut client =
        Client::connect(&Address::Tcp(address), &Login::new("root", "")).expect("root without password");
    match &*what {
        "variables" => variables(&mut client),
        "set" => set(&mut client),
        _ => panic!("variables | set"),
    }
}

fn rows(client: &mut Client, sql: &str) -> Vec<Vec<Option<String>>> {
    client.query(sql).expect(sql).rows
}

fn text(cell: Option<&Option<String>>) -> String {
    cell.map_or("-".to_owned(), |value| value.clone().unwrap_or("NULL".to_owned()))
}

fn code(client: &mut Client, sql: &str) -> u16 {
    client.query(sql).err().as_ref().map_or(0, Failure::code)
}

fn variables(client: &mut Client) {
    let global = rows(client, "SHOW GLOBAL VARIABLES");
    let limits =
        rows(client, "SELECT VARIABLE_NAME, MIN_VALUE, MAX_VALUE FROM performance_schema.variables_info");
    for session in rows(client, "SHOW SESSION VARIABLES") {
        let name = session[0].clone().expect("a name");
        let find =
            |rows: &[Vec<Option<String>>]| rows.iter().find(|row| row[0].as_ref() == Some(&name)).cloned();
        let global = find(&global);
        let limits = find(&limits);
        let [global_error, session_error] = ["GLOBAL", "SESSION"].map(|scope| {
            let value = rows(
                client,
                &format!("SELECT COALESCE(QUOTE({}), 'NULL')", at(&name, scope, global.is_some())),
            );
            let value = value[0][0].clone().expect("a text");
            let bare = value.trim_matches('\'');
            let value = if bare.parse::<f64>().is_ok() { bare.to_owned() } else { value };
            code(client, &format!("SET {scope} {name} = {value}"))
        });
        println!(
            "{name}\t{}\t{}\t{}\t{}\t{global_error}\t{session_error}",
            text(global.as_ref().map(|row| &row[1])),
            text(Some(&session[1])),
            text(limits.as_ref().map(|row| &row[1])),
            text(limits.as_ref().map(|row| &row[2])),
        );
    }
}

/// How the variable is read where it can be read.
fn at(name: &str, scope: &str, has_global: bool) -> String {
    if scope == "GLOBAL" && has_global { format!("@@GLOBAL.{name}") } else { format!("@@{name}") }
}

fn set(client: &mut Client) {
    println!("scope\tname\t{}", LITERALS.join("\t"));
    for row in rows(client, "SHOW SESSION VARIABLES") {
        let name = row[0].clone().expect("a name");
        let settable =
            |client: &mut Client, scope| code(client, &format!("SET {scope} {name} = DEFAULT")) == 0;
        let harmful = HARMFUL.iter().any(|prefix| name.starts_with(prefix));
        let scope = if settable(client, "SESSION") || code(client, &format!("SET SESSION {name} = 1")) == 0 {
            "SESSION"
        } else if !harmful && settable(client, "GLOBAL") {
            "GLOBAL"
        } else {
            continue;
        };
        let cells: Vec<_> = LITERALS.iter().map(|literal| outcome(client, scope, &name, literal)).collect();
        println!("{scope}\t{name}\t{}", cells.join("\t"));
    }
}

fn outcome(client: &mut Client, scope: &str, name: &str, literal: &str) -> String {
    let result = client.query(&format!("SET {scope} {name} = {literal}"));
    let cell = if let Err(failure) = result {
        format!("E{}", failure.code())
    } else {
        let warnings = rows(client, "SHOW WARNINGS");
        let truncated = warnings.iter().any(|row| row[1].as_deref() == Some("1292"));
        let value = if name == "max_join_size" || name == "sql_select_limit" {
            rows(client, &format!("SELECT '{name}', @@{name}"))
        } else {
            rows(client, &format!("SHOW {scope} VARIABLES LIKE '{name}'"))
        };
        let value = text(value.first().map(|row| &row[1]));
        format!("{value}{}", if truncated { "!" } else { "" })
    };
    let _ = client.query(&format!("SET {scope} {name} = DEFAULT"));
    cell
}
