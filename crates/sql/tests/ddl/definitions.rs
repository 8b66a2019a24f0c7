//! CREATE TABLE and ALTER TABLE against recorded answers: SHOW CREATE TABLE or the error, and the warnings.

use crate::world::World;

pub const DEFAULT_MODE: &str = "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,\
                                ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION";

/// Backslash escapes as in the data files.
pub fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t").replace('\r', "\\r");
    text.replace('\0', "\\0")
}

/// The table that a CREATE TABLE makes, if the statement is one.
fn created(sql: &str, world: &World) -> Option<String> {
    let sql = sql.to_ascii_lowercase();
    let rest = sql.strip_prefix("create table ")?.trim_start_matches("if not exists ");
    let name = rest.split([' ', '(']).next()?.trim_matches('`').replace("``", "`");
    let mut tables = world.catalog.tables();
    tables.find(|table| table.def.name.eq_ignore_ascii_case(&name)).map(|table| table.def.name.clone())
}

/// The answer to a line's statements: what the last one says, and its warnings.
pub fn answer(line: &str, mode: &str) -> (String, String) {
    let mut world = World::new(mode);
    let statements: Vec<&str> = line.split(" ;; ").collect();
    let (last, setup) = statements.split_last().unwrap();
    for setup in setup {
        world.execute(setup).unwrap();
    }
    let text = if let Err(error) = world.execute(last) {
        format!("{} {}", error.code, error.message)
    } else {
        let shown = created(last, &world).and_then(|name| world.show(&name)).or_else(|| world.show("t"));
        shown.or_else(|| world.show_only()).unwrap_or_default()
    };
    (escaped(&text), escaped(&world.warnings_text()))
}

fn check(data: &str, mode: &str, deviations_max: usize) {
    let mut deviations = 0;
    for line in data.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let expected = match fields[..] {
            [_, text, warnings] => (text, warnings),
            [_, _, _, text, warnings] => {
                deviations += 1;
                (text, warnings)
            }
            _ => panic!("{line}"),
        };
        let (text, warnings) = answer(fields[0], mode);
        assert_eq!((&*text, &*warnings), expected, "{}", fields[0]);
    }
    assert!(deviations <= deviations_max, "{deviations} deviations");
}

#[test]
fn create_table_answers_as_mysql() {
    check(include_str!("data/create.tsv"), DEFAULT_MODE, 45);
}

#[test]
fn create_table_without_strict_mode_answers_as_mysql() {
    check(include_str!("data/create_lenient.tsv"), "", 45);
}

#[test]
fn alter_table_answers_as_mysql() {
    check(include_str!("data/alter.tsv"), DEFAULT_MODE, 25);
}

#[test]
fn what_show_create_table_prints_makes_the_same_table() {
    let mut count = 0;
    for line in include_str!("data/create.tsv").lines().filter(|line| !line.starts_with('#')) {
        let sql = line.split('\t').next().unwrap();
        let mut world = World::new(DEFAULT_MODE);
        if world.execute(sql).is_err() {
            continue;
        }
        let shown = world.show_only().unwrap();
        let mut other = World::new(DEFAULT_MODE);
        other.execute(&shown).unwrap();
        assert_eq!(other.show_only().unwrap(), shown);
        count += 1;
    }
    assert!(count > 150);
}
