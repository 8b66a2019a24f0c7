//! WITH ROLLUP and GROUPING: rows, their order, names and errors are MySQL's.

use crate::whole::answers_as_recorded;

#[test]
fn totals_of_groups_answer_as_mysqls() {
    answers_as_recorded(include_str!("../data/rollup-9.7.4.txt"), 140);
}
