//! LATERAL: rows, names and errors are MySQL's, in each statement that has queries.

use crate::whole::answers_as_recorded;

#[test]
fn lateral_derived_tables_answer_as_mysqls() {
    answers_as_recorded(include_str!("../data/lateral-9.7.4.txt"), 140);
}

#[test]
fn together_with_totals_they_answer_as_mysqls() {
    answers_as_recorded(include_str!("../data/lateral_rollup-9.7.4.txt"), 60);
}
