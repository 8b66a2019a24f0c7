//! Purpose: a transaction is exactly as long as it said before its ticket, and its final bytes are MySQL's.
//!
//! Requirements: `final_len` equals what is written, for every layout of the GTID event, both checksums and around every
//! size at which a length-encoded integer grows; final bytes do not depend on where the events were kept nor on how they
//! were cut into pieces; positions wrap at 4 GiB; whole transactions of the golden files come out byte for byte.
//!
//! Method: golden transactions are taken apart (GTID and XID events, and the rest without checksums and positions) and put
//! together again; sizes are swept around the thresholds; random pieces.

use binlog::decode::Event;
use binlog::event::{Query, RowsQuery};
use binlog::{
    Boundaries, CacheLimits, ChecksumAlg, Encode, EventReader, EventType, Finaliser, GtidPlan, TrxCache,
    TrxEvents, TrxStamps, event,
};
use proptest::prelude::*;

use crate::support::{
    AsRead, GOLDEN, ORIGIN, cache, cache_with, events_of, fill, fill_ddl, golden, header, plan, reader_of,
    stamps, status,
};

/// A group taken out of a file.
struct Group {
    cache: TrxCache,
    gtid: Option<(GtidPlan, TrxStamps, binlog::Origin)>,
    xid: Option<u64>,
    bytes: Vec<u8>,
}

impl Group {
    fn new() -> Self {
        Self {
            cache: cache_with(CacheLimits { memory_bytes: 1 << 20, ..CacheLimits::default() }),
            gtid: None,
            xid: None,
            bytes: Vec::new(),
        }
    }
}

/// Reads the next group; `None` at the end. Events between groups are passed over.
fn next_group(reader: &mut EventReader) -> Option<Group> {
    let mut group = Group::new();
    while let Some(raw) = reader.next_event().unwrap() {
        match raw.decode().unwrap() {
            Event::Gtid(gtid) => {
                let plan = GtidPlan {
                    sid: gtid.gtid.map(|gtid| gtid.sid),
                    may_have_statements: gtid.may_have_statements,
                    original_commit_timestamp_us: gtid.original_commit_timestamp_us,
                    immediate_server_version: gtid.immediate_server_version,
                    original_server_version: gtid.original_server_version,
                };
                let stamps = TrxStamps {
                    position: raw.position,
                    gno: gtid.gtid.map_or(0, |gtid| gtid.gno),
                    last_committed: gtid.last_committed,
                    sequence_number: gtid.sequence_number,
                    immediate_commit_timestamp_us: gtid.immediate_commit_timestamp_us,
                    xid: 0,
                };
                group.gtid = Some((plan, stamps, raw.header.origin()));
            }
            Event::Xid(xid) => group.xid = Some(xid.0),
            _ if group.gtid.is_none() => continue,
            _ => group.cache.append(raw.header.origin(), &AsRead::new(&raw)).unwrap(),
        }
        group.bytes.extend_from_slice(raw.bytes);
        let len = group.bytes.len() as u64;
        let start = group.gtid.as_ref().expect("a group begins with its GTID event").1.position;
        let mut probe = Boundaries::new(start);
        if whole(&group.bytes, &mut probe, reader.checksum(), start) {
            assert_eq!(probe.valid_end(), start + len);
            return Some(group);
        }
    }
    assert!(group.gtid.is_none(), "a file ends between groups");
    None
}

/// Whether these bytes are a whole group.
fn whole(bytes: &[u8], boundaries: &mut Boundaries, checksum: ChecksumAlg, start: u64) -> bool {
    let mut file = header(checksum, &binlog::GtidSet::new());
    let shift = start - file.len() as u64;
    file.extend(std::iter::repeat_n(0, usize::try_from(shift).unwrap()));
    file.extend_from_slice(bytes);
    let mut reader = EventReader::open_at(crate::support::file_of(&file), start).unwrap();
    while let Some(event) = reader.next_event().unwrap() {
        boundaries.step(&event).unwrap();
    }
    !boundaries.in_group()
}

#[test]
fn transactions_of_mysql_are_put_together_to_the_same_bytes() {
    let mut count = 0;
    for name in GOLDEN {
        let bytes = golden(name);
        let mut reader = reader_of(&bytes);
        while let Some(group) = next_group(&mut reader) {
            let (plan, stamps, origin) = group.gtid.unwrap();
            let stamps = TrxStamps { xid: group.xid.unwrap_or_default(), ..stamps };
            let trx = match group.xid {
                Some(_) => TrxEvents::transaction(&group.cache, plan, origin),
                None => TrxEvents::statement(&group.cache, plan, origin),
            };
            let mut ours = Vec::new();
            trx.write_into(reader.checksum(), &stamps, &mut ours);
            assert_eq!(ours, group.bytes, "{name} at {}", stamps.position);
            count += 1;
        }
    }
    assert!(count > 60, "the golden files hold {count} groups");
}

const CHECKSUMS: [ChecksumAlg; 2] = [ChecksumAlg::None, ChecksumAlg::Crc32];

/// The four layouts of a GTID event.
fn plans() -> impl Iterator<Item = GtidPlan> {
    [(None, None), (Some(5), None), (None, Some(80_000)), (Some(5), Some(80_000))].into_iter().map(
        |(time, version)| GtidPlan {
            original_commit_timestamp_us: time,
            original_server_version: version,
            ..plan()
        },
    )
}

/// Writes a transaction and checks it against its announced length and the length in its GTID event.
fn check_lengths(trx: &TrxEvents<'_>, checksum: ChecksumAlg) -> u64 {
    let len = trx.final_len(checksum);
    let mut bytes = Vec::new();
    trx.write_into(checksum, &stamps(4, 1), &mut bytes);
    assert_eq!(bytes.len() as u64, len);
    let gtid_header = binlog::EventHeader::from_bytes(bytes.first_chunk().unwrap());
    let body_end = usize::try_from(gtid_header.event_size).unwrap() - checksum.len();
    let Event::Gtid(gtid) = Event::decode(&gtid_header, &bytes[19..body_end]).unwrap() else {
        panic!("no GTID event")
    };
    assert_eq!(gtid.transaction_length, len);
    len
}

#[test]
fn the_length_that_counts_itself_is_right_around_every_threshold() {
    // The shortest group is longer than 250 bytes less the sweep, so the first threshold is crossed by small texts.
    let mut lengths = Vec::new();
    let sweeps = [0..260_usize, 65_000..65_560, (1 << 24) - 320..(1 << 24) + 20];
    for sweep in sweeps {
        let step = if sweep.start > 1 << 20 { 7 } else { 1 };
        for text_len in sweep.step_by(step) {
            let mut cache = cache_with(CacheLimits { memory_bytes: usize::MAX, ..CacheLimits::default() });
            cache.append(ORIGIN, &RowsQuery { sql: &vec![b'x'; text_len] }).unwrap();
            for plan in plans() {
                for checksum in CHECKSUMS {
                    let trx = TrxEvents::statement(&cache, plan, ORIGIN);
                    lengths.push(check_lengths(&trx, checksum));
                }
            }
        }
    }
    for threshold in [250, 0xffff, 0xff_ffff] {
        let near = |len: &&u64| len.abs_diff(threshold) < 10;
        assert!(lengths.iter().filter(near).any(|len| *len <= threshold), "{threshold} from below");
        assert!(lengths.iter().filter(near).any(|len| *len > threshold), "{threshold} from above");
    }
}

#[test]
fn a_transaction_says_its_length_before_the_ticket() {
    for rows in [0, 1, 10, 500] {
        let mut cache = cache();
        fill(&mut cache, rows);
        cache.load(u64::MAX).unwrap();
        for plan in plans() {
            for checksum in CHECKSUMS {
                check_lengths(&TrxEvents::transaction(&cache, plan, ORIGIN), checksum);
            }
        }
    }
}

#[test]
fn spilled_events_are_finalised_to_the_same_bytes() {
    let mut small = cache_with(CacheLimits { memory_bytes: 512, ..CacheLimits::default() });
    let mut large = cache();
    fill(&mut small, 12_000);
    fill(&mut large, 12_000);
    large.load(u64::MAX).unwrap();
    assert!(small.len() > 2 * (256 << 10), "more than is read at a time");
    assert!(small.memory().is_none());
    for checksum in CHECKSUMS {
        let stamps = stamps(1234, 5);
        let mut expected = Vec::new();
        TrxEvents::transaction(&large, plan(), ORIGIN).write_into(checksum, &stamps, &mut expected);
        let mut ours = Vec::new();
        let put = |bytes: &[u8]| {
            ours.extend_from_slice(bytes);
            Ok(())
        };
        TrxEvents::transaction(&small, plan(), ORIGIN).write_spilled(checksum, &stamps, put).unwrap();
        assert_eq!(ours, expected);
    }
}

#[test]
fn an_anonymous_transaction_has_neither_uuid_nor_number() {
    let mut cache = cache();
    fill_ddl(&mut cache, "drop table t");
    let trx = TrxEvents::statement(&cache, GtidPlan { sid: None, ..plan() }, ORIGIN);
    let mut bytes = Vec::new();
    trx.write_into(ChecksumAlg::None, &stamps(4, 9), &mut bytes);
    assert_eq!(bytes[4], EventType::ANONYMOUS_GTID.0);
    assert_eq!(bytes[20..44], [0; 24]);
}

#[test]
fn positions_wrap_at_4_gib() {
    let mut cache = cache();
    fill(&mut cache, 3);
    let trx = TrxEvents::transaction(&cache, plan(), ORIGIN);
    let position = (7 << 32) - 100;
    let mut bytes = Vec::new();
    trx.write_into(ChecksumAlg::Crc32, &stamps(position, 1), &mut bytes);
    let mut end = position;
    let mut rest = &bytes[..];
    while let Some(header) = rest.first_chunk() {
        let header = binlog::EventHeader::from_bytes(header);
        end += u64::from(header.event_size);
        assert_eq!(u64::from(header.end_log_pos), end % (1 << 32));
        rest = &rest[usize::try_from(header.event_size).unwrap()..];
    }
    assert!(end > 7 << 32);
}

#[test]
fn a_query_of_begin_is_as_long_as_it_says() {
    let query = Query::begin(1, status(), b"db");
    let mut bytes = Vec::new();
    query.append_to(ORIGIN, &mut bytes);
    assert_eq!(bytes.len(), query.encoded_len());
    assert_eq!(bytes.len(), event::HEADER_LEN + query.body_len());
}

proptest! {
    #[test]
    fn pieces_do_not_matter(cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..40), crc in any::<bool>()) {
        let checksum = if crc { ChecksumAlg::Crc32 } else { ChecksumAlg::None };
        let mut cache = cache();
        fill(&mut cache, 4);
        let cached = cache.memory().unwrap();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(cached.len() + 1)).collect();
        cuts.extend([0, cached.len()]);
        cuts.sort_unstable();
        let mut whole = Vec::new();
        let mut finaliser = Finaliser::new(157, checksum);
        finaliser.push(cached, &mut whole);
        let mut pieces = Vec::new();
        let mut by_pieces = Finaliser::new(157, checksum);
        for pair in cuts.windows(2) {
            by_pieces.push(&cached[pair[0]..pair[1]], &mut pieces);
        }
        prop_assert_eq!(&pieces, &whole);
        prop_assert!(by_pieces.is_between_events());
        prop_assert_eq!(by_pieces.position(), 157 + whole.len() as u64);
        prop_assert_eq!(by_pieces.events(), cache.events());
        prop_assert_eq!(finaliser.events(), cache.events());
    }
}

/// A log thread finalises what sessions have cached.
#[test]
fn caches_may_be_handed_to_another_thread() {
    fn send_and_sync<T: Send + Sync>() {}
    send_and_sync::<TrxCache>();
    send_and_sync::<TrxEvents<'_>>();
    send_and_sync::<Finaliser>();
    send_and_sync::<EventReader>();
}

#[test]
fn a_file_of_ours_reads_back() {
    for checksum in CHECKSUMS {
        let bytes = crate::support::sample_file(checksum, 12);
        assert!(events_of(&bytes).len() > 80);
    }
}
