//! Operators bind as in MySQL.

use sql::parse::{Mode, Statement, parse};

use crate::parenthesised::parenthesised;

fn check(data: &str, mode: Mode) {
    let mut count = 0;
    for line in data.lines().filter(|line| !line.starts_with('#')) {
        let (text, grouped) = line.split_once('\t').unwrap();
        let parsed = parse(format!("DO {text}"), mode).unwrap();
        let Statement::Do(exprs) = parsed else { panic!("{text}") };
        assert_eq!(parenthesised(&exprs[0]), grouped, "{text}");
        count += 1;
    }
    assert!(count >= 300);
}

#[test]
fn operators_bind_as_in_mysql() {
    check(include_str!("data/precedence.tsv"), Mode::default());
}

#[test]
fn pipes_concatenate_if_the_mode_says_so() {
    let mode = Mode { pipes_as_concat: true, ..Mode::default() };
    check(include_str!("data/precedence_concat.tsv"), mode);
}

#[test]
fn not_binds_tightly_if_the_mode_says_so() {
    let mode = Mode { high_not_precedence: true, ..Mode::default() };
    check(include_str!("data/precedence_not.tsv"), mode);
}
