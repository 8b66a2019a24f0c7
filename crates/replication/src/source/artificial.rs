//! Events that are made for one reader, and the one that is changed for it.
//!
//! What is stored is sent as it is, and its FORMAT_DESCRIPTION says how events end. Artificial ones end like those of the
//! FORMAT_DESCRIPTION that was sent last: so does whoever reads them take them apart. Before the first, it is the client's
//! to say.

use binlog::decode::Event;
use binlog::event::{Heartbeat, HeartbeatV2, Rotate};
use binlog::finalise::{append_final, wrapped};
use binlog::{ChecksumAlg, Origin, Placement, RawEvent};

/// Who artificial events come from, and how they end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Artificial {
    /// The source's `server_id`.
    pub(super) server_id: u32,
    /// What the client has asked for, then what the last file's events end with.
    pub(super) checksum: ChecksumAlg,
    /// Whether the client reads [`HeartbeatV2`].
    pub(super) whole_heartbeats: bool,
}

impl Artificial {
    /// "What follows is of this file, from this position on": it comes before each file.
    pub(super) fn rotate(self, file: &str, position: u64) -> Vec<u8> {
        let mut event = Vec::new();
        let rotate = Rotate { position, file: file.as_bytes() };
        append_final(&mut event, &rotate, self.origin(), Placement::Artificial(0), self.checksum);
        event
    }

    /// "I am alive, and this is how far the file went." `None` if the client could not tell how far: replicas stop if a
    /// position goes back.
    pub(super) fn heartbeat(self, file: &str, position: u64) -> Option<Vec<u8>> {
        if !self.can_tell(position) {
            return None;
        }
        let mut event = Vec::new();
        let file = file.as_bytes();
        let placement = Placement::Artificial(wrapped(position));
        if self.whole_heartbeats {
            let heartbeat = HeartbeatV2 { file, position };
            append_final(&mut event, &heartbeat, self.origin(), placement, self.checksum);
        } else {
            append_final(&mut event, &Heartbeat { file }, self.origin(), placement, self.checksum);
        }
        Some(event)
    }

    /// Whether a heartbeat can say that the log has come so far.
    pub(super) fn can_tell(self, position: u64) -> bool {
        self.whole_heartbeats || u32::try_from(position).is_ok()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_that_a_heartbeat_cannot_tell_is_not_told() {
        let heartbeats = |whole_heartbeats, position| {
            let artificial = Artificial { server_id: 1, checksum: ChecksumAlg::None, whole_heartbeats };
            artificial.heartbeat("binlog.000001", position).map(|event| event[4])
        };
        let most = u64::from(u32::MAX);
        assert_eq!([heartbeats(false, most), heartbeats(false, most + 1)], [Some(27), None]);
        assert_eq!([heartbeats(true, 4), heartbeats(true, most + 1)], [Some(41), Some(41)]);
    }
}
