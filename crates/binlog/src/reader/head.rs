//! What the first two events of a file say.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::{EventReader, ReadAt};
use crate::decode::Event;
use crate::error::{Error, Result};
use crate::event::{ChecksumAlg, GtidEvent};
use crate::gtid::GtidSet;

/// The beginning of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileHead {
    /// The version of the server that wrote it.
    pub server_version: Vec<u8>,
    /// When the server that wrote it had started, if this is its first file; otherwise 0.
    pub created: u32,
    /// `binlog_checksum` of its events.
    pub checksum: ChecksumAlg,
    /// Whether it was never closed.
    pub in_use: bool,
    /// The GTIDs of all earlier files.
    pub previous: GtidSet,
    /// Where the first transaction begins.
    pub first_transaction: u64,
}

/// The GTIDs that were executed when a file ended, or as far as it can be read: those of all earlier files, and its own.
pub fn executed_by(file: impl ReadAt + 'static) -> Result<GtidSet> {
    let mut reader = EventReader::open(file)?;
    let mut executed = GtidSet::new();
    while let Ok(Some(event)) = reader.next_event() {
        match event.decode() {
            Ok(Event::PreviousGtids(previous)) => executed.add_set(&previous),
            Ok(Event::Gtid(GtidEvent { gtid: Some(gtid), .. })) => {
                executed.add(gtid);
            }
            _ => {}
        }
    }
    Ok(executed)
}

/// Reads a file's FORMAT_DESCRIPTION and PREVIOUS_GTIDS, and nothing else.
///
/// # Errors
/// [`Error::Torn`] if the file ends before: a rotation that a crash interrupted.
pub fn read_head(file: impl ReadAt + 'static) -> Result<FileHead> {
    let mut reader = EventReader::open(file)?;
    let mut head = match reader.next_event()? {
        Some(event) => {
            let format = event.format_description()?;
            FileHead {
                server_version: format.server_version.to_vec(),
                created: format.created,
                checksum: format.checksum,
                in_use: format.in_use,
                previous: GtidSet::new(),
                first_transaction: 0,
            }
        }
        None => return Err(Error::Torn { offset: reader.position() }),
    };
    let offset = reader.position();
    let Some(event) = reader.next_event()? else { return Err(Error::Torn { offset }) };
    let Event::PreviousGtids(previous) = event.decode()? else {
        return Err(Error::Corrupt { offset, what: "no PREVIOUS_GTIDS" });
    };
    head.previous = previous;
    head.first_transaction = event.end();
    Ok(head)
}
