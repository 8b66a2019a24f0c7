//! Purpose: every bound on connections holds at n and n + 1.
//!
//! Requirements: R1. `max_connections` sessions, and one administrator more on the socket; R2. 48 connections by TCP
//! that have not logged in, 16 by the socket; those that stall make room; R3. `max_connect_errors`; R4. 16 packets and
//! 64 KiB a packet before the login, `max_allowed_packet` after it, whatever is announced; R5. `wait_timeout`,
//! `net_read_timeout`, `net_write_timeout`.
//!
//! Method: as many clients as it takes.

use std::io::{Read, Write};
use std::sync::atomic::Ordering;

use super::host::{Host, until};
use crate::client::{Client, Login};

#[test]
fn one_connection_more_than_max_connections_is_refused_but_for_an_administrator_on_the_socket() {
    let host = Host::start(&[("max_connections", 3)]);
    let mut clients: Vec<_> = (0..3).map(|_| host.root()).collect();
    let refused = Client::greet(&host.address()).unwrap_err();
    assert_eq!((refused.code(), refused.message()), (1040, "Too many connections"));
    let user = Client::connect(&host.local(), &Login::new("app", "secret")).unwrap_err();
    assert_eq!(user.code(), 1040, "the place is an administrator's");
    let mut admin = Client::connect(&host.local(), &Login::new("root", "")).unwrap();
    assert_eq!(Client::greet(&host.local()).unwrap_err().code(), 1040);
    admin.ping().unwrap();
    drop(clients.pop());
    drop(admin);
    until(|| host.net.connections.sessions() == 2);
    clients.push(host.root());
    for client in &mut clients {
        client.ping().unwrap();
    }
    assert_eq!(host.status("Max_used_connections"), 4);
    assert_eq!(host.status("Connection_errors_max_connections"), 3);
}

#[test]
fn clients_that_stall_before_their_login_make_room() {
    let host = Host::start(&[]);
    // More than there are places: all of them are greeted in the end, the first ones lose their places.
    let mut stalled: Vec<_> = (0..48).map(|_| Client::greet(&host.address()).unwrap()).collect();
    assert_eq!(host.net.connections.processes().len(), 48);
    let late = host.root();
    let mut gone = 0;
    for client in &mut stalled {
        client.stream.set_timeout(std::time::Duration::from_millis(20));
        if matches!(client.stream.read(&mut [0]), Ok(0)) {
            gone += 1;
        }
    }
    assert!((1..=3).contains(&gone), "{gone} made room");
    drop(late);
    let mut local: Vec<_> = (0..16).map(|_| Client::greet(&host.local()).unwrap()).collect();
    Client::connect(&host.local(), &Login::new("root", "")).expect("the socket has places of its own");
    local.clear();
}

#[test]
fn a_crowd_of_clients_is_let_in_one_after_another() {
    let host = Host::start(&[("max_connections", 500)]);
    std::thread::scope(|scope| {
        let crowd: Vec<_> = (0..300).map(|_| scope.spawn(|| host.root())).collect();
        for client in crowd {
            client.join().unwrap().ping().unwrap();
        }
    });
    assert_eq!(host.status("Aborted_connects"), 0);
}

#[test]
fn a_host_is_blocked_after_max_connect_errors_in_a_row() {
    let host = Host::start(&[("max_connect_errors", 3)]);
    let stranger = |last| Client::greet_on(host.stranger([127, 0, 0, last]));
    let garbage = |mut client: Client| {
        client.send(b"garbage").unwrap();
        assert_eq!(client.packet().unwrap()[0], 0xFF);
    };
    let failures = |count| until(|| host.status("Aborted_connects") == count);
    garbage(stranger(5).unwrap());
    garbage(stranger(5).unwrap());
    failures(2);
    let login = Login { plugin: "mysql_native_password", ..Login::new("old", "secret") };
    stranger(5).unwrap().log_in(&login).unwrap();
    for count in 3..6 {
        garbage(stranger(5).unwrap());
        failures(count);
    }
    let blocked = stranger(5).unwrap_err();
    assert_eq!(blocked.code(), 1129);
    assert!(blocked.message().starts_with("Host '127.0.0.5' is blocked because of many connection errors"));
    stranger(6).unwrap();
    host.net.connections.flush_hosts();
    stranger(5).unwrap();
    // This machine is never blocked.
    for _ in 0..5 {
        garbage(Client::greet(&host.address()).unwrap());
    }
    host.root();
}

#[test]
fn one_address_has_eight_places_before_the_login_and_others_wait_for_them() {
    let host = Host::start(&[]);
    let mut stalled: Vec<_> =
        (0..8).map(|_| Client::greet_on(host.stranger([127, 0, 0, 9])).unwrap()).collect();
    let ninth = host.stranger([127, 0, 0, 9]);
    Client::greet_on(host.stranger([127, 0, 0, 8])).unwrap();
    until(|| host.net.connections.processes().len() == 8);
    // Who waits has tried, too.
    assert_eq!(host.status("Connections"), 10);
    // Who leaves makes room at once; who has stalled for three seconds loses his place.
    stalled.pop();
    let ninth = Client::greet_on(ninth).unwrap();
    let tenth = Client::greet_on(host.stranger([127, 0, 0, 9])).unwrap();
    drop((ninth, tenth));
}

#[test]
fn one_address_has_eight_places_however_many_wait_for_those_that_stall() {
    let host = Host::start(&[]);
    let mut crowd: Vec<_> = (0..60).map(|_| (host.stranger([127, 0, 0, 9]), false, false)).collect();
    // All of them stall, and the first eight lose their places after three seconds.
    while crowd.iter().filter(|(.., is_gone)| *is_gone).count() < 8 {
        for pass in [1, 2] {
            // Who was greeted and is there after that was there all at once.
            for (stream, is_greeted, is_gone) in crowd.iter_mut().filter(|(.., is_gone)| !is_gone) {
                if pass == 1 && *is_greeted {
                    continue;
                }
                stream.set_timeout(std::time::Duration::from_millis(1));
                match stream.read(&mut [0; 256]) {
                    Ok(0) => *is_gone = true,
                    Ok(_) if pass == 1 => *is_greeted = true,
                    Ok(_) | Err(_) => {}
                }
            }
        }
        let there = crowd.iter().filter(|(_, is_greeted, is_gone)| *is_greeted && !is_gone).count();
        assert!(there <= 8, "{there} at a time");
    }
}

#[test]
fn a_crowd_of_one_address_is_let_in_one_after_another() {
    let host = Host::start(&[("max_connections", 500)]);
    let login = Login { plugin: "mysql_native_password", ..Login::new("old", "secret") };
    std::thread::scope(|scope| {
        let crowd = (0..100).map(|_| {
            let stream = host.stranger([127, 0, 0, 9]);
            scope.spawn(|| {
                let mut client = Client::greet_on(stream).unwrap();
                client.log_in(&login).unwrap();
                client
            })
        });
        for client in crowd.collect::<Vec<_>>() {
            client.join().unwrap().ping().unwrap();
        }
    });
    assert_eq!(host.status("Aborted_connects"), 0);
}

#[test]
fn before_the_login_packets_are_few_and_small() {
    let host = Host::start(&[]);
    let mut big = Client::greet(&host.address()).unwrap();
    big.stream.write_all(&[0x01, 0x00, 0x01, 1]).unwrap();
    assert_eq!(big.answer_unasked_after(2).code(), 1153);
    assert!(big.packet().unwrap_err().is_gone());
    let mut fits = Client::greet(&host.address()).unwrap();
    fits.send(&vec![b'x'; 0x1_0000]).unwrap();
    let packet = fits.packet().unwrap();
    assert_ne!(u16::from_le_bytes([packet[1], packet[2]]), 1153);
}

#[test]
fn max_allowed_packet_counts_what_is_announced() {
    let host = Host::start(&[]);
    host.limits.max_allowed_packet.store(1 << 20, Ordering::Relaxed);
    let mut client = host.root();
    let mut sized = |size: usize| {
        let mut sql = b"\x03size ".to_vec();
        sql.resize(size, b'x');
        client.command(&sql).unwrap();
        client.answer()
    };
    assert_eq!(sized(1 << 20).unwrap().rows[0][0].as_deref(), Some("1048575"));
    // One byte more is refused when it is announced; nothing is read to be thrown away.
    client.stream.write_all(&[1, 0, 0x10, 0]).unwrap();
    assert_eq!(client.answer_unasked_after(1).code(), 1153);
    assert!(client.ping().unwrap_err().is_gone());
    host.limits.max_allowed_packet.store(64 << 20, Ordering::Relaxed);
    let mut client = host.root();
    for size in [0xFF_FFFE, 0xFF_FFFF, 0x100_0000, 0x1FF_FFFE] {
        let mut sql = b"\x03size ".to_vec();
        sql.resize(size, b'x');
        client.command(&sql).unwrap();
        assert_eq!(client.answer().unwrap().rows[0][0].clone().unwrap(), (size - 1).to_string());
    }
}

#[test]
fn who_is_idle_for_too_long_is_told_so() {
    let host = Host::start(&[]);
    host.limits.wait_timeout_s.store(1, Ordering::Relaxed);
    let mut client = host.root();
    let failure = client.answer_unasked();
    assert_eq!(failure.code(), 4031);
    assert!(client.ping().unwrap_err().is_gone());
    assert_eq!(host.status("Aborted_clients"), 1);
    until(|| host.signals.ended.load(Ordering::SeqCst) == 1);
}

#[test]
fn who_does_not_finish_a_packet_is_cut_off() {
    let host = Host::start(&[]);
    host.limits.net_read_timeout_s.store(1, Ordering::Relaxed);
    let mut client = host.root();
    client.stream.write_all(&[100, 0, 0, 0, 3, b'x']).unwrap();
    assert_eq!(client.answer_unasked().code(), 1159);
    let mut announced = host.root();
    announced.stream.write_all(&[0xFF, 0xFF, 0xFF, 0]).unwrap();
    assert_eq!(announced.answer_unasked().code(), 1159);
    // Nor does what came before buy time.
    let mut half = host.root();
    half.stream.write_all(&[vec![0, 0, 2, 0, 3], vec![b'x'; 100_000]].concat()).unwrap();
    assert_eq!(half.answer_unasked().code(), 1159);
}

/// COM_PING, and behind it the beginning of a command of 16 bytes.
fn ping_and_begin(host: &Host, beginning: &[u8]) -> Client {
    let mut client = host.root();
    client.stream.write_all(&[&[1, 0, 0, 0, 0x0E], beginning].concat()).unwrap();
    client.skip_command();
    client.answer().unwrap();
    client
}

#[test]
fn the_beginning_of_a_command_counts_even_if_it_came_with_the_one_before() {
    let host = Host::start(&[]);
    let command = b"\x10\0\0\0\x03size 0123456789";
    // Within the header, just the header, and a part of the text.
    let cuts = [1, 3, 4, 5, 12];
    let mut clients = cuts.map(|cut| ping_and_begin(&host, &command[..cut]));
    // Somebody else is idle for long enough that buffers of idle connections are gone.
    host.limits.wait_timeout_s.store(4, Ordering::Relaxed);
    assert_eq!(host.root().answer_unasked().code(), 4031);
    for (client, cut) in clients.iter_mut().zip(cuts) {
        client.stream.write_all(&command[cut..]).unwrap();
        client.skip_command();
        assert_eq!(client.answer().unwrap().rows[0][0].as_deref(), Some("15"), "cut at {cut}");
    }
}

#[test]
fn who_does_not_finish_what_came_with_the_packet_before_is_cut_off() {
    let host = Host::start(&[]);
    host.limits.net_read_timeout_s.store(1, Ordering::Relaxed);
    for beginning in [&[100, 0][..], &[100, 0, 0, 0], &[100, 0, 0, 0, 3, b'x']] {
        assert_eq!(ping_and_begin(&host, beginning).answer_unasked().code(), 1159);
    }
}

#[test]
fn who_does_not_read_its_rows_is_cut_off() {
    let host = Host::start(&[]);
    host.limits.net_write_timeout_s.store(1, Ordering::Relaxed);
    let mut client = host.root();
    client.command(b"\x03rows 1000000 1000").unwrap();
    until(|| host.net.connections.sessions() == 0);
    let mut reader = host.root();
    let answer = reader.query("rows 3000 10000").unwrap();
    assert_eq!(answer.rows.len(), 3000);
    assert_eq!(host.status("Aborted_clients"), 1);
}

#[test]
fn a_slow_but_steady_reader_is_not_cut_off() {
    let host = Host::start(&[]);
    host.limits.net_write_timeout_s.store(2, Ordering::Relaxed);
    let mut client = host.root();
    client.command(b"\x03rows 400 100000").unwrap();
    // 40 MB in twice the time-out: the client's bytes buy it time.
    let mut chunk = vec![0; 1_000_000];
    for _ in 0..40 {
        client.stream.read_exact(&mut chunk).unwrap();
        until_passed(std::time::Duration::from_millis(100));
    }
    assert_eq!(host.status("Aborted_clients"), 0);
}

#[expect(clippy::disallowed_methods, reason = "the test's client is slow")]
fn until_passed(pause: std::time::Duration) {
    std::thread::sleep(pause);
}
