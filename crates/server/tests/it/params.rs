//! Parameters, in the types of their places.

use crate::whole::answers_as_recorded;

#[test]
fn texts_are_what_they_stand_beside() {
    answers_as_recorded(include_str!("../data/params-9.7.4.txt"), 100);
}
