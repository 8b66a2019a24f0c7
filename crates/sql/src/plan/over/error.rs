//! Conditions that only windows raise; those that others raise too are in `types::error::table`.
//!
//! All have SQLSTATE HY000; texts are those that MySQL 9.7.4 sent, the quote at the end of some included.

use types::error::Condition;

const fn condition(code: u16, name: &'static str, text: &'static str) -> Condition {
    Condition { code, sqlstate: "HY000", name, text }
}

pub(crate) const CIRCULARITY: Condition = condition(
    3580,
    "ER_WINDOW_CIRCULARITY_IN_WINDOW_GRAPH",
    "There is a circularity in the window dependency graph.",
);
pub(crate) const NO_CHILD_PARTITIONING: Condition = condition(
    3581,
    "ER_WINDOW_NO_CHILD_PARTITIONING",
    "A window which depends on another cannot define partitioning.",
);
pub(crate) const NO_INHERIT_FRAME: Condition = condition(
    3582,
    "ER_WINDOW_NO_INHERIT_FRAME",
    "Window '%s' has a frame definition, so cannot be referenced by another window.",
);
pub(crate) const NO_REDEFINE_ORDER_BY: Condition = condition(
    3583,
    "ER_WINDOW_NO_REDEFINE_ORDER_BY",
    "Window '%s' cannot inherit '%s' since both contain an ORDER BY clause.",
);
pub(crate) const FRAME_START_ILLEGAL: Condition = condition(
    3584,
    "ER_WINDOW_FRAME_START_ILLEGAL",
    "Window '%s': frame start cannot be UNBOUNDED FOLLOWING.",
);
pub(crate) const FRAME_END_ILLEGAL: Condition =
    condition(3585, "ER_WINDOW_FRAME_END_ILLEGAL", "Window '%s': frame end cannot be UNBOUNDED PRECEDING.");
pub(crate) const FRAME_ILLEGAL: Condition = condition(
    3586,
    "ER_WINDOW_FRAME_ILLEGAL",
    "Window '%s': frame start or end is negative, NULL or of non-integral type",
);
pub(crate) const RANGE_FRAME_ORDER_TYPE: Condition = condition(
    3587,
    "ER_WINDOW_RANGE_FRAME_ORDER_TYPE",
    "Window '%s' with RANGE N PRECEDING/FOLLOWING frame requires exactly one deterministic ORDER BY expression, of numeric or temporal type",
);
pub(crate) const RANGE_FRAME_TEMPORAL_TYPE: Condition = condition(
    3588,
    "ER_WINDOW_RANGE_FRAME_TEMPORAL_TYPE",
    "Window '%s' with RANGE frame has ORDER BY expression of datetime type. Only INTERVAL bound value allowed.",
);
pub(crate) const RANGE_FRAME_NUMERIC_TYPE: Condition = condition(
    3589,
    "ER_WINDOW_RANGE_FRAME_NUMERIC_TYPE",
    "Window '%s' with RANGE frame has ORDER BY expression of numeric type, INTERVAL bound value not allowed.",
);
pub(crate) const RANGE_BOUND_NOT_CONSTANT: Condition =
    condition(3590, "ER_WINDOW_RANGE_BOUND_NOT_CONSTANT", "Window '%s' has a non-constant frame bound.");
pub(crate) const DUPLICATE_NAME: Condition =
    condition(3591, "ER_WINDOW_DUPLICATE_NAME", "Window '%s' is defined twice.");
pub(crate) const ILLEGAL_ORDER_BY: Condition = condition(
    3592,
    "ER_WINDOW_ILLEGAL_ORDER_BY",
    "Window '%s': ORDER BY or PARTITION BY uses legacy position indication which is not supported, use expression.",
);
pub(crate) const INVALID_FUNC_USE: Condition = condition(
    3593,
    "ER_WINDOW_INVALID_WINDOW_FUNC_USE",
    "You cannot use the window function '%s' in this context.'",
);
pub(crate) const INVALID_ALIAS_USE: Condition = condition(
    3594,
    "ER_WINDOW_INVALID_WINDOW_FUNC_ALIAS_USE",
    "You cannot use the alias '%s' of an expression containing a window function in this context.'",
);
pub(crate) const NESTED: Condition = condition(
    3595,
    "ER_WINDOW_NESTED_WINDOW_FUNC_USE_IN_WINDOW_SPEC",
    "You cannot nest a window function in the specification of window '%s'.",
);
pub(crate) const ROWS_INTERVAL_USE: Condition = condition(
    3596,
    "ER_WINDOW_ROWS_INTERVAL_USE",
    "Window '%s': INTERVAL can only be used with RANGE frames.",
);
/// Its name is not shown anywhere; this one is ours.
pub(crate) const OUTER_REFERENCE: Condition = condition(
    6432,
    "ER_WINDOW_OUTER_REFERENCE",
    "Outer reference %s in window's ORDER BY or PARTITION BY clause not allowed.",
);
