//! Purpose: compressed transactions hold what was logged, and are the groups that MySQL writes.
//!
//! Requirements: all events of a cache come out again, byte for byte, with their XID event, wherever they were kept; the file
//! has a GTID event and one more, which end where was said; what would be no smaller stays as it is; damaged bytes are an
//! error, and never more.
//!
//! Method: caches in memory and spilled; a golden file of MySQL 9.7.4; every cut and one changed bit of each byte.

use binlog::decode::Event;
use binlog::event::{RowsQuery, Xid};
use binlog::reader::Boundary;
use binlog::{
    Boundaries, CacheLimits, ChecksumAlg, Compressor, Encode, EventType, PayloadEvents, TrxCache, TrxEvents,
};

use crate::support::{ORIGIN, cache_with, golden, header, plan, reader_of, stamps};

const XID: Xid = Xid(77);

/// A cache with `count` events of `size` bytes of text, which spills above `memory_bytes`; and all of them with an XID event.
fn filled(count: usize, size: usize, memory_bytes: usize) -> (TrxCache, Vec<u8>) {
    let mut cache = cache_with(CacheLimits { memory_bytes, ..CacheLimits::default() });
    let mut all = Vec::new();
    for number in 0..count {
        let sql: Vec<u8> = (0..size).map(|at| b'a' + u8::try_from((at * number) % 23).unwrap()).collect();
        cache.append(ORIGIN, &RowsQuery { sql: &sql }).unwrap();
        RowsQuery { sql: &sql }.append_to(ORIGIN, &mut all);
    }
    XID.append_to(ORIGIN, &mut all);
    (cache, all)
}

fn compress(cache: &mut TrxCache) -> bool {
    let mut compressor = Compressor::new(cache, 3, Some((ORIGIN, XID))).unwrap();
    while compressor.step(cache).unwrap() {}
    compressor.finish(cache, ORIGIN).unwrap()
}

fn decompressed(body: &[u8]) -> binlog::Result<Vec<u8>> {
    let Some(mut events) = PayloadEvents::open(body.to_vec())? else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    while let Some(event) = events.next_event()? {
        all.extend_from_slice(&event);
    }
    Ok(all)
}

#[test]
fn what_was_logged_comes_out_again() {
    for (count, size, memory_bytes) in
        [(3, 200, 1 << 20), (40, 9_000, 1 << 20), (40, 9_000, 5_000), (2, 1 << 20, 1 << 20)]
    {
        let (mut cache, all) = filled(count, size, memory_bytes);
        assert!(compress(&mut cache), "{count} of {size}");
        assert_eq!(cache.events(), 1);
        for checksum in [ChecksumAlg::Crc32, ChecksumAlg::None] {
            let mut file = header(checksum, &binlog::GtidSet::new());
            let stamps = stamps(file.len() as u64, 1);
            let events = TrxEvents::statement(&cache, plan(), ORIGIN);
            events.write_into(checksum, &stamps, &mut file);
            assert_eq!(file.len() as u64, stamps.position + events.final_len(checksum));
            let mut reader = reader_of(&file);
            let mut boundaries = Boundaries::new(4);
            let mut kinds = Vec::new();
            while let Some(event) = reader.next_event().unwrap() {
                let boundary = boundaries.step(&event).unwrap();
                if event.header.event_type == EventType::TRANSACTION_PAYLOAD {
                    assert!(matches!(boundary, Boundary::End { .. }), "{boundary:?}");
                    assert_eq!(decompressed(event.body).unwrap(), all, "{count} of {size}");
                    let Event::TransactionPayload(head) = event.decode().unwrap() else {
                        panic!("no payload")
                    };
                    assert_eq!(
                        (head.compression(), head.uncompressed_size()),
                        (Some("ZSTD"), all.len() as u64)
                    );
                }
                kinds.push(event.header.event_type);
            }
            assert_eq!(kinds[kinds.len() - 2..], [EventType::GTID, EventType::TRANSACTION_PAYLOAD]);
        }
    }
}

#[test]
fn what_would_be_no_smaller_stays() {
    let (mut cache, _) = filled(1, 3, 1 << 20);
    let before = cache.memory().unwrap().to_vec();
    assert!(!compress(&mut cache));
    assert_eq!(cache.memory().unwrap(), before);
    // Found out on the way.
    let mut cache = cache_with(CacheLimits { memory_bytes: 5_000, ..CacheLimits::default() });
    let mut state = 1_u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    for _ in 0..40 {
        let sql: Vec<u8> = (0..20_000).map(|_| noise()).collect();
        cache.append(ORIGIN, &RowsQuery { sql: &sql }).unwrap();
    }
    let (size, events) = (cache.len(), cache.events());
    assert!(!compress(&mut cache));
    assert_eq!((cache.len(), cache.events()), (size, events));
}

#[test]
fn mysqls_are_read_and_damage_is_an_error() {
    let file = golden("mysql97-compressed.000001");
    let mut reader = reader_of(&file);
    let mut payloads = 0;
    while let Some(event) = reader.next_event().unwrap() {
        let Event::TransactionPayload(head) = event.decode().unwrap() else { continue };
        payloads += 1;
        let body = event.body.to_vec();
        assert_eq!(decompressed(&body).unwrap().len() as u64, head.uncompressed_size());
        for size in 0..body.len() {
            assert!(decompressed(&body[..size]).is_err(), "{size} bytes");
        }
        for at in 0..body.len() {
            let mut damaged = body.clone();
            damaged[at] ^= 0x55;
            // Some bits mean nothing, or another value of a row; nothing panics.
            let _ = decompressed(&damaged);
        }
    }
    assert_eq!(payloads, 6);
}
