//! What functions ask of the server: what it knows of its logs, and to wait.

use std::sync::Arc;
use std::time::Duration;

use binlog::{BinlogName, GtidSet};
use sql::session::{Asked, OfLock};
use types::collation::Collation;
use types::error::SqlError;
use types::error::table::{ER_MALFORMED_GTID_SET_SPECIFICATION, ER_QUERY_INTERRUPTED};
use types::value::Value;

use super::standby::Standby;
use super::waits::{Waits, Wanted};
use super::{KillSwitch, Shared};

type Result<T> = std::result::Result<T, SqlError>;

/// The longest wait: ten years.
const WAIT_MAX_S: f64 = 3e8;

/// See [`Asked`].
pub(super) fn answer(shared: &Arc<Shared>, kill: &KillSwitch, asked: &Asked<'_>) -> Result<Value> {
    Ok(match *asked {
        Asked::Subset { set, of } => Value::Int(gtids(set)?.is_subset(&gtids(of)?).into()),
        Asked::Subtract { from, set } => {
            let mut left = gtids(from)?;
            left.subtract(&gtids(set)?);
            Value::Str(left.to_string().into_bytes(), Collation::Utf8mb4GeneralCi)
        }
        Asked::WaitForSet { set, timeout_s } => {
            let there = Waits::wait_for(shared, Wanted::Set(gtids(set)?));
            Value::Int(match block(shared, kill, timeout_s, there)? {
                Ended::Waited => 0,
                Ended::TimedOut => 1,
                Ended::Killed => return Err(ER_QUERY_INTERRUPTED.error(&[])),
            })
        }
        Asked::WaitForPosition { file, position, timeout_s } => {
            let replica = &shared.common.replica;
            let Some(file) = BinlogName::parse(file).map(|name| name.number()) else {
                return Ok(Value::Null);
            };
            if !replica.is_running() {
                return Ok(Value::Null);
            }
            let there = Waits::wait_for(shared, Wanted::Position { file, position });
            match block(shared, kill, timeout_s, there)? {
                Ended::Waited if replica.has_applied(file, position) => Value::Int(0),
                Ended::Waited => Value::Null,
                Ended::TimedOut => Value::Int(-1),
                Ended::Killed => return Err(ER_QUERY_INTERRUPTED.error(&[])),
            }
        }
        Asked::Sleep { seconds } => {
            let ended = block(shared, kill, Some(seconds), std::future::pending::<()>())?;
            Value::Int((ended == Ended::Killed).into())
        }
        Asked::UserLock { session, of_lock } => return of_user_lock(shared, kill, session, of_lock),
    })
}

fn of_user_lock(shared: &Shared, kill: &KillSwitch, session: u32, of_lock: OfLock<'_>) -> Result<Value> {
    let locks = &shared.common.user_locks;
    Ok(match of_lock {
        OfLock::Take { name, timeout_s } => {
            if locks.try_take(session, name)? {
                return Ok(Value::Int(1));
            }
            if timeout_s == Some(0.0) {
                return Ok(Value::Int(0));
            }
            let mut taken = Ok(());
            let ended = block(shared, kill, timeout_s, async { taken = locks.take(session, name).await })?;
            taken?;
            match ended {
                Ended::Waited => Value::Int(1),
                Ended::TimedOut => Value::Int(0),
                Ended::Killed => return Err(ER_QUERY_INTERRUPTED.error(&[])),
            }
        }
        OfLock::Release { name } => {
            locks.release(session, name).map_or(Value::Null, |released| Value::Int(released.into()))
        }
        OfLock::ReleaseAll => Value::UInt(locks.release_all(session)),
        OfLock::Owner { name } => locks.owner(name).map_or(Value::Null, |owner| Value::UInt(owner.into())),
    })
}

/// Error 1772.
fn gtids(text: &str) -> Result<GtidSet> {
    text.parse().map_err(|_| ER_MALFORMED_GTID_SET_SPECIFICATION.error(&[&text]))
}

/// How a wait has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Waited,
    TimedOut,
    Killed,
}

/// Keeps the thread until something has come, the time has passed or the session is to stop. Error 1135: another thread must
/// be there to do this one's work meanwhile (see [`Standby`]).
fn block(shared: &Shared, kill: &KillSwitch, timeout_s: Option<f64>, waited: impl Future) -> Result<Ended> {
    let _thread = shared.common.waits.take_thread()?;
    let standby = Standby::get(&shared.common.waits.turns)?;
    let patience = Duration::from_secs_f64(timeout_s.unwrap_or(WAIT_MAX_S).min(WAIT_MAX_S));
    Ok(tokio::task::block_in_place(|| {
        // This thread's work is in the pool's queue by now.
        drop(standby);
        tokio::runtime::Handle::current().block_on(async {
            tokio::select! {
                biased;
                _ = waited => Ended::Waited,
                () = kill.asked_any() => Ended::Killed,
                () = tokio::time::sleep(patience) => Ended::TimedOut,
            }
        })
    }))
}
