//! XA_PREPARE: the end of a transaction that waits for its coordinator's word.
//!
//! | size | field |
//! | --- | --- |
//! | 1 | 1: it is committed at once, XA COMMIT .. ONE PHASE |
//! | 4 | number of the format of the name |
//! | 4 | length of the global part |
//! | 4 | length of the branch part |
//! | n | both parts |
//!
//! Its group begins with the QUERY event "XA START ..." where others say BEGIN, and "XA END ..." is in front of this event.
//! What becomes of it is a group of its own, the QUERY event "XA COMMIT ..." or "XA ROLLBACK ...".

use std::fmt;

use super::put::Put;
use super::{Encode, EventType};

/// The name of an XA transaction. Shown as statements in the binlog have it: `X'78',X'',1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct XaName<'a> {
    /// Of the coordinator's choice; 1 if it says nothing.
    pub format: u32,
    /// The global transaction; at most 64 bytes.
    pub global: &'a [u8],
    /// The branch of it; at most 64 bytes.
    pub branch: &'a [u8],
}

impl fmt::Display for XaName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in [self.global, self.branch] {
            f.write_str("X'")?;
            part.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
            f.write_str("',")?;
        }
        write!(f, "{}", self.format)
    }
}

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct XaPrepare<'a> {
    /// It is committed at once.
    pub one_phase: bool,
    /// Whose end it is.
    pub name: XaName<'a>,
}

impl Encode for XaPrepare<'_> {
    fn event_type(&self) -> EventType {
        EventType::XA_PREPARE
    }

    /// # Panics
    /// If a part of the name is 4 GiB or larger: the parser takes 64 bytes.
    fn put_body(&self, out: &mut impl Put) {
        let XaName { format, global, branch } = self.name;
        out.put(&[u8::from(self.one_phase)]);
        out.put(&format.to_le_bytes());
        for part in [global, branch] {
            out.put(&u32::try_from(part.len()).expect("names are short").to_le_bytes());
        }
        out.put(global);
        out.put(branch);
    }
}
