//! What an expression of a definition is for: the same things are refused everywhere, with errors of their own.

use types::error::SqlError;
use types::error::table::{
    ER_CHECK_CONSTRAINT_FUNCTION_IS_NOT_ALLOWED, ER_CHECK_CONSTRAINT_NAMED_FUNCTION_IS_NOT_ALLOWED,
    ER_CHECK_CONSTRAINT_ROW_VALUE, ER_CHECK_CONSTRAINT_VARIABLES,
    ER_DEFAULT_VAL_GENERATED_FUNCTION_IS_NOT_ALLOWED, ER_DEFAULT_VAL_GENERATED_NAMED_FUNCTION_IS_NOT_ALLOWED,
    ER_DEFAULT_VAL_GENERATED_ROW_VALUE, ER_DEFAULT_VAL_GENERATED_VARIABLES,
    ER_GENERATED_COLUMN_FUNCTION_IS_NOT_ALLOWED, ER_GENERATED_COLUMN_NAMED_FUNCTION_IS_NOT_ALLOWED,
    ER_GENERATED_COLUMN_ROW_VALUE,
};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub(super) enum Subject<'n> {
    /// The check of this name.
    Check(&'n str),
    /// The generated column of this name.
    Generated(&'n str),
    /// The default of the column of this name.
    Default(&'n str),
}

impl Subject<'_> {
    /// Whether it may depend on more than a row by this function: on who asks, when, chance.
    pub(super) fn may_vary_by(self, function: &str) -> bool {
        match self {
            Self::Check(_) => function == "sysdate",
            Self::Generated(_) => false,
            Self::Default(_) => true,
        }
    }

    /// For a subquery, or what has no name as a function.
    pub(super) fn function(self) -> SqlError {
        match self {
            Self::Check(name) => ER_CHECK_CONSTRAINT_FUNCTION_IS_NOT_ALLOWED.error(&[&name]),
            Self::Generated(name) => ER_GENERATED_COLUMN_FUNCTION_IS_NOT_ALLOWED.error(&[&name]),
            Self::Default(name) => ER_DEFAULT_VAL_GENERATED_FUNCTION_IS_NOT_ALLOWED.error(&[&name]),
        }
    }

    /// For a function, as it is shown.
    pub(super) fn named_function(self, function: &str) -> SqlError {
        match self {
            Self::Check(name) => ER_CHECK_CONSTRAINT_NAMED_FUNCTION_IS_NOT_ALLOWED.error(&[&name, &function]),
            Self::Generated(name) => {
                ER_GENERATED_COLUMN_NAMED_FUNCTION_IS_NOT_ALLOWED.error(&[&name, &function])
            }
            Self::Default(name) => {
                ER_DEFAULT_VAL_GENERATED_NAMED_FUNCTION_IS_NOT_ALLOWED.error(&[&name, &function])
            }
        }
    }

    /// For a row.
    pub(super) fn row_value(self) -> SqlError {
        match self {
            Self::Check(name) => ER_CHECK_CONSTRAINT_ROW_VALUE.error(&[&name]),
            Self::Generated(name) => ER_GENERATED_COLUMN_ROW_VALUE.error(&[&name]),
            Self::Default(name) => ER_DEFAULT_VAL_GENERATED_ROW_VALUE.error(&[&name]),
        }
    }

    /// For a variable.
    pub(super) fn variables(self) -> SqlError {
        match self {
            Self::Check(name) => ER_CHECK_CONSTRAINT_VARIABLES.error(&[&name]),
            // MySQL has one message for both.
            Self::Generated(name) | Self::Default(name) => ER_DEFAULT_VAL_GENERATED_VARIABLES.error(&[&name]),
        }
    }
}
