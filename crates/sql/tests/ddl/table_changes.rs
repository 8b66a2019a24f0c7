//! Which tables get new versions when foreign keys come and go.

use std::sync::Arc;

use engine::catalog::def::TableDef;
use sql::ddl::{Rules, TableChanges};

use crate::world::World;

const RULES: Rules = Rules { checks: false, standard_keys: true };

fn changes() -> TableChanges {
    let mut world = World::new("");
    for table in [
        "CREATE TABLE p (id INT PRIMARY KEY)",
        "CREATE TABLE q (id INT PRIMARY KEY)",
        "CREATE TABLE c (id INT PRIMARY KEY, p INT, q INT, FOREIGN KEY (p) REFERENCES p (id), FOREIGN KEY (q) REFERENCES q (id))",
        "CREATE TABLE orphan (id INT PRIMARY KEY, FOREIGN KEY (id) REFERENCES later (id))",
        "CREATE TABLE alone (id INT PRIMARY KEY)",
    ] {
        world.execute(table).unwrap();
    }
    TableChanges::new(Arc::new(world.catalog))
}

fn def(changes: &TableChanges, name: &str) -> TableDef {
    changes.table("dd", name).unwrap().def.clone()
}

/// Names of the versions that go and of those that come.
fn outcome(changes: TableChanges) -> (Vec<String>, Vec<String>) {
    let (removed, put) = changes.finish();
    let removed = removed.iter().map(|table| table.def.name.clone());
    (removed.collect(), put.iter().map(|version| version.table.def.name.clone()).collect())
}

#[test]
fn a_renamed_parent_takes_its_children_along_and_nobody_else() {
    let mut changes = changes();
    let mut renamed = def(&changes, "p");
    changes.rename(&mut renamed, "dd", "r", RULES).unwrap();
    let new = Arc::new(changes.table("dd", "p").unwrap().successor(renamed));
    changes.put_renamed(("dd", "p"), new, true, &[]);
    assert_eq!(def(&changes, "c").foreign_keys[0].parent_table, "r");
    // The other parent is not locked.
    assert_eq!(
        outcome(changes),
        (vec!["c".to_owned(), "p".to_owned()], vec!["c".to_owned(), "r".to_owned()])
    );
}

#[test]
fn the_other_end_of_a_new_key_gets_a_new_version() {
    let mut added = changes();
    let mut child = def(&added, "alone");
    child.foreign_keys = def(&added, "orphan").foreign_keys;
    "p".clone_into(&mut child.foreign_keys[0].parent_table);
    let new = Arc::new(added.table("dd", "alone").unwrap().successor(child));
    added.put_altered(new, true, &[]);
    assert_eq!(outcome(added).1, ["alone", "p"]);

    let mut created = changes();
    let mut parent = def(&created, "alone");
    "later".clone_into(&mut parent.name);
    let new = Arc::new(created.table("dd", "alone").unwrap().successor(parent));
    created.put(new, false);
    assert_eq!(outcome(created), (vec!["orphan".to_owned()], vec!["later".to_owned(), "orphan".to_owned()]));
}

#[test]
fn plans_that_know_a_key_need_no_more_than_its_table_to_go() {
    let mut changes = changes();
    let child = Arc::clone(changes.table("dd", "c").unwrap());
    changes.drop_tables(&[child], RULES).unwrap();
    assert_eq!(outcome(changes), (vec!["c".to_owned()], Vec::new()));
}
