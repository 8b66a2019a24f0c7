//! Statements about accounts, as plain data: whoever parses SQL makes them.

use super::access::Access;
use super::account::Name;

/// What is said of accounts beside their passwords; what is not said stays as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// REQUIRE SSL, or NONE.
    pub requires_tls: Option<bool>,
    /// ACCOUNT LOCK, or UNLOCK.
    pub is_locked: Option<bool>,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Statement {
    /// CREATE USER [IF NOT EXISTS] user [IDENTIFIED ..], .. [REQUIRE ..] [ACCOUNT LOCK | UNLOCK]
    Create {
        /// IF NOT EXISTS: those that exist are noted, not refused.
        if_not_exists: bool,
        /// Who, and how it proves that.
        users: Vec<(Name, Credential)>,
        /// What else is said of them.
        attributes: Attributes,
    },
    /// ALTER USER [IF EXISTS] user [IDENTIFIED ..], .. [REQUIRE ..] [ACCOUNT LOCK | UNLOCK]
    Alter {
        /// IF EXISTS: those that do not are noted, not refused.
        if_exists: bool,
        /// Who, and how it proves that from now on, if that changes.
        users: Vec<(Name, Option<Credential>)>,
        /// What else is said of them.
        attributes: Attributes,
    },
    /// DROP USER [IF EXISTS] user, ..
    Drop {
        /// IF EXISTS: those that do not are noted, not refused.
        if_exists: bool,
        /// Who.
        users: Vec<Name>,
    },
    /// RENAME USER old TO new, ..
    Rename(Vec<(Name, Name)>),
    /// SET PASSWORD [FOR user] = 'password'
    SetPassword(Name, Credential),
    /// GRANT what ON level TO user, .. [WITH GRANT OPTION]
    Grant {
        /// Privileges.
        what: What,
        /// On what.
        level: Level,
        /// To whom.
        users: Vec<Name>,
        /// WITH GRANT OPTION.
        with_grant_option: bool,
    },
    /// REVOKE what ON level FROM user, ..
    Revoke {
        /// Privileges.
        what: What,
        /// On what.
        level: Level,
        /// From whom.
        users: Vec<Name>,
        /// What is not there.
        missing: Missing,
    },
    /// REVOKE ALL PRIVILEGES, GRANT OPTION FROM user, ..
    RevokeAll(Vec<Name>, Missing),
}

/// What REVOKE does about what is not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// IF EXISTS: privileges that were not granted are warned of.
    pub if_exists: bool,
    /// IGNORE UNKNOWN USER: users that are not there are.
    pub ignore_unknown_user: bool,
}

/// IDENTIFIED ..
#[derive(Clone, PartialEq, Eq)]
pub struct Credential {
    /// WITH plugin; none for the default.
    pub plugin: Option<String>,
    /// What follows.
    pub secret: Secret,
    /// REPLACE: what the password has been so far.
    pub replaces: Option<String>,
}

/// BY or AS.
#[derive(Clone, PartialEq, Eq)]
pub enum Secret {
    /// Nothing: no password.
    None,
    /// BY 'password'
    Password(String),
    /// AS 'authentication string'
    Hash(Vec<u8>),
}

impl Credential {
    /// No password, the default plugin.
    pub const NONE: Self = Self { plugin: None, secret: Secret::None, replaces: None };

    /// BY 'password', with the default plugin.
    pub fn password(password: &str) -> Self {
        Self { plugin: None, secret: Secret::Password(password.to_owned()), replaces: None }
    }
}

/// Passwords are not shown.
impl std::fmt::Debug for Credential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credential").field("plugin", &self.plugin).finish_non_exhaustive()
    }
}

/// What is granted or revoked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// ALL [PRIVILEGES]
    All,
    /// Names, as they were written; USAGE is among them as nothing.
    These(Vec<String>),
}

/// On what it is granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Level {
    /// `*.*`
    Server,
    /// `db.*`, with wildcards as written.
    Database(String),
    /// `db.table`
    Table(String, String),
}

/// What a plan has to know beside the statement.
#[derive(Clone, Copy)]
pub struct Circumstances<'a> {
    /// Who executes the statement.
    pub access: &'a Access,
    /// Seconds since 1970.
    pub now_s: u64,
    /// `default_authentication_plugin`
    pub default_plugin: &'a str,
    /// Random bytes for salts.
    pub salt: &'a dyn Fn() -> [u8; 20],
    /// Whether a table exists.
    pub table_exists: &'a dyn Fn(&str, &str) -> bool,
}

impl std::fmt::Debug for Circumstances<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Circumstances").field("now_s", &self.now_s).finish_non_exhaustive()
    }
}
