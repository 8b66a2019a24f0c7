//! What is right and what is an error, and where.

use sql::parse::table::ReplacedTable;
use sql::parse::{Mode, Statement, parse};
use types::error::table::{ER_PARSE_ERROR, ER_SYNTAX_ERROR};

/// `ok`, the place of an error 1064, or error 1235.
fn verdict(sql: &str) -> String {
    match parse(sql, Mode::default()) {
        Ok(Statement::Unsupported { what }) => format!("1235 {what}"),
        Err(error) if error.is(&ER_PARSE_ERROR) => {
            let place = error.message.strip_prefix(ER_SYNTAX_ERROR.text).unwrap();
            format!("1064 {}", place.strip_prefix(" near '").unwrap())
        }
        Err(error) if error.code == 1235 => format!("1235 {}", error.message),
        Ok(_) | Err(_) => "ok".to_owned(),
    }
}

#[test]
fn errors_are_where_mysql_finds_them() {
    let (mut count, mut deviations) = (0, 0);
    for line in include_str!("data/syntax.tsv").lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split('\t');
        let (sql, mysql, ours) = (fields.next().unwrap(), fields.next().unwrap(), fields.next());
        assert_eq!(verdict(sql), ours.unwrap_or(mysql), "{sql}");
        count += 1;
        deviations += usize::from(ours.is_some());
    }
    assert!(count > 1500 && deviations < 70, "{deviations} of {count}");
}

#[test]
fn a_table_that_mariadb_replaces_is_dropped_and_created() {
    let read = |sql: &str| ReplacedTable::read(sql.as_bytes(), Mode::default()).unwrap();
    let parts = |sql: &str| {
        let replaced = read(sql).unwrap();
        (replaced.table.to_string(), String::from_utf8(replaced.create).unwrap())
    };
    assert_eq!(
        parts("/* a */ create /* b */ or replace\ntable `d`.`a``b` (n INT) -- c"),
        ("`d`.`a``b`".to_owned(), "/* a */ create table `d`.`a``b` (n INT) -- c".to_owned())
    );
    assert_eq!(
        parts("CREATE OR REPLACE TABLE t LIKE u"),
        ("`t`".to_owned(), "CREATE TABLE t LIKE u".to_owned())
    );
    for other in ["CREATE TABLE t (n INT)", "CREATE OR REPLACE VIEW v AS SELECT 1", "SAVEPOINT `x`"] {
        assert_eq!(read(other), None, "{other}");
    }
    // Clients do not say it.
    assert_eq!(verdict("CREATE OR REPLACE TABLE t (n INT)"), "1064 TABLE t (n INT)' at line 1");
}
