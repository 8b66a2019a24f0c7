//! Connect attributes: what a client says of itself, as pairs of names and values.
//!
//! | bytes | field |
//! | --- | --- |
//! | lenenc | size of all pairs in bytes |
//! | lenenc string, lenenc string | name, value; repeated |

use crate::Result;
use crate::wire::cursor::Cursor;

const PACKET: &str = "connect attributes";

/// A client's attributes. They were validated, and hold at most what the packet held.
#[derive(Clone, Copy, Debug, Default)]
pub struct Attributes<'a> {
    pairs: &'a [u8],
}

impl<'a> Attributes<'a> {
    /// Reads the attributes at the end of a packet, of which there may be none at all.
    pub(crate) fn decode(cursor: &mut Cursor<'a>) -> Result<Self> {
        if cursor.is_empty() {
            return Ok(Self::default());
        }
        let pairs = cursor.lenenc_bytes()?;
        let mut rest = Cursor::new(pairs, PACKET);
        while !rest.is_empty() {
            rest.lenenc_bytes()?;
            rest.lenenc_bytes()?;
        }
        Ok(Self { pairs })
    }

    /// Names and values, in the client's order.
    pub fn iter(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + use<'a> {
        let mut rest = Cursor::new(self.pairs, PACKET);
        std::iter::from_fn(move || Some((rest.lenenc_bytes().ok()?, rest.lenenc_bytes().ok()?)))
    }

    /// The value of the first attribute of this name.
    pub fn get(&self, name: &[u8]) -> Option<&'a [u8]> {
        self.iter().find(|(found, _)| *found == name).map(|(_, value)| value)
    }
}
