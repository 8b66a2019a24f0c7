//! Server UUIDs.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use std::fmt;
use std::str::FromStr;

use super::GtidParseError;

/// A server's UUID. Ordered by its bytes, which is the order in which MySQL prints and encodes sets.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Uuid(pub [u8; 16]);

impl Uuid {
    /// Characters of the text form.
    pub const TEXT_LEN: usize = 36;

    /// The UUID in 36 characters of text: hexadecimal digits of either case, dashes in their four places.
    pub fn from_text(text: &[u8]) -> Option<Self> {
        if text.len() != Self::TEXT_LEN {
            return None;
        }
        let mut bytes = [0_u8; 16];
        let mut slots = bytes.iter_mut();
        let mut chars = text.iter().copied().enumerate();
        while let Some((index, c)) = chars.next() {
            if matches!(index, 8 | 13 | 18 | 23) {
                if c != b'-' {
                    return None;
                }
                continue;
            }
            let (_, low) = chars.next()?;
            *slots.next()? = hex(c)? << 4 | hex(low)?;
        }
        Some(Self(bytes))
    }
}

fn hex(c: u8) -> Option<u8> {
    char::from(c).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

impl FromStr for Uuid {
    type Err = GtidParseError;

    fn from_str(text: &str) -> Result<Self, GtidParseError> {
        Self::from_text(text.as_bytes()).ok_or(GtidParseError { at: 0 })
    }
}

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, byte) in self.0.iter().enumerate() {
            if matches!(index, 4 | 6 | 8 | 10) {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
