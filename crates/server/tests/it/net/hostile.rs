//! Purpose: whatever a client sends costs the sender its connection at most, and nobody else anything.
//!
//! Requirements: R1. 100,000 malformed packets before and after the login; a healthy client goes on all the while;
//! R2. clients that announce and never send, or send a byte now and then, cost no memory; R3. clients that come and go
//! leave nothing behind; R4. clients that leave within a command leave nothing behind.
//!
//! Method: a seeded generator; the seed is printed.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

use super::host::{Host, until};
use crate::client::{Client, Stream};

/// A generator whose sequence is known.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: u64) -> usize {
        usize::try_from(self.next() % end).unwrap()
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next().to_le_bytes()[0]).collect()
    }
}

const SEED: u64 = 0x5EED_0F0E_1095;

#[test]
fn malformed_packets_cost_the_sender_its_connection_at_most() {
    let host = Host::start(&[("max_connections", 1000)]);
    println!("seed {SEED:#x}");
    std::thread::scope(|scope| {
        let senders: Vec<_> = (0..4)
            .map(|number| {
                let host = &host;
                scope.spawn(move || send_garbage(host, &mut Random(SEED + number), 25_000))
            })
            .collect();
        let mut healthy = host.root();
        let mut answers = 0;
        while !senders.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            healthy.query("who").unwrap();
            answers += 1;
        }
        let sent: usize = senders.into_iter().map(|sender| sender.join().unwrap()).sum();
        assert_eq!(sent, 100_000);
        assert!(answers > 100, "{answers}");
    });
    until(|| host.net.connections.processes().is_empty());
    assert_eq!(host.status("Connection_errors_internal"), 0, "nothing panicked");
}

/// Sends packets with a sound header, or none, and any payload; begins anew whenever the server has hung up.
fn send_garbage(host: &Host, random: &mut Random, count: usize) -> usize {
    let mut client: Option<Client> = None;
    let mut sent = 0;
    while sent < count {
        let mut current = match client.take() {
            Some(current) => current,
            // Every fourth connection never logs in.
            None if random.below(4) == 0 => match Client::greet(&host.address()) {
                Ok(greeted) => greeted,
                Err(_) => continue,
            },
            None => host.root(),
        };
        let payload = garbage(random);
        sent += 1;
        // A command's own sequence number, most of the time.
        let written = if random.below(20) == 0 {
            let size = payload.len().to_le_bytes();
            let header = [size[0], size[1], size[2], random.next().to_le_bytes()[0]];
            current.stream.write_all(&[&header[..], &payload].concat()).is_ok()
        } else {
            current.command(&payload).is_ok()
        };
        if written && random.below(50) != 0 && drain(&mut current) {
            client = Some(current);
        }
    }
    sent
}

/// A command byte of any kind and what may follow it: nothing, noise, or a valid beginning.
fn garbage(random: &mut Random) -> Vec<u8> {
    let size = random.below(60);
    let mut payload = random.bytes(size);
    match random.below(4) {
        0 => {}
        1 => payload.insert(0, random.next().to_le_bytes()[0] % 0x22),
        2 => payload = [&[0x17][..], &[1, 0, 0, 0, 0], &payload].concat(),
        _ => payload = [&[3][..], b"ok", &payload].concat(),
    }
    // A client that says goodbye, or that a session's pranks would hold up, is no test.
    if payload.first() == Some(&1) || payload.starts_with(b"\x03hang") {
        payload.clear();
    }
    payload
}

/// Reads whatever answer there is; returns whether the connection lives.
fn drain(client: &mut Client) -> bool {
    // Commands without a reply are followed by one that has one.
    if client.stream.write_all(&[1, 0, 0, 0, 0x0E]).is_err() {
        return false;
    }
    let mut header = [0; 4];
    loop {
        if client.stream.read_exact(&mut header).is_err() {
            return false;
        }
        let size = usize::from(header[0]) | usize::from(header[1]) << 8 | usize::from(header[2]) << 16;
        let mut payload = vec![0; size];
        if client.stream.read_exact(&mut payload).is_err() {
            return false;
        }
        // The ping's OK: affected rows 0, insert id 0, autocommit.
        if payload == [0, 0, 0, 2, 0, 0, 0] {
            return true;
        }
    }
}

#[test]
fn announcing_and_never_sending_costs_no_memory() {
    // Other tests use memory of the same process meanwhile, now and then.
    let grown = (0..5).map(|_| growth_by_announcements()).find(|grown| *grown < 64 << 20);
    assert!(grown.is_some(), "64 MiB and more for 200 announcements of 16 MiB each, five times");
}

fn growth_by_announcements() -> usize {
    let host = Host::start(&[("max_connections", 1000)]);
    let mut healthy = host.root();
    let before = resident_bytes();
    let mut announcers: Vec<_> = (0..200).map(|_| host.root()).collect();
    for client in &mut announcers {
        client.stream.write_all(&[0xFF, 0xFF, 0xFF, 0, 3]).unwrap();
    }
    let mut dribblers: Vec<_> = (0..40).map(|_| Client::greet(&host.address()).unwrap()).collect();
    for byte in [200, 0, 0, 1, 1, 2, 3] {
        for client in &mut dribblers {
            let _ = client.stream.write_all(&[byte]);
        }
        healthy.query("ok").unwrap();
    }
    let grown = resident_bytes().saturating_sub(before);
    healthy.query("ok").unwrap();
    grown
}

#[test]
fn clients_that_come_and_go_leave_nothing_behind() {
    let host = Host::start(&[]);
    for number in 0..2_000 {
        let Stream::Tcp(stream) = Stream::open(&host.address()).unwrap() else { unreachable!() };
        match number % 3 {
            0 => drop(stream),
            1 => stream.shutdown(Shutdown::Write).unwrap(),
            _ => {
                let _ = (&stream as &TcpStream).write_all(&[5, 0, 0]);
            }
        }
    }
    host.root().query("ok").unwrap();
    until(|| host.net.connections.processes().is_empty());
    until(|| host.status("Aborted_connects") == 2_000);
}

#[test]
fn clients_that_leave_within_a_command_leave_nothing_behind() {
    let host = Host::start(&[]);
    for _ in 0..20 {
        let mut client = host.root();
        client.command(b"\x03rows 100000 1000").unwrap();
        client.stream.read_exact(&mut [0; 100]).unwrap();
    }
    until(|| host.net.connections.processes().is_empty());
    assert_eq!(host.status("Aborted_clients"), 20);
}

/// Memory of this process, from /proc.
fn resident_bytes() -> usize {
    let statm = rustix::fs::open("/proc/self/statm", rustix::fs::OFlags::RDONLY, rustix::fs::Mode::empty());
    let mut text = [0; 100];
    let size = rustix::io::read(statm.unwrap(), &mut text).unwrap();
    let text = String::from_utf8(text[..size].to_vec()).unwrap();
    text.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}
