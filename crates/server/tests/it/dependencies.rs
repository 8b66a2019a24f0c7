//! Purpose: what a session keeps from one commit to the next reaches the stamps of its GTID events.
//!
//! Requirements: R1. with WRITESET_SESSION a session's transaction depends on its last one, whichever rows it changes; R2. another
//! session's does not; R3. with WRITESET neither does.
//!
//! Method: the stamps in the file of a whole server. What they follow from is tested in `commit::dependencies`.

use crate::whole::{World, ok, rows};

const GTID_EVENT: u8 = 33;

/// `last_committed` and `sequence_number` of each transaction in the first binlog file.
fn stamps(world: &World) -> Vec<(u64, u64)> {
    let bytes = world.read("binlog.000001");
    let mut rest = &bytes[4..];
    let mut found = Vec::new();
    while !rest.is_empty() {
        let size = u32::from_le_bytes(*rest[9..].first_chunk().unwrap());
        let (event, behind) = rest.split_at(usize::try_from(size).unwrap());
        if event[4] == GTID_EVENT {
            // Behind the header: flags, SID, GNO, and what kind of stamps.
            let number = |at: usize| u64::from_le_bytes(*event[19 + at..].first_chunk().unwrap());
            found.push((number(26), number(34)));
        }
        rest = behind;
    }
    found
}

/// Three transactions of one session, one of another, all of different rows; then the stamps, relative to the first's number.
fn four(tracking: &str) -> Vec<(u64, u64)> {
    let world = World::start();
    let (mut root, mut other) = (world.root(), world.root());
    ok(&mut root, "CREATE TABLE d.t (a INT PRIMARY KEY)");
    ok(&mut root, &format!("SET GLOBAL binlog_transaction_dependency_tracking = {tracking}"));
    assert_eq!(rows(&mut root, "SELECT @@transaction_write_set_extraction"), ["XXHASH64"]);
    for row in 1..4 {
        ok(&mut root, &format!("INSERT INTO d.t VALUES ({row})"));
    }
    ok(&mut other, "INSERT INTO d.t VALUES (4)");
    ok(&mut root, "FLUSH BINARY LOGS");
    let stamps = stamps(&world);
    world.stop();
    let last = &stamps[stamps.len() - 4..];
    let first = last[0].1;
    last.iter().map(|(parent, number)| ((parent + 1).saturating_sub(first), number - first)).collect()
}

#[test]
fn a_session_depends_on_itself_only_if_that_is_asked_for() {
    assert_eq!(four("WRITESET_SESSION"), [(0, 0), (1, 1), (2, 2), (0, 3)]);
    assert_eq!(four("WRITESET"), [(0, 0), (0, 1), (0, 2), (0, 3)]);
}
