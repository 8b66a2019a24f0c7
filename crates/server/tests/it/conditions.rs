//! Conditions: which of them can use an index, as `sql_safe_updates` asks, and values of other types and collations.

use crate::whole::{World, answers_as_recorded};

#[test]
fn safe_updates_refuse_what_mysql_refuses() {
    let world = World::start();
    let mut root = world.root();
    let seen = answers_as_recorded(&mut root, include_str!("../data/safe_updates-9.7.4.txt"));
    assert!(seen > 180, "{seen} statements");
    world.stop();
}

#[test]
fn texts_of_other_collations_and_user_variables_find_the_same_rows() {
    let world = World::start();
    let mut root = world.root();
    let seen = answers_as_recorded(&mut root, include_str!("../data/text_keys-9.7.4.txt"));
    assert!(seen > 90, "{seen} statements");
    world.stop();
}

#[test]
fn conditions_of_changes_are_strict() {
    let world = World::start();
    let mut root = world.root();
    let seen = answers_as_recorded(&mut root, include_str!("../data/strict_conditions-9.7.4.txt"));
    assert!(seen > 40, "{seen} statements");
    world.stop();
}

#[test]
fn changes_of_several_tables_are_mysqls() {
    let world = World::start();
    let mut root = world.root();
    let seen = answers_as_recorded(&mut root, include_str!("../data/several_tables-9.7.4.txt"));
    assert!(seen > 180, "{seen} statements");
    world.stop();
}

#[test]
fn texts_that_are_no_dates_are_errors_where_mysql_says_so() {
    let world = World::start();
    let mut root = world.root();
    let seen = answers_as_recorded(&mut root, include_str!("../data/dates-9.7.4.txt"));
    assert!(seen > 38, "{seen} statements");
    world.stop();
}

#[test]
fn columns_follow_from_what_is_grouped_by() {
    let world = World::start();
    let mut root = world.root();
    let seen = answers_as_recorded(&mut root, include_str!("../data/full_group_by-9.7.4.txt"));
    assert!(seen > 70, "{seen} statements");
    world.stop();
}

#[test]
fn operands_have_the_scale_of_if_and_case() {
    let world = World::start();
    let mut root = world.root();
    let seen = answers_as_recorded(&mut root, include_str!("../data/scales-9.7.4.txt"));
    assert!(seen > 45, "{seen} statements");
    world.stop();
}
