//! What no other server has, and what others have of our strategies.

use commit::StrategyKind;

use crate::variables::home::{Home, live, pipeline};
use crate::variables::read::Sight;
use crate::variables::variable::Extent::Global;
use crate::variables::variable::{Variable, choice, text, toggle, uint};
use crate::variables::{Read, Val};

/// Names of the strategies; `none` is what the server does while its binary log is off.
const STRATEGIES: &[&str] = &["none", "serial", "group", "parallel", "in_redo", "enhanced"];

/// The rows.
pub(super) const ROWS: &[Variable] = &[
    choice("onelog_commit_strategy", Global, STRATEGIES, "in_redo", "How commits reach both logs.")
        .home(Home::Shown(strategy)),
    toggle("persist_binlog_to_redo", Global, false, "Another name of onelog_commit_strategy=in_redo.")
        .home(Home::Shown(|sight| is_active(sight, "persist_binlog_to_redo", StrategyKind::InRedo))),
    toggle("binlog_parallel_flush", Global, false, "Another name of onelog_commit_strategy=parallel.")
        .home(Home::Shown(|sight| is_active(sight, "binlog_parallel_flush", StrategyKind::Parallel))),
    toggle("aurora_enhanced_binlog", Global, false, "Another name of onelog_commit_strategy=enhanced.")
        .home(Home::Shown(|sight| is_active(sight, "aurora_enhanced_binlog", StrategyKind::Enhanced))),
    text(
        "enhanced_binlog_dir",
        Global,
        "",
        "Directory of the binlog store of the strategy enhanced, on a device of its own; empty: the store lies in redo's files.",
    )
    .fixed(),
    text(
        "onelog_metrics_address",
        Global,
        "",
        "Address and port where GET /metrics answers with what the server counts, for Prometheus; nowhere if empty.",
    )
    .fixed(),
    uint(
        "sync_binlog_interval",
        Global,
        (0, 100_000_000),
        0,
        "Microseconds between syncs of binlog files behind commits; 0 = 50000, with the strategy parallel 1000000.",
    )
    .home(pipeline(
        |settings| settings.sync_binlog_interval_us.val(),
        |settings, val| settings.sync_binlog_interval_us.put(val),
    )),
    uint(
        "binlog_buffer_size",
        Global,
        (1 << 20, 1 << 30),
        20 << 20,
        "Bytes of events that may wait to be written to the binlog file.",
    )
    .fixed(),
    toggle(
        "wait_binlog_flush",
        Global,
        false,
        "Commits wait until their events are written to the binlog file, not only to a log that has them.",
    )
    .home(pipeline(
        |settings| settings.wait_binlog_flush.val(),
        |settings, val| settings.wait_binlog_flush.put(val),
    )),
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
    let index = STRATEGIES.iter().position(|name| *name == pipeline.strategy_kind().name());
    Val::Choice(index.and_then(|index| u8::try_from(index).ok()).expect("every strategy is in the list"))
}

/// Whether the strategy that runs, or is going to, is the one that a variable is another name for.
fn is_active(sight: &Sight<'_>, name: &str, kind: StrategyKind) -> Val {
    let Some(pipeline) = sight.pipeline else { return sight.variables.values().get(name).clone() };
    Val::Bool(pipeline.strategy_kind() == kind)
}

/// The strategy of that name.
pub(crate) fn strategy_of(val: &Val) -> StrategyKind {
    let known = [
        StrategyKind::None,
        StrategyKind::Serial,
        StrategyKind::Group,
        StrategyKind::Parallel,
        StrategyKind::InRedo,
        StrategyKind::Enhanced,
    ];
    let name = STRATEGIES[usize::from(val.choice())];
    known.into_iter().find(|kind| kind.name() == name).expect("every name is a strategy's")
}

/// The strategies that have a name of their own for users of another system.
pub(crate) const STRATEGY_NAMES: [(&str, StrategyKind); 3] = [
    ("persist_binlog_to_redo", StrategyKind::InRedo),
    ("binlog_parallel_flush", StrategyKind::Parallel),
    ("aurora_enhanced_binlog", StrategyKind::Enhanced),
];
