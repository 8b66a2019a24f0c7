//! Purpose: an answer that waits for a commit comes behind it, and at once; its session need not do anything for that.
//!
//! Requirements: R1. nothing is answered before the commit is done; R2. the session is shown as running until then, and as idle from
//! then on; R3. a command that comes before the answer is executed behind it; R4. answers that the socket does not take at once
//! come whole and in order; R5. a client that goes leaves its commit alone, and its session ends behind that.
//!
//! Method: commits that are done when the test says so.

use std::io::{Read, Write};
use std::sync::atomic::Ordering;

use server::net::CommandKind;

use super::host::{Host, until};
use crate::client::{Client, Login};

/// An OK packet of the host's sessions, in protocol 4.1.
const OK: [u8; 11] = [7, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0];

/// Commits that are done when the test says so: among few and among many.
const COMMITS: [&str; 2] = ["commit", "commit crowded"];

/// COM_QUERY.
fn query(sql: &str) -> Vec<u8> {
    let size = u8::try_from(sql.len() + 1).unwrap();
    [&[size, 0, 0, 0, 3], sql.as_bytes()].concat()
}

impl Host {
    fn shown(&self, client: &Client) -> CommandKind {
        let rows = self.net.connections.processes();
        rows.into_iter().find(|row| row.id == client.connection_id).unwrap().command
    }
}

#[test]
fn an_answer_comes_behind_its_commit() {
    let host = Host::start(&[]);
    let ways = [host.address(), host.local()];
    for (address, commit) in ways.iter().flat_map(|way| COMMITS.map(|commit| (way, commit))) {
        let mut client = Client::connect(address, &Login::new("root", "")).unwrap();
        let before = host.signals.waiting.load(Ordering::SeqCst);
        client.command(&query(commit)[4..]).unwrap();
        host.until_waiting(before + 1);
        host.pass_time();
        assert!(client.stream.is_silent());
        assert_eq!(host.shown(&client), CommandKind::Query);
        host.signals.release.notify_one();
        client.answer().unwrap();
        until(|| host.shown(&client) == CommandKind::Sleep);
        client.query("ok").unwrap();
    }
}

#[test]
fn a_command_that_comes_before_the_answer_is_executed_behind_it() {
    let host = Host::start(&[]);
    for commit in COMMITS {
        let mut client = host.root();
        let before = host.signals.waiting.load(Ordering::SeqCst);
        client.stream.write_all(&[query(commit), query("hang")].concat()).unwrap();
        host.until_waiting(before + 1);
        host.pass_time();
        assert_eq!(host.signals.waiting.load(Ordering::SeqCst), before + 1);
        host.signals.release.notify_one();
        host.until_waiting(before + 2);
        let mut answer = [0; OK.len()];
        client.stream.read_exact(&mut answer).unwrap();
        assert_eq!(answer, OK);
    }
}

#[test]
fn answers_that_the_socket_does_not_take_come_in_order() {
    const COUNT: u32 = 20_000;
    let host = Host::start(&[]);
    // A local socket takes some hundred answers that nobody reads.
    let mut client = Client::connect(&host.local(), &Login::new("root", "")).unwrap();
    let mut writing = client.stream.try_clone();
    let text = query("committed");
    let begun = || host.signals.committed.load(Ordering::SeqCst);
    std::thread::scope(|scope| {
        scope.spawn(|| (0..COUNT).for_each(|_| writing.write_all(&text).unwrap()));
        // As long as the server takes commands: it stops when nobody reads.
        let mut seen = u32::MAX;
        until(|| std::mem::replace(&mut seen, begun()) == begun() && seen > 0);
        let mut answer = [0; OK.len()];
        for number in 0..COUNT {
            client.stream.read_exact(&mut answer).unwrap();
            assert_eq!(answer, OK, "answer {number}");
        }
    });
    assert_eq!(begun(), COUNT);
    client.query("ok").unwrap();
}

#[test]
fn a_client_that_goes_leaves_its_commit_alone() {
    let host = Host::start(&[]);
    let mut client = host.root();
    client.command(b"\x03commit crowded").unwrap();
    host.until_waiting(1);
    let id = client.connection_id;
    drop(client);
    host.pass_time();
    let is_there = || host.net.connections.processes().iter().any(|row| row.id == id);
    assert!(is_there());
    host.signals.release.notify_one();
    until(|| !is_there());
    assert_eq!(host.signals.committed.load(Ordering::SeqCst), 1);
    host.root().query("ok").unwrap();
}
