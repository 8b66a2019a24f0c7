//! Global values: one immutable list that sessions share, replaced as a whole by SET GLOBAL.

use types::charset::Charset;
use types::collation::Collation;

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

    /// Replaces the value of this name, before the server runs or as a new list. A character set brings its default
    /// collation, a collation its character set.
    ///
    /// # Panics
    /// If there is none of this name, or the value was not checked.
    pub fn put_with_partner(&mut self, name: &str, val: Val) {
        if let Some(which) = name.strip_prefix("character_set_") {
            let collation = format!("collation_{which}");
            if super::place_of(&collation).is_some() {
                let set = Charset::from_name(val.as_text()).expect("a checked character set");
                self.put(&collation, Val::text(set.default_collation().name()));
            }
        }
        if let Some(which) = name.strip_prefix("collation_") {
            let collation = Collation::from_name(val.as_text()).expect("a checked collation");
            self.put(&format!("character_set_{which}"), Val::text(collation.charset().name()));
        }
        self.put(name, val);
    }
}
