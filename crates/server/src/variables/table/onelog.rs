//! What no other server has.

use crate::variables::home::{Home, live, pipeline};
use crate::variables::read::Sight;
use crate::variables::variable::Extent::Global;
use crate::variables::variable::{Variable, choice, toggle, uint};
use crate::variables::{Read, Val};

/// Names of the strategies; `none` is what the server does while its binary log is off.
const STRATEGIES: &[&str] = &["none", "serial", "group", "parallel", "in_redo", "enhanced"];

/// The rows.
pub(super) const ROWS: &[Variable] = &[
    choice("onelog_commit_strategy", Global, STRATEGIES, "group", "How commits reach both logs.")
        .home(Home::Shown(strategy)),
    toggle(
        "onelog_early_lock_release",
        Global,
        true,
        "Row locks go at the ticket, not at the acknowledgement.",
    )
    .home(pipeline(
        |settings| settings.early_lock_release.val(),
        |settings, val| settings.early_lock_release.put(val),
    )),
    uint(
        "onelog_lone_commit_max_us",
        Global,
        (0, 1_000_000),
        200,
        "A session that commits alone plays the log threads' steps itself while one takes no longer; 0 = never.",
    )
    .home(pipeline(
        |settings| settings.lone_commit_max_us.val(),
        |settings, val| settings.lone_commit_max_us.put(val),
    )),
    uint(
        "onelog_binlog_io_cache_size",
        Global,
        (0, 1 << 30),
        16 << 20,
        "Bytes of memory for the events that were logged last, for those who read the log; 0 = none.",
    )
    .fixed(),
    uint(
        "onelog_delta_size",
        Global,
        (1 << 20, 1 << 40),
        64 << 20,
        "Bytes of committed changes in memory at which a checkpoint begins.",
    )
    .home(live(|live| live.delta_size.val(), |live, val| live.delta_size.put(val))),
    uint(
        "onelog_view_retention_limit",
        Global,
        (1 << 20, 1 << 40),
        1 << 30,
        "Bytes that old snapshots may keep.",
    )
    .home(live(|live| live.view_retention_limit.val(), |live, val| live.view_retention_limit.put(val))),
];

/// The strategy that runs, or is going to.
fn strategy(sight: &Sight<'_>) -> Val {
    let Some(pipeline) = sight.pipeline else {
        return sight.variables.values().get("onelog_commit_strategy").clone();
    };
    let index = STRATEGIES.iter().position(|name| *name == pipeline.strategy_name());
    Val::Choice(index.and_then(|index| u8::try_from(index).ok()).expect("every strategy is in the list"))
}
