//! COM_STMT_SEND_LONG_DATA: parts of parameters that come ahead of an execution.
//!
//! **Bound:** what a session has received so, and not executed yet, takes no more than `max_allowed_packet`. A statement for
//! which more comes loses all of it, and answers with an error until COM_STMT_RESET.

use std::collections::BTreeMap;

use types::error::SqlError;
use types::error::table::ER_UNKNOWN_ERROR;

/// What a parameter takes at least.
const SIZE_MIN: usize = 64;

/// That of one statement.
#[derive(Debug, Default)]
pub(super) struct LongData {
    by_param: BTreeMap<u16, Vec<u8>>,
    size: usize,
    is_too_long: bool,
}

impl LongData {
    /// Takes a part of a parameter. `of_session` is what all statements of the session have.
    pub(super) fn push(&mut self, param: u16, data: &[u8], of_session: &mut usize, size_max: usize) {
        if self.is_too_long {
            return;
        }
        let size = if self.by_param.contains_key(&param) { data.len() } else { data.len().max(SIZE_MIN) };
        if *of_session + size > size_max.max(SIZE_MIN) {
            self.clear(of_session);
            self.is_too_long = true;
            return;
        }
        *of_session += size;
        self.size += size;
        self.by_param.entry(param).or_default().extend_from_slice(data);
    }

    /// COM_STMT_RESET.
    pub(super) fn clear(&mut self, of_session: &mut usize) {
        *of_session -= self.size;
        *self = Self::default();
    }

    /// Takes it for an execution. Error 1105.
    pub(super) fn take(&mut self, of_session: &mut usize) -> Result<BTreeMap<u16, Vec<u8>>, SqlError> {
        if self.is_too_long {
            let text = "Parameter of prepared statement which is set through mysql_send_long_data() is longer than \
                        'max_allowed_packet' bytes";
            return Err(SqlError::with_message(&ER_UNKNOWN_ERROR, text.to_owned()));
        }
        *of_session -= self.size;
        self.size = 0;
        Ok(std::mem::take(&mut self.by_param))
    }
}
