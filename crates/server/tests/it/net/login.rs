//! Purpose: who knows the password gets in, over TCP and the socket, with every plugin; nobody else does.
//!
//! Requirements: R1. empty passwords, both plugins, switches between them, COM_CHANGE_USER; R2. refusals with MySQL's
//! errors; R3. a password in clear only on the socket, and its digest remembered for TCP; R4. `connect_timeout`; R5.
//! what a session is told of who it is.
//!
//! Method: a client that does not share the server's code.

use std::io::Read;
use std::sync::atomic::Ordering;

use super::host::{Host, until};
use crate::client::{Client, Login};

#[test]
fn root_without_a_password_is_let_in_on_this_machine() {
    let host = Host::start(&[]);
    for address in [host.address(), host.local()] {
        for plugin in ["caching_sha2_password", "mysql_native_password"] {
            let login = Login { plugin, ..Login::new("root", "") };
            let mut client = Client::connect(&address, &login).unwrap();
            assert_eq!(client.server_version, "8.0.46-onelog");
            let answer = client.query("who").unwrap();
            assert_eq!(answer.rows[0][0].as_deref(), Some("root@localhost as root@localhost in -"));
            client.ping().unwrap();
        }
    }
    let refused = Client::connect(&host.address(), &Login::new("root", "x")).unwrap_err();
    assert_eq!(refused.code(), 1045);
}

#[test]
fn a_password_in_clear_goes_over_the_socket_and_spares_tcp_from_then_on() {
    let host = Host::start(&[]);
    let login = Login::new("app", "secret");
    let refused = Client::connect(&host.address(), &login).unwrap_err();
    assert_eq!(refused.code(), 1045);
    assert!(refused.message().contains("known only after a login over TLS or the local socket"));
    assert_eq!(Client::connect(&host.local(), &Login::new("app", "wrong")).unwrap_err().code(), 1045);
    Client::connect(&host.local(), &login).unwrap();
    let mut client = Client::greet_on(host.stranger([127, 0, 0, 7])).unwrap();
    client.log_in(&login).unwrap();
    let who = client.query("who").unwrap().rows[0][0].clone().unwrap();
    assert_eq!(who, "app@127.0.0.7 as app@% in -");
    assert_eq!(host.status("Onelog_passwords_digested"), 2);
    assert_eq!(Client::connect(&host.address(), &Login::new("app", "wrong")).unwrap_err().code(), 1045);
}

#[test]
fn accounts_of_this_machine_are_nobody_elses() {
    let host = Host::start(&[]);
    let mut client = Client::greet_on(host.stranger([127, 0, 0, 7])).unwrap();
    let failure = client.log_in(&Login::new("root", "")).unwrap_err();
    assert_eq!(failure.code(), 1045);
    assert_eq!(failure.message(), "Access denied for user 'root'@'127.0.0.7' (using password: NO)");
    let alone = Host::start_with(&[], &Host::only_root());
    let failure = Client::greet_on(alone.stranger([127, 0, 0, 7])).unwrap_err();
    assert_eq!(failure.code(), 1130);
    assert_eq!(failure.message(), "Host '127.0.0.7' is not allowed to connect to this MySQL server");
    alone.root().query("ok").unwrap();
}

#[test]
fn plugins_are_switched_to_the_accounts() {
    let host = Host::start(&[]);
    for plugin in ["caching_sha2_password", "mysql_native_password"] {
        let login = Login { plugin, ..Login::new("old", "secret") };
        Client::connect(&host.address(), &login).unwrap();
        let wrong = Login { plugin, ..Login::new("old", "wrong") };
        assert_eq!(Client::connect(&host.address(), &wrong).unwrap_err().code(), 1045);
    }
    let login = Login { plugin: "mysql_native_password", ..Login::new("app", "secret") };
    Client::connect(&host.local(), &login).unwrap();
}

#[test]
fn refusals_have_mysqls_errors() {
    let host = Host::start(&[]);
    let refused = |login: &Login| {
        let failure = Client::connect(&host.local(), login).unwrap_err();
        (failure.code(), failure.message().to_owned())
    };
    assert_eq!(
        refused(&Login::new("nosuch", "x")),
        (1045, "Access denied for user 'nosuch'@'localhost' (using password: YES)".into())
    );
    assert_eq!(
        refused(&Login::new("nosuch", "")),
        (1045, "Access denied for user 'nosuch'@'localhost' (using password: NO)".into())
    );
    assert_eq!(
        refused(&Login::new("locked", "secret")),
        (3118, "Access denied for user 'locked'@'localhost'. Account is locked.".into())
    );
    assert_eq!(
        refused(&Login::new("locked", "wrong")).0,
        1045,
        "only who knows the password learns of the lock"
    );
    let login = Login { database: Some("nosuch".into()), ..Login::new("root", "") };
    assert_eq!(refused(&login), (1049, "Unknown database 'nosuch'".into()));
    until(|| host.status("Aborted_connects") == 5);
}

#[test]
fn a_session_becomes_somebody_else() {
    let host = Host::start(&[]);
    Client::connect(&host.local(), &Login::new("app", "secret")).unwrap();
    let mut client = host.root();
    let login = Login { database: Some("db".into()), ..Login::new("app", "secret") };
    client.change_user(&login).unwrap();
    let who = client.query("who").unwrap().rows[0][0].clone().unwrap();
    assert_eq!(who, "app@localhost as app@% in db");
    let row =
        host.net.connections.processes().into_iter().find(|row| row.id == client.connection_id).unwrap();
    assert_eq!((row.user.as_str(), row.db.as_deref()), ("app", Some("db")));
    client.change_user(&Login::new("root", "")).unwrap();
    assert_eq!(client.change_user(&Login::new("app", "wrong")).unwrap_err().code(), 1045);
    assert!(client.ping().unwrap_err().is_gone(), "a failed change ends the connection");
}

#[test]
fn who_says_nothing_is_told_so_after_connect_timeout() {
    let host = Host::start(&[("connect_timeout", 2)]);
    let mut silent = Client::greet(&host.address()).unwrap();
    let mut slow = Client::greet(&host.address()).unwrap();
    assert_eq!(silent.packet().map(|packet| u16::from_le_bytes([packet[1], packet[2]])).unwrap(), 1159);
    let mut rest = Vec::new();
    assert_eq!(silent.stream.read_to_end(&mut rest).unwrap(), 0);
    slow.stream.read_to_end(&mut rest).unwrap();
    until(|| host.status("Aborted_connects") == 2);
    assert_eq!(host.signals.ended.load(Ordering::SeqCst), 0);
}

#[test]
fn every_user_of_the_machine_may_use_the_socket() {
    use std::os::unix::fs::PermissionsExt;
    let host = Host::start(&[]);
    let mode = host.socket.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o777);
}
