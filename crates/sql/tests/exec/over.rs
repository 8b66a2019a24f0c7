//! Window functions: random windows give what a naive model gives, and running ones take their time for each row, not for each
//! frame.
//!
//! The model knows nothing of sorting or of bounds: it asks of each pair of rows whether the one is in the other's frame, by what
//! the manual says of it, and adds up what is.

use std::cmp::Ordering;

use engine::catalog::def::{DefaultValue, IndexKind};
use types::column::IntSize;
use types::error::table::ER_OUT_OF_SORTMEMORY;
use vfs::sim::Rng;

use crate::db::{Conn, Db, Spec, int, varchar};

fn table() -> (Db, Conn) {
    let mut db = Db::new();
    let nullable = |name| (name, int(IntSize::Int), true, DefaultValue::Null);
    db.create(&Spec {
        name: "r",
        columns: vec![
            ("id", int(IntSize::Int), false, DefaultValue::None),
            nullable("g"),
            nullable("v"),
            nullable("w"),
        ],
        indexes: vec![("PRIMARY", IndexKind::Primary, vec![0])],
        auto_increment: None,
    });
    let conn = db.connect();
    (db, conn)
}

/// A row: `id`, `g`, `v`, `w`. NULL comes first, as `None` does.
type Row = [Option<i64>; 4];

const NAMES: [&str; 4] = ["id", "g", "v", "w"];

#[derive(Clone, Copy, Debug)]
enum Bound {
    Unbounded,
    Current,
    /// So far from the current row, in front of it if that is negative; and whether it is FOLLOWING.
    Away(i64, bool),
}

#[derive(Debug)]
struct Window {
    partition: Vec<usize>,
    /// Columns, and whether they descend.
    order: Vec<(usize, bool)>,
    /// RANGE, not ROWS; the bounds.
    frame: Option<(bool, Bound, Bound)>,
}

impl Bound {
    fn text(self, is_end: bool) -> String {
        match self {
            Self::Unbounded => format!("UNBOUNDED {}", if is_end { "FOLLOWING" } else { "PRECEDING" }),
            Self::Current => "CURRENT ROW".to_owned(),
            Self::Away(distance, follows) => {
                format!("{} {}", distance.abs(), if follows { "FOLLOWING" } else { "PRECEDING" })
            }
        }
    }

    fn random(rng: &mut Rng) -> Self {
        let distance = i64::try_from(rng.below(4)).unwrap();
        match rng.below(6) {
            0 => Self::Unbounded,
            1 => Self::Current,
            2 | 3 => Self::Away(distance, true),
            _ => Self::Away(-distance, false),
        }
    }

    /// How late it is, as MySQL asks beforehand.
    fn rank(self) -> u8 {
        match self {
            Self::Away(_, false) => 0,
            Self::Away(_, true) => 2,
            Self::Current | Self::Unbounded => 1,
        }
    }
}

impl Window {
    fn random(rng: &mut Rng) -> Self {
        let partition = [vec![], vec![], vec![1], vec![1, 3]][rng.index(4)].clone();
        let descending = rng.chance(1, 2);
        let order = [
            vec![],
            vec![(0, descending)],
            vec![(2, descending)],
            vec![(2, descending)],
            vec![(2, descending)],
            vec![(3, descending), (2, !descending)],
        ][rng.index(6)]
        .clone();
        let frame = loop {
            let (is_range, start, end) = (rng.chance(1, 2), Bound::random(rng), Bound::random(rng));
            let has_distance = matches!(start, Bound::Away(..)) || matches!(end, Bound::Away(..));
            let is_allowed = matches!(start, Bound::Unbounded)
                || matches!(end, Bound::Unbounded)
                || start.rank() <= end.rank();
            if is_allowed && !(is_range && has_distance && order.len() != 1) {
                break rng.chance(4, 5).then_some((is_range, start, end));
            }
        };
        Self { partition, order, frame }
    }

    fn text(&self) -> String {
        let mut text = Vec::new();
        let names = |columns: &[usize]| columns.iter().map(|at| NAMES[*at]).collect::<Vec<_>>().join(", ");
        if !self.partition.is_empty() {
            text.push(format!("PARTITION BY {}", names(&self.partition)));
        }
        let order = self.order.iter().map(|(at, descending)| {
            let direction = if *descending { "DESC" } else { "ASC" };
            format!("{} {direction}", NAMES[*at])
        });
        let order = order.collect::<Vec<_>>().join(", ");
        if !order.is_empty() {
            text.push(format!("ORDER BY {order}"));
        }
        if let Some((is_range, start, end)) = self.frame {
            let unit = if is_range { "RANGE" } else { "ROWS" };
            text.push(format!("{unit} BETWEEN {} AND {}", start.text(false), end.text(true)));
        }
        text.join(" ")
    }

    /// What its rows are sorted by.
    fn keys(&self) -> Vec<(usize, bool)> {
        self.partition.iter().map(|at| (*at, false)).chain(self.order.iter().copied()).collect()
    }

    /// How two rows of a partition are ordered.
    fn order(&self, a: &Row, b: &Row) -> Ordering {
        let parts = self
            .order
            .iter()
            .map(|(at, descending)| if *descending { b[*at].cmp(&a[*at]) } else { a[*at].cmp(&b[*at]) });
        parts.fold(Ordering::Equal, Ordering::then)
    }

    /// The partition of a row, in its order: equal rows stay as they came.
    fn partition<'r>(&self, rows: &'r [Row], of: &Row) -> Vec<&'r Row> {
        let is_in = |row: &&Row| self.partition.iter().all(|at| row[*at] == of[*at]);
        let mut found: Vec<&Row> = rows.iter().filter(is_in).collect();
        // As simple as sorting gets.
        for end in (0..found.len()).rev() {
            for at in 0..end {
                if self.order(found[at], found[at + 1]) == Ordering::Greater {
                    found.swap(at, at + 1);
                }
            }
        }
        found
    }

    /// Whether a row is not on the wrong side of a bound of another one's frame.
    fn is_within(
        &self,
        bound: Bound,
        is_end: bool,
        is_range: bool,
        row: (usize, &Row),
        of: (usize, &Row),
    ) -> bool {
        let wanted = |order: Ordering| order == Ordering::Equal || (order == Ordering::Less) == is_end;
        let by_order = || wanted(self.order(row.1, of.1));
        let distance = match bound {
            Bound::Unbounded => return true,
            Bound::Current if is_range => return by_order(),
            Bound::Current => 0,
            Bound::Away(distance, _) => distance,
        };
        if !is_range {
            let away = i64::try_from(row.0).unwrap() - i64::try_from(of.0).unwrap();
            return wanted(away.cmp(&distance));
        }
        let (at, descending) = self.order[0];
        match (row.1[at], of.1[at]) {
            (Some(own), Some(other)) => {
                let away = if descending { other - own } else { own - other };
                wanted(away.cmp(&distance))
            }
            // NULL is near to NULL alone.
            _ => by_order(),
        }
    }

    fn frame<'r>(&self, partition: &[&'r Row], of: (usize, &Row)) -> Vec<&'r Row> {
        let (is_range, start, end) = self.frame.unwrap_or((true, Bound::Unbounded, Bound::Current));
        let is_in = |(at, row): &(usize, &&'r Row)| {
            self.is_within(start, false, is_range, (*at, row), of)
                && self.is_within(end, true, is_range, (*at, row), of)
        };
        partition.iter().enumerate().filter(is_in).map(|(_, row)| *row).collect()
    }
}

/// What a function gives for the row at a place of its partition.
type Model = Box<dyn Fn(&Window, &[&Row], usize) -> String>;

/// What a function gives for the rows of a frame.
type Pick = Box<dyn Fn(&[&Row]) -> Option<i64>>;

fn shown<T: ToString>(value: Option<T>) -> String {
    value.map_or("NULL".to_owned(), |value| value.to_string())
}

/// What is asked, and what it is.
fn functions(rng: &mut Rng) -> (String, Model) {
    let number = 1 + rng.index(3);
    if rng.chance(1, 3) {
        return by_order(rng, number);
    }
    let (text, pick) = of_frame(rng, number);
    if text == "SUM(v)" && rng.chance(1, 2) {
        // Doubles, which are added up otherwise; halves are exact.
        let half = move |sum: i64| shown(Some(sum as f64 / 2.0));
        let model = move |window: &Window, partition: &[&Row], at: usize| {
            pick(&window.frame(partition, (at, partition[at]))).map_or("NULL".to_owned(), half)
        };
        return ("SUM(v * 0.5e0)".to_owned(), Box::new(model));
    }
    (text, Box::new(move |window, partition, at| shown(pick(&window.frame(partition, (at, partition[at]))))))
}

/// A function that looks at the frame.
fn of_frame(rng: &mut Rng, number: usize) -> (String, Pick) {
    type Fold = fn(Vec<i64>) -> Option<i64>;
    let folds: [(&str, Fold); 6] = [
        ("SUM(v)", |all| (!all.is_empty()).then(|| all.iter().sum())),
        ("MIN(v)", |all| all.into_iter().min()),
        ("MAX(v)", |all| all.into_iter().max()),
        ("COUNT(v)", |all| i64::try_from(all.len()).ok()),
        ("BIT_XOR(v)", |all| Some(all.into_iter().fold(0, |a, b| a ^ b))),
        ("BIT_OR(v)", |all| Some(all.into_iter().fold(0, |a, b| a | b))),
    ];
    let choice = rng.index(10);
    if let Some((text, fold)) = folds.get(choice).copied() {
        let pick = move |frame: &[&Row]| fold(frame.iter().filter_map(|row| row[2]).collect());
        return (text.to_owned(), Box::new(pick));
    }
    match choice {
        6 => ("COUNT(*)".to_owned(), Box::new(|frame| i64::try_from(frame.len()).ok())),
        7 => ("FIRST_VALUE(id)".to_owned(), Box::new(|frame| frame.first()?[0])),
        8 => ("LAST_VALUE(v)".to_owned(), Box::new(|frame| frame.last()?[2])),
        _ => (format!("NTH_VALUE(v, {number})"), Box::new(move |frame| frame.get(number - 1)?[2])),
    }
}

/// A function that looks at the order alone.
fn by_order(rng: &mut Rng, number: usize) -> (String, Model) {
    let before = |window: &Window, partition: &[&Row], at: usize| {
        let is_before = |row: &&&Row| window.order(row, partition[at]) == Ordering::Less;
        partition.iter().filter(is_before).map(|row| **row).collect::<Vec<Row>>()
    };
    let (text, model): (&str, Model) = match rng.index(5) {
        0 => ("ROW_NUMBER()", Box::new(|_, _, at| (at + 1).to_string())),
        1 => (
            "RANK()",
            Box::new(move |window, partition, at| (before(window, partition, at).len() + 1).to_string()),
        ),
        2 => (
            "DENSE_RANK()",
            Box::new(move |window, partition, at| {
                let key = |row: &Row| window.order.iter().map(|(column, _)| row[*column]).collect();
                let mut keys: Vec<Vec<Option<i64>>> = before(window, partition, at).iter().map(key).collect();
                keys.sort();
                keys.dedup();
                (keys.len() + 1).to_string()
            }),
        ),
        3 => {
            let model = move |_: &Window, partition: &[&Row], at: usize| {
                shown(at.checked_sub(number).map_or(Some(-1), |at| partition[at][2]))
            };
            return (format!("LAG(v, {number}, -1)"), Box::new(model));
        }
        _ => {
            let model = move |_: &Window, partition: &[&Row], at: usize| {
                shown(partition.get(at + number).and_then(|row| row[2]))
            };
            return (format!("LEAD(v, {number})"), Box::new(model));
        }
    };
    (text.to_owned(), model)
}

#[test]
fn random_windows_are_those_of_the_model() {
    let (_db, mut conn) = table();
    let seed = 11;
    let mut rng = Rng::new(seed);
    for round in 0..1500 {
        conn.run("DELETE FROM r");
        let mut rows: Vec<Row> = Vec::new();
        for id in 0..i64::try_from(rng.below(14)).unwrap() {
            let mut value = |limit| (!rng.chance(1, 5)).then(|| i64::try_from(rng.below(limit)).unwrap());
            rows.push([Some(id), value(3), value(8), value(3)]);
            let shown = rows[rows.len() - 1].map(shown);
            conn.run(&format!("INSERT INTO r VALUES ({})", shown.join(", ")));
        }
        // The rows of the first one come in the order of their ids where it leaves that open, unless the other one orders them
        // further.
        let windows = [Window::random(&mut rng), Window::random(&mut rng)];
        let both = rng.chance(1, 3) && !windows[1].keys().starts_with(&windows[0].keys());
        let mut asked = Vec::new();
        for _ in 0..=rng.index(4) {
            let (text, model) = functions(&mut rng);
            asked.push((0, text, model));
        }
        let mut list: Vec<String> = asked.iter().map(|(_, text, _)| format!("{text} OVER w0")).collect();
        if both {
            list.push("COUNT(v) OVER w1".to_owned());
        }
        let query = format!(
            "SELECT id, {} FROM r WINDOW w0 AS ({}), w1 AS ({}) ORDER BY id",
            list.join(", "),
            windows[0].text(),
            windows[1].text()
        );
        let expected = rows.iter().map(|row| {
            let mut shown = vec![row[0].unwrap().to_string()];
            for (window, _, model) in &asked {
                let window: &Window = &windows[*window];
                let partition = window.partition(&rows, row);
                let at = partition.iter().position(|other| other[0] == row[0]).unwrap();
                shown.push(model(window, &partition, at));
            }
            shown.join("|")
        });
        let expected: Vec<String> = expected.collect();
        let mut found = conn.rows(&query);
        if both {
            for row in &mut found {
                row.truncate(row.rfind('|').unwrap());
            }
        }
        assert_eq!(found, expected, "seed {seed}, round {round}: {query}\n{rows:?}");
    }
}

#[test]
fn running_and_sliding_frames_take_a_step_for_each_row() {
    let (_db, mut conn) = table();
    for id in 0..2000 {
        conn.run(&format!("INSERT INTO r VALUES ({id}, 1, {}, 1)", id * 7 % 1000));
    }
    for function in [
        "SUM(v) OVER (ORDER BY id)",
        "MAX(v) OVER (ORDER BY id)",
        "SUM(v * 0.5e0) OVER (ORDER BY id)",
        "SUM(v) OVER (ORDER BY id ROWS 900 PRECEDING)",
        "AVG(v) OVER (ORDER BY id ROWS BETWEEN 500 PRECEDING AND 500 FOLLOWING)",
        "COUNT(v) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)",
        "SUM(v) OVER (ORDER BY v RANGE 300 PRECEDING)",
        "SUM(v) OVER ()",
        "RANK() OVER (ORDER BY v)",
    ] {
        assert_eq!(conn.rows(&format!("SELECT {function} FROM r")).len(), 2000);
        assert!(conn.turns < 150, "{function}: {} turns", conn.turns);
    }
    // What cannot be taken out of a sum is added up anew, and others may run meanwhile.
    conn.rows("SELECT SUM(v * 0.5e0) OVER (ORDER BY id ROWS 900 PRECEDING) FROM r");
    assert!(conn.turns > 5000, "{} turns", conn.turns);
}

#[test]
fn kept_rows_have_a_bound() {
    let (_db, mut conn) = table();
    for id in 0..100 {
        conn.run(&format!("INSERT INTO r VALUES ({id}, 1, 2, 3)"));
    }
    for (query, enough) in [
        ("SELECT ROW_NUMBER() OVER () FROM r LIMIT 1", 100_000),
        ("SELECT SUM(v) OVER (ORDER BY id) FROM r LIMIT 1", 100_000),
        ("SELECT JSON_ARRAYAGG(v) OVER (ORDER BY id) FROM r LIMIT 1", 400_000),
        ("SELECT g, RANK() OVER (ORDER BY SUM(v)) FROM r GROUP BY id", 200_000),
    ] {
        conn.memory_max = enough;
        conn.rows(query);
        conn.memory_max = enough / 30;
        assert_eq!(conn.error(query).0, ER_OUT_OF_SORTMEMORY.code, "{query}");
    }
}

#[test]
fn what_nothing_looks_at_is_not_kept() {
    let mut db = Db::new();
    let text = |name| (name, varchar(1000), true, DefaultValue::Null);
    db.create(&Spec {
        name: "wide",
        columns: vec![("id", int(IntSize::Int), false, DefaultValue::None), text("a"), text("b")],
        indexes: vec![("PRIMARY", IndexKind::Primary, vec![0])],
        auto_increment: None,
    });
    let mut conn = db.connect();
    let long = "x".repeat(1000);
    for id in 0..100 {
        conn.run(&format!("INSERT INTO wide VALUES ({id}, '{long}', '{long}')"));
    }
    // Enough for the rows' places, keys and results, and for one of the texts.
    for (query, enough) in [
        ("SELECT RANK() OVER (ORDER BY id) FROM wide", 60_000),
        ("SELECT COUNT(a) OVER () FROM wide", 160_000),
        ("SELECT COUNT(a) OVER (), LENGTH(b) FROM wide", 260_000),
    ] {
        conn.memory_max = enough;
        assert_eq!(conn.rows(query).len(), 100, "{query}");
        conn.memory_max = enough - 50_000;
        assert_eq!(conn.error(query).0, ER_OUT_OF_SORTMEMORY.code, "{query}");
    }
}

#[test]
fn rows_come_in_the_order_of_the_last_window() {
    let (_db, mut conn) = table();
    conn.run("INSERT INTO r VALUES (1, 2, 5, 0), (2, 1, 5, 0), (3, 2, 4, 0), (4, NULL, 5, 0)");
    for (functions, ids) in [
        ("RANK() OVER (ORDER BY v)", ["3", "1", "2", "4"]),
        ("RANK() OVER (ORDER BY v), RANK() OVER (ORDER BY id DESC)", ["4", "3", "2", "1"]),
        ("RANK() OVER (ORDER BY id DESC), SUM(v) OVER ()", ["4", "3", "2", "1"]),
        ("RANK() OVER (PARTITION BY g ORDER BY v), COUNT(*) OVER (PARTITION BY g)", ["4", "2", "3", "1"]),
        ("COUNT(*) OVER (PARTITION BY g), RANK() OVER (PARTITION BY g ORDER BY v)", ["4", "2", "3", "1"]),
    ] {
        let rows = conn.rows(&format!("SELECT id, {functions} FROM r"));
        let found: Vec<&str> = rows.iter().map(|row| row.split('|').next().unwrap()).collect();
        assert_eq!(found, ids, "{functions}");
    }
}
