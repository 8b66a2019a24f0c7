//! The streams that a log may carry.

/// A log has a stream of its own and may carry another one's blocks between its own, so that one write and one sync
/// make both durable. Each has a ring, LSNs and marks of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// The log's own.
    First,
    /// The one that it carries besides.
    Second,
}

impl Stream {
    pub(crate) const ALL: [Self; 2] = [Self::First, Self::Second];

    pub(crate) fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    pub(crate) fn index(self) -> usize {
        match self {
            Self::First => 0,
            Self::Second => 1,
        }
    }
}
