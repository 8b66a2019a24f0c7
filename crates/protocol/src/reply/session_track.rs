//! Changes of a session's state, for clients that route or restore sessions.
//!
//! A sequence of entries, each a type and a length-encoded string:
//!
//! | type | string |
//! | --- | --- |
//! | 0 system variable | name and value as lenenc strings |
//! | 1 schema | name as lenenc string |
//! | 2 something changed | `1` |
//! | 3 GTIDs | 0 (encoding), set as lenenc string of text |
//! | 4 transaction characteristics | statements that restart it, as lenenc string |
//! | 5 transaction state | 8 characters as lenenc string |

use crate::wire::put::{Put, lenenc_size};

const SYSTEM_VARIABLE: u8 = 0;
const SCHEMA: u8 = 1;
const STATE_CHANGE: u8 = 2;
const GTIDS: u8 = 3;
const TRANSACTION_CHARACTERISTICS: u8 = 4;
const TRANSACTION_STATE: u8 = 5;

/// Collects the changes of one statement. Which of them a client is told is decided by the `session_track_*`
/// variables, not here.
#[derive(Clone, Debug, Default)]
pub struct SessionChanges {
    bytes: Vec<u8>,
}

impl SessionChanges {
    /// Whether nothing changed.
    pub const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// A system variable has this value now.
    pub fn system_variable(&mut self, name: &[u8], value: &[u8]) {
        self.bytes.put_u8(SYSTEM_VARIABLE);
        self.bytes.put_lenenc(lenenc_size(name).saturating_add(lenenc_size(value)));
        self.bytes.put_lenenc_bytes(name);
        self.bytes.put_lenenc_bytes(value);
    }

    /// The default database is this one now.
    pub fn schema(&mut self, name: &[u8]) {
        self.entry(SCHEMA, name);
    }

    /// Something changed; for clients that only want to know whether.
    pub fn state_changed(&mut self) {
        self.bytes.put_u8(STATE_CHANGE);
        self.bytes.put_lenenc_bytes(b"1");
    }

    /// The GTIDs of what was committed.
    pub fn gtids(&mut self, set: &[u8]) {
        self.bytes.put_u8(GTIDS);
        self.bytes.put_lenenc(lenenc_size(set).saturating_add(1));
        self.bytes.put_u8(0);
        self.bytes.put_lenenc_bytes(set);
    }

    /// Statements that would start a transaction like the one in progress; empty if there is none.
    pub fn transaction_characteristics(&mut self, statements: &[u8]) {
        self.entry(TRANSACTION_CHARACTERISTICS, statements);
    }

    /// The state of the transaction: `T`, `I` or `_` (explicit, implicit, none), then `r`, `R`, `w`, `W`, `s`, `S`
    /// and `L`, each in its place or `_`.
    pub fn transaction_state(&mut self, state: [u8; 8]) {
        self.entry(TRANSACTION_STATE, &state);
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn entry(&mut self, kind: u8, text: &[u8]) {
        self.bytes.put_u8(kind);
        self.bytes.put_lenenc(lenenc_size(text));
        self.bytes.put_lenenc_bytes(text);
    }
}
