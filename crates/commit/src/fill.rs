//! Fills what a ticket has reserved in the logs.

use redo::record::{HEAD_SIZE, head};
use redo::{RedoLog, Reservation};
use smallvec::SmallVec;

use crate::binlog_files::BinlogFiles;
use crate::pending::Pending;
use crate::pipeline::Pipeline;
use crate::record::{
    self, BinlogPlace, EventsHome, EventsParts, EventsPlace, RotationRecord, TrxHead, TrxParts,
};

impl Pipeline {
    /// Fills a transaction's redo record, and its rotation's, if it has one.
    pub(crate) fn fill_record(&self, pending: &mut Pending, events: Option<RecordEvents<'_>>) {
        let promised = self.binlog.as_ref().map_or(BinlogPlace::default(), BinlogFiles::synced);
        let ticket = pending.ticket_mut();
        let reservation = ticket.redo.take().expect("a record is filled once");
        let rotation_redo = ticket.rotation_redo.take();
        let ticket = pending.ticket();
        let place = ticket.binlog.zip(events).map(|(range, events)| EventsPlace {
            file: range.file,
            start: range.start,
            size: range.end - range.start,
            checksum: range.checksum,
            home: events.home(),
        });
        let gtid = ticket.binlog.and_then(|range| range.gtid);
        let trx = TrxHead { seq: ticket.seq, gtid, events: place, promised };
        let carried = match events {
            Some(RecordEvents::Carried { head, tail }) => {
                Some(EventsParts { chunks: &pending.event_chunks, head, tail })
            }
            _ => None,
        };
        let folds = match (carried, place, pending.events()) {
            (Some(_), Some(place), Some(events)) => pending.folds.placed(&events, place.checksum),
            _ => SmallVec::new(),
        };
        let parts = TrxParts {
            counters: &pending.counters,
            chunks: &pending.chunks,
            events: carried,
            writes: &pending.writes,
            folds: &folds,
        };
        fill(&self.redo, reservation, record::TRX, |put| record::put_trx(&trx, &parts, put));
        if let (Some(reservation), Some(rotation)) = (rotation_redo, &ticket.rotation) {
            let rotation = RotationRecord {
                after: rotation.after,
                old_file: rotation.old_file,
                rotate_start: rotation.rotate_start,
                new_file: rotation.new_file,
                rotate: &rotation.rotate,
                header: &rotation.header,
            };
            fill(&self.redo, reservation, record::ROTATION, |put| record::put_rotation(&rotation, put));
        }
    }

    /// Fills a transaction's record in the binlog store. Returns the CRC32C of its body.
    pub(crate) fn fill_stored(&self, pending: &mut Pending, head: &[u8], tail: &[u8]) -> u32 {
        let store = self.store().expect("the store was opened with its strategy");
        let ticket = pending.ticket_mut();
        let reservation = ticket.store.take().expect("a record is filled once");
        let seq = ticket.seq.0.to_le_bytes();
        let mut crc = 0;
        fill(store, reservation, record::EVENTS, |put| {
            let mut put = |piece: &[u8]| {
                crc = crc32c::crc32c_append(crc, piece);
                put(piece);
            };
            put(&seq);
            record::put_events(&EventsParts { chunks: &pending.event_chunks, head, tail }, put);
        });
        crc
    }
}

/// What a redo record says of a transaction's events.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RecordEvents<'a> {
    /// The CRC32C of the final bytes, which are in the binlog file.
    Named(u32),
    /// The final bytes: all, or those before and behind cached events in chunks.
    Carried { head: &'a [u8], tail: &'a [u8] },
    /// The CRC32C of the store's record.
    Stored(u32),
}

impl RecordEvents<'_> {
    fn home(self) -> EventsHome {
        match self {
            Self::Named(crc) => EventsHome::File(crc),
            Self::Carried { .. } => EventsHome::Record,
            Self::Stored(crc) => EventsHome::Store(crc),
        }
    }
}

/// Fills a record.
pub(crate) fn fill(
    log: &RedoLog,
    reservation: Reservation,
    kind: u8,
    body: impl FnOnce(&mut dyn FnMut(&[u8])),
) {
    let size = usize::try_from(reservation.end().since(reservation.start())).expect("a record fits the ring");
    let body_size = u32::try_from(size - HEAD_SIZE).expect("a record is below 4 GiB");
    let mut fill = log.ring().fill(reservation);
    fill.put(&head(kind, body_size));
    body(&mut |piece| fill.put(piece));
    fill.finish();
}
