//! Purpose: LIKE finds by an index what it finds without one.
//!
//! Requirements: R1. In every collation, for columns of every type of text and bytes, the rows of a statement with LIKE are
//! the same with indexes and without: alone, beside other conditions, in OR, in joins, of parameters, in what changes rows.
//! R2. An index on columns that are no texts stays out of it. R3. Only the range is read where the pattern says how texts
//! begin, also where a parameter says it; of patterns that begin with a wildcard all is read, in the order that LIMIT wants.
//!
//! Method: a whole server on a simulated disk; random texts of characters that are alike to some collation or weigh
//! nothing to one, in two tables.

use types::collation::Collation;
use vfs::sim::Rng;

use crate::client::Client;
use crate::whole::{World, ok, rows};

const CHARACTERS: &[&str] = &[
    " ", " ", "a", "A", "á", "Å", "s", "S", "ß", "æ", "Æ", "\u{AD}", "\u{200B}", "\u{301}", "\t", "!",
    "\u{A0}", "가", "か", "カ", "😀", "😁", "漢", "%", "_", "|", "\\", "1", "½",
];

/// Characters that a collation's character set has.
fn characters(collation: Collation) -> Vec<&'static str> {
    let size = collation.charset().char_size_max();
    let has = |text: &&str| {
        let code = u32::from(text.chars().next().unwrap());
        match collation {
            Collation::AsciiBin | Collation::AsciiGeneralCi => code < 0x80,
            Collation::Binary => true,
            _ if size == 1 => code < 0x100,
            _ => u32::try_from(text.len()).unwrap() <= size,
        }
    };
    CHARACTERS.iter().copied().filter(has).collect()
}

fn text(rng: &mut Rng, characters: &[&str]) -> String {
    (0..rng.below(5)).map(|_| characters[rng.index(characters.len())]).collect()
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}

/// A pattern as a literal, which texts match more or less often.
fn pattern(rng: &mut Rng, characters: &[&str]) -> String {
    let begins = text(rng, characters);
    let end = ["%", "%", "", "_", "%a", "_%", " %"][rng.index(7)];
    let begin = ["", "", "", "", "%", "_"][rng.index(6)];
    quoted(&format!("{begin}{begins}{end}"))
}

/// A condition about the columns of a table.
fn condition(rng: &mut Rng, characters: &[&str], alias: &str) -> String {
    let column = ["c", "c", "t", "f"][rng.index(4)];
    let one = |rng: &mut Rng| {
        let pattern = pattern(rng, characters);
        match rng.below(9) {
            0 => format!("{alias}{column} LIKE {pattern} ESCAPE '|'"),
            1 => format!("{alias}{column} LIKE {pattern} ESCAPE ''"),
            2 => format!("{alias}{column} LIKE CONCAT({pattern}, '%')"),
            3 => format!("{alias}{column} LIKE ({pattern})"),
            _ => format!("{alias}{column} LIKE {pattern}"),
        }
    };
    let like = one(rng);
    let other = quoted(&text(rng, characters));
    match rng.below(9) {
        0 => format!("({like} OR {})", one(rng)),
        1 => format!("({like} OR {alias}{column} IN ({other}, 'a'))"),
        2 => format!("{like} AND {alias}{column} >= {other}"),
        3 => format!("({like} AND {alias}{column} < {other} OR {alias}{column} IS NULL)"),
        4 => format!("{alias}n = {} AND {like}", rng.below(3)),
        5 => format!("{like} AND {}", one(rng)),
        6 => format!("NOT {like}"),
        _ => like,
    }
}

/// What a statement answers for the table `i` with indexes and `p` without, `§` being the table.
fn compare(client: &mut Client, sql: &str) {
    let mut answer = |table: &str| match client.query(&sql.replace('§', table)) {
        Ok(answer) => (answer.affected, answer.rows),
        Err(error) => (0, vec![vec![Some(format!("{} {}", error.code(), error.message()))]]),
    };
    let (with, without) = (answer("i"), answer("p"));
    assert_eq!(with, without, "{sql}");
}

fn compare_in(client: &mut Client, collation: Collation, rng: &mut Rng) {
    let characters = &characters(collation);
    let ty = |name: &str| {
        if collation == Collation::Binary {
            let place = usize::from(name != "c") + usize::from(name == "t");
            return ["VARBINARY(30)", "BINARY(30)", "BLOB"][place].to_owned();
        }
        let ty = match name {
            "c" => "VARCHAR(30)",
            "f" => "CHAR(30)",
            _ => "TEXT",
        };
        format!("{ty} CHARACTER SET {} COLLATE {}", collation.charset().name(), collation.name())
    };
    let columns = format!("id INT PRIMARY KEY, n INT, c {}, t {}, f {}", ty("c"), ty("t"), ty("f"));
    ok(client, "DROP TABLE IF EXISTS i, p");
    ok(
        client,
        &format!("CREATE TABLE i ({columns}, KEY c (c), KEY t (t(3)), KEY f (f, n), KEY nc (n, c(2)))"),
    );
    ok(client, &format!("CREATE TABLE p ({columns})"));
    let mut row = |id: u32| {
        let mut cell = || if rng.chance(1, 12) { "NULL".to_owned() } else { quoted(&text(rng, characters)) };
        format!("({id}, {}, {})", id % 3, [cell(), cell(), cell()].join(", "))
    };
    let rows = (0..50).map(&mut row).collect::<Vec<_>>().join(", ");
    for table in ["i", "p"] {
        ok(client, &format!("INSERT INTO {table} VALUES {rows}"));
    }
    for _ in 0..25 {
        let filter = condition(rng, characters, "");
        let order =
            ["id", "c, id", "n, c DESC, id", "t, id", "id DESC LIMIT 5", "f, n, id LIMIT 7"][rng.index(6)];
        compare(client, &format!("SELECT * FROM § WHERE {filter} ORDER BY {order}"));
        ok(client, &format!("SET @p = {}", pattern(rng, characters)));
        compare(client, &format!("SELECT * FROM § WHERE c LIKE @p ORDER BY {order}"));
        compare(client, "SELECT COUNT(*), MIN(c), MAX(n) FROM § WHERE c LIKE @p");
        let on = condition(rng, characters, "b.");
        compare(
            client,
            &format!(
                "SELECT a.id, b.id FROM § a LEFT JOIN § b ON b.n = a.n AND {on} WHERE a.id < 9 ORDER BY 1, 2"
            ),
        );
        compare(
            client,
            "SELECT a.id, b.id FROM § a JOIN § b ON b.c LIKE CONCAT(LEFT(a.t, 2), '%') WHERE a.id < 20 ORDER BY 1, 2",
        );
    }
    for round in 0..12 {
        let filter = condition(rng, characters, "");
        compare(client, &format!("UPDATE § SET n = {round} % 3, c = CONCAT(LEFT(c, 9), 'a') WHERE {filter}"));
        compare(client, &format!("DELETE FROM § WHERE {filter} AND id % 5 = {}", round % 5));
        compare(client, "SELECT * FROM § ORDER BY id");
    }
}

#[test]
fn an_index_finds_what_is_like_a_pattern_in_every_collation() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "USE d");
    ok(&mut root, "SET NAMES utf8mb4");
    ok(&mut root, "SET sql_mode = ''");
    let mut rng = Rng::new(5);
    for collation in Collation::ALL {
        compare_in(&mut root, collation, &mut rng);
    }
    world.stop();
}

#[test]
fn columns_that_are_no_texts_are_looked_at_as_texts() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "USE d");
    let columns =
        "id INT PRIMARY KEY, i INT, d DATE, e ENUM('b', 'a', 'ab'), s SET('x', 'y'), m DECIMAL(6,2)";
    ok(
        &mut root,
        &format!("CREATE TABLE i ({columns}, KEY i (i), KEY d (d), KEY e (e), KEY s (s), KEY m (m))"),
    );
    ok(&mut root, &format!("CREATE TABLE p ({columns})"));
    let rows = "(1, 10, '2020-01-02', 'a', 'x', 1.5), (2, 1, '2021-01-02', 'ab', 'x,y', 10), (3, NULL, NULL, NULL, NULL, NULL),
        (4, 2, '1999-12-31', 'b', 'y', -1)";
    for table in ["i", "p"] {
        ok(&mut root, &format!("INSERT INTO {table} VALUES {rows}"));
    }
    for column in ["id", "i", "d", "e", "s", "m"] {
        for pattern in ["'1%'", "'2%'", "'a%'", "'x%'", "'a'", "1", "'-%'", "NULL", "'%'", "''"] {
            compare(&mut root, &format!("SELECT id FROM § WHERE {column} LIKE {pattern} ORDER BY id"));
        }
        let plan = root.query(&format!("EXPLAIN SELECT * FROM i WHERE {column} LIKE '1%'")).unwrap().rows;
        assert_eq!(plan[0][4].as_deref(), Some("ALL"), "{column}");
    }
    world.stop();
}

#[test]
fn a_pattern_that_a_parameter_gives_is_looked_at_when_it_is_known() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "USE d");
    ok(&mut root, "CREATE TABLE t (id INT PRIMARY KEY, c VARCHAR(20), KEY c (c))");
    ok(&mut root, "INSERT INTO t VALUES (1, 'b'), (2, 'ab'), (3, 'aa'), (4, NULL), (5, 'Ac')");
    for (sql, found) in [
        ("SELECT id FROM t WHERE c LIKE ?", [vec!["3", "2", "5"], vec!["2", "1"]]),
        ("SELECT id FROM t WHERE c LIKE ? ORDER BY id LIMIT 2", [vec!["2", "3"], vec!["1", "2"]]),
        ("SELECT id FROM t WHERE c LIKE ? ORDER BY c DESC", [vec!["5", "2", "3"], vec!["1", "2"]]),
        (
            "SELECT id FROM t WHERE c LIKE ? OR c = 'b' ORDER BY id",
            [vec!["1", "2", "3", "5"], vec!["1", "2"]],
        ),
        ("SELECT id FROM t WHERE c LIKE ? AND c > 'aa' ORDER BY id", [vec!["2", "5"], vec!["1", "2"]]),
    ] {
        ok(&mut root, &format!("PREPARE s FROM {}", quoted(sql)));
        for (pattern, found) in ["a%", "%b"].into_iter().zip(found) {
            ok(&mut root, &format!("SET @p = '{pattern}'"));
            let mut answer = rows(&mut root, "EXECUTE s USING @p");
            if !sql.contains("ORDER") && pattern == "%b" {
                answer.sort_by(|a, b| b.cmp(a));
            }
            assert_eq!(answer, found, "{sql}, {pattern}");
        }
    }
    world.stop();
}
