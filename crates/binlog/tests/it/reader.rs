//! Purpose: the reader finds exactly the intact prefix of a file, whatever stands behind it.
//!
//! Requirements: no bytes make it panic or loop; a file cut anywhere yields the events that are whole and then says where
//! the torn one begins; a changed byte is noticed in the event that holds it; every event handed out is followed by its
//! successor; decoders of bodies survive anything.
//!
//! Method: files of MySQL and of ours, cut at every byte, with every byte changed, and random bytes behind a good header
//! and in good events; fixed tables for each kind of damage.

use binlog::decode::Event;
use binlog::{ChecksumAlg, Error, EventHeader, EventReader, EventType, read_head};
use proptest::prelude::*;

use crate::support::{GOLDEN, file_of, golden, reader_of, sample_file};

/// Where each event of an intact file ends.
fn ends(bytes: &[u8]) -> Vec<u64> {
    let mut reader = reader_of(bytes);
    let mut ends = Vec::new();
    while let Some(event) = reader.next_event().unwrap() {
        ends.push(event.end());
    }
    ends
}

/// Reads as far as it goes: where the intact part ends, and why.
fn intact(bytes: &[u8]) -> (u64, Option<Error>) {
    let mut reader = match EventReader::open(file_of(bytes)) {
        Ok(reader) => reader,
        Err(error) => return (0, Some(error)),
    };
    loop {
        let before = reader.position();
        match reader.next_event() {
            Ok(Some(event)) => {
                assert!(event.end() > before, "every event moves on");
                assert_eq!(event.position, before);
                let _ = event.decode();
            }
            Ok(None) => return (reader.position(), None),
            Err(error) => {
                assert_eq!(reader.position(), before, "an error moves nothing");
                assert_eq!(
                    reader.next_event().unwrap_err().to_string(),
                    error.to_string(),
                    "it stays an error"
                );
                return (before, Some(error));
            }
        }
    }
}

#[test]
fn a_file_cut_anywhere_is_intact_up_to_the_last_whole_event() {
    for bytes in [
        golden("mysql80-stop.000004"),
        sample_file(ChecksumAlg::Crc32, 3),
        golden("mysql80-nochecksum.000002"),
    ] {
        let ends = ends(&bytes);
        for len in 0..=bytes.len() {
            let (end, error) = intact(&bytes[..len]);
            let whole = ends.iter().copied().filter(|end| *end <= len as u64).max().unwrap_or(0);
            match error {
                None => assert_eq!((end, whole), (len as u64, len as u64), "cut to {len}"),
                Some(Error::Torn { offset }) => {
                    assert!(len < 4 || offset == whole.max(4), "cut to {len}: torn at {offset}");
                    assert_eq!(end, whole, "cut to {len}");
                }
                Some(error) => panic!("cut to {len}: {error}"),
            }
        }
    }
}

#[test]
fn a_changed_byte_is_noticed_in_its_event() {
    for name in ["mysql80-stop.000004", "mysql80-open.000006"] {
        let bytes = golden(name);
        let ends = ends(&bytes);
        for at in 0..bytes.len() {
            for mask in [1, 0x80, 0xff] {
                // The two bytes that closing a file writes in place.
                if matches!(at, 21 | 22) {
                    continue;
                }
                let mut changed = bytes.clone();
                changed[at] ^= mask;
                let start = ends.iter().copied().filter(|end| *end <= at as u64).max().unwrap_or(0);
                let (end, error) = intact(&changed);
                assert_eq!(end, start, "{name}: byte {at}");
                assert!(error.is_some());
            }
        }
    }
}

#[test]
fn each_kind_of_damage_has_its_name() {
    let good = golden("mysql80-stop.000004");
    let second = ends(&good)[0];
    let at = usize::try_from(second).unwrap();
    let damage = |offset: usize, value: &[u8]| {
        let mut bytes = good.clone();
        bytes[at + offset..at + offset + value.len()].copy_from_slice(value);
        intact(&bytes).1.unwrap()
    };
    let corrupt = |error: Error, what: &str| match error {
        Error::Corrupt { offset, what: own } => assert_eq!((offset, own), (second, what)),
        other => panic!("{other} instead of {what}"),
    };
    corrupt(damage(9, &[0; 4]), "the event's size is less than its header and checksum");
    corrupt(damage(9, &22_u32.to_le_bytes()), "the event's size is less than its header and checksum");
    corrupt(damage(9, &(1_u32 << 31).to_le_bytes()), "the event is larger than any event");
    corrupt(damage(13, &[0; 4]), "the event's end position is not where it ends");
    corrupt(damage(20, &[9]), "the event's checksum does not match");
    let len = u32::try_from(good.len()).unwrap();
    let far = damage(9, &[len.to_le_bytes(), (len + 126).to_le_bytes()].concat());
    assert!(matches!(far, Error::Torn { offset } if offset == second), "{far}");
    let not_a_binlog = intact(b"not a log").1.unwrap();
    assert!(matches!(not_a_binlog, Error::Corrupt { offset: 0, .. }), "{not_a_binlog}");
}

#[test]
fn a_tail_of_zeros_is_no_event() {
    let mut bytes = sample_file(ChecksumAlg::Crc32, 2);
    let end = bytes.len() as u64;
    for zeros in [1, 18, 19, 4096] {
        bytes.truncate(usize::try_from(end).unwrap());
        bytes.extend(std::iter::repeat_n(0, zeros));
        assert_eq!(intact(&bytes).0, end);
    }
}

#[test]
fn a_limit_ends_a_file_that_is_being_written() {
    let bytes = sample_file(ChecksumAlg::Crc32, 4);
    let ends = ends(&bytes);
    let mut reader = reader_of(&bytes);
    reader.set_limit(ends[1]);
    while reader.next_event().unwrap().is_some() {}
    assert_eq!(reader.position(), ends[1]);
    reader.set_limit(ends[1] + 30);
    assert!(matches!(reader.next_event(), Err(Error::Torn { .. })));
    reader.set_limit(ends[2]);
    assert!(reader.next_event().unwrap().is_some(), "what was torn is whole once the limit moves");
    reader.set_limit(u64::MAX);
    while reader.next_event().unwrap().is_some() {}
    assert_eq!(reader.position(), bytes.len() as u64, "no limit is behind the end");
}

#[test]
fn reading_can_begin_at_any_event() {
    let bytes = sample_file(ChecksumAlg::Crc32, 5);
    let ends = ends(&bytes);
    for (index, start) in ends.iter().enumerate() {
        let mut reader = EventReader::open_at(file_of(&bytes), *start).unwrap();
        let mut count = 0;
        while reader.next_event().unwrap().is_some() {
            count += 1;
        }
        assert_eq!(count, ends.len() - index - 1);
    }
    let mut behind = EventReader::open_at(file_of(&bytes), bytes.len() as u64 + 1).unwrap();
    assert!(matches!(behind.next_event(), Err(Error::Torn { .. })), "behind the end there is nothing");
}

#[test]
fn an_event_larger_than_the_read_ahead_is_read_whole() {
    let mut cache = crate::support::cache();
    let sql = vec![b'x'; 1 << 20];
    crate::support::fill(&mut cache, 1);
    cache.append(crate::support::ORIGIN, &binlog::event::RowsQuery { sql: &sql }).unwrap();
    crate::support::fill_ddl(&mut cache, "savepoint s");
    cache.load(u64::MAX).unwrap();
    let mut bytes = sample_file(ChecksumAlg::Crc32, 1);
    crate::support::append_trx(&mut bytes, &cache, ChecksumAlg::Crc32, 2);
    assert_eq!(intact(&bytes).0, bytes.len() as u64);
}

#[test]
fn the_head_of_every_file_is_read_without_the_rest() {
    for name in GOLDEN {
        let bytes = golden(name);
        let head = read_head(file_of(&bytes)).unwrap();
        let end = usize::try_from(head.first_transaction).unwrap();
        assert_eq!(read_head(file_of(&bytes[..end])).unwrap(), head, "{name}");
        for len in 0..end {
            let error = read_head(file_of(&bytes[..len])).unwrap_err();
            assert!(matches!(error, Error::Torn { .. }), "{name} cut to {len}: {error}");
        }
    }
}

#[test]
fn a_file_without_its_first_two_events_has_no_head() {
    let good = golden("mysql80-stop.000004");
    let second = usize::try_from(ends(&good)[0]).unwrap();
    let mut bytes = good[..second].to_vec();
    let mut stop = Vec::new();
    let at = binlog::Placement::At(second as u64);
    binlog::finalise::append_final(
        &mut stop,
        &binlog::event::Stop,
        crate::support::ORIGIN,
        at,
        ChecksumAlg::Crc32,
    );
    bytes.extend(stop);
    assert!(matches!(read_head(file_of(&bytes)), Err(Error::Corrupt { what: "no PREVIOUS_GTIDS", .. })));
    let mut no_format = binlog::MAGIC.to_vec();
    let at = binlog::Placement::At(4);
    binlog::finalise::append_final(
        &mut no_format,
        &binlog::event::Stop,
        crate::support::ORIGIN,
        at,
        ChecksumAlg::Crc32,
    );
    assert!(matches!(
        read_head(file_of(&no_format)),
        Err(Error::Corrupt { what: "no FORMAT_DESCRIPTION", .. })
    ));
}

#[test]
fn an_error_of_the_disk_is_no_torn_event() {
    use vfs::Vfs;
    use vfs::sim::{Fault, FaultKind, OpKind, SimDisk};
    let disk = SimDisk::new();
    let file = disk.open(std::path::Path::new("b"), vfs::Open::Create).unwrap();
    file.write_at(&golden("mysql80-stop.000004"), 0).unwrap();
    disk.inject(Fault::new(FaultKind::Io).of(OpKind::Read));
    assert!(matches!(EventReader::open(file).unwrap_err(), Error::Io(_)));
}

#[test]
fn what_could_not_be_read_is_read_again() {
    use vfs::Vfs;
    use vfs::sim::{Fault, FaultKind, OpKind, SimDisk};
    let bytes = golden("mysql80-stop.000004");
    let ends = ends(&bytes);
    let disk = SimDisk::new();
    let file = disk.open(std::path::Path::new("b"), vfs::Open::Create).unwrap();
    let (first, rest) = bytes.split_at(usize::try_from(ends[0]).unwrap());
    file.write_at(first, 0).unwrap();
    let mut reader = EventReader::open(std::sync::Arc::clone(&file)).unwrap();
    assert!(reader.next_event().unwrap().is_some() && reader.next_event().unwrap().is_none());
    file.write_at(rest, ends[0]).unwrap();
    disk.inject(Fault::new(FaultKind::Io).of(OpKind::Read));
    assert!(matches!(reader.next_event().unwrap_err(), Error::Io(_)));
    for end in &ends[1..] {
        assert_eq!(reader.next_event().unwrap().unwrap().end(), *end);
    }
}

/// A body of any type code, to be decoded.
fn decode(event_type: u8, flags: u16, body: &[u8]) {
    let header = EventHeader {
        timestamp: 0,
        event_type: EventType(event_type),
        server_id: 0,
        event_size: 0,
        end_log_pos: 0,
        flags,
    };
    if let Ok(event) = Event::decode(&header, body) {
        let _ = binlog::show::info(&event);
        if let Event::TableMap(map) = event {
            let _ = map.columns();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn random_bytes_behind_a_good_header_are_survived(tail in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut bytes = golden("mysql80-open.000006");
        let good = bytes.len() as u64;
        bytes.extend(&tail);
        prop_assert_eq!(intact(&bytes).0, good);
    }

    #[test]
    fn damaged_files_yield_their_intact_prefix(
        which in 0..GOLDEN.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let good = golden(GOLDEN[which]);
        let ends = ends(&good);
        let mut bytes = good.clone();
        for (at, value) in &changes {
            bytes[at.index(good.len())] = *value;
        }
        let first = bytes.iter().zip(&good).position(|(a, b)| a != b).unwrap_or(good.len()) as u64;
        let whole = ends.iter().copied().filter(|end| *end <= first).max().unwrap_or(0);
        let (end, _) = intact(&bytes);
        prop_assert!(end >= whole, "{end} instead of {whole} at least");
        let checked = reader_of(&good).checksum() == ChecksumAlg::Crc32;
        prop_assert!(!checked || matches!(first, 21 | 22) || end == whole, "{end} instead of {whole}");
    }

    #[test]
    fn no_body_makes_a_decoder_panic(event_type in 0_u8..44, flags in any::<u16>(), body in prop::collection::vec(any::<u8>(), 0..300)) {
        decode(event_type, flags, &body);
    }

    #[test]
    fn no_damaged_body_makes_a_decoder_panic(
        which in 0..GOLDEN.len(),
        pick in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let events = crate::support::events_of(&golden(GOLDEN[which]));
        let event = &events[pick.index(events.len())];
        let mut body = event[19..].to_vec();
        for (at, value) in &changes {
            if !body.is_empty() {
                let at = at.index(body.len());
                body[at] = *value;
            }
        }
        body.truncate(cut.index(body.len() + 1).max(body.len() / 2));
        decode(event[4], u16::from_le_bytes([event[17], event[18]]), &body);
    }
}
