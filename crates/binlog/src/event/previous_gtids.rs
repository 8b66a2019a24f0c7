//! PREVIOUS_GTIDS: the second event of every file. Its body is a set in binary form ([`GtidSet::encode`]).

use super::put::Put;
use super::{Encode, EventType, flag};
use crate::gtid::GtidSet;

/// The GTIDs of all earlier files, purged ones included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreviousGtids<'a>(pub &'a GtidSet);

impl Encode for PreviousGtids<'_> {
    fn event_type(&self) -> EventType {
        EventType::PREVIOUS_GTIDS
    }

    fn flags(&self) -> u16 {
        flag::IGNORABLE
    }

    fn put_body(&self, out: &mut impl Put) {
        self.0.put(out);
    }

    fn body_len(&self) -> usize {
        self.0.encoded_len()
    }
}
