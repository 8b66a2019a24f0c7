//! Accounts: CREATE, ALTER, DROP and RENAME USER.

use std::fmt::{self, Display};

use types::error::SqlError;

use super::Statement;
use super::cursor::{Cursor, utf8};
use super::error::unsupported;
use crate::lex::{Kind, unescape};

/// An account as statements name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Account {
    /// `'user'@'host'`; the host is `%` if none was given.
    Named {
        /// The user.
        user: String,
        /// The host, in lower case.
        host: String,
    },
    /// CURRENT_USER.
    Current,
}

impl Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named { user, host } => {
                write!(f, "{}@{}", super::name::Quoted(user), super::name::Quoted(host))
            }
            Self::Current => f.write_str("CURRENT_USER"),
        }
    }
}

/// An account and how it is to be authenticated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserSpec {
    /// Which.
    pub account: Account,
    /// IDENTIFIED; `None` = nothing was said.
    pub auth: Option<Auth>,
}

/// IDENTIFIED.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Auth {
    /// WITH; `None` = the default plugin.
    pub plugin: Option<String>,
    /// The secret.
    pub secret: Secret,
    /// REPLACE: the password of before.
    pub replaces: Option<String>,
}

/// What an account is authenticated by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Secret {
    /// Nothing was said: an empty password.
    None,
    /// BY: a password.
    Password(String),
    /// AS: what the plugin keeps of a password.
    Hash(Vec<u8>),
    /// BY RANDOM PASSWORD.
    Random,
}

/// What stands behind the accounts of CREATE USER and ALTER USER.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserOptions {
    /// REQUIRE: `Some(false)` = NONE, `Some(true)` = SSL.
    pub require_tls: Option<bool>,
    /// WITH MAX_..: names and numbers.
    pub limits: Vec<(&'static str, u64)>,
    /// ACCOUNT LOCK, ACCOUNT UNLOCK.
    pub locked: Option<bool>,
    /// PASSWORD EXPIRE, as written: the password is to be changed at the next login.
    pub password_expired: bool,
}

/// CREATE USER, ALTER USER.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManageUsers {
    /// ALTER, not CREATE.
    pub alter: bool,
    /// CREATE: IF NOT EXISTS. ALTER: IF EXISTS.
    pub lenient: bool,
    /// Whom.
    pub users: Vec<UserSpec>,
    /// Common to all of them.
    pub options: UserOptions,
}

/// DROP USER.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DropUsers {
    /// IF EXISTS.
    pub if_exists: bool,
    /// Whom.
    pub accounts: Vec<Account>,
}

type Result<T> = std::result::Result<T, SqlError>;

/// An account at the cursor.
pub(super) fn account(cursor: &mut Cursor<'_>) -> Result<Account> {
    if cursor.accept("CURRENT_USER") || cursor.is("USER (") && cursor.accept("USER") {
        if cursor.accept("(") {
            cursor.expect(")")?;
        }
        return Ok(Account::Current);
    }
    let user = cursor.name_or_text()?;
    let host = match cursor.peek().filter(|token| token.kind == Kind::Variable) {
        Some(token) => host(cursor, cursor.text_of(token))?,
        None => "%".to_owned(),
    };
    Ok(Account::Named { user, host })
}

/// `@host`, which the lexer takes for a variable.
fn host(cursor: &mut Cursor<'_>, text: &[u8]) -> Result<String> {
    let name = &text[1..];
    let host = match name.first() {
        None | Some(b'@') => {
            cursor.advance();
            return Err(cursor.error());
        }
        Some(b'`') => unescape(name, true),
        Some(b'\'' | b'"') => unescape(name, cursor.mode().quoting.no_backslash_escapes),
        Some(_) => name.to_vec(),
    };
    cursor.advance();
    Ok(utf8(host)?.to_lowercase())
}

/// Behind CREATE USER or ALTER USER.
pub(super) fn manage(cursor: &mut Cursor<'_>, alter: bool) -> Result<Statement> {
    let lenient = cursor.accept("IF");
    if lenient {
        cursor.expect(if alter { "EXISTS" } else { "NOT EXISTS" })?;
    }
    let users = cursor.list(user_spec)?;
    let mut options = UserOptions::default();
    if cursor.is("DEFAULT ROLE") {
        return Err(unsupported("roles"));
    }
    if cursor.accept("REQUIRE") {
        options.require_tls = Some(require(cursor)?);
    }
    if cursor.accept("WITH") {
        limits(cursor, &mut options)?;
    }
    while user_option(cursor, &mut options)? {}
    cursor.expect_end()?;
    Ok(Statement::ManageUsers(Box::new(ManageUsers { alter, lenient, users, options })))
}

fn user_spec(cursor: &mut Cursor<'_>) -> Result<UserSpec> {
    let account = account(cursor)?;
    if cursor.is("DISCARD OLD PASSWORD") {
        return Err(unsupported("second passwords"));
    }
    if !cursor.accept("IDENTIFIED") {
        return Ok(UserSpec { account, auth: None });
    }
    let plugin =
        if cursor.accept_any(&["WITH", "VIA"]).is_some() { Some(cursor.name_or_text()?) } else { None };
    let secret = if cursor.accept("BY") {
        by(cursor)?
    } else if plugin.is_some() && cursor.accept_any(&["AS", "USING"]).is_some() {
        Secret::Hash(super::xa::text_or_bytes(cursor)?)
    } else if plugin.is_some() {
        Secret::None
    } else {
        return Err(cursor.error());
    };
    let replaces = if cursor.accept("REPLACE") { Some(cursor.text()?) } else { None };
    if cursor.is("RETAIN CURRENT PASSWORD") {
        return Err(unsupported("second passwords"));
    }
    if cursor.is("AND IDENTIFIED") || cursor.is("OR") {
        return Err(unsupported("several ways of authentication"));
    }
    Ok(UserSpec { account, auth: Some(Auth { plugin, secret, replaces }) })
}

fn by(cursor: &mut Cursor<'_>) -> Result<Secret> {
    if cursor.accept("RANDOM") {
        cursor.expect("PASSWORD")?;
        return Ok(Secret::Random);
    }
    // As MariaDB's dumps have it.
    if cursor.accept("PASSWORD") {
        return cursor.text_bytes().map(Secret::Hash);
    }
    cursor.text().map(Secret::Password)
}

fn require(cursor: &mut Cursor<'_>) -> Result<bool> {
    Ok(match cursor.expect_any(&["NONE", "SSL", "X509", "CIPHER", "ISSUER", "SUBJECT"])? {
        "NONE" => false,
        "SSL" => true,
        other => return Err(unsupported(&format!("REQUIRE {other}"))),
    })
}

fn limits(cursor: &mut Cursor<'_>, options: &mut UserOptions) -> Result<()> {
    const NAMES: [&str; 4] =
        ["MAX_QUERIES_PER_HOUR", "MAX_UPDATES_PER_HOUR", "MAX_CONNECTIONS_PER_HOUR", "MAX_USER_CONNECTIONS"];
    let mut name = cursor.expect_any(&NAMES)?;
    loop {
        options.limits.push((name, cursor.number()?));
        match cursor.accept_any(&NAMES) {
            Some(next) => name = next,
            None => return Ok(()),
        }
    }
}

/// One option; false if none comes next.
fn user_option(cursor: &mut Cursor<'_>, options: &mut UserOptions) -> Result<bool> {
    if cursor.accept("ACCOUNT") {
        options.locked = Some(cursor.expect_any(&["LOCK", "UNLOCK"])? == "LOCK");
    } else if let Some(what) =
        cursor.accept_any(&["ATTRIBUTE", "COMMENT", "FAILED_LOGIN_ATTEMPTS", "PASSWORD_LOCK_TIME"])
    {
        return Err(unsupported(what));
    } else if cursor.accept("PASSWORD") {
        password_option(cursor, options)?;
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// Behind PASSWORD. What dumps write of accounts without a policy is accepted.
fn password_option(cursor: &mut Cursor<'_>, options: &mut UserOptions) -> Result<()> {
    const PLAIN: [&str; 6] = [
        "EXPIRE DEFAULT",
        "EXPIRE NEVER",
        "HISTORY DEFAULT",
        "REUSE INTERVAL DEFAULT",
        "REQUIRE CURRENT DEFAULT",
        "REQUIRE CURRENT OPTIONAL",
    ];
    if cursor.accept_any(&PLAIN).is_some() {
        return Ok(());
    }
    if cursor.accept("EXPIRE") && !cursor.is("INTERVAL") {
        options.password_expired = true;
        return Ok(());
    }
    match cursor.accept_any(&["INTERVAL", "HISTORY", "REUSE INTERVAL", "REQUIRE CURRENT"]) {
        Some(_) => Err(unsupported("rules for passwords")),
        None => Err(cursor.error()),
    }
}

/// Behind DROP USER.
pub(super) fn drop(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let if_exists = cursor.accept("IF");
    if if_exists {
        cursor.expect("EXISTS")?;
    }
    let accounts = cursor.list(account)?;
    cursor.expect_end()?;
    Ok(Statement::DropUsers(DropUsers { if_exists, accounts }))
}

/// Behind RENAME, at USER.
pub(super) fn rename(cursor: &mut Cursor<'_>) -> Result<Statement> {
    cursor.expect("USER")?;
    let pairs = cursor.list(|cursor| {
        let from = account(cursor)?;
        cursor.expect("TO")?;
        Ok((from, account(cursor)?))
    })?;
    cursor.expect_end()?;
    Ok(Statement::RenameUsers(pairs))
}
