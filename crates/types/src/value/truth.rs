//! Values as conditions.

use super::ValueRef;
use crate::context::Context;
use crate::error::SqlError;

impl ValueRef<'_> {
    /// Whether WHERE takes the value: a number other than 0. None for NULL. Text counts as its number.
    pub fn is_true(self, context: &mut Context<'_>) -> Result<Option<bool>, SqlError> {
        Ok(match self {
            Self::Null => None,
            Self::Int(value) => Some(value != 0),
            _ => self.to_number(context)?.map(|number| !number.is_zero()),
        })
    }
}
