//! An option as somebody gave it.

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Given {
    /// As it was written, without leading dashes.
    pub(super) written: String,
    /// The name, with `_` for `-` and in lower case.
    pub(super) name: String,
    /// What stands behind `=`, or is the next argument.
    pub(super) value: Option<String>,
}

impl Given {
    /// An option of the form `name` or `name=value`.
    pub(super) fn new(text: &str) -> Self {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (text, None),
        };
        Self { written: text.to_owned(), name: normal(name), value }
    }

    /// The same with a value that was given apart.
    pub(super) fn with_value(mut self, value: String) -> Self {
        self.value = Some(value);
        self
    }

    /// That nobody knows it, as mysqld says it.
    pub(super) fn unknown(&self) -> String {
        match self.value {
            Some(_) => format!("unknown variable '{}'", self.written),
            None => format!("unknown option '--{}'", self.written),
        }
    }
}

/// A name in its usual writing.
pub(super) fn normal(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace('-', "_")
}
