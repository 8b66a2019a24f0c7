//! What a SELECT leaves beside its rows: user variables, and how many rows it has found.

use crate::whole::{World, answers_as_recorded};

#[test]
fn select_into_gives_variables_their_values_as_in_mysql() {
    let world = World::start();
    let seen = answers_as_recorded(&mut world.root(), include_str!("../data/select_into-9.7.4.txt"));
    assert!(seen > 100, "{seen} statements");
    world.stop();
}

#[test]
fn found_rows_counts_as_mysqls() {
    let world = World::start();
    let seen = answers_as_recorded(&mut world.root(), include_str!("../data/found_rows-9.7.4.txt"));
    assert!(seen > 80, "{seen} statements");
    world.stop();
}
