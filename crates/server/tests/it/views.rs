//! Views: what statements about them and through them answer, whose privileges count, what the binary log and a restart
//! keep of them.

use crate::whole::answers_as_recorded;

#[test]
fn views_answer_as_in_mysql() {
    answers_as_recorded(include_str!("../data/views-9.7.4.txt"), 200);
}
