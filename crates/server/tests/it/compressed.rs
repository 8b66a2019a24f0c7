//! Purpose: clients that ask for it speak the compressed protocol.
//!
//! Requirements: R1. A client that has the flag at its login sends and gets frames from the first command on, compressed where
//! that makes them shorter, whose numbers go on from the command's. R2. The session's status says so. R3. What is no frame ends
//! the connection, and nobody else's. R4. Who does not ask has packets as before. R5. The event that a semi-synchronous replica is
//! to acknowledge ends its frame, and the next one has number 0, whether the acknowledgement was read by then or not: MySQL 9.7's
//! replica puts its own packet where it has what it read, and counts anew.
//!
//! Method: a whole server, and a client that makes frames with zlib by itself.

use std::io::{Read, Write};
use std::time::Duration;

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use crate::client::{Client, LOCAL_FILES, Login};
use crate::whole::{World, ok, rows, send};

const COMPRESS: u32 = 1 << 5;

fn connect(world: &World) -> Client {
    Client::connect(&world.address(), &Login { flags: COMPRESS, ..Login::new("root", "") }).unwrap()
}

fn frame(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    let payload = encoder.finish().unwrap();
    let (size, plain_size) = (payload.len().to_le_bytes(), bytes.len().to_le_bytes());
    [&size[..3], &[number], &plain_size[..3], &payload].concat()
}

/// COM_QUERY as a packet.
fn query(sql: &str) -> Vec<u8> {
    let size = (sql.len() + 1).to_le_bytes();
    [&size[..3], &[0, 3], sql.as_bytes()].concat()
}

/// The next frame's number, its bytes, and how many they were on the way.
fn next(client: &mut Client) -> (u8, Vec<u8>, usize) {
    let mut header = [0; 7];
    client.stream.read_exact(&mut header).unwrap();
    let size = |at: usize| {
        usize::from(header[at]) | usize::from(header[at + 1]) << 8 | usize::from(header[at + 2]) << 16
    };
    let mut payload = vec![0; size(0)];
    client.stream.read_exact(&mut payload).unwrap();
    let mut plain = Vec::new();
    if size(4) == 0 {
        plain.clone_from(&payload);
    } else {
        ZlibDecoder::new(&payload[..]).read_to_end(&mut plain).unwrap();
        assert_eq!(plain.len(), size(4));
    }
    (header[3], plain, payload.len())
}

/// Whether these packets end a result.
fn is_whole(mut packets: &[u8]) -> bool {
    while let Some((header, rest)) = packets.split_first_chunk::<4>() {
        let size = usize::from(header[0]) | usize::from(header[1]) << 8 | usize::from(header[2]) << 16;
        let Some((packet, rest)) = rest.split_at_checked(size) else { return false };
        if packet.first() == Some(&0xFE) {
            return true;
        }
        packets = rest;
    }
    false
}

fn has(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

#[test]
fn frames_carry_packets_both_ways() {
    let world = World::start();
    let mut client = connect(&world);
    client.stream.write_all(&frame(0, &query("SELECT REPEAT('a', 1000000)"))).unwrap();
    let (mut plain, mut sent, mut expected) = (Vec::new(), 0, 1);
    while !is_whole(&plain) {
        let (number, bytes, size) = next(&mut client);
        assert_eq!(number, expected, "numbers go on");
        expected = expected.wrapping_add(1);
        plain.extend(bytes);
        sent += size;
    }
    assert!(has(&plain, &[b'a'; 10_000]) && sent < 20_000, "{sent} bytes");
    // A command in two frames, the first without compression.
    let packet = query("SHOW STATUS LIKE 'Compression'");
    client.stream.write_all(&[&[5, 0, 0, 0, 0, 0, 0][..], &packet[..5]].concat()).unwrap();
    client.stream.write_all(&frame(1, &packet[5..])).unwrap();
    let (number, bytes, _) = next(&mut client);
    assert_eq!(number, 2);
    assert!(has(&bytes, b"\x0bCompression\x02ON"));
    let mut plain = world.root();
    assert_eq!(rows(&mut plain, "SHOW STATUS LIKE 'Compression'"), ["Compression|OFF"]);
    world.stop();
}

#[test]
fn files_come_in_frames() {
    let world = World::start_with(&["--local-infile"]);
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (a INT PRIMARY KEY)");
    let login = Login { flags: COMPRESS | LOCAL_FILES, ..Login::new("root", "") };
    let mut client = Client::connect(&world.address(), &login).unwrap();
    let load = query("LOAD DATA LOCAL INFILE 'x' INTO TABLE d.t");
    client.stream.write_all(&frame(0, &load)).unwrap();
    let (number, asked, _) = next(&mut client);
    assert_eq!((number, &asked[..]), (1, &b"\x02\0\0\x01\xfbx"[..]));
    // Three packets in two frames, the last of them empty.
    client.stream.write_all(&frame(2, b"\x04\0\0\x021\n2\n\x03\0\0\x033\n")).unwrap();
    client.stream.write_all(&frame(3, b"4\0\0\0\x04")).unwrap();
    let (number, answer, _) = next(&mut client);
    assert_eq!((number, &answer[3..7]), (4, &[5, 0, 4, 0][..]), "packet 5 is OK, of four rows");
    client.stream.write_all(&frame(0, &query("SELECT 1"))).unwrap();
    assert_eq!(next(&mut client).0, 1);
    assert_eq!(rows(&mut root, "SELECT COUNT(*), SUM(a) FROM d.t"), ["4|10"]);
    world.stop();
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test's client is slow")]
fn the_rest_of_a_frame_is_waited_for_by_net_read_timeout_from_its_last_bytes() {
    let world = World::start();
    ok(&mut world.root(), "SET GLOBAL net_read_timeout = 1");
    // Who sends less than a KiB a second is not waited for.
    let packet = query(&format!("SELECT LENGTH('{}')", "s".repeat(12_345)));
    let frame = [&packet.len().to_le_bytes()[..3], &[0; 4], &packet].concat();
    let mut steady = connect(&world);
    for piece in frame.chunks(frame.len().div_ceil(10)) {
        steady.stream.write_all(piece).unwrap();
        std::thread::sleep(Duration::from_millis(300));
    }
    assert!(has(&next(&mut steady).1, b"12345"));
    for size in [1, 7, frame.len() - 1] {
        let mut stalled = connect(&world);
        stalled.stream.write_all(&frame[..size]).unwrap();
        assert!(has(&next(&mut stalled).1, &1159_u16.to_le_bytes()), "{size} bytes");
    }
    world.stop();
}

#[test]
fn what_is_no_frame_ends_the_connection() {
    let world = World::start();
    let mut root = world.root();
    let lying = {
        let mut lying = frame(0, &query("SELECT 1"));
        lying[4] += 1;
        lying
    };
    for garbage in [&lying[..], b"\x05\0\0\0\x09\0\0abcde", &frame(0, &[0xFF; 300])] {
        let mut client = connect(&world);
        client.stream.write_all(garbage).unwrap();
        // An answer may come before the end.
        if let Err(error) = client.stream.read_to_end(&mut Vec::new()) {
            assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset, "it ends before the time is over");
        }
        ok(&mut root, "SELECT 1");
    }
    world.stop();
}

/// The kinds of the events in a semi-synchronous dump's packets, where they end, and which of them ask for an acknowledgement.
fn events(mut packets: &[u8]) -> Vec<(u8, u32, bool)> {
    let mut found = Vec::new();
    while let Some((header, rest)) = packets.split_first_chunk::<4>() {
        let size = usize::from(header[0]) | usize::from(header[1]) << 8 | usize::from(header[2]) << 16;
        let (packet, rest) = rest.split_at(size);
        assert_eq!(packet[..2], [0, 0xEF], "an event of semi-synchronous replication");
        let end = u32::from_le_bytes(packet[16..20].try_into().unwrap());
        found.push((packet[7], end, packet[2] == 1));
        packets = rest;
    }
    found
}

#[test]
fn what_is_to_be_acknowledged_ends_its_frame() {
    const XID: u8 = 16;
    let world = World::start();
    let mut root = world.root();
    for sql in [
        "CREATE TABLE d.t (a INT)",
        "SET GLOBAL rpl_semi_sync_source_timeout = 600000",
        "SET GLOBAL rpl_semi_sync_source_enabled = ON",
    ] {
        ok(&mut root, sql);
    }
    let mut dump = connect(&world);
    let settings = "SET @source_binlog_checksum = 'CRC32', @rpl_semi_sync_replica = 1";
    dump.stream.write_all(&frame(0, &query(settings))).unwrap();
    next(&mut dump);
    let command = [&[0x12, 4, 0, 0, 0, 0, 0][..], &7_u32.to_le_bytes()].concat();
    let size = command.len().to_le_bytes();
    dump.stream.write_all(&frame(0, &[&size[..3], &[0], &command].concat())).unwrap();
    let mut expected = 1;
    for value in 0..3 {
        send(&mut root, &format!("INSERT INTO d.t VALUES ({value})"));
        let end = loop {
            let (number, packets, _) = next(&mut dump);
            assert_eq!(number, expected, "of row {value}");
            expected += 1;
            let events = events(&packets);
            if let Some(asks) = events.iter().position(|(.., asks)| *asks) {
                assert_eq!((asks + 1, events[asks].0), (events.len(), XID), "it is the last");
                break events[asks].1;
            }
        };
        expected = 0;
        // It is acknowledged by another frame, whose number says nothing of those that are sent.
        let ack = [&[0xEF][..], &u64::from(end).to_le_bytes(), b"binlog.000001"].concat();
        let size = ack.len().to_le_bytes();
        dump.stream.write_all(&frame(0, &[&size[..3], &[0], &ack].concat())).unwrap();
        root.answer().unwrap();
    }
    world.stop();
}
