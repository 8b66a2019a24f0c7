//! Purpose: KILL stops what it is told to stop, and nothing else.
//!
//! Requirements: R1. KILL QUERY ends the statement with 1317, whatever of its reply was begun, and the session goes
//! on; on an idle session it does nothing; R2. KILL ends the connection, idle or not; R3. a commit that the pipeline
//! owns is not stopped; R4. a session that stops by itself is told; R5. SHOW PROCESSLIST shows who does what.
//!
//! Method: sessions that wait until they are stopped.

use std::sync::atomic::Ordering;

use server::net::{CommandKind, KillKind};

use super::host::{Host, until};

#[test]
fn a_killed_query_is_answered_with_1317_and_the_session_goes_on() {
    let host = Host::start(&[]);
    let mut client = host.root();
    for (number, sql) in (1..).zip(["hang", "half", "hang"]) {
        client.command(&[&[3], sql.as_bytes()].concat()).unwrap();
        host.until_waiting(number);
        assert!(host.net.connections.kill(client.connection_id, KillKind::Query));
        assert_eq!(client.answer().unwrap_err().code(), 1317);
        client.query("ok").unwrap();
    }
    assert_eq!(host.signals.interrupted.load(Ordering::SeqCst), 3);
    assert!(host.net.connections.kill(client.connection_id, KillKind::Query));
    client.query("ok").unwrap();
    assert!(!host.net.connections.kill(99_999, KillKind::Query), "there is no such connection");
}

#[test]
fn a_killed_connection_ends() {
    let host = Host::start(&[]);
    let mut idle = host.root();
    let mut busy = host.root();
    busy.command(b"\x03hang").unwrap();
    host.until_waiting(1);
    for id in [idle.connection_id, busy.connection_id] {
        assert!(host.net.connections.kill(id, KillKind::Connection));
    }
    assert!(idle.answer().unwrap_err().is_gone());
    assert!(busy.answer().unwrap_err().is_gone());
    until(|| host.signals.ended.load(Ordering::SeqCst) == 2);
    until(|| host.net.connections.processes().is_empty());
    assert_eq!(host.status("Aborted_clients"), 0);
}

#[test]
fn a_commit_that_the_pipeline_owns_is_not_stopped() {
    let host = Host::start(&[]);
    let kinds = [KillKind::Query, KillKind::Connection];
    let commits = [b"\x03commit".as_slice(), b"\x03commit crowded"];
    for (kind, commit) in kinds.iter().flat_map(|kind| commits.map(|commit| (*kind, commit))) {
        let mut client = host.root();
        let before = host.signals.waiting.load(Ordering::SeqCst);
        client.command(commit).unwrap();
        host.until_waiting(before + 1);
        assert!(host.net.connections.kill(client.connection_id, kind));
        let shown = host.net.connections.processes().into_iter().find(|row| row.id == client.connection_id);
        let ends = kind == KillKind::Connection;
        assert_eq!(shown.unwrap().command, if ends { CommandKind::Killed } else { CommandKind::Query });
        host.pass_time();
        host.signals.release.notify_one();
        client.answer().expect("the commit is acknowledged");
        match kind {
            KillKind::Query => drop(client.query("ok").unwrap()),
            KillKind::Connection => assert!(client.answer().unwrap_err().is_gone()),
        }
    }
    assert_eq!(host.signals.committed.load(Ordering::SeqCst), 4);
    assert_eq!(host.signals.interrupted.load(Ordering::SeqCst), 0);
}

#[test]
fn a_session_that_stops_by_itself_is_told() {
    let host = Host::start(&[]);
    let mut client = host.root();
    client.query("stop yourself").unwrap();
    for kind in [KillKind::Query, KillKind::Connection] {
        let before = host.signals.waiting.load(Ordering::SeqCst);
        client.command(b"\x03stops").unwrap();
        host.until_waiting(before + 1);
        host.net.connections.kill(client.connection_id, kind);
        assert_eq!(client.answer().unwrap_err().code(), 1317);
    }
    assert!(client.ping().unwrap_err().is_gone());
    assert_eq!(host.signals.interrupted.load(Ordering::SeqCst), 0, "nothing was dropped");
}

#[test]
fn the_process_list_shows_who_does_what() {
    let host = Host::start(&[]);
    let idle = host.root();
    let mut busy = host.root();
    let long = format!("size {}", "x".repeat(5000));
    busy.query(&long).unwrap();
    busy.command(b"\x03hang").unwrap();
    host.until_waiting(1);
    let rows = host.net.connections.processes();
    assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), [idle.connection_id, busy.connection_id]);
    assert_eq!((rows[0].command, rows[0].info.as_deref()), (CommandKind::Sleep, None));
    assert_eq!((rows[1].command, rows[1].info.as_deref()), (CommandKind::Query, Some("hang")));
    assert_eq!((rows[1].user.as_str(), rows[1].state), ("root", "executing"));
    assert!(rows[1].host.starts_with("localhost:"));
    assert_eq!((host.status("Threads_connected"), host.status("Threads_running")), (2, 1));
    host.net.connections.kill(busy.connection_id, KillKind::Connection);
    drop(idle);
    until(|| host.net.connections.processes().is_empty());
    assert_eq!(host.status("Queries"), 2);
}

#[test]
fn who_becomes_somebody_else_is_seen_to_do_so() {
    let host = Host::start(&[]);
    let mut client = host.root();
    // `old` has another plugin: the server asks, and waits.
    client.command(b"\x11old\0\0\0\x2D\0caching_sha2_password\0").unwrap();
    assert_eq!(client.packet().unwrap()[0], 0xFE);
    assert_eq!(host.net.connections.processes()[0].command, CommandKind::ChangeUser);
}

#[test]
fn a_long_statement_is_shown_to_the_last_whole_character() {
    let host = Host::start(&[]);
    let mut client = host.root();
    client.command(format!("\x03hang {}", "\u{e4}".repeat(1000)).as_bytes()).unwrap();
    host.until_waiting(1);
    let info = host.net.connections.processes()[0].info.clone().unwrap();
    assert_eq!(info, format!("hang {}", "\u{e4}".repeat(509)));
    host.net.connections.kill(client.connection_id, KillKind::Connection);
}
