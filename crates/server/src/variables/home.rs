//! Where a variable's value lives.
//!
//! There is one truth for each: what the rest of the server reads. A variable whose session value is a field of a
//! session is read from that field and written to it; its global value, with which new sessions begin, is kept here.

use commit::Settings;
use sql::session::Session;

use super::live::Live;
use super::read::Sight;
use super::session::SessionVariables;
use super::value::Val;

/// See the module.
#[derive(Clone, Copy)]
pub enum Home {
    /// Among the values of this module, global and session.
    Kept,
    /// The session's value in what expressions know of their session.
    Sql(Field<Session>),
    /// The session's value in what statements know of theirs.
    Own(Field<SessionVariables>),
    /// The session's value in both.
    Seen(Seen),
    /// The global value among those that the server reads all the time.
    Live(Shared<Live>),
    /// The global value in the commit pipeline.
    Pipeline(Shared<Settings>),
    /// It is another name of this variable, which has the value.
    Alias(&'static str),
    /// Nowhere: found out when it is asked for.
    Shown(fn(&Sight<'_>) -> Val),
}

/// How a value is read and written that concerns both parts of a session.
#[derive(Clone, Copy)]
pub struct Seen {
    /// Reads it.
    pub get: fn(&Session, &SessionVariables) -> Val,
    /// Writes a value that fits the variable's kind and passed its check.
    pub set: fn(&mut Session, &mut SessionVariables, &Val),
}

/// How a field is read and written.
pub struct Field<T> {
    /// Reads it.
    pub get: fn(&T) -> Val,
    /// Writes a value that fits the variable's kind and passed its check.
    pub set: fn(&mut T, &Val),
}

/// How a shared field is read and written.
pub struct Shared<T> {
    /// Reads it.
    pub get: fn(&T) -> Val,
    /// Writes a value that fits the variable's kind and passed its check.
    pub set: fn(&T, &Val),
}

impl<T> Clone for Field<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Field<T> {}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shared<T> {}

impl std::fmt::Debug for Home {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Kept => "Kept",
            Self::Sql(_) => "Sql",
            Self::Own(_) => "Own",
            Self::Seen(_) => "Seen",
            Self::Live(_) => "Live",
            Self::Pipeline(_) => "Pipeline",
            Self::Alias(_) => "Alias",
            Self::Shown(_) => "Shown",
        })
    }
}

/// In [`Home::Sql`].
pub(super) const fn sql(get: fn(&Session) -> Val, set: fn(&mut Session, &Val)) -> Home {
    Home::Sql(Field { get, set })
}

/// In [`Home::Own`].
pub(super) const fn own(get: fn(&SessionVariables) -> Val, set: fn(&mut SessionVariables, &Val)) -> Home {
    Home::Own(Field { get, set })
}

/// In [`Home::Live`].
pub(super) const fn live(get: fn(&Live) -> Val, set: fn(&Live, &Val)) -> Home {
    Home::Live(Shared { get, set })
}

/// In [`Home::Pipeline`].
pub(super) const fn pipeline(get: fn(&Settings) -> Val, set: fn(&Settings, &Val)) -> Home {
    Home::Pipeline(Shared { get, set })
}
