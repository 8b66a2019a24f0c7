//! Window functions: rows, errors and the order of errors are MySQL's, in each statement that has queries.

use crate::whole::answers_as_recorded;

#[test]
fn window_functions_answer_as_mysqls() {
    answers_as_recorded(include_str!("../data/window-9.7.4.txt"), 500);
}
