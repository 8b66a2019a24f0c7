//! Conditions that only functions raise; those that others raise too are in `types::error::table`.

use types::error::Condition;

pub(super) const fn condition(
    code: u16,
    sqlstate: &'static str,
    name: &'static str,
    text: &'static str,
) -> Condition {
    Condition { code, sqlstate, name, text }
}

pub(super) const ER_INVALID_ARGUMENT_FOR_LOGARITHM: Condition =
    condition(3020, "2201E", "ER_INVALID_ARGUMENT_FOR_LOGARITHM", "Invalid argument for logarithm");
pub(crate) const ER_INVALID_BITWISE_OPERANDS_SIZE: Condition = condition(
    3513,
    "HY000",
    "ER_INVALID_BITWISE_OPERANDS_SIZE",
    "Binary operands of bitwise operators must be of equal length",
);
pub(crate) const ER_INVALID_BITWISE_AGGREGATE_OPERANDS_SIZE: Condition = condition(
    3514,
    "HY000",
    "ER_INVALID_BITWISE_AGGREGATE_OPERANDS_SIZE",
    "Aggregate bitwise functions cannot accept arguments longer than 511 bytes; consider using the SUBSTRING() function",
);
pub(super) const ER_INCORRECT_TYPE: Condition =
    condition(3064, "HY000", "ER_INCORRECT_TYPE", "Incorrect type for argument %s in function %s.");
pub(super) const ER_CHARACTER_SET_MISMATCH: Condition = condition(
    3995,
    "HY000",
    "ER_CHARACTER_SET_MISMATCH",
    "Character set '%s' cannot be used in conjunction with '%s' in call to %s.",
);
pub(super) const ER_REGEXP_BUFFER_OVERFLOW: Condition = condition(
    3684,
    "HY000",
    "ER_REGEXP_BUFFER_OVERFLOW",
    "The result string is larger than the result buffer.",
);
pub(super) const ER_REGEXP_ILLEGAL_ARGUMENT: Condition =
    condition(3685, "HY000", "ER_REGEXP_ILLEGAL_ARGUMENT", "Illegal argument to a regular expression.");
pub(super) const ER_REGEXP_INDEX_OUTOFBOUNDS_ERROR: Condition = condition(
    3686,
    "HY000",
    "ER_REGEXP_INDEX_OUTOFBOUNDS_ERROR",
    "Index out of bounds in regular expression search.",
);
pub(super) const ER_REGEXP_RULE_SYNTAX: Condition = condition(
    3688,
    "HY000",
    "ER_REGEXP_RULE_SYNTAX",
    "Syntax error in regular expression on line %u, character %u.",
);
pub(super) const ER_REGEXP_UNIMPLEMENTED: Condition = condition(
    3690,
    "HY000",
    "ER_REGEXP_UNIMPLEMENTED",
    "The regular expression contains a feature that is not implemented in this library version.",
);
pub(super) const ER_REGEXP_MISMATCHED_PAREN: Condition =
    condition(3691, "HY000", "ER_REGEXP_MISMATCHED_PAREN", "Mismatched parenthesis in regular expression.");
pub(super) const ER_REGEXP_BAD_INTERVAL: Condition =
    condition(3692, "HY000", "ER_REGEXP_BAD_INTERVAL", "Incorrect description of a {min,max} interval.");
pub(super) const ER_REGEXP_MISSING_CLOSE_BRACKET: Condition = condition(
    3696,
    "HY000",
    "ER_REGEXP_MISSING_CLOSE_BRACKET",
    "The regular expression contains an unclosed bracket expression.",
);
pub(super) const ER_REGEXP_INVALID_RANGE: Condition = condition(
    3697,
    "HY000",
    "ER_REGEXP_INVALID_RANGE",
    "The regular expression contains an [x-y] character range where x comes after y.",
);
pub(super) const ER_REGEXP_PATTERN_TOO_BIG: Condition = condition(
    3700,
    "HY000",
    "ER_REGEXP_PATTERN_TOO_BIG",
    "The regular expression pattern exceeds limits on size or complexity.",
);
