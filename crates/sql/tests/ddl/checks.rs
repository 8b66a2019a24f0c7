//! The expressions of CHECK constraints as they are kept, against MySQL's: `data/checks.tsv`, from `tools/checks.py`.

use std::sync::Arc;

use sql::bind::bind_rules;

use crate::definitions::DEFAULT_MODE;
use crate::world::World;

/// What is kept of an expression, or its error. What is kept must bind, and must be taken again.
fn kept(columns: &str, expression: &str) -> String {
    let mut world = World::new(DEFAULT_MODE);
    let create = |name: &str, text: &str| {
        format!("CREATE TABLE {name} ({columns}, CONSTRAINT e_chk_1 CHECK ({text}))")
    };
    let text =
        |world: &World, name: &str| world.catalog.table("dd", name).unwrap().def.checks[0].expression.clone();
    let bound = |world: &World, name: &str| {
        let catalog = Arc::new(world.catalog.clone());
        let table = Arc::clone(catalog.table("dd", name).unwrap());
        bind_rules(&catalog, &table, &world.session)
    };
    let made = world.execute(&create("e", expression)).and_then(|()| bound(&world, "e"));
    if let Err(error) = made {
        return format!("!{} {}", error.code, error.message);
    }
    let first = text(&world, "e");
    world.execute(&create("again", &first)).unwrap_or_else(|error| panic!("{first}: {error}"));
    first
}

#[test]
fn expressions_are_kept_as_mysql_keeps_them() {
    let (mut columns, mut wrong, mut deviations) = ("", Vec::new(), 0);
    for line in include_str!("data/checks.tsv").lines().filter(|line| !line.starts_with('#')) {
        if let Some(definitions) = line.strip_prefix('@') {
            columns = definitions;
            continue;
        }
        let fields: Vec<&str> = line.split('\t').collect();
        let expected = *fields.last().unwrap();
        deviations += usize::from(fields.len() > 2);
        let found = kept(columns, fields[0]);
        if found != expected {
            wrong.push(format!("{}\n  expected: {expected}\n  found:    {found}", fields[0]));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(deviations <= 15, "{deviations} deviations");
}
