//! WITH ROLLUP: the rows are those of a UNION ALL of one query for each level of totals.

use vfs::sim::Rng;

use crate::db::{Conn, Db};
use crate::merge::tables;

fn filled(rng: &mut Rng) -> (Db, Conn) {
    let (db, mut conn) = tables();
    for name in ["a", "b", "c"] {
        for id in 0..12 {
            let mut value = || if rng.chance(1, 5) { "NULL".to_owned() } else { rng.below(4).to_string() };
            conn.run(&format!("INSERT INTO {name} VALUES ({id}, {}, {}, {})", value(), value(), value()));
        }
    }
    (db, conn)
}

const KEYS: [&str; 8] =
    ["a.x", "a.y", "b.z", "a.x + b.y", "IFNULL(b.x, 1)", "a.id DIV 4", "-a.z", "b.y IS NULL"];
const VALUES: [&str; 12] = [
    "COUNT(*)",
    "SUM(a.y)",
    "COUNT(DISTINCT b.x)",
    "MAX(b.id)",
    "AVG(a.x + 1)",
    "GROUP_CONCAT(DISTINCT b.x ORDER BY b.x)",
    "BIT_XOR(a.id)",
    "{0}",
    "IFNULL({1}, 77)",
    "{0} + SUM(a.x)",
    "(SELECT COUNT(*) FROM c WHERE c.x <=> {1} AND c.id < COUNT(*))",
    "CASE WHEN {1} IS NULL THEN {0} ELSE MIN(b.x) END",
];
const HAVING: [&str; 6] = [
    "1",
    "COUNT(*) > 3",
    "{1} IS NULL",
    "{0} IS NOT NULL OR SUM(a.x) > 10",
    "EXISTS (SELECT 1 FROM c WHERE c.y <=> {0})",
    "{1} <=> {0} OR COUNT(*) < 9",
];

/// What is grouped by, in place of its numbers; what is beyond a level is NULL.
fn with_keys(text: &str, keys: &[&str], level: usize) -> String {
    (0..keys.len()).fold(text.to_owned(), |text, place| {
        let key = if place < level { format!("({})", keys[place]) } else { "NULL".to_owned() };
        text.replace(&format!("{{{place}}}"), &key)
    })
}

#[test]
fn rows_of_random_queries_are_those_of_all_levels() {
    let mut rng = Rng::new(21);
    let (_db, mut conn) = filled(&mut rng);
    conn.session.sql_mode = conn.session.sql_mode.without(types::sql_mode::SqlMode::ONLY_FULL_GROUP_BY);
    let mut totals = 0;
    for round in 0..1500 {
        let mut keys = KEYS.to_vec();
        while keys.len() > 2 + rng.index(2) {
            keys.remove(rng.index(keys.len()));
        }
        let places = (0..keys.len()).map(|place| format!("{{{place}}}")).collect::<Vec<_>>().join(", ");

        // Of what a subquery has of the groups only columns are NULL in totals.
        let are_columns = keys.iter().all(|key| key.starts_with(['a', 'b']) && !key.contains(' '));
        let fitting =
            |text: &'static str| if are_columns || !text.contains("SELECT") { text } else { "COUNT(*)" };
        let mut value = || fitting(VALUES[rng.index(12)]);
        let values = [value(), value(), value()].join(", ");
        let from = ["a JOIN b ON a.id = b.id", "a LEFT JOIN b ON a.x = b.y", "a, b"][rng.index(3)];
        let filter = ["1", "a.x <> 2", "a.id < 7 AND a.y IS NOT NULL"][rng.index(3)];
        // Of what is grouped by HAVING knows columns only.
        let having = HAVING[rng.index(if are_columns { 6 } else { 2 })];
        let by = keys.join(", ");
        let query = |level: usize| {
            let bits = (1 << (keys.len() - level)) - 1;
            let text = format!(
                "SELECT {places}, {values}, {bits} AS g FROM {from} WHERE {filter} GROUP BY GROUPS HAVING ({having}) AND COUNT(*) > 0"
            );
            let text = with_keys(&text, &keys, level);
            match level {
                0 => text.replace(" GROUP BY GROUPS", ""),
                _ => text.replace("GROUPS", &keys[..level].join(", ")),
            }
        };
        let other = (0..=keys.len()).rev().map(query).collect::<Vec<_>>().join(" UNION ALL ");
        let form = if rng.chance(1, 2) { format!("{by} WITH ROLLUP") } else { format!("ROLLUP({by})") };
        let shown = with_keys(&format!("{places}, {values}"), &keys, keys.len());
        let having = with_keys(having, &keys, keys.len());
        let rollup = format!(
            "SELECT {shown}, GROUPING({by}) AS g FROM {from} WHERE {filter} GROUP BY {form} HAVING {having}"
        );
        let mut rows = |query: &str| conn.rows(query);
        let given = rows(&rollup);
        totals += given.iter().filter(|row| !row.ends_with("|0")).count();
        // Totals stand behind their groups, and these in order.
        let order: Vec<String> = keys.iter().map(|key| format!("GROUPING({key}), {key}")).collect();
        assert_eq!(
            given,
            rows(&format!("{rollup} ORDER BY {}", order.join(", "))),
            "round {round}: {rollup}"
        );
        let (mut given, mut wanted) = (given, rows(&other));
        given.sort();
        wanted.sort();
        assert_eq!(given, wanted, "round {round}:\n{rollup}\n{other}");
        // Window functions come behind.
        let over = rollup.replacen(
            " AS g FROM",
            &format!(" AS g, SUM(COUNT(*)) OVER (PARTITION BY {}) FROM", keys[1]),
            1,
        );
        let outer = other.replace(" AS g FROM", " AS g, COUNT(*) FROM");
        let names: Vec<String> = (0..keys.len() + 5).map(|column| format!("c{column}")).collect();
        let n = &names[keys.len() + 4];
        let shown = names[..keys.len() + 4].join(", ");
        let outer = format!(
            "SELECT {shown}, SUM({n}) OVER (PARTITION BY c1) FROM ({outer}) d ({})",
            names.join(", ")
        );
        let (mut given, mut wanted) = (rows(&over), rows(&outer));
        given.sort();
        wanted.sort();
        assert_eq!(given, wanted, "round {round}:\n{over}\n{outer}");
    }
    assert!(totals > 10_000, "{totals} totals");
}

#[test]
fn totals_are_counted_as_memory() {
    let (_db, mut conn) = tables();
    for id in 0..300 {
        conn.run(&format!("INSERT INTO a VALUES ({id}, {id}, {id}, {id})"));
    }
    let mut needed = |by: &str| {
        let query = format!("SELECT COUNT(*) FROM a GROUP BY {by} WITH ROLLUP LIMIT 1");
        let fits = |conn: &mut Conn, memory_max: usize| {
            conn.memory_max = memory_max;
            match conn.answer(&query) {
                Ok(_) => true,
                Err(error) => {
                    assert_eq!(error.code, 1038);
                    false
                }
            }
        };
        (1..1000).map(|step| step * 10_000).find(|memory| fits(&mut conn, *memory)).unwrap()
    };
    // Three times as many groups.
    let (one, three) = (needed("x"), needed("x, y, z"));
    assert!(three > 5 * one / 2, "{one}, {three}");
}
