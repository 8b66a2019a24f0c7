//! What a database holds, so that two can be compared whoever serves them.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use rig::clients::Vendor;
use rig::{Outcome, check, command};

/// A table: number of rows, hash of all its rows as text, and its first rows for who must look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    rows: usize,
    hash: u64,
    head: String,
}

/// The tables of a database, read with one client program through plain SELECTs in the order of the first columns.
pub fn of(port: u16, database: &str) -> Outcome<BTreeMap<String, Table>> {
    let mut tables = BTreeMap::new();
    for name in query(port, database, "SHOW TABLES")?.lines() {
        let quoted = format!("`{}`", name.replace('`', "``"));
        let columns = query(port, database, &format!("SHOW COLUMNS FROM {quoted}"))?.lines().count();
        let order = if columns > 1 { "1, 2" } else { "1" };
        let rows = query(port, database, &format!("SELECT * FROM {quoted} ORDER BY {order}"))?;
        let mut hasher = DefaultHasher::new();
        rows.hash(&mut hasher);
        let head = rows.lines().take(2).collect::<Vec<_>>().join("\n").chars().take(400).collect();
        tables.insert(name.to_owned(), Table { rows: rows.lines().count(), hash: hasher.finish(), head });
    }
    Ok(tables)
}

/// Fails unless both databases hold the same tables with the same rows.
pub fn check_equal(
    what: &str,
    expected: &BTreeMap<String, Table>,
    found: &BTreeMap<String, Table>,
) -> Outcome {
    check(!expected.is_empty(), || format!("{what}: nothing to compare"))?;
    let names = |tables: &BTreeMap<String, Table>| tables.keys().cloned().collect::<Vec<_>>();
    check(names(expected) == names(found), || {
        format!("{what}: {:?} became {:?}", names(expected), names(found))
    })?;
    for (name, table) in expected {
        let other = &found[name];
        check(table == other, || format!("{what}: table {name} differs:\n{table:?}\n{other:?}"))?;
    }
    let rows: usize = expected.values().map(|table| table.rows).sum();
    println!("{what}: {} tables with {rows} rows are equal", expected.len());
    Ok(())
}

/// Runs a query and returns its rows as `mariadb --batch` prints them; bytes that are no text are replaced by their
/// numbers first, so that all of them count.
pub fn query(port: u16, database: &str, query: &str) -> Outcome<String> {
    let mut client = Vendor::MariaDb.root(port)?;
    client.args(["--batch", "--skip-column-names", "--quick", "--default-character-set=utf8mb4"]);
    client.args([&format!("--execute=SET time_zone = '+00:00'; {query}"), database]);
    let output = command::output(&mut client)?;
    let said = String::from_utf8_lossy(&output.stderr);
    check(output.status.success(), || format!("{query}: {said}"))?;
    Ok(output.stdout.iter().map(|byte| char::from(*byte)).collect())
}

/// A global status variable's value.
pub fn status(port: u16, name: &str) -> Outcome<String> {
    let shown = query(port, "mysql", &format!("SHOW GLOBAL STATUS LIKE '{name}'"))?;
    let value = shown.trim().split('\t').nth(1).ok_or_else(|| format!("no {name}: {shown}"))?;
    Ok(value.to_owned())
}
