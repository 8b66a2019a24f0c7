//! Purpose: packets come out of a stream and go into one whole and in order, at every size, and hostile headers
//! cost nothing.
//!
//! Requirements: joining and splitting at 16 MiB - 1 with the empty chunk after an exact multiple; errors 1156
//! and 1153; memory grows with the bytes received and is given back; a small packet is not copied; a reply is
//! one contiguous buffer whose sequence numbers count on and wrap.
//!
//! Method: payloads of chosen sizes around the boundaries are framed here by hand, or by the writer, and given to
//! the reader in pieces of chosen sizes.

use crate::tools::Random;
use protocol::Error;
use protocol::frame::{CHUNK_SIZE_MAX, INITIAL_SIZE, PacketReader, RETAINED_SIZE, UNAUTHENTICATED_SIZE_MAX};
use protocol::out::PacketWriter;
use protocol::wire::put::Put;

const LIMIT: usize = 64 << 20;

/// Gives `bytes` to the reader, at most `piece` at a time, and collects the packets.
fn feed(reader: &mut PacketReader, mut bytes: &[u8], piece: usize) -> Result<Vec<Vec<u8>>, Error> {
    let mut packets = Vec::new();
    while !bytes.is_empty() {
        let spare = reader.spare();
        let count = spare.len().min(piece).min(bytes.len());
        spare[..count].copy_from_slice(&bytes[..count]);
        reader.filled(count);
        bytes = &bytes[count..];
        while let Some(packet) = reader.next_packet()? {
            packets.push(packet.to_vec());
        }
    }
    Ok(packets)
}

fn header(size: usize, sequence: u8) -> [u8; 4] {
    let bytes = size.to_le_bytes();
    [bytes[0], bytes[1], bytes[2], sequence]
}

/// Frames a payload the slow and obvious way.
fn framed(payload: &[u8], mut sequence: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = payload;
    loop {
        let (chunk, after) = rest.split_at(rest.len().min(CHUNK_SIZE_MAX));
        bytes.extend(header(chunk.len(), sequence));
        bytes.extend(chunk);
        sequence = sequence.wrapping_add(1);
        rest = after;
        if chunk.len() < CHUNK_SIZE_MAX {
            return bytes;
        }
    }
}

fn pattern(size: usize) -> Vec<u8> {
    (0..size).map(|at| (at ^ (at >> 8) ^ (at >> 16)).to_le_bytes()[0]).collect()
}

const BOUNDARY_SIZES: [usize; 9] = [
    0,
    1,
    CHUNK_SIZE_MAX - 1,
    CHUNK_SIZE_MAX,
    CHUNK_SIZE_MAX + 1,
    2 * CHUNK_SIZE_MAX - 1,
    2 * CHUNK_SIZE_MAX,
    2 * CHUNK_SIZE_MAX + 1,
    32 << 20,
];

#[test]
fn the_writer_splits_like_the_obvious_way_at_every_boundary() {
    for size in BOUNDARY_SIZES {
        let payload = pattern(size);
        let mut out = PacketWriter::new();
        out.packet(b"before");
        out.packet(&payload);
        let after = out.sequence();
        out.packet(b"after");
        let mut expected = framed(b"before", 0);
        expected.extend(framed(&payload, 1));
        expected.extend(framed(b"after", after));
        assert!(out.bytes() == expected, "size {size}");
        assert_eq!(usize::from(after), 2 + size / CHUNK_SIZE_MAX, "size {size}");
    }
}

#[test]
fn the_reader_joins_what_was_split_at_every_boundary() {
    for size in BOUNDARY_SIZES {
        let payload = pattern(size);
        let mut stream = framed(&payload, 0);
        let sequence = u8::try_from(1 + size / CHUNK_SIZE_MAX).unwrap();
        stream.extend(framed(b"next", sequence));
        for piece in [1 << 30, 1_000_003] {
            let packets = feed(&mut PacketReader::new(LIMIT), &stream, piece).unwrap();
            assert_eq!(packets.len(), 2, "size {size}");
            assert!(packets[0] == payload, "size {size}, pieces of {piece}");
            assert_eq!(packets[1], b"next");
        }
    }
}

#[test]
fn a_header_in_pieces_after_a_full_chunk_is_joined_too() {
    let payload = pattern(CHUNK_SIZE_MAX + 300);
    let stream = framed(&payload, 0);
    let mut reader = PacketReader::new(LIMIT);
    let most = 4 + CHUNK_SIZE_MAX - 2;
    assert!(feed(&mut reader, &stream[..most], 1 << 20).unwrap().is_empty());
    let packets = feed(&mut reader, &stream[most..], 1).unwrap();
    assert!(packets == [payload]);
}

#[test]
fn packets_arrive_whole_whatever_the_pieces() {
    let mut random = Random(7);
    let payloads: Vec<Vec<u8>> = (0..300)
        .map(|_| {
            let size = random.below(700);
            random.bytes(size)
        })
        .collect();
    let mut stream = Vec::new();
    for (index, payload) in payloads.iter().enumerate() {
        stream.extend(framed(payload, index.to_le_bytes()[0]));
    }
    for piece in [1, 2, 3, 5, 64, 4096, 1 << 20] {
        assert_eq!(
            feed(&mut PacketReader::new(LIMIT), &stream, piece).unwrap(),
            payloads,
            "pieces of {piece}"
        );
    }
}

#[test]
fn a_small_packet_is_handed_out_where_it_was_received() {
    let mut reader = PacketReader::new(LIMIT);
    let stream = framed(b"select 1", 0);
    let spare = reader.spare();
    let received_at = spare.as_ptr();
    spare[..stream.len()].copy_from_slice(&stream);
    reader.filled(stream.len());
    let packet = reader.next_command().unwrap().unwrap();
    assert_eq!(packet, b"select 1");
    assert_eq!(packet.as_ptr(), received_at.wrapping_add(4));
}

#[test]
fn sequence_numbers_are_checked_and_a_command_begins_at_zero() {
    let mut reader = PacketReader::new(LIMIT);
    assert_eq!(feed(&mut reader, &framed(b"a", 1), 99), Err(Error::OutOfOrder { expected: 0, got: 1 }));
    assert_eq!(reader.next_packet(), Err(Error::OutOfOrder { expected: 0, got: 1 }), "an error stays");

    let mut reader = PacketReader::new(LIMIT);
    feed(&mut reader, &framed(b"handshake response", 0), 99).unwrap();
    assert_eq!(reader.sequence(), 1);
    reader.set_sequence(2);
    let mut pipelined = framed(b"auth response", 2);
    pipelined.extend(framed(b"command", 0));
    let spare = reader.spare();
    spare[..pipelined.len()].copy_from_slice(&pipelined);
    reader.filled(pipelined.len());
    assert_eq!(reader.next_packet().unwrap().unwrap(), b"auth response");
    assert_eq!(reader.next_command().unwrap().unwrap(), b"command");
    assert_eq!(reader.next_command().unwrap(), None);

    let error = Error::OutOfOrder { expected: 0, got: 1 };
    assert_eq!((error.code(), error.sqlstate(), error.is_fatal()), (1156, "08S01", true));
    assert_eq!(error.to_string(), "Got packets out of order");
}

#[test]
fn the_chunks_of_one_packet_are_in_sequence() {
    let mut stream = framed(&pattern(CHUNK_SIZE_MAX + 1), 0);
    stream[4 + CHUNK_SIZE_MAX + 3] = 5;
    assert_eq!(
        feed(&mut PacketReader::new(LIMIT), &stream, 1 << 20),
        Err(Error::OutOfOrder { expected: 1, got: 5 })
    );
}

#[test]
fn a_command_may_arrive_in_two_reads_without_losing_its_sequence() {
    let stream = framed(&pattern(CHUNK_SIZE_MAX + 1), 0);
    let mut reader = PacketReader::new(LIMIT);
    let mut fed = 0;
    while fed < stream.len() {
        let spare = reader.spare();
        let count = spare.len().min(stream.len() - fed);
        spare[..count].copy_from_slice(&stream[fed..fed + count]);
        reader.filled(count);
        fed += count;
        // The caller asks for a command after every read, in the middle of the packet too.
        assert_eq!(reader.next_command().unwrap().is_some(), fed == stream.len());
    }
}

#[test]
fn the_limit_holds_at_its_boundary_and_before_the_bytes_arrive() {
    for limit in [UNAUTHENTICATED_SIZE_MAX, 1 << 20, CHUNK_SIZE_MAX + 1000] {
        assert!(feed(&mut PacketReader::new(limit), &framed(&pattern(limit), 0), 1 << 20).is_ok());
        let error = Error::TooBig { size: limit + 1, max: limit };
        assert_eq!(feed(&mut PacketReader::new(limit), &framed(&pattern(limit + 1), 0), 1 << 20), Err(error));
        assert_eq!((error.code(), error.sqlstate(), error.is_fatal()), (1153, "08S01", true));
        assert_eq!(error.to_string(), "Got a packet bigger than 'max_allowed_packet' bytes");
    }
    let mut reader = PacketReader::new(UNAUTHENTICATED_SIZE_MAX);
    let announced = header(CHUNK_SIZE_MAX, 0);
    assert!(matches!(feed(&mut reader, &announced, 4), Err(Error::TooBig { .. })));
}

#[test]
fn the_limit_can_be_raised_after_authentication() {
    let mut reader = PacketReader::new(10);
    assert!(feed(&mut reader, &framed(b"0123456789", 0), 99).is_ok());
    reader.set_size_max(20);
    assert!(feed(&mut reader, &framed(b"0123456789abc", 1), 99).is_ok());
}

#[test]
fn an_announced_packet_that_does_not_come_costs_no_memory() {
    let mut reader = PacketReader::new(1 << 30);
    feed(&mut reader, &header(CHUNK_SIZE_MAX, 0), 4).unwrap();
    assert!(!reader.spare().is_empty());
    assert!(reader.capacity() <= INITIAL_SIZE, "{}", reader.capacity());
}

#[test]
fn memory_is_at_most_twice_what_was_received() {
    let stream = framed(&pattern(3 << 20), 0);
    let mut reader = PacketReader::new(LIMIT);
    let mut received = 0;
    while received < stream.len() {
        let spare = reader.spare();
        let count = spare.len().min(50_000).min(stream.len() - received);
        spare[..count].copy_from_slice(&stream[received..received + count]);
        reader.filled(count);
        received += count;
        assert!(reader.capacity() <= 2 * received + INITIAL_SIZE, "{} for {received}", reader.capacity());
        let complete = reader.next_packet().unwrap().is_some();
        assert_eq!(complete, received == stream.len());
    }
}

#[test]
fn memory_is_given_back_after_a_huge_packet_and_kept_after_a_small_one() {
    let mut reader = PacketReader::new(LIMIT);
    feed(&mut reader, &framed(&pattern(8 << 20), 0), 1 << 20).unwrap();
    assert!(reader.capacity() > RETAINED_SIZE);
    reader.set_sequence(0);
    feed(&mut reader, &framed(b"small", 0), 99).unwrap();
    assert!(reader.capacity() <= 2 * INITIAL_SIZE, "{}", reader.capacity());

    let mut reader = PacketReader::new(LIMIT);
    feed(&mut reader, &framed(&pattern(100_000), 0), 1 << 20).unwrap();
    let kept = reader.capacity();
    reader.set_sequence(0);
    feed(&mut reader, &framed(b"small", 0), 99).unwrap();
    assert_eq!(reader.capacity(), kept);
}

#[test]
fn a_stream_of_small_packets_does_not_grow_the_buffer() {
    let mut reader = PacketReader::new(LIMIT);
    let mut stream = Vec::new();
    for index in 0..10_000_usize {
        stream.extend(framed(&[7; 45], index.to_le_bytes()[0]));
    }
    assert_eq!(feed(&mut reader, &stream, 5_000).unwrap().len(), 10_000);
    assert!(reader.capacity() <= INITIAL_SIZE, "{}", reader.capacity());
}

#[test]
fn a_password_can_be_wiped() {
    let mut reader = PacketReader::new(LIMIT);
    let stream = framed(b"secret\0", 0);
    reader.spare()[..stream.len()].copy_from_slice(&stream);
    reader.filled(stream.len());
    assert_eq!(reader.next_packet().unwrap().unwrap(), b"secret\0");
    reader.wipe_last();
    let spare = reader.spare();
    assert!(!spare.windows(6).any(|window| window == b"secret"));
}

#[test]
#[should_panic(expected = "more bytes were received")]
fn more_than_the_spare_room_cannot_be_received() {
    let mut reader = PacketReader::new(LIMIT);
    let room = reader.spare().len();
    reader.filled(room + 1);
}

#[test]
fn sequence_numbers_wrap_on_both_sides() {
    let mut out = PacketWriter::new();
    for index in 0..600_usize {
        out.packet(&index.to_le_bytes());
    }
    assert_eq!(out.sequence(), 600_usize.to_le_bytes()[0]);
    let packets = feed(&mut PacketReader::new(LIMIT), out.bytes(), 1000).unwrap();
    assert_eq!(packets.len(), 600);
    assert_eq!(packets[599], 599_usize.to_le_bytes());
}

#[test]
fn a_payload_that_grows_past_a_chunk_while_it_is_written_is_split() {
    let mut out = PacketWriter::new();
    out.begin().put_u8(1);
    for _ in 0..17 {
        out.payload().put_zeros(1 << 20);
    }
    out.end();
    assert_eq!(out.sequence(), 2);
    let packets = feed(&mut PacketReader::new(LIMIT), out.bytes(), 1 << 20).unwrap();
    assert_eq!(packets[0].len(), 1 + (17 << 20));
}

#[test]
fn a_mark_takes_back_whole_packets_and_an_open_one() {
    let mut out = PacketWriter::new();
    out.packet(b"kept");
    let mark = out.mark();
    out.packet(b"dropped");
    out.begin().put_bytes(b"half a row");
    out.rewind(mark);
    assert_eq!(out.sequence(), 1);
    out.packet(b"instead");
    let packets = feed(&mut PacketReader::new(LIMIT), out.bytes(), 99).unwrap();
    assert_eq!(packets, [b"kept".to_vec(), b"instead".to_vec()]);
}

#[test]
fn clearing_keeps_the_sequence_and_gives_large_memory_back() {
    let mut out = PacketWriter::new();
    out.packet(&pattern(RETAINED_SIZE + 1));
    out.clear();
    assert!(out.is_empty());
    assert_eq!((out.sequence(), out.capacity()), (1, 0));
    out.packet(b"small");
    let kept = out.capacity();
    out.clear();
    assert_eq!((out.sequence(), out.capacity()), (2, kept));
}

#[test]
#[should_panic(expected = "an open packet cannot be sent")]
fn an_open_packet_cannot_be_sent() {
    let mut out = PacketWriter::new();
    out.begin();
    out.bytes();
}

#[test]
fn what_is_unread_is_taken_once_and_never_a_packet() {
    let mut reader = PacketReader::new(LIMIT);
    let bytes = [framed(b"first", 0), framed(b"second", 1)].concat();
    reader.spare()[..bytes.len()].copy_from_slice(&bytes);
    reader.filled(bytes.len());
    assert_eq!(reader.next_packet().unwrap(), Some(&b"first"[..]));
    assert_eq!(reader.take_unread(), framed(b"second", 1));
    assert_eq!(reader.next_packet().unwrap(), None);
    assert_eq!((reader.buffered(), reader.take_unread()), (0, Vec::new()));
    assert_eq!(feed(&mut reader, &framed(b"third", 1), 3).unwrap(), [b"third"], "the sequence goes on");
}
