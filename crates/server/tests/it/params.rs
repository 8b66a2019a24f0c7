//! Parameters, in the types of their places.

use crate::whole::{World, answers_as_recorded, ok, rows};

#[test]
fn texts_are_what_they_stand_beside() {
    answers_as_recorded(include_str!("../data/params-9.7.4.txt"), 100);
}

#[test]
fn many_stand_beside_each_other() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (i BIGINT)");
    ok(&mut root, "INSERT INTO d.t VALUES (9007199254740993), (9007199254740992), (7)");
    // Each of so many parameters beside so many literals.
    let markers = vec!["?"; 20_000].join(", ");
    let numbers = (1000..21_000).map(|number: u32| number.to_string()).collect::<Vec<_>>().join(", ");
    ok(&mut root, &format!("PREPARE s FROM 'SELECT i FROM d.t WHERE i IN ({markers}, {numbers})'"));
    ok(&mut root, "SET @big = '9007199254740993', @no = '0'");
    let using = vec!["@no"; 19_999].join(", ");
    assert_eq!(rows(&mut root, &format!("EXECUTE s USING {using}, @big")), ["9007199254740993"]);
    world.stop();
}
