//! Purpose: the server ends in order.
//!
//! Requirements: R1. nobody is accepted any more, and idle clients are told; R2. commands under way are finished
//! within the server's patience; R3. those that are not are stopped; R4. a session that ends with a panic harms
//! nobody else.
//!
//! Method: sessions in each state when the server stops.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::host::{Host, until};
use crate::client::Client;

#[test]
fn idle_clients_are_told_and_nobody_is_let_in() {
    let host = Host::start(&[]);
    let (address, local, socket) = (host.address(), host.local(), host.socket.clone());
    let mut idle = host.root();
    let signals = Arc::clone(&host.signals);
    assert!(host.stop(Duration::from_secs(20)));
    let failure = idle.answer_unasked();
    assert_eq!((failure.code(), failure.message()), (1053, "Server shutdown in progress"));
    assert!(Client::greet(&address).unwrap_err().is_gone());
    assert!(Client::greet(&local).unwrap_err().is_gone());
    assert!(!socket.exists());
    assert_eq!(signals.ended.load(Ordering::SeqCst), 1);
}

#[test]
fn commands_under_way_are_finished() {
    for commit in [b"\x03commit".as_slice(), b"\x03commit crowded"] {
        is_finished(commit);
    }
}

fn is_finished(command: &[u8]) {
    let host = Host::start(&[]);
    let mut busy = host.root();
    busy.command(command).unwrap();
    host.until_waiting(1);
    let signals = Arc::clone(&host.signals);
    std::thread::scope(|scope| {
        let address = host.address();
        let stopped = scope.spawn(move || host.stop(Duration::from_secs(20)));
        until(|| Client::greet(&address).is_err());
        signals.release.notify_one();
        busy.answer().expect("the command is finished");
        assert!(stopped.join().unwrap());
    });
    // If it was idle again for a moment, it was told so.
    let _ = busy.stream.read_to_end(&mut Vec::new());
    assert!(busy.ping().unwrap_err().is_gone());
}

#[test]
fn commands_that_do_not_end_are_stopped() {
    let host = Host::start(&[]);
    let mut busy = host.root();
    busy.command(b"\x03hang").unwrap();
    host.until_waiting(1);
    let signals = Arc::clone(&host.signals);
    assert!(host.stop(Duration::from_millis(100)));
    assert!(busy.answer().unwrap_err().is_gone());
    assert_eq!(signals.interrupted.load(Ordering::SeqCst), 1);
}

#[test]
fn a_commit_that_is_never_done_does_not_hold_up_the_end_for_good() {
    for commit in [b"\x03commit".as_slice(), b"\x03commit crowded"] {
        let host = Host::start(&[]);
        let mut busy = host.root();
        busy.command(commit).unwrap();
        host.until_waiting(1);
        assert!(host.stop(Duration::from_millis(50)));
        assert!(busy.answer().unwrap_err().is_gone());
    }
}

#[test]
fn a_session_that_panics_harms_nobody_else() {
    let host = Host::start(&[]);
    let mut other = host.root();
    let mut doomed = host.root();
    assert!(doomed.query("panic").unwrap_err().is_gone());
    other.query("ok").unwrap();
    until(|| host.net.connections.processes().len() == 1);
    assert_eq!((host.status("Threads_connected"), host.status("Connection_errors_internal")), (1, 1));
    host.root().query("ok").unwrap();
}
