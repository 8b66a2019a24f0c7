//! What MySQL's manual has of SELECT and INSERT beside the usual: user variables that take a row, how many rows were found, the
//! name of an inserted row.

use crate::whole::{World, answers_as_recorded, ok};

#[test]
fn select_into_gives_variables_their_values_as_in_mysql() {
    answers_as_recorded(include_str!("../data/select_into-9.7.4.txt"), 100);
}

#[test]
fn names_in_having_mean_what_they_mean_in_mysql() {
    answers_as_recorded(include_str!("../data/having-9.7.4.txt"), 60);
}

#[test]
fn found_rows_counts_as_mysqls() {
    answers_as_recorded(include_str!("../data/found_rows-9.7.4.txt"), 80);
}

#[test]
fn a_row_that_is_inserted_has_a_name_as_in_mysql() {
    answers_as_recorded(include_str!("../data/row_alias-9.7.4.txt"), 50);
}

#[test]
fn what_other_systems_know_is_refused() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY, a INT)");
    for sql in [
        "SELECT id FROM d.t ORDER BY a NULLS LAST",
        "INSERT OR REPLACE INTO d.t VALUES (1, 1)",
        "REPLACE INTO d.t VALUES (1, 1) AS new",
        "SELECT p FROM d.t AS x (p, q)",
        "UPDATE d.t AS x (p, q) SET id = 1",
        "INSERT INTO d.t SELECT id, a FROM d.t u ON DUPLICATE KEY UPDATE a = (SELECT MAX(v.id) + u.id FROM d.t v)",
    ] {
        assert_eq!(root.query(sql).unwrap_err().code(), 1235, "{sql}");
    }
    world.stop();
}

#[test]
fn what_is_done_with_duplicates_may_depend_on_the_query_whose_rows_are_inserted_as_in_mysql() {
    answers_as_recorded(include_str!("../data/on_duplicate-9.7.4.txt"), 40);
}
