//! Values as conditions.

use super::ValueRef;
use crate::context::Context;
use crate::error::SqlError;
use crate::json::{Json, compare};

impl ValueRef<'_> {
    /// Whether WHERE takes the value: a number other than 0. None for NULL. Text counts as its number.
    pub fn is_true(self, context: &mut Context<'_>) -> Result<Option<bool>, SqlError> {
        Ok(match self {
            Self::Null => None,
            Self::Int(value) => Some(value != 0),
            // Anything but the number 0, `false` too.
            Self::Json(_) => Some(compare(&self.to_json()?, &Json::Int(0)).is_ne()),
            _ => self.to_number(context)?.map(|number| !number.is_zero()),
        })
    }
}
