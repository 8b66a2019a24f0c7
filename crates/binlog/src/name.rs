//! Names of binlog files: a base name, a dot, a number of at least six digits.

use std::fmt;

/// The largest number: MySQL's, which is what its readers parse.
pub const NUMBER_MAX: u64 = 0x7fff_ffff;

/// A file's name without a directory, for example `binlog.000001`. Ordered by base name, then number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BinlogName {
    base: Box<str>,
    number: u64,
}

impl BinlogName {
    /// The name of file `number` of the log called `base`.
    ///
    /// # Panics
    /// If the base is empty or holds a line break or a directory, or the number is 0 or above [`NUMBER_MAX`].
    pub fn new(base: &str, number: u64) -> Self {
        assert!(is_base(base), "a base name is a file name");
        assert!((1..=NUMBER_MAX).contains(&number), "a file's number is between 1 and NUMBER_MAX");
        Self { base: base.into(), number }
    }

    /// The name in this text, if it is exactly how that file would be named: `log.7` and `log.0000007` are not.
    pub fn parse(text: &str) -> Option<Self> {
        let (base, digits) = text.rsplit_once('.')?;
        if !is_base(base) || !digits.bytes().all(|c| c.is_ascii_digit()) {
            return None;
        }
        let number = digits.parse().ok().filter(|number| (1..=NUMBER_MAX).contains(number))?;
        let name = Self { base: base.into(), number };
        (name.to_string() == text).then_some(name)
    }

    /// The part in front of the dot.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The part behind the dot.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The next file's name; `None` when numbers are exhausted.
    pub fn next(&self) -> Option<Self> {
        (self.number < NUMBER_MAX).then(|| Self { base: self.base.clone(), number: self.number + 1 })
    }
}

impl fmt::Display for BinlogName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06}", self.base, self.number)
    }
}

fn is_base(base: &str) -> bool {
    !base.is_empty() && !base.contains(['/', '\n', '\r', '\0'])
}
