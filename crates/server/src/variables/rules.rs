//! Rules that need more than a value: transaction characteristics, GTIDs.

use std::path::{Path, PathBuf};

use types::error::table::{
    ER_CANT_CHANGE_TX_CHARACTERISTICS, ER_CANT_SET_GTID_NEXT_TO_ANONYMOUS_WHEN_GTID_MODE_IS_ON,
    ER_CANT_SET_GTID_NEXT_TO_GTID_WHEN_GTID_MODE_IS_OFF, ER_GTID_MODE_CAN_ONLY_CHANGE_ONE_STEP_AT_A_TIME,
    ER_GTID_MODE_ON_REQUIRES_ENFORCE_GTID_CONSISTENCY_ON, ER_INSIDE_TRANSACTION_PREVENTS_SWITCH_SQL_LOG_BIN,
    ER_VARIABLE_NOT_SETTABLE_IN_TRANSACTION, ER_WRONG_USAGE, ER_WRONG_VALUE_FOR_VAR,
};
use types::error::{Condition, SqlError};

use super::checks::parse_gtid_next;
use super::read::Sight;
use super::session::{GtidNext, Isolation, SessionVariables};
use super::set::{Target, Who};
use super::value::Val;
use super::variable::Variable;
use crate::general_log::{default_file, is_the_servers};

/// `gtid_mode`'s places.
const GTID_MODE_ON: u8 = 3;

/// In `enforce_gtid_consistency`.
const ENFORCED: u8 = 1;

const ER_SQL_REPLICA_SKIP_COUNTER_NOT_SETTABLE_IN_GTID_MODE: Condition = Condition {
    code: 1858,
    sqlstate: "HY000",
    name: "ER_SQL_REPLICA_SKIP_COUNTER_NOT_SETTABLE_IN_GTID_MODE",
    text: "sql_replica_skip_counter can not be set when the server is running with @@GLOBAL.GTID_MODE = ON. Instead, for \
           each transaction that you want to skip, generate an empty transaction with the same GTID as the transaction",
};

/// In `binlog_transaction_dependency_tracking`.
const COMMIT_ORDER: u8 = 0;

/// In `transaction_write_set_extraction`.
const EXTRACTION_OFF: u8 = 0;

/// What holds for single variables.
pub(super) fn rule(
    sight: &Sight<'_>,
    variable: &Variable,
    target: Target,
    val: &Val,
    who: Who,
) -> Result<(), SqlError> {
    match variable.name {
        name if target == Target::Bare && is_characteristic(name) && who.in_transaction => {
            Err(ER_CANT_CHANGE_TX_CHARACTERISTICS.error(&[]))
        }
        "general_log_file" | "slow_query_log_file" => log_file(sight, variable, val),
        "enforce_gtid_consistency"
            if val.choice() != ENFORCED && sight.val_of("gtid_mode").choice() == GTID_MODE_ON =>
        {
            Err(ER_GTID_MODE_ON_REQUIRES_ENFORCE_GTID_CONSISTENCY_ON.error(&[]))
        }
        "gtid_next" => gtid_next(sight, val),
        "sql_replica_skip_counter" if val.uint() > 0 => match sight.val_of("gtid_mode").choice() {
            GTID_MODE_ON => Err(ER_SQL_REPLICA_SKIP_COUNTER_NOT_SETTABLE_IN_GTID_MODE.error(&[])),
            _ => Ok(()),
        },
        // What would be written to the binlog may not change its rules midway.
        "sql_log_bin" if target != Target::Global && who.in_transaction => {
            Err(ER_INSIDE_TRANSACTION_PREVENTS_SWITCH_SQL_LOG_BIN.error(&[]))
        }
        name @ ("binlog_format"
        | "transaction_write_set_extraction"
        | "xa_detach_on_prepare"
        | "session_track_gtids"
        | "binlog_transaction_compression"
        | "binlog_transaction_compression_level_zstd")
            if target != Target::Global && who.in_transaction =>
        {
            Err(ER_VARIABLE_NOT_SETTABLE_IN_TRANSACTION.error(&[&name]))
        }
        name @ ("gtid_mode" | "gtid_purged") if who.in_transaction => {
            Err(ER_VARIABLE_NOT_SETTABLE_IN_TRANSACTION.error(&[&name]))
        }
        "gtid_mode" => gtid_mode(sight, val.choice()),
        "binlog_transaction_dependency_tracking" => dependency_tracking(sight, val.choice()),
        "transaction_write_set_extraction" => write_set_extraction(sight),
        _ => Ok(()),
    }
}

/// The file of a log whose variable is set to its default; `None` if it is no log's.
pub(super) fn default_log_file(sight: &Sight<'_>, variable: &Variable) -> Option<Val> {
    if !variable.name.ends_with("log_file") {
        return None;
    }
    let (data_dir, hostname) = (sight.val_of("datadir"), sight.val_of("hostname"));
    default_file(variable.name, data_dir.as_text(), hostname.as_text()).map(|file| Val::text(&file))
}

/// A regular file, or a new one, in a directory that is there; none that would be read as options, and none of the server's own.
/// Error 1231.
fn log_file(sight: &Sight<'_>, variable: &Variable, val: &Val) -> Result<(), SqlError> {
    let path = PathBuf::from(sight.val_of("datadir").as_text()).join(val.as_text());
    let is_of_options =
        path.extension().is_some_and(|ext| ["cnf", "ini"].iter().any(|name| ext.eq_ignore_ascii_case(name)));
    let has_place = path.parent().is_some_and(Path::is_dir) && (path.is_file() || !path.exists());
    // The default is where the server is at home.
    if default_log_file(sight, variable).as_ref() == Some(val) {
        return Ok(());
    }
    let is_own = is_the_servers(&path, |name| sight.val_of(name).as_text().to_owned());
    if is_of_options || is_own || !has_place || val.as_text().is_empty() {
        return Err(ER_WRONG_VALUE_FOR_VAR.error(&[&variable.name, &val.as_text()]));
    }
    Ok(())
}

/// `SET @@transaction_isolation` is for the next transaction only. Returns whether the variable is of that sort.
pub(super) fn set_once(name: &str, val: &Val, own: &mut SessionVariables) -> bool {
    match name {
        "transaction_isolation" => {
            own.next.isolation = Some(Isolation::ALL[usize::from(val.choice())]);
        }
        "transaction_read_only" => own.next.read_only = Some(val.is_on()),
        _ => return false,
    }
    true
}

pub(super) fn is_characteristic(name: &str) -> bool {
    matches!(name, "transaction_isolation" | "transaction_read_only")
}

fn gtid_mode(sight: &Sight<'_>, new: u8) -> Result<(), SqlError> {
    let old = sight.val_of("gtid_mode").choice();
    if old.abs_diff(new) > 1 {
        return Err(ER_GTID_MODE_CAN_ONLY_CHANGE_ONE_STEP_AT_A_TIME.error(&[]));
    }
    let enforced = sight.val_of("enforce_gtid_consistency").choice() == ENFORCED;
    if new == GTID_MODE_ON && !enforced {
        return Err(ER_GTID_MODE_ON_REQUIRES_ENFORCE_GTID_CONSISTENCY_ON.error(&[]));
    }
    Ok(())
}

/// Write sets must be known to be compared.
fn dependency_tracking(sight: &Sight<'_>, new: u8) -> Result<(), SqlError> {
    if new != COMMIT_ORDER && sight.val_of("transaction_write_set_extraction").choice() == EXTRACTION_OFF {
        return Err(ER_WRONG_USAGE.error(&[
            &"binlog_transaction_dependency_tracking (!= COMMIT_ORDER)",
            &"transaction_write_set_extraction (= OFF)",
        ]));
    }
    Ok(())
}

/// Not while write sets are compared, whatever the new value is.
fn write_set_extraction(sight: &Sight<'_>) -> Result<(), SqlError> {
    if sight.val_of("binlog_transaction_dependency_tracking").choice() != COMMIT_ORDER {
        return Err(ER_WRONG_USAGE.error(&[
            &"transaction_write_set_extraction (changed)",
            &"binlog_transaction_dependency_tracking (!= COMMIT_ORDER)",
        ]));
    }
    Ok(())
}

fn gtid_next(sight: &Sight<'_>, val: &Val) -> Result<(), SqlError> {
    let mode = sight.val_of("gtid_mode").choice();
    match parse_gtid_next(val.as_text())? {
        GtidNext::Gtid(_) if mode == 0 => Err(ER_CANT_SET_GTID_NEXT_TO_GTID_WHEN_GTID_MODE_IS_OFF.error(&[])),
        GtidNext::Anonymous if mode == GTID_MODE_ON => {
            Err(ER_CANT_SET_GTID_NEXT_TO_ANONYMOUS_WHEN_GTID_MODE_IS_ON.error(&[]))
        }
        _ => Ok(()),
    }
}
