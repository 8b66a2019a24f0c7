//! Purpose: a consumer that loses, repeats, swaps or changes anything is noticed.
//! Method: what a faithful consumer would write of some phases, then broken in one place.

use rig::random::Random;

use super::super::model::Table;
use super::super::values::Kind;
use super::*;

struct Case {
    phases: Vec<Phase>,
    lines: Vec<Line>,
}

/// A phase before the snapshot, one in which it is taken (after three transactions), one of two sessions.
fn case(snapshot: bool) -> Case {
    let mut random = Random::new(3);
    let mut tables =
        ["a", "b"].map(|name| Table::new(name, true, &[("v", Kind::Varchar(9)), ("d", Kind::Date)]));
    let mut some = |table: &mut Table, count: usize| -> Vec<Trx> {
        (0..count).map(|_| [table.insert(2, &mut random).1, table.delete(&(1..=1)).1].concat()).collect()
    };
    let [a, b] = &mut tables;
    let phases = vec![vec![some(a, 2)], vec![some(a, 6)], vec![some(a, 3), some(b, 3)]];
    let mut lines = Vec::new();
    let mut number = 0;
    let mut stream = |trxs: &mut dyn Iterator<Item = &Trx>| {
        for trx in trxs {
            number += 1;
            let lines_of =
                |change: &Change| Line { trx: Some(format!("u:{number}")), change: change.clone() };
            lines.extend(trx.iter().map(lines_of));
        }
    };
    stream(&mut phases[0][0].iter());
    stream(&mut phases[1][0].iter());
    let (first, second) = (&phases[2][0], &phases[2][1]);
    stream(&mut [&second[0], &first[0], &first[1], &second[1], &second[2], &first[2]].into_iter());
    if snapshot {
        let mut state = State::new();
        phases[0][0].iter().chain(&phases[1][0][..3]).for_each(|trx| apply(&mut state, trx));
        let read = |((table, row), _): (&(&str, &Image), &i64)| Line {
            trx: None,
            change: Change {
                op: "read".into(),
                table: (*table).into(),
                before: None,
                after: Some((*row).clone()),
            },
        };
        let reads: Vec<Line> = state.iter().map(read).collect();
        lines.retain(|line| place(line.trx.as_ref().unwrap()).1 > 5);
        lines.splice(0..0, reads);
    }
    Case { phases, lines }
}

fn noticed(snapshot: bool, spoil: impl FnOnce(&mut Vec<Line>)) -> String {
    let mut case = case(snapshot);
    spoil(&mut case.lines);
    compare(&case.lines, &case.phases, snapshot).unwrap_err().to_string()
}

#[test]
fn a_faithful_consumer_passes() {
    let streamed = case(false);
    let summary = compare(&streamed.lines, &streamed.phases, false).unwrap();
    assert_eq!((summary.reads, summary.transactions), (0, 14));
    let copied = case(true);
    let summary = compare(&copied.lines, &copied.phases, true).unwrap();
    assert_eq!((summary.reads > 0, summary.transactions), (true, 9));
}

#[test]
fn each_change_that_is_missing_twice_or_out_of_order_is_noticed() {
    for snapshot in [false, true] {
        for nth in 0..case(snapshot).lines.len() {
            noticed(snapshot, |lines| drop(lines.remove(nth)));
            noticed(snapshot, |lines| lines.insert(nth, lines[nth].clone()));
            let reads = case(snapshot).lines.iter().filter(|line| line.trx.is_none()).count();
            if nth > reads {
                noticed(snapshot, |lines| lines.swap(nth - 1, nth));
            }
        }
    }
}

#[test]
fn values_and_names_count() {
    let said = noticed(false, |lines| {
        lines[4].change.after.as_mut().unwrap().insert("d".into(), Some("0001-01-01".into()));
    });
    assert!(said.contains("d=\"0001-01-01\""), "{said}");
    noticed(true, |lines| {
        let row = lines[0].change.after.as_mut().unwrap();
        let val = row.remove("v").unwrap();
        row.insert("w".into(), val);
    });
}

#[test]
fn transactions_that_are_split_or_swapped_are_noticed() {
    noticed(false, |lines| lines[0].trx = Some("u:0".into()));
    let said = noticed(false, |lines| lines[0].trx = Some("u:99".into()));
    assert!(said.contains("does not come after"), "{said}");
    // Whole transactions of one session in the wrong order, numbered as if they were right.
    noticed(false, |lines| {
        let numbers: Vec<_> = lines.iter().map(|line| line.trx.clone()).collect();
        lines[2..8].rotate_left(3);
        lines.iter_mut().zip(numbers).for_each(|(line, trx)| line.trx = trx);
    });
}

#[test]
fn lines_are_read() {
    let line = r#"{"trx":"u:1","op":"insert","database":"cdc","table":"t","before":null,"after":{"id":"1","v":null}}"#;
    let line = parse(line).unwrap();
    assert_eq!(line.change.after.unwrap()["v"], None);
    assert!(parse("{").is_err());
    assert!(parse(r#"{"op":"insert","database":"cdc","table":"t","before":null,"after":{"id":1}}"#).is_err());
}
