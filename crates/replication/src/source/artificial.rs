//! Events that are made for one reader, and the one that is changed for it.
//!
//! What is stored is sent as it is, and its FORMAT_DESCRIPTION says how events end. Artificial ones end like those of the
//! FORMAT_DESCRIPTION that was sent last: so does whoever reads them take them apart. Before the first, it is the client's
//! to say.

use binlog::decode::Event;
use binlog::event::{Heartbeat, Rotate};
use binlog::finalise::append_final;
use binlog::{ChecksumAlg, Origin, Placement, RawEvent};

/// Who artificial events come from, and how they end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Artificial {
    /// The source's `server_id`.
    pub(super) server_id: u32,
    /// What the client has asked for, then what the last file's events end with.
    pub(super) checksum: ChecksumAlg,
}

impl Artificial {
    /// "What follows is of this file, from this position on": it comes before each file.
    pub(super) fn rotate(self, file: &str, position: u64) -> Vec<u8> {
        let mut event = Vec::new();
        let rotate = Rotate { position, file: file.as_bytes() };
        append_final(&mut event, &rotate, self.origin(), Placement::Artificial(0), self.checksum);
        event
    }

    /// "I am alive, and this is how far the file went." Positions are modulo 2^32, as in every event's header.
    pub(super) fn heartbeat(self, file: &str, position: u64) -> Vec<u8> {
        let mut event = Vec::new();
        let [a, b, c, d, ..] = position.to_le_bytes();
        let placement = Placement::Artificial(u32::from_le_bytes([a, b, c, d]));
        let heartbeat = Heartbeat { file: file.as_bytes() };
        append_final(&mut event, &heartbeat, self.origin(), placement, self.checksum);
        event
    }

    fn origin(self) -> Origin {
        Origin { timestamp: 0, server_id: self.server_id }
    }
}

/// A stored FORMAT_DESCRIPTION as a client gets it: the file is in use by nobody.
///
/// To a client that has seen the file's beginning, nothing has just been started (`resumes`); if it says itself where it
/// is, its position does not move either (`stays`).
pub(super) fn format_description(
    stored: &RawEvent<'_>,
    resumes: bool,
    stays: bool,
) -> binlog::Result<Vec<u8>> {
    let mut event = Vec::new();
    let Event::FormatDescription(mut format) = stored.decode()? else {
        return Err(binlog::Error::Corrupt { offset: stored.position, what: "no FORMAT_DESCRIPTION" });
    };
    format.in_use = false;
    if resumes {
        format.created = 0;
    }
    let placement = if stays { Placement::Artificial(0) } else { Placement::At(stored.position) };
    append_final(&mut event, &format, stored.header.origin(), placement, format.checksum);
    Ok(event)
}
