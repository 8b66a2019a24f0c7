//! A row of the table of system variables.

use types::error::SqlError;

use super::home::Home;
use super::kind::Kind;
use super::value::Val;

/// Whose a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The server's alone.
    Global,
    /// Each session's alone.
    Session,
    /// Each session's; the server's value is what new sessions begin with.
    Both,
}

/// Who may change a variable while the server runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// SET does.
    Dynamic,
    /// SET GLOBAL does; sessions keep what they began with (1621).
    FixedInSession,
    /// Nobody (1238).
    Fixed,
}

/// Who may set a variable for his session, from the least restricted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Restricted {
    /// Everybody.
    No,
    /// Admins, and REPLICATION_APPLIER.
    ToAppliers,
    /// Admins: SUPER, SYSTEM_VARIABLES_ADMIN, SESSION_VARIABLES_ADMIN.
    ToAdmins,
}

/// Examines, and may replace, a value that fits its kind. `None` as the error keeps the general one (1231).
pub type Check = fn(&Val) -> Result<Val, SqlError>;

/// See the module. Rows are made with [`toggle`], [`uint`] and the like, and refined with the methods.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// Whose it is.
    pub extent: Extent,
    /// Who may change it.
    pub access: Access,
    /// What it may hold.
    pub kind: Kind,
    /// What it holds if nobody says otherwise.
    pub initial: Initial,
    /// Where its value lives.
    pub home: Home,
    /// What a value has to pass beside its kind.
    pub check: Option<Check>,
    /// Whether it is an option of the server too.
    pub is_option: bool,
    /// Who may set it for his session.
    pub restricted: Restricted,
    /// Whether it is kept and shown only because clients set or read it.
    pub is_inert: bool,
    /// Whether the initial value is the only one that this server has.
    pub is_only: bool,
    /// A sentence for `--help`.
    pub help: &'static str,
}

/// A value, as the table writes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Initial {
    /// ON or OFF.
    Bool(bool),
    /// A number.
    UInt(u64),
    /// A number with a fraction.
    Double(f64),
    /// Names or text.
    Text(&'static str),
    /// NULL.
    Null,
}

/// ON or OFF.
pub const fn toggle(name: &'static str, extent: Extent, initial: bool, help: &'static str) -> Variable {
    row(name, extent, Kind::Toggle, Initial::Bool(initial), help)
}

/// A number from `min` to `max`.
pub const fn uint(
    name: &'static str,
    extent: Extent,
    (min, max): (u64, u64),
    initial: u64,
    help: &'static str,
) -> Variable {
    row(name, extent, Kind::UInt { min, max, step: 1 }, Initial::UInt(initial), help)
}

/// A number with a fraction from `min` to `max`.
pub const fn double(
    name: &'static str,
    extent: Extent,
    (min, max): (f64, f64),
    initial: f64,
    help: &'static str,
) -> Variable {
    row(name, extent, Kind::Double { min, max }, Initial::Double(initial), help)
}

/// One of `names`.
pub const fn choice(
    name: &'static str,
    extent: Extent,
    names: &'static [&'static str],
    initial: &'static str,
    help: &'static str,
) -> Variable {
    row(name, extent, Kind::Choice(names), Initial::Text(initial), help)
}

/// Text, never NULL.
pub const fn text(name: &'static str, extent: Extent, initial: &'static str, help: &'static str) -> Variable {
    row(name, extent, Kind::Text { nullable: false }, Initial::Text(initial), help)
}

/// A row of a kind that has no function of its own.
pub const fn row(
    name: &'static str,
    extent: Extent,
    kind: Kind,
    initial: Initial,
    help: &'static str,
) -> Variable {
    Variable {
        name,
        extent,
        access: Access::Dynamic,
        kind,
        initial,
        home: Home::Kept,
        check: None,
        is_option: !matches!(extent, Extent::Session),
        restricted: Restricted::No,
        is_inert: false,
        is_only: false,
        help,
    }
}

impl Variable {
    /// Cannot be changed while the server runs.
    #[must_use]
    pub const fn fixed(mut self) -> Self {
        self.access = Access::Fixed;
        self
    }

    /// Cannot be changed for a session.
    #[must_use]
    pub const fn fixed_in_session(mut self) -> Self {
        self.access = Access::FixedInSession;
        self
    }

    /// A multiple of `step`.
    ///
    /// # Panics
    /// If it is no number.
    #[must_use]
    pub const fn step(mut self, step: u64) -> Self {
        let Kind::UInt { min, max, .. } = self.kind else { panic!("only numbers have steps") };
        self.kind = Kind::UInt { min, max, step };
        self
    }

    /// Lives there.
    #[must_use]
    pub const fn home(mut self, home: Home) -> Self {
        self.home = home;
        self
    }

    /// Has to pass this.
    #[must_use]
    pub const fn check(mut self, check: Check) -> Self {
        self.check = Some(check);
        self
    }

    /// Is no option.
    #[must_use]
    pub const fn no_option(mut self) -> Self {
        self.is_option = false;
        self
    }

    /// What the server says of itself: neither an option nor changeable.
    #[must_use]
    pub const fn told(self) -> Self {
        self.fixed().no_option()
    }

    /// Needs a privilege even for a session.
    #[must_use]
    pub const fn restricted(mut self) -> Self {
        self.restricted = Restricted::ToAdmins;
        self
    }

    /// The same, for whoever applies what a source did too.
    #[must_use]
    pub const fn restricted_to_appliers(mut self) -> Self {
        self.restricted = Restricted::ToAppliers;
        self
    }

    /// Its initial value is the only one that this server has: setting it to that is no error.
    #[must_use]
    pub const fn only(mut self) -> Self {
        self.is_only = true;
        self
    }

    /// Changes nothing here.
    #[must_use]
    pub const fn inert(mut self) -> Self {
        self.is_inert = true;
        self
    }

    /// What it holds if nobody says otherwise.
    ///
    /// # Panics
    /// If the table has a default that the variable could not hold; a test reads all of them.
    pub fn initial_value(&self) -> Val {
        match (self.kind, self.initial) {
            (_, Initial::Bool(on)) => Val::Bool(on),
            (_, Initial::UInt(number)) => Val::UInt(number),
            (_, Initial::Double(number)) => Val::Double(number),
            (_, Initial::Null) => Val::Null,
            (Kind::Choice(names), Initial::Text(name)) => {
                Val::Choice(Kind::index_of(names, name).expect("the default is one of the names"))
            }
            (Kind::Flags(names), Initial::Text(list)) => {
                Val::Flags(Kind::bits_of(names, list).expect("the default consists of the names"))
            }
            (Kind::Switches(names), Initial::Text(list)) => {
                Val::Flags(Kind::switch(names, 0, 0, list).expect("the default consists of the names"))
            }
            (Kind::SqlMode, Initial::Text(list)) => {
                let mode = types::sql_mode::SqlMode::parse(list).expect("the default consists of modes");
                Val::Flags(mode.bits())
            }
            (_, Initial::Text(text)) => Val::text(text),
        }
    }
}
