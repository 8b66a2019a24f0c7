//! What of a source's changes may fail without stopping the applier: `replica_exec_mode`, `replica_skip_errors`.
//!
//! As long as anything is tolerated, one worker applies: what fails beside others is perhaps no error.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use types::error::table::{
    ER_BINLOG_FATAL_ERROR, ER_CRASHED_ON_USAGE, ER_DISK_FULL, ER_DUP_ENTRY, ER_ERROR_ON_READ,
    ER_ERROR_ON_WRITE, ER_FOREIGN_DUPLICATE_KEY_WITH_CHILD_INFO, ER_KEY_NOT_FOUND, ER_LOCK_DEADLOCK,
    ER_LOCK_WAIT_TIMEOUT, ER_NO_REFERENCED_ROW_2, ER_QUERY_INTERRUPTED, ER_ROW_IS_REFERENCED_2,
    ER_SERVER_SHUTDOWN, ER_XAER_NOTA,
};
use types::error::{Condition, SqlError};

use crate::session::Shared;

/// The values of `replica_exec_mode`.
pub(crate) const EXEC_MODES: &[&str] = &["STRICT", "IDEMPOTENT"];

/// What `ddl_exist_errors` stands for.
const DDL_EXIST_ERRORS: &[u16] = &[1007, 1008, 1050, 1051, 1054, 1060, 1061, 1068, 1091, 1146];

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tolerance {
    /// `replica_exec_mode=IDEMPOTENT`: rows become what the source says, whatever they are.
    pub(crate) is_idempotent: bool,
    skipped: Skipped,
}

/// `replica_skip_errors`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Skipped {
    #[default]
    None,
    All,
    Codes(Arc<[u16]>),
}

impl Tolerance {
    /// What the variables say now.
    pub(super) fn now(shared: &Shared) -> Self {
        let said = shared.variables.server_sight().shown("replica_skip_errors").unwrap_or_default();
        let skipped = Skipped::read(&said);
        let is_idempotent = shared.variables.live.replica_is_idempotent.load(Ordering::Relaxed);
        Self { is_idempotent, skipped: skipped.unwrap_or_default() }
    }

    /// What `rbr_exec_mode` says of BINLOG's rows.
    pub(crate) fn of_replay(is_idempotent: bool) -> Self {
        Self { is_idempotent, skipped: Skipped::None }
    }

    /// Whether nothing may fail.
    pub(super) fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a statement, or a table that is not there, may fail like this. What ends or interrupts an applier, or passes by
    /// itself, is none of what the source has done.
    pub(crate) fn skips(&self, error: &SqlError) -> bool {
        let ends = [&ER_QUERY_INTERRUPTED, &ER_SERVER_SHUTDOWN, &ER_DISK_FULL];
        let passes = [
            &ER_LOCK_WAIT_TIMEOUT,
            &ER_LOCK_DEADLOCK,
            &ER_BINLOG_FATAL_ERROR,
            &ER_ERROR_ON_READ,
            &ER_ERROR_ON_WRITE,
            &ER_CRASHED_ON_USAGE,
        ];
        let is_of = |conditions: &[&Condition]| conditions.iter().any(|condition| error.is(condition));
        !is_of(&ends)
            && match &self.skipped {
                Skipped::None => false,
                Skipped::All => !is_of(&passes),
                Skipped::Codes(codes) => codes.contains(&error.code),
            }
    }

    /// Whether the end of an XA transaction may find none: what was passed over of it may have been all.
    pub(super) fn misses_xa(&self, error: &SqlError) -> bool {
        !self.is_none() && error.is(&ER_XAER_NOTA)
    }

    /// Whether a row may.
    pub(crate) fn passes_row(&self, error: &SqlError) -> bool {
        let conflicts = [
            &ER_DUP_ENTRY,
            &ER_KEY_NOT_FOUND,
            &ER_FOREIGN_DUPLICATE_KEY_WITH_CHILD_INFO,
            &ER_NO_REFERENCED_ROW_2,
            &ER_ROW_IS_REFERENCED_2,
        ];
        self.skips(error) || self.is_idempotent && conflicts.iter().any(|condition| error.is(condition))
    }
}

impl Skipped {
    /// `None` if the text is none.
    fn read(text: &str) -> Option<Self> {
        let is = |word: &str| text.trim().eq_ignore_ascii_case(word);
        if is("") || is("OFF") {
            return Some(Self::None);
        }
        if is("ALL") {
            return Some(Self::All);
        }
        let mut codes = Vec::new();
        for word in text.split(',').map(str::trim) {
            if word.eq_ignore_ascii_case("ddl_exist_errors") {
                codes.extend_from_slice(DDL_EXIST_ERRORS);
            } else {
                codes.push(word.parse().ok()?);
            }
        }
        Some(Self::Codes(codes.into()))
    }
}

/// `replica_skip_errors` as it is shown; `None` if it may not be this.
pub(crate) fn list_of_errors(text: &str) -> Option<String> {
    Some(match Skipped::read(text)? {
        Skipped::None => "OFF".to_owned(),
        Skipped::All => "ALL".to_owned(),
        Skipped::Codes(codes) => codes.iter().map(u16::to_string).collect::<Vec<_>>().join(","),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tolerance(text: &str) -> Tolerance {
        Tolerance { is_idempotent: false, skipped: Skipped::read(text).unwrap() }
    }

    #[test]
    fn lists_of_errors_are_numbers_and_names() {
        let of = |code: u16| SqlError { code, sqlstate: *b"HY000", message: String::new() };
        assert!(tolerance("OFF").is_none() && tolerance("").is_none());
        assert!(tolerance("all").skips(&of(4711)) && !tolerance("all").skips(&of(1213)));
        assert!(tolerance("1213").skips(&of(1213)));
        for never in [1317, 1053, 1021] {
            assert!(!tolerance("all").skips(&of(never)) && !tolerance(&never.to_string()).skips(&of(never)));
        }
        let some = tolerance("1062, 1032,ddl_exist_errors");
        assert!([1062, 1032, 1050, 1146].iter().all(|code| some.skips(&of(*code))) && !some.skips(&of(1048)));
        for wrong in ["1062,x", "1062;1032", "99999"] {
            assert_eq!(list_of_errors(wrong), None, "{wrong}");
        }
        // As MySQL 9.7.4 shows it.
        let shown = list_of_errors("ddl_exist_errors");
        assert_eq!(shown.as_deref(), Some("1007,1008,1050,1051,1054,1060,1061,1068,1091,1146"));
    }

    #[test]
    fn an_idempotent_applier_passes_conflicts_of_rows_alone() {
        let idempotent = Tolerance { is_idempotent: true, skipped: Skipped::None };
        let duplicate = ER_DUP_ENTRY.error(&[&1, &"t.PRIMARY"]);
        assert!(idempotent.passes_row(&duplicate) && !idempotent.skips(&duplicate));
        assert!(!Tolerance::default().passes_row(&duplicate));
    }
}
