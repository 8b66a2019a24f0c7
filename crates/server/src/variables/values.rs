//! Global values: one immutable list that sessions share, replaced as a whole by SET GLOBAL.

use super::value::Val;
use super::{table, variable::Variable};

/// See the module. By place in the table; what lives elsewhere has its initial value here.
#[derive(Clone, Debug)]
pub struct Values {
    pub(super) vals: Box<[Val]>,
}

impl Default for Values {
    /// The table's initial values.
    fn default() -> Self {
        Self { vals: table().iter().map(Variable::initial_value).collect() }
    }
}

impl Values {
    /// The value of this name.
    ///
    /// # Panics
    /// If there is none.
    pub fn get(&self, name: &str) -> &Val {
        &self.vals[super::place_of(name).expect("a variable of this name")]
    }

    /// Replaces the value of this name, before the server runs.
    ///
    /// # Panics
    /// If there is none.
    pub fn put(&mut self, name: &str, val: Val) {
        self.vals[super::place_of(name).expect("a variable of this name")] = val;
    }
}
