//! Collations from the definition of a table to its rows, also after a restart.

use crate::whole::{World, ok, rows};

#[test]
fn keys_and_groups_go_by_the_collation() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "SET NAMES utf8mb4");
    ok(&mut root, "SET default_collation_for_utf8mb4 = utf8mb4_0900_ai_ci");
    ok(
        &mut root,
        "CREATE TABLE d.t (w VARCHAR(20) PRIMARY KEY, c VARCHAR(20) COLLATE utf8mb4_0900_as_cs) CHARSET utf8mb4",
    );
    let shown = root.query("SHOW CREATE TABLE d.t").unwrap().rows[0][1].clone().unwrap();
    let expected = "CREATE TABLE `t` (\n  `w` varchar(20) NOT NULL,\n  \
        `c` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_as_cs DEFAULT NULL,\n  \
        PRIMARY KEY (`w`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci";
    assert_eq!(shown, expected);
    ok(
        &mut root,
        "INSERT INTO d.t VALUES ('straße', 'a'), ('s', 'A'), ('x', 'Á'), ('x ', 'á'), ('Zoë', 'b')",
    );
    for (word, key) in [("STRASSE", "STRASSE"), ("ZOE", "ZOE"), ("X", "X"), ("Ｓ", "Ｓ")] {
        let refused = root.query(&format!("INSERT INTO d.t (w) VALUES ('{word}')")).unwrap_err();
        let message = format!("Duplicate entry '{key}' for key 't.PRIMARY'");
        assert_eq!((refused.code(), refused.message()), (1062, &*message));
    }
    let world = world.restart();
    let mut root = world.root();
    ok(&mut root, "SET NAMES utf8mb4");
    let mut column = |sql: &str| {
        let rows = root.query(sql).unwrap().rows;
        rows.concat().into_iter().map(|value| value.unwrap_or("NULL".into())).collect::<Vec<_>>().join("|")
    };
    assert_eq!(column("SELECT w FROM d.t ORDER BY w"), "s|straße|x|x |Zoë");
    assert_eq!(column("SELECT c FROM d.t ORDER BY c"), "a|A|á|Á|b");
    assert_eq!(column("SELECT COUNT(*) FROM d.t GROUP BY c COLLATE utf8mb4_0900_ai_ci ORDER BY 1"), "1|4");
    assert_eq!(column("SELECT w FROM d.t WHERE w = 'STRASSE'"), "straße");
    assert_eq!(column("SELECT w FROM d.t WHERE w LIKE 'zo_'"), "Zoë");
    assert_eq!(column("SELECT w FROM d.t WHERE w BETWEEN 'SR' AND 'SU'"), "straße");
    assert_eq!(column("SELECT w FROM d.t WHERE c = 'A'"), "s");
    world.stop();
}

#[test]
fn a_server_whose_collation_has_a_large_number_greets() {
    let world = World::start();
    let mut root = world.root();
    for collation in ["utf8mb4_0900_bin", "utf8mb4_0900_as_cs", "utf8mb4_0900_as_ci", "latin1_swedish_ci"] {
        ok(&mut root, &format!("SET GLOBAL collation_server = {collation}"));
        assert_eq!(rows(&mut world.root(), "SELECT @@global.collation_server"), [collation]);
    }
    world.stop();
}
