//! Purpose: a client gets the log's events, all of them, in order, as they are stored, and none that is not published.
//!
//! Requirements: what comes before a file; what is changed of FORMAT_DESCRIPTION; the readable end; transactions that are
//! passed over; damage.
//!
//! Method: logs in memory, whose bytes are compared with what was given.

use binlog::event::flag;
use binlog::{ChecksumAlg, EventType as t, GtidSet};
use commit::record::BinlogPlace;
use replication::source::{DumpError, Sender, Step};

use super::world::{Kept, SID, TestLog, all, at, begin, file, header, request, server, up_to, without};

/// What was given of a file, put together again.
fn file_of(events: &[(Vec<u8>, Option<BinlogPlace>)], number: u32) -> Vec<u8> {
    let mut bytes = binlog::MAGIC.to_vec();
    let own = events.iter().filter(|(_, end)| end.is_some_and(|end| end.file == number));
    own.for_each(|(event, _)| bytes.extend_from_slice(event));
    bytes
}

/// The same bytes, but closed.
fn closed(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes[4 + 17] &= !1;
    bytes
}

#[test]
fn a_whole_log_is_given_as_it_is_stored() {
    for checksum in [ChecksumAlg::Crc32, ChecksumAlg::None] {
        let log = TestLog::new(checksum);
        for gno in 1..=5 {
            log.append(Some(gno));
            if gno % 2 == 0 {
                log.rotate();
            }
        }
        log.publish();
        let mut sender = begin(&log, at("", 4)).unwrap();
        let (mut kept, step) = all(&mut sender);
        assert_eq!(step, Step::UpToDate(*log.end.lock()));
        for number in 1..=3_u32 {
            let stored = log.bytes(usize::try_from(number).unwrap());
            assert_ne!(header(&stored[4..]).flags & flag::IN_USE, 0, "the files of this test are open");
            assert_eq!(file_of(&kept.events, number), closed(stored), "file {number}");
        }
        let artificial: Vec<_> = kept.events.iter().filter(|(_, end)| end.is_none()).collect();
        assert_eq!(artificial.len(), 3, "one ROTATE before each file");
        for (index, (event, _)) in artificial.into_iter().enumerate() {
            let header = header(event);
            assert_eq!((header.event_type, header.timestamp, header.end_log_pos), (t::ROTATE, 0, 0));
            assert_eq!((header.flags, header.server_id), (flag::ARTIFICIAL, 1));
            let (content, crc) = event.split_at(event.len() - 4);
            let has_checksum = crc32fast::hash(content).to_le_bytes() == crc;
            // The first as the client has asked, the others as the file before.
            assert_eq!(has_checksum, index == 0 || checksum == ChecksumAlg::Crc32);
        }
        assert_eq!(
            kept.take()[..4].iter().map(|(kind, _)| *kind).collect::<Vec<_>>(),
            [t::ROTATE, t::FORMAT_DESCRIPTION, t::PREVIOUS_GTIDS, t::GTID]
        );
        assert_eq!(all(&mut sender).0.events.len(), 0);
    }
}

#[test]
fn artificial_events_end_as_the_client_wants() {
    let log = TestLog::new(ChecksumAlg::None);
    for (checksum, size) in
        [(None, 19 + 8 + 13), (Some(ChecksumAlg::None), 40), (Some(ChecksumAlg::Crc32), 44)]
    {
        let asked = replication::source::Request { checksum, ..request(at("", 4)) };
        let mut sender = Sender::begin(log.clone(), asked, &server()).unwrap();
        let (kept, _) = all(&mut sender);
        assert_eq!(kept.events[0].0.len(), size);
    }
}

#[test]
fn nothing_is_given_beyond_the_readable_end() {
    let log = TestLog::new(ChecksumAlg::Crc32);
    let mut sender = begin(&log, at("", 4)).unwrap();
    let (mut kept, _) = all(&mut sender);
    assert_eq!(kept.take().len(), 3);
    for gno in 1..=6 {
        log.append(Some(gno));
        let (kept, step) = all(&mut sender);
        assert_eq!((kept.events.len(), step), (0, Step::UpToDate(*log.end.lock())), "not published");
        if gno % 3 == 0 {
            log.rotate();
        }
        log.publish();
        let (mut kept, step) = all(&mut sender);
        assert_eq!(step, Step::UpToDate(*log.end.lock()));
        let kinds: Vec<_> = kept.take().into_iter().map(|(kind, _)| kind).collect();
        let rotation = [t::ROTATE, t::ROTATE, t::FORMAT_DESCRIPTION, t::PREVIOUS_GTIDS];
        let expected: Vec<_> = [t::GTID, t::QUERY].into_iter().chain(rotation).collect();
        assert_eq!(kinds, expected[..if gno % 3 == 0 { 6 } else { 2 }]);
    }
}

#[test]
fn a_full_sink_loses_nothing() {
    let log = TestLog::new(ChecksumAlg::Crc32);
    (1..=7).for_each(|gno| log.append(Some(gno)));
    log.rotate();
    log.append(Some(8));
    log.publish();
    let whole = all(&mut begin(&log, at("", 4)).unwrap()).0.events;
    let mut sender = begin(&log, at("", 4)).unwrap();
    let mut pieces = Vec::new();
    loop {
        let mut kept = Kept { room: 3, ..Kept::default() };
        let step = sender.fill(log.readable(), &mut kept).unwrap();
        pieces.append(&mut kept.events);
        if step != Step::Full {
            break;
        }
    }
    assert_eq!(pieces, whole);
}

#[test]
fn what_comes_meanwhile_is_not_given_before_it_was_decided_about() {
    let log = TestLog::new(ChecksumAlg::Crc32);
    log.append(Some(1));
    log.publish();
    let known = *log.end.lock();
    let mut sender = begin(&log, at("", 4)).unwrap();
    log.append(Some(2));
    log.publish();
    let mut kept = Kept::default();
    assert_eq!(sender.fill(known, &mut kept).unwrap(), Step::UpToDate(known));
    assert_eq!(sender.place(), known);
    let before = kept.events.len();
    sender.fill(log.readable(), &mut kept).unwrap();
    assert_eq!(kept.events.len() - before, 2, "the other transaction's");
}

#[test]
fn who_begins_within_a_file_is_told_that_nothing_has_just_been_started() {
    let log = TestLog::new(ChecksumAlg::Crc32);
    let second = log.bytes(1).len() as u64;
    log.append(Some(1));
    log.publish();
    let (kept, _) = all(&mut begin(&log, at(&file(1), second)).unwrap());
    let format = &kept.events[1].0;
    assert_eq!((header(format).event_type, header(format).end_log_pos), (t::FORMAT_DESCRIPTION, 0));
    assert_eq!(format[71..75], [0; 4], "created");
    assert_eq!(format[format.len() - 4..], crc32fast::hash(&format[..format.len() - 4]).to_le_bytes());
    assert_eq!(header(&kept.events[2].0).event_type, t::GTID, "PREVIOUS_GTIDS is not between");
    let whole = all(&mut begin(&log, at(&file(1), 4)).unwrap()).0.events;
    assert_ne!(whole[1].0[71..75], [0; 4], "whoever begins with the file is told");
    assert_eq!(whole.last(), kept.events.last());
}

#[test]
fn transactions_that_a_client_has_are_passed_over_and_it_is_told_how_far() {
    let log = TestLog::new(ChecksumAlg::Crc32);
    let mut ends = Vec::new();
    for gno in 1..=4 {
        log.append(Some(gno));
        ends.push(u32::try_from(log.bytes(1).len()).unwrap());
    }
    log.publish();
    let (mut kept, _) = all(&mut begin(&log, without(up_to(2))).unwrap());
    assert_eq!(kept.events[1].0[71..75], [0; 4], "the client has seen the file's beginning");
    let given = kept.take();
    assert_eq!(given[2].0, t::PREVIOUS_GTIDS);
    assert_eq!(given[3], (t::HEARTBEAT, ends[1]));
    assert_eq!(
        given[4..].iter().map(|(kind, _)| *kind).collect::<Vec<_>>(),
        [t::GTID, t::QUERY, t::GTID, t::QUERY]
    );
    let mut all_known = begin(&log, without(up_to(4))).unwrap();
    let (mut kept, step) = all(&mut all_known);
    assert_eq!(kept.take()[3..], [(t::HEARTBEAT, ends[3])]);
    assert_eq!(step, Step::UpToDate(*log.end.lock()));
    assert_eq!(all(&mut all_known).0.events.len(), 0, "once");
    assert_eq!(all_known.has_before(), *log.end.lock(), "it has all without having been sent any");
    let mut odd = up_to(1);
    odd.extend([3].map(|gno| binlog::Gtid { sid: SID, gno }));
    let mut sender = begin(&log, without(odd)).unwrap();
    let (mut kept, _) = all(&mut sender);
    let first = BinlogPlace { file: 1, position: ends[0].into() };
    assert_eq!(sender.has_before(), first, "behind the second it is asked");
    let kinds: Vec<_> = kept.take()[3..].iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, [t::HEARTBEAT, t::GTID, t::QUERY, t::HEARTBEAT, t::GTID, t::QUERY]);
}

/// Somebody may wait for its acknowledgement, for which only an event can ask.
#[test]
fn what_nothing_could_say_was_passed_over_is_sent() {
    let log = TestLog::new(ChecksumAlg::Crc32);
    log.append_giant(1);
    (2..=4).for_each(|gno| log.append(Some(gno)));
    log.publish();
    let known = || [1, 3, 4].map(|gno| binlog::Gtid { sid: SID, gno }).into_iter().collect();
    for (whole_heartbeats, expected) in [
        (false, &[t::GTID, t::QUERY, t::GTID, t::QUERY, t::GTID, t::QUERY][..]),
        (true, &[t::HEARTBEAT_V2, t::GTID, t::QUERY, t::HEARTBEAT_V2][..]),
    ] {
        let asked = replication::source::Request { whole_heartbeats, ..request(without(known())) };
        let mut sender = Sender::begin(log.clone(), asked, &server()).unwrap();
        let (mut kept, step) = all(&mut sender);
        assert_eq!(step, Step::UpToDate(log.readable()));
        assert!(sender.has_before().position > 1 << 32, "the first was there");
        let end = kept.events.last().unwrap().1;
        assert_eq!(end, Some(log.readable()), "it can ask for an acknowledgement of all");
        let kinds: Vec<_> = kept.take()[3..].iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, expected);
    }
}

#[test]
fn a_transaction_without_a_gtid_ends_a_dump_by_gtids() {
    let log = TestLog::new(ChecksumAlg::Crc32);
    let position = log.bytes(1).len() as u64;
    log.append(None);
    log.publish();
    let mut sender = begin(&log, without(GtidSet::new())).unwrap();
    let error = sender.fill(log.readable(), &mut Kept::default()).unwrap_err();
    assert_eq!(error, DumpError::Anonymous { file: file(1), position });
}

#[test]
fn who_does_not_want_to_wait_is_told_the_end() {
    let log = TestLog::new(ChecksumAlg::Crc32);
    let asked = replication::source::Request { ends: true, ..request(at("", 4)) };
    let mut sender = Sender::begin(log, asked, &server()).unwrap();
    assert_eq!(all(&mut sender).1, Step::End);
}

#[test]
fn a_reset_ends_the_dump() {
    let log = TestLog::new(ChecksumAlg::Crc32);
    log.append(Some(1));
    log.publish();
    let mut sender = begin(&log, at("", 4)).unwrap();
    all(&mut sender);
    *log.over.lock() = true;
    let ended = sender.fill(log.readable(), &mut Kept::default()).unwrap_err();
    assert_eq!(ended.to_string(), "could not find next log");
}

#[test]
fn damage_ends_the_dump_where_it_is() {
    let log = TestLog::new(ChecksumAlg::Crc32);
    (1..=2).for_each(|gno| log.append(Some(gno)));
    log.publish();
    let end = log.bytes(1).len();
    log.files.lock()[0][end - 10] ^= 1;
    let mut sender = begin(&log, at("", 4)).unwrap();
    let mut kept = Kept::default();
    let error = sender.fill(log.readable(), &mut kept).unwrap_err();
    assert!(
        error.to_string().starts_with("bogus data in log event; the first event 'binlog.000001' at 4, "),
        "{error}"
    );
    assert_eq!(kept.events.len(), 6, "everything before it was given");
    log.files.lock()[0].truncate(end - 10);
    let end = log.readable();
    let error = begin(&log, at("", 4)).unwrap().fill(end, &mut Kept::default()).unwrap_err();
    assert!(error.to_string().starts_with("binlog truncated in the middle of event"), "{error}");
    log.files.lock()[0].truncate(50);
    let error = begin(&log, at("", 4)).unwrap().fill(end, &mut Kept::default()).unwrap_err();
    assert!(error.to_string().starts_with("binlog truncated in the middle of event"), "{error}");
}

#[test]
fn a_heartbeat_says_how_far_the_log_went() {
    let log = TestLog::new(ChecksumAlg::Crc32);
    let mut sender = begin(&log, at("", 4)).unwrap();
    all(&mut sender);
    let mut kept = Kept::default();
    sender.heartbeat(&mut kept);
    let (event, end) = &kept.events[0];
    assert_eq!((header(event).event_type, header(event).timestamp, end), (t::HEARTBEAT, 0, &None));
    assert_eq!(u64::from(header(event).end_log_pos), log.end.lock().position);
    assert_eq!(event[19..event.len() - 4], *file(1).as_bytes());
}

#[test]
fn much_that_is_passed_over_does_not_keep_the_client_waiting() {
    const COUNT: u64 = 5_000;
    let log = TestLog::new(ChecksumAlg::Crc32);
    (1..=COUNT).for_each(|gno| log.append(Some(gno)));
    log.publish();
    let known = (2..=COUNT).map(|gno| binlog::Gtid { sid: SID, gno }).collect();
    let mut sender = begin(&log, without(known)).unwrap();
    let (mut kept, step) = all(&mut sender);
    assert_eq!(step, Step::Full, "the first one is not held back until the end of the log is found");
    assert_eq!(kept.take()[3..].iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), [t::GTID, t::QUERY]);
    let behind = sender.place();
    sender.report(&mut kept);
    assert_eq!(kept.events.last().unwrap().1, Some(behind));
    assert_eq!(kept.take().last().unwrap().0, t::HEARTBEAT);
    let mut rounds = 0;
    while all(&mut sender).1 == Step::Full {
        rounds += 1;
        assert!(sender.place() > behind);
    }
    assert!((3..6).contains(&rounds), "{rounds}");
    assert_eq!(sender.place(), log.readable());
}
