//! What functions ask of the server's logs. Who waits keeps its thread, as MySQL's does, and looks a few hundred times a
//! second.

use std::time::Duration;

use binlog::{BinlogName, GtidSet};
use sql::session::Asked;
use types::collation::Collation;
use types::error::SqlError;
use types::error::table::{ER_MALFORMED_GTID_SET_SPECIFICATION, ER_QUERY_INTERRUPTED};
use types::value::Value;

use super::{KillSwitch, Shared};

type Result<T> = std::result::Result<T, SqlError>;

/// How often whoever waits looks.
const LOOK: Duration = Duration::from_millis(3);

/// The longest wait: ten years.
const WAIT_MAX_S: f64 = 3e8;

/// See [`Asked`].
pub(super) fn answer(shared: &Shared, kill: &KillSwitch, asked: &Asked<'_>) -> Result<Value> {
    Ok(match *asked {
        Asked::Subset { set, of } => Value::Int(gtids(set)?.is_subset(&gtids(of)?).into()),
        Asked::Subtract { from, set } => {
            let mut left = gtids(from)?;
            left.subtract(&gtids(set)?);
            Value::Str(left.to_string().into_bytes(), Collation::Utf8mb4GeneralCi)
        }
        Asked::WaitForSet { set, timeout_s } => {
            let wanted = gtids(set)?;
            let is_there = || wanted.is_subset(&shared.pipeline.publisher().tuple().gtid_executed);
            Value::Int((!wait(kill, timeout_s, is_there)?).into())
        }
        Asked::WaitForPosition { file, position, timeout_s } => {
            let Some(number) = BinlogName::parse(file).map(|name| name.number()) else {
                return Ok(Value::Null);
            };
            let (mut runs, replica) = (true, &shared.common.replica);
            let there = wait(kill, timeout_s, || {
                runs = replica.is_running();
                !runs || replica.has_applied(number, position)
            })?;
            match (runs, there) {
                (false, _) => Value::Null,
                (true, true) => Value::Int(0),
                (true, false) => Value::Int(-1),
            }
        }
    })
}

/// Error 1772.
fn gtids(text: &str) -> Result<GtidSet> {
    text.parse().map_err(|_| ER_MALFORMED_GTID_SET_SPECIFICATION.error(&[&text]))
}

/// Waits until something is there. False if it is not when the time has passed. Error 1317.
fn wait(kill: &KillSwitch, timeout_s: Option<f64>, mut is_there: impl FnMut() -> bool) -> Result<bool> {
    let waiting = async {
        while !is_there() {
            if kill.is_asked() {
                return Err(ER_QUERY_INTERRUPTED.error(&[]));
            }
            tokio::time::sleep(LOOK).await;
        }
        Ok(true)
    };
    tokio::task::block_in_place(|| {
        tokio::runtime::Handle::current().block_on(async {
            match timeout_s {
                Some(seconds) => {
                    let patience = Duration::from_secs_f64(seconds.min(WAIT_MAX_S));
                    tokio::time::timeout(patience, waiting).await.unwrap_or(Ok(false))
                }
                None => waiting.await,
            }
        })
    })
}
