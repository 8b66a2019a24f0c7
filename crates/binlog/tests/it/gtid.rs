//! Purpose: sets of GTIDs behave like sets and look like MySQL's.
//!
//! Requirements: text in and out as MySQL 8.0 and 9.7 (the table below was made with
//! `SELECT GTID_SUBTRACT(text, '')` on both; where they differ, the comment says whom we follow); binary form as in
//! MySQL's PREVIOUS_GTIDS; every operation equals that on a plain set of pairs.
//!
//! Method: tables from the servers, and random operations against a `BTreeSet` as the model.

use std::collections::{BTreeMap, BTreeSet};

use binlog::gtid::{GNO_MAX, Interval};
use binlog::{Gtid, GtidSet, Uuid};
use proptest::prelude::*;

use crate::support::SID;

const A: &str = "33dd3342-e5eb-11f1-bc19-02fc00000001";
const B: &str = "11111111-2222-3333-4444-555555555555";

/// What the servers answered; `A` and `B` stand for the UUIDs.
const ACCEPTED: [(&str, &str); 19] = [
    ("", ""),
    (" ", ""),
    (" ,", ""),
    ("A", ""),
    ("A:1-5", "A:1-5"),
    ("A:1-5:7-9,B:3", "B:3,\nA:1-5:7-9"),
    ("A:5-3", ""),
    ("A:5-3:7", "A:7"),
    ("A:1-0", ""),
    ("A:9223372036854775806", "A:9223372036854775806"),
    (" A : 1 - 5 : 7 , ", "A:1-5:7"),
    ("A:1-5,,A:6", "A:1-6"),
    (",A:1", "A:1"),
    ("A:01", "A:1"),
    ("A:1 - 5:3-8:20:10-12", "A:1-8:10-12:20"),
    ("A:1-5\n,\nB:1", "B:1,\nA:1-5"),
    ("A\t:\t1\t-\t2", "A:1-2"),
    ("33DD3342-E5EB-11f1-bc19-02fc00000001:1", "A:1"),
    ("A:1-9223372036854775806", "A:1-9223372036854775806"),
];

const REFUSED: [&str; 22] = [
    "A:",
    "A:0",
    "A:9223372036854775807",
    "A:1-9223372036854775807",
    "A:9223372036854775808",
    "A:18446744073709551617",
    "A:1::3",
    "A:1:",
    "A:-1",
    "A:1 2",
    "A:1;",
    "A:1 A:2",
    "33dd3342 -e5eb-11f1-bc19-02fc00000001:1",
    "33dd3342-e5eb11f1-bc19-02fc00000001:1",
    "+33dd3342-e5eb-11f1-bc19-02fc00000001:1",
    "{33dd3342-e5eb-11f1-bc19-02fc00000001:1",
    // 8.0 refuses these forms of UUIDs, 9.7 takes them.
    "33dd3342e5eb11f1bc1902fc00000001:1",
    "A:tag:1",
    // 9.7 refuses these numbers, 8.0 takes them.
    "A:1-",
    "A:+1",
    "A:0x1",
    "A:1\u{a0}",
];

fn expand(text: &str) -> String {
    text.replace('A', A).replace('B', B)
}

#[test]
fn text_is_understood_and_printed_as_by_mysql() {
    for (text, printed) in ACCEPTED {
        // UUIDs in upper case hold the letters that stand for others.
        let text = if text.starts_with("33DD") { text.to_owned() } else { expand(text) };
        let set: GtidSet = text.parse().unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(set.to_string(), expand(printed), "{text:?}");
    }
}

#[test]
fn malformed_text_is_refused_at_the_place_where_it_goes_wrong() {
    for text in REFUSED {
        assert!(expand(text).parse::<GtidSet>().is_err(), "{text:?}");
    }
    assert_eq!(expand("A:1:x").parse::<GtidSet>().unwrap_err().at, 39);
}

#[test]
fn a_single_gtid_is_understood_as_by_gtid_next() {
    let gtid = Gtid { sid: SID, gno: 7 };
    assert_eq!(expand(" A : 7 ").parse(), Ok(gtid));
    assert_eq!(gtid.to_string(), expand("A:7"));
    for text in ["A", "A:", "A:0", "A:7-8", "A:7,B:1", "A:7:8", "", "B7"] {
        assert!(expand(text).parse::<Gtid>().is_err(), "{text:?}");
    }
}

#[test]
fn the_binary_form_is_that_of_previous_gtids() {
    // Body of PREVIOUS_GTIDS in tests/golden/mysql97-nochecksum.000003.
    let bytes = "0200000000000000\
        11111111222233334444555555555555\
        0200000000000000\
        07000000000000000800000000000000\
        09000000000000000a00000000000000\
        33dd3342e5eb11f1bc1902fc00000001\
        0100000000000000\
        01000000000000001c00000000000000";
    let bytes: Vec<u8> = (0..bytes.len() / 2)
        .map(|index| u8::from_str_radix(&bytes[2 * index..2 * index + 2], 16).unwrap())
        .collect();
    let set: GtidSet = expand("A:1-27,B:7:9").parse().unwrap();
    let mut encoded = Vec::new();
    set.encode(&mut encoded);
    assert_eq!(encoded, bytes);
    assert_eq!(set.encoded_len(), bytes.len());
    assert_eq!(GtidSet::decode(&bytes), Ok(set));
}

#[test]
fn a_binary_form_that_mysql_would_not_write_is_refused() {
    let mut good = Vec::new();
    "33dd3342-e5eb-11f1-bc19-02fc00000001:5-9:20".parse::<GtidSet>().unwrap().encode(&mut good);
    let with = |at: usize, value: u64| {
        let mut bytes = good.clone();
        bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        GtidSet::decode(&bytes)
    };
    assert!(with(0, 1).is_ok());
    assert!(with(0, 2).is_err(), "more servers than bytes");
    assert!(with(0, u64::MAX).is_err());
    assert!(with(0, 1 << 56 | 1).is_err(), "a set with tags");
    assert!(with(24, 3).is_err(), "more intervals than bytes");
    assert!(with(24, 1).is_err(), "bytes behind the last interval");
    assert!(with(32, 0).is_err(), "numbers begin at 1");
    assert!(with(40, 5).is_err(), "an empty interval");
    assert!(with(40, 20).is_err(), "intervals that touch");
    assert!(with(56, u64::MAX).is_err(), "a number beyond the largest");
    for len in 0..good.len() {
        assert!(GtidSet::decode(&good[..len]).is_err(), "cut to {len} bytes");
    }
}

#[test]
fn automatic_numbers_come_from_the_first_gap() {
    let set: GtidSet = expand("A:1-5:8:10-12").parse().unwrap();
    let run = |from| set.free_run(&SID, from).map(|run| (run.start, run.end));
    assert_eq!(run(1), Some((6, 8)));
    assert_eq!(run(7), Some((7, 8)));
    assert_eq!(run(8), Some((9, 10)));
    assert_eq!(run(11), Some((13, GNO_MAX + 1)));
    assert_eq!(run(GNO_MAX), Some((GNO_MAX, GNO_MAX + 1)));
    assert_eq!(set.free_run(&Uuid::default(), 0).map(|run| run.start), Some(1));
    let full: GtidSet = expand("A:1-9223372036854775806").parse().unwrap();
    assert_eq!(full.free_run(&SID, 1), None, "numbers are exhausted");
}

/// One change of a set, on numbers and servers so few that runs meet all the time.
#[derive(Clone, Debug)]
enum Change {
    Add(u8, u64),
    AddRun(u8, u64, u64),
    AddSet(Vec<(u8, u64)>),
    Subtract(Vec<(u8, u64)>),
}

fn pair() -> impl Strategy<Value = (u8, u64)> {
    (0_u8..3, 1_u64..24)
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        pair().prop_map(|(sid, gno)| Change::Add(sid, gno)),
        (pair(), 0_u64..10).prop_map(|((sid, gno), more)| Change::AddRun(sid, gno, gno + more)),
        prop::collection::vec(pair(), 0..12).prop_map(Change::AddSet),
        prop::collection::vec(pair(), 0..12).prop_map(Change::Subtract),
    ]
}

fn sid(index: u8) -> Uuid {
    Uuid([index + 1; 16])
}

fn set_of(pairs: &[(u8, u64)]) -> GtidSet {
    pairs.iter().map(|&(index, gno)| Gtid { sid: sid(index), gno }).collect()
}

type Model = BTreeSet<(u8, u64)>;

fn apply(set: &mut GtidSet, model: &mut Model, change: &Change) {
    match change {
        Change::Add(index, gno) => {
            let new = set.add(Gtid { sid: sid(*index), gno: *gno });
            assert_eq!(new, model.insert((*index, *gno)));
        }
        Change::AddRun(index, first, last) => {
            set.add_run(sid(*index), Interval::inclusive(*first, *last).unwrap());
            model.extend((*first..=*last).map(|gno| (*index, gno)));
        }
        Change::AddSet(pairs) => {
            let mut runs = BTreeMap::<Uuid, Vec<Interval>>::new();
            for (index, gno) in pairs {
                runs.entry(sid(*index)).or_default().push(Interval { start: *gno, end: gno + 1 });
            }
            let other = GtidSet::of_runs(runs);
            assert_eq!(other, set_of(pairs));
            set.add_set(&other);
            model.extend(pairs);
        }
        Change::Subtract(pairs) => {
            set.subtract(&set_of(pairs));
            model.retain(|pair| !pairs.contains(pair));
        }
    }
}

/// The set's invariants and its agreement with the model.
fn check(set: &GtidSet, model: &Model) {
    for index in 0..3 {
        for gno in 1..40 {
            let gtid = Gtid { sid: sid(index), gno };
            assert_eq!(set.contains(gtid), model.contains(&(index, gno)), "{gtid}");
        }
        let free = set.free_run(&sid(index), 3).unwrap();
        let first = (3..40).find(|gno| !model.contains(&(index, *gno))).unwrap();
        assert_eq!(free.start, first);
        let end = (first..40).find(|gno| model.contains(&(index, *gno)));
        assert_eq!(free.end, end.unwrap_or(GNO_MAX + 1));
    }
    let mut runs = 0;
    for (_, own) in set.sids() {
        assert!(!own.runs().is_empty());
        assert!(own.runs().is_sorted_by(|a, b| a.end < b.start), "runs have gaps between them");
        assert!(own.runs().iter().all(|run| run.start < run.end));
        runs += own.runs().len();
    }
    assert_eq!(set.run_count(), runs);
    assert_eq!(set.is_empty(), model.is_empty());
    let mut bytes = Vec::new();
    set.encode(&mut bytes);
    assert_eq!(bytes.len(), set.encoded_len());
    assert_eq!(&GtidSet::decode(&bytes).unwrap(), set);
    assert_eq!(&set.to_string().parse::<GtidSet>().unwrap(), set);
}

proptest! {
    #[test]
    fn a_set_is_a_set(changes in prop::collection::vec(change(), 1..30), others in prop::collection::vec(pair(), 0..12)) {
        let (mut set, mut model) = (GtidSet::new(), Model::new());
        for change in &changes {
            apply(&mut set, &mut model, change);
            check(&set, &model);
        }
        let other = set_of(&others);
        let other_model: Model = others.iter().copied().collect();
        prop_assert_eq!(other.is_subset(&set), other_model.is_subset(&model));
        prop_assert_eq!(set.is_subset(&other), model.is_subset(&other_model));
        prop_assert_eq!(set.intersects(&other), !model.is_disjoint(&other_model));
        prop_assert_eq!(other.intersects(&set), !model.is_disjoint(&other_model));
    }

    #[test]
    fn no_text_panics(text in "[0-9a-f:,\\- A-F{}\n]{0,60}|.{0,40}") {
        if let Ok(set) = text.parse::<GtidSet>() {
            prop_assert_eq!(set.to_string().parse::<GtidSet>().unwrap(), set);
        }
        let _ = text.parse::<Gtid>();
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
        let _ = GtidSet::decode(&bytes);
    }
}

/// As many intervals as fit into a packet of 64 MiB, in the order that is worst for a set that grows one by one.
#[test]
fn large_sets_are_built_and_combined_in_one_pass() {
    const RUNS: u64 = 3_000_000;
    let sid = sid(1);
    let numbers = (1..=RUNS).rev().map(|number| number * 3);
    let text = numbers.clone().fold(sid.to_string(), |text, number| text + ":" + &number.to_string());
    let threes: GtidSet = text.parse().unwrap();
    assert_eq!(threes.run_count(), 3_000_000);
    let runs = numbers.map(|number| Interval { start: number + 1, end: number + 2 }).collect();
    let behind = GtidSet::of_runs([(sid, runs)].into());
    let mut both = threes.clone();
    both.add_set(&behind);
    assert_eq!(both.run_count(), 3_000_000);
    assert!(threes.is_subset(&both) && behind.is_subset(&both) && !both.is_subset(&threes));
    both.subtract(&threes);
    assert_eq!(both, behind);
    both.subtract(&behind);
    assert!(both.is_empty());
    assert_eq!(both.run_count(), 0);
}
