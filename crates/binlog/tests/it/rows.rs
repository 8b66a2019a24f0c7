//! Purpose: rows that arrive one by one become the rows events that MySQL makes of them.
//!
//! Requirements: events are split where MySQL splits them (`binlog_row_event_max_size`); only a statement's last event
//! says that it is the last; a row that cannot join the open event opens another; bitmaps are MySQL's.
//!
//! Method: the golden file `mysql80-anonymous.000001` was written with events of at most 256 bytes, by statements whose
//! two rows just fit or just do not. Its images are taken apart and given to a cache one at a time; the cache must then
//! hold the golden events. The same for the images of all other golden files.

use binlog::decode::{Event, RowsBody};
use binlog::event::{Present, Row, RowsKind, RowsSpec, column_type, rows_flag};
use binlog::{CacheLimits, EventType, Origin, TrxCache};

use crate::support::{GOLDEN, ORIGIN, cache, cache_with, golden, image, reader_of, spec, table_map};

/// Bytes of the first image in `images`, for a table of (INT, VARCHAR below 256 or above).
fn int_varchar_len(images: &[u8], length_bytes: usize) -> usize {
    let nulls = images[0];
    let mut len = 1;
    if nulls & 1 == 0 {
        len += 4;
    }
    if nulls & 2 == 0 {
        let mut field = [0; 8];
        field[..length_bytes].copy_from_slice(&images[len..len + length_bytes]);
        len += length_bytes + usize::try_from(u64::from_le_bytes(field)).unwrap();
    }
    len
}

/// The rows of an event of such a table.
fn rows_of<'a>(body: &RowsBody<'a>, length_bytes: usize) -> Vec<Row<'a>> {
    let mut images = body.images;
    let mut next = || {
        let (image, rest) = images.split_at(int_varchar_len(images, length_bytes));
        images = rest;
        (image, rest.is_empty())
    };
    let mut rows = Vec::new();
    loop {
        let (first, mut last) = next();
        let row = match body.kind {
            RowsKind::Write => Row::Write(first),
            RowsKind::Delete => Row::Delete(first),
            RowsKind::Update => {
                let (after, is_last) = next();
                last = is_last;
                Row::Update(first, after)
            }
        };
        rows.push(row);
        if last {
            return rows;
        }
    }
}

/// What an encoder is told about an event.
fn spec_of<'a>(body: &RowsBody<'a>) -> RowsSpec<'a> {
    let present = |bits: &'a [u8]| {
        if bits.iter().all(|byte| *byte == 0xff) { Present::All } else { Present::Only(bits) }
    };
    let (before, after) = match body.kind {
        RowsKind::Write => (Present::All, present(body.present)),
        RowsKind::Update => (present(body.present), present(body.present_after)),
        RowsKind::Delete => (present(body.present), Present::All),
    };
    RowsSpec {
        kind: body.kind,
        table_id: body.table_id,
        flags: body.flags & !rows_flag::STMT_END,
        columns: body.columns,
        before,
        after,
    }
}

/// An event without checksum and end position.
fn as_cached(event: &binlog::RawEvent<'_>) -> Vec<u8> {
    let mut header = event.header;
    header.event_size = u32::try_from(19 + event.body.len()).unwrap();
    header.end_log_pos = 0;
    [&header.to_bytes(), event.body].concat()
}

fn origin_of(event: &binlog::RawEvent<'_>) -> Origin {
    event.header.origin()
}

#[test]
fn rows_are_split_where_mysql_splits_them() {
    let limits = CacheLimits { rows_event_size: 256, memory_bytes: 1 << 20, ..CacheLimits::default() };
    let mut cache = cache_with(limits);
    let mut golden_events = Vec::new();
    let (mut statements, mut splits) = (0, 0);
    let bytes = golden("mysql80-anonymous.000001");
    let mut reader = reader_of(&bytes);
    while let Some(event) = reader.next_event().unwrap() {
        let Event::Rows(body) = event.decode().unwrap() else { continue };
        golden_events.extend(as_cached(&event));
        for row in rows_of(&body, 2) {
            cache.append_row(origin_of(&event), &spec_of(&body), &row).unwrap();
        }
        if body.ends_statement() {
            cache.end_statement();
            statements += 1;
        } else {
            splits += 1;
        }
    }
    assert!(statements > 30 && splits > 15, "the golden file has statements of both kinds");
    assert_eq!(cache.memory().unwrap(), golden_events);
}

#[test]
fn bitmaps_and_flags_are_those_of_mysql() {
    let mut seen = Vec::new();
    for name in GOLDEN {
        let bytes = golden(name);
        let mut reader = reader_of(&bytes);
        while let Some(event) = reader.next_event().unwrap() {
            let Event::Rows(body) = event.decode().unwrap() else { continue };
            // All images as if they were one: only what stands in front of them is tested here.
            let (first, second) = body.images.split_at(body.images.len() / 2);
            let row = match body.kind {
                RowsKind::Write => Row::Write(body.images),
                RowsKind::Update => Row::Update(first, second),
                RowsKind::Delete => Row::Delete(body.images),
            };
            let mut cache = cache();
            cache.append_row(origin_of(&event), &spec_of(&body), &row).unwrap();
            if body.ends_statement() {
                cache.end_statement();
                assert_eq!(cache.memory().unwrap(), as_cached(&event), "{name} at {}", event.position);
            }
            seen.push((body.kind, body.present.to_vec(), body.flags));
        }
    }
    assert!(seen.contains(&(RowsKind::Update, vec![1, 0], 1)), "an UPDATE with binlog_row_image=MINIMAL");
    assert!(seen.contains(&(RowsKind::Write, vec![0xff], 7)), "without foreign key and unique checks");
}

/// Types and flags of the rows events in a cache.
fn rows_events(cache: &TrxCache) -> Vec<(EventType, u64, u16)> {
    let mut bytes = cache.memory().unwrap();
    let mut events = Vec::new();
    while let Some(header) = bytes.first_chunk() {
        let header = binlog::EventHeader::from_bytes(header);
        let (event, rest) = bytes.split_at(usize::try_from(header.event_size).unwrap());
        if let Event::Rows(rows) = Event::decode(&header, &event[19..]).unwrap() {
            events.push((header.event_type, rows.table_id, rows.flags));
        }
        bytes = rest;
    }
    assert!(bytes.is_empty());
    events
}

#[test]
fn a_row_of_another_table_or_kind_or_set_of_columns_opens_another_event() {
    let mut cache = cache();
    let row = image(1, "x", None);
    let write = spec(RowsKind::Write);
    let other_table = RowsSpec { table_id: 109, ..write };
    let other_columns = RowsSpec { after: Present::Only(&[0b011]), ..write };
    let delete = spec(RowsKind::Delete);
    for spec in [write, write, other_table, other_columns, other_columns, write] {
        cache.append_row(ORIGIN, &spec, &Row::Write(&row)).unwrap();
    }
    let update = spec(RowsKind::Update);
    let other_before = RowsSpec { before: Present::Only(&[0b001]), ..update };
    let other_after = RowsSpec { after: Present::Only(&[0b100]), ..other_before };
    for spec in [update, update, other_before, other_after, other_after] {
        cache.append_row(ORIGIN, &spec, &Row::Update(&row, &row)).unwrap();
    }
    cache.append_row(ORIGIN, &delete, &Row::Delete(&row)).unwrap();
    cache.end_statement();
    let (w, u, d) = (EventType::WRITE_ROWS, EventType::UPDATE_ROWS, EventType::DELETE_ROWS);
    let written = [(w, 108, 0), (w, 109, 0), (w, 108, 0), (w, 108, 0)];
    let others = [(u, 108, 0), (u, 108, 0), (u, 108, 0), (d, 108, rows_flag::STMT_END)];
    assert_eq!(rows_events(&cache), [written, others].concat());
    assert_eq!(cache.events(), 8);
}

#[test]
fn statements_do_not_share_events() {
    let mut cache = cache();
    let row = image(1, "x", None);
    for _ in 0..2 {
        cache.append(ORIGIN, &table_map()).unwrap();
        cache.append_row(ORIGIN, &spec(RowsKind::Write), &Row::Write(&row)).unwrap();
        cache.end_statement();
    }
    let end = (EventType::WRITE_ROWS, 108, rows_flag::STMT_END);
    assert_eq!(rows_events(&cache), [end, end]);
}

#[test]
fn the_type_codes_of_columns_are_mysqls() {
    // From the table map of `t` in the golden script, in the order of its columns.
    let bytes = golden("mysql80-statements.000001");
    let mut reader = reader_of(&bytes);
    while let Some(event) = reader.next_event().unwrap() {
        if let Event::TableMap(map) = event.decode().unwrap() {
            use column_type as t;
            let expected = [
                t::LONG,
                t::VARCHAR,
                t::VARCHAR,
                t::NEWDECIMAL,
                t::DATETIME2,
                t::TIMESTAMP2,
                t::TIME2,
                t::YEAR,
                t::DATE,
                t::DOUBLE,
                t::FLOAT,
                t::LONGLONG,
                t::TINY,
                t::SHORT,
                t::INT24,
                t::STRING,
                t::STRING,
                t::BIT,
                t::BLOB,
                t::BLOB,
                t::STRING,
                t::STRING,
                t::JSON,
                t::BLOB,
                t::BLOB,
            ];
            assert_eq!(map.types, expected);
            return;
        }
    }
    panic!("the golden file has no table map");
}
