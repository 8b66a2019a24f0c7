//! MIN and MAX.

use std::cmp::Ordering;

use types::context::Context;
use types::error::SqlError;
use types::value::{Value, ValueRef, compare};

use crate::exec::value_size;
use crate::expr::Ev;

/// The best value so far.
#[derive(Clone, Debug)]
pub(super) struct Extreme {
    best: Option<Value>,
    wanted: Ordering,
}

impl Extreme {
    pub(super) fn new(is_max: bool) -> Self {
        Self { best: None, wanted: if is_max { Ordering::Greater } else { Ordering::Less } }
    }

    /// Adds a value; returns by how many bytes what is kept has grown.
    pub(super) fn add(&mut self, value: Ev<'_>, context: &mut Context<'_>) -> Result<usize, SqlError> {
        let better = match &self.best {
            None => true,
            Some(best) => compare(value.as_ref(), best.as_ref(), context)? == Some(self.wanted),
        };
        if !better {
            return Ok(0);
        }
        let before = self.best.as_ref().map_or(0, value_size);
        let best = self.best.insert(value.into_value());
        Ok(value_size(best).saturating_sub(before))
    }

    /// Whether the best value is the same without one that was added: whether that one is worse.
    pub(super) fn stays_without(
        &self,
        value: ValueRef<'_>,
        context: &mut Context<'_>,
    ) -> Result<bool, SqlError> {
        match &self.best {
            Some(best) => Ok(compare(best.as_ref(), value, context)? == Some(self.wanted)),
            None => Ok(false),
        }
    }

    pub(super) fn has_value(&self) -> bool {
        self.best.is_some()
    }

    pub(super) fn finish(self) -> Value {
        self.best.unwrap_or_default()
    }
}
