//! What ALTER TABLE has to do: nothing that is not needed, and everything that is.

use engine::catalog::def::DefaultValue;
use sql::ddl::{Change, ColumnSource};

use crate::definitions::DEFAULT_MODE;
use crate::world::World;

const TABLE: &str = "CREATE TABLE t (a INT NOT NULL PRIMARY KEY, b VARCHAR(10), c INT NOT NULL DEFAULT 7, d TEXT, \
                     e DATETIME, KEY kb (b), UNIQUE uc (c))";

fn change(actions: &str) -> Change {
    let mut world = World::new(DEFAULT_MODE);
    world.execute(TABLE).unwrap();
    world.execute(&format!("ALTER TABLE t {actions}")).unwrap();
    world.last_change.unwrap()
}

fn sources(actions: &str) -> Vec<ColumnSource> {
    match change(actions) {
        Change::Rebuild { columns } => columns,
        other => panic!("{actions}: {other:?}"),
    }
}

#[test]
fn what_stays_the_same_is_not_touched() {
    for actions in
        ["ENGINE=InnoDB", "DISABLE KEYS", "MODIFY b VARCHAR(10)", "", "RENAME TO t2", "ROW_FORMAT=DYNAMIC"]
    {
        assert_eq!(change(actions), Change::Nothing, "{actions}");
    }
}

#[test]
fn what_no_row_shows_is_the_catalogs_affair() {
    for actions in [
        "COMMENT='x'",
        "RENAME COLUMN b TO bb",
        "ALTER c SET DEFAULT 8",
        "MODIFY c INT NOT NULL COMMENT 'x'",
        "MODIFY b VARCHAR(60)",
        "MODIFY c INT(5) NOT NULL",
        "RENAME INDEX kb TO kz",
        "DEFAULT CHARACTER SET latin1",
        "MODIFY e DATETIME DEFAULT CURRENT_TIMESTAMP",
        "MODIFY d TEXT COLLATE utf8mb4_bin",
    ] {
        assert_eq!(change(actions), Change::Metadata, "{actions}");
    }
}

#[test]
fn indexes_are_built_from_rows_that_stay() {
    let indexes = |actions: &str| match change(actions) {
        Change::Indexes { add, drop } => (add, drop.len()),
        other => panic!("{actions}: {other:?}"),
    };
    assert_eq!(indexes("ADD KEY (e)"), (vec![3], 0));
    assert_eq!(indexes("DROP KEY kb"), (vec![], 1));
    assert_eq!(indexes("DROP KEY kb, ADD KEY kb (e)"), (vec![2], 1));
    assert_eq!(indexes("ADD UNIQUE (b), COMMENT='x'"), (vec![2], 0), "the new key is before the plain one");
    assert_eq!(
        indexes("MODIFY b VARCHAR(10) COLLATE utf8mb4_bin"),
        (vec![2], 1),
        "keys follow the collation"
    );
    assert_eq!(indexes("MODIFY c INT NULL"), (vec![1], 1), "keys of nullable columns have a marker");
}

#[test]
fn rows_are_written_anew_where_they_differ() {
    use ColumnSource::{Convert, Copy, Default};
    let kinds = |actions: &str| -> Vec<String> {
        let kind = |source: &ColumnSource| match source {
            Copy(from) => format!("{from}"),
            Convert(from, _) => format!("{from}*"),
            Default(_) => "-".to_owned(),
            ColumnSource::AutoIncrement { .. } => "+".to_owned(),
            ColumnSource::Generated => "=".to_owned(),
        };
        sources(actions).iter().map(kind).collect()
    };
    assert_eq!(kinds("ADD f INT FIRST").join(" "), "- 0 1 2 3 4");
    assert_eq!(kinds("DROP b").join(" "), "0 2 3 4");
    assert_eq!(kinds("MODIFY e DATE FIRST, ADD g INT AFTER a").join(" "), "4* 0 - 1 2 3");
    assert_eq!(kinds("MODIFY b VARCHAR(9)").join(" "), "0 1* 2 3 4", "it may not fit");
    assert_eq!(kinds("MODIFY b VARCHAR(64)").join(" "), "0 1* 2 3 4", "the length takes two bytes");
    assert_eq!(kinds("MODIFY b VARCHAR(10) NOT NULL").join(" "), "0 1* 2 3 4");
    assert_eq!(kinds("MODIFY c INT UNSIGNED NOT NULL").join(" "), "0 1 2* 3 4");
    assert_eq!(kinds("MODIFY d MEDIUMTEXT").join(" "), "0 1 2 3* 4");
    assert_eq!(kinds("MODIFY e DATETIME(3)").join(" "), "0 1 2 3 4*");
    assert_eq!(kinds("CONVERT TO CHARACTER SET latin1").join(" "), "0 1* 2 3* 4");
    assert_eq!(kinds("FORCE").join(" "), "0 1 2 3 4");
    assert_eq!(kinds("DROP PRIMARY KEY").join(" "), "0 1 2 3 4");
    assert_eq!(kinds("DROP PRIMARY KEY, ADD PRIMARY KEY (c)").join(" "), "0 1 2 3 4");
    assert_eq!(kinds("DROP PRIMARY KEY, ADD f INT AUTO_INCREMENT PRIMARY KEY").join(" "), "0 1 2 3 4 +");
    assert_eq!(kinds("ADD f INT AS (c + 1), DROP b").join(" "), "0 2 3 4 =");
    let added = &sources("ADD f SMALLINT NOT NULL DEFAULT 258")[5];
    assert_eq!(*added, Default(DefaultValue::Stored(vec![2, 1])));
}

#[test]
fn rows_are_written_anew_where_they_are_computed_otherwise() {
    let change = |actions: &str| {
        let mut world = World::new(DEFAULT_MODE);
        let table = "CREATE TABLE t (a INT PRIMARY KEY, v VARCHAR(9), w VARCHAR(9), x VARCHAR(9), y VARCHAR(9), \
                     g INT AS (V = 'a') VIRTUAL, CHECK (w <> 'a'), CHECK (x <> 'a') NOT ENFORCED)";
        world.execute(table).unwrap();
        world.execute(&format!("ALTER TABLE t {actions}")).unwrap();
        world.last_change.unwrap()
    };
    for actions in ["MODIFY v VARCHAR(9) COLLATE utf8mb4_bin", "MODIFY w VARCHAR(20) COLLATE utf8mb4_bin"] {
        assert!(matches!(change(actions), Change::Rebuild { .. }), "{actions}");
    }
    assert!(matches!(change("CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"), Change::Rebuild { .. }));
    for actions in [
        "MODIFY x VARCHAR(9) COLLATE utf8mb4_bin, MODIFY y VARCHAR(9) COLLATE utf8mb4_bin",
        "MODIFY v VARCHAR(20)",
        "COLLATE utf8mb4_bin",
    ] {
        assert_eq!(change(actions), Change::Metadata, "{actions}");
    }
}

#[test]
fn a_rebuilt_table_has_new_ids_and_kept_indexes_keep_theirs() {
    let ids = |actions: &str| {
        let mut world = World::new(DEFAULT_MODE);
        world.execute(TABLE).unwrap();
        let before = world.catalog.table("dd", "t").unwrap().def.clone();
        world.execute(&format!("ALTER TABLE t {actions}")).unwrap();
        let after = world.catalog.table("dd", "t").unwrap().def.clone();
        (before, after)
    };
    let (before, after) = ids("ADD KEY (e)");
    assert_eq!((before.id, before.rows), (after.id, after.rows));
    assert_eq!(before.indexes[2].id, after.indexes[2].id);
    let (before, after) = ids("ADD f INT");
    assert!(before.id < after.id && before.rows < after.rows);
    assert!(after.indexes.iter().all(|index| before.indexes.iter().all(|old| old.id < index.id)));
    assert_eq!(after.rows, after.indexes[0].id);
}
