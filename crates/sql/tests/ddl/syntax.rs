//! What is right and what is an error, and where.

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
