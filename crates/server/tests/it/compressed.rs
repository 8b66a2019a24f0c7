//! Purpose: clients that ask for it speak the compressed protocol.
//!
//! Requirements: R1. A client that has the flag at its login sends and gets frames from the first command on, compressed where
//! that makes them shorter, whose numbers go on from the command's. R2. The session's status says so. R3. What is no frame ends
//! the connection, and nobody else's. R4. Who does not ask has packets as before.
//!
//! Method: a whole server, and a client that makes frames with zlib by itself.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use crate::client::{Client, Login};
use crate::whole::{World, ok, rows};

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
